"""The leaderboard as a static site: pages, tables and references of a repository of results.

Conventions
-----------
* Pages lie as ``index.html``, ``protocols/<id>.html``, ``systems/<name>.html`` and
  ``attackers/<name>.html``, with ``site.css`` and ``site.js`` beside the first. They load nothing
  else, so that they can be read from a disk.
* All text is of other people: templates escape it, and only links of the web are links.
* The same repository gives the same bytes: no page has a date of its making.
* A number has the digits of its catalogue's row, and its interval where one is known.
* What is not reported keeps its reason. A dash is what nobody was asked for.

| file | a row for each |
|---|---|
| ``board.tsv`` | system under a protocol, as the tables of the pages show it |
| ``results.tsv`` | metric of an attack under one condition |
| ``utility.tsv`` | number of utility |
| ``history.tsv`` | revision of a system |
| ``leaderboard.bib`` | system and attacker |
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.files import SCRIPTS, whole_folder_or_absent
from voiceprivacy.inout.tables import write_table
from voiceprivacy.organise.records import (
    UNATTACKED,
    Attacker,
    NotReported,
    Number,
    Protocol,
    Repository,
    ResultKey,
    System,
    Utility,
)
from voiceprivacy.organise.standings import (
    EER_NAME,
    Attack,
    Board,
    Standing,
    attacks_of,
    boards,
    order_of_revisions,
    revisions,
    strongest,
)
from voiceprivacy.provenance.record import version
from voiceprivacy.report.uncertainty import interval_text
from voiceprivacy.vocabulary import ABSENT

TEMPLATES = SCRIPTS.parent / "workflow" / "report"
STYLES = ("style.css", "leaderboard/board.css")
MOST_METRICS = 10  # columns of a system's page beside the equal error rate; results.tsv has all
MOST_MEASURES = 4  # columns of utility; the pages of systems have all
TIERS = {
    "A": "Numbers alone, without the scores that they would follow from. They stand apart.",
    "B": "Scores lie beside the numbers, and the numbers follow from them. That is arithmetic:"
    " nobody here has heard the speech, and scores can be invented.",
}
ALREADY_SHOWN = ("name", "revision", "title")


def write_site(repository: Repository, folder: Path) -> list[str]:
    """Write the site of a repository, whole or not at all.

    Returns
    -------
    list of str : lines for the terminal

    Raises
    ------
    BadInput : the folder holds files that are not of such a site
    """
    site = _Site(repository)
    with whole_folder_or_absent(folder) as temporary:
        style = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in STYLES)
        (temporary / "site.css").write_text(style, encoding="utf-8")
        script = (TEMPLATES / "leaderboard" / "board.js").read_text(encoding="utf-8")
        (temporary / "site.js").write_text(script, encoding="utf-8")
        downloads = _write_downloads(repository, site.boards, temporary)
        for path, text in site.pages(downloads):
            (temporary / path).parent.mkdir(exist_ok=True)
            (temporary / path).write_text(text, encoding="utf-8")
    counts = site.counts
    return [
        f"{counts['systems']} systems, {counts['attackers']} attackers,"
        f" {counts['protocols']} protocols, {counts['results']} results",
        f"Leaderboard: {(folder / 'index.html').absolute()}",
    ]


# Numbers as text.


class Cell(NamedTuple):
    """A number as shown; ``order`` is what it is sorted by, ``reason`` why there is none."""

    text: str = ""
    interval: str = ""
    reason: str = ""
    order: str = ""


def cell(number: Number | None, metric: str = EER_NAME) -> Cell:
    """A number of a metric; metrics that are not of the catalogue have four digits."""
    if number is None:
        return Cell()
    if number.value is None:
        return Cell(reason=number.not_reported or "")
    row, limits = METRICS.get(metric), number.limits
    if row is None:
        interval = f"[{limits[0]:.4g}, {limits[1]:.4g}]" if limits else ""
        return Cell(f"{number.value:.4g}", interval, order=repr(number.value))
    return Cell(row.text(number.value), interval_text(row, limits), order=repr(number.value))


class Measure(NamedTuple):
    """A measure of utility by one definition, with one network."""

    metric: str
    definition: str
    model: str

    @property
    def title(self) -> str:
        """What people call it, with its unit."""
        known = METRICS.get(self.metric)
        return ", ".join(filter(None, (known.title, known.unit))) if known else self.metric

    @property
    def note(self) -> str:
        """How it was measured."""
        return self.definition or self.model


def measure_of(line: Utility) -> Measure:
    """The measure that a line of utility is of."""
    return Measure(line.metric, _said(line.definition), _said(line.model))


def _said(text: Any) -> str:
    """A text as people read it: empty where nobody said it."""
    return text if isinstance(text, str) else ""


def measures(standings: Iterable[Standing]) -> list[Measure]:
    """The measures of utility of a board that have numbers: main ones first, then common ones."""
    common: Counter[Measure] = Counter()
    for standing in standings:
        common.update({measure_of(line) for line in standing.utility if line.value is not None})

    def rank(one: Measure) -> tuple:
        is_main = one.metric in METRICS and METRICS[one.metric].headline
        return not is_main, -common[one], one

    return sorted(common, key=rank)[:MOST_MEASURES]


def utility_cell(standing: Standing, measure: Measure) -> Cell:
    """What a system keeps by a measure; numbers of several data or runs stand side by side."""
    lines = [line for line in standing.utility if measure_of(line) == measure]
    shown = [cell(line.number, line.metric) for line in lines]
    numbers = [one for one in shown if one.text]
    if len(numbers) > 1:
        texts = dict.fromkeys(one.text for one in numbers)
        return Cell(" / ".join(texts), order=numbers[0].order)
    return next(iter([*numbers, *shown]), Cell())


# Pages.


class _Site:
    """What all pages share."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.boards = boards(repository)
        self.systems = _by_name(repository.systems)
        self.attackers = _by_name(repository.attackers)
        self.titles = _titles(self.systems)
        self.protocols = {name: one.title for name, one in repository.protocols.items()}
        self.counts = {
            "systems": len(self.titles),
            "attackers": len(self.attackers),
            "protocols": len(self.boards),
            "laboratories": len({result.laboratory for result in repository.results}),
            "results": len(repository.results),
        }
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES / "leaderboard"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.globals.update(
            tiers=TIERS,
            version=version(),
            counts=self.counts,
            titles=self.titles,
            protocols=self.protocols,
            cell=cell,
            strongest=strongest,
            utility_cell=utility_cell,
            is_link=LINK.fullmatch,
        )

    def pages(self, downloads: Sequence[str]) -> Iterator[tuple[str, str]]:
        """(path, HTML) of every page."""
        tables = [self._table(board) for board in self.boards]
        yield (
            "index.html",
            self._rendered(
                "index",
                root="",
                table=tables[0] if tables else None,
                tables=tables,
                attackers=_titles(self.attackers),
                history=revisions(self.boards),
                downloads=downloads,
            ),
        )
        for table in tables:
            name = table["board"].protocol
            known = facts(self.repository.protocols[name])
            yield f"protocols/{name}.html", self._rendered("protocol", table=table, pairs=known)
        for name, systems in self.systems.items():
            yield f"systems/{name}.html", self._described("system", name, systems, self._attacked)
        for name, attackers in self.attackers.items():
            page = self._described("attacker", name, attackers, self._attacks)
            yield f"attackers/{name}.html", page

    def _rendered(self, template: str, *, root: str = "../", **values: Any) -> str:
        page = self.environment.get_template(f"{template}.html.j2")
        return page.render(root=root, **values)

    def _table(self, board: Board) -> dict[str, Any]:
        """A board as shown, with its ladder of attacks."""
        return {
            "board": board,
            "title": self.protocols[board.protocol],
            "measures": measures(board.newest),
            "n_attackers": len({attack.attacker for attack in attacks_of(board.all)}),
            "ladder": _ladder(board),
        }

    def _described(self, kind: str, name: str, records: Mapping[str, Any], tables: Any) -> str:
        """The page of a system or an attacker: its revisions, the newest first."""
        ordered = _newest_first(records)
        shown = []
        for revision in ordered:
            known = {"facts": facts(records[revision]), "tables": tables(name, revision)}
            shown.append({"name": revision, **known})
        return self._rendered(
            kind,
            name=name,
            title=records[ordered[0]].title,
            revisions=shown,
            bibtex=reference(records[ordered[0]]),
        )

    def _attacked(self, system: str, revision: str) -> list[dict[str, Any]]:
        """What is known of a revision of a system, by protocols."""
        tables: list[dict[str, Any]] = []
        for board in self.boards:
            for standing in board.all:
                if (standing.system, standing.revision) == (system, revision):
                    tables.append(_attacks_on(standing))
        return tables

    def _attacks(self, attacker: str, revision: str) -> list[dict[str, Any]]:
        """What a revision of an attacker finds, by protocols."""
        tables = []
        for board in self.boards:
            attacks = attacks_of(board.all)
            own = [one for one in attacks if one.attacker == f"{attacker}@{revision}"]
            if own:
                attacks_shown = sorted(own, key=_by_strength)
                tables.append({"protocol": board.protocol, "attacks": attacks_shown})
        return tables


