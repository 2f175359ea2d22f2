"""Patterns and folders of people that nobody would come to an end with."""

import os
import time

import pytest
from support.calls import call_measured
from support.readers import SECONDS
from support.trees import write_audio

from voiceprivacy.corpora.kinds import folder
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout import foreign, tables
from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration

NAME = "a" * 60
LASTS = "is not matched within"


def test_a_pattern_of_files_that_is_matched_for_ever_is_refused(tmp_path):
    for number in range(4):
        for name in ("wav", "mine"):
            write_audio(tmp_path / name / f"{NAME}{number}.wav")
    pattern = "*a" * 12 + "{speaker}-{utterance}.wav"
    words = ["--original", "wav", "--protected", "mine=mine", "--pattern", pattern]
    made = call_measured("new_run", *words, "--config", "my.yaml", cwd=tmp_path)
    assert made.returncode == 2 and made.stderr.count("\n") == 1, made.stderr
    assert pattern in made.stderr and LASTS in made.stderr
    assert made.seconds < 2 * SECONDS  # most of them of the pattern


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*(a*)*(a*)*b"])
def test_a_pattern_of_recordings_that_is_matched_for_ever_is_refused(pattern, monkeypatch):
    monkeypatch.setattr(foreign, "LONGEST_S", 1)
    ids = [f"{NAME}{number}!" for number in range(3)]
    began = time.process_time()
    with pytest.raises(BadInput, match=LASTS):
        tables.recordings_of(ids, pattern)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("patterns", "said"),
    [
        (["(", "(?<=a+)(b)", "(a{1000,1})"], "is no regular expression"),
        (["^.+-", "(?:a)b", r"\(a\)"], "has no group"),
    ],
)
def test_a_wrong_pattern_is_named_by_the_config_and_by_the_command(patterns, said):
    for pattern in patterns:
        with pytest.raises(BadInput, match=said):
            tables.recordings_of(["a-b"], pattern)
        corpus = {"use": "train", "recording": pattern}
        (problem,) = configuration._wrong_options(("corpora", "mine"), corpus)
        assert str(problem).startswith(f"corpora.mine.recording: {said}")


def test_the_time_of_a_pattern_is_its_own(monkeypatch):
    """Nobody is ended later by a limit that was not reached."""
    monkeypatch.setattr(foreign, "LONGEST_S", 0.2)
    with foreign.matching("(a)", 1):
        pass
    ends = time.process_time() + 0.5
    while time.process_time() < ends:
        pass


LOOPS = {
    "to the folder itself": [("a/l", ".")],
    "to each other": [("a/l", "../b"), ("b/l", "../a"), ("b/m", "../a")],
}


@pytest.mark.parametrize("name", LOOPS)
def test_links_that_lead_in_a_circle_are_named(tmp_path, name):
    for speaker in "ab":
        write_audio(tmp_path / speaker / "x.wav")
    for link, target in LOOPS[name]:
        os.symlink(target, tmp_path / link)
    options = {"root": f"{tmp_path}/", "pattern": "{speaker}/{utterance}.wav"}
    with pytest.raises(BadInput, match=r"/l\d?: is a link to a folder on the way to it"):
        folder.list_utterances(options, Findings())


def test_a_folder_on_more_ways_than_anybody_walks_is_refused(tmp_path):
    for level in range(30):
        (tmp_path / str(level)).mkdir()
        for way in "lmn":
            os.symlink(f"../{level + 1}", tmp_path / str(level) / way)
    write_audio(tmp_path / "30" / "x.wav")
    options = {"root": str(tmp_path / "0"), "pattern": "*/{speaker}/{utterance}.wav"}
    with pytest.raises(BadInput, match="is a link to a folder on the way"):
        folder.list_utterances(options, Findings())


def test_links_to_folders_beside_are_followed(tmp_path):
    for speaker in "ab":
        write_audio(tmp_path / "real" / speaker / "x.wav")
        write_audio(tmp_path / "real" / speaker / ".hidden" / "y.wav")
        (tmp_path / "mine").mkdir(exist_ok=True)
        os.symlink(f"../real/{speaker}", tmp_path / "mine" / speaker)
    options = {"root": str(tmp_path / "mine"), "pattern": "{speaker}/{utterance}.wav"}
    listed = folder.list_utterances(options, Findings())
    assert [utterance.speaker for utterance in listed] == ["a", "b"]
