"""Who is still at risk: what the protected speech of each speaker gives away, where an average hides it.

Conventions
-----------
* A trial belongs to the speaker who is tried: it is his speech that was protected.
* LLRs come from one oracle calibration of all trials of the condition, as the attacker has it; no speaker is calibrated
  alone. So the numbers of the speakers add up: their means, weighted by numbers of trials, are the condition's.
* De-identification of a speaker compares how much his own similarity stands out in his column (the protected speech)
  of OP and of OO. The mean of the signed gaps of a condition is its ddiag_signed.

References
----------
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 72, 2022: Eqs. 8, 9 and 13 restricted
to one speaker, which its section 8 names as future work.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.files import BadInput
from voiceprivacy.privacy.calibration import oracle_llrs
from voiceprivacy.privacy.ece import cece_bit

UNDEFINED = "undefined"


class Exposure(NamedTuple):
    """One speaker in one condition.

    ``dece_bit`` and ``worst_case_log10`` as in ZEBRA, but of his trials only; undefined without a target trial.
    """

    speaker: str
    n_target: int
    n_nontarget: int
    dece_bit: float
    worst_case_log10: float


def exposures(scores, speakers):
    """D_ECE and worst case of every tried speaker under the calibration of the whole list.

    A speaker's D_ECE can be negative: the evidence misleads the attacker about him more than it helps. The worst case
    is often the same for many speakers, who share the block of the highest or of the lowest scores.

    Parameters
    ----------
    scores : dict {target, nontarget: array of scores}
    speakers : dict {target, nontarget: array of the tried speakers}, in the same order

    Returns
    -------
    list of Exposure : sorted by speaker
    """
    plain = dict(zip(scores, oracle_llrs(**scores), strict=True))
    laplace = dict(zip(scores, oracle_llrs(**scores, laplace=True), strict=True))
    return [
        _exposure(
            str(speaker),
            {label: plain[label][speakers[label] == speaker] for label in scores},
            {label: laplace[label][speakers[label] == speaker] for label in scores},
        )
        for speaker in np.unique(np.concatenate(list(speakers.values())))
    ]


def deid_percents(*, oo, op):
    """De-identification of every speaker: {speaker: percent}; undefined where the gap in OO is, or where it is 0.

    Parameters
    ----------
    oo, op : dict {speaker: gap}, from ``gaps``
    """
    if oo.keys() != op.keys():
        raise BadInput(f"oo and op hold different speakers ('{min(oo.keys() ^ op.keys())}' is in one of them only)")
    return {
        speaker: UNDEFINED if UNDEFINED in (gap, op[speaker]) or gap == 0 else 100 * (1 - abs(op[speaker]) / abs(gap))
        for speaker, gap in oo.items()
    }


def gaps(cells):
    """How much every speaker's own similarity stands above the others' in his column: {speaker: gap}.

    Parameters
    ----------
    cells : dict {(row speaker, column speaker): similarity or undefined}
    """
    others = {}
    for (row, column), similarity in cells.items():
        if row != column:
            others.setdefault(column, []).append(similarity)
    own = {speaker: cells.get((speaker, speaker), UNDEFINED) for speaker in others}
    return {
        speaker: UNDEFINED if own[speaker] == UNDEFINED else own[speaker] - float(np.mean(of))
        for speaker, of in others.items()
    }


def _exposure(speaker, llrs, laplace):
    n_target, n_nontarget = len(llrs["target"]), len(llrs["nontarget"])
    if not n_target or not n_nontarget:
        return Exposure(speaker, n_target, n_nontarget, UNDEFINED, UNDEFINED)
    worst = max(np.abs(of).max() for of in laplace.values()) / np.log(10)
    return Exposure(speaker, n_target, n_nontarget, cece_bit(**llrs), float(worst))