def _attacks_on(standing: Standing) -> dict[str, Any]:
    """A standing, the numbers of its attacks, and what is measured of its utility."""
    attacks = sorted((*standing.unattacked, *standing.attacks), key=_by_strength)
    numbers = [attack.result.conditions[attack.condition] for attack in attacks]
    known = set().union(*numbers) - {EER_NAME}
    metrics = [metric for metric in METRICS if metric in known][:MOST_METRICS]
    utility = []
    for line in standing.utility:
        note = ", ".join(filter(None, map(_said, (line.definition, line.model, line.data))))
        utility.append((measure_of(line).title, cell(line.number, line.metric), note))
    return {
        "standing": standing,
        "metrics": [METRICS[metric].label for metric in metrics],
        "rows": [
            (attack, [cell(own.get(metric), metric) for metric in metrics])
            for attack, own in zip(attacks, numbers, strict=True)
        ],
        "has_outside": any(any(map(_is_outside, own.values())) for own in numbers),
        "utility": utility,
    }


def _is_outside(number: Number) -> bool:
    """Whether a number lies outside of its interval."""
    limits = number.limits
    return bool(limits and number.value is not None and not limits[0] <= number.value <= limits[1])


def _newest_first(records: Mapping[str, Any]) -> list[str]:
    return sorted(records, key=order_of_revisions, reverse=True)


