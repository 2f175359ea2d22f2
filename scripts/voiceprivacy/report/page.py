"""The report as one self-contained HTML page; the template escapes all that comes from data."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from voiceprivacy.inout.files import RESOURCES, BadInput, read_lines, whole_or_absent
from voiceprivacy.report.answer import (
    answers,
    averages_of,
    controls_of,
    how_many_trials,
    rank_answers,
    what_was_run,
    zero_evidence,
)
from voiceprivacy.report.charts.chart import Run
from voiceprivacy.report.charts.systems import read_alphas, scatters, strips
from voiceprivacy.report.colours import palette_of
from voiceprivacy.report.comparison import System
from voiceprivacy.report.contents import Contents
from voiceprivacy.report.corpora import Corpora, read_corpora
from voiceprivacy.report.figures import KINDS, Figure, Shown, by_kind, show
from voiceprivacy.report.leaderboard import TITLES, leaderboard, sessions
from voiceprivacy.report.listen import Example, read_examples
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.published import Compared, read_comparison, read_published, tables_of
from voiceprivacy.report.standings import averaged
from voiceprivacy.report.uncertainty import NONE, Comparisons
from voiceprivacy.report.utility import read_utility, utility_section
from voiceprivacy.report.words import (
    ATTACKS,
    ATTACKS_EXPLAINED,
    FOREIGN,
    FOREIGN_EXPLAINED,
    INFORMED,
    INFORMED_EXPLAINED,
)
from voiceprivacy.vocabulary import ABSENT

PLOTLY = RESOURCES / "plotly" / "plotly-cartesian.min.js"
CAPTIONS = ("comparison", "attacks", "alphas", *KINDS)


def read_sections(contents: Contents) -> dict[str, Any]:
    """Read what a run shows besides its attacks: arguments of write_page, by their names."""
    utility = published = corpora = None
    if contents.utility is not None:
        utility = utility_section(read_utility(contents.utility))
    if contents.published:
        published = tables_of(read_published(contents.published)) or None
    if contents.speech and contents.lists:
        corpora = read_corpora(contents.speech, contents.lists, contents.checks)
    return {
        "corpora": corpora,
        "expected": read_comparison(contents.expected) if contents.expected else (),
        "utility": utility,
        "listen": read_examples(contents.listen) or None,
        "published": published,
        "alphas": contents.alphas,
    }


def show_all(figures: Iterable[Figure], *, run: Run, page: Path) -> list[Shown]:
    """Draw the figures of a run as charts; a figure without anything to draw is left out."""
    shown = [show(figure, run=run, page=page, pictures=figure.pictures()) for figure in figures]
    return [figure for figure in shown if figure.charts]


def write_page(
    path: str | Path,
    *,
    template: str | Path,
    systems: Sequence[System],
    metrics: Sequence[Number],
    figures: Sequence[Shown],
    provenance: dict,
    comparisons: Comparisons = NONE,
    corpora: Corpora | None = None,
    expected: Sequence[Compared] = (),
    utility: Any = None,
    listen: Sequence[Example] | None = None,
    published: Any = None,
    alphas: Mapping[str, Mapping[str, str | Path]] | None = None,
) -> None:
    """Render the report.

    Parameters
    ----------
    path : the HTML file to write
    template : index.html.j2; the captions {kind}.rst and comparison.rst lie beside it
    systems, metrics, provenance : of the run
    figures : charts, or pictures where there is no chart
    comparisons : of a run with intervals
    corpora : what was evaluated
    expected : published numbers beside those of the run
    utility, listen, published : what the sections of these names show; without them they are left
        out
    alphas : {corpus: {anonymiser: table}} of drawn coefficients; empty tables are left out, because
        only McAdams anonymisers draw them
    """
    folder, page = Path(template).parent, Path(path)
    colours = palette_of(provenance, metrics)
    content = _numbers(systems, metrics, provenance, comparisons, colours)
    content |= _drawings(figures, systems, metrics, colours)
    text = (
        _environment(folder)
        .get_template(Path(template).name)
        .render(
            **content,
            alphas=_alphas(alphas or {}, systems, colours, page.parent),
            captions={name: read_caption(folder / f"{name}.rst") for name in CAPTIONS},
            corpora=corpora,
            expected=expected,
            utility=utility,
            listen=listen,
            published=published,
            provenance=provenance,
            config=json.dumps(provenance.get("config", {}), indent=2),
        )
    )
    with whole_or_absent(page) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _numbers(systems, metrics, provenance, comparisons, colours):
    """What the template calls by these names: the answer, what was run, and tables of numbers."""
    averages = averages_of(provenance)
    of_averages = averaged(systems, averages, comparisons)
    said = answers(systems, comparisons, controls_of(provenance), of_averages)
    board = leaderboard(systems, colours=colours, averages=averages, comparisons=comparisons)
    return {
        "what_was_run": what_was_run(systems),
        "how_many_trials": how_many_trials(systems, metrics),
        "answers": said or rank_answers(metrics),
        "zero_evidence": zero_evidence(systems),
        "has_intervals": comparisons != NONE or any(metric.ci_low != ABSENT for metric in metrics),
        "attacks": attacks_explained(systems),
        "leaderboard": board,
        "averages": dict(board.sets),
        "sessions": sessions(metrics),
        "session_titles": TITLES,
    }


def _drawings(figures, systems, metrics, colours):
    """What the template calls by these names: charts, what hides systems in them, what draws."""
    measured = {metric.anonymiser for metric in metrics}
    return {
        "figures": by_kind(figures),
        "shown_systems": [(name, colour) for name, colour in colours.items() if name in measured],
        "privacy_against_utility": scatters(systems, metrics, colours),
        "plotly": _script(PLOTLY),
    }


def attacks_explained(systems: Sequence[System]) -> dict[str, str]:
    """What the attacks of these systems are: {words: meaning}."""
    words = {ATTACKS[condition]: meaning for condition, meaning in ATTACKS_EXPLAINED.items()}
    words |= {INFORMED[condition]: meaning for condition, meaning in INFORMED_EXPLAINED.items()}
    words |= {FOREIGN[condition]: meaning for condition, meaning in FOREIGN_EXPLAINED.items()}
    present = {system.attack for system in systems}
    return {attack: meaning for attack, meaning in words.items() if attack in present}


def read_caption(path: str | Path) -> str:
    """Read a caption: plain sentences without markup, the same text in .rst, HTML and print."""
    return " ".join(line.strip() for line in read_lines(path)).strip()


def _environment(folder):
    if not (folder / "index.html.j2").is_file():
        raise BadInput(f"{folder / 'index.html.j2'}: not found")
    loader = jinja2.FileSystemLoader(folder)
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _alphas(tables, systems, colours, folder):
    """{corpus: (chart, {anonymiser: link})} of the anonymisers that drew McAdams coefficients."""
    charts = {}
    for corpus in dict.fromkeys(system.corpus for system in systems):
        drawn, links = {}, {}
        for anonymiser, table in tables.get(corpus, {}).items():
            alphas = read_alphas(table)
            if alphas:
                drawn[anonymiser] = alphas
                links[anonymiser] = Path(os.path.relpath(table, folder)).as_posix()
        if drawn:
            charts[corpus] = (strips(alphas=drawn, colours=colours), links)
    return charts


def _script(path):
    """A script that can stand inside of a page."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None
    return text.replace("</script", "<\\/script")
