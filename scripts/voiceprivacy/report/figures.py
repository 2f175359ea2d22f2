"""The registry of figures: what each kind is called, what it is drawn from, and who draws it.

Conventions
-----------
* A kind is drawn by the function of its name, ``plots.MODULE.KIND(**arguments)``, which is imported
  when it is called.
* The arguments of a figure are those of ``plot.py KIND``: {flag: value}. A flag with a file for
  each system holds them in the order of ``anonymisers``.
* The picture of a figure is FOLDER/KIND[/CORPUS/TRIALS[/ANONYMISER]]/EXTRACTOR/BACKEND.ENDING.

To add a figure, write a row here, its function, a caption workflow/report/KIND.rst, a test, and its
line in docs/guide/report.md.
"""

import importlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from voiceprivacy.layout import HERE, Layout
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import (
    ABSENT,
    FURTHER_DRAW,
    ORIGINAL,
    WITHIN_RELEASE,
    attacker_name,
    draws_of,
)

# In the order in which they are written: matplotlib's layout moves a little each time.
PICTURES = ("pdf", "png", "svg")

# A kind has a figure for each of these.
LIST = "list"  # a trial list under one attacker, all systems
GALLERY = "gallery"  # the same, where speakers are ranked; sampled galleries too
ANONYMISER = "anonymiser"  # one anonymiser on a trial list under one attacker
TWO_RUNS = "two runs"  # the same, of anonymisers with two runs
ATTACKER = "attacker"  # all lists under one attacker
LENGTHS = "lengths"  # sampled galleries of one corpus and gender under one attacker
ATLAS = "atlas"  # a trial list or gallery whose channels are told apart
SET = "set"  # a corpus of the verdict whose utility is measured
TRAINING = "training"  # an extractor that the run trained
REQUEST = "request"  # whatever it is given

SPEECH = "audio/{corpus}/trial/original/manifest.tsv"
METRICS = "metrics.tsv"
VERDICT = "verdict.json"
SYSTEM = "{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"


def _curves(family):
    return f"curves/{family}/{SYSTEM}.tsv"


def _metrics(family):
    return f"metrics/{family}/{SYSTEM}.json"


