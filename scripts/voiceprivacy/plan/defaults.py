"""What a config does not say: defaults, and the attackers and measures that every run has.

Defaults live in the schema (config_schema). Some depend on other keys and are set here:

* A corpus that is evaluated without a protocol has enrol_trial.
* IEMOCAP without a protocol is there for utility.
* By a ``plan`` of 2026, the last line of a pair counts in given lists (``repeats: last``).
* One Kaldi directory without a protocol has the list ``all`` of its own trials file.
* Where there is speech to train on, an attacker is trained on protected speech (``semi_informed``).
* ``report: {controls: true}`` adds the anonymisers of workflow/resources/controls.yaml, and a list
  those that it names.
* ``sweep`` makes an anonymiser of each of its values (see sweeps).
* ``attackers: NAME`` adds the attackers of workflow/resources/attackers/NAME.yaml.
* An encoder inside a package runs in the environment of the package's name.
* ``draws`` of an anonymiser makes one more of each further draw.
* ``atlas: true`` adds the channels of the disclosure atlas, ``lengths: free`` that of timing (see
  atlas).
* Measures of utility that every run makes stand in the config once it is completed.
* Anonymisers that nobody attacks (no ``extractors``, no ``attacks``) are attacked by the strongest
  extractors that are there. Extractors without ``backends`` compare by cosine or Jensen-Shannon.
"""

import copy
import os
from collections.abc import Iterable
from typing import Any

import yaml
from jsonschema import Draft202012Validator, validators

from voiceprivacy import config_schema, corpus_kinds, kinds
from voiceprivacy.inout.placeholders import expand, ours
from voiceprivacy.inout.yaml_files import read_yaml
from voiceprivacy.models.pinned import is_installed
from voiceprivacy.plan.atlas import added, with_channels
from voiceprivacy.plan.measures import is_complete, of_every_run, shipped
from voiceprivacy.plan.speech import Speech, first_training_corpus
from voiceprivacy.plan.sweeps import with_sweeps
from voiceprivacy.vocabulary import (
    CONVERSIONS,
    FURTHER_DRAW,
    HISTOGRAMS,
    LEAKS,
    RESOURCES,
    SEMI_INFORMED,
    TRAIN,
    UTILITY_ALONE,
)

GENDERS = ("f", "m")
# What keeps ${NAME}, because it is handed to a program: the program's job replaces it.
LATE = {"command", "options", "download"}
# Encoders inside packages: CAM++ finds more in most systems, and Resemblyzer in some.
STRONGEST = ("campplus", "resemblyzer")
EMBEDDING = {"model", "command", "package"}  # extractors that embed any speech they are given


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """A copy of a config with its defaults, its controls and its preset of attackers."""
    config = with_attackers(with_sweeps(with_controls(with_protocols(config))))
    config = with_measures(with_environments(with_default_attacker(config)))
    return with_draws(with_semi_informed(with_atlas(_with_defaults(config))))


def resolved(config: dict[str, Any]) -> dict[str, Any]:
    """A completed config with ${NAME} replaced but in what programs are handed.

    Raises
    ------
    BadInput : a variable is not set
    """
    return {section: _resolved(value, depth=1) for section, value in config.items()}


def _resolved(value: Any, *, depth: int) -> Any:
    """What stands so many keys below the config: a section (1), an entry, a key of an entry."""
    if not isinstance(value, dict):
        return expand(value)
    return {
        key: inner if depth > 1 and key in LATE else _resolved(inner, depth=depth + 1)
        for key, inner in value.items()
    }


def _with_defaults(config):
    """The config itself with the schema's defaults."""
    for _ in _Completing(config_schema.schema()).iter_errors(
        config
    ):  # sets a default wherever it looks
        pass
    return config


def with_protocols(config: dict[str, Any]) -> dict[str, Any]:
    """A copy without empty sections, in which every evaluated corpus has its protocol and lists."""
    config = copy.deepcopy({key: value for key, value in config.items() if value is not None})
    for corpus in config.get("corpora", {}).values():
        name = corpus_kinds.name_in(corpus)
        if name and "protocol" not in corpus:
            corpus.setdefault("use", corpus_kinds.corpus_kind(name).use)
        if corpus.get("use") not in (TRAIN, UTILITY_ALONE):
            _set_protocol(corpus, config.get("plan"))
    return config


