"""Attackers that were trained on protected speech: whether they work, and learnt from enough.

Conventions
-----------
* Whether such an attacker works is seen on training speakers who were held out and speak under the
  same protection. On unprotected speech he may find nobody, because he was not made for it.
* An attacker of several parts that learnt (extractor and back-end) works if all parts do.
* A semi-informed attack on a system is a small one where nobody learnt from enough speakers, or
  where an attacker who learnt from original speech finds more. It takes no warning away.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import FilePath, counted
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.privacy.verdict.evidence import DECE
from voiceprivacy.privacy.verdict.record import Record
from voiceprivacy.vocabulary import HeldOut

SURELY = 0.001  # p-value from which on an attacker works
FEWEST_TRAINING_SPEAKERS = 100


class Learnt(NamedTuple):
    """What is known of an attacker's training on protected speech.

    ``parts`` is one HeldOut for each part that learnt; none for attackers that did not, or of whom
    nothing is known. ``is_held_out`` says whether no part of the attacker knows the speakers that
    were held out, so that they can judge it.
    """

    parts: tuple[HeldOut, ...] = ()
    is_held_out: bool = False

    def works(self) -> bool:
        """Whether every part finds more in speakers that it does not know than chance gives."""
        if not self.parts or not self.is_held_out:
            return False
        return all(isinstance(one.p_value, float) and one.p_value < SURELY for one in self.parts)

    def n_speakers(self) -> int | None:
        """From how many speakers the attacker learnt; None where that is unknown."""
        return min((one.n_training_speakers for one in self.parts), default=None)

    def why_not(self) -> str:
        """Why training speakers do not show that the attacker works; nothing where none were."""
        if not self.parts or not self.is_held_out:
            return ""
        worst = max(self.parts, key=lambda one: 1.0 if one.reason else float(one.p_value))
        if worst.reason:
            return f"; no protected training speakers tell otherwise ({worst.reason})"
        return (
            f", nor in {counted(worst.n_speakers, 'training speaker')} held out under its"
            f" protection (EER {float(worst.eer_percent):.1f} %)"
        )


UNKNOWN = Learnt()


def read_learnt(paths: Iterable[FilePath], *, is_held_out: bool) -> Learnt:
    """Read what each part of an attacker found in the speakers that were held out."""
    return Learnt(tuple(HeldOut(**read_json(Path(path))) for path in paths), is_held_out)


def why_small(semi: Sequence[tuple[Record, Learnt]], lazy: Sequence[Record]) -> str | None:
    """Why a semi-informed attack is a small one; None where it is not.

    Parameters
    ----------
    semi : the semi-informed attacks on a system that count
    lazy : the lazy-informed attacks on it that found more than permuted speakers give
    """
    known = [learnt.n_speakers() for _, learnt in semi]
    if known and all(n is not None and n < FEWEST_TRAINING_SPEAKERS for n in known):
        most = max(n for n in known if n is not None)
        return f"{counted(most, 'training speaker')}"
    most_found = max((_largest(record) for record, _ in semi), default=0.0)
    if semi and any(_largest(record) > most_found for record in lazy):
        return "weaker than the lazy-informed"
    return None


def _largest(record):
    """The largest D_ECE over readings, in bits."""
    return float(np.max(record.values[:, record.numbers.index(DECE)]))
