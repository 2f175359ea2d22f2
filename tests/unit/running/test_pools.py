"""Pools of threads and of processes: order, memory, and their end, whatever ends first."""

import contextlib
import itertools
import os
import signal
import sys
import threading
import time

import pytest
from support.calls import with_package
from support.pool_calls import die, die_with, raise_at_three, slow_if_even, slow_if_even_with
from support.runs import in_a_group, processes_of

from voiceprivacy.errors import BadInput
from voiceprivacy.running import pools

KINDS = ["spawned", "forked"]
FOREVER_S = 600
SLEEPERS = f"""
import os
import time
from voiceprivacy.running import pools
from voiceprivacy.running.command import run

def sleep(_, seconds):
    os.write(1, b"begun\\n")  # at once: two processes write into one pipe
    time.sleep(seconds)

def main():
    with pools.in_processes(sleep, [{FOREVER_S}] * 20, processes=2, loaded="a model") as results:
        list(results)

run(main)
"""


def processes_for(kind, plain, with_loaded, items, **options):
    """A pool of fresh processes, or of forked ones that inherit something."""
    if kind == "spawned":
        return pools.in_processes(plain, items, **options)
    return pools.in_processes(with_loaded, items, loaded="a model", **options)


@pytest.mark.parametrize("kind", KINDS)
def test_results_of_processes_come_in_the_order_of_the_items(kind):
    call = processes_for(kind, slow_if_even, slow_if_even_with, range(20), processes=2)
    with call as results:
        numbers, processes = zip(*results, strict=True)
    assert numbers == tuple(range(20))
    assert os.getpid() not in processes
    alone = processes_for(kind, slow_if_even, slow_if_even_with, range(4), processes=1)
    with alone as results:
        assert list(results) == [(number, os.getpid()) for number in range(4)]


def test_no_more_items_are_handed_out_than_a_few_for_each_worker():
    handed_out = itertools.count()
    with pools.in_threads(slow_if_even, handed_out, threads=2) as results:
        for _ in range(5):
            next(results)
    assert next(handed_out) <= 2 * pools.AHEAD + 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_process_that_is_killed_is_bad_input(kind):
    call = processes_for(kind, die, die_with, range(50), processes=2)
    with pytest.raises(BadInput, match=r"a process died .*out of memory"), call as results:
        list(results)
    call = processes_for(kind, die, die_with, range(50), processes=2, if_killed="no more of it")
    with pytest.raises(BadInput, match="no more of it"), call as results:
        list(results)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pools.in_threads(raise_at_three, range(50), threads=2),
        lambda: pools.in_processes(raise_at_three, range(50), processes=2),
        lambda: pools.in_processes(raise_at_three, range(50), processes=1),
    ],
    ids=["threads", "processes", "one process"],
)
def test_what_an_item_raises_comes_after_the_results_before_it(call):
    before = []
    with pytest.raises(BadInput, match="three is wrong"), call() as results:
        for result in results:
            before.append(result)
    assert before == [0, 1, 2]


def test_what_threads_wait_for_is_interrupted_when_the_block_is_left_early():
    ended = threading.Event()
    began = time.monotonic()
    waits = [FOREVER_S] * 50
    pool = pools.in_threads(ended.wait, waits, threads=2, interrupt=ended.set)
    with pytest.raises(KeyboardInterrupt), pool:
        raise KeyboardInterrupt
    assert ended.is_set()
    assert time.monotonic() - began < FOREVER_S / 2
    interrupted = threading.Event()
    with pools.in_threads(slow_if_even, range(5), threads=2, interrupt=interrupted.set) as results:
        list(results)
    assert not interrupted.is_set()


@contextlib.contextmanager
def sleepers():
    """A command whose two processes sleep: it has begun when both said so."""
    # A shell ignores Ctrl-C in what it runs in the background, as these tests may be.
    listen = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    how = {"stderr": None, "env": with_package(), **listen}
    with in_a_group([sys.executable, "-c", SLEEPERS], **how) as command:
        assert [command.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
        yield command


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_command_that_is_told_to_end_does_so_at_once(number, status):
    """Sent to the command alone, as Snakemake does: its processes sleep on and know nothing."""
    with sleepers() as command:
        command.send_signal(number)
        assert command.wait(FOREVER_S / 2) == status
        assert not processes_of(command.pid)


def test_no_item_begins_in_a_thread_after_one_has_raised():
    begun = []

    def begin(number):
        begun.append(number)
        if number == 2:
            raise BadInput("two")
        return number

    with pools.in_threads(begin, range(100), threads=1) as results:
        assert [next(results), next(results)] == [0, 1]
        with pytest.raises(BadInput, match="two"):
            next(results)
    assert begun == [0, 1, 2]
