"""A small folder of results, as a run leaves it."""

import itertools

import numpy as np

from support import verdicts
from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.inout.tables import FINDINGS, Trial, write_table, write_trials
from voiceprivacy.report.listen import Clip, Example, write_examples
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.report.sections import DescribedList, PartOfCorpus, Utility

LISTS = {"f": ("anna", "berta"), "m": ("carl", "david")}
CONDITIONS = {"original": ["oo"], "b2": ["op", "pp"], "mine": ["op", "pp"]}
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


def write_results(
    folder,
    *,
    anonymisers=("b2",),
    eer=EER,
    lists=LISTS,
    n_target=4,
    seed=0,
    version="1",
    attackers=(("ecapa", "cosine"),),
    corpora=("demo",),
    averages=None,
):
    """Write metrics, intervals, replicates, lists, scores and provenance, alike for all corpora."""
    metrics = []
    for corpus, (extractor, backend), trials in itertools.product(corpora, attackers, lists):
        for anonymiser in ("original", *anonymisers):
            system = (corpus, trials, anonymiser, extractor, backend)
            metrics += _numbers(system, eer=eer, n_target=n_target)
            _write_replicates(folder, system, eer=eer, seed=seed)
            _write_scores(folder, system, lists[trials])
    utility = [_pitch(*key) for key in itertools.product(corpora, ("-", *lists), anonymisers)]
    write_table(folder / "metrics" / "utility" / f"{corpora[0]}.tsv", Utility._fields, utility)
    draws = np.random.default_rng(seed).normal(scale=0.1, size=200)
    replicates = {f"pitch_correlation/{name}": 0.75 + draws for name in anonymisers}
    write_npz(folder / "metrics" / "utility" / f"{corpora[0]}.bootstrap.npz", replicates)
    write_metrics(
        folder / "metrics.tsv", sorted(metrics + [measure.metric_line for measure in utility])
    )
    config = {
        "corpora": {name: {"synthetic": {}} for name in corpora},
        "anonymisers": {name: {"audio": name} for name in anonymisers},
        "report": {"averages": averages or {}},
        "seed": seed,
    }
    provenance = {"version": version, "packages": {"numpy": "2"}, "sha256": {}, "config": config}
    write_json(folder / "provenance.json", provenance)
    return folder


def write_state(folder, *, percent=50.0, state="open", speakers="s", config=None, **changed):
    """A folder with what is compared: b2 on one list, its evidence and state, and config."""
    write_results(folder, **changed)
    judged = verdicts.set_of({"b2": verdicts.system(state, percent)})
    write_json(folder / "verdict.json", verdicts.verdict({"demo": judged}))
    without_each = [[percent + part] * 2 for part in (-1.0, 0.0, 0.0, 1.0)]
    kept = {"speakers": speakers, "percent": [percent] * 2, "without_each": without_each}
    write_json(folder / "evidence.json", {"demo/f": {"b2": kept}})
    record = read_json(folder / "provenance.json")
    record["config"] |= config or {}
    write_json(folder / "provenance.json", record)
    return folder


def _numbers(system, *, eer, n_target):
    for condition in CONDITIONS[system[2]]:
        numbers = {"n_target": n_target, "n_nontarget": 4, "tag": "C"}
        numbers |= {
            column.name: 0.5
            for column in COLUMNS
            if condition in column.conditions and not column.optional
        }
        for name, value in (numbers | {"eer_percent": eer[condition], "cllr_bit": 1.0}).items():
            limits = ("1.0", "40.0") if name == "eer_percent" else ()
            yield Number(*system, condition, name, str(value), *limits)


def _pitch(corpus, trials, anonymiser):
    measured = ("pitch", "pitch_correlation", "0.75", "0.5", "0.875", "4", "0", "2", "higher")
    return Utility(corpus, trials, anonymiser, *measured)


def _write_replicates(folder, system, *, eer, seed):
    _, trials, anonymiser, _, backend = system
    stem = folder / "metrics" / "verification" / "/".join(system[:-1])
    draws = np.random.default_rng([seed, len(trials)]).normal(scale=2, size=200)
    values = {
        condition: {"eer_percent": {"value": eer[condition], "n_speakers": 10}}
        for condition in CONDITIONS[anonymiser]
    }
    write_json(stem / f"{backend}.intervals.json", values)
    rates = {condition: {"eer_percent": eer[condition]} for condition in values}
    write_json(stem / f"{backend}.json", rates)
    replicates = {f"{condition}/eer_percent": eer[condition] + draws for condition in values}
    write_npz(stem / f"{backend}.bootstrap.npz", replicates)


def _write_scores(folder, system, speakers):
    pairs = [
        Trial(speaker, f"{other}-{number}", "target" if speaker == other else "nontarget")
        for speaker in speakers
        for other in speakers
        for number in (1, 2)
    ]
    corpus, trials, anonymiser, *_ = system
    write_trials(folder / "trials" / corpus / f"{trials}.tsv", pairs)
    for condition in CONDITIONS[anonymiser]:
        path = folder / "scores" / "/".join(system) / f"{condition}.tsv"
        write_scores(path, pairs, np.linspace(-1, 1, len(pairs)))


def write_what_else_a_page_shows(folder, *, anonymiser="b2", utterance="u1"):
    """Tables of the corpus, findings of the check, and clips of an utterance."""
    tables = folder / "report" / "tables"
    write_table(
        tables / "speech.tsv", PartOfCorpus._fields, [("demo", "trial", 2, 2, 0, 8, 0.5, "-")]
    )
    lists = [("demo", trials, 2, 0, 0, 4, 4, 4) for trials in LISTS]
    write_table(tables / "trials.tsv", DescribedList._fields, lists)
    findings = [("unusual", "trials.tsv", "3", f"said of {anonymiser}", "-")]
    write_table(folder / "checks" / "demo.tsv", FINDINGS, findings)
    clips = [
        Clip(name, f"data:audio/mpeg,{name}", "data:image/webp,")
        for name in ("original", anonymiser)
    ]
    example = Example("demo", "f", utterance, "anna", "f", False, clips)
    write_examples(folder / "report" / "listen" / "demo.json", [example])
