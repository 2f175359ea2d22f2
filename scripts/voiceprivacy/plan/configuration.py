"""What no schema sees in a completed config: entries that contradict each other."""

from itertools import combinations, product

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import sources
from voiceprivacy.plan.completion import (
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


def contradictions(config):
    """All contradictions of a completed config: yields Problem."""
    corpora = config["corpora"]
    yield from _taken_names(config)
    for name, entry in corpora.items():
        if entry["use"] == "evaluation" and "protocol" not in entry:
            needed = "needs a protocol that names its trial lists, such as given: {f: DIR, m: DIR}"
            yield Problem(("corpora", name), needed)
        yield from _wrong_options(("corpora", name), entry)
    for section, field in product(("extractors", "backends"), ("train", "units")):
        for name, entry in config[section].items():
            if field in entry:
                yield from _wrong_training(
                    (section, name, field, "corpus"), entry[field]["corpus"], corpora
                )
    for name, entry in config["backends"].items():
        for extractor in entry.get("extractors", ()):
            if extractor not in config["extractors"]:
                yield Problem(
                    ("backends", name, "extractors"),
                    f"'{extractor}' is not an extractor of this config",
                )
    yield from _wrong_averages(config["report"]["averages"], corpora)
    yield from _shared_speakers(corpora)


def _taken_names(config):
    """Anonymisers that have a control's name, attacks that have an extractor's."""
    if config["report"]["controls"]:
        for name, control in controls().items():
            entry = config["anonymisers"][name]
            if any(
                entry.get(kind) != control.get(kind) for kind in ("command", "function", "audio")
            ):
                yield Problem(
                    ("anonymisers", name),
                    "is the name of a control (report.controls): take another name",
                )
    for name in config["attacks"]:
        if name in config["extractors"]:
            yield Problem(("attacks", name), "is the name of an extractor too: take another name")


def _shared_speakers(corpora):
    ranges = {
        name: _speaker_range(entry["synthetic"])
        for name, entry in corpora.items()
        if "synthetic" in entry
    }
    for (one, first), (other, second) in combinations(ranges.items(), 2):
        if max(first.start, second.start) < min(first.stop, second.stop):
            yield Problem(
                ("corpora", other, "synthetic"),
                f"has speakers of '{one}' too: change first_speaker",
            )


def _wrong_options(place, entry):
    seconds = entry.get("segments", {}).get("seconds")
    if isinstance(seconds, list) and seconds[0] > seconds[1]:
        yield Problem((*place, "segments", "seconds"), "the shortest piece comes first")
    lists = entry.get("protocol", {}).get("enrol_trial", {}).get("lists", [])
    if "vctk" not in entry and any(name.endswith("_common") for name in lists):
        yield Problem(
            (*place, "protocol", "enrol_trial", "lists"), "only vctk has lists of common sentences"
        )


def _wrong_averages(averages, corpora):
    for name, of in averages.items():
        for corpus, weights in of.items():
            place = ("report", "averages", name, corpus)
            if corpora.get(corpus, {}).get("use") != "evaluation":
                yield Problem(
                    place,
                    f"there is no corpus '{corpus}' to evaluate{did_you_mean(corpus, corpora)}",
                )
                continue
            (options,) = corpora[corpus].get("protocol", {None: {}}).values()
            lists = options.get("lists", list(options))
            for trials in weights:
                if trials not in lists:
                    wrong = f"{corpus} has no trial list '{trials}'{did_you_mean(trials, lists)}"
                    yield Problem((*place, trials), wrong)


def _wrong_training(place, name, corpora):
    if name not in corpora:
        yield Problem(place, f"there is no corpus '{name}'{did_you_mean(name, corpora)}")
    elif corpora[name]["use"] != "train":
        yield Problem(place, f"corpus '{name}' is not for training: give it 'use: train'")


def _speaker_range(synthetic):
    return range(synthetic["first_speaker"], synthetic["first_speaker"] + synthetic["speakers"])


def missing_files(config):
    """Those files and folders that a completed config names and are not there: yields Problem."""
    plan = Plan(config)
    for named in sources.missing(plan.named):
        yield Problem(named.place, f"{named.path}: not found")
    for name, files in plan.given.files.items():
        if not files:
            path = config["attacks"][name]["scores"]
            yield Problem(("attacks", name, "scores"), f"{path}: not found")


# The config of a run: read, checked against workflow/schemas/config.schema.yaml, defaults filled in.
#
# Defaults live in the schema. Two depend on other keys and are set here: a corpus that is evaluated without a protocol
# has enrol_trial, and one Kaldi directory the list ``all`` of its own trials file; ``report: {controls: true}`` adds the
# anonymisers of workflow/resources/controls.yaml.


def check(config):
    """Check a config and complete it.

    Parameters
    ----------
    config : dict

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


def problems(config):
    """Everything that is wrong with a config: variables, keys and values; or else contradictions and missing files.

    Returns
    -------
    list of Problem
    """
    found = wrong_entries(with_controls(with_protocols(config)))
    if found:
        return found
    config = complete(expand(config))
    return [*contradictions(config), *missing_files(config)]
