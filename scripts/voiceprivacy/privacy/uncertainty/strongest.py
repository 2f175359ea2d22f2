"""Which anonymiser protects better, each under the strongest attack on it, and does it protect at
all?

Conventions
-----------
* An attack is one attacker (extractor and back-end) under one condition on one anonymiser, or on
  unprotected speech. The strongest has the lowest equal error rate; of equal ones it is the first
  by extractor, back-end and condition.
* A speaker's draws do not depend on the attacker (see bootstrap). So differences are of the same
  speakers, too, where the strongest attacks on two anonymisers are of two attackers.
* Replicates do not choose the strongest attack anew: an interval is that of the attack that was
  chosen.
* Who protects at all is another question than who protects better. So p-values of the pairs with
  unprotected speech are corrected together, and those of the pairs of anonymisers together.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.files import BadInput, read_json
from voiceprivacy.privacy import Number
from voiceprivacy.privacy.uncertainty.paired import (
    Estimate,
    TrialList,
    Weights,
    average_over,
    difference,
    holm,
    limits_text,
    parts_of,
    replicates_of,
)
from voiceprivacy.vocabulary import ORIGINAL, PROTECTED_CONDITIONS

METRIC = "eer_percent"


class Attack(NamedTuple):
    """Who is attacked by whom, and how."""

    anonymiser: str
    extractor: str
    backend: str
    condition: str


class Pair(NamedTuple):
    """Two anonymisers under the strongest attack on each; B may be ``original``. See
    paired.Pair."""

    metric: str
    anonymiser_a: str
    extractor_a: str
    backend_a: str
    condition_a: str
    anonymiser_b: str
    extractor_b: str
    backend_b: str
    condition_b: str
    value_a: Number
    value_b: Number
    difference: Number
    ci_low: Number
    ci_high: Number
    share_a_better: Number
    p_value: float
    p_holm: float
    verdict: str


def read_attacks(
    paths: Iterable[Path], *, folder: Path, weights: Weights | None = None
) -> dict[Attack, Estimate]:
    """Read the equal error rates of all attacks, each the mean over the lists that are given.

    Parameters
    ----------
    paths, folder, weights : as in paired.read_systems, of several attackers

    Returns
    -------
    {Attack: Estimate} : attacks with an EER on all lists

    Raises
    ------
    BadInput : a file in another place, attacks with other numbers of replicates
    """
    estimates: dict[Attack, dict[TrialList, Estimate]] = {}
    lists, shapes = set(), set()
    for path in map(Path, paths):
        _, trial_list, system = parts_of(path, folder)
        for condition, estimate in _read_rates(path, system.anonymiser):
            estimates.setdefault(Attack(*system, condition), {})[trial_list] = estimate
            lists.add(trial_list)
            shapes.add(estimate.replicates.shape)
    if len(shapes) > 1:
        raise BadInput(f"{folder}: attacks differ in their numbers of replicates")
    weights = weights or dict.fromkeys(sorted(lists), 1)
    return {
        attack: average_over(on_lists, weights)
        for attack, on_lists in estimates.items()
        if on_lists.keys() == weights.keys()
    }


def strongest_attacks(attacks: Mapping[Attack, Estimate]) -> dict[str, Attack]:
    """The strongest attack on each anonymiser: {anonymiser: Attack}."""
    rates = {attack: rate for attack, (rate, _, _) in attacks.items()}
    strongest: dict[str, Attack] = {}
    for attack in sorted(attacks):
        best = strongest.setdefault(attack.anonymiser, attack)
        if rates[attack] < rates[best]:  # type: ignore[operator]  # an EER is never undefined
            strongest[attack.anonymiser] = attack
    return strongest


def compare(attacks: Mapping[Attack, Estimate]) -> list[Pair]:
    """Compare every anonymiser with unprotected speech, then every two, under the strongest
    attacks.

    ``attacks`` are those of ``read_attacks``.
    """
    strongest = strongest_attacks(attacks)
    original = strongest.pop(ORIGINAL, None)
    protected = list(strongest.values())
    with_original = [(attack, original) for attack in protected] if original else []
    with_each_other = list(itertools.combinations(protected, 2))
    return _compared(attacks, with_original) + _compared(attacks, with_each_other)


def describe(pair: Pair) -> str:
    """A comparison in one line."""
    return (
        f"{pair.metric}: A = {pair.anonymiser_a}, B = {pair.anonymiser_b}:"
        f"{limits_text(pair)} {pair.verdict}"
    )


def _read_rates(path: Path, anonymiser: str) -> list[tuple[str, Estimate]]:
    """The equal error rates of a file of intervals: (condition, Estimate) under each attack."""
    intervals = read_json(path)
    rates = []
    for condition in ("oo",) if anonymiser == ORIGINAL else PROTECTED_CONDITIONS:
        if METRIC in intervals.get(condition, {}):
            limits = intervals[condition][METRIC]
            name = f"{condition}/{METRIC}"
            replicates = read_npz(replicates_of(path), [name])[name]
            rates.append((condition, Estimate(limits["value"], replicates, limits["n_speakers"])))
    return rates


def _compared(
    attacks: Mapping[Attack, Estimate], pairs: Sequence[tuple[Attack, Attack]]
) -> list[Pair]:
    """Pairs that are corrected together."""
    compared = [difference(METRIC, attacks[a], attacks[b]) for a, b in pairs]
    corrected = holm([numbers["p_value"] for numbers in compared])
    return [
        Pair(METRIC, *a, *b, **numbers, p_holm=p)
        for (a, b), numbers, p in zip(pairs, compared, corrected, strict=True)
    ]
