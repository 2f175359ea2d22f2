"""The command assess_speakers and the zoo of assess_similarity: what they write and how bad input ends."""

import csv

import pytest
from support.calls import STRICT, call, flags

from voiceprivacy.inout.tables import SCORES, Utterance, write_manifest, write_table

CELLS = [
    (name, row, column, 0.9 if row == column and name == "oo" else 0.5)
    for name in ("oo", "op", "pp")
    for row in "ab"
    for column in "ab"
]


def run(*arguments, code=0):
    result = call("assess_speakers", *arguments, python=STRICT)
    assert result.returncode == code, result.stderr
    return result.stdout, result.stderr


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


def words_of(folder):
    files = {"scores": folder / "op.tsv", "manifest": folder / "m.tsv", "table": folder / "t.tsv"}
    return flags(label="op", **files)


def test_every_speaker_gets_a_line_with_his_trials(folder):
    output, _ = run(*words_of(folder), "--similarity", folder / "c.tsv")
    with open(folder / "t.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [
        (row["label"], row["speaker"], row["n_target"], row["n_nontarget"]) for row in rows
    ] == [
        ("op", "a", "2", "2"),
        ("op", "b", "2", "2"),
    ]
    assert {float(row["deid_percent"]) for row in rows} == {100.0}
    assert "op: most at risk: " in output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--scores", "{folder}/none.tsv"], "none.tsv: not found"),
        (["--manifest", "{folder}/short.tsv"], "op.tsv: trial 'b1' is not in the manifest"),
        (["--similarity", "{folder}/pp.tsv"], "pp.tsv: has no matrix 'oo'"),
        (["--label", "op", "pp"], "2 labels for 1 input;"),
    ],
)
def test_bad_input_is_one_line(folder, change, message):
    lines = (folder / "m.tsv").read_text().splitlines()
    (folder / "short.tsv").write_text("\n".join(lines[:3]) + "\n")
    write_table(
        folder / "pp.tsv", ["matrix", "row_speaker", "column_speaker", "similarity"], [CELLS[-1]]
    )
    _, errors = run(*words_of(folder), *[word.format(folder=folder) for word in change], code=2)
    assert message in errors and errors.count("\n") == 1
    assert not (folder / "t.tsv").exists()
