"""What a config asks for on request, and of anonymisers with two runs."""

import pytest
from support.plans import ECAPA, pictures_of

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.plan.outputs import PICTURES, TABLES
from voiceprivacy.plan.plan import Plan

CONFIG = {
    "corpora": {"demo": {"synthetic": {"speakers": 4, "utterances": 3}}},
    "anonymisers": {"b2r": {"command": "python b2r.py", "runs": 2}, "team": {"audio": "."}},
    "extractors": {"ecapa": ECAPA},
    "backends": {"cosine": {"type": "cosine"}},
}


@pytest.fixture
def plan():
    return Plan(configuration.check(CONFIG))


def test_calibration_is_assessed_and_drawn_where_there_are_two_runs(plan):
    made = {}
    for paths in (plan.outputs.metrics(), pictures_of(plan)):
        made |= dict.fromkeys(path for path in paths if "/calibration/" in path)
    of_b2r = [f"calibration/demo/{trials}/b2r/ecapa/cosine" for trials in "fm"]
    metrics = [f"results/metrics/{path}.json" for path in of_b2r]
    assert list(made) == [*metrics, *(f"results/report/figures/{path}.svg" for path in of_b2r)]


def test_every_anonymiser_is_put_in_proportion_to_the_original(plan):
    assert "normalised" in plan.outputs.families("team")
    assert "normalised" not in plan.outputs.families("original")


def test_pictures_for_papers_are_made_of_every_attack(plan):
    files = plan.outputs.papers()
    svgs = [file for file in files if file.endswith(".svg") and "/demo/" in file]
    assert len(svgs) == 2 * len(PICTURES)
    assert "results/paper/det/demo/f/ecapa/cosine.pdf" in files
    tables = [file for file in files if file.endswith(".tex")]
    assert tables == [f"results/paper/tables/{table}.tex" for table in TABLES]


@pytest.mark.parametrize("cece", [[], ["oo"], "op", ["op", "op"]])
def test_other_conditions_of_c_ece_are_refused(cece):
    with pytest.raises(BadInput, match="cece"):
        configuration.check({**CONFIG, "report": {"cece": cece}})
