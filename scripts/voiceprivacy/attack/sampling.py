"""Scores of sampled galleries: the tests of every shift against the templates of the same shift."""

import numpy as np

from voiceprivacy.arrays import ScoreMatrix
from voiceprivacy.files import BadInput
from voiceprivacy.tables import read_rows

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
            raise BadInput(f"{path}: speaker '{min(odd)}' has no {' or no '.join(ROLES)} in shift {shift}")
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
        scores.append(score(enrolment=templates.means, counts=templates.counts, trial=tests.means).T)
    rows, columns = np.array(rows), np.array(speakers)
    of_rows = np.tile(columns, len(shifts))
    return ScoreMatrix(rows, columns, of_rows, columns, np.concatenate(scores), rows, columns)
