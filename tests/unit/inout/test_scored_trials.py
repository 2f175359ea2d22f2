"""Tables of scores are read in blocks, and nothing depends on where one ends."""

import numpy as np
import pytest

from voiceprivacy.inout import files
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.scored_trials import read_scored_trials

HEADER = "enrolment\ttrial\tlabel\tscore"
ROWS = [f"e{n % 3}\tt{n}\t{'target' if n % 4 else 'nontarget'}\t{np.sin(n)!s}" for n in range(40)]


@pytest.fixture(params=[1, 37, 100, 10**6])
def write(request, tmp_path, monkeypatch):
    """Write lines that are read in blocks of so many bytes."""
    monkeypatch.setattr(files, "BLOCK_OF_BYTES", request.param)

    def write(*lines, end="\n"):
        path = tmp_path / "s.tsv"
        path.write_bytes(end.join([*lines, ""]).encode())
        return path

    return write


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_give_what_the_whole_file_gives(write, end):
    scored = read_scored_trials(write(HEADER, *ROWS[:7], "", *ROWS[7:], end=end))
    fields = [row.split("\t") for row in ROWS]
    targets = [row for row in fields if row[2] == "target"]
    nontargets = [row for row in fields if row[2] == "nontarget"]
    assert scored.n_targets == len(targets)
    for index, (enrolment, trial, label, score) in enumerate([*targets, *nontargets]):
        assert scored.named(index) == (enrolment, trial, label)
        assert scored.scores[index] == float(score)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("e0\tt0\tnontarget\t1", "trial 'e0 t0' occurs twice"),
        ("e0\tx\ttarget", "expected 4 columns, found 3"),
        ("e0\tx\tno\t1", "label 'no' is neither target nor nontarget"),
        ("e0\tx\ttarget\t1e999", "'1e999' is not a number"),
        ("e0\tx\ttarget\t--1", "'--1' is not a number"),
        ("e0\tx\ttarget\t", "'' is not a number"),
        ("e0\tx \ttarget\t1", "'x ' has a space at its beginning or end"),
        ("e0\tx\0\ttarget\t1", r"not text \(it holds a NUL byte\)"),
        ("e0\tx\ufeff\ttarget\t1", "a byte-order mark inside the text"),
    ],
)
def test_a_wrong_line_is_named_by_its_number_in_the_file(write, line, message):
    """There is an empty line before it."""
    with pytest.raises(BadInput, match=rf"s\.tsv:33: {message}"):
        read_scored_trials(write(HEADER, *ROWS[:20], "", *ROWS[20:30], line, *ROWS[30:]))


def test_infinite_scores_and_other_spellings_are_numbers(write):
    lines = ["a\tx\ttarget\tinf", "a\ty\tnontarget\t-inf", "b\tx\tnontarget\t1E5"]
    assert read_scored_trials(write(HEADER, *lines)).scores.tolist() == [np.inf, -np.inf, 1e5]
