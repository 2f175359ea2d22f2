"""All pictures and tables for papers on a tiny run, on request: snakemake paper."""

import csv

import pytest
from support.runs import snakemake, write_config

B2 = "python {scripts}/anonymise_mcadams.py --alpha 0.8 --level corpus"


@pytest.mark.nightly
def test_the_target_paper_makes_every_picture_and_table(run_folder):
    config = write_config(
        run_folder,
        anonymisers={"b2": {"command": B2}},
        extractors={"random": {"model": "model"}, "pitch": {"f0": {}}},
        backends={"cosine": {"type": "cosine"}, "js": {"type": "jensen_shannon"}},
        report={"bootstrap": 0},
    )
    finished = snakemake(run_folder, "paper", "--cores", "2", "--configfile", config)
    assert finished.returncode == 0, finished.stderr
    paper = run_folder / "results" / "paper"
    for layout in (
        "all_matrices/random/cosine",
        "all_profiles/random/cosine",
        "features/tiny/pitch",
    ):
        assert (paper / f"{layout}.pdf").stat().st_size > 1000
    pictures = (
        "ece",
        "bayes_error",
        "normalised_bayes_error",
        "det",
        "roc",
        "tippett",
        "scores",
        "llrs",
        "calibration",
    )
    for picture in pictures:
        assert (paper / f"{picture}/tiny/all/random/cosine.pdf").stat().st_size > 500
    for table in ("challenge", "2", "3", "4"):
        with open(paper / "tables" / f"{table}.tsv", newline="") as file:
            assert list(csv.DictReader(file, delimiter="\t"))