def _by_name(records: Mapping[tuple[str, str], Any]) -> dict[str, dict[str, Any]]:
    """{name: {revision: record}}."""
    by_name: dict[str, dict[str, Any]] = {}
    for (name, revision), record in sorted(records.items()):
        by_name.setdefault(name, {})[revision] = record
    return by_name


def _titles(records: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """{name: title of its newest revision}."""
    return {name: own[_newest_first(own)[0]].title for name, own in records.items()}


def facts(record: System | Attacker | Protocol) -> list[tuple[str, str, str]]:
    """(field, text, reason) of what a record says, in its order; what does not apply is left out.

    Where nobody reported a value, there is a reason instead of a text.
    """
    pairs = []
    for field, value in record._asdict().items():
        text = reason = ""
        match value:
            case NotReported():
                reason = value.because
            case bool():
                text = "yes" if value else "no"
            case tuple():
                text = ", ".join(value)
            case Mapping():
                text = "; ".join(f"{name}: {inner}" for name, inner in value.items())
            case _:
                text = str(value)
        if field not in ALREADY_SHOWN and value not in (None, (), {}):
            pairs.append((field.replace("_", " ").capitalize(), text, reason))
    return pairs


def _by_strength(attack: Attack) -> tuple[bool, float, str, str]:
    """Original speech first, then from the strongest attack to the weakest."""
    value = attack.number.value
    is_attack = attack.condition != UNATTACKED
    return is_attack, 100.0 if value is None else value, attack.attacker, attack.condition


def _ladder(board: Board) -> list[tuple[Standing, list[Attack]]]:
    """Every attack on every system; marks that are drawn last lie on top."""
    rows = []
    for standing in board.newest:
        attacks = [attack for attack in standing.attacks if attack.number.value is not None]
        attacks.sort(key=lambda attack: (attack is standing.headline, attack.counts))
        if attacks and standing.shown:
            rows.append((standing, attacks))
    return rows


# Tables and references.

NUMBER = ["value", "ci_low", "ci_high", "not_reported"]
RESULT = [*ResultKey._fields]
MEASURED = ["tier", "laboratory"]
BOARD = [*RESULT, "counted", "condition", "eer_percent", *NUMBER[1:], *MEASURED]
RESULTS = [*RESULT, "condition", "metric", *NUMBER, *MEASURED]
UTILITY = [*RESULT[:3], "metric", "definition", "model", "model_revision", "data", *NUMBER]
HISTORY = ["system", "revision", "n_protocols", "n_attacks", "laboratories"]
SPECIAL = re.compile(r"[{}$&#_%]")  # of TeX: written with a backslash
REFUSED = re.compile(r"[\\^~]")  # of TeX: no backslash makes a letter of them
LINK = re.compile(r"https?://[A-Za-z0-9._~:/?=&+,;@%#-]{1,500}")


def _write_downloads(repository: Repository, boards: Sequence[Board], folder: Path) -> list[str]:
    """Write the tables and the references; their names, in the order of the page."""
    history = [[*one[:4], "; ".join(one.laboratories)] for one in revisions(boards)]
    tables: dict[str, tuple[list[str], Iterable[list]]] = {
        "board.tsv": (BOARD, _board_rows(boards)),
        "results.tsv": (RESULTS, _result_rows(repository)),
        "utility.tsv": (UTILITY, _utility_rows(boards)),
        "history.tsv": (HISTORY, history),
    }
    for name, (columns, rows) in tables.items():
        write_table(folder / name, columns, rows)
    references = [reference(system) for system in repository.systems.values()]
    references += [reference(attacker) for attacker in repository.attackers.values()]
    (folder / "leaderboard.bib").write_text("\n".join(references), encoding="utf-8")
    return [*tables, "leaderboard.bib"]


def reference(record: System | Attacker) -> str:
    """A record as an entry of BibTeX; what nobody reported is left out."""
    links = [link for link in map(_said, (record.paper, record.code)) if LINK.fullmatch(link)]
    kind = type(record).__name__
    fields = {
        "title": f"{{{_tex(record.title)}}}",
        "year": record.year,
        "howpublished": f"\\url{{{links[0]}}}" if links else None,
        "note": f"{kind} {_tex(record.name)}, revision {_tex(record.revision)}",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{record.name}:{record.revision},\n" + ",\n".join(lines) + "\n}\n"


def _tex(text: str) -> str:
    return SPECIAL.sub(r"\\\g<0>", REFUSED.sub(" ", text))


def _or_absent(values: Iterable[Any]) -> list:
    return [ABSENT if value is None else value for value in values]


def _board_rows(boards: Iterable[Board]) -> Iterator[list]:
    for board in boards:
        for standing in board.newest:
            names = [standing.system, standing.revision, standing.protocol]
            if attack := standing.shown:
                result = attack.result
                counted = "yes" if standing.headline else "no"
                attacker = [result.attacker, result.attacker_revision, counted, attack.condition]
                measured = [attack.tier, result.laboratory]
                yield [*names, *attacker, *_or_absent(attack.number), *measured]
            else:
                unreported = standing.unreported
                reason = unreported.not_reported if unreported else ABSENT
                yield [*names, *[ABSENT] * 7, reason, ABSENT, ABSENT]


def _result_rows(repository: Repository) -> Iterator[list]:
    for result in repository.results:
        names = [getattr(result, name) for name in RESULT]
        for condition, metrics in result.conditions.items():
            for metric, number in metrics.items():
                measured = [result.tier, result.laboratory]
                yield [*names, condition, metric, *_or_absent(number), *measured]


def _utility_rows(boards: Iterable[Board]) -> Iterator[list]:
    for board in boards:
        for standing in board.all:
            names = [standing.system, standing.revision, standing.protocol]
            for line in standing.utility:
                told = [line.definition, line.model, line.revision, line.data]
                texts = [text if isinstance(text, str) else ABSENT for text in told]
                yield [*names, line.metric, *texts, *_or_absent(line.number)]
