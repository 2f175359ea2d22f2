"""Kinds of corpora and of measures: what other rooms know of each, from the row KIND of its module.

A kind is a module of corpora/kinds or utility/kinds, and has its name. Modules are imported when
somebody asks for their rows, so a new kind is a new file. At its top a module imports nothing that
a computer may lack on which runs are only planned: numpy, and what is ours.
"""

import functools
import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml

from voiceprivacy.inout.placeholders import ours
from voiceprivacy.vocabulary import EVALUATION, SCRIPTS

PACKAGE = Path(__file__).parent
SCHEMA = SCRIPTS.parent / "workflow" / "schemas" / "config.schema.yaml"
ROW = "KIND"  # what a module of a kind calls its row
CORPORA, MEASURES = "corpora/kinds", "utility/kinds"  # their folders
FILE, A_FOLDER = "file", "folder"
TEXTS = (".txt",)  # endings of what is read of people's transcripts
TRANSCRIPTS = "transcripts"  # of a corpus: a member of its entry, which no speech is made of
Options: TypeAlias = Any  # of a kind, in a corpus's entry: a dict, or the path of a data directory


class Named(NamedTuple):
    """A file or a folder that a config names.

    ``endings`` are those of the files that are read below a folder: None for all, () for none (it
    only has to be there). ``below`` is False where only the files directly in a folder are read.
    ``root`` is where relative paths in a wav.scp start, if the config says so. ``may_lack`` is True
    where recordings that are not there are left out. ``needed`` is False where a job of its own
    says what is missing. ``member`` names a file of an entry that has a fingerprint of its own,
    because each job reads only one of them. ``without_texts`` is True where the transcripts among
    the files are such a member. ``form`` is what it has to be, if that is certain.
    """

    keys: tuple[str, ...]
    path: str
    form: str = ""
    endings: tuple[str, ...] | None = None
    below: bool = True
    root: str | None = None
    may_lack: bool = False
    needed: bool = True
    member: str = ""
    without_texts: bool = False

    @property
    def source(self) -> str:
        """The entry of the config that names it, and its member: corpora/libri."""
        names = [*self.keys[:2], self.member]
        return "/".join(name for name in names if name)


def in_root(options: Options) -> Iterator[Named]:
    """All files below the folder ``root``."""
    yield Named(("root",), ours(options["root"]), A_FOLDER)


def texts_at(path: str, *keys: str) -> Iterator[Named]:
    """The transcripts of a corpus, a file or a folder, where it has some."""
    if Path(path).exists():
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
    """What other rooms know of a kind of corpus. ``options`` are what stands behind its key."""

    schema: str
    """What may stand behind its key in a config, as YAML."""
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


class MeasuredMetric(NamedTuple):
    """What is known of a metric of a measure, for its row in the catalogue.

    ``better`` is that of its kind where it says nothing. ``digits`` are those behind the point.
    ``headline`` metrics stand in the main table of the page.
    """

    name: str
    title: str
    unit: str
    meaning: str
    better: Literal["higher", "lower", "neither"] | None = None
    low: float = -math.inf
    high: float = math.inf
    digits: int = 3
    headline: bool = False


class MeasureKind(NamedTuple):
    """What other rooms know of a measure of utility that is shipped."""

    described: str
    """What it is, where a config names it."""
    metrics: tuple[MeasuredMetric, ...]
    """Its numbers, for the catalogue."""
    schema: str = "{}"
    """Keys of its own in an entry of a config, as YAML."""
    said: Mapping[str, str] = MappingProxyType({})
    """What it is in the methods of a paper, by a metric that is there."""
    published: str = ""
    """The metric that published numbers have of it."""
    env: str = "torch"
    """The environment that it runs in where the entry names none."""
    packages: tuple[str, ...] = ()
    """What has to be installed where a run starts, or it is left out."""
    better: Literal["higher", "lower"] | None = None
    """As the catalogue has it of each metric."""
    group: str = ""
    """What it is about, one of the catalogue's PREFERRED."""
    place: int = 0
    """In its group: one chooses by the first that there is."""
    weight: str | None = None
    """The metric that weights the mean of the others; {name} in it is the entry's."""
    statistic: str = "mean"
    """Which number is taken of its metrics (voiceprivacy.utility.statistics)."""
    joint: str | None = None
    """The name of a number of all its metrics together; {name} in it is the entry's."""
    by_definition: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """What is read in another way under a definition."""
    files: Callable[[Mapping[str, str]], Iterable[Named]] = lambda _: ()
    """What it reads of its options besides a model; keys are those below its own."""
    needs: tuple[str, ...] = ()
    """Keys that an entry must have."""
    needs_one_of: tuple[str, ...] = ()
    """Keys of which an entry must have one, and only one."""
    fetched: str | None = None
    """What its model is, where that can come from the hub (voiceprivacy.models.hub)."""
    is_pinned: bool = False
    """Whether its model may be one whose weights we fetch from a package (models.pinned)."""
    of_any_model: bool = False
    """Whether an entry with a model is of this kind where it does not say."""
    of_original: bool = True
    """Whether unprotected speech is measured, too."""
    languages: tuple[str, ...] = ()
    """Those that it understands, as ISO 639 has them; none: all."""
    sample_minutes: float | None = None
    """How much it hears of each system where the entry does not say."""
    mem_mb: int = 2000
    threads: int = 1
    seconds: tuple[float, float] = (0, 0)
    """What it takes for a second of speech, and for an utterance, as an estimate."""
    options: tuple[str, ...] = ()
    """Keys of an entry that its function takes; ``name`` is the entry's own, for those of its
    metrics, ``transcripts`` the file of what was said, and ``spoken`` the corpus's language."""
    together: bool = False
    """Whether one job makes it with the others of these, for each corpus and anonymiser."""
    of_embeddings: bool = False
    """Whether it takes embeddings of an attacker, of all systems of a corpus together."""
    entry: str = ""
    """The name of its entry in every run."""
    entry_options: Mapping[str, Any] = MappingProxyType({})
    """What stands in that entry."""
    left_out_by: str = ""
    """The key of the section report that leaves it out of every run where it is false."""


