"""Rankings of a repository: the same trials and attackers for all, and a reason for the others."""

import shutil

import pytest
from support import runs
from support.exchange import PROTOCOL, write_repository, write_result, write_system

from voiceprivacy.organise import ranked_systems
from voiceprivacy.organise.ranked_systems import ALONE, NO_SCORES, Attacked, Place, ranking
from voiceprivacy.organise.records import read_repository
from voiceprivacy.organise.site import write_site
from voiceprivacy.privacy.uncertainty.ranking import Measured, Rank
from voiceprivacy.privacy.verdict.trials import NotMeasured

WOMEN, MEN = Attacked("f", "ecapa@1", "op"), Attacked("m", "ecapa@1", "op")
OTHER = Attacked("f", "wavlm@1", "op")


@pytest.fixture
def measured(monkeypatch):
    """A system's evidence is the number that stands for its scores; 0 is not measured."""

    def measured(attacks):
        (value,) = set(attacks.values())
        if not value:
            raise NotMeasured("equal_scores")
        return Measured([value, value], {})

    monkeypatch.setattr(ranked_systems, "_measured", measured)


def test_systems_are_compared_by_the_attacks_that_compare_the_most(measured):
    both = {WOMEN: 2.0, MEN: 2.0}
    systems = {
        "b": both,
        "a": both | {OTHER: 2.0},
        "nothing": {},
        "women": {WOMEN: 1.0},
        "wavlm": {OTHER: 1.0, MEN: 1.0},
        "equal": dict.fromkeys(both, 0.0),
    }
    ranked = ranking(systems)
    assert ranked.places == [Place(name, 2.0, Rank(1, 1, 2)) for name in "ab"]
    assert ranked.protocols == ["f", "m"]
    assert ranked.unranked["nothing"] == NO_SCORES
    assert ranked.unranked["women"].endswith("on m")
    assert ranked.unranked["wavlm"].endswith("by ecapa@1 under OP on f")
    assert ranked.unranked["equal"] == "all scores are equal"
    assert ranked == ranking(dict(reversed(systems.items())))
    assert ranking({"a": both, "equal": systems["equal"]}).unranked["a"] == ALONE


def test_pages_show_the_group_before_the_number_and_why_a_system_has_none(tmp_path):
    folder = write_repository(tmp_path / "board")
    for name in ("z", "claimed"):
        write_system(folder, name)
    write_result(folder, "z", "two", laboratory="Laboratory A", strength=1.0)
    write_result(folder, "claimed", "one", laboratory="A", strength=1.0, tier="A")
    write_site(read_repository(folder), tmp_path / "site")
    lacking = f"no counted result with scores by one@1 under OP on {PROTOCOL}"
    for name in ("index", f"protocols/{PROTOCOL}"):
        page = (tmp_path / "site" / f"{name}.html").read_text()
        parts = ("Group 1 of 1", "1 to 2", "systems/y.html", lacking)
        assert sorted(parts, key=page.index) == [*parts]
    ranked = {row["system"]: (row["group"], row["rank_high"]) for row in board_of(tmp_path)}
    assert ranked == {"x": ("1", "2"), "y": ("1", "2"), "z": ("-", "-"), "claimed": ("-", "-")}
    shutil.rmtree(tmp_path / "site")
    (folder / "protocols" / f"{PROTOCOL}.trials.gz").unlink()  # scores of no list are not ranked
    write_site(read_repository(folder), tmp_path / "site")
    assert "Group 1" not in (tmp_path / "site" / "index.html").read_text()


def board_of(folder):
    return runs.rows(folder / "site" / "board.tsv")
