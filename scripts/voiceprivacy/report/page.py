"""The report as one self-contained HTML page; everything that comes from data is escaped by the template."""

import json
import os
from pathlib import Path

import jinja2

from voiceprivacy.inout.files import RESOURCES, BadInput, read_lines, whole_or_absent
from voiceprivacy.provenance.record import averages_of, controls_of
from voiceprivacy.report.answer import (
    answers,
    how_many_trials,
    rank_answers,
    what_was_run,
    zero_evidence,
)
from voiceprivacy.report.charts.draw import draw_alphas
from voiceprivacy.report.charts.utility import scatters
from voiceprivacy.report.colours import palette_of
from voiceprivacy.report.examples import read_examples
from voiceprivacy.report.figures import KINDS, by_kind
from voiceprivacy.report.leaderboard import TITLES, leaderboard, sessions
from voiceprivacy.report.published import read_comparison, read_published, tables_of
from voiceprivacy.report.standings import averaged
from voiceprivacy.report.uncertainty import NONE
from voiceprivacy.report.utility import read_utility, utility_section
from voiceprivacy.report.words import (
    ATTACKS,
    ATTACKS_EXPLAINED,
    FOREIGN,
    FOREIGN_EXPLAINED,
    INFORMED,
    INFORMED_EXPLAINED,
)

# What the page shows besides the run's attacks, if it is given: utility, clips to listen to, published numbers.


def add_arguments(parser):
    """Add the arguments that name their files."""
    parser.add_argument("--expected", type=Path, help="TSV of compare_expected")
    parser.add_argument(
        "--utility",
        nargs="*",
        type=Path,
        help="TSVs of assess_utility (none: nothing was measured)",
    )
    parser.add_argument("--listen", nargs="*", default=[], type=Path, help="JSONs of embed_audio")
    parser.add_argument("--published", type=Path, help="TSV of compare_published")


def sections(arguments):
    """Read those files: {expected, utility, listen, published}, as the sections of these names want them."""
    return {
        "expected": read_comparison(arguments.expected) if arguments.expected else (),
        "utility": None
        if arguments.utility is None
        else utility_section(read_utility(arguments.utility)),
        "listen": read_examples(arguments.listen) or None,
        "published": (tables_of(read_published(arguments.published)) or None)
        if arguments.published
        else None,
    }


PLOTLY = RESOURCES / "plotly" / "plotly-cartesian.min.js"
CAPTIONS = ("comparison", "attacks", "alphas", *KINDS)


def write_page(
    path,
    *,
    template,
    systems,
    metrics,
    figures,
    provenance,
    comparisons=NONE,
    corpora=None,
    expected=(),
    utility=None,
    listen=None,
    published=None,
    run=None,
):
    """Render the report.

    Parameters
    ----------
    path : path of the HTML file
    template : path of index.html.j2; the captions {kind}.rst and comparison.rst lie beside it
    systems : list of System; metrics : list of Number; figures : list of Figure; provenance : dict
    comparisons : Comparisons, of a run with intervals
    corpora : Corpora, what was evaluated
    expected : list of Compared, published numbers beside those of the run
    run : Run from which charts are drawn
    utility, listen, published : what the sections of these names show; without them they are left out
    """
    folder = Path(template).parent
    colours = palette_of(provenance, metrics)
    text = (
        _environment(folder)
        .get_template(Path(template).name)
        .render(
            **_numbers(systems, metrics, provenance, comparisons, colours),
            **_drawings(figures, systems, metrics, colours),
            alphas=_alphas(run, systems, Path(path).parent),
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
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _numbers(systems, metrics, provenance, comparisons, colours):
    """What the template calls by these names: the answer, what was run, and the tables of numbers."""
    averages = averages_of(provenance)
    found = answers(
        systems, comparisons, controls_of(provenance), averaged(systems, averages, comparisons)
    )
    board = leaderboard(systems, colours=colours, averages=averages, comparisons=comparisons)
    return {
        "what_was_run": what_was_run(systems),
        "how_many_trials": how_many_trials(systems, metrics),
        "answers": found or rank_answers(metrics),
        "zero_evidence": zero_evidence(systems),
        "has_intervals": comparisons != NONE or any(metric.ci_low != "-" for metric in metrics),
        "attacks": attacks_explained(systems),
        "leaderboard": board,
        "averages": dict(board.sets),
        "sessions": sessions(metrics),
        "session_titles": TITLES,
    }


def _drawings(figures, systems, metrics, colours):
    """What the template calls by these names: the charts, what hides systems in them, and what draws them."""
    measured = {metric.anonymiser for metric in metrics}
    return {
        "figures": by_kind(figures),
        "shown_systems": [(name, colour) for name, colour in colours.items() if name in measured],
        "privacy_against_utility": scatters(systems, metrics, colours),
        "plotly": _script(PLOTLY),
    }


def attacks_explained(systems):
    """What the attacks of these systems are: {words: meaning}."""
    words = {ATTACKS[condition]: meaning for condition, meaning in ATTACKS_EXPLAINED.items()}
    words |= {INFORMED[condition]: meaning for condition, meaning in INFORMED_EXPLAINED.items()}
    words |= {FOREIGN[condition]: meaning for condition, meaning in FOREIGN_EXPLAINED.items()}
    present = {system.attack for system in systems}
    return {attack: meaning for attack, meaning in words.items() if attack in present}


def read_caption(path):
    """Read a caption: plain sentences without markup, so that it is the same text in .rst, HTML and print."""
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


def _alphas(run, systems, folder):
    """{corpus: (chart, {anonymiser: link})} of the anonymisers that drew McAdams coefficients."""
    drawn = draw_alphas(run, dict.fromkeys(system.corpus for system in systems)) if run else {}
    return {
        corpus: (
            chart,
            {
                name: Path(os.path.relpath(table, folder)).as_posix()
                for name, table in tables.items()
            },
        )
        for corpus, (chart, tables) in drawn.items()
    }


def _script(path):
    """A script that can stand inside of a page."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None
    return text.replace("</script", "<\\/script")
