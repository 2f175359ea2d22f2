"""Exported results of two laboratories are compared on the list that both have."""

import shutil

import pytest
from support.calls import here, succeeds
from support.exchange import PROTOCOL, write_repository, write_result

from voiceprivacy.organise import ranked_systems
from voiceprivacy.organise.recomputed import read_scored
from voiceprivacy.privacy.uncertainty.ranking import Measured


@pytest.fixture(scope="module")
def laboratories(tmp_path_factory):
    """Folders of A and B, who calls the list otherwise."""
    first = write_repository(tmp_path_factory.mktemp("laboratories") / "a")
    second = shutil.copytree(first, first.with_name("b"))
    write_result(second, "x", "one", laboratory="Laboratory B", strength=2.0)
    for path in [*second.rglob(f"{PROTOCOL}*")]:
        path.rename(path.with_name(path.name.replace(PROTOCOL, "women")))
    for path in second.glob("results/*/*/*/*.json"):
        path.write_text(path.read_text().replace(f'"{PROTOCOL}"', '"women"'))
    return first, second


@pytest.fixture
def measured(monkeypatch):
    """Evidence as the mean score of persons, so that no attacker has to learn."""

    def measured(attacks):
        ((_, scored),) = attacks.items()
        listed = ranked_systems.read_listed(scored.lists)
        mean = sum(read_scored(scored.scores, listed, scored.lists)["op"].values())
        return Measured([mean, mean], {})

    monkeypatch.setattr(ranked_systems, "_measured", measured)


def test_two_laboratories_are_compared_by_one_command(laboratories, measured):
    lines = succeeds("compare", *laboratories).splitlines()
    systems = {line.split(maxsplit=5)[-1] for line in lines if "1 to 3" in line}
    assert systems == {f"x 2026, Laboratory {name}" for name in "AB"} | {"y 2026, Laboratory B"}
    assert succeeds("compare", *laboratories).replace(PROTOCOL, "women") == succeeds(
        "compare", *reversed(laboratories)
    )


def test_what_one_laboratory_measured_twice_are_two_systems(laboratories, measured, tmp_path):
    again = shutil.copytree(laboratories[0], tmp_path / "again")
    write_result(again, "x", "one", laboratory="Laboratory A", strength=2.0)
    said = succeeds("compare", laboratories[0], again)
    assert f"x 2026, Laboratory A, {again}" in said and "1 to 3" in said


def test_other_lists_and_a_single_result_are_not_compared(laboratories, tmp_path):
    first, second = laboratories
    other = shutil.copytree(second, tmp_path / "other")
    (lists,) = other.glob("protocols/*.trials.gz")
    lists.unlink()
    assert "no list in common" in here("compare", first, other).stderr
    assert "evidence.json" in here("compare", first, tmp_path).stderr  # as for two runs
    alone = shutil.copytree(first, tmp_path / "alone")
    shutil.rmtree(alone / "results" / "y")
    for path in alone.rglob("two@1*"):
        path.unlink()
    assert "nothing can be compared" in here("compare", alone, alone).stderr
