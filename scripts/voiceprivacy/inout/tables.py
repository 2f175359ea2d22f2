"""The tables that the rooms hand to each other: manifests, trial lists, enrolments, scores.

Every table is a UTF-8 TSV with a header line; this is the only place that reads or writes them. Whatever is wrong in
one raises BadInput with the file, the line and the reason.
"""

import csv
import math
import re
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput, read_lines, whole_or_absent
from voiceprivacy.inout.ids import refuse_hidden_spaces, safe_id

MANIFEST = ["utterance", "speaker", "gender", "path", "duration_s"]
TRIALS = ["enrolment", "trial", "label"]
ENROLMENTS = ["enrolment", "utterance"]
SPEAKERS = ["id", "speaker"]
SCORES = [*TRIALS, "score"]
LABELS = ("target", "nontarget")


class Utterance(NamedTuple):
    """One line of a manifest; ``path`` is resolved, ``gender`` is f, m or -."""

    utterance: str
    speaker: str
    gender: str
    path: Path
    duration_s: float


class Trial(NamedTuple):
    """One line of a trial list; ``label`` is target or nontarget."""

    enrolment: str
    trial: str
    label: str


def read_manifest(path, *, may_be_empty=False):
    """Read a manifest (TSV: utterance speaker gender path duration_s) as a list of Utterance."""
    utterances = {}
    for line, row in read_rows(path, MANIFEST):
        name = safe_id(row["utterance"], path, line)
        if name in utterances:
            raise BadInput(f"{path}:{line}: utterance '{name}' occurs twice")
        if not row["speaker"]:
            raise BadInput(f"{path}:{line}: utterance '{name}' has no speaker")
        if row["gender"] not in ("f", "m", "-"):
            raise BadInput(f"{path}:{line}: gender '{row['gender']}' is not f, m or -")
        if not row["path"]:
            raise BadInput(f"{path}:{line}: utterance '{name}' has no path")
        speaker = safe_id(row["speaker"], path, line)
        audio = Path(path).parent / row["path"]
        duration_s = number(row["duration_s"], path, line)
        if not 0 <= duration_s < math.inf:
            raise BadInput(f"{path}:{line}: utterance '{name}' lasts {row['duration_s']} s")
        utterances[name] = Utterance(name, speaker, row["gender"], audio, duration_s)
    if not utterances and not may_be_empty:
        raise BadInput(f"{path}: lists no utterance")
    return list(utterances.values())


def write_manifest(path, utterances):
    """Write a manifest; audio below the manifest's own folder gets a relative path."""
    folder = Path(path).parent.absolute()
    rows = []
    for utterance in utterances:
        audio = Path(utterance.path).absolute()
        audio = audio.relative_to(folder) if audio.is_relative_to(folder) else audio
        rows.append(utterance._replace(path=audio.as_posix()))
    write_table(path, MANIFEST, rows)


def read_trials(path):
    """Read a trial list (TSV: enrolment trial label) as a list of Trial."""
    trials = []
    for line, row in read_rows(path, TRIALS):
        trials.append(_trial(row, path, line))
    if not trials:
        raise BadInput(f"{path}: lists no trial")
    _check_unique(trials, path)
    return trials


def write_trials(path, trials):
    """Write a list of Trial."""
    write_table(path, TRIALS, trials)


def read_enrolments(path):
    """Read which utterances enrol whom (TSV: enrolment utterance): {enrolment: [utterance, ...]}."""
    enrolments = {}
    for line, row in read_rows(path, ENROLMENTS):
        if not row["enrolment"] or not row["utterance"]:
            raise BadInput(f"{path}:{line}: an enrolment or an utterance is empty")
        refuse_hidden_spaces(row, path, line)
        utterances = enrolments.setdefault(row["enrolment"], [])
        if row["utterance"] in utterances:
            raise BadInput(
                f"{path}:{line}: utterance '{row['utterance']}' enrols '{row['enrolment']}' twice"
            )
        utterances.append(row["utterance"])
    return enrolments


def write_enrolments(path, enrolments):
    """Write {enrolment: [utterance, ...]}."""
    rows = [
        (enrolment, utterance)
        for enrolment, utterances in enrolments.items()
        for utterance in utterances
    ]
    write_table(path, ENROLMENTS, rows)


def read_speakers(path):
    """Read who speaks (TSV: id speaker; ids of enrolments and of trials) as {id: speaker}."""
    speaker_of = {}
    for line, row in read_rows(path, SPEAKERS):
        if not row["id"] or not row["speaker"]:
            raise BadInput(f"{path}:{line}: an id or a speaker is empty")
        refuse_hidden_spaces(row, path, line)
        if speaker_of.setdefault(row["id"], row["speaker"]) != row["speaker"]:
            raise BadInput(f"{path}:{line}: '{row['id']}' has two speakers")
    return speaker_of


def write_speakers(path, speaker_of):
    """Write {id: speaker}."""
    write_table(path, SPEAKERS, speaker_of.items())


def read_scores(path, *, key=None):
    """Read a score table (TSV: enrolment trial label score), or a Kaldi score file with its key.

    Parameters
    ----------
    path : path
        Our TSV; with ``key`` a headerless file "enrolment trial score".
    key : path, optional
        Headerless file "enrolment trial target|nontarget". Both are joined by name.

    Returns
    -------
    dict of array : ``target`` (T,) and ``nontarget`` (N,), in the order of the score file

    Raises
    ------
    BadInput : a label or number that is none, a class without trials, a duplicate, missing or extra trial
    """
    scored = read_scored_trials(path, key=key)
    return {label: np.array([score for _, score in scored[label]]) for label in LABELS}


