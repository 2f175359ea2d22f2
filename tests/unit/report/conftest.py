"""A made-up run: metrics files as the assess_ commands write them, for one corpus, two lists, two
anonymisers.
"""

import itertools

import pytest

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.metrics import collect

EER_PERCENT = {
    ("original", "oo"): {"f": 2.0, "m": 1.0},
    ("b2", "op"): {"f": 20.0, "m": 24.0},
    ("b2", "pp"): {"f": 6.0, "m": 7.0},
    ("b2r", "op"): {"f": 26.0, "m": 25.0},
    ("b2r", "pp"): {"f": 9.25, "m": 10.25},
}
CONDITIONS = {"original": ["oo"], "b2": ["op", "pp"], "b2r": ["op", "pp"]}


def verification(anonymiser, trials):
    numbers = {"cllr_bit": 1.25, "cllr_min_bit": 0.5, "n_target": 100, "n_nontarget": 900}
    return {
        condition: {"eer_percent": EER_PERCENT[anonymiser, condition][trials], **numbers}
        for condition in CONDITIONS[anonymiser]
    }


def zebra(anonymiser, trials):
    numbers = {"dece_bit": 0.25, "worst_case_log10": {"f": 2.5, "m": 1.5}[trials], "n_target": 100}
    numbers["tag"] = {"f": "C", "m": "B"}[trials]
    return dict.fromkeys(CONDITIONS[anonymiser], numbers)


def similarity(anonymiser, trials):
    diagonals = {"oo": {"ddiag": 0.4}, "op": {"ddiag": 0.2}, "pp": {"ddiag": 0.3}}
    return {"deid_percent": 50.0, "gvd_db": -1.25, **diagonals}


def ranks(anonymiser, trials):
    numbers = {"mean_disclosure_bit": 1.5, "model_mean_disclosure_bit": 1.25}
    numbers |= {"identification_rate_percent": 40.0, "n_templates": 12}
    return dict.fromkeys(CONDITIONS[anonymiser], numbers)


FAMILIES = (verification, zebra, similarity, ranks)


def write_run(folder, *, corpora=("demo",), attackers=(("xvector", "cosine"),)):
    """Write every metrics file of the run below ``folder``; the paths."""
    paths = []
    places = itertools.product(FAMILIES, corpora, ("f", "m"), CONDITIONS, attackers)
    for family, corpus, trials, anonymiser, (extractor, backend) in places:
        if family is not similarity or anonymiser != "original":
            system = f"{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"
            path = folder / family.__name__ / f"{system}.json"
            write_json(path, family(anonymiser, trials))
            paths.append(path)
    return paths


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "metrics"


@pytest.fixture
def paths(folder):
    return write_run(folder)


@pytest.fixture
def metrics(paths, folder):
    return collect(paths, folder=folder)


@pytest.fixture(scope="session")
def metrics_of_two_attackers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    attackers = [("xvector", "cosine"), ("xvector", "plda")]
    return collect(write_run(folder, attackers=attackers), folder=folder)


@pytest.fixture
def systems(metrics):
    return compare(metrics)
