"""The table of speakers on the page: both tables in one, those who give away most first, and what does not fit."""

import pytest

from voiceprivacy.files import BadInput
from voiceprivacy.report.speakers import EXPOSURES, PAGE, ZOO, page_rows


@pytest.fixture
def tables(tmp_path):
    """Three speakers under oo and op; c has no target trial."""
    exposures, zoo = ["\t".join(EXPOSURES)], ["\t".join(ZOO)]
    for label in ("oo", "op"):
        for speaker, bits in (("a", "0.1"), ("b", "0.4"), ("c", "undefined")):
            exposures.append(f"{label}\t{speaker}\t5\t20\t{bits}\t1.2\t-")
            zoo.append(f"{label}\t{speaker}\t9\t36\t1.5\t-0.5\tdove\t0.01\tdove\tsheep")
    (tmp_path / "exposures.tsv").write_text("\n".join(exposures) + "\n")
    (tmp_path / "zoo.tsv").write_text("\n".join(zoo) + "\n")
    return tmp_path / "exposures.tsv", tmp_path / "zoo.tsv"


def test_who_gives_away_most_comes_first_and_unprotected_speech_not_at_all(tables):
    rows = page_rows(*tables)
    assert [(row["condition"], row["speaker"], row["dece_bit"]) for row in rows] == [
        ("op", "b", 0.4),
        ("op", "a", 0.1),
        ("op", "c", None),
    ]
    assert list(rows[0]) == PAGE
    assert (rows[0]["n_target"], rows[0]["mean_target_llr"], rows[0]["animal"]) == (5, 1.5, "dove")
    assert rows[0]["deid_percent"] is None


def test_tables_of_other_speakers_are_refused(tables):
    exposures, zoo = tables
    zoo.write_text("\n".join(zoo.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(BadInput, match=r"zoo\.tsv: holds other speakers than"):
        page_rows(exposures, zoo)
