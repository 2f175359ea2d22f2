"""Back-ends: from raw embeddings to scores, for trial lists, whole matrices and sampled galleries.

Conventions
-----------
* A scorer is a function (enrolment (E, D), counts (E,), trial (T, D)) -> scores (E, T), higher =
  more likely the same speaker.
* The model of an enrolled speaker is the mean of the utterances' raw embeddings; ``counts`` is how
  many they are.
* Everything is computed in float64, but for the evaluations of 2026 (OF_PLANS). Lists are scored
  in blocks, so that memory stays bounded whatever their size.
* Trials and enrolments of a list have the order of their first appearance in it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from voiceprivacy.attack import Counts, Floats, Scorer
from voiceprivacy.attack.backends import procrustes, recipes
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, read_embeddings
from voiceprivacy.inout.enrolments import read_enrolments as enrolments_in
from voiceprivacy.inout.files import FilePath, naming
from voiceprivacy.inout.ids import source_of
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.tables import read_rows
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.privacy.rows import ScoreMatrix

BLOCK_SCORES = 4_000_000  # scores computed at a time: 32 MB for each temporary array
SAMPLES = ["shift", "speaker", "role", "utterance"]
ROLES = ("test", "template")

Value = TypeVar("Value")


class Models(NamedTuple):
    """Mean embedding (E, D) and number of utterances (E,) of each enrolment."""

    means: Floats
    counts: Counts


class Lookup(dict, Generic[Value]):
    """What a file says by name; a name that it lacks is BadInput.

    ``kind`` is what a name stands for, ``path`` the file: both are for the message.
    """

    def __init__(self, values: dict[str, Value], *, path: Path | str, kind: str) -> None:
        super().__init__(values)
        self.path, self.kind = path, kind

    def __missing__(self, name: str) -> Value:
        raise BadInput(f"{self.path}: has no {self.kind} '{name}', which the trial list needs")


class Gallery:
    """Embeddings looked up by utterance; ``path`` is only for the messages."""

    def __init__(self, embeddings: Embeddings, path: Path | str) -> None:
        self.embeddings = embeddings.embeddings
        rows = {utterance: row for row, utterance in enumerate(embeddings.ids.tolist())}
        self.rows = Lookup(rows, path=path, kind="embedding of")
        self.path = path

    def embeddings_of(self, utterances: Iterable[str]) -> Floats:
        """Embeddings (N, D) float64 of these utterances; a missing one is BadInput."""
        rows = [self.rows[utterance] for utterance in utterances]
        return self.embeddings[rows].astype(np.float64)

    def models(self, enrolments: Sequence[Sequence[str]]) -> Models:
        """Models of lists of utterances: the mean of the raw embeddings and their number."""
        means = [self.embeddings_of(utterances).mean(axis=0) for utterances in enrolments]
        counts = [len(utterances) for utterances in enrolments]
        return Models(np.stack(means), np.array(counts))


def read_galleries(
    paths: Mapping[str, FilePath], *, backend: str, protected: Collection[str]
) -> dict[str, Gallery]:
    """Read embeddings, {name: npz}, as Galleries: see ``galleries_of``."""
    read = {name: (read_embeddings(path), path) for name, path in paths.items()}
    return galleries_of(read, backend=backend, protected=protected)


def galleries_of(
    embeddings: Mapping[str, tuple[Embeddings, FilePath]],
    *,
    backend: str,
    protected: Collection[str],
) -> dict[str, Gallery]:
    """Galleries of embeddings as a back-end compares them.

    A Procrustes back-end changes them (``procrustes.aligned``), and those of OF_PLANS.

    Parameters
    ----------
    embeddings : {name: (embeddings, where they come from)}
    backend : as for ``scorer``
    protected : names of those of protected speech
    """
    alignment = None if backend in NAMED else procrustes.read_alignment(backend)
    galleries = {}
    for name, (one, path) in embeddings.items():
        if alignment is not None:
            with naming(backend):
                rotated = procrustes.aligned(
                    alignment, one.embeddings.astype(np.float64), is_protected=name in protected
                )
            one = one._replace(embeddings=rotated)
        if backend in OF_PLANS:
            one = one._replace(embeddings=OF_PLANS[backend](one.embeddings))
        galleries[name] = Gallery(one, path)
    return galleries


def read_enrolments(path: Path | str) -> Lookup[list[str]]:
    """Read who is enrolled by what: Lookup {enrolment: [utterance, ...]}."""
    return Lookup(enrolments_in(path), path=path, kind="enrolment")


def read_speakers(path: Path | str) -> Lookup[str]:
    """Read who speaks from a manifest: Lookup {utterance: speaker}."""
    speakers = {utterance.utterance: utterance.speaker for utterance in read_manifest(path)}
    return Lookup(speakers, path=path, kind="utterance")


def cosine(*, enrolment: Floats, counts: Any, trial: Floats) -> Floats:
    """Cosine of every enrolment's mean with every trial; ``counts`` plays no part."""
    return _unit(enrolment) @ _unit(trial).T


