"""Files and folders that a config names."""

import os
from pathlib import Path

from voiceprivacy.configuration.explanations import Problem
from voiceprivacy.files import ours
from voiceprivacy.plan import given_scores


def missing_files(config):
    """Those of a completed config that are not there: yields Problem."""
    for place, path in _named_files(config):
        if not os.path.exists(path):
            yield Problem(place, f"{path}: not found")
    if "expected" in config and not os.path.exists(ours(config["expected"])):
        yield Problem(("expected",), f"{ours(config['expected'])}: not found")
    if "tags" in config["report"] and not Path(ours(config["report"]["tags"])).exists():
        yield Problem(("report", "tags"), f"{ours(config['report']['tags'])}: not found")
    for name, entry in config["attacks"].items():
        if not given_scores(entry["scores"]):
            yield Problem(("attacks", name, "scores"), f"{entry['scores']}: not found")


def _named_files(config):
    for name, entry in config["corpora"].items():
        yield from ((("corpora", name, *place), path) for place, path in _files_of_corpus(entry))
    for name, entry in config["anonymisers"].items():
        if "function" in entry:
            yield ("anonymisers", name, "function"), ours(entry["function"].rpartition(":")[0])
        for path in entry["inputs"]:
            yield ("anonymisers", name, "inputs"), ours(path)
    for name, entry in config["utility"].items():
        for path in entry["inputs"]:
            yield ("utility", name, "inputs"), ours(path)
    for name, entry in config["extractors"].items():
        if "model" in entry and "revision" not in entry:
            yield ("extractors", name, "model"), ours(entry["model"])
        if "encoder" in entry.get("units", {}):
            yield ("extractors", name, "units", "encoder"), ours(entry["units"]["encoder"])
        if entry.get("start", name) not in config["extractors"]:
            yield ("extractors", name, "start"), ours(entry["start"])
        for path in entry["inputs"]:
            yield ("extractors", name, "inputs"), ours(path)


def _files_of_corpus(entry):
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