class Kind(NamedTuple):
    """A kind of figure.

    Attributes
    ----------
    name : of the functions that draw it, of its caption, and of the folder of its pictures
    title : of its section on the page
    module : below plots
    per : what has one: LIST, GALLERY, ...
    files : {flag: path below the run's folder}; the first is what the page links as its data
    settings : other flags of the picture: palette, order, title, colour, gender, ...
    category : in Snakemake's own report
    of_people : whether it has a name, or a code, for each speaker
    """

    name: str
    title: str
    module: str
    per: str
    files: dict[str, str]
    settings: tuple[str, ...] = ()
    category: str = ""
    of_people: bool = False

    @property
    def of_systems(self) -> bool:
        """Whether each flag holds a file for every system."""
        return self.per in (LIST, GALLERY)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="zebra",
            title="Remaining evidence (ZEBRA)",
            module="evidence",
            per=LIST,
            files={"curves": _curves("zebra"), "metrics": _metrics("zebra")},
            settings=("palette",),
            category="ZEBRA",
        ),
        Kind(
            name="calibration",
            title="Calibration loss on another run (C_ECE)",
            module="evidence",
            per=TWO_RUNS,
            files={"curves": _curves("calibration"), "metrics": _metrics("calibration")},
            category="Calibration",
        ),
        Kind(
            name="similarity",
            title="Voice similarity between speakers",
            module="speakers",
            per=ANONYMISER,
            files={"curves": _curves("similarity"), "manifest": SPEECH},
            settings=("order", "title"),
            category="Voice similarity",
            of_people=True,
        ),
        Kind(
            name="distinctiveness",
            title="De-identification and voice distinctiveness",
            module="systems",
            per=ATTACKER,
            files={"metrics": METRICS},
            settings=("extractor", "backend", "palette"),
            category="Voice similarity",
        ),
        Kind(
            name="zoo",
            title="Biometric zoo",
            module="speakers",
            per=ANONYMISER,
            files={"zoo": _curves("zoo")},
            settings=("title",),
            category="The zoo",
            of_people=True,
        ),
        Kind(
            name="speakers",
            title="Speakers at risk",
            module="speakers",
            per=ANONYMISER,
            files={"speakers": _curves("speakers")},
            settings=("title", "colour"),
            category="Speakers at risk",
            of_people=True,
        ),
        Kind(
            name="ranks",
            title="Rank of the true speaker",
            module="ranks",
            per=GALLERY,
            files={"curves": _curves("ranks"), "metrics": _metrics("ranks")},
            settings=("palette",),
            category="Similarity ranks",
        ),
        Kind(
            name="rank_speakers",
            title="Rank disclosure per speaker",
            module="ranks",
            per=GALLERY,
            files={"speakers": _curves("rank_speakers"), "examples": _curves("rank_examples")},
            settings=("palette",),
            category="Similarity ranks",
            of_people=True,
        ),
        Kind(
            name="rank_lengths",
            title="Rank disclosure by length of speech",
            module="ranks",
            per=LENGTHS,
            files={"metrics": METRICS},
            settings=("corpus", "gender", "extractor", "backend"),
            category="Similarity ranks",
        ),
        Kind(
            name="atlas",
            title="Disclosure per channel",
            module="atlas",
            per=ATLAS,
            files={"curves": "curves/atlas/{corpus}/{trials}.tsv"},
            settings=("palette",),
            category="Disclosure atlas",
        ),
        Kind(
            name="exposed",
            title="Most exposed speakers, by channel",
            module="exposure",
            per=ATLAS,
            files={"curves": "curves/exposed/{corpus}/{trials}.tsv"},
            category="Disclosure atlas",
            of_people=True,
        ),
        Kind(
            name="law",
            title="Singling out and linkability among N speakers",
            module="law",
            per=LIST,
            files={"curves": _curves("law")},
            settings=("palette",),
            category="Data-protection law",
        ),
        Kind(
            name="training",
            title="Training of the attackers",
            module="evidence",
            per=TRAINING,
            files={"curve": "models/{extractor}/training.tsv"},
            settings=("title",),
            category="Training",
        ),
        Kind(
            name="plane",
            title="Privacy against utility",
            module="plane",
            per=SET,
            files={"verdict": VERDICT, "metrics": "metrics/utility/{corpus}.tsv"},
            settings=("corpus", "palette"),
            category="Utility",
        ),
    )
}

# Pictures for papers that the page does not have; each flag of files holds several.
ON_REQUEST = {
    kind.name: kind
    for kind in (
        Kind(
            name="scores",
            title="Conventional pictures of score files (DET, ECE, Tippett, ...)",
            module="systems",
            per=REQUEST,
            files={"scores": ""},
            settings=("label", "trials", "picture"),
        ),
        Kind(
            name="all_matrices",
            title="Similarity matrices of all anonymisers on all sets",
            module="speakers",
            per=REQUEST,
            files={"curves": "", "manifests": ""},
            settings=("anonymisers", "sets"),
        ),
        Kind(
            name="all_profiles",
            title="ECE profiles of all systems, a panel for every set",
            module="evidence",
            per=REQUEST,
            files={"curves": ""},
            settings=("systems", "sets", "palette"),
        ),
        Kind(
            name="features",
            title="Mean histogram of a feature (F0, units, style) over all speakers",
            module="systems",
            per=REQUEST,
            files={"embeddings": ""},
            settings=("systems", "feature", "title"),
        ),
    )
}


class Subject(NamedTuple):
    """What a figure shows; empty where it is of all, or where it does not apply.

    The gender of sampled galleries stands as ``trials``; of a training ``backend`` is "loss".
    """

    corpus: str = ""
    trials: str = ""
    anonymiser: str = ""
    extractor: str = ""
    backend: str = ""


