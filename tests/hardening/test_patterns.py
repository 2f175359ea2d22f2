"""Patterns and folders of people that nobody would come to an end with."""

import os
import time

import pytest
from support.calls import refused
from support.trees import write_audio

from voiceprivacy.corpora.kinds import folder
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign, ids
from voiceprivacy.plan import configuration

NAME = "a" * 60
LASTS = "is not matched within"


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(foreign, "LONGEST_S", 0.2)


def test_a_pattern_of_files_that_is_matched_for_ever_is_refused(tmp_path):
    for number in range(4):
        for name in ("wav", "mine"):
            write_audio(tmp_path / name / f"{NAME}{number}.wav")
    pattern = "*a" * 12 + "{speaker}-{utterance}.wav"
    words = ["--original", "wav", "--protected", "mine=mine", "--pattern", pattern]
    began = time.process_time()
    said = refused("new_run", *words, "--config", "my.yaml", cwd=tmp_path)
    assert said.count("\n") == 1, said
    assert pattern in said and LASTS in said
    assert time.process_time() - began < 3


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*(a*)*(a*)*b"])
def test_a_pattern_of_recordings_that_is_matched_for_ever_is_refused(pattern):
    names = [f"{NAME}{number}!" for number in range(3)]
    began = time.process_time()
    with pytest.raises(BadInput, match=LASTS):
        ids.recordings_of(names, pattern)
    assert time.process_time() - began < 3


WRONG = dict.fromkeys(("(", "(?<=a+)(b)", "(a{1000,1})"), "is no regular expression")
WRONG |= dict.fromkeys(("^.+-", "(?:a)b", r"\(a\)"), "has no group")


@pytest.mark.parametrize("pattern", WRONG)
def test_a_wrong_pattern_is_named_by_the_config_and_by_the_command(pattern):
    with pytest.raises(BadInput, match=WRONG[pattern]):
        ids.recordings_of(["a-b"], pattern)
    corpus = {"use": "train", "recording": pattern}
    (problem,) = configuration._wrong_options(("corpora", "mine"), corpus)
    assert str(problem).startswith(f"corpora.mine.recording: {WRONG[pattern]}")


def test_the_time_of_a_pattern_is_its_own():
    """Nobody is ended later by a limit that was not reached."""
    with foreign.matching("(a)", 1):
        pass
    ends = time.process_time() + 0.3
    while time.process_time() < ends:
        pass


PATTERN = "{speaker}/{utterance}.wav"


@pytest.mark.parametrize(
    "links", [{"a/l": "."}, {"a/l": "../b", "b/l": "../a", "b/m": "../a"}], ids=["itself", "others"]
)
def test_links_that_lead_in_a_circle_are_named(tmp_path, links):
    for speaker in "ab":
        write_audio(tmp_path / speaker / "x.wav")
    for link, target in links.items():
        os.symlink(target, tmp_path / link)
    with pytest.raises(BadInput, match=r"/l: is a link to a folder on the way"):
        folder.list_utterances({"root": f"{tmp_path}/", "pattern": PATTERN}, Findings())


def test_a_folder_on_more_ways_than_anybody_walks_is_refused_and_links_beside_are_followed(
    tmp_path,
):
    for level in range(30):
        (tmp_path / str(level)).mkdir()
        for way in "lmn":
            os.symlink(f"../{level + 1}", tmp_path / str(level) / way)
    write_audio(tmp_path / "30" / "x.wav")
    with pytest.raises(BadInput, match="is a link to a folder on the way"):
        folder.list_utterances({"root": f"{tmp_path}/0", "pattern": f"*/{PATTERN}"}, Findings())
    for speaker in "ab":
        write_audio(tmp_path / "real" / speaker / "x.wav")
        write_audio(tmp_path / "real" / speaker / ".hidden" / "y.wav")
        (tmp_path / "mine").mkdir(exist_ok=True)
        os.symlink(f"../real/{speaker}", tmp_path / "mine" / speaker)
    listed = folder.list_utterances({"root": f"{tmp_path}/mine", "pattern": PATTERN}, Findings())
    assert [utterance.speaker for utterance in listed] == ["a", "b"]


@pytest.mark.parametrize("inner_s", [0.05, 9])
def test_a_limit_within_another_one_leaves_that_one_in_force(inner_s):
    """A pattern of a record took away the limit of the check of all records."""
    began = time.process_time()
    with pytest.raises(BadInput, match="outer"), foreign.within(0.1, "outer"):
        with foreign.within(inner_s, "inner"):
            pass
        while time.process_time() - began < 3:
            pass
    assert time.process_time() - began < 1
    inner = foreign.within(inner_s, "inner" if inner_s > 1 else "outer")
    with pytest.raises(BadInput, match="outer"), foreign.within(0.06, "outer"), inner:
        while time.process_time() - began < 3:
            pass
