"""The tables that the rooms hand to each other: manifests, trial lists, enrolments.

Every table is a UTF-8 TSV with a header line; only this module and ``scored_trials`` read or write
them. Whatever is wrong in one raises BadInput with the file, the line and the reason. The ids in
them become names of files and arguments of commands: this module says what they may look like.
"""

import contextlib
import csv
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import MOST_OF_PATH, FilePath, blocks_of_lines, read_lines
from voiceprivacy.inout.foreign import composed, matching
from voiceprivacy.inout.inputs import note_listed
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.vocabulary import SHARDS

MANIFEST = ["utterance", "speaker", "gender", "path", "duration_s"]
TRIALS = ["enrolment", "trial", "label"]
ENROLMENTS = ["enrolment", "utterance"]
SPEAKERS = ["id", "speaker"]
FACTS = ["speaker", "attribute", "value"]
SCORES = [*TRIALS, "score"]
FINDINGS = ["level", "file", "line", "what", "sound"]
TRANSCRIPTS = ["utterance", "text"]
ALPHAS = ["utterance", "speaker", "alpha"]
POSITIONS = ["utterance", "position"]
NAMES = {"utterance", "speaker", "enrolment", "trial", "id"}  # columns that hold people's names
from voiceprivacy.vocabulary import LABELS  # noqa: E402

OF_LABELS = {"target", "tgt", "nontarget", "imp"}  # what nothing else is called
# What lists of others call them: VoxCeleb's and SpeechBrain's 1 and 0, tgt and imp of VOiCES,
# truth values of pandas.
LABEL_WORDS = dict.fromkeys(("target", "tgt", "1", "1.0", "true"), "target") | dict.fromkeys(
    ("nontarget", "imp", "0", "0.0", "false"), "nontarget"
)
GENDERS = {"f": "f", "female": "f", "woman": "f", "m": "m", "male": "m", "man": "m"}
GENDERS |= {"female_feminine": "f", "male_masculine": "m"}  # Common Voice
# BIO01F, p_m_01: a word by itself, or behind the number of a speaker.
SEX = re.compile(rf"(?:^|[\W\d_])({'|'.join(GENDERS)})(?=$|[\W_])")
WHOLE_NUMBER = r"(?!(?<=\d)\d)"  # between two characters, of which one at most is a digit
ABOVE = "../"