class Look(NamedTuple):
    """What all figures of a run share: its anonymisers, which give the colours, and the order."""

    anonymisers: Sequence[str] = ()
    order: str = "gender"


class Figure(NamedTuple):
    """A figure that is to be drawn: its kind, its Subject's fields, the arguments of plot.py."""

    kind: str
    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    arguments: dict[str, Any]

    @property
    def files(self) -> list[str]:
        """The files that it is drawn from."""
        files = []
        for flag in KINDS[self.kind].files:
            value = self.arguments[flag]
            files += value if isinstance(value, list) else [value]
        return files

    @property
    def heading(self) -> str:
        """What is shown, in words."""
        if self.kind == "training":
            return self.extractor
        if KINDS[self.kind].per == SET:
            return self.corpus
        anonymiser = f"{self.anonymiser}, " if self.anonymiser else ""
        lists = f"{self.corpus}, list {self.trials}" if self.corpus else "all corpora and lists"
        if not self.extractor:
            return f"{lists}, all attackers"
        return f"{anonymiser}{lists}, {attacker_name(self.extractor, self.backend)}"

    def pictures(self, layout: Layout) -> dict[str, str]:
        """Where its pictures for papers lie: {ending: path}."""
        subject = (self.corpus, self.trials, self.anonymiser, self.extractor, self.backend)
        stem = "/".join(["report/figures", self.kind, *filter(None, subject)])
        return {ending: layout.path(f"{stem}.{ending}") for ending in PICTURES}


def figure(
    kind: str,
    subject: Subject,
    *,
    systems: Sequence[str] = (),
    look: Look = Look(),  # noqa: B008 - it cannot be changed
    layout: Layout = HERE,
) -> Figure:
    """A figure of one kind.

    Parameters
    ----------
    kind : one of KINDS
    subject : what it shows
    systems : anonymisers, the original among them, of a kind that shows all of them
    look : what it shares with the others of the run
    layout : where the run's files lie
    """
    row = KINDS[kind]
    # What is asked of plot.py and what the page reads are the same, so that both draw one thing.
    arguments: dict[str, Any] = {"anonymisers": list(systems)} if row.of_systems else {}
    for flag, template in row.files.items():
        fields = subject._asdict()
        if row.of_systems:
            arguments[flag] = [
                layout.path(template.format(**fields | {"anonymiser": name})) for name in systems
            ]
        else:
            arguments[flag] = layout.path(template.format(**fields))
    for flag in row.settings:
        arguments[flag] = _setting(flag, row, subject, look)
    return Figure(kind, *subject, arguments)


def _setting(flag, kind, subject, look):
    if flag == "palette":
        return list(look.anonymisers)
    if flag == "order":
        return look.order
    if flag == "colour":  # one system alone has the colour that it has beside the others
        return palette([*look.anonymisers, subject.anonymiser])[subject.anonymiser]
    if flag == "gender":  # see Subject
        return subject.trials
    if flag == "title":
        if kind.per == TRAINING:
            return subject.extractor
        return f"{subject.anonymiser}, {subject.corpus} {subject.trials}"
    return getattr(subject, flag)


def modules() -> list[str]:
    """Files of the package (without .py) that draw figures.

    For fingerprints of code: they are imported late, where nobody sees it.
    """
    names = dict.fromkeys(kind.module for kind in (KINDS | ON_REQUEST).values())
    return [f"voiceprivacy/report/plots/{name}" for name in names]


def drawer(kind: str) -> Callable:
    """The function that draws a kind."""
    # Imported now: Snakemake reads this registry alone, without matplotlib.
    module = f"voiceprivacy.report.plots.{(KINDS | ON_REQUEST)[kind].module}"
    return getattr(importlib.import_module(module), kind)


