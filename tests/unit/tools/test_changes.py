"""What the end of a run says of the run before, and `voiceprivacy compare` of two folders."""

from support.calls import here
from support.result_folders import write_state

from voiceprivacy.report.terminal import WIDTH
from voiceprivacy.tools.changes import change_lines, since_last_run

STATES = "not protected -> inconclusive"


def test_a_changed_system_has_a_line_and_so_have_config_and_code(tmp_path):
    one, other = [{"anonymisers": {"b2": {"options": {"gain": gain}}}} for gain in (1, 0.5)]
    old = write_state(tmp_path / "old", config=one)
    changed = {"percent": 20.4, "state": "unclear", "version": "2"}
    new = write_state(tmp_path / "new", config=other, **changed)
    lines = change_lines(old, new)
    assert lines == [
        "    right of 20  singling out  difference",
        f"b2  58 -> 28     50 -> 20      -30 [-30, -30]  less than before; {STATES}",
        "Config    anonymisers.b2.options.gain 1 -> 0.5",
        "Code      voiceprivacy",
    ]
    assert max(map(len, lines)) <= WIDTH


def test_of_equal_evidence_one_sees_what_was_edited_and_of_equal_states_nothing(tmp_path):
    """The measure of utility is told where it has changed."""
    old = write_state(tmp_path / "old")
    new = write_state(tmp_path / "new", config={"seed": 7, "corpora": {}})
    assert since_last_run(old, old) == []
    empty, title, *lines = since_last_run(old, new)
    assert empty == "" and title.startswith("Since the last run")
    same = "The evidence is exactly what it was."
    assert lines == [same, "Config    corpora.demo and seed 0 -> 7"]
    other = write_state(tmp_path / "other", percent=50.2)
    text = (other / "metrics.tsv").read_text()
    (other / "metrics.tsv").write_text(text.replace("0.75", "0.65"))
    assert change_lines(old, other)[1].endswith("pitch correlation 0.75 -> 0.65")


def test_other_speakers_or_recordings_and_a_missing_file_are_one_line(tmp_path):
    write_state(tmp_path / "old"), write_state(tmp_path / "new", speakers="others")
    why = "no list has the same speakers and recordings, and enough of them"
    assert since_last_run(tmp_path / "old", tmp_path / "new")[2:] == [f"Not compared: {why}."]
    for said in (why, "new/evidence.json: not found"):
        finished = here("compare", "old", "new", cwd=tmp_path)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert finished.stderr.startswith(f"error: {said}") and finished.stderr.count("\n") == 1
        (tmp_path / "new" / "evidence.json").unlink(missing_ok=True)
