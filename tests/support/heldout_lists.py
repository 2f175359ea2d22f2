"""Simulated lists for the held-out attacker; columns are enrolled, tried, recordings and scores."""

import numpy as np

from voiceprivacy.privacy.verdict import learner, linked, verdict
from voiceprivacy.privacy.verdict.evidence import PERCENT, Evidence, gain
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.privacy.verdict.trials import (
    NotMeasured,
    Trials,
    group_means,
    judged,
    trials_of,
)


def complete(n_persons, n_recordings, *, seed, n_attacks=1, distance=0.0):
    """Every enrolled person against every recording of every person.

    Returns
    -------
    enrolled, tried, recordings : arrays (M,)
    scores : array (M, A)
        Gaussian with variance 1; those of targets are ``distance`` higher
    """
    shape = (n_persons, n_persons, n_recordings)
    enrolled, tried, number = (column.ravel() for column in np.indices(shape))
    noise = np.random.default_rng(seed).normal(size=(len(enrolled), n_attacks))
    scores = noise + distance * (enrolled == tried)[:, None]
    return enrolled, tried, tried * n_recordings + number, scores


def only(kept, columns):
    """The columns of some trials."""
    return [column[kept] for column in columns]


def rows_of(enrolled, tried, recordings, scores):
    """The ids of trials with their scores, and the speaker of each id."""
    ids = [
        (f"e{person}", f"t{number}") for person, number in zip(enrolled, recordings, strict=True)
    ]
    speaker_of = {f"e{person}": f"p{person}" for person in enrolled}
    speaker_of |= {
        f"t{number}": f"p{person}" for number, person in zip(recordings, tried, strict=True)
    }
    return ids, scores, speaker_of


def trials_from(enrolled, tried, recordings, scores):
    return trials_of(*rows_of(enrolled, tried, recordings, scores))


def score_table(distances, n_persons=8, n_recordings=3, *, seed=0, table=ScoreTable):
    """Scores of one list, all.

    Parameters
    ----------
    distances : {"SYSTEM ATTACKER CONDITION": distance of its targets}
    table : class of the table
    """
    made = None
    for number, (name, distance) in enumerate(distances.items()):
        draw = [seed, number]
        columns = complete(n_persons, n_recordings, seed=draw, distance=distance)
        ids, scores, speaker_of = rows_of(*columns)
        made = made or table(speaker_of)
        system, *attack = name.split()
        own = made.scores.setdefault("all", {}).setdefault(system, {})
        own[tuple(attack)] = dict(zip(ids, scores[:, 0].tolist(), strict=True))
    return made


def evidence_at_once(trials, recordings=1):
    """Evidence of LLRs of Gaussian scores, means over attacks, of which nobody has to learn.

    Every person has a target. For tests of what becomes of evidence: it takes a millisecond.
    """
    judged(trials)
    if not trials.scores.any():
        raise NotMeasured("equal_scores")
    target, score = trials.target, trials.scores.mean(axis=1)
    low, high = score[~target].mean(), score[target].mean()
    llrs = (high - low) / score[~target].var() * (score - (low + high) / 2)
    values = np.column_stack([PERCENT * gain(np.where(target, llrs, -llrs)), llrs])
    pairs, means = group_means(trials.pair, values)
    return Evidence(
        persons=trials.persons,
        pairs=pairs,
        held_out=means[:, 0],
        in_sample=means[:, :1],
        llrs=means[:, 1],
        centred=np.zeros((len(pairs), 1)),
        candidates=[learner.Candidate([1], 1.0, learner.ONE_SCORE)],
        n_targets=int(target.sum()),
        chosen=np.array([1]),
        recordings=recordings,
    )


def pooled_at_once(trials):
    """The same of means over the recordings of each pair, as many as the first one has."""
    pairs, means = group_means(trials.pair, trials.scores)
    sides = divmod(pairs, len(trials.persons))
    recordings = int((trials.pair == pairs[0]).sum())
    return evidence_at_once(Trials(*sides, *sides, means, trials.persons), recordings)


def judge_at_once(monkeypatch):
    """Let the verdict ask for such evidence."""
    monkeypatch.setattr(verdict, "one_recording", evidence_at_once)
    monkeypatch.setattr(verdict, "all_recordings", pooled_at_once)
    monkeypatch.setattr(verdict, "linkage", evidence_at_once)
    few_draws(monkeypatch)


def few_draws(monkeypatch):
    """Let tests of what is linked draw few sets: p-values are rougher."""
    numbers = {"FEWEST_DRAWN": 400, "DRAWN_PER_TEST": 0, "MOST_LOOKED_UP": 8000, "N_PERMUTED": 199}
    for name, number in numbers.items():
        monkeypatch.setattr(linked, name, number)