# Which names are draws of one system: see releases.py.


class Draw(NamedTuple):
    """Which draw of which system a name in files is: ``number`` counts from 1 to ``n_draws``."""

    system: str
    number: int
    n_draws: int

    @property
    def words(self) -> str:
        """The system, and which of its draws it is, where it has several."""
        return f"{self.system}, draw {self.number}" if self.n_draws > 1 else self.system


def draws_in(names: Iterable[str]) -> dict[str, Draw]:
    """What each anonymiser of a run is a draw of: {name: Draw}.

    >>> draws_in(["b2", "b2r", "b2r_draw2"])["b2r_draw2"]
    Draw(system='b2r', number=2, n_draws=2)
    """
    draws = {}
    for system, of_system in draws_of(dict.fromkeys(names)).items():
        for name in of_system:
            number = int(name.removeprefix(system + FURTHER_DRAW)) if name != system else 1
            draws[name] = Draw(system, number, len(of_system))
    return draws


def by_release(rows: Sequence[Any], *fields: str) -> dict[tuple[str, ...], list[Any]]:
    """Rows that only differ in which draw they are of: {(system, *fields): rows}, in their order.

    Parameters
    ----------
    rows : have an anonymiser
    fields : of the rows, in which those of one release agree
    """
    draws = draws_in(row.anonymiser for row in rows)
    releases: dict[tuple[str, ...], list[Any]] = {}
    for row in rows:
        key = (draws[row.anonymiser].system, *(getattr(row, field) for field in fields))
        releases.setdefault(key, []).append(row)
    return releases


# One colour and one mark for a system, the same in every picture and every chart of a run.

# Okabe and Ito: told apart by everyone
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "#7f7f7f"  # unprotected speech, on white and on black
# Of words and axes, of lines that lead the eye, and what is behind: the page has its own of these.
INK, FAINT, GRID, GROUND = "#000000", "#6b7480", "#dde3e8", "#ffffff"
# Seven and not six: as colours and marks go round, 42 pairs differ, and
# neighbours differ in both.
MARKS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "star")
UNPROTECTED_MARK = "x"
FURTHER_DRAWS = 0.55  # opacity of curves of further draws of an anonymiser
NO_VALUE = "#9ecae1"  # an undefined cell of a similarity matrix: no colour of its scale


def palette(anonymisers: Iterable[str]) -> dict[str, str]:
    """Colours of anonymisers in the order of the config: {name: colour}.

    They repeat after six, with other marks. Unprotected speech is grey, wherever it stands. All
    draws of an anonymiser are of one colour.
    """
    return {ORIGINAL: GREY} | _in_turn(anonymisers, COLOURS)


def marks(anonymisers: Iterable[str]) -> dict[str, str]:
    """Marks of anonymisers in the order of the config, as ``palette`` has their colours."""
    return {ORIGINAL: UNPROTECTED_MARK} | _in_turn(anonymisers, MARKS)


def _in_turn(anonymisers: Iterable[str], looks: Sequence[str]) -> dict[str, str]:
    """The next of the looks for each system: {anonymiser: look}."""
    protected = [name for name in dict.fromkeys(anonymisers) if name != ORIGINAL]
    draws = draws_in(protected)
    systems = list(dict.fromkeys(draw.system for draw in draws.values()))
    return {name: looks[systems.index(draws[name].system) % len(looks)] for name in protected}


def palette_of(provenance: dict, metrics: Iterable[Number]) -> dict[str, str]:
    """The colours of a run: anonymisers of its config first, then others (of scores of others)."""
    configured = provenance.get("config", {}).get("anonymisers", {})
    return palette([*configured, *sorted({metric.anonymiser for metric in metrics} - {ABSENT})])


def dash(condition: str) -> str:
    """The kind of line of a condition, as matplotlib names it; OP is dashed."""
    if condition in WITHIN_RELEASE:
        return ":"
    return "--" if condition == "op" else "-"
