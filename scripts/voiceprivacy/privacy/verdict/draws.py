"""Several draws of one anonymiser: what one release gives away, when another draw gives another.

Conventions
-----------
* What is estimated is one release, not the mean of many. So an interval adds (1 + 1/R) times the
  variance between R draws, by Student's t with R - 1 degrees of freedom.
* Draws are not averaged into one system: the attacker chooses the strongest attack on each.
* Speakers are drawn anew together, in all draws of an anonymiser.

References
----------
Hahn and Meeker, Statistical intervals, 1991 (an interval for one further observation).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.verdict.findings import Judged
from voiceprivacy.privacy.verdict.levels import Findings
from voiceprivacy.privacy.verdict.strongest import (
    ONE_SIDED,
    Attacks,
    Candidate,
    Strongest,
    strongest,
)


def merged(draws: Sequence[Judged]) -> Judged:
    """What one release of an anonymiser gives away, from at least two draws of it.

    ``attacks`` are those on the first draw. Nothing can be said if nothing can be said of a draw.
    """
    first = draws[0]
    findings = [draw.findings for draw in draws]
    bands = [draw.band_bit for draw in draws if draw.band_bit is not None]
    silence = next((each.silence for each in findings if each.silence), None)
    of_one = Findings(
        evidence=_chosen([each.evidence for each in findings]),
        rates={
            rate: _chosen([each.rates.get(rate, {}) for each in findings])
            for rate in findings[0].rates
        },
        chance=first.findings.chance,
        within_band=all(each.within_band for each in findings),
        may_be_none_left=all(each.may_be_none_left for each in findings),
        silence=silence,
        compared=_on_all([each.compared or each.evidence for each in findings]),
    )
    return Judged(
        attacks=first.attacks,
        findings=of_one,
        numbers={
            number: _worst([draw.numbers[number] for draw in draws]) for number in first.numbers
        },
        within_band=all(draw.within_band for draw in draws),
        band_bit=max(bands) if len(bands) == len(draws) else None,
        exposed_beyond_chance=any(draw.exposed_beyond_chance for draw in draws),
        unprotected_errors=first.unprotected_errors,
        n_draws=len(draws),
    )


def _worst(draws: Sequence[Strongest | None]) -> Strongest | None:
    """A number of one release: the mean over draws, and limits that hold for a further draw."""
    known = [draw for draw in draws if draw is not None]
    if len(known) < len(draws):
        return None
    value = float(np.mean([draw.value for draw in known]))
    between = _between([draw.value for draw in known])
    below = np.hypot(np.mean([draw.value - draw.low for draw in known]), between)
    above = np.hypot(np.mean([draw.high - draw.value for draw in known]), between)
    largest = max(known, key=lambda draw: draw.value)
    defined = float(np.mean([draw.defined for draw in known]))
    return Strongest(value, float(value - below), float(value + above), largest.attack, defined)


def _chosen(draws: Sequence[Attacks]) -> Attacks:
    """The strongest attack on each draw, as one attack on one release; none if a draw has none."""
    chosen = []
    for attacks in draws:
        best = strongest(attacks)
        if best is None:
            return {}
        chosen.append((best, attacks[best.attack]))
    largest, _ = max(chosen, key=lambda pair: pair[0].value)
    return {largest.attack: _one_release([each for _, each in chosen])}


def _on_all(draws: Sequence[Attacks]) -> Attacks:
    """Each attack that was tried on all draws, as an attack on one release."""
    shared = [attack for attack in draws[0] if all(attack in attacks for attacks in draws)]
    return {attack: _one_release([attacks[attack] for attacks in draws]) for attack in shared}


def _one_release(draws: Sequence[Candidate]) -> Candidate:
    """A Candidate of one release from those of its draws."""
    value = float(np.mean([draw.value for draw in draws]))
    between = _between([draw.value for draw in draws])
    n_speakers = min(draw.n_speakers for draw in draws)
    replicates = np.mean([draw.replicates for draw in draws], axis=0)
    replicates = further_draw(replicates, [draw.value for draw in draws], n_speakers)
    return Candidate(
        value=value,
        defined=float(np.mean([draw.defined for draw in draws])),
        low=float(value - np.hypot(np.mean([each.value - each.low for each in draws]), between)),
        high=float(value + np.hypot(np.mean([each.high - each.value for each in draws]), between)),
        replicates=replicates,
        n_speakers=n_speakers,
        whole=sum((draw.whole for draw in draws), 0.0) / len(draws),
    )


def further_draw(replicates: Floats, values: Sequence[float], n_speakers: int) -> Floats:
    """Replicates (B,) of the mean of draws with these values, spread as far as a further draw."""
    centre, spread = replicates.mean(), replicates.std()
    # Tests hold the spread against t of the speakers: so far must draws reach in it.
    further = _between(values) / stdtrit(n_speakers - 1, 1 - ONE_SIDED)
    if not spread:
        return replicates
    return centre + (replicates - centre) * np.hypot(spread, further) / spread


def _between(values: Sequence[float]) -> float:
    """How far a further draw may lie from the mean of R draws (95 %), but for their own errors."""
    n_draws = len(values)
    variance = np.var(values, ddof=1) * (1 + 1 / n_draws)
    return float(stdtrit(n_draws - 1, 1 - ONE_SIDED) * np.sqrt(variance))