def _set_protocol(corpus, plan):
    name = corpus_kinds.name_in(corpus)
    protocol = corpus_kinds.corpus_kind(name).protocol(corpus[name]) if name else None
    if protocol:
        corpus.setdefault("protocol", protocol)
    protocol = corpus.get("protocol", {})
    if corpus.get("gender") == "separate" and "given" in protocol:
        protocol["given"] = _per_gender(protocol["given"])
    if plan and "given" in protocol:
        protocol["given"] = _read_as_in_2026(protocol["given"])
    lists = ["mixed"] if corpus.get("gender") == "mixed" else list(GENDERS)
    for name in ("enrol_trial", "all_pairs", "rank_sampling"):
        if name in protocol:
            protocol[name].setdefault("lists", lists)


def _per_gender(lists):
    """Lists of a protocol given, those of both genders as one for each."""
    separate = {}
    for name, directory in lists.items():
        if name.split("_")[0] in GENDERS or not isinstance(directory, str):
            separate[name] = directory
            continue
        for gender in GENDERS:
            separate[f"{name}_{gender}"] = {"directory": directory, "gender": gender}
    return separate


def _read_as_in_2026(lists):
    """Lists of a protocol given, in which the last line of a pair counts."""
    fields = {
        name: {"directory": one} if isinstance(one, str) else one for name, one in lists.items()
    }
    return {name: {"repeats": "last"} | one for name, one in fields.items()}


