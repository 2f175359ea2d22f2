"""Who is re-identified: first guesses among all enrolled persons, and persons who are exposed.

All LLRs are held out, one for each ordered pair of persons. Persons are corrected for together over
all lists (Holm).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtrc, stdtr

from voiceprivacy.privacy.uncertainty.multiple import LEVEL, significant
from voiceprivacy.privacy.verdict.evidence import Evidence
from voiceprivacy.privacy.verdict.trials import Trials

SIGNIFICANT = 0.05
NAMED_FROM = 41  # persons; of fewer, a name tells too much by chance
N_RANKED = 2  # columns: LLRs and scores
N_ERRORS = 8  # of the kurtosis: so many keep 8 lists with tails of 4 degrees right
SMALLEST_VARIANCE = 1e-18  # of standardised scores


class Guesses(NamedTuple):
    """First guesses for tried persons among enrolled ones, and how exposed each of them is."""

    right: frozenset[str]  # for whom the first guess is right
    p_value: float  # of so many right guesses by chance
    p_values: dict[str, float]  # of each person who is judged: that they are like others
    not_tested: int  # persons of the list who cannot be judged


def first_guesses(trials: Trials, evidence: Evidence, n_lists: int = 1) -> Guesses:
    """Guess for each tried person the enrolled person with the largest LLR.

    Chance is 1 / n among n enrolled persons. The p-value is that of the binomial law, which holds
    for incomplete lists too: from one above its mean on, its tail is at least that of guesses with
    different chances (Hoeffding 1956), and guesses that all name the same person vary less.

    Parameters
    ----------
    trials : Trials
    evidence : Evidence
        Of these trials, with one or all recordings
    n_lists : int
        That persons are corrected for
    """
    n_persons = evidence.n_persons
    tried = evidence.pairs % n_persons
    # Of equal LLRs a wrong one is guessed: the own pair comes last.
    order = np.lexsort([evidence.target, -evidence.llrs, tried])
    guesses = order[np.unique(tried[order], return_index=True)[1]]
    # Every person has a target: guesses are in the order of persons.
    right = np.flatnonzero(evidence.target[guesses])
    chance = (1 / np.bincount(tried)).mean()
    p_values = _by_rank(evidence)
    n_others = len(evidence.pairs) - n_persons
    if N_RANKED / (1 + n_others) * n_persons * n_lists > SIGNIFICANT:
        p_values = _by_tail(evidence)
    # Every person has a target, and pairs rise: targets are in the order of persons.
    return Guesses(
        right=frozenset(evidence.persons[person] for person in right),
        p_value=float(bdtrc(len(right) - 1, n_persons, chance)),
        p_values=dict(zip(evidence.persons, p_values.tolist(), strict=True)),
        not_tested=len(trials.persons) - n_persons,
    )


def _by_rank(evidence):
    """P-values (S,) of own pairs among all pairs of two persons.

    Pairs of the person count too: who is like everybody is not exposed. A pair is as large as its
    LLR, or as its scores lie far out, whichever is rarer among others (Bonferroni): where one
    person alone is exposed, an attacker who learns on others learns nothing.
    """
    target, columns = evidence.target, (evidence.llrs, evidence.centred.sum(axis=1))
    smaller = [np.searchsorted(np.sort(column[~target]), column[target]) for column in columns]
    return np.minimum(N_RANKED * (1 - np.max(smaller, axis=0) / (1 + (~target).sum())), 1)


def _by_tail(evidence):
    """P-values (S,) of own pairs by a tail, for lists too short for ranks to be rare enough.

    Scores of pairs of two persons have Student's law. Its degrees of freedom are those of their
    excess kurtosis, 6 / (n - 4) with n degrees, plus standard errors that grow with it: heavy tails
    show in few pairs. An own pair is as far out as in the attack where that is rarest (Bonferroni).
    """
    own, others = (evidence.centred[chosen] for chosen in (evidence.target, ~evidence.target))
    n_free = max(len(others) - 2 * evidence.n_persons + 1, 1)  # centred by both sides
    variance = np.maximum((others**2).sum(axis=0) / n_free, SMALLEST_VARIANCE)
    excess = (others**4).mean(axis=0) / variance**2 - 3
    excess += N_ERRORS * np.sqrt(24 / len(others)) * (1 + 2 * np.maximum(excess, 0))
    degrees = np.minimum(n_free, 4 + 6 / np.maximum(excess, SMALLEST_VARIANCE))
    scale = np.sqrt(variance * np.maximum(degrees - 2, 1) / np.maximum(degrees, 3))
    p_values = 2 * stdtr(degrees, -own / scale)
    return np.minimum(p_values.min(axis=1) * own.shape[1], 1)


def is_any_exposed(guesses: Mapping[str, Guesses]) -> bool:
    """Whether on any list more persons are re-identified than by chance, or one more surely."""
    are_many = any(own.p_value <= LEVEL for own in guesses.values())
    return are_many or any(_exposed(guesses).values())


def exposed_facts(
    guesses: Mapping[str, Guesses], *, shows_names: bool = False
) -> dict[str, Any] | None:
    """How many persons are re-identified, on the list where chance explains it least.

    Parameters
    ----------
    guesses : of each list
    """
    if not guesses:
        return None
    exposed = _exposed(guesses)
    smallest = {
        name: min(own.p_value, *exposed[name].values(), 1.0) for name, own in guesses.items()
    }
    worst = min(sorted(smallest), key=smallest.__getitem__)
    large = [exposed[name] for name, own in guesses.items() if len(own.p_values) >= NAMED_FROM]
    return {
        "persons": len(guesses[worst].right | exposed[worst].keys()),
        "of": len(guesses[worst].p_values),
        "not_tested": guesses[worst].not_tested,
        "beyond_chance": guesses[worst].p_value <= LEVEL or bool(exposed[worst]),
        "named": sorted(set().union(*large)) if shows_names else [],
    }


def _exposed(guesses):
    """Persons of each list who are exposed, corrected over all lists."""
    return significant({name: own.p_values for name, own in guesses.items()}, SIGNIFICANT)
