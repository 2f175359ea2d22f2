"""All pictures and tables for papers on a tiny run, on request: snakemake paper."""

import pytest
from support.runs import B2, finish, rows, write_config


@pytest.mark.nightly
def test_the_target_paper_makes_every_picture_and_table(run_folder):
    write_config(
        run_folder,
        anonymisers={"b2": {"command": B2}},
        extractors={"random": {"model": "model"}, "pitch": {"f0": {}}},
        backends={"cosine": {"type": "cosine"}, "js": {"type": "jensen_shannon"}},
        report={"bootstrap": 0},
    )
    finish(run_folder, "paper")
    paper = run_folder / "results" / "paper"
    of_all = ("all_matrices/random/cosine", "all_profiles/random/cosine", "features/tiny/pitch")
    for layout in of_all:
        assert (paper / f"{layout}.pdf").stat().st_size > 1000
    pictures = ("ece", "bayes_error", "normalised_bayes_error", "det", "roc", "tippett", "scores")
    for picture in (*pictures, "llrs", "calibration"):
        assert (paper / f"{picture}/tiny/all/random/cosine.pdf").stat().st_size > 500
    for table in ("challenge", "2", "3", "4"):
        assert rows(paper / "tables" / f"{table}.tsv")
