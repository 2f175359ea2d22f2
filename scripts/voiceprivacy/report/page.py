"""The report as one self-contained HTML page; the template escapes all that comes from data."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_bytes, read_lines
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.layout import Layout
from voiceprivacy.report import verdict_words
from voiceprivacy.report.answer import (
    averages_of,
    rank_answers,
    ready_made_note,
    what_was_run,
)
from voiceprivacy.report.comparison import EXPLAINED, System
from voiceprivacy.report.contents import Contents
from voiceprivacy.report.described_corpora import read_corpora, unnamed
from voiceprivacy.report.expected import read_comparison
from voiceprivacy.report.figure_tables import Table, table_of
from voiceprivacy.report.figures import KINDS, Figure, draws_in, marks, palette_of
from voiceprivacy.report.inference import inference_tables
from voiceprivacy.report.inline import inlined, shows_nothing
from voiceprivacy.report.leaderboard import leaderboard
from voiceprivacy.report.listen import read_examples
from voiceprivacy.report.mailed import NAMED, Codes, codes_of
from voiceprivacy.report.measured import read_inferred, read_utility
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.published import read_published, tables_of
from voiceprivacy.report.sessions import SESSION_TITLES, sessions
from voiceprivacy.report.speaker_words import words_tables
from voiceprivacy.report.uncertainty import NONE, Comparisons
from voiceprivacy.report.utility_tables import read_speeds, utility_section
from voiceprivacy.report.verdict import NOT_GIVEN, Verdict, no_verdict
from voiceprivacy.vocabulary import ABSENT, SCRIPTS, attacker_name, evaluation_notes

TEMPLATE = SCRIPTS.parent / "workflow" / "report" / "index.html.j2"
CAPTIONS = ("comparison", "alphas", *KINDS)
# Who reads: [what the view is called, what it shows]. Each shows what those before it show.
VIEWS = {
    "decide": ("Decide", "the verdict, what was not tried, and what the speech is still good for."),
    "study": ("Study", "every attack in numbers, all charts and the corpora, too."),
    "all": ("Everything", "coefficients that were drawn and where all comes from, too."),
}

SECTIONS: dict[str, Any] = {  # of a page, and what they hold where a run has nothing for them
    "corpora": None,  # what was evaluated
    "expected": (),  # published numbers beside those of the run
    "inference": (),  # what speech tells of people
    "utility": None,
    "words": (),  # word errors of speakers, below utility
    "listen": None,
    "published": None,
    "alphas": None,  # {corpus: {anonymiser: table}} of coefficients that McAdams anonymisers drew
    "internal": False,  # whether the page says at its top that it is not to be handed on
    "first": False,  # whether it has the verdict alone, and says that another page has all
}

# Figures on the page.

ON_PAGE = ("svg", "png")  # endings of pictures that it can show
LARGE_SVG_BYTES = 300_000  # a larger one is shown as PNG


class Shown(NamedTuple):
    """A figure on the page: ``svg`` in the page's colours, or else a picture as a data URL.

    ``table`` is (titles, rows), or without rows.
    """

    kind: str
    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    heading: str
    svg: str
    source: str
    table: Table


def show(drawn: Figure, *, pictures: Mapping[str, str], codes: Codes = NAMED) -> Shown:
    """Make a figure part of the page, with its table.

    It is the SVG, or the PNG where the SVG is large.

    Parameters
    ----------
    pictures : {ending: path} of its pictures that are there
    codes : of speakers who are not to be named

    Raises
    ------
    BadInput : a picture, or a file that the table is made of, is missing or broken
    """
    path = _smallest(pictures)
    svg = source = ""
    if path.suffix == ".svg":
        svg = inlined(read_bytes(path).decode("utf-8"))
    else:
        content = base64.b64encode(read_bytes(path)).decode("ascii")
        source = f"data:image/png;base64,{content}"
    subject = drawn._asdict()
    del subject["arguments"]
    return Shown(
        **subject,
        heading=drawn.heading,
        svg=svg,
        source=source,
        table=table_of(drawn, codes),
    )


def show_all(
    figures: Iterable[Figure], layout: Layout, codes: Mapping[str, Codes] | None = None
) -> list[Shown]:
    """The figures of a run; one without anything to show is left out.

    ``codes`` are {corpus: {speaker: code}} of corpora whose speakers are not named.
    """
    shown = []
    for figure in figures:
        own = (codes or {}).get(figure.corpus, NAMED)
        shown.append(show(figure, pictures=figure.pictures(layout), codes=own))
    return [figure for figure in shown if not shows_nothing(figure.svg)]


def by_kind(figures: Sequence[Shown]) -> list[tuple[str, str, list]]:
    """Group figures, the lists of an anonymiser side by side; further draws stand apart.

    Returns
    -------
    [(kind, title, [((corpus, extractor, backend), [Shown, ...], [Shown of a further draw, ...]),
    ...]), ...]
    """
    draws = draws_in(shown.anonymiser for shown in figures)
    of_kinds: dict[str, dict[tuple[str, ...], tuple[list[Shown], list[Shown]]]] = {}
    for shown in sorted(figures, key=lambda shown: (shown.anonymiser, shown.trials)):
        attacked = (shown.corpus, shown.extractor, shown.backend)
        first, further = of_kinds.setdefault(shown.kind, {}).setdefault(attacked, ([], []))
        (further if draws[shown.anonymiser].number > 1 else first).append(shown)
    return [
        (kind.name, kind.title, [(attacked, *shown) for attacked, shown in sorted(of_kind.items())])
        for kind in KINDS.values()
        if (of_kind := of_kinds.get(kind.name))
    ]


def _smallest(pictures):
    """The picture that the page shows."""
    sizes = {}
    for ending in ON_PAGE:
        if ending in pictures:
            path = Path(pictures[ending])
            try:
                sizes[ending] = (path.stat().st_size, path)
            except FileNotFoundError:
                raise BadInput(f"{path}: not found") from None
    if not sizes:
        names = ", ".join(pictures.values())
        raise BadInput(f"{names}: exists as neither .svg nor .png, which a page can show")
    # An SVG is sharp at any size, but one with thousands of points slows the page down.
    if "svg" in sizes and sizes["svg"][0] <= LARGE_SVG_BYTES:
        return sizes["svg"][1]
    return min(sizes.values())[1]


# The page.


def read_sections(contents: Contents, codes: Mapping[str, Codes]) -> dict[str, Any]:
    """Read what a run shows besides its attacks: arguments of write_page, by their names."""
    utility = published = corpora = None
    if contents.utility is not None:
        speeds = read_speeds(contents.speed) if contents.speed else []
        utility = utility_section(read_utility(contents.utility), contents.not_measured, speeds)
    if contents.published:
        published = tables_of(read_published(contents.published)) or None
    if contents.speech and contents.lists:
        corpora = read_corpora(contents.speech, contents.lists, contents.checks)
    if corpora and not contents.internal:
        corpora = unnamed(corpora)
    return {
        "internal": contents.internal,
        "corpora": corpora,
        "expected": read_comparison(contents.expected) if contents.expected else (),
        "inference": inference_tables(read_inferred(contents.inference)),
        "utility": utility,
        "words": words_tables(contents.words, codes),
        "listen": read_examples(contents.listen) or None,
        "published": published,
        "alphas": contents.alphas if contents.internal else None,
    }


def codes_in(contents: Contents, folder: Path) -> dict[str, dict[str, str]]:
    """Codes of the speakers whom the page shows and does not name: {corpus: {speaker: code}}."""
    corpora = {figure.corpus for figure in contents.figures if KINDS[figure.kind].of_people}
    corpora |= contents.words.keys()
    return {corpus: codes_of(corpus, folder) for corpus in sorted(corpora - {*contents.named})}


def write_page(
    path: FilePath,
    *,
    template: FilePath,
    systems: Sequence[System],
    metrics: Sequence[Number],
    figures: Sequence[Shown],
    provenance: dict,
    comparisons: Comparisons = NONE,
    verdict: Verdict = no_verdict(NOT_GIVEN),  # noqa: B008 - it cannot be changed
    **sections: Any,
) -> None:
    """Render the report.

    Parameters
    ----------
    path : the HTML file to write
    template : index.html.j2; the captions {kind}.rst and comparison.rst lie beside it
    systems, metrics, provenance : of the run
    figures : with their pictures
    comparisons : intervals of means, and values without their bias
    verdict : of the run
    sections : what else is shown, by the names of SECTIONS
    """
    folder, page = Path(template).parent, Path(path)
    colours = palette_of(provenance, metrics)
    sections = SECTIONS | sections
    content = _numbers(systems, metrics, provenance, comparisons, colours)
    content |= _drawings(figures, metrics, colours)
    content["what_was_run"] = what_was_run(systems, metrics, verdict.controls)
    sections["alphas"] = _alphas(sections["alphas"] or {}, systems, colours)
    text = (
        _environment(folder)
        .get_template(Path(template).name)
        .render(
            **content,
            **sections,
            captions={name: read_caption(folder / f"{name}.rst") for name in CAPTIONS},
            verdict=verdict,
            verdict_words=verdict_words,
            views=VIEWS,
            provenance=provenance,
            config=json.dumps(provenance.get("config", {}), indent=2),
        )
    )
    with whole_or_absent(page) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _numbers(systems, metrics, provenance, comparisons, colours):
    """What the template calls by these names: what was run, and tables of numbers."""
    averages, attacks = averages_of(provenance), {system.attack for system in systems}
    table = leaderboard(systems, colours=colours, averages=averages, comparisons=comparisons)
    return {
        "ready_made_note": ready_made_note(systems, provenance),
        "evaluation_notes": evaluation_notes(provenance.get("config", {})),
        "rank_answers": {} if systems else rank_answers(metrics),
        "has_intervals": comparisons != NONE or any(metric.ci_low != ABSENT for metric in metrics),
        "attacks": {words: meaning for words, meaning in EXPLAINED.items() if words in attacks},
        "leaderboard": table,
        "averages": dict(table.sets),
        "sessions": sessions(metrics),
        "session_titles": SESSION_TITLES,
    }


def _drawings(figures, metrics, colours):
    """What the template calls by these names: figures, and what hides systems in them."""
    measured = {metric.anonymiser for metric in metrics}
    draws = draws_in(colours)
    systems_shown = [
        (name, colour)
        for name, colour in colours.items()
        if name in measured and draws[name].number == 1
    ]
    return {
        "figures": by_kind([shown for shown in figures if shown.kind != "plane"]),
        "planes": [shown for shown in figures if shown.kind == "plane"],
        "draws": draws,
        "further_draws": [name for name, draw in draws.items() if draw.number > 1],
        "shown_systems": systems_shown,
        "marks": marks(colours),
    }


def read_caption(path: FilePath) -> str:
    """Read a caption: plain sentences without markup, the same text in .rst, HTML and print."""
    return " ".join(line.strip() for line in read_lines(path)).strip()


def _environment(folder):
    if not (folder / "index.html.j2").is_file():
        raise BadInput(f"{folder / 'index.html.j2'}: not found")
    loader = jinja2.FileSystemLoader(folder)
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,  # the ending j2 would not tell it
        undefined=jinja2.StrictUndefined,  # a name that we forgot is an error, not an empty text
        trim_blocks=True,
        lstrip_blocks=True,
    )
    contents = {view: [] for view in VIEWS}

    def listed(name, title, view):
        """Enter a section of the page into its table of contents."""
        contents[view].append((name, title))
        return ""

    environment.globals.update(
        attacker_name=attacker_name, called=verdict_words.called, contents=contents, listed=listed
    )
    return environment


def _alphas(tables, systems, colours):
    """{corpus: chart} of the anonymisers that drew McAdams coefficients."""
    if not tables:
        return {}
    # An internal page alone draws: others need no matplotlib.
    from voiceprivacy.report.plots import drawing
    from voiceprivacy.report.plots.speakers import read_alphas, strips

    charts = {}
    for corpus in dict.fromkeys(system.corpus for system in systems):
        drawn = {name: read_alphas(table) for name, table in tables.get(corpus, {}).items()}
        drawn = {name: alphas for name, alphas in drawn.items() if alphas}
        if drawn:
            charts[corpus] = inlined(drawing.svg_of(strips(alphas=drawn, colours=colours)))
    return charts
