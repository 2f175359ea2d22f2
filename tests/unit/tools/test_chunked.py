"""A run for each chunk, one after another; what is asked for wrongly is refused."""

from argparse import Namespace

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.tools import chunked

WORDS = ["--cores", "2"]


@pytest.fixture
def calls(monkeypatch):
    """The chunks that were run; the second fails where a test adds its name to ``failing``."""
    called, failing = [], {}

    def call(words, chunk):
        assert words == WORDS
        called.append(chunk)
        return failing.get(chunk, 0)

    monkeypatch.setattr(chunked, "_call", call)
    return Namespace(called=called, failing=failing)


def options(**others):
    return Namespace(**{"targets": [], "configfile": [], "dryrun": False} | others)


def test_the_comparison_comes_after_all_chunks(calls):
    assert chunked.start(WORDS, options(), 2) == 0
    assert calls.called == ["1/2", "2/2", "3/2"]


def test_a_dry_run_leaves_the_comparison_out(calls):
    assert chunked.start(WORDS, options(dryrun=True), 2) == 0
    assert calls.called == ["1/2", "2/2"]


def test_the_first_failure_ends_the_run_with_its_exit_code(calls):
    calls.failing["2/3"] = 130
    assert chunked.start(WORDS, options(), 3) == 130
    assert calls.called == ["1/3", "2/3"]


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_chunks_than_one_are_refused(calls, count):
    with pytest.raises(BadInput, match="--chunks: expected a number from 1"):
        chunked.start(WORDS, options(), count)


def test_a_target_is_refused(calls):
    with pytest.raises(BadInput, match="name no target"):
        chunked.start(WORDS, options(targets=["paper"]), 2)
    assert not calls.called
