"""The rounds of an evening: a new state is one more round, and the rounds are compared."""

import datetime

import pytest
from support.calls import here
from support.result_folders import write_state

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.inputs import guarding_inputs
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.report.terminal import WIDTH
from voiceprivacy.tools import history, rounds
from voiceprivacy.vocabulary import COMPARED, DASH


def finish(folder, *, hour=20, **state):
    """A finished run in a folder; all rounds if this is a new one."""
    write_state(folder, **state)
    *files, provenance = COMPARED
    described = read_json(folder / provenance)
    outputs = {name: sha256_of(folder / name) for name in files}
    write_json(folder / provenance, described | {"outputs": outputs})
    when = datetime.datetime(2026, 11, 29, hour, 5, tzinfo=datetime.UTC)
    with guarding_inputs():
        return rounds.keep_round(folder, now=when)


def gain(value):
    return {"anonymisers": {"b2": {"options": {"gain": value}}}}


def test_a_new_state_is_a_round_and_the_same_one_is_none(tmp_path):
    [first] = finish(tmp_path)
    assert (first.round, first.system, first.state, first.evidence_percent) == (1, "b2", "open", 50)
    table = (tmp_path / rounds.TABLE).read_bytes()
    assert finish(tmp_path, hour=21) == [], "nothing has changed but the time"
    assert (tmp_path / rounds.TABLE).read_bytes() == table
    assert [line.round for line in finish(tmp_path, config=gain(2))] == [1, 2]
    assert [line.round for line in finish(tmp_path, config=gain(2), version="2")] == [1, 2, 3]
    assert [line.round for line in finish(tmp_path, config=gain(2))][-1] == 4, "an edit undone"
    assert not {"b2-", "speaker"} & {*(tmp_path / "history" / "1.npz").read_bytes().split()}


def test_of_a_run_that_is_not_whole_nothing_is_kept(tmp_path):
    finish(tmp_path)
    (tmp_path / "metrics.tsv").write_text("cut off")
    later = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
    assert rounds.keep_round(tmp_path, now=later) == []
    assert len(rounds.read_rounds(tmp_path)) == 1


def test_rounds_are_compared_with_the_last_and_with_the_best_before(tmp_path):
    for percent, config in ((50.0, 1), (20.0, 2), (35.0, 3)):
        finish(tmp_path, percent=percent, config=gain(config))
    [system] = history.histories(tmp_path, rounds.read_rounds(tmp_path))
    assert system.name == "b2" and len(system.titles) == len(system.rows[0]) == 7
    since = [tuple(row[4:6]) for row in system.rows]
    assert since[0] == ("", "")
    assert since[1] == ("-30 [-30, -30]", "-30 [-30, -30] (round 1)")
    assert since[2] == ("+15 [+15, +15]", "+15 [+15, +15] (round 2)")
    finish(tmp_path, percent=10.0, speakers="others", hour=23)
    [system] = history.histories(tmp_path, rounds.read_rounds(tmp_path))
    assert system.rows[3][4:6] == [DASH, DASH], "other speakers are not compared"


def test_the_command_and_the_page_show_the_rounds(tmp_path):
    with pytest.raises(BadInput, match=r"history\.tsv: not found"):
        history.history_lines(tmp_path)
    assert history.keep(tmp_path) == [], "no run has finished here"
    finish(tmp_path), finish(tmp_path, percent=20.0, version="<b>2")
    finished = here("history", ".", cwd=tmp_path)
    assert finished.returncode == 0 and "-30 [-30, -30]" in finished.stdout
    assert max(map(len, finished.stdout.splitlines())) <= WIDTH
    history.write_history(tmp_path)
    page = (tmp_path / history.PAGE).read_text()
    assert "-30 [-30, -30]" in page and "src=" not in page
