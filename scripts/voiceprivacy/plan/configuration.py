"""A config as somebody wrote it: its lines, and what is wrong in it.

``check`` takes a config to a run: it completes a config that is right, and refuses any other. What
can be wrong comes in two steps: single keys and values, which the schema describes; then entries
that contradict each other, and files that are not there.
"""

import difflib
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators

from voiceprivacy import config_schema, corpus_kinds, kinds
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import resembling
from voiceprivacy.inout.placeholders import expand, variables_in
from voiceprivacy.inout.tables import number_in
from voiceprivacy.inout.yaml_files import compose, read_yaml
from voiceprivacy.layout import HERE, Layout
from voiceprivacy.models.hub import NAME
from voiceprivacy.plan import atlas, named_files, scores_given
from voiceprivacy.plan.defaults import complete, controls
from voiceprivacy.plan.measures import wrong_measures
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import ANONYMISER_KINDS, FUNCTIONS, OUR_ENV, first_training_corpus
from voiceprivacy.plan.sweeps import wrong_sweeps
from voiceprivacy.running import entry_points
from voiceprivacy.vocabulary import (
    EVALUATION,
    GIVEN,
    OF_TEXT,
    ORIGINAL,
    OTHERS,
    PLANS_OF_2026,
    TRAIN,
    WORDS,
    draws_of,
)

BRACE = re.compile("[{}]")
NO_BRACES = "has { or } in its name, which Snakemake takes for a wildcard: name it otherwise"
OF_COMMAND = {"manifest", "seed", "audio-dir", "output-manifest"}  # what each call is given
OF_FUNCTION = {"utterance", "speaker", "seed"}
LARGEST_LOW = ("low_percent", "low_all_recordings_percent")
NETWORKS = {"model", "train"}  # kinds of extractors whose embeddings have negative entries
OWN_RESULT = "lies where this run writes its results, and would be lost: copy it elsewhere"
UNWRITABLE = re.compile("[\0\ud800-\udfff]")
Keys = tuple[str | int, ...]  # the keys that lead to a value of a config
MISREAD = "YAML reads this as"
WITH_EXPONENT = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+")
GONE = {  # keys of earlier configs, and what serves instead
    ("report", "speech_per_attack"): (
        "is no longer a key: compare amounts of speech by ranks, with the protocol"
        " 'rank_sampling' of a corpus (docs/metrics/ranks.md)"
    ),
} | dict.fromkeys(
    [
        ("verdict", name)
        for name in (
            "nothing_percent",
            "reduced_percent",
            "weakest_attacker_bit",
            "guessing_eer_percent",
            "times_chance",
        )
    ],
    "is no longer a key: the verdict has other states, which begin at open_percent and low_percent"
    " (docs/guide/verdict.md)",
)
FUSION = "fusion"
NO_FUSION = (
    "'fusion' is no longer a type: remove this back-end, because the verdict joins the scores of"
    " all attackers by itself (docs/guide/verdict.md)"
)

# A whole number is one: what is made of a config counts with it, and 4.0 is no count.
Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


class Problem(NamedTuple):
    """Something wrong with a config: the keys that lead to it, and what."""

    keys: Keys
    what: str

    def __str__(self) -> str:
        keys = ".".join(str(key) for key in self.keys)
        return f"{keys}: {self.what}" if keys else self.what


