"""Scores of any origin in one long table with a header; columns may stand in any order.

One line is one score: system, attacker, condition, list, enrolment, trial, label, score. The system
``original`` is unprotected speech.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.scored_trials import warning_of_pairs
from voiceprivacy.inout.tables import fields_of, number, unquoted
from voiceprivacy.inout.trial_lists import label_of
from voiceprivacy.vocabulary import ORIGINAL

COLUMNS = ("system", "attacker", "condition", "list", "enrolment", "trial", "label", "score")
GIVEN = ("system", "attacker", "condition", "list")  # columns that options can give


def add_scores(
    path: Path,
    given: Mapping[str, str | None],
    speaker_of: Mapping[str, str],
    scores: dict[str, Any],
) -> str | None:
    """Read a file into {list: {system: {(attacker, condition): {(enrolment, trial): score}}}}.

    Parameters
    ----------
    given : values of columns that the file lacks, None where there is none
    speaker_of : the speaker of each id
    scores : to add to

    Returns
    -------
    str or None : what to say of trials that compare a recording with itself

    Raises
    ------
    BadInput : a column is missing, a word is none of those known, a label contradicts the speakers,
        or a trial occurs twice
    """
    lines = unquoted(path, read_lines(path))
    columns = "".join(lines[:1]).split("\t")
    missing = [name for name in COLUMNS if name not in columns and not given.get(name)]
    if missing:
        options = [f"--{name}" for name in missing if name in GIVEN]
        remedy = "; columns are separated by tabs or commas"
        if len(options) == len(missing):
            remedy = f"; give {', '.join(options)}"
        raise BadInput(f"{path}:1: has no column {', '.join(missing)}{remedy}")
    own = []
    for line, fields in fields_of(path, lines, columns):
        row = dict(zip(columns, fields, strict=True))
        _add_row({**given, **row}, speaker_of, scores, path, line)
        own += [(row["enrolment"], row["trial"])] if row["enrolment"] == row["trial"] else []
    return warning_of_pairs(own)


def check_condition(system: str, condition: str, where: str) -> None:
    """Refuse (BadInput) a condition that a system does not have."""
    known = ("oo", "rr") if system == ORIGINAL else ("op", "pp", "rr")
    if condition not in known:
        has = f"it has {', '.join(known)}"
        raise BadInput(f"{where}: system '{system}' has no condition '{condition}': {has}")


def _add_row(row, speaker_of, scores, path, line):
    system, attacker, condition, name, *trial, label, text = [row[name] for name in COLUMNS]
    check_condition(system, condition, f"{path}:{line}")
    for identity in trial:
        if identity not in speaker_of:
            raise BadInput(f"{path}:{line}: '{identity}' has no speaker in --speakers")
    one, other = (speaker_of[identity] for identity in trial)
    if label_of(label) is None:
        raise BadInput(f"{path}:{line}: label '{label}' is neither target nor nontarget")
    if (label_of(label) == "target") != (one == other):
        raise BadInput(
            f"{path}:{line}: is labelled '{label}', but the speakers are '{one}' and '{other}'"
        )
    attacks = scores.setdefault(name, {}).setdefault(system, {})
    of_attack = attacks.setdefault((attacker, condition), {})
    pair = (*trial,)
    if pair in of_attack:
        raise BadInput(f"{path}:{line}: trial '{' '.join(trial)}' occurs twice")
    of_attack[pair] = number(text, path, line)
