"""Trial lists, ours and those of others, and trials as columns, with scores or without.

A mistake in one raises BadInput with the file, the line and the reason.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import MOST_OF_PATH, FilePath, blocks_of_lines
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.ids import SPACE_AROUND
from voiceprivacy.inout.tables import column_order, number, unquoted_blocks, write_table
from voiceprivacy.vocabulary import LABELS

TRIALS = ["enrolment", "trial", "label"]
SCORES = [*TRIALS, "score"]
OF_LABELS = {"target", "tgt", "nontarget", "imp"}  # what nothing else is called
# What lists of others call them: VoxCeleb's and SpeechBrain's 1 and 0, tgt and imp of VOiCES,
# truth values of pandas.
LABEL_WORDS = dict.fromkeys(("target", "tgt", "1", "1.0", "true"), "target") | dict.fromkeys(
    ("nontarget", "imp", "0", "0.0", "false"), "nontarget"
)
# Numbers of which float() says all that number_in does.
PLAIN = re.compile(r"[-+0-9.eE\n]*")


class Trial(NamedTuple):
    """One line of a trial list; ``label`` is target or nontarget."""

    enrolment: str
    trial: str
    label: str


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


def read_columns(path: FilePath, blocks: Iterator[list[str]], names: list[str]) -> TrialColumns:
    """Read a trial list or a table of scores (TRIALS, SCORES), ours or one without header.

    Parameters
    ----------
    blocks : lines of the file, see files.blocks_of_lines

    Raises
    ------
    BadInput : it is none, a field is not what it should be, or a trial occurs twice
    """
    blocks = unquoted_blocks(path, blocks)
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
        order = column_order(path, first, names)
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
