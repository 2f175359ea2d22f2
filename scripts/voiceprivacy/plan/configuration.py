"""Whether a config can be run: values, entries that contradict each other, missing files."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import sources
from voiceprivacy.plan.completion import (
    Place,
    Problem,
    complete,
    controls,
    did_you_mean,
    expand,
    with_controls,
    with_protocols,
    wrong_entries,
)
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import ANONYMISER_KINDS


def check(config: dict[str, Any]) -> dict[str, Any]:
    """Check a config and complete it.

    Returns
    -------
    dict : a copy with ${NAME} replaced and every default filled in

    Raises
    ------
    BadInput : the first problem; ``problems`` gives all of them
    """
    for problem in problems(config):
        raise BadInput(problem.what if problem.what.endswith(": not found") else str(problem))
    return complete(expand(config))


def problems(config: dict[str, Any]) -> list[Problem]:
    """Everything that is wrong with a config.

    These are variables, keys and values; if all of them are right, contradictions and missing
    files.
    """
    wrong = wrong_entries(with_controls(with_protocols(config)))
    if wrong:
        return wrong
    config = complete(expand(config))
    return [*contradictions(config), *missing_files(config)]


def usable_corpora(config: dict[str, Any], wrong: list[Problem]) -> dict[str, dict]:
    """The corpora of a config, completed, that have none of the problems."""
    places = {problem.place[:2] for problem in wrong}
    corpora = complete(config).get("corpora", {})
    if not isinstance(corpora, dict) or ("corpora",) in places:
        return {}
    usable = {name: corpora[name] for name in corpora if ("corpora", name) not in places}
    return expand(usable)


# What no schema sees in a completed config: entries that contradict each other.


def contradictions(config: dict[str, Any]) -> Iterator[Problem]:
    """All contradictions of a completed config."""
    yield from _taken_names(config)
    for name, corpus in config["corpora"].items():
        yield from _wrong_options(("corpora", name), corpus)
    for section in ("extractors", "backends"):
        for field in ("train", "units"):
            yield from _wrong_training(config, section, field)
    for name, backend in config["backends"].items():
        for extractor in backend.get("extractors", ()):
            if extractor not in config["extractors"]:
                words = f"'{extractor}' is not an extractor of this config"
                yield Problem(("backends", name, "extractors"), words)
    yield from _wrong_averages(config["report"]["averages"], config["corpora"])
    yield from _shared_speakers(config["corpora"])


def _taken_names(config):
    """Anonymisers that have a control's name, attacks that have an extractor's."""
    if config["report"]["controls"]:
        for name, control in controls().items():
            options = config["anonymisers"][name]
            if any(options.get(kind) != control.get(kind) for kind in ANONYMISER_KINDS):
                words = "is the name of a control (report.controls): take another name"
                yield Problem(("anonymisers", name), words)
    for name in config["attacks"]:
        if name in config["extractors"]:
            yield Problem(("attacks", name), "is the name of an extractor too: take another name")


def _wrong_options(keys: Place, corpus: dict[str, Any]) -> Iterator[Problem]:
    if corpus["use"] == "evaluation" and "protocol" not in corpus:
        words = "needs a protocol that names its trial lists, such as given: {f: DIR, m: DIR}"
        yield Problem(keys, words)
    seconds = corpus.get("segments", {}).get("seconds")
    if isinstance(seconds, list) and seconds[0] > seconds[1]:
        yield Problem((*keys, "segments", "seconds"), "the shortest piece comes first")
    lists = corpus.get("protocol", {}).get("enrol_trial", {}).get("lists", [])
    if "vctk" not in corpus and any(name.endswith("_common") for name in lists):
        words = "only vctk has lists of common sentences"
        yield Problem((*keys, "protocol", "enrol_trial", "lists"), words)


def _wrong_training(config, section, field):
    """Corpora for training that are not there, or not for training."""
    corpora = config["corpora"]
    for name, options in config[section].items():
        if field not in options:
            continue
        keys, corpus = (section, name, field, "corpus"), options[field]["corpus"]
        if corpus not in corpora:
            question = did_you_mean(corpus, corpora)
            yield Problem(keys, f"there is no corpus '{corpus}'{question}")
        elif corpora[corpus]["use"] != "train":
            yield Problem(keys, f"corpus '{corpus}' is not for training: give it 'use: train'")


def _wrong_averages(averages, corpora):
    """Averages over corpora or lists that are not there."""
    for name, weighted in averages.items():
        for corpus, weights in weighted.items():
            keys = ("report", "averages", name, corpus)
            if corpora.get(corpus, {}).get("use") != "evaluation":
                question = did_you_mean(corpus, corpora)
                yield Problem(keys, f"there is no corpus '{corpus}' to evaluate{question}")
                continue
            (options,) = corpora[corpus].get("protocol", {None: {}}).values()
            lists = options.get("lists", list(options))
            for trials in weights:
                if trials not in lists:
                    question = did_you_mean(trials, lists)
                    words = f"{corpus} has no trial list '{trials}'{question}"
                    yield Problem((*keys, trials), words)


def _shared_speakers(corpora):
    """Synthetic corpora that have speakers in common."""
    ranges = {}
    for name, corpus in corpora.items():
        if "synthetic" in corpus:
            start = corpus["synthetic"]["first_speaker"]
            ranges[name] = range(start, start + corpus["synthetic"]["speakers"])
    for (one, first), (other, second) in combinations(ranges.items(), 2):
        if max(first.start, second.start) < min(first.stop, second.stop):
            words = f"has speakers of '{one}' too: change first_speaker"
            yield Problem(("corpora", other, "synthetic"), words)


def missing_files(config: dict[str, Any]) -> Iterator[Problem]:
    """Files and folders that a completed config names and that are not there."""
    plan = Plan(config)
    for named in sources.missing(plan.named):
        yield Problem(named.place, f"{named.path}: not found")
    for name, files in plan.given.files.items():
        if not files:
            path = config["attacks"][name]["scores"]
            yield Problem(("attacks", name, "scores"), f"{path}: not found")
