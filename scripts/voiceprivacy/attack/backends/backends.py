"""Back-ends: from raw embeddings to scores, for trial lists and for whole matrices.

Conventions
-----------
* A scorer is a function (enrolment (E, D), counts (E,), trial (T, D)) -> scores (E, T), higher = more likely the
  same speaker. The model of an enrolled speaker is the mean of his utterances' raw embeddings; counts is how many.
* Everything is computed in float64 and in blocks, so that memory stays bounded whatever the size of the lists.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.attack.backends import plda
from voiceprivacy.inout.arrays import ScoreMatrix
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.ids import source_of
from voiceprivacy.inout.tables import read_rows

BLOCK_SCORES = 4_000_000  # scores computed at a time: 32 MB for each temporary array


class Models(NamedTuple):
    """Mean embedding (E, D) and number of utterances (E,) of each enrolment."""

    means: np.ndarray
    counts: np.ndarray


class Lookup(dict):
    """What a file says by name; a name that it lacks is BadInput."""

    def __init__(self, values, *, path, what):
        super().__init__(values)
        self.path, self.what = path, what

    def __missing__(self, name):
        raise BadInput(f"{self.path}: has no {self.what} '{name}' (it is asked for)")


class Gallery:
    """Embeddings looked up by utterance; ``path`` is only for the messages."""

    def __init__(self, embeddings, path):
        self.embeddings = embeddings.embeddings
        rows = {utterance: row for row, utterance in enumerate(embeddings.ids.tolist())}
        self.rows = Lookup(rows, path=path, what="embedding of")
        self.path = path

    def of(self, utterances):
        """Embeddings (N, D) float64 of these utterances; a missing one is BadInput."""
        return self.embeddings[[self.rows[utterance] for utterance in utterances]].astype(
            np.float64
        )

    def models(self, enrolments):
        """Models of lists of utterances: the mean of the raw embeddings and their number."""
        return Models(
            np.stack([self.of(utterances).mean(axis=0) for utterances in enrolments]),
            np.array([len(utterances) for utterances in enrolments]),
        )


def cosine(*, enrolment, counts, trial):
    """Cosine of every enrolment's mean with every trial; ``counts`` plays no part."""
    return _unit(enrolment) @ _unit(trial).T


def jensen_shannon(*, enrolment, counts, trial):
    """One minus the Jensen-Shannon distance (square root of the divergence in bits) of histograms.

    For embeddings that are counts or probabilities, such as histograms of F0 or of phones; each is scaled to sum 1.
    Lin, Divergence measures based on the Shannon entropy, 1991; Endres and Schindelin, 2003 (the distance).
    """
    enrolment, trial = _distribution(enrolment), _distribution(trial)
    entropies = _entropy_bit(enrolment)[:, None] / 2 + _entropy_bit(trial) / 2
    mixed = np.stack([_entropy_bit((row + trial) / 2) for row in enrolment])
    return 1 - np.sqrt(np.clip(mixed - entropies, 0.0, 1.0))


def scorer(backend):
    """The scorer of a back-end: cosine, jensen_shannon, or the npz of a trained PLDA."""
    if backend in NAMED:
        return NAMED[backend]
    recipe = plda.read_recipe(backend)
    dimensions = len(recipe.plda.mean) if recipe.lda is None else recipe.lda.shape[1]

    def score(*, enrolment, counts, trial):
        if enrolment.shape[1] != dimensions:
            raise BadInput(
                f"{backend}: is for {dimensions} dimensions, the embeddings have {enrolment.shape[1]}"
            )
        return plda.score_recipe(recipe, enrolment=enrolment, counts=counts, trial=trial)

    return score


NAMED = {"cosine": cosine, "jensen_shannon": jensen_shannon}


def score_trials(score, trials, *, enrolment, trial, enrolments=None):
    """Score every trial of a list.

    Parameters
    ----------
    score : scorer
    trials : list of Trial
    enrolment, trial : Gallery
    enrolments : Lookup {enrolment: [utterance, ...]}, optional
        Without it an enrolment id is an utterance id.

    Returns
    -------
    array (len(trials),)
    """
    enrolled, row = _numbered(of.enrolment for of in trials)
    tried, column = _numbered(of.trial for of in trials)
    models = enrolment.models(_utterances(enrolled, enrolments))
    trial_embeddings = trial.of(tried)
    _check_dimensions(models.means, trial_embeddings, enrolment, trial)
    scores = np.empty(len(trials))
    order = np.argsort(row, kind="stable")
    for start, block in _blocks(score, models, trial_embeddings):
        first, last = np.searchsorted(row[order], [start, start + len(block)])
        wanted = order[first:last]
        scores[wanted] = block[row[wanted] - start, column[wanted]]
    return scores


def pair_matrix(score, trials, *, enrolment, trial, speakers):
    """Score the list's trial utterances (rows, from ``enrolment``) against themselves (columns, from ``trial``).

    Parameters
    ----------
    speakers : Lookup {utterance: speaker}

    Returns
    -------
    ScoreMatrix
    """
    ids, _ = _numbered(of.trial for of in trials)
    models = enrolment.models([[utterance] for utterance in ids])
    scores = _matrix(score, models, trial.of(ids), enrolment, trial)
    of_speaker = [speakers[utterance] for utterance in ids]
    return _score_matrix(ids, ids, of_speaker, of_speaker, scores)


