"""The ignorant, lazy-informed and semi-informed attacker on real speech, if there is any."""

import statistics

import pytest
import yaml
from support import needs
from support.runs import ROOT, WITHOUT_MEASURES, finish, rows

from voiceprivacy.vocabulary import RESOURCES

pytestmark = [pytest.mark.nightly, needs.data("VOICEPRIVACY_SPEECH")]


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attackers")
    config = yaml.safe_load((ROOT / "config" / "attackers.yaml").read_text())
    config["extractors"]["semi"]["recipe"] = "recipe.yaml"
    recipe = (RESOURCES / "recipes" / "ecapa_small_tune.yaml").read_text(encoding="utf-8")
    shorter = recipe.replace("number_of_epochs: 10\n", "number_of_epochs: 4\n")
    assert shorter != recipe, "four of ten epochs must be enough"
    (folder / "recipe.yaml").write_text(shorter)
    config["report"] = {"bootstrap": 200, "inference": False}
    config["utility"] = WITHOUT_MEASURES
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    finish(folder, "results/metrics.tsv")
    return rows(folder / "results" / "metrics.tsv")


def mean(metrics, name, anonymiser, extractor, condition, column="value"):
    """Mean over the lists of a number, or of a limit of its interval."""
    wanted = (name, anonymiser, extractor, condition)
    names = ("metric", "anonymiser", "extractor", "condition")
    values = [row[column] for row in metrics if tuple(row[name] for name in names) == wanted]
    assert len(values) == 2
    return statistics.mean(map(float, values))


@pytest.mark.parametrize("anonymiser", ["b2", "b2r"])
def test_the_semi_informed_attack_is_as_strong_as_the_better_of_the_others_within_its_interval(
    metrics, anonymiser
):
    ignorant = mean(metrics, "eer_percent", anonymiser, "ecapa_small", "op")
    lazy = mean(metrics, "eer_percent", anonymiser, "ecapa_small", "pp")
    semi = f"semi_on_{anonymiser}"
    assert mean(metrics, "eer_percent", anonymiser, semi, "pp", "ci_low") <= min(ignorant, lazy)
    assert mean(metrics, "eer_percent", anonymiser, semi, "pp") < ignorant / 2
    assert mean(metrics, "dece_bit", anonymiser, semi, "pp") > 0
