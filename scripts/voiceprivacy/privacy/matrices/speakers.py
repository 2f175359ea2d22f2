"""What each speaker gives away, where an average hides it: who is at risk, and the biometric zoo.

Who is at risk
--------------
* A trial belongs to the speaker who is tried: it is that speech that was protected.
* LLRs come from one oracle calibration of all trials of the condition, as the attacker has it; no
  speaker is calibrated alone. So the numbers of the speakers add up: their means, weighted by
  numbers of trials, are the condition's.
* De-identification of a speaker compares how much the own similarity stands out in the column (the
  protected speech) of OP and of OO. The mean of the signed gaps of a condition is its ddiag_signed.

The zoo
-------
* Which speakers does the attacker handle differently? A speaker is described by the mean LLR of
  target pairs and of impostor pairs, as the speaker who is tried (the columns, which are the
  protected speech in OP): the plane of the zoo plot, with no evidence at (0, 0). LLRs are natural
  logarithms from one oracle calibration with Laplace's rule of the whole condition
  (similarity.Comparisons).
* High and low are the quarters of the speakers above the upper and below the lower quartile of a
  mean; a tie with the quartile is neither. A speaker without a target pair is no animal.
* Corners of the plane (Dunstone and Yager): a dove has a high target and a low impostor mean, a
  chameleon both high, a phantom both low, a worm a low target and a high impostor mean. For an
  attacker doves are ideal: they are recognised and never confused. For privacy they are worst off.
  Worms are best off.
* Doddington's animals: goats have a low target mean, wolves a high impostor mean when tried, lambs
  one when enrolled, all others are sheep.

Is a corner of the zoo chance?
------------------------------
Quartiles fill the corners in pure noise too: 1/16 of the speakers each. Dunstone and Yager
therefore test whether a corner holds more speakers than independent target and impostor means
explain. Their text was not at hand: the binomial distribution (see ``corner_p_values``) is how
their test is known. With both quarters given the number is hypergeometric, which varies less, so
that these p-values are on the safe side. A corner's animals get their name only where the p-value
is below 0.05. Doddington's names, which are quarters by construction, are given in conditions where
some corner passes.

References
----------
Doddington et al., Sheep, goats, lambs and wolves, ICSLP 1998.
Dunstone and Yager, Biometric system and data analysis, Springer 2009.
Yager and Dunstone, The biometric menagerie, IEEE PAMI 32, 2010.
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 72, 2022: Eqs. 8,
9 and 13 restricted to one speaker, which its section 8 names as future work; section 4.3 (zoo).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import bdtrc

from voiceprivacy.privacy import Classes, Counts, Flags, Names, Number
from voiceprivacy.privacy.matrices.similarity import Comparisons, Similarities, deid_percent
from voiceprivacy.privacy.rows import Animal, Exposure
from voiceprivacy.privacy.scores.calibration import cece_bit, oracle_llrs
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

SIGNIFICANCE = 0.05  # of a corner of the zoo


class Corner(NamedTuple):
    """Where a speaker lies by either mean: -1 (lower quarter), 0 or 1 (upper quarter)."""

    target: int
    impostor: int


CORNERS = {
    "dove": Corner(1, -1),
    "chameleon": Corner(1, 1),
    "phantom": Corner(-1, -1),
    "worm": Corner(-1, 1),
}
ANIMAL_OF = {corner: animal for animal, corner in CORNERS.items()}


ZOO = ("label", *Animal._fields)  # columns of a table of animals


def exposures(scores: Classes, speakers: Mapping[str, Names]) -> list[Exposure]:
    """D_ECE and worst case of every tried speaker under the calibration of the whole list.

    A speaker's D_ECE can be negative: the evidence misleads the attacker more than it helps.
    The worst case is often the same for many speakers, who share the block of the highest or
    of the lowest scores.

    Parameters
    ----------
    scores : dict {target, nontarget: array of scores}
    speakers : dict {target, nontarget: array of the tried speakers}, in the same order

    Returns
    -------
    list of Exposure : sorted by speaker
    """
    # Averages take plain LLRs, the worst case Laplace's, which are finite: as in ZEBRA.
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
    oo, op : dict {speaker: gap}, from ``gaps`` of the same speakers
    """
    percents: dict[str, Number] = {}
    for speaker, gap in oo.items():
        protected = op[speaker]
        percents[speaker] = UNDEFINED
        if not isinstance(gap, str) and not isinstance(protected, str):
            percents[speaker] = deid_percent(oo=abs(gap), op=abs(protected))
    return percents


