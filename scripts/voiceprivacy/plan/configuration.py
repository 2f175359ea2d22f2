"""What no schema sees in a completed config: entries that contradict each other."""

import os
from itertools import combinations, product

from voiceprivacy.inout.files import BadInput, ours
from voiceprivacy.plan.attackers import recipe_file
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
from voiceprivacy.plan.given import given_scores
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import environment_file


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


# Files and folders that a config names.


def missing_files(config):
    """Those of a completed config that are not there: yields Problem."""
    for place, path in dict.fromkeys(_named_files(Plan(config))):
        if not os.path.exists(path):
            yield Problem(place, f"{path}: not found")
    for name, entry in config["attacks"].items():
        if not given_scores(entry["scores"]):
            yield Problem(("attacks", name, "scores"), f"{entry['scores']}: not found")


def _named_files(plan):
    kinds = {
        "corpora": _of_corpus,
        "anonymisers": _of_anonymiser,
        "extractors": _of_extractor,
        "attacks": _of_attack,
    }
    for section in (*kinds, "utility"):
        for name, entry in plan.config[section].items():
            files = kinds[section](plan, name, entry) if section in kinds else ()
            yield from (((section, name, *place), ours(path)) for place, path in files)
            yield from (((section, name, "inputs"), ours(path)) for path in entry.get("inputs", ()))
            if "env" in entry:
                yield (section, name, "env"), environment_file(entry["env"])
    if "expected" in plan.config:
        yield ("expected",), ours(plan.config["expected"])
    if "tags" in plan.config["report"]:
        yield ("report", "tags"), ours(plan.config["report"]["tags"])


def _of_anonymiser(plan, name, entry):
    if "function" in entry:
        yield ("function",), entry["function"].rpartition(":")[0]
    if "audio" in entry:
        for corpus, part in _attacked_parts(plan):
            yield from (
                (("audio",), folder)
                for folder in plan.speech.anonymiser_call(name, corpus, part)["audio"]
            )


def _of_extractor(plan, name, entry):
    if "model" in entry and "revision" not in entry:
        yield ("model",), entry["model"]
    if "encoder" in entry.get("units", {}):
        yield ("units", "encoder"), entry["units"]["encoder"]
    if "dictionary" in entry.get("style", {}):
        yield ("style", "dictionary"), entry["style"]["dictionary"]
    if "recipe" in entry:
        yield ("recipe",), recipe_file(entry["recipe"])
    if entry.get("start", name) not in plan.config["extractors"]:
        yield ("start",), entry["start"]
    if "embeddings" in entry:
        for system, (corpus, part) in product(
            ("original", *plan.speech.anonymisers), _attacked_parts(plan)
        ):
            yield ("embeddings",), plan.attackers.ready(name, corpus, part, system)


def _of_attack(plan, name, entry):
    for attack in plan.given.attacks():
        for field in ("key", "speakers"):
            if field in entry and attack.extractor == name:
                yield (
                    (field,),
                    entry[field]
                    .replace("{corpus}", attack.corpus)
                    .replace("{trials}", attack.trials),
                )


def _attacked_parts(plan):
    """(corpus, part) of the speech that is attacked."""
    return [
        (corpus, part)
        for corpus in {of.corpus: None for of in plan.attackers.attacks()}
        for part in ("enrolment", "trial")
    ]


def _of_corpus(plan, name, entry):
    for kind in ("librispeech", "vctk", "folder"):
        if kind in entry and not entry[kind].get("download"):
            root = entry[kind]["root"]
            yield (kind, "root"), root
            for subset in entry[kind].get("subsets", []) if os.path.exists(root) else []:
                yield (kind, "subsets"), f"{root}/{subset}"
    for key in ("speakers", "list"):
        if key in entry.get("folder", {}):
            yield ("folder", key), entry["folder"][key]
    kaldi = entry.get("kaldi", {})
    kaldi = kaldi if isinstance(kaldi, dict) else {"directory": kaldi}
    directories = [
        kaldi[key] for key in ("root", "directory", "enrolment") if key in kaldi
    ] + kaldi.get("trial", [])
    given = entry.get("protocol", {}).get("given", {}).values()
    directories += [of["directory"] if isinstance(of, dict) else of for of in given]
    yield from ((("kaldi",), directory) for directory in dict.fromkeys(directories))


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
