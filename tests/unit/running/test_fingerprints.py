"""A rule runs again exactly when a file that its script imports has changed."""

import re

import pytest

from voiceprivacy.inout.placeholders import ours, wherever_ours_lie
from voiceprivacy.running import fingerprints
from voiceprivacy.running.fingerprints import code, code_alone, modules
from voiceprivacy.vocabulary import RESOURCES, SCRIPTS

RULES = sorted((SCRIPTS.parent / "workflow" / "rules").glob("*.smk"))


def names(script):
    package = SCRIPTS / "voiceprivacy"
    return {str(path.relative_to(package).with_suffix("")) for path in modules(script)}


def test_modules_are_found_through_others_and_what_folders_export():
    scoring = {"inout/tables", "running/command", "attack/backends/backends"}
    assert scoring <= names("score_system")
    assert {"plan/plan", "plan/speech", "plan/sources", "plan/outputs"} <= names("validate")
    assert "report/plots/evidence" not in names("assess_zebra")


def test_a_change_of_a_metric_repeats_neither_expensive_work_nor_other_metrics():
    expensive = ("train_extractor", "extract_embeddings", "anonymise_part", "prepare_part")
    for script in (*expensive, "score_system", "score_samples"):
        assert not any(name.startswith(("privacy/", "report/")) for name in names(script))
    for script in ("assess_scores", "assess_calibration", "take_scores"):
        assert not any(name.startswith("privacy/matrices/") for name in names(script))


@pytest.fixture
def edited(monkeypatch):
    """A function that says fingerprints as if one file held something else."""

    def after(path, fingerprint):
        digest = fingerprints._digest
        monkeypatch.setattr(
            fingerprints, "_digest", lambda file: "other" if file == path else digest(file)
        )
        changed = fingerprint()
        monkeypatch.undo()
        return changed

    return after


@pytest.mark.parametrize(
    ("path", "counts", "counts_alone"),
    [
        ("voiceprivacy/jobs/fetch_model.py", True, True),
        ("voiceprivacy/inout/files.py", True, False),
        ("voiceprivacy/privacy/scores/zebra.py", False, False),
    ],
)
def test_a_script_counts_with_what_it_imports_or_alone(edited, path, counts, counts_alone):
    after = edited(SCRIPTS / path, lambda: code("fetch_model"))
    assert (after != code("fetch_model")) == counts
    after = edited(SCRIPTS / path, lambda: code_alone("fetch_model"))
    assert (after != code_alone("fetch_model")) == counts_alone


def test_a_file_of_ours_that_a_script_reads_counts_where_it_is_named(edited):
    table = RESOURCES / "published_counts.tsv"
    named = code("compare_published", files=[table])
    assert named != code("compare_published")
    assert edited(table, lambda: code("compare_published", files=[table])) != named


@pytest.mark.parametrize("text", ["{resources}/ecapa_small", "python {scripts}/x.py", "mine"])
def test_a_parameter_says_the_same_wherever_our_folders_lie(text):
    """Snakemake compares representations of parameters."""
    assert repr(ours(text)) == repr(text)
    assert wherever_ours_lie(ours(text)) == text
    assert f"{ours('{scripts}')}" == str(SCRIPTS)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_file_of_ours_is_an_input_of_a_rule(path):
    """Its path would count, too."""
    for block in re.findall(r"^    input:\n((?:        .*\n)+)", path.read_text(), re.MULTILINE):
        assert not re.search("SCRIPTS|RESOURCES|PAGE|ours", block), block


SHARED = ("catalogue", "inout", "running", "models")
ROOMS = sorted(path.parent.name for path in (SCRIPTS / "voiceprivacy").glob("*/__init__.py"))
OF_SEVERAL_ROOMS = ("jobs", "tools", "organise")


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in OF_SEVERAL_ROOMS])
def test_a_room_imports_no_other_room(room):
    allowed = tuple(f"{name}/" for name in (room, *SHARED))
    for path in (SCRIPTS / "voiceprivacy" / room).rglob("*.py"):
        imported = names(path.relative_to(SCRIPTS).with_suffix("").as_posix())
        of_rooms = {name for name in imported if "/" in name}
        assert {name for name in of_rooms if not name.startswith(allowed)} == set(), path
