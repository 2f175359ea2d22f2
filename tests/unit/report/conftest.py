"""A made-up run as the assess_ commands write it: a corpus, two lists, two anonymisers."""

import itertools

import pytest

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.metrics import collect

EER_PERCENT = {  # under each condition, of the trials of women and of men
    "original": {"oo": (2.0, 1.0)},
    "b2": {"op": (20.0, 24.0), "pp": (6.0, 7.0)},
    "b2r": {"op": (26.0, 25.0), "pp": (9.25, 10.25)},
}


def files(anonymiser, trials):
    """{family: what its metrics file holds} of a system."""
    at = "fm".index(trials)
    ranks = {"mean_disclosure_bit": 1.5, "model_mean_disclosure_bit": 1.25, "n_templates": 12}
    zebra = {"dece_bit": 0.25, "worst_case_log10": (2.5, 1.5)[at], "tag": "CB"[at]}
    verification = {"cllr_bit": 1.25, "cllr_min_bit": 0.5, "n_nontarget": 900}
    families = {"verification": {}, "zebra": {}, "ranks": {}}
    for condition, eer in EER_PERCENT[anonymiser].items():
        known = {"eer_percent": eer[at], "n_target": 100}
        families["verification"][condition] = verification | known
        families["zebra"][condition] = zebra | {"n_target": 100}
        families["ranks"][condition] = ranks | {"identification_rate_percent": 40.0}
    if anonymiser != "original":
        diagonals = {"oo": {"ddiag": 0.4}, "op": {"ddiag": 0.2}, "pp": {"ddiag": 0.3}}
        families["similarity"] = {"deid_percent": 50.0, "gvd_db": -1.25, **diagonals}
    return families


def write_run(folder):
    paths = []
    for trials, anonymiser in itertools.product("fm", EER_PERCENT):
        for family, content in files(anonymiser, trials).items():
            paths.append(folder / family / f"demo/{trials}/{anonymiser}/xvector/cosine.json")
            write_json(paths[-1], content)
    return paths


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "metrics"


@pytest.fixture
def paths(folder):
    return write_run(folder)


@pytest.fixture(scope="session")
def metrics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    return collect(write_run(folder), folder=folder)


@pytest.fixture(scope="session")
def systems(metrics):
    return compare(metrics)
