"""The leaderboard as a static site: pages, tables and references of a repository of results.

Conventions
-----------
* Pages lie as ``index.html``, ``protocols/<id>.html``, ``systems/<name>.html`` and
  ``attackers/<name>.html``, with ``site.css`` and ``site.js`` beside the first. They load nothing
  else, so that they can be read from a disk.
* All text is of other people: templates escape it, and only links of the web are links.
* The same repository gives the same bytes: no page has a date of its making.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import jinja2

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.files import SCRIPTS, whole_folder_or_absent
from voiceprivacy.provenance.record import version
from voiceprivacy.tools.exchange.cells import (
    Cell,
    Table,
    attack_cell,
    cell,
    measure_of,
    number_of,
    said,
    table,
)
from voiceprivacy.tools.exchange.downloads import LINK, reference, write_downloads
from voiceprivacy.tools.exchange.records import (
    UNATTACKED,
    Attacker,
    NotReported,
    Number,
    Protocol,
    Repository,
    System,
)
from voiceprivacy.tools.exchange.standings import (
    EER_NAME,
    Attack,
    Board,
    Standing,
    attacks_of,
    boards,
    order_of_revisions,
    revisions,
)

TEMPLATES = SCRIPTS.parent / "workflow" / "report"
STYLES = ("style.css", "leaderboard/board.css")
MOST_METRICS = 10  # columns of a system's page beside the equal error rate; results.tsv has all
TIERS = {
    "A": "Numbers alone: somebody wrote them down, and nobody can check them. They stand apart.",
    "B": "Scores lie beside the numbers. The check computes every number from them again.",
}


class Fact(NamedTuple):
    """One value of a record as text: perhaps a link, or why it is missing."""

    text: str = ""
    link: str = ""
    reason: str = ""


Record = System | Attacker | Protocol
Described = TypeVar("Described", System, Attacker)
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
        downloads = write_downloads(repository, site.boards, temporary)
        for name in ("protocols", "systems", "attackers"):
            (temporary / name).mkdir()
        for path, text in site.pages(downloads):
            (temporary / path).write_text(text, encoding="utf-8")
    counts = site.counts
    return [
        f"{counts['systems']} systems, {counts['attackers']} attackers,"
        f" {counts['protocols']} protocols, {counts['results']} results",
        f"Leaderboard: {(folder / 'index.html').absolute()}",
    ]


class _Site:
    """What all pages share."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.boards = boards(repository)
        self.systems = _by_name(repository.systems)
        self.attackers = _by_name(repository.attackers)
        self.titles = _titles(self.systems)
        self.protocols = {name: one.title for name, one in repository.protocols.items()}
        laboratories = {result.laboratory for result in repository.results}
        self.counts = {
            "systems": len(self.titles),
            "attackers": len(self.attackers),
            "protocols": len(self.boards),
            "laboratories": len(laboratories),
            "results": len(repository.results),
        }
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES / "leaderboard"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.globals.update(tiers=TIERS, version=version(), counts=self.counts)

    def pages(self, downloads: Sequence[str]) -> Iterable[tuple[str, str]]:
        """(path, HTML) of every page."""
        tables = {board.protocol: self._table(board) for board in self.boards}
        yield "index.html", self._index(tables, downloads)
        for name, shown in tables.items():
            pairs = facts(self.repository.protocols[name])
            text = self._rendered("protocol", table=shown, pairs=pairs)
            yield f"protocols/{name}.html", text
        for name in self.titles:
            yield f"systems/{name}.html", self._system(name)
        for name in self.attackers:
            yield f"attackers/{name}.html", self._attacker(name)

    def _rendered(self, template: str, *, root: str = "../", **values: Any) -> str:
        page = self.environment.get_template(f"{template}.html.j2")
        return page.render(root=root, **values)

    def _table(self, board: Board) -> Table:
        return table(board, self.protocols[board.protocol], self.titles)

    def _index(self, tables: Mapping[str, Table], downloads: Sequence[str]) -> str:
        protocols: list[dict[str, Any]] = []
        for board in self.boards:
            attackers = {attack.attacker for attack in attacks_of(board.all)}
            protocols.append(
                {
                    "name": board.protocol,
                    "title": self.protocols[board.protocol],
                    "counted": len(board.counted),
                    "apart": len(board.apart),
                    "attackers": len(attackers),
                }
            )
        widest = max(protocols, key=_n_systems, default=None)
        if widest and _n_systems(widest) == _n_systems(protocols[0]):
            widest = None  # it stands there already
        return self._rendered(
            "index",
            root="",
            widest=widest,
            table=next(iter(tables.values()), None),
            protocols=protocols,
            systems=self.titles.items(),
            attackers=_titles(self.attackers).items(),
            history=revisions(self.boards),
            titles=self.titles,
            downloads=downloads,
        )

    def _system(self, name: str) -> str:
        standings: list[Standing] = []
        for board in self.boards:
            standings += [standing for standing in board.all if standing.system == name]
        records = self.systems[name]
        shown = []
        for revision in _newest_first(records):
            own = [standing for standing in standings if standing.revision == revision]
            tables = [self._attacked(standing) for standing in own]
            shown.append({"name": revision, "facts": facts(records[revision]), "tables": tables})
        return self._rendered(
            "system",
            name=name,
            title=self.titles[name],
            revisions=shown,
            bibtex=reference(records[_newest_first(records)[0]]),
        )

    def _attacked(self, standing: Standing) -> dict[str, Any]:
        """What stands on a system's page about one protocol."""
        attacks = sorted((*standing.unattacked, *standing.attacks), key=_by_strength)
        metrics = metrics_of(attacks)
        rows = []
        for attack in attacks:
            measured = attack.result.conditions[attack.condition]
            others = [_cell(metric, measured) for metric in metrics]
            is_headline = attack is standing.headline
            rows.append({"attack": attack_cell(attack), "others": others, "headline": is_headline})
        utility = [
            {
                "title": measure_of(line).title,
                "cell": cell(METRICS.get(line.metric), number_of(line)),
                "note": ", ".join(
                    filter(None, map(said, (line.definition, line.model, line.data)))
                ),
            }
            for line in standing.utility
        ]
        return {
            "protocol": standing.protocol,
            "title": self.protocols[standing.protocol],
            "metrics": [METRICS[metric].label for metric in metrics],
            "rows": rows,
            "has_outside": any(map(_has_outside, attacks)),
            "utility": utility,
        }

    def _attacker(self, name: str) -> str:
        records = self.attackers[name]
        shown = []
        for revision in _newest_first(records):
            tables: list[dict[str, Any]] = []
            for board in self.boards:
                rows = self._found(board, f"{name}@{revision}")
                title = self.protocols[board.protocol]
                tables.append({"protocol": board.protocol, "title": title, "rows": rows})
            tables = [one for one in tables if one["rows"]]
            described = {"facts": facts(records[revision]), "has_others": any(map(_lacks, tables))}
            shown.append({"name": revision, "tables": tables, **described})
        return self._rendered(
            "attacker",
            name=name,
            title=records[_newest_first(records)[0]].title,
            revisions=shown,
            bibtex=reference(records[_newest_first(records)[0]]),
        )

    def _found(self, board: Board, attacker: str) -> list[dict[str, Any]]:
        """What an attacker found under one protocol."""
        own = [attack for attack in attacks_of(board.all) if attack.attacker == attacker]
        return [
            {
                "system": attack.result.system,
                "revision": attack.result.revision,
                "title": self.titles[attack.result.system],
                "attack": attack_cell(attack),
            }
            for attack in sorted(own, key=_by_strength)
        ]


