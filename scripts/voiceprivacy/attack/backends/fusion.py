"""Fusion: several attackers' scores of the same trials become one log-likelihood ratio (LLR).

The LLR is a weighted sum of the scores and an offset. Weights are learnt by logistic regression
from pairs of training utterances, whose speakers none of the fused attackers was trained on.

Conventions
-----------
* ``scores`` is (M, K): M trials, K attackers, higher = more likely the same speaker.
* Targets and nontargets weigh the same, however many there are (a prior of one half). So the
  offset leaves an LLR, a natural logarithm.
* Each condition has weights of its own, because attackers that are good on original speech may be
  fooled by protected speech. A fusion that learnt from original speech only has those of OO, and
  uses them everywhere.
* A penalty holds the weights of standardised scores. It is that of a normal prior with the variance
  PRIOR_VARIANCE, if there were as many independent trials as speakers. It keeps weights finite
  where training trials are separable, and small where few speakers say little.
* Which utterances are paired depends on names only, not on the order of a manifest.

References
----------
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011: prior-weighted logistic regression
for calibration and fusion.
Pigeon, Druyts and Verlinde, Applying logistic regression to the fusion of the NIST'99 1-speaker
submissions, Digital Signal Processing 10, 2000.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from voiceprivacy.attack import Flags, Floats
from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    recordings_of,
    source_of,
)
from voiceprivacy.vocabulary import CONDITIONS

UNPROTECTED = "oo"  # the condition of original speech, whose weights there always are
HELD_OUT = 0.25  # of a corpus's speakers, where fused attackers are trained on the others
FEWEST_HELD_OUT = 3  # of each gender, as far as there are: others must be there to be told apart
FEWEST_SPEAKERS = 3  # with target pairs
MOST_UTTERANCES = 8  # of a speaker; 300 speakers then make a few seconds of work
MOST_NONTARGETS = 100_000
PRIOR_VARIANCE = 16.0  # of 1 to 100 the best calibrated with 6 to 40 simulated speakers
NEWTON_STEPS = 100  # at most; ordinary scores take about eight
CONVERGED = 1e-10  # largest step that ends the search
# Under which condition the training pairs were compared whose weights serve each condition.
LEARNT_UNDER = {name: name for name in CONDITIONS} | {"p0p1": "pp", "rr": "pp"}


class Weights(NamedTuple):
    """What is learnt under one condition: an LLR is ``scores @ weights + offset``.

    ``weights`` (K,) are of the scores as they are. Numbers say how much was learnt from.
    """

    weights: Floats
    offset: float
    n_speakers: int
    n_target: int
    n_nontarget: int


class Fusion(NamedTuple):
    """The names of the fused attackers, and their Weights by condition."""

    parts: tuple[str, ...]
    conditions: dict[str, Weights]

    def under(self, condition: str, *, of_original: bool) -> Weights:
        """The weights for scores of a condition, of unprotected speech or of an anonymiser."""
        wanted = UNPROTECTED if of_original else LEARNT_UNDER[condition]
        return self.conditions.get(wanted, self.conditions[UNPROTECTED])


# Who is held out, and which pairs train.


def held_out(utterances: Sequence[Utterance], *, seed: int) -> set[str]:
    """Speakers of a training corpus who train fusions; all others train attackers.

    They are HELD_OUT of each gender, but at least FEWEST_HELD_OUT, and never more than half. Each
    speaker has a draw of its own from seed and name, and the smallest draws are held out.
    """
    genders: dict[str, set[str]] = {}
    for utterance in utterances:
        genders.setdefault(utterance.gender, set()).add(utterance.speaker)
    chosen: set[str] = set()
    for speakers in genders.values():
        wanted = max(FEWEST_HELD_OUT, round(HELD_OUT * len(speakers)))
        order = sorted(speakers, key=lambda name: (seeds.derive(seed, "held out", name), name))
        chosen.update(order[: min(wanted, len(speakers) // 2)])
    return chosen


def training_pairs(
    utterances: Sequence[Utterance], *, recording: str | None = None
) -> tuple[list[Trial], int]:
    """Pairs of utterances that a fusion learns from, and the number of speakers with target pairs.

    Targets are of two recordings. Where fewer than FEWEST_SPEAKERS have several, they are of two
    utterances; where fewer have those, of two pieces of one utterance. Nontargets are of one
    gender, as in most trial lists.

    Parameters
    ----------
    utterances : sequence of Utterance
    recording : regular expression, optional
        See tables.recordings_of.

    Raises
    ------
    BadInput : fewer than FEWEST_SPEAKERS have target pairs, or no two speakers share a gender
    """
    kept = _kept(utterances)
    recordings = dict(zip(kept, recordings_of(kept, recording), strict=True))
    sources = {name: source_of(name) for name in kept}
    pieces = {name: name for name in kept}
    for apart in (recordings, sources, pieces):
        targets = _targets(kept, apart)
        n_speakers = len({kept[pair.trial].speaker for pair in targets})
        if n_speakers >= FEWEST_SPEAKERS:
            break
    nontargets = [
        Trial(one.utterance, other.utterance, "nontarget")
        for one, other in itertools.combinations(kept.values(), 2)
        if one.speaker != other.speaker and one.gender == other.gender
    ]
    if n_speakers < FEWEST_SPEAKERS or not nontargets:
        raise BadInput(
            f"a fusion needs {FEWEST_SPEAKERS} speakers with two recordings, utterances or pieces"
            f" each, and two speakers of one gender: there are {n_speakers} such speakers for it"
            " (a corpus for training with more speech, or fewer attackers trained on it, would do)"
        )
    if len(nontargets) > MOST_NONTARGETS:
        draw = seeds.generator(0, "nontargets of a fusion")
        chosen = np.sort(draw.choice(len(nontargets), MOST_NONTARGETS, replace=False))
        nontargets = [nontargets[position] for position in chosen]
    return targets + nontargets, n_speakers


def _kept(utterances):
    """At most MOST_UTTERANCES of each speaker, by name: {utterance: Utterance}."""
    by_speaker: dict[str, list[Utterance]] = {}
    for utterance in sorted(utterances, key=lambda one: (one.speaker, one.utterance)):
        by_speaker.setdefault(utterance.speaker, []).append(utterance)
    kept = {}
    for speaker, own in by_speaker.items():
        order = seeds.generator(0, "utterances of a fusion", speaker).permutation(len(own))
        for position in sorted(order[:MOST_UTTERANCES]):
            kept[own[position].utterance] = own[position]
    return kept


def _targets(kept, apart):
    """Pairs of one speaker whose sides differ in ``apart`` {utterance: what it is of}."""
    pairs = []
    for one, other in itertools.combinations(kept.values(), 2):
        if one.speaker == other.speaker and apart[one.utterance] != apart[other.utterance]:
            pairs.append(Trial(one.utterance, other.utterance, "target"))
    return pairs


# Learning and using weights.


def learn(scores: Floats, target: Flags, *, n_speakers: int) -> Weights:
    """Weights by regularised logistic regression in which both classes weigh the same.

    Minimises the mean cost over targets and that over nontargets, and a penalty on the weights of
    standardised scores.

    Parameters
    ----------
    scores : array (M, K)
    target : array (M,) of bool
    n_speakers : int
        Who have target trials: the number of independent observations, rather than M.

    Raises
    ------
    BadInput : a score is not finite, or a class has no trials
    """
    scores = np.asarray(scores, dtype=float)
    if not np.isfinite(scores).all():
        raise BadInput("a fusion cannot learn from infinite scores")
    if target.all() or not target.any():
        raise BadInput("a fusion needs target and nontarget trials")
    centre, scale = scores.mean(axis=0), scores.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)  # equal scores say nothing and get the weight 0
    inputs = np.column_stack([(scores - centre) / scale, np.ones(len(scores))])
    class_weights = np.where(target, 0.5 / target.sum(), 0.5 / (~target).sum())
    # The cost is a mean over trials, so the penalty of the prior is divided by their number.
    penalty = np.append(np.full(scores.shape[1], 1 / (PRIOR_VARIANCE * n_speakers)), 0.0)
    solution = _newton(inputs, np.where(target, 1.0, -1.0), class_weights, penalty)
    weights = solution[:-1] / scale
    n_target = int(np.count_nonzero(target))
    return Weights(
        weights,
        float(solution[-1] - weights @ centre),
        n_speakers,
        n_target,
        len(target) - n_target,
    )


def _newton(inputs, signs, class_weights, penalty):
    """Parameters of least cost; steps are halved where the cost would rise."""

    def cost(parameters):
        loss = class_weights @ np.logaddexp(0, -signs * (inputs @ parameters))
        return loss + penalty @ parameters**2 / 2

    parameters = np.zeros(inputs.shape[1])
    for _ in range(NEWTON_STEPS):
        llrs = inputs @ parameters
        gradient = penalty * parameters
        gradient -= inputs.T @ (class_weights * signs * expit(-signs * llrs))
        curvature = class_weights * expit(llrs) * expit(-llrs)
        hessian = inputs.T @ (inputs * curvature[:, None]) + np.diag(penalty)
        step = np.linalg.lstsq(hessian, gradient)[0]
        while cost(parameters - step) > cost(parameters) and np.abs(step).max() > CONVERGED:
            step /= 2
        parameters -= step
        if np.abs(step).max() <= CONVERGED:
            break
    return parameters


def fuse(scores: Floats, weights: Weights) -> Floats:
    """LLRs (M,) of trials with the scores (M, K) of the fused attackers."""
    return np.asarray(scores, dtype=float) @ weights.weights + weights.offset


# Files.


def read_parts(paths: Sequence[FilePath]) -> tuple[list[Trial], Floats]:
    """The trials that score files of several attackers share, and their scores (M, K).

    Raises
    ------
    BadInput : a file has other trials than the first, or an infinite score
    """
    columns: list[list[float]] = []
    trials: list[Trial] = []
    for path in paths:
        read = read_scored_trials(path)
        named = map(read.named, range(len(read.scores)))
        scored = dict(zip(named, read.scores.tolist(), strict=True))
        trials = trials or list(scored)
        if scored.keys() != set(trials):
            raise BadInput(f"{path}: has other trials than {paths[0]}: they cannot be fused")
        columns.append([scored[trial] for trial in trials])
    scores = np.array(columns).T
    for path, column in zip(paths, scores.T, strict=True):
        if not np.isfinite(column).all():
            raise BadInput(f"{path}: has an infinite score, which cannot be fused")
    return trials, scores


def write_fusion(path: FilePath, fusion: Fusion) -> None:
    """Write a Fusion as JSON, which people can read: {parts, conditions: {condition: Weights}}."""
    conditions = {
        name: learnt._asdict() | {"weights": learnt.weights.tolist()}
        for name, learnt in fusion.conditions.items()
    }
    write_json(path, {"parts": list(fusion.parts), "conditions": conditions})


def read_fusion(path: FilePath) -> Fusion:
    """Read what write_fusion wrote.

    Raises
    ------
    BadInput : a field is missing, or weights are not one for each part
    """
    fields: Mapping = read_json(path)
    try:
        parts = tuple(fields["parts"])
        conditions = {}
        for name, own in fields["conditions"].items():
            weights = np.array(own["weights"], dtype=float)
            conditions[name] = Weights(**own | {"weights": weights})
    except (TypeError, KeyError, AttributeError):
        raise BadInput(f"{path}: expected what train_fusion.py writes") from None
    shapes = {learnt.weights.shape for learnt in conditions.values()}
    if shapes != {(len(parts),)} or UNPROTECTED not in conditions:
        raise BadInput(f"{path}: expected a weight for each part, under {UNPROTECTED} at least")
    return Fusion(parts, conditions)
