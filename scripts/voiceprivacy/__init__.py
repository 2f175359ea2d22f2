"""The rooms of the voice privacy evaluation: corpora, anonymise, attack, privacy, report.

``from voiceprivacy import verification, zebra, ranks, verdict`` takes the functions of ``api``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voiceprivacy.api import (
        calibration,
        plot,
        ranks,
        similarity,
        trial_scores,
        verdict,
        verification,
        zebra,
    )

__all__ = [
    "calibration",
    "plot",
    "ranks",
    "similarity",
    "trial_scores",
    "verdict",
    "verification",
    "zebra",
]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    """A function of the API. Commands import rooms only, and do not wait for scipy."""
    if name not in __all__:
        raise AttributeError(f"module 'voiceprivacy' has no attribute '{name}'")
    from voiceprivacy import api

    return getattr(api, name)
