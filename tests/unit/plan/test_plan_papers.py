"""What a config asks for on request, and of anonymisers with two runs."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.plan.outputs import PICTURES, TABLES
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import planned

CONFIG = {
    "corpora": {"demo": {"synthetic": {"speakers": 4, "utterances": 3}}},
    "anonymisers": {"b2r": {"command": "python b2r.py", "runs": 2}, "team": {"audio": "."}},
    "extractors": {"ecapa": {"model": "speechbrain/ecapa", "revision": "0123456789"}},
    "backends": {"cosine": {"type": "cosine"}},
}


def pictures_of(plan):
    """The SVGs of the figures of a run."""
    return [figure.pictures()["svg"] for figure in planned(plan)]


@pytest.fixture
def plan():
    return Plan(configuration.check(CONFIG))


def test_calibration_is_assessed_and_drawn_where_there_are_two_runs(plan):
    calibration = [path for path in plan.outputs.metrics() if "/calibration/" in path]
    assert calibration == [
        f"results/metrics/calibration/demo/{trials}/b2r/ecapa/cosine.json" for trials in "fm"
    ]
    figures = [path for path in pictures_of(plan) if "/calibration/" in path]
    assert figures == [
        f"results/report/figures/calibration/demo/{trials}/b2r/ecapa/cosine.svg" for trials in "fm"
    ]


def test_every_anonymiser_is_put_in_proportion_to_the_original(plan):
    assert "normalised" in plan.outputs.families("team")
    assert "normalised" not in plan.outputs.families("original")


def test_pictures_for_papers_are_made_of_every_attack(plan):
    pictures, tables = plan.outputs.papers()
    assert len(pictures) == 2 * len(PICTURES)
    assert "results/paper/det/demo/f/ecapa/cosine" in pictures
    assert tables == [f"results/paper/tables/{table}" for table in TABLES]


@pytest.mark.parametrize("cece", [["op"], ["pp"], ["op", "pp"]])
def test_c_ece_is_measured_under_the_conditions_of_the_config(cece):
    assert configuration.check({**CONFIG, "report": {"cece": cece}})["report"]["cece"] == cece


def test_c_ece_is_measured_under_op_if_nothing_is_said(plan):
    assert plan.config["report"]["cece"] == ["op"]


@pytest.mark.parametrize("cece", [[], ["oo"], "op", ["op", "op"]])
def test_other_conditions_of_c_ece_are_refused(cece):
    with pytest.raises(BadInput, match="cece"):
        configuration.check({**CONFIG, "report": {"cece": cece}})
