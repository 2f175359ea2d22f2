"""Who is re-identified: first guesses among all enrolled persons, and persons who are exposed.

All LLRs are held out, one for each ordered pair of persons.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import bdtrc

from voiceprivacy.privacy.uncertainty.multiple import holm
from voiceprivacy.privacy.verdict.evidence import Evidence
from voiceprivacy.privacy.verdict.trials import Trials

SIGNIFICANT = 0.05


class Guesses(NamedTuple):
    """First guesses for tried persons among enrolled ones, and who is exposed."""

    n_persons_judged: int
    n_reidentified: int  # the first guess is right, or the person is exposed
    p_value: float  # of so many right guesses by chance
    exposed: dict[str, float]  # person: p-value after Holm's correction, at most 0.05
    not_tested: int  # persons of the list who cannot be judged


def first_guesses(trials: Trials, evidence: Evidence) -> Guesses:
    """Guess for each tried person the enrolled person with the largest LLR.

    Chance is 1 / n among n enrolled persons. The p-value is that of the binomial law, which holds
    for incomplete lists too: from one above its mean on, its tail is at least that of guesses with
    different chances (Hoeffding 1956), and guesses that all name the same person vary less.

    Parameters
    ----------
    trials : Trials
    evidence : Evidence
        Of these trials, with one or all recordings
    """
    n_persons = evidence.n_persons
    tried = evidence.pairs % n_persons
    # Of equal LLRs a wrong one is guessed: the own pair comes last.
    order = np.lexsort([evidence.target, -evidence.llrs, tried])
    guesses = order[np.unique(tried[order], return_index=True)[1]]
    # Every person has a target: guesses are in the order of persons.
    right = np.flatnonzero(evidence.target[guesses])
    chance = (1 / np.bincount(tried)).mean()
    exposed = _exposed(evidence)
    return Guesses(
        n_persons_judged=n_persons,
        n_reidentified=len({evidence.persons[person] for person in right} | exposed.keys()),
        p_value=float(bdtrc(len(right) - 1, n_persons, chance)),
        exposed=exposed,
        not_tested=len(trials.persons) - n_persons,
    )


def _exposed(evidence):
    """Persons whose own pair is significantly larger than all pairs of two persons.

    Pairs of the person count too: who is like everybody is not exposed. A pair is as large as its
    LLR, or as its scores lie far out, whichever is rarer among others (Bonferroni): where one
    person alone is exposed, an attacker who learns on others learns nothing.
    """
    target, columns = evidence.target, (evidence.llrs, evidence.centred)
    smaller = [np.searchsorted(np.sort(column[~target]), column[target]) for column in columns]
    p_values = holm(len(columns) * (1 - np.max(smaller, axis=0) / (1 + (~target).sum())))
    # Every person has a target, and pairs rise: targets are in the order of persons.
    named = zip(evidence.persons, p_values.tolist(), strict=True)
    return {name: p_value for name, p_value in named if p_value <= SIGNIFICANT}
