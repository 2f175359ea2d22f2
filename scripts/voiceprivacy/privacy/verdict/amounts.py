"""The headline numbers of an attack with so much speech: what its curves are drawn from.

Conventions
-----------
* Scores are read as they are meant, higher = more likely the same speaker. The equal error rate is
  folded: one above 50 % is 100 % minus it, because an attacker may turn scores round.
* Numbers are those of the verdict, of one list: see ``evidence`` and ``record``. Intervals (95 %)
  are over speakers, as everywhere (see ``bootstrap``).
* A number that a list is too short for is left out.
"""

import numpy as np

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.law import criteria
from voiceprivacy.privacy.scores.trials import ScoredTrials, SpeakerTrials, ids_of, n_speakers
from voiceprivacy.privacy.uncertainty.bootstrap import (
    CORRECTIONS,
    Correction,
    interval,
    multiplicities,
)
from voiceprivacy.privacy.verdict import evidence
from voiceprivacy.privacy.verdict.evidence import DECE, EER
from voiceprivacy.privacy.verdict.readings import READINGS
from voiceprivacy.vocabulary import ABSENT, AMOUNT_NUMBERS, UNDEFINED, AmountPoint

MOST_REPLICATES = 200  # of each point: there are dozens in a file
FOLDED, IDENTIFIED = "eer_folded_percent", "identification_of_20_percent"
ASCENDING = READINGS.index("ascending")
# As in the catalogue, which knows the equal error rate of the same polyline by another name.
EQUAL_ERRORS = CORRECTIONS["eer_rocch_percent"]
PERCENT = Correction(0, 0.0, 100.0)
HOW_CORRECTED = {DECE: CORRECTIONS[DECE], FOLDED: EQUAL_ERRORS}


def points_of(
    scored: ScoredTrials, trials: SpeakerTrials, *, n_replicates: int, seed: int
) -> list[AmountPoint]:
    """The headline numbers of one list of trials, with their intervals.

    What they are points of is left empty: ``anonymiser`` to ``trial_s``.

    Parameters
    ----------
    scored, trials : the same trials, as read and as arranged by speakers
    n_replicates : int
        Of the intervals; at most MOST_REPLICATES are drawn.
    """
    options = {"n_replicates": min(n_replicates, MOST_REPLICATES), "seed": seed}
    drawn = _rates(trials, options) | _searches(scored, trials, options)
    people = n_speakers(trials)
    n_target = int(np.count_nonzero(trials.target))
    points = []
    for name in AMOUNT_NUMBERS:
        value, replicates = drawn[name]
        if np.isnan(value):
            continue
        correction = HOW_CORRECTED.get(name, PERCENT)
        low, high = _limits(value, replicates, people, correction)
        points.append(AmountPoint("", "", "", 0, 0, 0, name, value, low, high, people, n_target))
    return points


def _rates(trials, options):
    """{number: (value, replicates)} of error rates and D_ECE."""
    assessed = evidence.assess(trials, n_permutations=1, **options)  # permutations are not used
    rates = {}
    for position, name in enumerate(evidence.RATES):
        values = assessed.values[ASCENDING, position]
        rates[name] = values, assessed.replicates[ASCENDING, position]
    value, replicates = rates[EER]
    is_turned = value > 50
    # Replicates follow the value, so that an interval around 50 % does not shrink to one side.
    rates[FOLDED] = (100 - value, 100 - replicates) if is_turned else (value, replicates)
    return rates


def _searches(scored, trials, options):
    ids = ids_of(scored)
    rate = criteria.linkability(
        trials=trials,
        enrolment_id=ids.enrolment,
        trial_id=ids.trial,
        n_speakers=20,
        weights=multiplicities(trials.speakers, **options),
    )
    return {IDENTIFIED: (100 * rate.value, 100 * rate.replicates)}


def _limits(
    value: float, replicates: Floats, people: int, correction: Correction
) -> tuple[float | str, float | str]:
    """95 % interval; none without replicates, or where all are the same, which says too little."""
    usable = replicates[~np.isnan(replicates)]
    if not len(usable) or np.ptp(usable) == 0:
        return ABSENT, ABSENT
    limits = interval(value, replicates, n_speakers=people, correction=correction)
    if UNDEFINED in (limits.ci_low, limits.ci_high):
        return ABSENT, ABSENT
    # Moved back by their bias, limits of few speakers can miss the value.
    return min(float(limits.ci_low), value), max(float(limits.ci_high), value)
