"""Any tree of audio files whose paths follow a pattern, such as {speaker}/{session}/{utterance}.wav (VoxCeleb).

{speaker}, {session}, {utterance} and {gender} (f or m) stand for a part of the path without a slash, * for anything
without one; a field that occurs twice must be the same twice. A field is as short as the rest of the pattern allows:
{speaker}_{utterance}.wav reads p225_001_mic2.wav as speaker p225. Where the {utterance} of two files is the same, every
utterance gets the relative path as its id, folders joined by -.
"""

import os
import re
from collections import Counter
from pathlib import Path

from voiceprivacy.corpora.listing import Listed
from voiceprivacy.corpora.recordings import provide_audio
from voiceprivacy.inout.files import BadInput, counted, read_lines

__all__ = ["list_utterances", "provide_audio"]

FIELDS = ("speaker", "session", "utterance", "gender")


def list_utterances(options, findings):
    """List the files below a folder that match the pattern; others with the same ending are one oddity.

    Parameters
    ----------
    options : dict
        root; pattern; optionally speakers: a TSV with the columns speaker and gender (others are passed over);
        optionally list: a text file with the id of an utterance on each line, all that is taken.
    """
    root, pattern = Path(options["root"]), options["pattern"]
    if not root.is_dir():
        raise BadInput(f"{root}: not found")
    genders = _read_genders(options["speakers"], findings) if "speakers" in options else {}
    expression = compile_pattern(pattern)
    files = [path for path in _files(root) if path.endswith(Path(pattern).suffix)]
    matches = [match for match in map(expression.fullmatch, files) if match]
    if not matches:
        findings.error(root, "-", f"no file below it looks like {pattern}")
    elif len(matches) < len(files):
        other = next(path for path in files if not expression.fullmatch(path))
        others = counted(len(files) - len(matches), "file does", "files do")
        what = f"{others} not look like {pattern}: left out, such as {other}"
        findings.oddity(root, "-", what)
    utterances = list(_listed(root, matches, genders, findings))
    return _chosen(utterances, options["list"], findings) if "list" in options else utterances


def compile_pattern(pattern):
    """The regular expression of a pattern, with a group for each field.

    Raises
    ------
    BadInput : an unknown field, or no {speaker} or {utterance}
    """
    seen, expression = set(), ""
    for part in re.split(r"(\{[^}]*\}|\*)", pattern):
        name = part[1:-1]
        if part == "*":
            expression += "[^/]*?"
        elif not part.startswith("{"):
            expression += re.escape(part)
        elif name not in FIELDS:
            raise BadInput(
                f"{pattern}: {part} is none of {' '.join(f'{{{field}}}' for field in FIELDS)}"
            )
        else:
            expression += f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)"
            seen.add(name)
    for name in ("speaker", "utterance"):
        if name not in seen:
            raise BadInput(f"{pattern}: has no {{{name}}}")
    return re.compile(expression)


def _files(root):
    """Relative paths of all files below a folder, links followed, hidden ones left out."""
    for folder, folders, names in os.walk(root, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        below = Path(folder).relative_to(root).as_posix()
        prefix = "" if below == "." else f"{below}/"
        yield from (prefix + name for name in sorted(names) if not name.startswith("."))


def _listed(root, matches, genders, findings):
    repeated = len({match["utterance"] for match in matches}) < len(matches)
    names = [_joined(match.string) if repeated else match["utterance"] for match in matches]
    counts = Counter(names)
    for name, match in zip(names, matches, strict=True):
        fields, path = match.groupdict(), root / match.string
        if counts[name] > 1:
            findings.error(path, "-", f"utterance '{name}' is another file's id too")
        gender = fields.get("gender", "").lower() or genders.get(fields["speaker"], "-")
        if gender not in ("f", "m", "-"):
            findings.error(path, "-", f"gender '{gender}' is neither f nor m")
        yield Listed(
            name, fields["speaker"], gender, fields.get("session", ""), path, str(path), "-"
        )


def _chosen(utterances, path, findings):
    """Those of the utterances that a list names; one that is not there is an error."""
    lines = {
        text.strip(): line for line, text in enumerate(read_lines(path), start=1) if text.strip()
    }
    for name in lines.keys() - {of.utterance for of in utterances}:
        findings.error(path, lines[name], f"there is no utterance '{name}'")
    return [of for of in utterances if of.utterance in lines]


def _joined(path):
    """A relative path without its ending, folders joined by -."""
    return str(Path(path).with_suffix("")).replace("/", "-")


def _read_genders(path, findings):
    """A TSV whose first line names, among others, the columns speaker and gender."""
    lines = read_lines(path)
    columns = [column.strip().lower() for column in lines[0].split("\t")] if lines else []
    if not {"speaker", "gender"} <= set(columns):
        raise BadInput(f"{path}:1: expected the columns speaker and gender, separated by tabs")
    genders = {}
    for line, text in enumerate(lines[1:], start=2):
        fields = dict(zip(columns, [field.strip() for field in text.split("\t")], strict=False))
        speaker, gender = fields.get("speaker"), fields.get("gender", "").lower()
        if not speaker:
            continue
        if gender not in ("f", "m"):
            findings.error(
                path, line, f"gender '{gender}' of speaker '{speaker}' is neither f nor m"
            )
        elif genders.setdefault(speaker, gender) != gender:
            findings.error(path, line, f"speaker '{speaker}' has another gender in another line")
    return genders