def jensen_shannon(*, enrolment: Floats, counts: Any, trial: Floats) -> Floats:
    """One minus the Jensen-Shannon distance (square root of the divergence in bits) of histograms.

    For embeddings that are counts or probabilities, such as histograms of F0 or of phones. Each is
    scaled to sum 1; ``counts`` plays no part.

    Lin, Divergence measures based on the Shannon entropy, 1991; Endres and Schindelin, 2003 (the
    distance).
    """
    enrolment, trial = _distribution(enrolment), _distribution(trial)
    entropies = _entropy_bit(enrolment)[:, None] / 2 + _entropy_bit(trial) / 2
    # Row by row: all mixtures at once would take E x T x D numbers.
    mixed = np.stack([_entropy_bit((row + trial) / 2) for row in enrolment])
    # Rounding can leave the divergence of equal histograms a little below zero.
    return 1 - np.sqrt(np.clip(mixed - entropies, 0.0, 1.0))


def challenge_cosine(*, enrolment: Floats, counts: Any, trial: Floats) -> Floats:
    """The same in single precision, as one minus a distance, which the scorer of 2026 takes.

    Signs of embeddings make many equal scores, and equal rates take equal ties.
    """
    enrolment, trial = (_unit(side.astype(np.float32)) for side in (enrolment, trial))
    distance = np.clip(np.float32(1) - enrolment @ trial.T, 0, 2)
    return (np.float32(1) - distance).astype(np.float64)


def lengths_of_one(embeddings: Floats) -> Floats:
    """Each row of embeddings (N, D) divided by its length."""
    return _unit(embeddings.astype(np.float64)).astype(np.float32)


NAMED: dict[str, Scorer] = {
    "cosine": cosine,
    "jensen_shannon": jensen_shannon,
    "vpc2026_june": challenge_cosine,
    "vpc2026_september": challenge_cosine,
}
# What the evaluations of 2026 make of an embedding before any mean: in June its axis of length one
# was normalised, so that each number became its sign.
OF_PLANS: dict[str, Callable[[Floats], Floats]] = {
    "vpc2026_june": np.sign,
    "vpc2026_september": lengths_of_one,
}


def scorer(backend: str) -> Scorer:
    """The scorer of a back-end: one of NAMED, or the npz of a trained one.

    Galleries that Procrustes has rotated (see ``galleries_of``) are compared by cosine.
    """
    if backend in NAMED:
        return NAMED[backend]
    if procrustes.read_alignment(backend) is not None:
        return cosine
    recipe = recipes.read_recipe(backend)

    def score(*, enrolment, counts, trial):
        if enrolment.shape[1] != recipe.dimensions:
            raise BadInput(
                f"{backend}: is for {recipe.dimensions} dimensions, "
                f"the embeddings have {enrolment.shape[1]}"
            )
        return recipes.score_recipe(recipe, enrolment=enrolment, counts=counts, trial=trial)

    return score


