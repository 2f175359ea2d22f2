"""How much memory Python has while something is done."""

import tracemalloc


def peak_of(work):
    """What work() returns, and the most bytes that were held meanwhile."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