def gaps(similarities: Similarities) -> dict[str, Number]:
    """How much every speaker's own similarity stands above the others' in the column: {speaker:
    gap}.

    "undefined" where the own similarity is.
    """
    own_gaps: dict[str, Number] = {}
    for position, speaker in enumerate(similarities.speakers.tolist()):
        column = similarities.values[:, position]
        own, others = column[position], np.delete(column.data, position)
        own_gaps[speaker] = UNDEFINED if own is np.ma.masked else float(own - others.mean())
    return own_gaps


def zoo(comparisons: Comparisons) -> list[Animal]:
    """Describe every speaker of a condition, in the order of ``comparisons.speakers``."""
    same = comparisons.row_speaker == comparisons.column_speaker
    n_target, target = _means(comparisons, same, comparisons.column_speaker)
    n_impostor, impostor = _means(comparisons, ~same, comparisons.column_speaker)
    _, enrolled_impostor = _means(comparisons, ~same, comparisons.row_speaker)
    # Enrolled ones (rows) are looked at for Doddington's lambs only.
    target_sides, impostor_sides = _sides(target), _sides(impostor)
    enrolled_sides = _sides(enrolled_impostor)
    p_values = corner_p_values(target_sides, impostor_sides)
    # Only a corner that chance does not explain names its speakers.
    passed = {corner for corner, p_value in p_values.items() if p_value < SIGNIFICANCE}
    animals = []
    for index, speaker in enumerate(comparisons.speakers):
        sides = Corner(int(target_sides[index]), int(impostor_sides[index]))
        corner = ANIMAL_OF.get(sides, ABSENT)
        animals.append(
            Animal(
                speaker=str(speaker),
                n_target=int(n_target[index]),
                n_impostor=int(n_impostor[index]),
                mean_target_llr=_or_undefined(target[index]),
                mean_impostor_llr=_or_undefined(impostor[index]),
                corner=corner,
                p_value=p_values.get(corner, UNDEFINED),
                animal=corner if corner in passed else ABSENT,
                doddington=_doddington(sides, enrolled_sides[index]) if passed else ABSENT,
            )
        )
    return animals


def corner_p_values(target: Counts, impostor: Counts) -> dict[str, float]:
    """How easily chance fills each corner at least as much as it is: {corner: p-value}.

    The number of speakers in a corner is binomial under independence: n speakers, probability the
    product of the shares of high (or low) targets and impostors, 1/16 for exact quarters (Yager and
    Dunstone, 2010).

    Parameters
    ----------
    target, impostor : array (S,) of -1 (low), 0, 1 (high)
    """
    p_values = {}
    for animal, corner in CORNERS.items():
        on_target_side, on_impostor_side = target == corner.target, impostor == corner.impostor
        n_inside = np.sum(on_target_side & on_impostor_side)
        probability = np.mean(on_target_side) * np.mean(on_impostor_side)
        # bdtrc(k, n, p) is the probability of more than k.
        p_values[animal] = float(bdtrc(float(n_inside - 1), len(target), probability))
    return p_values


def _exposure(speaker, llrs, laplace):
    n_target, n_nontarget = len(llrs["target"]), len(llrs["nontarget"])
    if not n_target or not n_nontarget:
        return Exposure(speaker, n_target, n_nontarget, UNDEFINED, UNDEFINED)
    worst = max(np.abs(values).max() for values in laplace.values()) / np.log(10)
    return Exposure(speaker, n_target, n_nontarget, cece_bit(**llrs), float(worst))


def _means(
    comparisons: Comparisons, used: Flags, speaker: Counts
) -> tuple[Counts, np.ma.MaskedArray]:
    """Number of used pairs and mean LLR (S,) by speaker; without a pair the mean is masked."""
    n_speakers = len(comparisons.speakers)
    counts = np.bincount(speaker[used], minlength=n_speakers)
    llrs = comparisons.llrs[used]
    centre = llrs[0]  # equal LLRs give equal means to the last bit, so that ties stay ties
    sums = np.bincount(speaker[used], llrs - centre, minlength=n_speakers)
    return counts, np.ma.masked_array(centre + sums / np.maximum(counts, 1), mask=counts == 0)


def _sides(means):
    """-1, 0 or 1 (S,): in the lower quarter, neither, in the upper quarter."""
    lower, upper = np.quantile(means.compressed(), [0.25, 0.75])
    return ((means > upper).astype(int) - (means < lower).astype(int)).filled(0)


def _doddington(sides, enrolled):
    names = [("goat", sides.target == -1), ("wolf", sides.impostor == 1), ("lamb", enrolled == 1)]
    return "+".join(name for name, applies in names if applies) or "sheep"


def _or_undefined(mean):
    return UNDEFINED if mean is np.ma.masked else float(mean)