class WrongConfig(BadInput):
    """A problem of a config, for whose keys there is a line."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read(path: str | Path) -> dict[str, Any]:
    """Read a YAML config as it stands, without defaults.

    Raises
    ------
    BadInput : it is missing, no YAML, no mapping, or a key occurs twice
    """
    config = read_yaml(path)
    if not isinstance(config, dict | None):
        raise BadInput(f"{path}:1: expected sections such as corpora: and anonymisers:")
    return config or {}


def place_of(paths: Sequence[str | Path], keys: Keys) -> tuple[str, int]:
    """The file, of several that make one config, that gives a value, and the line there.

    Where none holds it, that which holds most of the keys that lead to it, and the line of the last
    of these. A later file wins.
    """
    path = max(reversed(paths), key=lambda one: len(_on_the_way(compose(one), keys)))
    return str(path), [1, *(line for line, _ in _on_the_way(compose(path), keys))][-1]


def with_line(problem: Problem, paths: Sequence[str | Path]) -> str:
    """A problem with the file and the line that hold it; without, where no file has its section."""
    if not any(_on_the_way(compose(path), problem.keys) for path in paths):
        return str(problem)
    return "{}:{}: {}".format(*located(problem, paths))


def located(problem: Problem, paths: Sequence[str | Path]) -> tuple[str, int, str]:
    """The file and the line of a problem as ``place_of`` has them, and the problem in words.

    Where YAML reads what is written there otherwise than as text, the words repeat it.
    """
    path, line = place_of(paths, problem.keys)
    words, way = str(problem), _on_the_way(compose(path), problem.keys)
    if MISREAD in problem.what and len(way) == len(problem.keys):
        written = way[-1][1].value
        words = words.replace(MISREAD, f"YAML reads {written} as")
        words = words.replace(f" {written} as {written},", f" {written} as a number,")
        if not written:
            words = str(problem._replace(what="is empty: write a text, or leave the line out"))
    return path, line, words


def _on_the_way(root: yaml.Node | None, keys: Keys) -> list[tuple[int, yaml.Node]]:
    """The lines of the keys that lead to a value, as far as they are there, and their values."""
    node, way = root, []
    for wanted in keys:
        if isinstance(node, yaml.SequenceNode):
            if wanted not in range(len(node.value)):
                break
            node = node.value[wanted]
            way.append((node.start_mark.line + 1, node))
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        matching = [(key, value) for key, value in pairs if _reads_as(key, wanted)]
        if not matching:
            break
        key, node = matching[-1]  # 1 and true are one key to Python, and refused as no texts
        way.append((key.start_mark.line + 1, node))
    return way


def _reads_as(key: yaml.Node, wanted: Any) -> bool:
    """Whether YAML reads a key as this value: ``off`` is False, and ``~`` is None."""
    if isinstance(wanted, str) or not isinstance(key, yaml.ScalarNode):
        return key.value == wanted
    return key.tag != "tag:yaml.org,2002:str" and yaml.safe_load(key.value) == wanted


def check(config: dict[str, Any], layout: Layout = HERE) -> dict[str, Any]:
    """Check a config and complete it.

    Returns
    -------
    dict : a copy with every default filled in; ${NAME} stays, because values may be secrets

    Raises
    ------
    WrongConfig : the first problem; ``problems`` gives all of them
    """
    for problem in problems(config, layout):
        raise WrongConfig(problem)
    return complete(config)


def problems(config: dict[str, Any], layout: Layout = HERE) -> list[Problem]:
    """Everything that is wrong with a config.

    These are variables, keys and values; if all of them are right, contradictions; and if there are
    none, missing files.
    """
    config = {name: section for name, section in config.items() if section is not None}
    wrong = wrong_entries(config)
    if not wrong:
        wrong = [Problem(keys, words) for keys, words in wrong_sweeps(config)]
    if wrong:
        return wrong
    # A config with a wrong value cannot be completed: what follows would only puzzle.
    config = complete(expand(config))
    # What is wrong with an attacker is wrong with it for every anonymiser.
    wrong = [*dict.fromkeys(contradictions(config))]
    # Nothing is planned of what contradicts itself.
    return wrong or [*dict.fromkeys(missing_files(config, layout))]


def usable_corpora(config: dict[str, Any], wrong: list[Problem]) -> dict[str, dict]:
    """The corpora of a config, completed, that have none of the problems."""
    wrong_keys = {problem.keys[:2] for problem in wrong}
    if ("corpora",) in wrong_keys:
        return {}
    corpora = config.get("corpora") or {}
    usable = {name: corpora[name] for name in corpora if ("corpora", name) not in wrong_keys}
    # Alone: what is wrong elsewhere cannot be completed.
    is_of_2026 = config.get("plan") in PLANS_OF_2026  # which decides how lists are read
    plan = {"plan": config["plan"]} if is_of_2026 else {}
    return expand(complete(plan | {"corpora": usable})["corpora"])


# What is wrong with single keys and values, in the words of somebody who writes a config.


def wrong_entries(config: dict[str, Any]) -> list[Problem]:
    """Keys that are no text, variables that are not set, and what the schema refuses."""
    wrong = [*unusable_values(config), *_unset_variables(config), *_misread_options(config)]
    errors = [*Validator(config_schema.schema()).iter_errors(config)]
    # Keys can be texts and numbers of list items, which do not compare.
    errors.sort(key=lambda error: [str(key) for key in error.path])
    gone = [[*error.path][:2] for error in errors if error.instance == FUSION]
    for error in errors:  # the other keys of a back-end that has to go do not matter
        if error.instance == FUSION or [*error.path][:2] not in gone:
            wrong += _explain(error)
    return wrong


def unusable_values(config: dict[str, Any]) -> Iterator[Problem]:
    """What YAML can say and no config can mean: keys that are no text, nan, NUL in a text."""
    yield from _keys_that_are_no_text(config)
    for keys, value in _values(config):
        if isinstance(value, float) and not math.isfinite(value):  # no limit of a schema refuses it
            yield Problem(keys, f"{value} is no number that can be used here")
        # Paths, names and tables are UTF-8 without NUL.
        if isinstance(value, str) and UNWRITABLE.search(value):
            yield Problem(keys, f"{value[:40]!r} holds a character that no path and no table can")


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """A question after the choice that a word resembles; nothing where it resembles none."""
    close = difflib.get_close_matches(str(word), [str(choice) for choice in choices], n=1)
    return f": did you mean '{close[0]}'?" if close else ""


def _if_unknown(keys: Keys, words: str, word: str, choices: Iterable[str]) -> Iterator[Problem]:
    """A problem in these words, and what is meant perhaps, where a word is none of the choices."""
    if word not in choices:
        yield Problem(keys, words + did_you_mean(word, choices))


def _values(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """A value and all values in it, each with the keys that lead to it."""
    yield keys, value
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from _values(inner, (*keys, key))


def _unset_variables(config):
    for keys, value in _values(config):
        for name in variables_in(value) if isinstance(value, str) else ():
            if name not in os.environ:
                yield Problem(keys, f"{name}: not found: the variable ${{{name}}} is not set")


def _keys_that_are_no_text(value, keys_above=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            keys = (*keys_above, key)
            if not isinstance(key, str):
                words = f"YAML reads this key as {key!r}, not as text: put it in quotes"
                yield Problem(keys, words)
            yield from _keys_that_are_no_text(inner, keys)


def _misread_options(config: dict[str, Any]) -> Iterator[Problem]:
    """Options of functions that YAML 1.1 takes for text: 1e-4. A command gets text anyway."""
    anonymisers = config.get("anonymisers")
    for name, system in anonymisers.items() if isinstance(anonymisers, dict) else ():
        if not isinstance(system, dict) or system.keys().isdisjoint(FUNCTIONS):
            continue
        for field in ("options", "sweep"):
            for keys, value in _values(system.get(field), ("anonymisers", name, field)):
                if isinstance(value, str) and WITH_EXPONENT.fullmatch(value):
                    yield Problem(keys, _as_number(value))


def _as_number(text: str) -> str:
    nested = "values nested in --config always are: write them into a second config"
    return f"{text!r} is text: write {_plain(text)} without quotes ({nested})"


def _explain(error: ValidationError) -> Iterator[Problem]:
    """A schema error in the words of somebody who writes a config."""
    keys = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        for key in [key for key in error.instance if key not in allowed]:
            known = [name for name in allowed if config_schema.is_for_people(allowed[name])]
            wrong = f"'{key}' is not a key here{did_you_mean(key, known)}"
            yield Problem((*keys, key), GONE.get((*keys, key), wrong))
    elif error.validator == "oneOf":
        # Unknown keys have an error of their own, which says more.
        properties = error.schema["properties"]
        if isinstance(error.instance, dict) and error.instance.keys() <= properties.keys():
            required = [branch["required"] for branch in error.validator_value]
            choices = [
                " and ".join(keys)
                for keys in required
                if all(config_schema.is_for_people(properties[key]) for key in keys)
            ]
            yield Problem(keys, f"needs one of {', '.join(choices)}, and only one")
    elif "propertyNames" in error.absolute_schema_path:
        taken = "original, mean, ..._run1, ..._on_, ..._without_"
        rule = f"small letters, digits and _, a letter first; not {taken}"
        yield Problem((*keys, error.instance), f"'{error.instance}' cannot be a name here ({rule})")
    elif _is_misread(error):
        yield Problem(keys, f"{MISREAD} {error.instance!r}, not as text: put it in quotes")
    elif _is_whole(error):
        yield Problem(keys, f"{error.message}: write {error.instance:.0f}")
    elif _is_meant_otherwise(error):
        yield Problem(keys, _as_number(error.instance))
    elif error.instance is None:
        yield Problem(
            keys, "is empty: write what belongs here ({} for no options), or leave it out"
        )
    elif error.validator == "required":
        yield Problem(keys, f"{error.message.removesuffix(' is a required property')} is missing")
    elif error.validator == "enum":
        choices = [str(choice) for choice in error.validator_value]
        question = did_you_mean(str(error.instance), choices)
        wrong = f"'{error.instance}' is none of {', '.join(choices)}{question}"
        yield Problem(keys, NO_FUSION if error.instance == FUSION else wrong)
    elif error.validator == "pattern" and "description" in error.schema:
        meaning = error.schema["description"].rstrip(".")
        yield Problem(keys, f"{error.instance!r} does not match what is expected here: {meaning}")
    elif error.validator in ("not", "const"):  # the schema has no value for this key, or one
        only = f" (only {error.validator_value!r})" if error.validator == "const" else ""
        yield Problem(keys, f"{error.instance!r} is not allowed beside the other keys here{only}")
    else:
        wrong = error.message.replace("of type 'array'", "a list: [...]")
        yield Problem(keys, wrong.replace("of type 'object'", "a mapping of keys to values: {...}"))


def _is_whole(error: ValidationError) -> bool:
    """Whether a count has a point, such as 4.0."""
    wants_count = error.validator == "type" and "integer" in error.validator_value
    return wants_count and isinstance(error.instance, float) and error.instance.is_integer()


def _is_misread(error: ValidationError) -> bool:
    """Whether YAML made another value of what should be a text, such as no, 12:30 or 010."""
    wants_text = error.validator == "type" and "string" in error.validator_value
    if error.validator == "enum":
        wants_text = all(isinstance(choice, str) for choice in error.validator_value)
    return wants_text and isinstance(error.instance, bool | int | float | None)


def _is_meant_otherwise(error: ValidationError) -> bool:
    """Whether a text should be a number or a truth value, such as 1000 for '1e3'."""
    is_text = error.validator == "type" and isinstance(error.instance, str)
    if not is_text or not re.search("integer|number|boolean", str(error.validator_value)):
        return False
    number = number_in(error.instance)
    fits = "number" in str(error.validator_value) or number.is_integer()
    return error.instance in ("true", "false") or (math.isfinite(number) and fits)


def _plain(text: str) -> str:
    """A number or a truth value in text, as YAML reads it."""
    # YAML 1.1 takes 1e-05 for text, 1.0e-05 for a number.
    number = number_in(text)
    return re.sub(r"^(-?\d+)e", r"\1.0e", f"{number:.15g}") if math.isfinite(number) else text


# What no schema sees in a completed config: entries that contradict each other.


def contradictions(config: dict[str, Any]) -> Iterator[Problem]:
    """All contradictions of a completed config."""
    yield from _taken_names(config)
    for name, corpus in config["corpora"].items():
        yield from _wrong_options(("corpora", name), corpus)
    for section in ("extractors", "backends"):
        for field in ("train", "units", WORDS):
            yield from _wrong_training(config, section, field)
    for name, backend in config["backends"].items():
        for extractor in backend.get("extractors", ()):
            kind = config["extractors"].get(extractor, {}).keys()
            words = "" if kind else f"'{extractor}' is not an extractor of this config"
            if backend["type"] == "jensen_shannon" and kind & NETWORKS:
                words = f"embeddings of '{extractor}' are no histograms: remove it here"
            if words:
                yield Problem(("backends", name, "extractors"), words)
    if "attackers" in config and first_training_corpus(config) is None:
        words = "needs a corpus with 'use: train', from which these attackers learn"
        yield Problem(("attackers",), words)
    yield from _wrong_channels(config)
    for name in LARGEST_LOW:
        if config["verdict"][name] > (least := config["verdict"]["open_percent"]):
            words = f"is more than open_percent ({least}): a system would be both"
            yield Problem(("verdict", name), words)
    yield from _wrong_releases(config["releases"], config["anonymisers"])
    for keys, words in wrong_measures(config):
        yield Problem(keys, words)
    yield from _shared_speakers(config["corpora"])
    for name, options in config["extractors"].items():
        path = options.get("embeddings")
        if path and config["anonymisers"] and "{anonymiser}" not in path:
            words = "lacks {anonymiser}: original and protected speech would be the same to it"
            yield Problem(("extractors", name, "embeddings"), words)
    for name, options in config["anonymisers"].items():
        given = OF_COMMAND if "command" in options else OF_FUNCTION
        for option in given & options["options"].keys():
            words = f"each call gets its own {option} from the run: call the option otherwise"
            yield Problem(("anonymisers", name, "options", option), words)
        if "package" in options and options["env"] == OUR_ENV:
            try:
                entry_points.version(options["package"])
            except BadInput as error:
                yield Problem(("anonymisers", name, "package"), str(error).partition(": ")[2])


def _wrong_channels(config: dict[str, Any]) -> Iterator[Problem]:
    """Channels of the atlas that nobody can hear in this config."""
    heard = set().union(*config["extractors"].values())
    for channel in atlas.wanted(config):
        if atlas.CHANNELS[channel] not in heard:
            words = f"channel '{channel}' needs a corpus with 'use: train', from which it learns"
            yield Problem(("atlas", "channels"), words)


def _taken_names(config):
    """Anonymisers that have a control's name, attacks that have an extractor's."""
    for name, control in controls(config["report"]["controls"]).items():
        options = config["anonymisers"][name]
        if any(options.get(kind) != control.get(kind) for kind in ANONYMISER_KINDS):
            words = "is the name of a control (report.controls): take another name"
            yield Problem(("anonymisers", name), words)
    for name, draws in draws_of(config["anonymisers"]).items():
        for further in draws[1:]:
            if config["anonymisers"][further]["draw"] == 1:
                words = f"is the name of a draw of {name}: take another name"
                yield Problem(("anonymisers", further), words)
    for name in config["attacks"]:
        if name in config["extractors"]:
            yield Problem(("attacks", name), "is the name of an extractor too: take another name")


def _wrong_options(keys: Keys, corpus: dict[str, Any]) -> Iterator[Problem]:
    if corpus["use"] != EVALUATION and "protocol" in corpus:
        words = (
            f"a corpus with 'use: {corpus['use']}' is not attacked: remove this, or write"
            " 'use: evaluation'"
        )
        yield Problem((*keys, "protocol"), words)
    if corpus["use"] == EVALUATION and "protocol" not in corpus:
        words = "needs a protocol that names its trial lists, such as given: {f: DIR, m: DIR}"
        yield Problem(keys, words)
    try:
        if not re.compile(corpus.get("recording", "()")).groups:
            yield Problem((*keys, "recording"), "has no group, (...), which finds the recording")
    except (re.error, OverflowError, RecursionError) as error:
        yield Problem((*keys, "recording"), f"is no regular expression ({error})")
    if "channel" in corpus and corpus_kinds.kind_in(corpus)[0].is_made_up:
        yield Problem((*keys, "channel"), "speech that is made has one channel: remove this")
    seconds = corpus.get("segments", {}).get("seconds")
    if isinstance(seconds, list) and seconds[0] > seconds[1]:
        yield Problem((*keys, "segments", "seconds"), "the shortest piece comes first")
    lists = corpus.get("protocol", {}).get("enrol_trial", {}).get("lists", [])
    having = [name for name in kinds.names() if hasattr(kinds.module_of(name), "is_common")]
    if corpus_kinds.name_in(corpus) not in having and any(
        name.endswith("_common") for name in lists
    ):
        words = f"only {' and '.join(having)} has lists of common sentences"
        yield Problem((*keys, "protocol", "enrol_trial", "lists"), words)


def _wrong_training(config, section, field):
    """Corpora for training that are not there, or not for training."""
    corpora = config["corpora"]
    anonymisers = draws_of(config["anonymisers"])  # the first draw of each is learnt from
    for name, options in config[section].items():
        if "corpus" not in options.get(field, {}):
            continue
        keys, corpus = (section, name, field, "corpus"), options[field]["corpus"]
        yield from _if_unknown(keys, f"there is no corpus '{corpus}'", corpus, corpora)
        if corpora.get(corpus, {"use": TRAIN})["use"] != TRAIN:
            yield Problem(keys, f"corpus '{corpus}' is not for training: give it 'use: train'")
        for anonymiser in options[field].get("anonymisers", ()):
            keys = (section, name, field, "anonymisers")
            words = f"there is no anonymiser '{anonymiser}'"
            yield from _if_unknown(keys, words, anonymiser, anonymisers)
        if isinstance(options[field].get("speech"), list):
            yield from _wrong_list((section, name, field), options[field], config["anonymisers"])


def _wrong_list(
    keys: Keys, training: dict[str, Any], entries: dict[str, dict]
) -> Iterator[Problem]:
    """What is wrong with a list of systems whose speech is learnt from."""
    speech, anonymisers = training["speech"], list(draws_of(entries))
    known = [ORIGINAL, OTHERS, *anonymisers]
    for position, system in enumerate(speech):
        words = f"there is no system '{system}' to learn from, but {', '.join(known)}"
        yield from _if_unknown((*keys, "speech", position), words, system, known)
    if keys[0] == "extractors":
        words = "a network learns from one system: write original or anonymised, not a list"
        yield Problem((*keys, "speech"), words)
    if OTHERS not in speech and "anonymisers" in training:
        words = f"goes with '{OTHERS}' in the list of speech only: remove this"
        yield Problem((*keys, "anonymisers"), words)
    if OTHERS in speech and sum(not entries[name]["control"] for name in anonymisers) < 2:
        words = f"'{OTHERS}' needs two anonymisers that are no controls: add one, name those to"
        yield Problem((*keys, "speech"), f"{words} learn from, or write speech: original")
    if OTHERS in speech and OTHERS in anonymisers:
        words = f"means all but the attacked one in {'.'.join(map(str, keys))}.speech: call it"
        yield Problem(("anonymisers", OTHERS), f"{words} otherwise")


def _wrong_releases(releases, anonymisers):
    """Releases of anonymisers that are not there."""
    for name, versions in releases.items():
        for version in versions:
            words = f"there is no anonymiser '{version}'"
            yield from _if_unknown(("releases", name), words, version, anonymisers)


def _shared_speakers(corpora):
    """Corpora of made voices that have speakers in common."""
    ranges = {}
    for name, corpus in corpora.items():
        kind, options = corpus_kinds.kind_in(corpus)
        if kind.numbers_of_speakers:
            ranges[name] = kind.numbers_of_speakers(options)
    for (one, first), (other, second) in combinations(ranges.items(), 2):
        if max(first.start, second.start) < min(first.stop, second.stop):
            words = f"has speakers of '{one}' too: change first_speaker"
            yield Problem(("corpora", other, str(corpus_kinds.name_in(corpora[other]))), words)


def missing_files(config: dict[str, Any], layout: Layout) -> Iterator[Problem]:
    """Files and folders that a completed config names, and that are not there or unusable."""
    for name, options in config["attacks"].items():
        try:
            scores_given.given_scores(options["scores"])
        except BadInput as error:  # of such scores no plan can be made
            yield Problem(("attacks", name, "scores"), str(error))
            return
    plan = Plan(config, layout)
    for named, reason in named_files.unusable(plan.named).items():
        yield Problem(named.keys, f"{named.path}: {reason}{_perhaps(named)}")
    for keys, words in plan.attackers.beyond_dimensions():
        yield Problem(keys, words)
    yield from _lacking_transcripts(plan)
    yield from _wrong_averages(plan)
    yield from _wrong_extractors(plan)
    for named in dict.fromkeys(plan.named):
        if BRACE.search(named.path) and os.path.exists(named.path):
            yield Problem(named.keys, f"{named.path}: {NO_BRACES}")
    for name, files in plan.given.files.items():
        if not files:
            path = config["attacks"][name]["scores"]
            nearest = resembling(path, map(str, _deepest(path).iterdir()))
            words = f"{path}: not found (names have small letters, digits and _ only){nearest}"
            if os.path.isdir(path):
                words = f"{path}: is a folder without .../NAME_enrolls-NAME_trials_f/scores in it"
            if os.path.isfile(path):
                words = f"{path}: is one file: write {{anonymiser}} and {{condition}} into the path"
            yield Problem(("attacks", name, "scores"), words)
        for scored, path in files.items():
            taken = layout.path(
                f"scores/{scored.corpus}/{scored.trials}/{scored.anonymiser}/{name}/{GIVEN}"
            )
            if _is_taken_over(path, taken, layout.root):
                yield Problem(("attacks", name, "scores"), f"{path}: {OWN_RESULT}")


def _perhaps(named: named_files.Named) -> str:
    """A question after the neighbour that what is missing resembles, or after a model's commit."""
    if os.path.lexists(named.path):  # a broken link, a pipe
        return ""
    if named.path.startswith("~"):
        return ": write ${HOME} instead of ~"
    folder = _deepest(named.path)
    wanted, *rest = Path(named.path).relative_to(folder).parts
    names = {Path(name).stem: name for name in os.listdir(folder)}  # endings resemble each other
    for stem in difflib.get_close_matches(Path(wanted).stem, names, n=1):
        if folder.joinpath(names[stem], *rest).exists():
            return f": did you mean '{names[stem]}'?"
    is_of_hub = named.keys[-1] == "model" and rest and NAME.fullmatch(named.path)
    return "; a model of the hub needs its commit (revision:)" if is_of_hub else ""