def read_scored_trials(path, *, key=None):
    """Read scores as read_scores does, with their ids: {target, nontarget: [(Trial, score), ...]}."""
    trials = _kaldi_scores(path, key) if key else _our_scores(path)
    scored = {
        label: [(trial, score) for trial, score in trials if trial.label == label]
        for label in LABELS
    }
    for label, of in scored.items():
        if not of:
            raise BadInput(f"{path}: no {label} trials")
    return scored


def _our_scores(path):
    trials = []
    try:
        for line, row in read_rows(path, SCORES):
            trials.append((_trial(row, path, line), number(row["score"], path, line)))
    except BadInput:
        _refuse_unlabelled(path)
        raise
    _check_unique([trial for trial, _ in trials], path)
    return trials


def _refuse_unlabelled(path):
    """Say of a headerless "enrolment trial score" what it lacks."""
    fields = (read_lines(path)[:1] or [""])[0].split()
    if len(fields) == 3 and re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", fields[2], re.IGNORECASE):
        key = "name its key, lines of enrolment trial target|nontarget, too (--trials KEY; in a config 'key: KEY')"
        raise BadInput(
            f"{path}:1: is a score file of Kaldi's kind, without labels: {key}"
        ) from None


def _kaldi_scores(path, key):
    labels, key_lines = _kaldi_table(key)
    scores, score_lines = _kaldi_table(path)
    for pair in labels.keys() - scores.keys():
        raise BadInput(f"{path}: no score for trial '{' '.join(pair)}' of {key}:{key_lines[pair]}")
    for pair in scores.keys() - labels.keys():
        raise BadInput(f"{path}:{score_lines[pair]}: trial '{' '.join(pair)}' is not in {key}")
    for pair, label in labels.items():
        _check_label(label, key, key_lines[pair])
    return [
        (Trial(*pair, labels[pair]), number(score, path, score_lines[pair]))
        for pair, score in scores.items()
    ]


def _kaldi_table(path):
    values, lines = {}, {}
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise BadInput(f"{path}:{line}: expected 3 columns and no header, found {len(fields)}")
        pair = tuple(fields[:2])
        if pair in values:
            raise BadInput(f"{path}:{line}: trial '{' '.join(pair)}' occurs twice")
        values[pair], lines[pair] = fields[2], line
    return values, lines


def write_scores(path, trials, scores):
    """Write the score of every Trial in full precision."""
    write_table(
        path, SCORES, [(*trial, float(score)) for trial, score in zip(trials, scores, strict=True)]
    )


def read_table(path, columns):
    """Read any TSV with these columns as a list of {column: text}."""
    return [row for _, row in read_rows(path, columns)]


def write_table(path, columns, rows):
    """Write a TSV; numbers in full precision, infinity as inf and -inf.

    Raises
    ------
    BadInput : a value has a tab or a line end, as the names of folders may
    """
    with (
        whole_or_absent(path) as temporary,
        open(temporary, "w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(
            file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
        )
        writer.writerow(columns)
        try:
            writer.writerows(rows)
        except csv.Error:
            what = "a tab or a line end in a name or a path, which no table can hold: rename that folder or file"
            raise BadInput(f"{path}: {what} (working directory: {Path.cwd()})") from None


def write_curves(path, curves):
    """Write {label: {column: array}}, of the same columns each, as one TSV with the labels in front."""
    columns = ["label", *next(iter(curves.values()))]
    rows = [
        (label, *row)
        for label, curve in curves.items()
        for row in zip(*curve.values(), strict=True)
    ]
    write_table(path, columns, rows)


def read_rows(path, columns):
    """Yield (line number, {column: text}) of a TSV that must have these columns; empty lines are passed over."""
    lines = read_lines(path)
    if not lines or lines[0].split("\t") != columns:
        raise BadInput(f"{path}:1: expected the columns {' '.join(columns)}, separated by tabs")
    for line, text in enumerate(lines[1:], start=2):
        if not text:
            continue
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise BadInput(f"{path}:{line}: expected {len(columns)} columns, found {len(fields)}")
        yield line, dict(zip(columns, fields, strict=True))


def number(text, path, line):
    """The number in a field (inf is one, NaN is not)."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if (
        math.isnan(value) or "_" in text or not text.isascii()
    ):  # Python reads 1_000 and other digits, too
        raise BadInput(f"{path}:{line}: '{text}' is not a number")
    return value


def _trial(row, path, line):
    _check_label(row["label"], path, line)
    if not row["enrolment"] or not row["trial"]:
        raise BadInput(f"{path}:{line}: a trial has an enrolment and a trial; one of them is empty")
    refuse_hidden_spaces(row, path, line)
    return Trial(
        *(sys.intern(row[column]) for column in TRIALS)
    )  # a million trials name few ids: one string for each


def _check_label(label, path, line):
    if label not in LABELS:
        raise BadInput(f"{path}:{line}: label '{label}' is neither target nor nontarget")


def _check_unique(trials, path):
    tried = {}
    for position, (enrolment, trial, _) in enumerate(trials):
        known = tried.setdefault(enrolment, set())
        if trial in known:
            line = [line for line, text in enumerate(read_lines(path), start=1) if text][
                1 + position
            ]
            raise BadInput(f"{path}:{line}: trial '{enrolment} {trial}' occurs twice")
        known.add(trial)