def score_trials(
    score: Scorer,
    trials: Sequence[Trial],
    *,
    enrolment: Gallery,
    trial: Gallery,
    enrolments: Lookup[list[str]] | None = None,
) -> Floats:
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

    Raises
    ------
    BadInput : an enrolment or an embedding is missing, or the embeddings do not fit each other
    """
    enrolled, row = _numbered(listed.enrolment for listed in trials)
    tried, column = _numbered(listed.trial for listed in trials)
    models = enrolment.models(_utterances(enrolled, enrolments))
    trial_embeddings = trial.embeddings_of(tried)
    _check_dimensions(models.means, trial_embeddings, enrolment, trial)
    scores = np.empty(len(trials))
    # Only a block of the matrix is there at a time. Sorted by the row of their enrolment, the
    # trials of a block of rows lie together.
    order = np.argsort(row, kind="stable")
    for start, block in _blocks(score, models, trial_embeddings):
        first, last = np.searchsorted(row[order], [start, start + len(block)])
        in_block = order[first:last]
        scores[in_block] = block[row[in_block] - start, column[in_block]]
    return scores


def pair_matrix(
    score: Scorer,
    trials: Sequence[Trial],
    *,
    enrolment: Gallery,
    trial: Gallery,
    speakers: Lookup[str],
) -> ScoreMatrix:
    """Score the list's trial utterances against themselves.

    Parameters
    ----------
    score : scorer
    trials : list of Trial
    enrolment, trial : Gallery
        Of the trial utterances: of the rows and of the columns.
    speakers : Lookup {utterance: speaker}

    Returns
    -------
    ScoreMatrix
    """
    ids, _ = _numbered(listed.trial for listed in trials)
    # Every utterance enrols by itself.
    models = enrolment.models([[utterance] for utterance in ids])
    scores = _matrix(score, models, trial.embeddings_of(ids), enrolment, trial)
    speakers_of_ids = [speakers[utterance] for utterance in ids]
    return _score_matrix(ids, ids, speakers_of_ids, speakers_of_ids, scores)


def template_matrix(
    score: Scorer,
    trials: Sequence[Trial],
    *,
    enrolment: Gallery,
    trial: Gallery,
    enrolments: Lookup[list[str]],
    enrolment_speakers: Lookup[str],
    trial_speakers: Lookup[str],
) -> ScoreMatrix:
    """Score the list's trial utterances (rows) against its enrolled speakers (columns).

    Parameters
    ----------
    score : scorer
    trials : list of Trial
    enrolment, trial : Gallery
    enrolments : Lookup {enrolment: [utterance, ...]}
    enrolment_speakers, trial_speakers : Lookup {utterance: speaker}

    Returns
    -------
    ScoreMatrix

    Raises
    ------
    BadInput : an enrolment mixes speakers, or as ``score_trials``
    """
    tried, _ = _numbered(listed.trial for listed in trials)
    enrolled, _ = _numbered(listed.enrolment for listed in trials)
    utterances = _utterances(enrolled, enrolments)
    scores = _matrix(
        score, enrolment.models(utterances), trial.embeddings_of(tried), enrolment, trial
    )
    row_speakers = [trial_speakers[utterance] for utterance in tried]
    column_speakers = [
        _one_speaker(name, enrolling, enrolment_speakers)
        for name, enrolling in zip(enrolled, utterances, strict=True)
    ]
    # Scorers put enrolments into rows, a matrix of templates has them in columns.
    return _score_matrix(tried, enrolled, row_speakers, column_speakers, scores.T)


# Sampled galleries come in shifts (corpora/protocols/rank_sampling): each moves the window of
# observations that make a speaker's test and template. {shift: {role: {speaker: [utterance, ...]}}}
Shifts = dict[str, dict[str, dict[str, list[str]]]]


def read_samples(path: Path | str) -> Shifts:
    """Read which observations are tests and templates of sampled galleries.

    Returns
    -------
    dict {shift: {role: {speaker: [utterance, ...]}}}

    Raises
    ------
    BadInput : a role that is none, or a speaker who has a test or a template only
    """
    shifts: Shifts = {}
    for line, row in read_rows(path, SAMPLES):
        if row["role"] not in ROLES:
            raise BadInput(f"{path}:{line}: role '{row['role']}' is neither test nor template")
        roles = shifts.setdefault(row["shift"], {role: {} for role in ROLES})
        roles[row["role"]].setdefault(row["speaker"], []).append(row["utterance"])
    if not shifts:
        raise BadInput(f"{path}: lists no observation")
    for shift, roles in shifts.items():
        odd = roles["test"].keys() ^ roles["template"].keys()
        if odd:
            raise BadInput(
                f"{path}: speaker '{min(odd)}' has no {' or no '.join(ROLES)} in shift {shift}"
            )
    return shifts


def sample_matrix(
    score: Scorer, shifts: Shifts, *, enrolment: Gallery, trial: Gallery
) -> ScoreMatrix:
    """Score the tests of every shift against the templates of the same shift.

    A test or template is the mean of its observations' raw embeddings.

    Parameters
    ----------
    score : scorer
    shifts : see ``read_samples``
    enrolment, trial : Gallery
        Of the templates and of the tests.

    Returns
    -------
    ScoreMatrix : a row for every speaker and shift (SPEAKER@SHIFT), a column for every speaker,
        whose template is that of the row's shift
    """
    speakers = sorted(next(iter(shifts.values()))["template"])
    rows: list[str] = []
    scores = []
    for shift, roles in shifts.items():
        if sorted(roles["template"]) != speakers:
            raise BadInput(f"shift {shift} holds other speakers than the first")
        templates = enrolment.models([roles["template"][speaker] for speaker in speakers])
        tests = trial.models([roles["test"][speaker] for speaker in speakers])
        rows += [f"{speaker}@{shift}" for speaker in speakers]
        of_shift = score(enrolment=templates.means, counts=templates.counts, trial=tests.means)
        scores.append(of_shift.T)
    row_ids, columns = np.array(rows), np.array(speakers)
    return ScoreMatrix(
        rows=row_ids,
        columns=columns,
        row_speakers=np.tile(columns, len(shifts)),
        column_speakers=columns,
        scores=np.concatenate(scores),
        row_sources=row_ids,
        column_sources=columns,
    )


def _matrix(score, models, trial_embeddings, enrolment, trial):
    _check_dimensions(models.means, trial_embeddings, enrolment, trial)
    scores = np.empty((len(models.means), len(trial_embeddings)))
    for start, block in _blocks(score, models, trial_embeddings):
        scores[start : start + len(block)] = block
    return scores


def _blocks(
    score: Scorer, models: Models, trial_embeddings: Floats
) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, scores of a block of rows against all trials)."""
    # At least one row, however many trials there are.
    size = max(1, BLOCK_SCORES // len(trial_embeddings))
    for start in range(0, len(models.means), size):
        means, counts = models.means[start : start + size], models.counts[start : start + size]
        yield start, score(enrolment=means, counts=counts, trial=trial_embeddings)


def _numbered(names):
    """The different names in order of first appearance, and the number of each (N,)."""
    numbers = {}
    # A new name gets the number of those before it, a known one keeps its own.
    index = [numbers.setdefault(name, len(numbers)) for name in names]
    return list(numbers), np.array(index)


def _utterances(enrolled, enrolments):
    return [[name] if enrolments is None else enrolments[name] for name in enrolled]


def _one_speaker(enrolment, utterances, speaker_of):
    speakers = {speaker_of[utterance] for utterance in utterances}
    if len(speakers) > 1:
        raise BadInput(f"enrolment '{enrolment}' mixes the speakers {' '.join(sorted(speakers))}")
    return speakers.pop()


def _score_matrix(rows, columns, row_speakers, column_speakers, scores):
    return ScoreMatrix(
        rows=np.array(rows),
        columns=np.array(columns),
        row_speakers=np.array(row_speakers),
        column_speakers=np.array(column_speakers),
        scores=scores,
        row_sources=np.array([source_of(name) for name in rows]),
        column_sources=np.array([source_of(name) for name in columns]),
    )


def _check_dimensions(models, trials, enrolment, trial):
    if models.shape[1] != trials.shape[1]:
        raise BadInput(
            f"{trial.path}: {trials.shape[1]} dimensions, {enrolment.path} has {models.shape[1]}"
        )


def _unit(embeddings):
    """Rows of length 1; a row of zeros stays, and is like nobody."""
    norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
    return embeddings / np.where(norms > 0, norms, 1.0)


def _distribution(embeddings):
    sums = embeddings.sum(axis=1, keepdims=True)
    if (embeddings < 0).any() or (sums == 0).any():
        raise BadInput(
            "jensen_shannon compares histograms: "
            "an embedding here has negative entries or is all zero"
        )
    return embeddings / sums


def _entropy_bit(distributions):
    return -(distributions * np.log2(np.where(distributions > 0, distributions, 1.0))).sum(axis=1)
