"""Which anonymiser protects better, each under the strongest attack on it, and does it protect at all?

Conventions
-----------
* An attack is one attacker (extractor and back-end) under one condition on one anonymiser, or on unprotected speech.
  The strongest has the lowest equal error rate; of equal ones it is the first by extractor, back-end and condition.
* A speaker's draws do not depend on the attacker (see bootstrap), so differences are of the same speakers, too, where
  the strongest attacks on two anonymisers are of two attackers.
* Replicates do not choose the strongest attack anew: an interval is that of the attack that was chosen.
* Who protects at all is another question than who protects better: p-values of the pairs with unprotected speech are
  corrected together, those of the pairs of anonymisers together.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import BadInput, read_json
from voiceprivacy.privacy.uncertainty.paired import (
    average,
    difference,
    holm,
    parts_of,
    replicates_of,
)
from voiceprivacy.vocabulary import ORIGINAL, PROTECTED_CONDITIONS, UNDEFINED

METRIC = "eer_percent"


class Attack(NamedTuple):
    """Who is attacked by whom, and how."""

    anonymiser: str
    extractor: str
    backend: str
    condition: str


class Pair(NamedTuple):
    """Two anonymisers under the strongest attack on each; B may be ``original``. See paired.Pair."""

    metric: str
    anonymiser_a: str
    extractor_a: str
    backend_a: str
    condition_a: str
    anonymiser_b: str
    extractor_b: str
    backend_b: str
    condition_b: str
    value_a: float
    value_b: float
    difference: float
    ci_low: float
    ci_high: float
    share_a_better: float
    p_value: float
    p_holm: float
    verdict: str


def read_attacks(paths, *, folder, weights=None):
    """Read the equal error rates of all attacks, each the mean over the lists that are given.

    Parameters
    ----------
    paths, folder, weights : as in paired.read_systems, of several attackers

    Returns
    -------
    {Attack: (value, replicates (B,), number of speakers)} : attacks with an EER on all lists

    Raises
    ------
    BadInput : a file in another place, attacks with other numbers of replicates
    """
    found = {}
    for path in map(Path, paths):
        _, place, (anonymiser, *attacker) = parts_of(path, folder)
        intervals = read_json(path)
        for condition in ("oo",) if anonymiser == ORIGINAL else PROTECTED_CONDITIONS:
            if METRIC in intervals.get(condition, {}):
                of = intervals[condition][METRIC]
                name = f"{condition}/{METRIC}"
                replicates = read_npz(replicates_of(path), [name])[name]
                attack = Attack(anonymiser, *attacker, condition)
                found.setdefault(attack, {})[place] = (of["value"], replicates, of["n_speakers"])
    if len({replicates.shape for of in found.values() for _, replicates, _ in of.values()}) > 1:
        raise BadInput(f"{folder}: attacks differ in their numbers of replicates")
    weights = weights or dict.fromkeys(sorted({place for of in found.values() for place in of}), 1)
    shares = list(weights.values())
    return {
        attack: average([of[place] for place in weights], shares)
        for attack, of in found.items()
        if of.keys() == weights.keys()
    }


def strongest_attacks(attacks):
    """The strongest attack on each anonymiser: {anonymiser: Attack}."""
    strongest = {}
    for attack in sorted(attacks):
        best = strongest.setdefault(attack.anonymiser, attack)
        if attacks[attack][0] < attacks[best][0]:
            strongest[attack.anonymiser] = attack
    return strongest


def compare(attacks):
    """Compare every anonymiser with unprotected speech, then every two, each under the strongest attack on it.

    ``attacks`` are those of ``read_attacks``; a list of Pair.
    """
    strongest = strongest_attacks(attacks)
    original = strongest.pop(ORIGINAL, None)
    protected = list(strongest.values())
    with_original = [(attack, original) for attack in protected if original]
    return _compared(attacks, with_original) + _compared(
        attacks, list(itertools.combinations(protected, 2))
    )


def describe(pair):
    """A comparison in one line."""
    limits = (
        ""
        if pair.ci_low == UNDEFINED
        else f" {pair.difference:.3g} [{pair.ci_low:.3g}, {pair.ci_high:.3g}]:"
    )
    return (
        f"{pair.metric}: A = {pair.anonymiser_a}, B = {pair.anonymiser_b}:{limits} {pair.verdict}"
    )


def _compared(attacks, family):
    found = [difference(METRIC, attacks[one], attacks[other]) for one, other in family]
    corrected = holm([of["p_value"] for of in found])
    return [
        Pair(METRIC, *one, *other, **of, p_holm=p)
        for (one, other), of, p in zip(family, found, corrected, strict=True)
    ]