@functools.cache
def names(folder: str = CORPORA) -> tuple[str, ...]:
    """Names of the kinds, in the order of the alphabet."""
    stems = (path.stem for path in (PACKAGE / folder).glob("*.py"))
    return tuple(sorted(stem for stem in stems if not stem.startswith("_")))


@functools.cache  # five times in every start
def schema() -> dict[str, Any]:
    """The schema of a config, with that of each kind; nobody changes it."""
    whole = _from_yaml(SCHEMA.read_text(encoding="utf-8"))
    corpus = whole["$defs"]["corpus"]
    corpus["oneOf"] = [{"required": [name]} for name in names()]
    own = {name: _from_yaml(corpus_kind(name).schema) for name in names()}
    corpus["properties"] = own | corpus["properties"]
    corpus["additionalProperties"] = False
    measure = whole["$defs"]["measure"]
    described = "; ".join(f"{name}, {row.described}" for name, row in measure_kinds().items())
    measure["properties"]["type"] |= {
        "description": f"A measure that is shipped (docs/guide/utility.md) - {described}.",
        "enum": [*measure_kinds()],
    }
    for row in measure_kinds().values():
        measure["properties"] |= _from_yaml(row.schema)
    measure["additionalProperties"] = False
    return whole


def is_for_people(described: Mapping[str, Any]) -> bool:
    """Whether a key of a schema is for people to write: programs of ours write x-written ones."""
    return not described.get("x-written", False)


def _from_yaml(text: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # compiled, where there is one
    described: dict[str, Any] = loader(text).get_data()
    return described


def module_of(name: str, folder: str = CORPORA) -> ModuleType:
    """The module of a kind."""
    return importlib.import_module(f"voiceprivacy.{folder.replace('/', '.')}.{name}")


def paths(folder: str = CORPORA) -> list[Path]:
    """The modules of the kinds."""
    return [PACKAGE / folder / f"{name}.py" for name in names(folder)]


def corpus_kind(name: str) -> CorpusKind:
    """The row of a kind of corpus."""
    row: CorpusKind = getattr(module_of(name), ROW)
    return row


@functools.cache
def measure_kinds() -> dict[str, MeasureKind]:
    """The row of every kind of measure."""
    return {name: getattr(module_of(name, MEASURES), ROW) for name in names(MEASURES)}


def name_in(corpus: Mapping[str, Any]) -> str | None:
    """Which key of a corpus's entry is the name of a kind; None of an entry that is wrong."""
    return next((name for name in names() if name in corpus), None)


def kind_in(corpus: Mapping[str, Any]) -> tuple[CorpusKind, Options]:
    """The row of an entry's kind, and what stands behind its key."""
    name = name_in(corpus)
    if name is None:
        raise KeyError(f"{corpus}: has no kind")
    return corpus_kind(name), corpus[name]


def data_sets(corpus: Mapping[str, Any], part: str) -> list[str]:
    """Names of the data directories of a part; none where the kind has no such."""
    kind, options = kind_in(corpus)
    return kind.data_sets(options, part) if kind.data_sets else []


def why_no_transcripts(corpus: Mapping[str, Any]) -> str | None:
    """Why nobody knows what is said in an entry's trials; None if its transcripts are there."""
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