def template_matrix(
    score, trials, *, enrolment, trial, enrolments, enrolment_speakers, trial_speakers
):
    """Score the list's trial utterances (rows) against the list's enrolled speakers (columns, their mean).

    Returns
    -------
    ScoreMatrix
    """
    tried, _ = _numbered(of.trial for of in trials)
    enrolled, _ = _numbered(of.enrolment for of in trials)
    utterances = _utterances(enrolled, enrolments)
    scores = _matrix(score, enrolment.models(utterances), trial.of(tried), enrolment, trial)
    row_speakers = [trial_speakers[utterance] for utterance in tried]
    column_speakers = [
        _one_speaker(name, of, enrolment_speakers)
        for name, of in zip(enrolled, utterances, strict=True)
    ]
    return _score_matrix(tried, enrolled, row_speakers, column_speakers, scores.T)


def _matrix(score, models, trial_embeddings, enrolment, trial):
    _check_dimensions(models.means, trial_embeddings, enrolment, trial)
    scores = np.empty((len(models.means), len(trial_embeddings)))
    for start, block in _blocks(score, models, trial_embeddings):
        scores[start : start + len(block)] = block
    return scores


def _blocks(score, models, trial_embeddings):
    """Yield (first row, scores of a block of rows against all trials)."""
    size = max(1, BLOCK_SCORES // max(1, len(trial_embeddings)))
    for start in range(0, len(models.means), size):
        rows = slice(start, start + size)
        yield (
            start,
            score(enrolment=models.means[rows], counts=models.counts[rows], trial=trial_embeddings),
        )


def _numbered(names):
    """The different names in order of first appearance, and the number of each (N,)."""
    numbers = {}
    index = [numbers.setdefault(name, len(numbers)) for name in names]
    if not index:
        raise BadInput("the trial list lists no trial")
    return list(numbers), np.array(index)


def _utterances(enrolled, enrolments):
    return [[name] if enrolments is None else enrolments[name] for name in enrolled]


def _one_speaker(name, utterances, speakers):
    found = {speakers[utterance] for utterance in utterances}
    if len(found) > 1:
        raise BadInput(f"enrolment '{name}' mixes the speakers {' '.join(sorted(found))}")
    return found.pop()


def _score_matrix(rows, columns, row_speakers, column_speakers, scores):
    sources = [np.array([source_of(name) for name in names]) for names in (rows, columns)]
    speakers = [np.array(row_speakers), np.array(column_speakers)]
    return ScoreMatrix(np.array(rows), np.array(columns), *speakers, scores, *sources)


def _check_dimensions(models, trials, enrolment, trial):
    if models.shape[1] != trials.shape[1]:
        raise BadInput(
            f"{trial.path}: {trials.shape[1]} dimensions, {enrolment.path} has {models.shape[1]}"
        )


def _unit(embeddings):
    norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
    return embeddings / np.where(norms > 0, norms, 1.0)


def _distribution(embeddings):
    sums = embeddings.sum(axis=1, keepdims=True)
    if (embeddings < 0).any() or (sums == 0).any():
        raise BadInput(
            "jensen_shannon compares histograms: an embedding here has negative entries or is all zero"
        )
    return embeddings / sums


def _entropy_bit(distributions):
    return -(distributions * np.log2(np.where(distributions > 0, distributions, 1.0))).sum(axis=1)


# Scores of sampled galleries: the tests of every shift against the templates of the same shift.

SAMPLES = ["shift", "speaker", "role", "utterance"]
ROLES = ("test", "template")


def read_samples(path):
    """Read which observations are tests and templates: {shift: {role: {speaker: [utterance, ...]}}}."""
    shifts = {}
    for line, row in read_rows(path, SAMPLES):
        if row["role"] not in ROLES:
            raise BadInput(f"{path}:{line}: role '{row['role']}' is neither test nor template")
        of_shift = shifts.setdefault(row["shift"], {role: {} for role in ROLES})
        of_shift[row["role"]].setdefault(row["speaker"], []).append(row["utterance"])
    if not shifts:
        raise BadInput(f"{path}: lists no observation")
    for shift, roles in shifts.items():
        odd = roles["test"].keys() ^ roles["template"].keys()
        if odd:
            raise BadInput(
                f"{path}: speaker '{min(odd)}' has no {' or no '.join(ROLES)} in shift {shift}"
            )
    return shifts


def sample_matrix(score, shifts, *, enrolment, trial):
    """Score the tests of all shifts; a test or template is the mean of its observations' raw embeddings.

    Parameters
    ----------
    score : scorer (see backends)
    shifts : see read_samples
    enrolment, trial : backends.Gallery
        Of the templates and of the tests.

    Returns
    -------
    ScoreMatrix : a row for every speaker and shift (SPEAKER@SHIFT), a column for every speaker, whose template is that
    of the row's shift
    """
    speakers = sorted(next(iter(shifts.values()))["template"])
    rows, scores = [], []
    for shift, roles in shifts.items():
        if sorted(roles["template"]) != speakers:
            raise BadInput(f"shift {shift} holds other speakers than the first")
        templates = enrolment.models([roles["template"][speaker] for speaker in speakers])
        tests = trial.models([roles["test"][speaker] for speaker in speakers])
        rows += [f"{speaker}@{shift}" for speaker in speakers]
        scores.append(
            score(enrolment=templates.means, counts=templates.counts, trial=tests.means).T
        )
    rows, columns = np.array(rows), np.array(speakers)
    of_rows = np.tile(columns, len(shifts))
    return ScoreMatrix(rows, columns, of_rows, columns, np.concatenate(scores), rows, columns)
