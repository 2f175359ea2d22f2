"""The report as one self-contained HTML page; everything that comes from data is escaped by the template."""

import itertools
import json
from pathlib import Path
from typing import NamedTuple

import jinja2

from voiceprivacy.files import BadInput, read_lines, whole_or_absent
from voiceprivacy.report.answer import answers, how_many_trials, what_was_run
from voiceprivacy.report.columns import (
    ATTACKS,
    ATTACKS_EXPLAINED,
    FOREIGN,
    FOREIGN_EXPLAINED,
    INFORMED,
    INFORMED_EXPLAINED,
)
from voiceprivacy.report.comparison import strongest_attacks
from voiceprivacy.report.figures import KINDS, by_kind
from voiceprivacy.report.metrics import ORIGINAL
from voiceprivacy.report.provenance import controls_of
from voiceprivacy.report.sessions import TITLES, sessions
from voiceprivacy.report.uncertainty import NONE, interval_text, shown_columns, within_zero_evidence, zero_evidence


class Cell(NamedTuple):
    """A number of the comparison as shown: the mean over the lists, and each list's own where there are several.

    ``zero_evidence``: a D_ECE that is no more than zero evidence in all lists.
    """

    text: str
    tag: str
    interval: str
    zero_evidence: bool
    lists: list


class Line(NamedTuple):
    """A row of the comparison as shown."""

    anonymiser: str
    condition: str
    attack: str
    strongest: bool
    cells: list


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
):
    """Render the report.

    Parameters
    ----------
    path : path of the HTML file
    template : path of index.html.j2; the captions {kind}.rst and comparison.rst lie beside it
    systems : list of System; metrics : list of Metric; figures : list of Figure; provenance : dict
    comparisons : Comparisons, of a run with intervals
    corpora : Corpora, what was evaluated
    expected : list of Compared, published numbers beside those of the run
    utility, listen, published : what the sections of these names show; without them they are left out
    """
    folder = Path(template).parent
    page = _environment(folder).get_template(Path(template).name)
    text = page.render(
        what_was_run=what_was_run(systems),
        how_many_trials=how_many_trials(systems, metrics),
        answers=answers(systems, comparisons, controls_of(provenance)),
        zero_evidence=zero_evidence(systems),
        has_intervals=comparisons != NONE,
        attacks=attacks_explained(systems),
        columns=shown_columns(systems),
        tables=_tables(systems),
        captions={name: read_caption(folder / f"{name}.rst") for name in ("comparison", *KINDS)},
        sessions=sessions(metrics),
        session_titles=TITLES,
        figures=by_kind(figures),
        corpora=corpora,
        expected=expected,
        utility=utility,
        listen=listen,
        published=published,
        provenance=provenance,
        config=json.dumps(provenance.get("config", {}), indent=2),
    )
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


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
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def _tables(systems):
    """One table per corpus: (corpus, what its means are of, [(attacker, [[Line, ...] per anonymiser]), ...])."""
    strongest, columns = set(map(id, strongest_attacks(systems).values())), shown_columns(systems)
    tables = []
    for corpus, of_corpus in itertools.groupby(systems, key=lambda system: system.corpus):
        attackers, lists = [], ""
        for attacker, of_attacker in itertools.groupby(of_corpus, key=lambda system: system.attacker):
            of_attacker = list(of_attacker)
            lists = of_attacker[0].mean_label
            rows = itertools.groupby(of_attacker, key=lambda system: system.anonymiser)
            lines = [[_line(system, id(system) in strongest, columns) for system in of] for _, of in rows]
            attackers.append((attacker, lines))
        tables.append((corpus, lists, attackers))
    return tables


def _line(system, strongest, columns):
    cells = [_cell(system, column) for column in columns]
    return Line(system.anonymiser, system.condition, system.attack, strongest and system.anonymiser != ORIGINAL, cells)


def _cell(system, column):
    several = len(system.lists) > 1 and system.condition in column.conditions
    intervals = {trials: interval_text(column, of.get(column.metric)) for trials, of in system.intervals.items()}
    lists = [
        (trials, column.text(values[column.metric]), values["tag"] if column.tagged else "", intervals[trials])
        for trials, values in system.lists.items()
    ]
    tag = system.mean["tag"] if column.tagged else None
    zero = column.metric == "dece_bit" and all(map(within_zero_evidence, system.lists.values()))
    text = column.text(system.mean[column.metric])
    return Cell(text, tag or "", intervals[system.mean_label], zero, lists if several else [])
