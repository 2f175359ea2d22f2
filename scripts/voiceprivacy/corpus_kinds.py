"""Kinds of corpora: what other rooms know of each, and what an entry of a config is by its kind."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from voiceprivacy.inout.placeholders import ours
from voiceprivacy.kinds import A_FOLDER, ROW, TEXTS, Named, module_of, names
from voiceprivacy.vocabulary import EVALUATION

TRANSCRIPTS = "transcripts"  # of a corpus: a member of its entry, which no speech is made of
Options: TypeAlias = Any  # of a kind, in a corpus's entry: a dict, or the path of a data directory


def in_root(options: Options) -> Iterator[Named]:
    """All files below the folder ``root``."""
    yield Named(("root",), ours(options["root"]), A_FOLDER)


def texts_at(path: str, *keys: str) -> Iterator[Named]:
    """The transcripts of a corpus, a file or a folder, where it has some."""
    if os.path.exists(path):
        yield Named(keys, path, endings=TEXTS, member=TRANSCRIPTS)


def data_directory(path: str, root: str | None = None) -> Iterator[Named]:
    """A data directory in Kaldi's format, and its transcripts."""
    yield Named((), path, A_FOLDER, below=False, root=root, without_texts=True)
    yield from texts_at(f"{path}/text")


class Fetched(NamedTuple):
    """Parts of a corpus that a job downloads, from an address or from where they are published."""

    root: str
    address: str | None
    parts: list[str]


class CorpusKind(NamedTuple):
    """What other rooms know of a kind of corpus. ``options`` are the value of its key."""

    schema: str
    """The schema of its key in a config, as YAML."""
    cited: str
    """What it is, in the methods of a paper."""
    files: Callable[[Options], Iterator[Named]] = in_root
    """What it reads; keys are those below its own."""
    transcribed_by: str = ""
    """What says what is said, in words; kinds without it have no transcripts."""
    has_transcripts: Callable[[Options], bool] = bool
    """Whether that is there, or will be."""
    of_transcripts: tuple[str, ...] = ()
    """Keys that name transcripts, of which no speech is made."""
    use: str = EVALUATION
    """What a corpus is for that says neither that nor a protocol."""
    protocol: Callable[[Options], dict[str, Any] | None] = lambda _: {"enrol_trial": {}}
    """The protocol where an entry has none; None if it has to have one."""
    data_sets: Callable[[Options, str], list[str]] | None = None
    """Names of the data directories of a part, where it has such."""
    published: Callable[[Options], list[str]] = lambda _: []
    """Names of the published speech that it is, such as LibriSpeech test-clean."""
    fetched: Callable[[Options], Fetched | None] = lambda _: None
    """What a job downloads of it."""
    numbers_of_speakers: Callable[[Options], range] | None = None
    """Of voices that are the same in every corpus."""
    is_made_up: bool = False
    """Whether its voices are no people's."""
    is_written_again: bool = False
    """Whether its audio is made, or always has another rate than a run."""
    session: str | None = None
    """The pattern that finds the session in the id of an utterance."""


def corpus_kind(name: str) -> CorpusKind:
    """The row of a kind of corpus."""
    row: CorpusKind = getattr(module_of(name), ROW)
    return row


def name_in(corpus: Mapping[str, Any]) -> str | None:
    """Which key of a corpus's entry is the name of a kind; None of an entry that is wrong."""
    return next((name for name in names() if name in corpus), None)


def kind_in(corpus: Mapping[str, Any]) -> tuple[CorpusKind, Options]:
    """The row of an entry's kind, and the value of its key."""
    name = name_in(corpus)
    if name is None:
        raise KeyError(f"{corpus}: has no kind")
    return corpus_kind(name), corpus[name]


def data_sets(corpus: Mapping[str, Any], part: str) -> list[str]:
    """Names of the data directories of a part; none where the kind has no such."""
    kind, options = kind_in(corpus)
    return kind.data_sets(options, part) if kind.data_sets else []


def why_no_transcripts(corpus: Mapping[str, Any]) -> str | None:
    """Why an entry's trials have no transcripts; None if they have some."""
    if "segments" in corpus:
        return "no transcripts of the pieces that utterances are cut into"
    kind, options = kind_in(corpus)
    if kind.transcribed_by and kind.has_transcripts(options):
        return None
    by = f" ({kind.transcribed_by})" if kind.transcribed_by else ""
    return f"no transcripts were given{by}"


def published_in(corpus: Mapping[str, Any]) -> list[str]:
    """Names of the published speech that an entry is of; none of an entry without a kind."""
    name = name_in(corpus)
    return corpus_kind(name).published(corpus[name]) if name else []


def is_made_up(corpus: Mapping[str, Any]) -> bool:
    """Whether a corpus's entry in a config says that its voices are made, and no people's."""
    name = name_in(corpus)
    return corpus.get("made_up", False) or (name is not None and corpus_kind(name).is_made_up)


def whole_directory(given: Any) -> str | None:
    """The data directory whose trials file is one list of the protocol given, as it is.

    None for one gender's part of it, for a list of its own file, and for one with trials that are
    drawn besides.
    """
    if isinstance(given, str):
        return given
    is_whole = not given.keys() & {"gender", "list", "cross_gender"}
    return given["directory"] if is_whole else None