def _deepest(path: str) -> Path:
    """The folder on the way to a path that is there."""
    return next(folder for folder in Path(path, "-").parents if os.path.isdir(folder))


def _is_taken_over(path: str, folder: str, results: str) -> bool:
    """Whether a score file lies, links followed, where this run writes."""
    file, folder, results = map(os.path.realpath, (path, folder, results))
    return file.startswith(f"{results}/") or os.path.dirname(file) == folder


def _lacking_transcripts(plan):
    """Extractors that read what is said, where nobody knows it."""
    for name in plan.attackers.extractors:
        is_of_text = plan.attackers.feature(name) in OF_TEXT
        if not is_of_text or plan.attackers.recogniser(name):
            continue
        for corpus in plan.speech.attacked:
            if reason := corpus_kinds.why_no_transcripts(plan.speech.corpora[corpus]):
                words = f"reads transcripts, and of corpus '{corpus}' {reason}"
                yield Problem(("extractors", name), words)


def _wrong_averages(plan):
    """Averages over corpora or lists that are not evaluated."""
    lists = {corpus: [*plan.speech.trial_lists(corpus)] for corpus in plan.speech.attacked}
    for attack in plan.given.attacks():
        lists.setdefault(attack.corpus, []).append(attack.trials)
    for name, weighted in plan.config["report"]["averages"].items():
        for corpus, weights in weighted.items():
            keys = ("report", "averages", name, corpus)
            words = f"there is no corpus '{corpus}' to evaluate"
            yield from _if_unknown(keys, words, corpus, lists)
            for trials in weights:
                words = f"{corpus} has no trial list '{trials}'"
                yield from _if_unknown((*keys, trials), words, trials, lists.get(corpus, weights))


