"""Processes of a pool: they end when they are told to, and none outlives the process that started it."""

import multiprocessing
import os
import signal
import threading


def begin():
    """The initializer of a pool's processes.

    SIGTERM and Ctrl-C end one at once, and not by an exception as in voiceprivacy.command: a pool takes an exception
    for the result of a call and goes on, so that one that ends its processes, because one was killed, waits for ever.

    A parent that is killed (kill -9, out of memory) tells them nothing. They would wait for work for ever, with all
    that they hold: their memory, and the output that somebody reads to its end.
    """
    for ends in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(ends) is not signal.SIG_IGN:  # as a shell has it of Ctrl-C in the background
            signal.signal(ends, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
