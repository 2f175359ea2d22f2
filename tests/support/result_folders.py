"""A small folder of results, as a run leaves it."""

import itertools

import numpy as np

from support import verdicts
from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import FINDINGS, write_table
from voiceprivacy.report.described_corpora import DescribedList, PartOfCorpus
from voiceprivacy.report.listen import Clip, Example, write_examples
from voiceprivacy.report.measured import Utility
from voiceprivacy.report.metrics import Number, write_metrics

LISTS = ("f", "m")
CONDITIONS = {"original": ["oo"], "b2": ["op", "pp"]}
EER = {"oo": 2.0, "op": 30.0, "pp": 10.0}

FULL_PROVENANCE = {
    "format": 2,
    "git_commit": "0123abc",
    "git_state": "clean",
    "created": "2026-11-22",
    "python": "3.11.7",
    "platform": "Linux-6.8-x86_64",
    "hardware": {"processor": "a", "cores": 2, "memory_gb": 4, "gpus": ["b"]},
    "revisions": {"ecapa": "0f99f2d"},
    "seeds": {"seed": 1},
    "sha256": {"results/trials/demo/f.tsv": "ab12"},
    "jobs": {"plot": {"jobs": 1, "wall_s": 1.0, "cpu_s": 1.0, "peak_memory_mb": 5}},
}


def write_state(folder, *, percent=50.0, state="open", speakers="s", config=None, version="1"):
    """What is compared of b2 on two lists: numbers, intervals, verdict, evidence, config."""
    numbers = []
    for trials, (anonymiser, conditions) in itertools.product(LISTS, CONDITIONS.items()):
        system = ("demo", trials, anonymiser, "ecapa", "cosine")
        numbers += _numbers(system, conditions)
        stem = folder / "metrics" / "verification" / "/".join(system)
        eer = {name: {"value": EER[name], "n_speakers": 10} for name in conditions}
        values = {name: {"eer_percent": value} for name, value in eer.items()}
        write_json(stem.with_suffix(".intervals.json"), values)
        draws = np.random.default_rng(0).normal(scale=2, size=200)
        replicates = {f"{name}/eer_percent": EER[name] + draws for name in conditions}
        write_npz(stem.with_suffix(".bootstrap.npz"), replicates)
    measured = ("pitch", "pitch_correlation", "0.75", "0.5", "0.875", "4", "0", "2", "higher")
    utility = [Utility("demo", trials, "b2", *measured) for trials in ("-", *LISTS)]
    write_table(folder / "metrics" / "utility" / "demo.tsv", Utility._fields, utility)
    numbers += [measure.metric_line for measure in utility]
    write_metrics(folder / "metrics.tsv", sorted(numbers))
    judged = verdicts.set_of({"b2": verdicts.system(state, percent)})
    write_json(folder / "verdict.json", verdicts.verdict({"demo": judged}))
    without_each = [[percent + part] * 2 for part in (-1.0, 0.0, 0.0, 1.0)]
    kept = {"speakers": speakers, "percent": [percent] * 2, "without_each": without_each}
    kept["right_percent"] = percent + 8
    write_json(folder / "evidence.json", {"demo/f": {"b2": kept}})
    ran = {"corpora": {"demo": {"synthetic": {}}}, "anonymisers": {"b2": {"audio": "b2"}}}
    ran |= {"report": {"averages": {}}, "seed": 0} | (config or {})
    provenance = {"version": version, "packages": {"numpy": "2"}, "sha256": {}, "config": ran}
    write_json(folder / "provenance.json", provenance)
    return folder


def _numbers(system, conditions):
    for condition in conditions:
        numbers = {"n_target": 4, "n_nontarget": 4, "tag": "C"}
        columns = [column for column in COLUMNS if condition in column.conditions]
        numbers |= {column.name: 0.5 for column in columns if not column.optional}
        for name, value in (numbers | {"eer_percent": EER[condition], "cllr_bit": 1.0}).items():
            limits = ("1.0", "40.0") if name == "eer_percent" else ()
            yield Number(*system, condition, name, str(value), *limits)


def write_what_else_a_page_shows(folder):
    """Tables of the corpus, findings of the check, and clips of an utterance."""
    tables = folder / "report" / "tables"
    parts = [("demo", "trial", 2, 2, 0, 8, 0.5, "-")]
    write_table(tables / "speech.tsv", PartOfCorpus._fields, parts)
    lists = [("demo", trials, 2, 0, 0, 4, 4, 4) for trials in LISTS]
    write_table(tables / "trials.tsv", DescribedList._fields, lists)
    findings = [("unusual", "trials.tsv", "3", "said of b2", "-")]
    write_table(folder / "checks" / "demo.tsv", FINDINGS, findings)
    names = ("original", "b2")
    clips = [Clip(name, f"data:audio/mpeg,{name}", "data:image/webp,") for name in names]
    example = Example("demo", "f", "u1", "anna", "f", False, clips)
    write_examples(folder / "report" / "listen" / "demo.json", [example])