def _wrong_extractors(plan):
    """Extractors that attack nothing, and trainings that cannot start where they should."""
    attackers = plan.attackers
    starts = {attackers.start_extractor(name) for name in attackers.extractors}
    for name, options in attackers.extractors.items():
        start = options.get("start")
        if start in plan.config["extractors"] and attackers.start(name) in (None, start):
            words = f"extractor '{start}' has no network that training could start from here"
            yield Problem(("extractors", options["base"], "start"), words)
        before, other = {name}, attackers.start_extractor(name)
        while other and other not in before:
            before.add(other)
            other = attackers.start_extractor(other)
        if other:
            words = f"extractor '{start}' starts from itself in the end: name another one"
            yield Problem(("extractors", options["base"], "start"), words)
        is_compared = any(attackers.applies(backend, name) for backend in attackers.backends)
        if not is_compared and name not in starts:
            words = "no back-end compares it: add one (jensen_shannon for histograms), or remove it"
            yield Problem(("extractors", options["base"]), words)


def refuse_braces(*folders: str | Path) -> None:
    """Refuse folders that Snakemake would take for wildcards: of a run, and of our own code.

    Raises
    ------
    BadInput : the name of one of them has a brace
    """
    for folder in folders:
        if BRACE.search(str(folder)):
            raise BadInput(f"{folder}: {NO_BRACES}")
