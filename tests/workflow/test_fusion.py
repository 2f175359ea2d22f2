"""Attackers whose scores are fused, in a small run: from held-out speakers to the verdict."""

import json

import pytest
from support.runs import WITHOUT_MEASURES, snakemake, write_config

from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.inout.tables import read_manifest

PARTS = ["pitch/js", "sounds/js"]
SYNTHETIC = {"speakers": 8, "utterances": 4}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Histograms of pitch and of sounds, fused without and with knowledge of the anonymiser."""
    folder = tmp_path_factory.mktemp("fusion")
    train = {"corpus": "train"}
    config = write_config(
        folder,
        corpora={
            "tiny": {
                "synthetic": SYNTHETIC,
                "protocol": {"enrol_trial": {"enrolment_utterances": 1, "lists": ["mixed"]}},
            },
            "train": {
                "synthetic": {"speakers": 12, "utterances": 3, "first_speaker": 8},
                "use": "train",
            },
        },
        anonymisers={"b2": {"command": "python {scripts}/anonymise_mcadams.py --alpha 0.8"}},
        extractors={"pitch": {"f0": {}}, "sounds": {"units": train}},
        backends={
            "js": {"type": "jensen_shannon"},
            "plain": {"type": "fusion", "of": PARTS, "train": train},
            "told": {"type": "fusion", "of": PARTS, "train": train | {"speech": "anonymised"}},
        },
        utility=WITHOUT_MEASURES,
        report={"bootstrap": 20, "listen": 0},
    )
    words = ("--cores", "2", "--configfile", config)
    finished = snakemake(folder, *words)
    assert finished.returncode == 0, finished.stderr
    return folder / "results"


def test_nobody_trains_both_a_fusion_and_its_attackers(run):
    folder = run / "audio" / "train" / "train" / "original"
    speakers = {
        name: {utterance.speaker for utterance in read_manifest(folder / f"{name}.tsv")}
        for name in ("manifest", "learners", "held_out")
    }
    assert len(speakers["held_out"]) == 6
    assert not speakers["learners"] & speakers["held_out"]
    assert speakers["learners"] | speakers["held_out"] == speakers["manifest"]


def test_fused_scores_are_the_weighted_sum_of_the_parts(run):
    learnt = json.loads((run / "fusions" / "told_on_b2.json").read_text())
    assert learnt["parts"] == PARTS
    assert learnt["conditions"].keys() == {"oo", "op", "pp"}
    folder = run / "scores" / "tiny" / "mixed" / "b2"
    for condition in ("op", "pp", "rr"):
        weights = learnt["conditions"]["pp" if condition == "rr" else condition]
        fused, *parts = (
            read_scored_trials(folder / attacker / f"{condition}.tsv").by_names()
            for attacker in ("fused/told_on_b2", *PARTS)
        )
        for trial, score in fused.items():
            expected = weights["offset"]
            for weight, part in zip(weights["weights"], parts, strict=True):
                expected += weight * part[trial]
            assert score == pytest.approx(expected, abs=1e-9)


def test_the_verdict_counts_fusions_by_what_they_know(run):
    verdict = json.loads((run / "verdict.json").read_text())
    (one,) = verdict["sets"].values()
    attackers = {attack["attacker"] for attack in one["attacks"]}
    assert {"fused/plain", "fused/told_on_b2"} <= attackers
    assert "semi_informed" not in one["not_tried"]


def test_the_page_shows_fused_attackers_and_no_matrices_of_them(run):
    assert "fused + plain" in (run / "report" / "index.html").read_text()
    assert (run / "report" / "figures" / "law" / "tiny" / "mixed" / "fused" / "plain.svg").exists()
    assert not (run / "metrics" / "similarity" / "tiny" / "mixed" / "b2" / "fused").exists()
