"""The same function on many items at once, in threads or in processes.

Results come in the order of the items, however many workers there are.

Nothing hangs and nothing stays behind, whatever ends first:

* a process of the pool is killed: BadInput, at once;
* an item raises: its exception, after the items that have begun;
* Ctrl-C or SIGTERM: the processes are ended at once, whatever they do;
* this process is killed (kill -9, out of memory): its processes notice, and end themselves.
"""

import contextlib
import functools
import itertools
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from voiceprivacy.errors import BadInput

AHEAD = 8  # items that wait for each worker: memory does not grow with the corpus
# A signal that comes just before Python begins to wait is seen only when that wait ends: in a
# trial, a command in some hundreds that got a signal while their pool began never ended.
LONGEST_WAIT_S = 0.5

_loaded: Any = None  # in a process of a pool: what it inherited


@contextlib.contextmanager
def in_threads(
    function: Callable,
    items: Iterable,
    *,
    threads: int,
    interrupt: Callable[[], object] = lambda: None,
) -> Iterator[Iterator]:
    """Call ``function(item)`` in threads: for compiled code, and to wait for programs.

    Parameters
    ----------
    function : callable
    items : iterable
    threads : int
    interrupt : callable, optional
        Ends what the threads wait for. It is called until nothing runs any more, when the block
        is left before the last item.

    Yields
    ------
    iterator over the results
    """
    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future] = deque()
    try:
        yield _in_order(pool, _until_one_raises(function), iter(items), waiting, threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        while not all(future.done() for future in waiting):
            interrupt()  # again and again: a thread may be about to start another program
            with contextlib.suppress(Exception):
                waiting[0].exception(timeout=0.05)
            while waiting and waiting[0].done():
                waiting.popleft()


@contextlib.contextmanager
def in_processes(
    function: Callable,
    items: Iterable,
    *,
    processes: int,
    loaded: Any = None,
    if_killed: str = "a process died without a message (out of memory?): use fewer --threads",
) -> Iterator[Iterator]:
    """Call ``function(item)``, or ``function(loaded, item)``, in processes: for Python code.

    Parameters
    ----------
    function : callable
        A module's function or a partial of one: it travels to other processes.
    items : iterable
    processes : int
        1 means this very process.
    loaded : optional
        What all processes need and what takes long to load, such as a model. They inherit it:
        they are forked before the block begins, so before a progress bar starts its thread.
        Without it they are fresh (spawn), so that no thread of a library is lost in a fork.
    if_killed : str
        What the error says if somebody kills one of the processes.

    Yields
    ------
    iterator over the results

    Raises
    ------
    BadInput : a process was killed
    """
    if processes <= 1:
        yield map(function if loaded is None else functools.partial(function, loaded), items)
        return
    context = multiprocessing.get_context("spawn" if loaded is None else "fork")
    pool = ProcessPoolExecutor(
        processes, mp_context=context, initializer=_begin, initargs=(loaded,)
    )
    call = function if loaded is None else functools.partial(_call_with_loaded, function)
    try:
        yield _in_order(pool, call, iter(items), deque(), processes)
    except BrokenProcessPool:
        raise BadInput(if_killed) from None
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        # GeneratorExit: Ctrl-C came between the start of the pool and that of the caller's block.
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _until_one_raises(function: Callable) -> Callable:
    """Begin no item after one has raised: each may be a program that hangs like the first."""
    raised = threading.Event()

    def call(item: Any) -> Any:
        if raised.is_set():
            return None  # nobody gets it: the exception of the other item comes first
        try:
            return function(item)
        except BaseException:
            raised.set()
            raise

    return call


def _in_order(
    pool: Executor, function: Callable, items: Iterator, waiting: deque[Future], workers: int
) -> Iterator:
    """Hand out the first items now, each other one when a result is taken."""
    for item in itertools.islice(items, AHEAD * workers):
        waiting.append(pool.submit(function, item))
    return _results(pool, function, items, waiting)


def _results(
    pool: Executor, function: Callable, items: Iterator, waiting: deque[Future]
) -> Iterator:
    while waiting:
        while not waiting[0].done():
            wait([waiting[0]], timeout=LONGEST_WAIT_S)
        result = waiting[0].result()
        waiting.popleft()
        for item in itertools.islice(items, 1):
            waiting.append(pool.submit(function, item))
        yield result


def _call_with_loaded(function: Callable, item: Any) -> Any:
    return function(_loaded, item)


def _begin(loaded: Any) -> None:
    """Begin a process of a pool: signals end it at once, and so does the end of its parent.

    The handler of a command raises SystemExit. A pool takes that for the result of an item and
    goes on. A parent that is killed tells its processes nothing: they would wait for ever.
    """
    global _loaded
    _loaded = loaded
    for number in (signal.SIGTERM, signal.SIGINT):
        # A shell ignores Ctrl-C in what it runs in the background: so it stays.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
