"""How much speech an attack has: models of n utterances, and trials of L utterances.

Conventions
-----------
* The embedding of several utterances is the mean of their raw embeddings, on both sides. Back-ends
  that count (PLDA) are told how many there are.
* A model of n utterances has the first n of the enrolment's utterances in an order that depends on
  the seed and on the enrolment's name. So a model of three holds that of one. Enrolments with fewer
  than n utterances are left out.
* A trial of L utterances is a group of one speaker's trial utterances of the list. The speaker's
  utterances are put into an order that depends on the seed and on the name, and cut into groups of
  L. No utterance is in two groups; what is left over is left out.
* A model is tried on a group if the list tries it on every utterance of the group.
* A point whose groups and models leave less than half of the speakers with target trials does not
  exist: the curve would be one of other speakers.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.attack import Floats
from voiceprivacy.attack.backends.backends import Gallery, Lookup, Scorer, score_trials
from voiceprivacy.inout import seeds
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.tables import Trial, Utterance, mean_seconds
from voiceprivacy.vocabulary import ALL_UTTERANCES

Amount = int | str  # a number of utterances, or ALL_UTTERANCES
LEAST_SPEAKERS = 0.5  # of those that the whole list has


class Listed(NamedTuple):
    """A trial list with all that says how its utterances can be joined.

    ``enrolments`` is {enrolment: utterances}, ``speakers`` {id: speaker} of enrolments and trials,
    ``manifest`` holds the unprotected utterances of both.
    """

    trials: Sequence[Trial]
    enrolments: Mapping[str, Sequence[str]]
    speakers: Mapping[str, str]
    manifest: Sequence[Utterance]


class Joined(NamedTuple):
    """Trials of models of ``enrolment`` utterances against groups of ``trial`` utterances.

    ``models`` are {enrolment: utterances}, ``groups`` {id of a group: utterances}; ``speakers`` is
    {id: speaker} of both. ``enrolment_s`` and ``trial_s`` are how long the models and the groups
    that are tried last, on average.
    """

    enrolment: Amount
    trial: int
    trials: list[Trial]
    models: dict[str, list[str]]
    groups: dict[str, list[str]]
    speakers: dict[str, str]
    enrolment_s: float
    trial_s: float

    @property
    def amounts(self) -> dict[str, Any]:
        """How much speech there is on both sides, by the names of the fields."""
        names = ("enrolment", "trial", "enrolment_s", "trial_s")
        return {name: getattr(self, name) for name in names}


def joined(
    listed: Listed, *, enrolment: Sequence[Amount], trial: Sequence[int], seed: int
) -> Iterator[Joined]:
    """Every combination of amounts that enough speakers have, in this order.

    Parameters
    ----------
    listed : Listed
    enrolment : numbers n of utterances that enrol, or ALL_UTTERANCES
    trial : numbers L of utterances that are tried together
    seed : int
    """
    everyone = {listed.speakers[one.trial] for one in listed.trials if one.label == "target"}
    pairs = {(one.enrolment, one.trial): one.label for one in listed.trials}
    enrolled = dict.fromkeys(one.enrolment for one in listed.trials)
    for length in trial:
        groups = _groups(listed, length, seed)
        group_trials = _trials(pairs, enrolled, groups)
        for amount in enrolment:
            models = _models(listed, list(enrolled), amount, seed)
            kept = [one for one in group_trials if one.enrolment in models]
            speakers = {name: listed.speakers[name] for name in models}
            speakers |= {name: listed.speakers[own[0]] for name, own in groups.items()}
            there = {speakers[one.trial] for one in kept if one.label == "target"}
            has_nontargets = any(one.label == "nontarget" for one in kept)
            if has_nontargets and there and len(there) >= LEAST_SPEAKERS * len(everyone):
                enrolled_in = [models[name] for name in {one.enrolment: None for one in kept}]
                tried = [groups[name] for name in {one.trial: None for one in kept}]
                lasts = [mean_seconds(side, listed.manifest) for side in (enrolled_in, tried)]
                yield Joined(amount, length, kept, models, groups, speakers, *lasts)


def _models(listed, enrolled, amount, seed):
    models = {}
    for name in enrolled:
        utterances = sorted(listed.enrolments[name])
        wanted = len(utterances) if amount == ALL_UTTERANCES else int(amount)
        order = seeds.generator(seed, "enrolment", name).permutation(len(utterances))
        if wanted <= len(utterances):
            models[name] = sorted(utterances[position] for position in order[:wanted])
    return models


def _groups(listed, length, seed):
    own: dict[str, dict[str, None]] = {}
    for one in listed.trials:
        own.setdefault(listed.speakers[one.trial], {})[one.trial] = None
    groups = {}
    for speaker, names in own.items():
        utterances = sorted(names)
        order = seeds.generator(seed, "trial", speaker).permutation(len(utterances))
        for number in range(len(utterances) // length):
            chosen = order[number * length : (number + 1) * length]
            members = [utterances[position] for position in chosen]
            groups["+".join(members)] = members
    return groups


def _trials(pairs, enrolled, groups):
    trials = []
    for name in enrolled:
        for group, members in groups.items():
            labels = {pairs.get((name, member)) for member in members}
            if len(labels) == 1 and None not in labels:
                trials.append(Trial(name, group, labels.pop()))
    return trials


def scored(
    score: Scorer, joined_trials: Joined, *, enrolment: Gallery, trial: Gallery
) -> dict[str, list[tuple[Trial, float]]]:
    """Scores of models against groups, as score files have them: {label: [(Trial, score), ...]}.

    Parameters
    ----------
    score : scorer
    joined_trials : Joined
    enrolment, trial : Gallery
        Of single utterances.
    """
    tried = dict.fromkeys(one.trial for one in joined_trials.trials)
    means: Floats = trial.models([joined_trials.groups[name] for name in tried]).means
    scores = score_trials(
        functools.partial(score, trial_count=joined_trials.trial),
        joined_trials.trials,
        enrolment=enrolment,
        trial=Gallery(Embeddings(np.array(list(tried)), means), trial.path),
        enrolments=Lookup(joined_trials.models, path=enrolment.path, kind="enrolment"),
    )
    by_label: dict[str, list[tuple[Trial, float]]] = {"target": [], "nontarget": []}
    for one, value in zip(joined_trials.trials, scores, strict=True):
        by_label[one.label].append((one, float(value)))
    return by_label
