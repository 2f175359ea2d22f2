"""Where and how torch computes, so that the same speech gives the same numbers."""

import contextlib
from collections.abc import Iterator

import torch

from voiceprivacy.errors import BadInput


@contextlib.contextmanager
def single_thread() -> Iterator[None]:
    """Let torch compute with one thread: sums in another order would give other last digits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def torch_device(name: str) -> torch.device:
    """The device "cpu" or "cuda", which computes in full precision and repeatably from now on."""
    if name == "cuda" and not torch.cuda.is_available():
        raise BadInput("--device cuda: torch sees no GPU here; use --device cpu")
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return torch.device(name)
