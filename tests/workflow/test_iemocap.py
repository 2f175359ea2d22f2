"""A corpus that is there for utility: IEMOCAP is protected and measured, and nobody is attacked."""

import csv

import pytest
from support.runs import make_kaldi_directory, snakemake, spoken, write_config
from support.trees import iemocap

from voiceprivacy.inout import audio
from voiceprivacy.utility.emotion import DEFINITIONS, read_labels

ANONYMISERS = {
    "b2": {"command": "python {scripts}/anonymise_mcadams.py --alpha 0.8 --level corpus"},
    "wrong": {"function": "{resources}/plugins/reversed.py:anonymise"},
}
UAR = {
    "type": "emotion",
    "definition": "vpc2024",
    "labels": "IEMOCAP_full_release",
    "predictions": "heard/{corpus}_{anonymiser}.tsv",
    "corpora": ["emotions"],
}


def make_iemocap(folder):
    """IEMOCAP's folder of buzzing speakers, and what a classifier heard in each system."""
    root = folder / "IEMOCAP_full_release"

    def write(path, speaker):
        path.parent.mkdir(parents=True, exist_ok=True)
        pitch_hz = 210 if speaker.endswith("F") else 110
        audio.write(path, spoken(speaker, path.stem, pitch_hz), 16000)

    iemocap(root, sessions=(1, 2), write=write)
    true = read_labels(root, DEFINITIONS["vpc2024"]).emotions
    (folder / "heard").mkdir()
    for system in ("original", *ANONYMISERS):
        rows = ["utterance\tlabel"]
        for name, label in true.items():
            rows.append(f"{name}\t{'sad' if system == 'wrong' else label}")
        (folder / "heard" / f"emotions_{system}.tsv").write_text("\n".join(rows) + "\n")


def rows_of(folder, corpus):
    with open(folder / "results" / "metrics.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [row for row in rows if row["corpus"] == corpus]


BESIDE = "beside a corpus that is attacked"


@pytest.fixture(scope="module", params=[pytest.param(BESIDE, marks=pytest.mark.nightly), "alone"])
def finished(request, tmp_path_factory):
    """A folder with a run, and whether it attacks anybody."""
    folder = tmp_path_factory.mktemp("iemocap")
    make_iemocap(folder)
    corpora = {"emotions": {"iemocap": {"root": "IEMOCAP_full_release", "sessions": [1, 2]}}}
    if request.param != "alone":
        make_kaldi_directory(folder / "data" / "tiny")
        corpora["tiny"] = {"kaldi": "data/tiny"}
    config = write_config(
        folder,
        corpora=corpora,
        anonymisers=ANONYMISERS,
        extractors={"timing": {"timing": {}}},
        backends={"js": {"type": "jensen_shannon"}},
        utility={"uar": UAR, "quality": False},
        report={"bootstrap": 50},
    )
    completed = snakemake(folder, "--cores", "2", "--configfile", config)
    assert completed.returncode == 0, completed.stderr
    return folder, request.param != "alone"


def test_emotions_are_measured_and_nobody_is_attacked(finished):
    folder, attacks = finished
    rows = rows_of(folder, "emotions")
    assert {row["extractor"] for row in rows} == {"-"}
    uar = {row["anonymiser"]: float(row["value"]) for row in rows if row["metric"] == "uar_percent"}
    assert uar == {"original": 100, "b2": 100, "wrong": 25}
    metrics = {row["metric"] for row in rows}
    assert {"pitch_correlation", "closed_text_wer_percent"} <= metrics
    assert not (folder / "results" / "audio" / "emotions" / "enrolment").exists()
    assert not (folder / "results" / "trials" / "emotions").exists()
    speakers = {row["extractor"] for row in rows_of(folder, "tiny")} - {"-"}
    assert speakers == ({"timing"} if attacks else set())


def test_the_page_shows_the_emotions_of_a_corpus_without_attacks(finished):
    folder, _ = finished
    page = (folder / "results" / "report" / "index.html").read_text()
    assert "emotions" in page
    with open(folder / "results" / "report" / "tables" / "speech.tsv", newline="") as file:
        parts = [row for row in csv.DictReader(file, delimiter="\t") if row["corpus"] == "emotions"]
    assert [(row["part"], row["women"], row["men"]) for row in parts] == [("trial", "2", "2")]