def _has_outside(attack: Attack) -> bool:
    """Whether some number of an attack lies outside of its interval."""
    numbers = attack.result.conditions[attack.condition].values()
    return any(
        not one.low <= one.value <= one.high
        for one in numbers
        if one.value is not None and one.low is not None and one.high is not None
    )


def _lacks(table: Mapping[str, Any]) -> bool:
    """Whether some attack of a table has no equal error rate, and nobody says why."""
    cells = [row["attack"] for row in table["rows"]]
    return not all(cell.text or cell.reason for cell in cells)


def _n_systems(protocol: Mapping[str, Any]) -> int:
    """How many systems stand under a protocol of the index, counted or apart."""
    return protocol["counted"] + protocol["apart"]


def _newest_first(records: Mapping[str, Any]) -> list[str]:
    return sorted(records, key=order_of_revisions, reverse=True)


def _by_name(
    records: Mapping[tuple[str, str], Described],
) -> dict[str, dict[str, Described]]:
    """{name: {revision: record}}."""
    by_name: dict[str, dict[str, Described]] = {}
    for (name, revision), record in sorted(records.items()):
        by_name.setdefault(name, {})[revision] = record
    return by_name


def _titles(records: Mapping[str, Mapping[str, System | Attacker]]) -> dict[str, str]:
    """{name: title of its newest revision}."""
    return {name: own[_newest_first(own)[0]].title for name, own in records.items()}


def facts(record: Record) -> list[tuple[str, Fact]]:
    """What a record says, as (name, value) in its order; what does not apply is left out."""
    pairs = []
    for field, value in record._asdict().items():
        if field not in ALREADY_SHOWN and value not in (None, (), {}):
            pairs.append((field.replace("_", " ").capitalize(), _fact(value)))
    return pairs


def _fact(value: Any) -> Fact:
    match value:
        case NotReported():
            return Fact(reason=value.because)
        case bool():
            return Fact("yes" if value else "no")
        case tuple():
            return Fact(", ".join(value))
        case Mapping():
            return Fact("; ".join(f"{name}: {inner}" for name, inner in value.items()))
    text = str(value)
    return Fact(text, link=text if LINK.fullmatch(text) else "")


def _by_strength(attack: Attack) -> tuple[bool, float, str, str]:
    """Original speech first, then from the strongest attack to the weakest."""
    value = attack.number.value
    is_attack = attack.condition != UNATTACKED
    return is_attack, 100.0 if value is None else value, attack.attacker, attack.condition


def _cell(metric: str, measured: Mapping[str, Number]) -> Cell:
    return cell(METRICS[metric], measured[metric]) if metric in measured else Cell()


def metrics_of(attacks: Iterable[Attack]) -> list[str]:
    """The metrics of the catalogue that some attacks have, in its order, without the EER."""
    known: set[str] = set()
    for attack in attacks:
        known |= attack.result.conditions[attack.condition].keys()
    ordered = [metric for metric in METRICS if metric in known and metric != EER_NAME]
    return ordered[:MOST_METRICS]
