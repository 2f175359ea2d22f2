"""The same function on many utterances at the same time, with a progress bar.

The function must depend on its item alone; the results come in the order of the items, however many work.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from tqdm import tqdm

from voiceprivacy.inout.files import BadInput

# Processes of a pool: they end when they are told to, and none outlives the process that started it.


def begin():
    """The initializer of a pool's processes.

    SIGTERM and Ctrl-C end one at once, and not by an exception as in voiceprivacy.running.command: a pool takes an exception
    for the result of a call and goes on, so that one that ends its processes, because one was killed, waits for ever.

    A parent that is killed (kill -9, out of memory) tells them nothing. They would wait for work for ever, with all
    that they hold: their memory, and the output that somebody reads to its end.
    """
    for ends in (signal.SIGTERM, signal.SIGINT):
        if (
            signal.getsignal(ends) is not signal.SIG_IGN
        ):  # as a shell has it of Ctrl-C in the background
            signal.signal(ends, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


AHEAD = 8  # calls that wait for each worker: memory does not grow with the corpus


def in_threads(function, items, *, threads, description):
    """Call ``function(item)`` for every item: for compiled code, which lets other threads run.

    Parameters
    ----------
    function : callable
    items : list
    threads : int
    description : str
        Stands before the progress bar on stderr.

    Returns
    -------
    list
    """
    with ThreadPoolExecutor(threads) as pool:
        return _collect(_in_order(pool, function, items, ahead=AHEAD * threads), items, description)


def in_processes(function, items, *, processes, description):
    """Call ``function(item)`` for every item: for Python code.

    Parameters
    ----------
    function : callable
        A module's function or a partial of one: it travels to other processes.
    items : list
    processes : int
        1 means this very process; otherwise fresh ones, each limited to one thread of its own.
    description : str
        Stands before the progress bar on stderr.

    Returns
    -------
    list

    Raises
    ------
    BadInput : a process died
    """
    processes = min(processes, len(items))
    if processes <= 1:
        return _collect(map(function, items), items, description)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    spawn = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(processes, mp_context=spawn, initializer=begin) as pool:
            return _collect(
                _in_order(pool, function, items, ahead=AHEAD * processes), items, description
            )
    except BrokenProcessPool:
        raise BadInput(
            f"{description}: a process died without a message (out of memory?)"
        ) from None


def _in_order(pool, function, items, *, ahead):
    """Yield the results in the order of the items; no more than ``ahead`` calls wait at a time."""
    waiting = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) == ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _collect(results, items, description):
    return list(
        tqdm(results, total=len(items), desc=description, unit="utterance", mininterval=1.0)
    )
