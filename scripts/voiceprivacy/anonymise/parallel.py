"""The same function on many utterances, in several processes, with a progress bar."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from tqdm import tqdm

from voiceprivacy.files import BadInput


def for_each(function, items, *, processes, description):
    """Call ``function(item)`` for every item; the results come in the order of the items.

    Parameters
    ----------
    function : callable
        Must depend on its item alone, and be a module's function or a partial of one: it travels to other processes.
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
    BadInput : a process died; whatever ``function`` raises
    """
    progress = {"total": len(items), "desc": description, "unit": "utterance", "mininterval": 1.0}
    processes = min(processes, len(items))
    if processes <= 1:
        return list(tqdm(map(function, items), **progress))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
    try:
        chunk = max(1, min(16, len(items) // (8 * processes)))
        return list(tqdm(pool.map(function, items, chunksize=chunk), **progress))
    except BrokenProcessPool:
        raise BadInput(f"{description}: a process died without a message (out of memory?)") from None
    finally:
        pool.shutdown(cancel_futures=True)
