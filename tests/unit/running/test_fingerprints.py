"""A rule runs again exactly when a file that its script imports has changed."""

import re

import pytest

from voiceprivacy.inout.files import RESOURCES, SCRIPTS, ours, wherever_ours_lie
from voiceprivacy.running import fingerprints
from voiceprivacy.running.fingerprints import code, code_alone, modules
from voiceprivacy.tools.commands import COMMANDS, ORGANISERS

RULES = sorted((SCRIPTS.parent / "workflow" / "rules").glob("*.smk"))


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
    assert "report/plots/evidence" not in names("assess_zebra")


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


def test_no_run_needs_what_organisers_have():
    """Only their commands import it; tests/workflow/test_changes.py makes a run without it.

    After a run, vpc writes the challenge's files.
    """
    theirs = {"vpc", *(row.job for row in COMMANDS.values() if row.group == ORGANISERS)}
    paths = [*SCRIPTS.rglob("*.py"), *SCRIPTS.parent.glob("workflow/**/*.smk")]
    for path in [path for path in paths if path.parent.name != "organise"]:
        if path.parent.name != "jobs" or path.stem not in theirs:
            assert not re.search(r"voiceprivacy(\.| import )organise", path.read_text()), path
