"""Files and folders that a config names."""

import os
from itertools import product

from voiceprivacy.configuration.explanations import Problem
from voiceprivacy.files import ours
from voiceprivacy.plan import Plan, environment_file, given_scores, recipe_file


def missing_files(config):
    """Those of a completed config that are not there: yields Problem."""
    for place, path in dict.fromkeys(_named_files(Plan(config))):
        if not os.path.exists(path):
            yield Problem(place, f"{path}: not found")
    for name, entry in config["attacks"].items():
        if not given_scores(entry["scores"]):
            yield Problem(("attacks", name, "scores"), f"{entry['scores']}: not found")


def _named_files(plan):
    kinds = {"corpora": _of_corpus, "anonymisers": _of_anonymiser, "extractors": _of_extractor, "attacks": _of_attack}
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
            yield from ((("audio",), folder) for folder in plan.anonymiser_call(name, corpus, part)["audio"])


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
        for system, (corpus, part) in product(("original", *plan.anonymisers), _attacked_parts(plan)):
            yield ("embeddings",), plan.ready(name, corpus, part, system)


def _of_attack(plan, name, entry):
    for attack in plan.given_attacks():
        for field in ("key", "speakers"):
            if field in entry and attack.extractor == name:
                yield (field,), entry[field].replace("{corpus}", attack.corpus).replace("{trials}", attack.trials)


def _attacked_parts(plan):
    """(corpus, part) of the speech that is attacked."""
    return [(corpus, part) for corpus in {of.corpus: None for of in plan.attacks()} for part in ("enrolment", "trial")]


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
    directories = [kaldi[key] for key in ("root", "directory", "enrolment") if key in kaldi] + kaldi.get("trial", [])
    given = entry.get("protocol", {}).get("given", {}).values()
    directories += [of["directory"] if isinstance(of, dict) else of for of in given]
    yield from ((("kaldi",), directory) for directory in dict.fromkeys(directories))