def with_controls(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with the control anonymisers if it asks for them."""
    own = config.get("anonymisers", {})
    added = controls(config.get("report", {}).get("controls"))
    config["anonymisers"] = own | {name: added[name] for name in added if name not in own}
    return config


def with_default_attacker(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with an attacker if it has anonymisers and names none.

    A back-end alone is no attacker. Extractors alone compare by cosine, histograms by
    Jensen-Shannon.
    """
    names_nobody = "extractors" not in config and "attacks" not in config
    if names_nobody and config.get("corpora") and config["anonymisers"]:
        config["extractors"] = strongest_extractors()
    extractors = config.get("extractors", {}).values()
    are_histograms = [not options.keys().isdisjoint(HISTOGRAMS) for options in extractors]
    backends = {}
    if not all(are_histograms):
        backends["cosine"] = {"type": "cosine"}
    if any(are_histograms):
        backends["jensen_shannon"] = {"type": "jensen_shannon"}
    config.setdefault("backends", backends)
    return config


def strongest_extractors() -> dict[str, dict[str, str]]:
    """The strongest extractors that are there, as entries of a config that bear their names.

    They are those of STRONGEST that set-up fetched: on real speech each makes a quarter of the
    errors of the network that is shipped, or fewer (docs/guide/attackers.md).
    """
    there = {name: {"package": name} for name in STRONGEST if is_installed(name)}
    return there or {"ecapa_small": {"model": "{resources}/ecapa_small"}}


def conversions(extractors: Iterable[str]) -> dict[str, dict[str, Any]]:
    """A back-end that learnt from what the shipped anonymisers do, as the entry of a config.

    There is one for each of some extractors; none where there is no such extractor.
    """
    files = {name: ours(CONVERSIONS).replace("{extractor}", name) for name in extractors}
    known = [name for name, file in files.items() if os.path.exists(file)]
    ready = {"conversions": {"type": "plda", "model": CONVERSIONS, "extractors": known}}
    return ready if known else {}


def with_environments(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, in which each encoder inside a package has its environment."""
    for options in config.get("extractors", {}).values():
        if "package" in options:
            package = options["package"]
            options.setdefault("env", "neural" if package == "whisper" else package)
    return config


def with_measures(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with the measures of utility that every run makes, unless it has its own.

    Words are measured of corpora with transcripts; Utility.left_out names the others. Quality is
    measured where its packages are. A measure that is shipped has its own environment and memory
    where its entry names none. One with a model is a recogniser of words where nothing else is
    said.
    """
    utility = config.setdefault("utility", {})
    types = [options.get("type") for options in utility.values() if options]
    rows, report = kinds.measure_kinds(), config.get("report", {})
    for name, options in of_every_run().items() if config["anonymisers"] else ():
        made = rows[options["type"]]
        is_wanted = report.get(made.left_out_by, True) and is_complete(made)
        if is_wanted and options["type"] not in types:
            utility.setdefault(name, dict(options))
    of_any_model = next(name for name, kind in rows.items() if kind.of_any_model)
    for options in filter(None, utility.values()):
        if "model" in options:
            options.setdefault("type", of_any_model)
        kind = shipped(options)
        if kind:
            options.setdefault("gpu", int(options.get("device") == "cuda"))
            options.setdefault("env", kind.env)
            options.setdefault("mem_mb", kind.mem_mb)
            if kind.sample_minutes:
                options.setdefault("minutes", kind.sample_minutes)
    return config


def with_attackers(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with the attackers of a preset if it names one and has a training corpus.

    Entries of its own with the same names win.
    """
    corpus = first_training_corpus(config)
    if "attackers" in config and corpus:
        path = RESOURCES / "attackers" / f"{config['attackers']}.yaml"
        preset = yaml.safe_load(path.read_text(encoding="utf-8").replace("{train}", corpus))
        for section, entries in preset.items():
            config[section] = entries | config.get(section, {})
    return config


def with_atlas(config: dict[str, Any]) -> dict[str, Any]:
    """The completed config itself, with attackers of the channels that it asks for."""
    return _with_defaults(with_channels(config)) if added(config) else config


def with_draws(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with an anonymiser for each further draw of one that asks for several."""
    for name, options in [*config["anonymisers"].items()]:
        for draw in range(2, options["draws"] + 1):
            again = {**options, "draws": 1, "runs": 1, "draw": draw}
            config["anonymisers"].setdefault(f"{name}{FURTHER_DRAW}{draw}", again)
    return config


def with_semi_informed(config: dict[str, Any]) -> dict[str, Any]:
    """The completed config itself, with a back-end that learns from protected speech.

    It is added where the config has speech to train on and no attacker of its own that does so.
    """
    corpus = first_training_corpus(config)
    if not corpus or not config["semi_informed"]:
        return config
    extractors, backends = config["extractors"], config["backends"]
    able = [name for name, options in extractors.items() if options.keys() & EMBEDDING]
    with_paths = resolved(config)
    speech = Speech(with_paths["corpora"], with_paths["anonymisers"])
    protecting = [
        name
        for name, options in config["anonymisers"].items()
        if not options["control"] and not speech.lacks_training_speech(name, corpus)
    ]
    learning = [
        options.get("train", {}).get("speech") == "anonymised"
        for options in (*extractors.values(), *backends.values())
    ]
    if able and protecting and not any(learning) and SEMI_INFORMED not in backends:
        backends[SEMI_INFORMED] = {
            "type": "plda",
            "train": {"corpus": corpus, "speech": "anonymised", "anonymisers": protecting},
            "unprotected": True,
            "extractors": able[:1],
            "shrinkage": 0.1,
        }
        _with_defaults(config)
    return config


def controls(wanted: Any) -> dict[str, dict]:
    """The control anonymisers of ``report: {controls: WANTED}``, as a config has them."""
    return _wanted(read_yaml(RESOURCES / "controls.yaml"), wanted)


def leaks(config: dict[str, Any]) -> dict[str, int]:
    """The known leaks that a completed config tries: percent of the recordings by name."""
    return _wanted(LEAKS, config["report"]["controls"])


def _wanted(known, wanted):
    """Those that ``report: {controls: WANTED}`` names: all, none or a list."""
    if not isinstance(wanted, list):
        return known if wanted is True else {}
    return {name: value for name, value in known.items() if name in wanted}


def _set_defaults(validator, properties, instance, subschema):
    """What jsonschema does for ``properties``, after the defaults in them are set."""
    if isinstance(instance, dict):
        for name, described in properties.items():
            if isinstance(described, dict) and "default" in described:
                instance.setdefault(name, copy.deepcopy(described["default"]))
    yield from Draft202012Validator.VALIDATORS["properties"](
        validator, properties, instance, subschema
    )


_Completing = validators.extend(Draft202012Validator, {"properties": _set_defaults})
