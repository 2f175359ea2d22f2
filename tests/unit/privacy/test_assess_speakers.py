"""The table of single speakers: what is written, and how bad input ends."""

import csv

import pytest
from support.calls import STRICT, call, flags

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import SCORES, Utterance, write_manifest, write_table
from voiceprivacy.privacy.matrices.assessment import write_speakers

CELLS = [
    (name, row, column, 0.9 if row == column and name == "oo" else 0.5)
    for name in ("oo", "op", "pp")
    for row in "ab"
    for column in "ab"
]


@pytest.fixture
def folder(tmp_path):
    utterances = [
        Utterance(f"{speaker}{index}", speaker, "f", tmp_path / "x.wav", 1.0)
        for speaker in "ab"
        for index in (1, 2)
    ]
    write_manifest(tmp_path / "m.tsv", utterances)
    rows = [
        (
            enrolment,
            utterance.utterance,
            "target" if enrolment == utterance.speaker else "nontarget",
            score,
        )
        for enrolment in "ab"
        for utterance, score in zip(utterances, (3.0, 1.0, 2.0, 0.0), strict=True)
    ]
    write_table(tmp_path / "op.tsv", SCORES, rows)
    write_table(
        tmp_path / "c.tsv", ["matrix", "row_speaker", "column_speaker", "similarity"], CELLS
    )
    return tmp_path


def write(folder, **changes):
    paths = {"scores": "op.tsv", "manifest": "m.tsv", "cells": "c.tsv"} | changes
    write_speakers(
        folder / "t.tsv",
        {"op": folder / paths["scores"]},
        manifest=folder / paths["manifest"],
        cells=folder / paths["cells"],
    )


def test_every_speaker_gets_a_line_with_his_trials(folder, capsys):
    write(folder)
    with open(folder / "t.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [
        (row["label"], row["speaker"], row["n_target"], row["n_nontarget"]) for row in rows
    ] == [
        ("op", "a", "2", "2"),
        ("op", "b", "2", "2"),
    ]
    assert {float(row["deid_percent"]) for row in rows} == {100.0}
    assert "op: most at risk: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": "none.tsv"}, "none.tsv: not found"),
        ({"manifest": "short.tsv"}, "op.tsv: trial 'b1' is not in the manifest"),
        ({"cells": "pp.tsv"}, "pp.tsv: has no matrix 'oo'"),
    ],
)
def test_bad_input_is_one_line(folder, change, message):
    lines = (folder / "m.tsv").read_text().splitlines()
    (folder / "short.tsv").write_text("\n".join(lines[:3]) + "\n")
    write_table(
        folder / "pp.tsv", ["matrix", "row_speaker", "column_speaker", "similarity"], [CELLS[-1]]
    )
    with pytest.raises(BadInput) as error:
        write(folder, **change)
    assert message in str(error.value) and str(error.value).count("\n") == 0
    assert not (folder / "t.tsv").exists()


def test_labels_and_templates_go_together(folder):
    files = flags(
        manifest=folder / "m.tsv", similarity="s", cells="c", zoo="z", speakers="t", ranks="r"
    )
    words = ["--pairs", *"abc", "--scores", *"abc", "--templates", "x", "--label", "op", "pp"]
    done = call("assess_matrices", *files, *words, python=STRICT)
    assert done.returncode == 2, done.stderr
    assert "2 labels for 1 input;" in done.stderr and done.stderr.count("\n") == 1
