"""Any tree of audio files whose paths follow a pattern.

An example is {speaker}/{session}/{utterance}.wav, as of VoxCeleb. {speaker}, {session}, {utterance}
and {gender} (f, m, x, female, male) stand for a part of the path without a slash, * for anything
without one. A field that occurs twice must be the same twice. A field is as short as the rest of
the pattern allows: {speaker}_{utterance}.wav reads p225_001_mic2.wav as speaker p225. Where the
{utterance} of two files is the same, every utterance gets the relative path as its id, folders
joined by -.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voiceprivacy.corpora.listing import Findings, Listed, by_speaker, note_gender
from voiceprivacy.corpus_kinds import TRANSCRIPTS, CorpusKind
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import foreign, ids, manifests, tables
from voiceprivacy.inout.files import read_lines, resembling
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.kinds import A_FOLDER, FILE, Named
from voiceprivacy.vocabulary import RECORDINGS

FACTS = ("age", "accent")  # columns that the table of speakers may have
FIELDS = ("speaker", "session", "utterance", "gender")


def _endings(pattern: str) -> tuple[str, ...] | None:
    """How files of a pattern end; None where it leaves that open."""
    ending = Path(pattern).suffix
    return None if re.search(r"[*{]", ending) else (ending,)


def _files(options: dict[str, Any]) -> Iterator[Named]:
    endings = _endings(options["pattern"])
    yield Named(("root",), ours(options["root"]), A_FOLDER, endings=endings)
    for key in ("speakers", "list", TRANSCRIPTS):
        if key in options:
            member = key if key == TRANSCRIPTS else ""
            yield Named((key,), ours(options[key]), FILE, member=member)


KIND = CorpusKind(
    schema=r"""
        description: >-
          Files below root whose relative paths follow a pattern of {speaker}, {utterance},
          {session}, {gender} and *, such as {speaker}/{session}/{utterance}.wav, each as short as
          possible; speakers - a TSV with the columns speaker and gender; transcripts - a TSV with
          the columns utterance and text; list - a text file of the utterances to take, one on a
          line, all others being left out.
        type: object
        additionalProperties: false
        required: [root, pattern]
        properties:
          root:
            description: Folder that the pattern starts from.
            type: string
            minLength: 1
          pattern:
            description: Of relative paths, such as {speaker}/{utterance}.wav.
            type: string
            pattern: "^(?=.*\\{speaker\\})(?=.*\\{utterance\\})"
          speakers:
            description: TSV with the columns speaker and gender (f, m, or x for another).
            type: string
            minLength: 1
          list:
            description: Text file, the id of an utterance on each line, of those that are taken.
            type: string
            minLength: 1
          transcripts:
            description: TSV with the columns utterance and text - what is said.
            type: string
            minLength: 1
    """,
    cited="folders of recordings",
    files=_files,
    transcribed_by="transcripts: FILE.tsv in the corpus's entry folder",
    has_transcripts=lambda options: TRANSCRIPTS in options,
    of_transcripts=(TRANSCRIPTS,),
)


def list_utterances(options: dict[str, Any], findings: Findings) -> list[Listed]:
    """List the files below a folder that match the pattern.

    Others with the same ending are one oddity.

    Parameters
    ----------
    options : dict
        root; pattern; optionally speakers: a TSV with the columns speaker and gender (and age or
        accent; others are passed over); optionally list: a text file with an id on each line, all
        that is taken; optionally transcripts: a TSV with the columns utterance and text.

    Raises
    ------
    BadInput : the root or a table is not there, or the pattern is none or fits no file
    """
    root, pattern = Path(options["root"]), options["pattern"]
    if not root.is_dir():
        raise BadInput(f"{root}: not found")
    genders = read_genders(options["speakers"], findings) if "speakers" in options else {}
    matches, others = _matches(root, pattern)
    if not matches:
        nearest = resembling(pattern, others or foreign.files_below(root))
        raise BadInput(f"{root}: no file below it looks like {pattern}{nearest}")
    if others:
        number = counted(len(others), "file does", "files do")
        message = f"{number} not look like {pattern}: left out, such as {others[0]}"
        findings.oddity(root, "-", message)
    utterances = list(_listed(root, matches, genders, findings))
    if "list" in options:
        utterances = _chosen(utterances, options["list"], findings)
    for speaker, own in by_speaker(utterances).items():
        first = own[0]
        if other := next((one for one in own if one.gender != first.gender), None):
            differs = f"is {other.gender} here, and {first.gender} in {first.file}"
            message = f"speaker '{speaker}' {differs}: two persons need two names"
            findings.error(other.file, "-", message)
    return utterances


def read_facts(options: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Ages and accents, where the table of speakers has such columns.

    Returns
    -------
    {attribute: {speaker: value}}
    """
    facts: dict[str, dict[str, str]] = {name: {} for name in FACTS}
    if "speakers" not in options:
        return facts
    for _, fields in _rows_of_speakers(options["speakers"]):
        for name in FACTS:
            if fields.get("speaker") and fields.get(name):
                facts[name].setdefault(fields["speaker"], fields[name])
    return facts


