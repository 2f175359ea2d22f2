"""Kinds of corpora and of measures: what other rooms know of each, from the row KIND of its module.

A kind is a module of corpora/kinds or utility/kinds, and has its name. Modules are imported when
somebody asks for their rows, so a new kind is a new file. At its top a module imports nothing that
a computer may lack on which runs are only planned: numpy, and what is ours.
"""

import functools
import importlib
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Literal, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.vocabulary import SCRIPTS

PACKAGE = SCRIPTS / "voiceprivacy"
CORPORA, MEASURES = "corpora/kinds", "utility/kinds"  # their folders
ROW = "KIND"  # what a module of a kind calls its row
FILE, A_FOLDER = "file", "folder"
TEXTS = (".txt",)  # endings of what is read of people's transcripts


@functools.cache
def names(folder: str = CORPORA) -> tuple[str, ...]:
    """Names of the kinds, in the order of the alphabet."""
    stems = (path.stem for path in (PACKAGE / folder).glob("*.py"))
    return tuple(sorted(stem for stem in stems if not stem.startswith("_")))


def paths(folder: str = CORPORA) -> list[Path]:
    """The modules of the kinds."""
    return [PACKAGE / folder / f"{name}.py" for name in names(folder)]


def module_of(name: str, folder: str = CORPORA) -> ModuleType:
    """The module of a kind; BadInput if there is none of this name."""
    if name not in names(folder):
        raise BadInput(f"'{name}' is none of {', '.join(names(folder))}")
    return importlib.import_module(f"voiceprivacy.{folder.replace('/', '.')}.{name}")


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
    order_in_group: int = 0
    """One chooses by the first measure of a group that there is."""
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
    by_frames: tuple[str, ...] = ()
    """Metrics that compare both frame by frame: undefined where lengths are free."""
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
    """The keys of that entry."""
    left_out_by: str = ""
    """The key of the section report that leaves it out of every run where it is false."""


@functools.cache
def measure_kinds() -> dict[str, MeasureKind]:
    """The row of every kind of measure."""
    return {name: getattr(module_of(name, MEASURES), ROW) for name in names(MEASURES)}
