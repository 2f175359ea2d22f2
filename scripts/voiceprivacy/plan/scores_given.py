"""Score files of others, found by a path with {corpus}, {trials}, {anonymiser} and {condition}."""

import re
from glob import escape, glob
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.vocabulary import CONDITIONS, ORIGINAL

NAME = "[a-z][a-z0-9_]*"
# What is compared in a challenge's exp/: directories, of protected speech with a suffix.
COMPARED_DIRECTORIES = re.compile(
    rf"(?P<corpus>{NAME})_enrolls(?P<enrolled>_.+|)"
    r"-(?P=corpus)_trials_(?P<trials>(?:f|m|mixed)(?:_common)?)(?P<tried>_.+|)"
)


class ScoreFile(NamedTuple):
    """What the scores of one file are of."""

    corpus: str
    trials: str
    anonymiser: str
    condition: str


def given_scores(template: str) -> dict[ScoreFile, str]:
    """Score files that match a path with {corpus}, {trials}, {anonymiser} and {condition}.

    Without {corpus} or {trials} they are ``scores`` and ``all``. Other conditions do not match. A
    path without braces is an attacker's folder in a challenge's exp/.

    Raises
    ------
    BadInput : a file's name of a system, list or corpus is none, or could be split otherwise; that
        folder has the scores of several attackers
    """
    if "{" not in template:
        return _scores_of_challenge(template)
    pattern, star = re.escape(template), escape(template)
    for field in ScoreFile._fields:
        placeholder = f"{{{field}}}"
        values = f"(?i:{'|'.join(CONDITIONS)})" if field == "condition" else "[^/]+"
        pattern = pattern.replace(re.escape(placeholder), f"(?P<{field}>{values})", 1)
        pattern = pattern.replace(re.escape(placeholder), f"(?P={field})")  # the same once more
        star = star.replace(placeholder, "*")
    files = {}
    for path in sorted(glob(star)):
        if match := re.fullmatch(pattern, path):
            _refuse_no_names(path, match.groups())
            other: Any = re.fullmatch(pattern.replace("+", "+?"), path)
            if other.groups() != match.groups():
                raise BadInput(
                    f"{path}: is it of {' '.join(match.groups())} or of {' '.join(other.groups())}?"
                    f" Names may hold '_': put / between them, also in {template}"
                )
            names = {"corpus": "scores", "trials": "all"} | match.groupdict()
            files[ScoreFile(**names)] = path
    return files


def _scores_of_challenge(folder: str) -> dict[ScoreFile, str]:
    """libri_dev_enrolls_mine-libri_dev_trials_f_mine/scores and the like, however deep.

    Raises
    ------
    BadInput : a suffix is no name; two files are of the same system and trials, as those of two
        attackers
    """
    files: dict[ScoreFile, str] = {}
    for path in sorted(Path(folder).rglob("scores")):
        match = COMPARED_DIRECTORIES.fullmatch(path.parent.name)
        if match and (match["enrolled"] or match["tried"]) == match["tried"]:
            condition = "pp" if match["enrolled"] else "op" if match["tried"] else "oo"
            system = match["tried"].lower().strip("_") or ORIGINAL
            _refuse_no_names(path, [system])
            scored = ScoreFile(match["corpus"], match["trials"], system, condition)
            if scored in files:
                raise BadInput(
                    f"{path}: {files[scored]} is of the same system and trials: name the folder of"
                    " one attacker, such as exp/asv_anon_mine"
                )
            files[scored] = str(path)
    return files


def _refuse_no_names(path, names):
    """Refuse scores of what has no name in a run: left out, they would not be missed."""
    for name in names:
        if not re.fullmatch(NAME, name):
            raise BadInput(
                f"{path}: '{name}' is no name: write small letters, digits and _, and begin with a"
                " letter"
            )
