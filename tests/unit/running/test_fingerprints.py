"""A rule runs again exactly when a file that its script imports has changed."""

import pytest

from voiceprivacy.inout.files import SCRIPTS
from voiceprivacy.running.fingerprints import modules


def names(script):
    return {
        path.relative_to(SCRIPTS / "voiceprivacy").with_suffix("").as_posix()
        for path in modules(script)
    }


def test_modules_are_found_through_others():
    assert {
        "inout/tables",
        "inout/files",
        "inout/arrays",
        "running/command",
        "attack/backends/backends",
        "attack/backends/plda",
    } <= names("score_system")


def test_a_folder_of_modules_is_followed_through_what_it_exports():
    assert {"plan/plan", "plan/speech", "plan/attackers", "plan/sources", "plan/outputs"} <= names(
        "validate"
    )


def test_a_change_of_a_metric_never_repeats_the_expensive_work():
    expensive = ("train_extractor", "extract_embeddings", "anonymise_part", "prepare_part")
    for script in (*expensive, "score_system", "score_samples"):
        assert not any(name.startswith(("privacy/", "report/")) for name in names(script))


def test_a_change_of_a_metric_of_matrices_repeats_nothing_that_is_measured_on_scores():
    for script in ("assess_scores", "assess_calibration", "take_scores"):
        assert not any(name.startswith("privacy/matrices/") for name in names(script))


def test_what_is_imported_in_a_function_does_not_count():
    assert "report/plots/zebra" not in names("assess_zebra")


SHARED = ("inout", "running")
ROOMS = sorted(path.parent.name for path in (SCRIPTS / "voiceprivacy").glob("*/__init__.py"))
OF_SEVERAL_ROOMS = ("tools",)
# Models of the hub are loaded in one place, whether they are asked who speaks or what is said.
LENT = {"utility": ("attack/__init__", "attack/extractors/")}


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in OF_SEVERAL_ROOMS])
def test_a_room_imports_no_other_room(room):
    allowed = (*(f"{name}/" for name in (room, *SHARED)), *LENT.get(room, ()))
    for path in (SCRIPTS / "voiceprivacy" / room).rglob("*.py"):
        imported = names(path.relative_to(SCRIPTS).with_suffix("").as_posix())
        of_rooms = {name for name in imported if "/" in name}
        assert {name for name in of_rooms if not name.startswith(allowed)} == set(), path
