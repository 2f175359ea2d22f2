"""What no schema sees in a completed config: entries that contradict each other."""

from itertools import combinations, product

from voiceprivacy.configuration.completion import controls
from voiceprivacy.configuration.explanations import Problem, did_you_mean


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
                yield from _wrong_training((section, name, field, "corpus"), entry[field]["corpus"], corpora)
    for name, entry in config["backends"].items():
        for extractor in entry.get("extractors", ()):
            if extractor not in config["extractors"]:
                yield Problem(("backends", name, "extractors"), f"'{extractor}' is not an extractor of this config")
    yield from _wrong_averages(config["report"]["averages"], corpora)
    yield from _shared_speakers(corpora)


def _taken_names(config):
    """Anonymisers that have a control's name, attacks that have an extractor's."""
    if config["report"]["controls"]:
        for name, control in controls().items():
            entry = config["anonymisers"][name]
            if any(entry.get(kind) != control.get(kind) for kind in ("command", "function", "audio")):
                yield Problem(("anonymisers", name), "is the name of a control (report.controls): take another name")
    for name in config["attacks"]:
        if name in config["extractors"]:
            yield Problem(("attacks", name), "is the name of an extractor too: take another name")


def _shared_speakers(corpora):
    ranges = {name: _speaker_range(entry["synthetic"]) for name, entry in corpora.items() if "synthetic" in entry}
    for (one, first), (other, second) in combinations(ranges.items(), 2):
        if max(first.start, second.start) < min(first.stop, second.stop):
            yield Problem(("corpora", other, "synthetic"), f"has speakers of '{one}' too: change first_speaker")


def _wrong_options(place, entry):
    seconds = entry.get("segments", {}).get("seconds")
    if isinstance(seconds, list) and seconds[0] > seconds[1]:
        yield Problem((*place, "segments", "seconds"), "the shortest piece comes first")
    lists = entry.get("protocol", {}).get("enrol_trial", {}).get("lists", [])
    if "vctk" not in entry and any(name.endswith("_common") for name in lists):
        yield Problem((*place, "protocol", "enrol_trial", "lists"), "only vctk has lists of common sentences")


def _wrong_averages(averages, corpora):
    for name, of in averages.items():
        for corpus, weights in of.items():
            place = ("report", "averages", name, corpus)
            if corpora.get(corpus, {}).get("use") != "evaluation":
                yield Problem(place, f"there is no corpus '{corpus}' to evaluate{did_you_mean(corpus, corpora)}")
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
