"""How much evidence of the speaker an anonymiser leaves, in six levels, and who leaves less.

Conventions
-----------
* Levels are tests: one-sided at 2.5 %, corrected after Holm. The systems of all sets of a page are
  one family for each threshold, the pairs of all sets another.
* Evidence left is D_ECE under the strongest attack in percent of that on unprotected speech.
* A system is better than another if it leaves less evidence, and is shown worse in nothing. It must
  do so under all its attacks, against those attacks on the other that were tried on both. So an
  attack that broke one of them counts against it, and effort that one was spared counts for nobody.
* The order is in layers: each holds the systems to which no remaining one is shown better.

References
----------
Holm, A simple sequentially rejective multiple test procedure, 1979.
Berger, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24, 1982 (all of
several hypotheses must be rejected: no correction).
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import permutations
from typing import Any, NamedTuple

from voiceprivacy.privacy.uncertainty.paired import holm
from voiceprivacy.privacy.verdict.strongest import ONE_SIDED, Attacks, p_below, p_less, strongest

NONE_LEFT, NONE_FOUND = "none_left", "none_found"
REDUCED, LITTLE_REDUCED, NOT_SHOWN = "reduced", "little_reduced", "not_shown"
CANNOT_SAY = "cannot_say"
LEVELS = (NONE_LEFT, NONE_FOUND, REDUCED, LITTLE_REDUCED, NOT_SHOWN, CANNOT_SAY)


class Thresholds(NamedTuple):
    """The section ``verdict`` of a config."""

    nothing_percent: float
    reduced_percent: float
    weakest_attacker_bit: float
    guessing_eer_percent: float
    times_chance: float


class Findings(NamedTuple):
    """What all attacks found of one system on one set.

    ``evidence`` is evidence left in percent, ``rates`` the other numbers: {rate: Attacks}.
    ``compared`` is evidence in percent of what is the same for all systems, where that differs.
    ``chance`` has what guessing gives, in percent, for those rates that none_left asks for.
    ``silence`` says why nothing can be said; None if something can. ``may_be_none_left`` is
    whether the attacks that this level asks for were tried, and nobody is exposed beyond chance.
    """

    evidence: Attacks
    rates: Mapping[str, Attacks]
    chance: Mapping[str, float]
    within_band: bool
    may_be_none_left: bool
    silence: str | None
    compared: Attacks | None = None


Key = tuple[str, str]  # (set, system)


def levels(findings: Mapping[Key, Findings], thresholds: Thresholds) -> dict[Key, str]:
    """The level of every system of every set: {(set, system): level}."""
    judged = [key for key, system in findings.items() if system.silence is None]
    below = {
        percent: _shown_below(findings, judged, percent)
        for percent in (thresholds.nothing_percent, thresholds.reduced_percent, 100.0)
    }
    named = dict.fromkeys(findings, CANNOT_SAY)
    for key in judged:
        system = findings[key]
        if key in below[thresholds.nothing_percent] and _nothing_else_left(system, thresholds):
            named[key] = NONE_LEFT
        elif system.within_band:
            named[key] = NONE_FOUND
        elif key in below[thresholds.reduced_percent]:
            named[key] = REDUCED
        else:
            named[key] = LITTLE_REDUCED if key in below[100.0] else NOT_SHOWN
    return named


def _shown_below(findings, judged, percent):
    """Those systems of which the evidence left is shown to be below a limit.

    Their interval must not reach it either: of few speakers it is wider than Student's t knows.
    """
    p_values = holm([p_below(findings[key].evidence, percent) for key in judged])
    shown = set()
    for key, p_value in zip(judged, p_values, strict=True):
        worst = strongest(findings[key].evidence)
        if p_value <= ONE_SIDED and worst is not None and worst.high < percent:
            shown.add(key)
    return shown


def _nothing_else_left(system, thresholds):
    if not system.may_be_none_left:
        return False
    for rate, chance in system.chance.items():
        worst = strongest(system.rates.get(rate, {}))
        if worst is None or worst.high > thresholds.times_chance * chance:
            return False
    worst = strongest(system.rates.get("eer_percent", {}))
    return worst is not None and 100 - worst.high >= thresholds.guessing_eer_percent


def better(findings: Mapping[Key, Findings]) -> list[tuple[str, str, str]]:
    """Which system is shown better than which: (set, better, worse), sorted.

    Holm's correction is over all ordered pairs of all sets.
    """
    pairs, p_values = [], []
    for one, other in permutations(findings, 2):
        if one[0] == other[0] and not (findings[one].silence or findings[other].silence):
            pairs.append((one[0], one[1], other[1]))
            p_values.append(_p_better(findings[one], findings[other]))
    return sorted(pair for pair, p in zip(pairs, holm(p_values), strict=True) if p <= ONE_SIDED)


def _p_better(one: Findings, other: Findings) -> float:
    """p-value of "one leaves less evidence than the other"; 1 if it is shown worse in a rate."""
    own, others = one.compared or one.evidence, other.compared or other.evidence
    p_value = p_less(own, _tried_on_both(others, own))
    if p_value <= ONE_SIDED and any(
        p_less(attacks, one.rates[rate]) <= ONE_SIDED
        for rate, attacks in other.rates.items()
        if one.rates.get(rate)
    ):
        return 1.0
    return p_value


def _tried_on_both(attacks, others):
    kinds = {attack.kind() for attack in others}
    return {attack: each for attack, each in attacks.items() if attack.kind() in kinds}


def order(systems: Iterable[str], pairs: Collection[tuple[str, str]]) -> list[list[str]]:
    """Layers of systems, least evidence first.

    Each holds those to which no remaining one is shown better. Systems that are better than each
    other in a circle are one layer.

    Parameters
    ----------
    systems : those that may stand in the order
    pairs : (better, worse)
    """
    remaining = sorted(systems)
    layers = []
    while remaining:
        above = {
            system: {one for one, other in pairs if other == system and one in remaining}
            for system in remaining
        }
        layer = [system for system in remaining if not above[system]]
        layer = layer or _first_circles(remaining, above)
        layers.append(layer)
        remaining = [system for system in remaining if system not in layer]
    return layers


def _first_circles(systems, above):
    """Systems above which there are only those that they are themselves above."""
    reach = {system: _all_above(system, above) for system in systems}
    return [system for system in systems if all(system in reach[other] for other in reach[system])]


def _all_above(system: str, above: Mapping[str, Any]) -> set[str]:
    """Everything above a system, directly or through others."""
    seen: set[str] = set()
    waiting = list(above[system])
    while waiting:
        other = waiting.pop()
        if other not in seen:
            seen.add(other)
            waiting += above[other]
    return seen