def read_transcripts(options: dict[str, Any]) -> dict[str, str]:
    """What is said, by the table of transcripts: {utterance: text}.

    Raises
    ------
    BadInput : there is no such table, or an utterance occurs twice
    """
    if "transcripts" not in options:
        raise BadInput("this corpus has no transcripts: its entry folder names no table of them")
    return manifests.read_transcripts(options["transcripts"])


def _matches(root, pattern):
    """The matches of a pattern, and the other files below a folder that end like it.

    They are recordings where it leaves their ending open.
    """
    expression, endings = compile_pattern(pattern), _endings(pattern) or RECORDINGS
    paths = list(foreign.files_below(root, tuple(map(str.lower, endings))))
    foreign.refuse_no_utf8(root, (f"{root}/{path}" for path in paths))
    matches, others = [], []
    with foreign.matching(pattern, len(paths)):
        for path in paths:
            if match := expression.fullmatch(path):
                matches.append(match)
            else:
                others.append(path)
    return matches, others


def compile_pattern(pattern: str) -> re.Pattern[str]:
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
            expression += re.escape(part)  # a dot is a dot
        elif name not in FIELDS:
            known = " ".join(f"{{{field}}}" for field in FIELDS)
            raise BadInput(f"{pattern}: {part} is none of {known}")
        else:
            expression += f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)"
            seen.add(name)
    for name in ("speaker", "utterance"):
        if name not in seen:
            raise BadInput(f"{pattern}: has no {{{name}}}")
    return re.compile(expression)


def _listed(root, matches, genders, findings):
    # VoxCeleb calls the first file of every session 00001.wav.
    names = [match["utterance"] for match in matches]
    if len(set(names)) < len(names):  # a relative path without its ending, folders joined by -
        names = [str(Path(match.string).with_suffix("")).replace("/", "-") for match in matches]
    counts = Counter(names)
    for name, match in zip(names, matches, strict=True):
        fields, path = match.groupdict(), root / match.string
        if counts[name] > 1:
            findings.error(path, "-", f"utterance '{name}' is another file's id too")
        speaker, session = foreign.composed(fields["speaker"]), fields.get("session", "")
        listed = gender = genders.get(speaker, "-")
        if written := fields.get("gender"):
            gender = ids.GENDERS.get(written.lower(), "-")
            if written.lower() not in ids.GENDERS:
                message = f"gender '{written}' is neither f, m nor x (another)"
                findings.error(path, "-", message)
            elif listed not in (gender, "-"):
                message = f"speaker '{speaker}' is {gender} here, and {listed} in the table"
                findings.error(path, "-", message)
        yield Listed(name, speaker, gender, session, path, str(path), "-")


def _chosen(utterances, path, findings):
    """Those of the utterances that a list names; one that is not there is an error."""
    lines = {}
    for line, text in enumerate(read_lines(path), start=1):
        if text.strip():  # an empty line names none
            lines[foreign.composed(text.strip())] = line
    known = {foreign.composed(utterance.utterance) for utterance in utterances}
    for name in sorted(lines.keys() - known):
        findings.error(path, lines[name], f"there is no utterance '{name}'")
    return [one for one in utterances if foreign.composed(one.utterance) in lines]


def read_genders(path: str, findings: Findings) -> dict[str, str]:
    """Who is a woman and who a man, by a table of speakers: {speaker: f, m or -}."""
    genders: dict[str, str] = {}
    facts: dict[tuple[str, str], str] = {}
    for line, fields in _rows_of_speakers(path):
        if speaker := fields.get("speaker"):
            note_gender(genders, speaker, fields.get("gender", ""), path, line, findings)
            for name in FACTS:
                value = fields.get(name, "")
                if value and facts.setdefault((speaker, name), value) != value:
                    message = f"speaker '{speaker}' has another {name} in another line"
                    findings.error(path, line, message)
    return genders


def _rows_of_speakers(path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a TSV whose first line names, among others, the columns speaker and gender."""
    lines = tables.unquoted(path, read_lines(path))
    columns = [column.strip().lower() for column in lines[0].split("\t")] if lines else []
    if not {"speaker", "gender"} <= set(columns):
        seen = f": '{lines[0][:100]}'" if lines else ""
        wrong = "expected the columns speaker and gender, separated by tabs"
        raise BadInput(f"{path}:1: {wrong}{seen}")
    for line, text in enumerate(lines[1:], start=2):
        values = [foreign.composed(field.strip()) for field in text.split("\t")]
        # Spreadsheets write fewer fields where the last ones are empty.
        yield line, dict(zip(columns, values, strict=False))
