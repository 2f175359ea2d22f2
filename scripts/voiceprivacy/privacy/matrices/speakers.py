"""Who is still at risk: what each speaker's protected speech gives away, where an average hides it.

Conventions
-----------
* A trial belongs to the speaker who is tried: it is his speech that was protected.
* LLRs come from one oracle calibration of all trials of the condition, as the attacker has it; no
  speaker is calibrated alone. So the numbers of the speakers add up: their means, weighted by
  numbers of trials, are the condition's.
* De-identification of a speaker compares how much his own similarity stands out in his column (the
  protected speech) of OP and of OO. The mean of the signed gaps of a condition is its ddiag_signed.

References
----------
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 72, 2022: Eqs. 8,
9 and 13 restricted to one speaker, which its section 8 names as future work.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Trial
from voiceprivacy.privacy import Classes, Names, Number
from voiceprivacy.privacy.matrices.similarity import Cells
from voiceprivacy.privacy.scores.calibration import oracle_llrs
from voiceprivacy.privacy.scores.ece import cece_bit
from voiceprivacy.vocabulary import UNDEFINED


class Exposure(NamedTuple):
    """One speaker in one condition.

    ``dece_bit`` and ``worst_case_log10`` are as in ZEBRA, but of his trials only; "undefined"
    without a target or without a nontarget trial.
    """

    speaker: str
    n_target: int
    n_nontarget: int
    dece_bit: Number
    worst_case_log10: Number


def tried_speakers(
    scored: Mapping[str, Sequence[tuple[Trial, float]]], speaker_of: Mapping[str, str]
) -> dict[str, Names]:
    """The speaker who is tried in each trial.

    Parameters
    ----------
    scored : {target, nontarget: [(Trial, score), ...]}
    speaker_of : {utterance: speaker} of the trial part

    Returns
    -------
    {target, nontarget: array of speakers}

    Raises
    ------
    BadInput : an utterance of unknown speaker
    """
    speakers = {}
    for label, pairs in scored.items():
        for trial, _ in pairs:
            if trial.trial not in speaker_of:
                raise BadInput(f"trial '{trial.trial}' is not in the manifest of the trial part")
        speakers[label] = np.array([speaker_of[trial.trial] for trial, _ in pairs])
    return speakers


def exposures(scores: Classes, speakers: Mapping[str, Names]) -> list[Exposure]:
    """D_ECE and worst case of every tried speaker under the calibration of the whole list.

    A speaker's D_ECE can be negative: the evidence misleads the attacker about him more than it
    helps. The worst case is often the same for many speakers, who share the block of the highest or
    of the lowest scores.

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
    every = []
    for speaker in np.unique(np.concatenate(list(speakers.values()))):
        own = {label: speakers[label] == speaker for label in scores}
        own_plain = {label: plain[label][own[label]] for label in scores}
        own_laplace = {label: laplace[label][own[label]] for label in scores}
        every.append(_exposure(str(speaker), own_plain, own_laplace))
    return every


def deid_percents(*, oo: Mapping[str, Number], op: Mapping[str, Number]) -> dict[str, Number]:
    """De-identification of every speaker: {speaker: percent}.

    "undefined" where a gap is, or where that in OO is 0.

    Parameters
    ----------
    oo, op : dict {speaker: gap}, from ``gaps``

    Raises
    ------
    BadInput : other speakers in one of them
    """
    if oo.keys() != op.keys():
        odd = min(oo.keys() ^ op.keys())
        raise BadInput(f"oo and op hold different speakers ('{odd}' is in one of them only)")
    percents: dict[str, Number] = {}
    for speaker, gap in oo.items():
        protected = op[speaker]
        if isinstance(gap, str) or isinstance(protected, str) or gap == 0:
            percents[speaker] = UNDEFINED
        else:
            percents[speaker] = 100 * (1 - abs(protected) / abs(gap))
    return percents


def gaps(cells: Cells) -> dict[str, Number]:
    """How much every speaker's own similarity stands above the others' in his column: {speaker:
    gap}.

    "undefined" where his own similarity is.

    Parameters
    ----------
    cells : dict {(row speaker, column speaker): similarity or undefined}
    """
    others: dict[str, list[Number]] = {}
    for (row, column), similarity in cells.items():
        if row != column:
            others.setdefault(column, []).append(similarity)
    own_gaps: dict[str, Number] = {}
    for speaker, similarities in others.items():
        own = cells.get((speaker, speaker), UNDEFINED)
        if isinstance(own, str):
            own_gaps[speaker] = UNDEFINED
        else:
            own_gaps[speaker] = own - float(np.mean(np.array(similarities, dtype=float)))
    return own_gaps


def _exposure(speaker, llrs, laplace):
    n_target, n_nontarget = len(llrs["target"]), len(llrs["nontarget"])
    if not n_target or not n_nontarget:
        return Exposure(speaker, n_target, n_nontarget, UNDEFINED, UNDEFINED)
    worst = max(np.abs(values).max() for values in laplace.values()) / np.log(10)
    return Exposure(speaker, n_target, n_nontarget, cece_bit(**llrs), float(worst))
