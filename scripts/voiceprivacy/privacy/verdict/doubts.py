"""Lists that look wrong: what scores, or sessions, show of how a list was made.

``targets_below``: protected targets score below nontargets, or below all nontargets of their
recording, more often than by chance, while the same attacker scores unprotected targets higher.
Lists look so where the nontargets of a recording are its highest scores. So does speech that moves
away from its own speaker, which gives the speaker away, too.

``strangers_alone``: one stranger is as far ahead of all others as only own persons are in
unprotected speech, in more than 10 % of the recordings. It looks so where files are mixed up.

Both are t tests over persons (1 %, corrected for the attacks of a list).

``other_sessions``: targets are always of other sessions, or channels, than nontargets, where
sessions are known and shared by persons. By chance a list is so in 1 % of the cases at most.

docs/internals/verdict.md says how often they warn of ordinary lists.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from voiceprivacy.privacy import Counts, Floats
from voiceprivacy.privacy.verdict.score_table import Scored, Trial
from voiceprivacy.privacy.verdict.trials import FEWEST_IN_COHORT, FEWEST_PERSONS, group_means

TARGETS_BELOW, STRANGERS_ALONE = "targets_below", "strangers_alone"
OTHER_SESSIONS = "other_sessions"
LEVEL = 0.01
ALONE_SHARE = 0.1  # of the recordings
SMALLEST_ERROR = 1e-9


class Compared(NamedTuple):
    """R recordings of one attack: their persons, and how own and other persons score.

    Scores are less the mean of others who were compared with the same person: some are like
    everybody. ``others`` has -inf where a person was not compared.
    """

    persons: Counts  # (R,)
    own: Floats  # (R,)
    others: Floats  # (R, E)

    @property
    def n_others(self) -> Counts:
        """How many other persons each recording is compared with, (R,)."""
        return np.isfinite(self.others).sum(axis=1)

    def turned(self, sign: float) -> "Compared":
        """The same with scores times a sign."""
        others = np.where(np.isfinite(self.others), sign * self.others, -np.inf)
        return self._replace(own=sign * self.own, others=others)

    def above(self) -> Floats:
        """The share of others whom the own person is above, less one half, (R,)."""
        known = np.isfinite(self.others)
        half = 0.5 * (self.others == self.own[:, None])
        below = ((self.others < self.own[:, None]) + half) * known
        return below.sum(axis=1) / self.n_others - 0.5

    def below_all(self) -> Floats:
        """Whether the own person is below all others, less how often that is by chance, (R,)."""
        lowest = np.where(np.isfinite(self.others), self.others, np.inf).min(axis=1)
        return (self.own < lowest) - 1 / (self.n_others + 1)

    def lead(self) -> Floats:
        """By how much the own person is ahead of all others, (R,)."""
        return self.own - self.others.max(axis=1)

    def lead_of_stranger(self) -> Floats:
        """By how much the first of the others is ahead of the second, (R,)."""
        second, first = np.sort(self.others, axis=1)[:, -2:].T
        return first - second


def doubts_of(protected: Scored, unprotected: Scored, speaker_of: Mapping[str, str]) -> set[str]:
    """The codes of what looks wrong in a list of a system.

    Parameters
    ----------
    protected, unprotected : the same list, under attacks of which some have the same attacker
    """
    attackers = [attacker for attacker, _ in unprotected.attacks]
    pairs = [
        (column, attackers.index(attacker))
        for column, (attacker, _) in enumerate(protected.attacks)
        if attacker in attackers
    ]
    codes: set[str] = set()
    for now, before in pairs:
        columns = compared(protected, now, speaker_of), compared(unprotected, before, speaker_of)
        if all(len(np.unique(one.persons)) >= FEWEST_PERSONS for one in columns):
            codes |= {*_doubts(*columns, LEVEL / len(pairs))}
    return codes


def _doubts(now: Compared, before: Compared, level: float) -> Iterator[str]:
    sign = np.sign(before.above().mean()) or 1
    now, before = now.turned(sign), before.turned(sign)
    if _p_positive(before.above(), before.persons) > level:
        return  # unprotected speech does not say which scores are the higher ones
    p_below = [
        _p_positive(-now.above(), now.persons),
        _p_positive(now.below_all(), now.persons),
    ]
    if min(p_below) <= level / len(p_below):
        yield TARGETS_BELOW
    far = np.median(before.lead())
    if far > 0:
        usual = (before.lead_of_stranger() >= far).mean()
        more = (now.lead_of_stranger() >= far) - usual
        if more.mean() > ALONE_SHARE and _p_positive(more, now.persons) <= level:
            yield STRANGERS_ALONE


def compared(scored: Scored, column: int, speaker_of: Mapping[str, str]) -> Compared:
    """Recordings that one attack compares with their own person and with three others or more.

    Several enrolments of a person count by their mean.
    """
    enrolments, tried = zip(*scored.trials, strict=True)
    persons, enrolled = np.unique([speaker_of[one] for one in enrolments], return_inverse=True)
    recordings, row = np.unique(tried, return_inverse=True)
    known = np.isfinite(scored.scores[:, column])
    places, means = group_means(
        (row * len(persons) + enrolled)[known], scored.scores[known][:, [column]]
    )
    scores = np.full((len(recordings), len(persons)), -np.inf)
    np.put(scores, places, means[:, 0])
    number = {name: index for index, name in enumerate(persons.tolist())}
    person = np.array([number.get(speaker_of[one], -1) for one in recordings.tolist()])
    own = scores[np.arange(len(person)), person]
    scores[np.arange(len(person)), person] = -np.inf
    usual = np.ma.masked_invalid(scores).mean(axis=0).filled(0)
    own, scores = own - usual[person], scores - usual
    kept = (person >= 0) & np.isfinite(own)
    kept &= np.isfinite(scores).sum(axis=1) >= FEWEST_IN_COHORT
    return Compared(person[kept], own[kept], scores[kept])


def _p_positive(values: Floats, persons: Counts) -> float:
    """The p-value of a mean over persons of at most 0."""
    _, means = group_means(persons, values[:, None])
    error = max(float(means.std(ddof=1)) / len(means) ** 0.5, SMALLEST_ERROR)
    return float(stdtr(len(means) - 1, -means.mean() / error))


def is_of_other_sessions(
    trials: Iterable[Trial],
    speaker_of: Mapping[str, str],
    sessions_of: Mapping[str, Collection[str]],
) -> bool:
    """Whether targets of a list are always of other sessions than nontargets.

    Either no recording of a target has a session that one of a nontarget has; or targets are all of
    a session of their enrolment, and nontargets never, or the other way round. Sessions that one
    person has alone say nothing.

    Parameters
    ----------
    sessions_of : {id of an enrolment or a recording: its sessions}
    """
    persons: dict[bool, Counter[tuple[str, str]]] = {True: Counter(), False: Counter()}
    enrolled: Counter[tuple[str, str]] = Counter()  # of nontargets, (session, person)
    are_same: dict[bool, set[bool]] = {True: set(), False: set()}
    for enrolment, recording in trials:
        is_target = speaker_of[enrolment] == speaker_of[recording]
        own, other = set(sessions_of[enrolment]), set(sessions_of[recording])
        are_same[is_target].add(bool(own & other))
        persons[is_target].update((session, speaker_of[recording]) for session in other)
        if not is_target:
            enrolled.update((session, speaker_of[enrolment]) for session in own)
    if not all(persons.values()):
        return False
    chances = [1.0]
    if persons[True].keys().isdisjoint(persons[False]):
        chances.append(_chance_of_pure_sessions(persons[True], persons[False]))
    if are_same in ({True: {True}, False: {False}}, {True: {False}, False: {True}}):
        usual = _pairs_of_a_session(enrolled, persons[False])
        n_others = usual if are_same[True] == {True} else persons[False].total() - usual
        chances.append(float(np.exp(-n_others)))
    return min(chances) <= LEVEL


def _chance_of_pure_sessions(targets, nontargets):
    """How often no session has both classes by chance; each counts {(session, person): trials}."""
    sizes = Counter(session for session, _ in targets.keys() | nontargets.keys())
    if {session for session, _ in targets} & {session for session, _ in nontargets}:
        return 1.0
    share = len(targets) / sizes.total()
    return float(np.prod([share**size + (1 - share) ** size for size in sizes.values()]))


def _pairs_of_a_session(enrolled, tried):
    """How many pairs of two persons are of one session if enrolments are drawn at random."""
    of_session = Counter()
    for (session, _), number in enrolled.items():
        of_session[session] += number
    pairs = [
        number * (of_session[session] - enrolled[session, person])
        for (session, person), number in tried.items()
    ]
    return sum(pairs) / enrolled.total()