# What no id may hold: spaces, slashes, control characters, half a character; - and . in front.
UNSAFE = re.compile(r"^[-.]|[\s/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
MOST_BYTES = 200  # a file name may have 255, of which endings and numbers of pieces need some
PIECE = re.compile(r"_seg\d{3,}$")

DIGITS = re.compile("[0-9]{1,18}")
SPACE_AROUND = "has a space at its beginning or end"

Row: TypeAlias = dict[str, str]


class Utterance(NamedTuple):
    """One line of a manifest; ``path`` is resolved, ``gender`` is f, m or -."""

    utterance: str
    speaker: str
    gender: str
    path: Path
    duration_s: float

    @property
    def shown_by_name(self) -> set[str]:
        """What its name shows: speaker, sex, both or nothing."""
        # Of numbers all digits: speaker 1 speaks in utt_1 and utt_01, not in utt_21.
        speaker = rf"{WHOLE_NUMBER}0*{re.escape(self.speaker)}{WHOLE_NUMBER}"
        shown = {"speaker"} if re.search(speaker, self.utterance, re.IGNORECASE) else set()
        return shown | ({"sex"} if self.gender in sexes_in(self.utterance) else set())


class Trial(NamedTuple):
    """One line of a trial list; ``label`` is target or nontarget."""

    enrolment: str
    trial: str
    label: str


# Ids of utterances, speakers and enrolments, and how pieces of an utterance are named.


def sexes_in(name: str) -> set[str]:
    """The sexes, f and m, that the name of a file or a speaker seems to show.

    >>> sexes_in("BIO01F"), sexes_in("p_male_01"), sexes_in("fm3")
    ({'f'}, {'m'}, set())
    """
    return {GENDERS[word] for word in SEX.findall(name.lower())}


def safe_id(text: str, path: FilePath, line: int) -> str:
    """Check that an id can be a file name and a command's argument, and return it.

    Parameters
    ----------
    text : str
    path, line : path, int
        Where it stands.
    """
    if not text or UNSAFE.search(text) or len(text.encode()) > MOST_BYTES:
        shown = text[:60].encode(errors="replace").decode() + "..." * (len(text) > 60)
        raise BadInput(
            f"{path}:{line}: '{shown}' cannot be an id: 1 to {MOST_BYTES} bytes,"
            " no space or slash, no leading - or ."
        )
    return text


def refuse_hidden_spaces(row: dict[str, str], path: FilePath, line: int) -> None:
    """Refuse ids that begin or end with a space: they are others than they seem."""
    for column, text in row.items():
        if text != text.strip() and column != "score":
            raise BadInput(f"{path}:{line}: '{text}' {SPACE_AROUND}")


def seconds_of(start: str, end: str) -> tuple[float, float] | None:
    """The start and the end of a stretch of time as Kaldi's segments say it; None of no stretch.

    An end of -1 is that of the recording.

    >>> seconds_of("0.5", "2"), seconds_of("2", "0.5"), seconds_of("2", "-1")
    ((0.5, 2.0), None, (2.0, -1.0))
    >>> seconds_of("1_0", "20")
    """
    first, last = number_in(start), number_in(end)
    is_stretch = 0 <= first < math.inf and (first < last < math.inf or last == -1)
    return (first, last) if is_stretch else None


def piece_id(source: str, number: int) -> str:
    """The id of one piece of an utterance; source_of is the way back."""
    return f"{source}_seg{number:03d}"


def source_of(utterance: str) -> str:
    """The id of the utterance that a piece was cut from; any other is its own source.

    >>> source_of("u_seg007"), source_of("u")
    ('u', 'u')
    """
    return PIECE.sub("", utterance)


def recordings_of(utterances: Collection[str], pattern: str | None = None) -> list[str]:
    """The recordings, or sessions, that utterances are of: their sources, or what a pattern says.

    >>> recordings_of(["84-121123-0001_seg002"]), recordings_of(["84-121123-0001"], "^(.+)-")
    (['84-121123-0001'], ['84-121123'])

    Parameters
    ----------
    pattern : regular expression
        Its first group, in an utterance's id, names the recording.
    """
    sources = list(map(source_of, utterances))
    if not pattern:
        return sources
    recordings = []
    with matching(pattern, len(sources)):
        if not re.compile(pattern).groups:
            raise BadInput(f"{pattern}: has no group, (...), which finds the recording")
        for source in sources:
            match = re.search(pattern, source)
            recordings.append(match[1] or source if match else source)
    return recordings


# Manifests.


def read_manifest(path: FilePath, *, may_be_empty: bool = False) -> list[Utterance]:
    """Read a manifest (TSV: utterance speaker gender path duration_s)."""
    utterances: dict[str, Utterance] = {}
    for line, row in read_rows(path, MANIFEST):
        name = safe_id(row["utterance"], path, line)
        if name in utterances:
            raise BadInput(f"{path}:{line}: utterance '{name}' occurs twice")
        utterances[name] = _utterance(name, row, path, line)
    if not utterances and not may_be_empty:
        raise BadInput(f"{path}: lists no utterance")
    note_listed(utterance.path for utterance in utterances.values())
    return list(utterances.values())


def _utterance(name: str, row: Row, path: FilePath, line: int) -> Utterance:
    if not row["speaker"]:
        raise BadInput(f"{path}:{line}: utterance '{name}' has no speaker")
    if row["gender"] not in ("f", "m", "-"):
        raise BadInput(f"{path}:{line}: gender '{row['gender']}' is not f, m or -")
    if not row["path"]:
        raise BadInput(f"{path}:{line}: utterance '{name}' has no path")
    speaker = safe_id(row["speaker"], path, line)
    audio = Path(path).parent / row["path"]
    if row["path"].startswith(ABOVE):
        audio = Path(os.path.normpath(audio))
    duration_s = number(row["duration_s"], path, line)
    if not 0 <= duration_s < math.inf:
        raise BadInput(f"{path}:{line}: utterance '{name}' lasts {row['duration_s']} s")
    return Utterance(name, speaker, row["gender"], audio, duration_s)


def write_manifest(path: FilePath, utterances: Iterable[Utterance]) -> None:
    """Write a manifest; audio below the manifest's own folder gets a relative path.

    So does audio that lies beside the manifests of its shards: <folder>/shards/0.tsv.
    """
    folder = Path(path).parent.absolute()
    above = ABOVE if folder.name == SHARDS else ""
    own = os.path.join(folder.parent if above else folder, "")
    rows = []
    for utterance in utterances:  # relative paths survive when results are moved
        audio = str(Path(utterance.path).absolute())
        if audio.startswith(own):
            audio = above + audio.removeprefix(own)
        rows.append(utterance._replace(path=Path(audio)))
    write_table(path, MANIFEST, rows)


def mean_seconds(groups: Collection[Iterable[str]], utterances: Iterable[Utterance]) -> float:
    """Seconds that the recordings of a group last together, on average over the groups.

    Parameters
    ----------
    groups : ids of the utterances of each group; at least one group
    utterances : of manifests, in any order

    Raises
    ------
    BadInput : an id that is not in the manifests
    """
    lasts = {utterance.utterance: utterance.duration_s for utterance in utterances}
    seconds = []
    for names in groups:
        for name in names:
            if name not in lasts:
                raise BadInput(f"utterance '{name}' is not in the manifest")
        seconds.append(math.fsum(lasts[name] for name in names))
    return fmean(seconds)


def alphas_path(manifest: FilePath) -> Path:
    """Where the McAdams coefficients of a manifest stand: <manifest without .tsv>.alphas.tsv."""
    return Path(str(manifest).removesuffix(".tsv") + ".alphas.tsv")


def positions_path(manifest: FilePath) -> Path:
    """Where a part's manifest has the positions of its utterances: positions.tsv beside it."""
    return Path(manifest).with_name("positions.tsv")


def read_positions(path: FilePath) -> dict[str, int]:
    """Read which utterance of its data directory each one is: {utterance: position from 0}."""
    positions = {}
    for line, row in read_rows(path, POSITIONS):
        if not re.fullmatch(r"\d{1,7}", row["position"], re.ASCII):
            raise BadInput(f"{path}:{line}: position '{row['position']}' is no whole number")
        positions[row["utterance"]] = int(row["position"])
    return positions


def read_transcripts(path: FilePath) -> dict[str, str]:
    """Read what was said (TSV: utterance text): {utterance: text}."""
    texts: dict[str, str] = {}
    for line, row in read_rows(path, TRANSCRIPTS):
        if row["utterance"] in texts:
            raise BadInput(f"{path}:{line}: utterance '{row['utterance']}' occurs twice")
        texts[row["utterance"]] = row["text"]
    return texts


# Trial lists, enrolments, speakers.


def read_trials(path: FilePath) -> list[Trial]:
    """Read a trial list (TSV: enrolment trial label; or without header, see headerless_trials)."""
    columns = read_columns(path, blocks_of_lines(path), TRIALS)
    if not len(columns.lines):
        raise BadInput(f"{path}: lists no trial")
    enrolled = map(columns.enrolments.__getitem__, columns.enrolment.tolist())
    tried = map(columns.trials.__getitem__, columns.trial.tolist())
    return list(map(Trial, enrolled, tried, np.where(columns.target, *LABELS).tolist()))


def write_trials(path: FilePath, trials: Iterable[Trial]) -> None:
    """Write a trial list."""
    write_table(path, TRIALS, trials)


def read_enrolments(path: FilePath) -> dict[str, list[str]]:
    """Read which utterances enrol whom (TSV: enrolment utterance): {enrolment: utterances}."""
    enrolments: dict[str, list[str]] = {}
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


def write_enrolments(path: FilePath, enrolments: Mapping[str, Iterable[str]]) -> None:
    """Write {enrolment: utterances}."""
    rows: list[tuple[str, str]] = []
    for enrolment, utterances in enrolments.items():
        rows += [(enrolment, utterance) for utterance in utterances]
    write_table(path, ENROLMENTS, rows)


def read_speakers(path: FilePath) -> dict[str, str]:
    """Read who speaks (TSV: id speaker; ids of enrolments and of trials) as {id: speaker}."""
    speaker_of: dict[str, str] = {}
    for line, row in read_rows(path, SPEAKERS):
        if not row["id"] or not row["speaker"]:
            raise BadInput(f"{path}:{line}: an id or a speaker is empty")
        refuse_hidden_spaces(row, path, line)
        if speaker_of.setdefault(row["id"], row["speaker"]) != row["speaker"]:
            raise BadInput(f"{path}:{line}: '{row['id']}' has two speakers")
    return speaker_of


def write_speakers(path: FilePath, speaker_of: Mapping[str, str]) -> None:
    """Write {id: speaker}."""
    write_table(path, SPEAKERS, speaker_of.items())


def read_facts(path: FilePath) -> dict[str, dict[str, str]]:
    """Read what a corpus says of its speakers, such as ages: {attribute: {speaker: value}}."""
    facts: dict[str, dict[str, str]] = {}
    for line, row in read_rows(path, FACTS):
        values = facts.setdefault(row["attribute"], {})
        if values.setdefault(row["speaker"], row["value"]) != row["value"]:
            known = f"another {row['attribute']} in another line"
            raise BadInput(f"{path}:{line}: speaker '{row['speaker']}' has {known}")
    return facts


def write_facts(path: FilePath, facts: Mapping[str, Mapping[str, str]]) -> None:
    """Write {attribute: {speaker: value}}."""
    rows: list[tuple[str, str, str]] = []
    for attribute, values in facts.items():
        rows += [(speaker, attribute, value) for speaker, value in sorted(values.items())]
    write_table(path, FACTS, rows)


def label_of(word: object) -> str | None:
    """The label that a word or a truth value means; None where it means none.

    >>> label_of("Target"), label_of("0"), label_of(True), label_of("same")
    ('target', 'nontarget', 'target', None)
    """
    return LABEL_WORDS.get(str(word).lower())


def headerless_trials(
    path: FilePath, rows: Sequence[tuple[int, list[str]]]
) -> Iterator[tuple[int, Trial, list[str]]]:
    """The trials of (line, fields) as others write them, and a fourth field, which is the score.

    The order is that of Kaldi, enrolment trial label, or that of VoxCeleb, label enrolment trial,
    or that of WeSpeaker's scores, whose label is last: whichever has most labels where they are
    expected. A label that is none stays as it is.

    Raises
    ------
    BadInput : two columns hold nothing but labels, as of scores that are decisions
    """
    columns = (2, 0, 3)[: len(rows[0][1]) - 1] if rows else (2,)
    counts = {at: sum(bool(label_of(fields[at])) for _, fields in rows) for at in columns}
    of_labels = max(counts, key=counts.__getitem__)
    both = [at for at in sorted(counts) if counts[at] == len(rows)]
    certain = [at for at in both if all(fields[at].lower() in OF_LABELS for _, fields in rows)]
    if rows and len(both) > 1 and len(certain) != 1:
        named = " and ".join(str(at + 1) for at in both)
        wrong = f"columns {named} may both be labels: give the file a header"
        raise BadInput(f"{path}:{rows[0][0]}: {wrong}")
    of_labels = certain[0] if len(certain) == 1 else of_labels
    for line, fields in rows:
        label = fields.pop(of_labels)
        enrolment, trial, *others = fields
        yield line, Trial(enrolment, trial, label_of(label) or label), others


def headerless_fields(
    path: FilePath, lines: list[str], count: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a table without header, whose fields have space between."""
    for line, text in enumerate(lines, start=1):
        fields = text.split()
        if fields and len(fields) != count:
            raise BadInput(
                f"{path}:{line}: expected {count} columns and no header, found {len(fields)}"
            )
        if fields:
            yield line, fields


# Trials as columns: ten million of them with scores take 0.9 GB, half of which is the file.

# Numbers of which float() says all that number_in does.
PLAIN = re.compile(r"[-+0-9.eE\n]*")


class Positions(dict[str, int]):
    """Position of each id in the order in which ids are asked for."""

    def __missing__(self, name: str) -> int:
        position = self[name] = len(self)
        return position


class TrialColumns(NamedTuple):
    """M trials of a table in its order.

    ``enrolments`` and ``trials`` are ids, each once; ``enrolment`` and ``trial`` (M,) are the
    positions of those of each trial, ``target`` (M,) whether it is one. ``scores`` is (M,), or
    empty in a list; ``lines`` (M,) are numbers.
    """

    enrolments: list[str]
    trials: list[str]
    enrolment: NDArray[np.int32]
    trial: NDArray[np.int32]
    target: NDArray[np.bool_]
    scores: NDArray[np.float64]
    lines: NDArray[np.int32]

    def pair(self, index: int) -> tuple[str, str]:
        """The enrolment and the trial at a position."""
        return self.enrolments[self.enrolment[index]], self.trials[self.trial[index]]

    def lists_the_same(self, other: "TrialColumns") -> bool:
        """Whether the trials and labels are those of the other, in the same order."""
        names = (self.enrolments, self.trials) == (other.enrolments, other.trials)
        of_both = zip(self[2:5], other[2:5], strict=True)
        return names and all(np.array_equal(one, another) for one, another in of_both)


def read_columns(path: FilePath, blocks: Iterator[list[str]], names: list[str]) -> TrialColumns:
    """Read a trial list or a table of scores (TRIALS, SCORES), ours or one without header.

    Parameters
    ----------
    blocks : lines of the file, see files.blocks_of_lines

    Raises
    ------
    BadInput : it is none, a field is not what it should be, or a trial occurs twice
    """
    blocks = _unquoted_blocks(path, blocks)
    first = next(blocks, [])
    header = next(filter(str.strip, first), "")  # empty lines may stand before it
    words = header.lower().split()
    ids = Positions(), Positions()
    parts = []
    if len(words) == len(names) and not {*words} & {*names}:
        lines = [*first, *chain.from_iterable(blocks)]
        trials = list(headerless_trials(path, list(headerless_fields(path, lines, len(names)))))
        at = np.array([line for line, _, _ in trials], dtype=np.int32)
        fields = [*chain.from_iterable(chain(trial, others) for _, trial, others in trials)]
        parts.append(_columns_of(path, at, fields, range(len(names)), ids))
    else:
        order = _order(path, first, names)
        line = 2
        for lines in chain([first[1:]], blocks):
            at, fields = _fields_in(path, line, lines, len(names))
            parts.append(_columns_of(path, at, fields, order, ids))
            line += len(lines)
    enrolment, trial, *others = map(np.concatenate, zip(*parts, strict=True))
    read = TrialColumns(list(ids[0]), list(ids[1]), enrolment, trial, *others)
    _refuse_twice(path, read)
    return read


def _fields_in(path, line, lines, n_columns):
    """Numbers of lines (M,) from ``line`` on without empty ones, and their fields in one list."""
    at = np.arange(line, line + len(lines), dtype=np.int32)
    if "" in lines:
        at = at[np.array(lines) != ""]
        lines = [text for text in lines if text]
    counts = [text.count("\t") + 1 for text in lines]
    if {*counts} - {n_columns}:
        index = [count == n_columns for count in counts].index(False)
        wrong = f"expected {n_columns} columns, found {counts[index]}"
        raise BadInput(f"{path}:{at[index]}: {wrong}")
    # Not a list for each line, which the garbage collector would look at again and again.
    return at, "\t".join(lines).split("\t") if lines else []


def _columns_of(path, at, fields, order, ids):
    """The columns of TrialColumns from ``enrolment`` on; new ids are added to those known."""
    *sides, labels = [fields[index :: len(order)] for index in order[:3]]
    sides = [own if all(map(str.isascii, own)) else [*map(composed, own)] for own in sides]
    columns = []
    for own, names in zip(ids, sides, strict=True):
        n_known = len(own)
        columns.append(np.fromiter(map(own.__getitem__, names), np.int32, len(names)))
        for name in islice(own, n_known, None):
            if reason := _wrong_id(name):
                raise BadInput(f"{path}:{at[names.index(name)]}: {reason}")
    known = {word: label_of(word) for word in {*labels}}
    if None in known.values():
        index = [known[word] for word in labels].index(None)
        wrong = f"label '{labels[index]}' is neither target nor nontarget"
        raise BadInput(f"{path}:{at[index]}: {wrong}")
    is_target = {word: label == LABELS[0] for word, label in known.items()}
    columns.append(np.fromiter(map(is_target.__getitem__, labels), np.bool_, len(labels)))
    columns.append(_numbers(path, at, fields[order[3] :: len(order)] if len(order) > 3 else []))
    return *columns, at


def _numbers(path, at, texts):
    """Numbers (M,) of texts; the usual ones at once."""
    if PLAIN.fullmatch("\n".join(texts)):
        try:
            values = np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            values = np.array([np.nan])
        if np.isfinite(values).all():  # 1e999 is no number
            return values
    return np.array([number(text, path, line) for text, line in zip(texts, at, strict=True)])


def _wrong_id(name):
    """Why a name cannot be the id of an enrolment or a trial; None if it can."""
    if len(name) > MOST_OF_PATH:  # others name trials by paths
        return f"'{name}' is longer than an id can be"
    if not name:
        return "a trial has an enrolment and a trial; one of them is empty"
    return None if name == name.strip() else f"'{name}' {SPACE_AROUND}"


def _refuse_twice(path, columns):
    """Refuse a trial that occurs twice: the first line that repeats one is named."""
    keys = columns.enrolment * np.int64(max(1, len(columns.trials))) + columns.trial
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():
        return
    again = np.ones(len(keys), dtype=bool)
    again[np.unique(keys, return_index=True)[1]] = False
    index = int(again.argmax())
    name = " ".join(columns.pair(index))
    raise BadInput(f"{path}:{columns.lines[index]}: trial '{name}' occurs twice")


# Any table.


def read_table(path: FilePath, columns: list[str]) -> list[Row]:
    """Read any TSV with these columns as a list of {column: text}, as read_rows does."""
    return [row for _, row in read_rows(path, columns)]


def read_rows(path: FilePath, columns: list[str]) -> Iterator[tuple[int, Row]]:
    """Yield (line number, {column: text}) of a TSV that must have these columns, in any order.

    Empty lines are passed over.
    """
    for line, fields in fields_of(path, read_lines(path), columns):
        yield line, dict(zip(columns, fields, strict=True))


def fields_of(
    path: FilePath, lines: list[str], columns: list[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, its fields in the order of ``columns``)."""
    lines = unquoted(path, lines)
    order = _order(path, lines, columns)
    are_names = [name in NAMES for name in columns]
    for line, text in enumerate(lines[1:], start=2):
        if not text:
            continue
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise BadInput(f"{path}:{line}: expected {len(columns)} columns, found {len(fields)}")
        texts = [fields[index] for index in order]
        if not text.isascii():
            known = zip(texts, are_names, strict=True)
            texts = [composed(field) if is_name else field for field, is_name in known]
        yield line, texts


def unquoted(path: FilePath, lines: list[str]) -> list[str]:
    """Lines of a table without the quotes that R and pandas write around texts, the header's too.

    Where the header has none, a quote is part of a text.

    Raises
    ------
    BadInput : a quote is left open, as of a text with a line end
    """
    return _unquote(path, lines, first=1) if _is_quoted(lines) else lines


def _is_quoted(lines: Sequence[str]) -> bool:
    header = "".join(lines[:1]).split("\t")
    return all(len(name) > 1 and name[0] == name[-1] == '"' for name in header)


def _unquote(path: FilePath, lines: list[str], *, first: int) -> list[str]:
    without_quotes = []
    for line, text in enumerate(lines, start=first):
        try:
            fields = next(csv.reader([text], delimiter="\t", strict=True), [])
        except csv.Error as error:
            raise BadInput(f"{path}:{line}: is no line of a table in quotes ({error})") from None
        without_quotes.append("\t".join(fields))
    return without_quotes


def _unquoted_blocks(path: FilePath, blocks: Iterator[list[str]]) -> Iterator[list[str]]:
    """Blocks of lines of one table as ``unquoted`` has them."""
    beginning = next(blocks, [])
    is_quoted, line = _is_quoted(beginning), 1
    for lines in chain([beginning], blocks):
        yield _unquote(path, lines, first=line) if is_quoted else lines
        line += len(lines)


def _order(path: FilePath, lines: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where each column is, by the first of some lines, which must name these and no other."""
    header = "".join(lines[:1])
    columns = header.split("\t")
    if sorted(columns) != sorted(names):
        seen = f": '{header[:100]}'" if header else ""
        expected = f"expected the columns {' '.join(names)}, separated by tabs{seen}"
        raise BadInput(f"{path}:1: {expected}")
    for name in columns:
        if columns.count(name) > 1:
            raise BadInput(f"{path}:1: column '{name}' occurs twice")
    return [columns.index(name) for name in names]


def number(text: str, path: FilePath, line: int | str) -> float:
    """The number in a field (inf is one, NaN is not)."""
    value = number_in(text)
    if math.isnan(value):
        with contextlib.suppress(ValueError):
            if math.isinf(float(text)):
                raise BadInput(f"{path}:{line}: '{text}' is beyond double precision")
        raise BadInput(f"{path}:{line}: '{text}' is not a number")
    return value


def whole_number(text: str, path: FilePath, line: int | str) -> int:
    """The whole number in a field."""
    value = number(text, path, line)
    if not value.is_integer():
        raise BadInput(f"{path}:{line}: '{text}' is not a whole number")
    return int(value)


def number_in(text: str) -> float:
    """The number that a text is; NaN if it is none.

    Of what Python reads, other digits, 1_000, a space beside a number, and numbers that it takes
    for infinite are none.

    >>> number_in("+1e+3"), number_in("inf"), number_in("1_000"), number_in(" 1")
    (1000.0, inf, nan, nan)
    >>> number_in("1e999")
    nan
    """
    plain = text.isascii() and "_" not in text and text == text.strip()
    try:
        value = float(text) if plain else math.nan
    except ValueError:
        return math.nan
    return math.nan if math.isinf(value) and "inf" not in text.lower() else value


def whole_number_in(text: str) -> int | None:
    """The whole number that a text of digits is; None of any other text, and of too many digits.

    >>> whole_number_in("007"), whole_number_in("-1"), whole_number_in("9" * 5000)
    (7, None, None)
    """
    return int(text) if DIGITS.fullmatch(text) else None


def write_table(path: FilePath, columns: Sequence[str], rows: Iterable[Iterable]) -> None:
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
            raise BadInput(
                f"{path}: a tab or a line end in a name or a path, which no table can hold:"
                f" rename that folder or file (working directory: {Path.cwd()})"
            ) from None


def write_curves(path: FilePath, curves: Mapping[str, Mapping[str, ArrayLike]]) -> None:
    """Write {label: {column: array}} as one TSV with the labels in front.

    Every label has the same columns; the arrays of one label are equally long.
    """
    columns = ["label", *next(iter(curves.values()))]
    rows = []
    for label, curve in curves.items():
        for values in zip(*curve.values(), strict=True):
            rows.append((label, *values))
    write_table(path, columns, rows)
