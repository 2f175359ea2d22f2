"""The leaderboard as a static site: pages and tables of a repository of results.

Conventions
-----------
* Pages lie as ``index.html``, ``protocols/<id>.html``, ``systems/<name>.html`` and
  ``attackers/<name>.html``, with ``site.css`` and ``site.js`` beside the first. They load nothing
  else, so that they can be read from a disk.
* All text is of other people: templates escape it, and only links of the web are links.
* The same repository gives the same bytes: no page has a date of its making.
* A number has the digits of its catalogue's row, and its interval where one is known.
* What is not reported keeps its reason. A dash is what nobody was asked for.
* ``board.tsv`` has a row for each system under a protocol, as the tables of the pages show it. Of
  the two definitions of the equal error rate it has the one that is shown. Groups and ranks are
  those of the protocol.
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from voiceprivacy.catalogue import EERS, METRICS
from voiceprivacy.catalogue.shown import NOTES, mark_of
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.writing import whole_folder_or_absent
from voiceprivacy.organise.ranked_systems import Place, Ranking, rankings
from voiceprivacy.organise.records import (
    KEY,
    LABORATORIES,
    NOTHING,
    UNATTACKED,
    Number,
    Record,
    Repository,
    number_of,
    reason_of,
)
from voiceprivacy.organise.standings import (
    CLAIMED,
    Attack,
    Board,
    Standing,
    boards,
    order_of_revisions,
)
from voiceprivacy.privacy.uncertainty.ranking import FEWEST_PERSONS
from voiceprivacy.provenance.record import version
from voiceprivacy.report.uncertainty import interval_text
from voiceprivacy.vocabulary import ABSENT, RESOURCES, SCRIPTS

TEMPLATES = SCRIPTS.parent / "workflow" / "report"
STYLES = ("style.css", "leaderboard/board.css")
MOST_METRICS = 10  # columns of a system's page beside the equal error rate; the records have all
TIERS = {
    "A": "Numbers alone, without the scores that they would follow from. They stand apart.",
    "B": "Scores lie beside the numbers, and the numbers follow from them. That is arithmetic:"
    " nobody here has heard the speech, and scores can be invented.",
}
NO_FACTS = ("format", "name", "revision", "title", "public")
LINK = re.compile(r"https?://[A-Za-z0-9._~:/?=&+,;@%#-]{1,500}")
MEASURED = ("tier", "laboratory")
RANKED = ("group", "rank_low", "rank_high", "evidence_percent")
BOARD = [*KEY, *MEASURED, "condition", "counted", *EERS, "ci_low", "ci_high", *RANKED]


def new_repository(folder: Path) -> list[str]:
    """Begin a repository of results: its checks, what others published, and our own."""
    if folder.exists() and any(folder.iterdir()):  # perhaps everybody's results
        raise BadInput(f"{folder}: is not empty: a repository begins in a new folder")
    with whole_folder_or_absent(folder) as temporary:
        shutil.copytree(RESOURCES / "leaderboard", temporary, dirs_exist_ok=True)
    return [f"{folder}: a new repository", f"Its site: voiceprivacy leaderboard {folder}"]


def write_site(repository: Repository, folder: Path) -> list[str]:
    """Write the site of a repository, whole or not at all; lines for the terminal."""
    made = boards(repository)
    overall, by_protocol = rankings(repository.folder, made)
    with whole_folder_or_absent(folder) as temporary:
        style = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in STYLES)
        (temporary / "site.css").write_text(style, encoding="utf-8")
        script = (TEMPLATES / "leaderboard" / "board.js").read_text(encoding="utf-8")
        (temporary / "site.js").write_text(script, encoding="utf-8")
        write_table(temporary / "board.tsv", BOARD, _board_rows(made, by_protocol))
        for path, text in _pages(repository, made, overall, by_protocol):
            (temporary / path).parent.mkdir(exist_ok=True)
            (temporary / path).write_text(text, encoding="utf-8")
    counts = f"{counted(len(repository.results), 'result')}, {counted(len(made), 'protocol')}"
    theirs = {one["laboratory"] for one in repository.results.values() if one["tier"] != CLAIMED}
    unlisted = ", ".join(sorted(theirs - repository.laboratories))
    note = f"not counted, because {LABORATORIES} does not list them: {unlisted}"
    return [f"{folder / 'index.html'}: {counts}", *([note] if unlisted else [])]


class Cell(NamedTuple):
    """A number as text: its interval, why it is missing, and by what a table is sorted."""

    text: str = ""
    interval: str = ""
    reason: str = ""
    order: str = ""


def cell(number: Number, metric: str = EERS[0], attack: Mapping[str, Number] | None = None) -> Cell:
    """A number of a metric; metrics that are not of the catalogue have four digits.

    ``attack`` are all numbers of its attack, by which numbers in doubt have a dagger.
    """
    if number.value is None:
        return Cell(reason=number.not_reported or "")
    row, limits = METRICS.get(metric), number.limits
    if row is None:
        interval = f"[{limits[0]:.4g}, {limits[1]:.4g}]" if limits else ""
        return Cell(f"{number.value:.4g}", interval, order=repr(number.value))
    known = {name: own.value for name, own in (attack or {}).items() if own.value is not None}
    no_error_seen = {"n_target": 0, metric: 0.0} if (metric, number.value) == (EERS[0], 0) else {}
    values = no_error_seen | known
    mark = mark_of(metric, values, has_interval=bool(limits))
    interval = interval_text(row, limits) + mark
    return Cell(row.text(number.value), interval, order=repr(number.value))


def _pages(
    repository: Repository,
    made: Sequence[Board],
    overall: Ranking,
    by_protocol: Mapping[str, Ranking],
) -> Iterator[tuple[str, str]]:
    """(path, HTML) of every page."""
    systems, attackers = _by_name(repository.systems), _by_name(repository.attackers)
    protocols = {one["name"]: one for one in repository.protocols.values()}
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES / "leaderboard"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        fewest_persons=FEWEST_PERSONS,
        tiers=TIERS,
        version=version(),
        n_results=len(repository.results),
        systems={name: own[0]["title"] for name, own in systems.items()},
        attackers={name: own[0]["title"] for name, own in attackers.items()},
        protocols={name: one["title"] for name, one in protocols.items()},
        cell=cell,
        notes_of_marks=NOTES,
        counted=counted,
        is_link=LINK.fullmatch,
        facts=facts,
    )

    def rendered(template: str, *, root: str = "../", **values: Any) -> str:
        return environment.get_template(f"{template}.html.j2").render(root=root, **values)

    yield "index.html", rendered("index", root="", tables=made, overall=overall)
    attacked: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for board in made:
        name = board.protocol
        yield (
            f"protocols/{name}.html",
            rendered("protocol", table=board, record=protocols[name], ranking=by_protocol[name]),
        )
        for standing in board.all:
            known = attacked.setdefault((standing.system, standing.revision), [])
            known.append({"protocol": name, **_attacks_on(standing)})
    for name, revisions in systems.items():
        shown = [(one, attacked.get((name, one["revision"]), [])) for one in revisions]
        yield f"systems/{name}.html", rendered("system", name=name, revisions=shown)
    for name, revisions in attackers.items():
        yield f"attackers/{name}.html", rendered("attacker", name=name, revisions=revisions)


def _by_name(records: Mapping[str, Record]) -> dict[str, list[Record]]:
    """{name: records of its revisions, the newest first}."""
    by_name: dict[str, list[Record]] = {}
    for record in records.values():
        by_name.setdefault(record["name"], []).append(record)
    for own in by_name.values():
        own.sort(key=lambda one: order_of_revisions(one["revision"]), reverse=True)
    return dict(sorted(by_name.items()))


def _attacks_on(standing: Standing) -> dict[str, Any]:
    """The numbers of the attacks, and what is measured of utility."""
    attacks = sorted(standing.attacks, key=_by_strength)
    numbers = [attack.result["conditions"][attack.condition] for attack in attacks]
    known = set().union(*numbers) - {attack.metric for attack in attacks}
    own = [metric for metric in METRICS if metric in known]
    metrics = sorted(own, key=lambda metric: not METRICS[metric].column)[:MOST_METRICS]
    utility = []
    for line in standing.utility:
        said = (line.get(field) for field in ("definition", "model", "data"))
        note = ", ".join(text for text in said if isinstance(text, str))
        metric = line["metric"]
        title = METRICS[metric].title if metric in METRICS else metric
        utility.append((title, cell(number_of(line), metric), note))
    return {
        "headline": standing.headline,
        "metrics": [METRICS[metric].label for metric in metrics],
        "rows": [
            (attack, [cell(own.get(metric, NOTHING), metric, own) for metric in metrics])
            for attack, own in zip(attacks, numbers, strict=True)
        ],
        "utility": utility,
    }


def _by_strength(attack: Attack) -> tuple[bool, float, str, str]:
    """Original speech first, then from the strongest attack to the weakest."""
    value = attack.number.value
    is_attack = attack.condition != UNATTACKED
    return is_attack, 100.0 if value is None else value, attack.attacker, attack.condition


def facts(record: Record) -> list[tuple[str, str, str]]:
    """(field, text, reason) of what a record says; what does not apply is left out.

    Where nobody reported a value, there is a reason instead of a text.
    """
    pairs = []
    for field, value in record.items():
        text = str(value)
        if isinstance(value, list):
            text = ", ".join(value)
        elif isinstance(value, dict):
            text = "; ".join(f"{name}: {inner}" for name, inner in value.items())
        if field not in NO_FACTS and value not in (None, [], {}):
            pairs.append((field.replace("_", " ").capitalize(), text, reason_of(value) or ""))
    return pairs


def _board_rows(made: Iterable[Board], by_protocol: Mapping[str, Ranking]) -> Iterator[list]:
    for board in made:
        places = by_protocol[board.protocol].by_name
        for standing in board.newest:
            ranked = _ranked(places.get(standing.system))
            if attack := standing.shown:
                who = [attack.result[field] for field in (*KEY, *MEASURED)]
                is_counted = "yes" if standing.headline else "no"
                value, *limits = [ABSENT if one is None else one for one in attack.number[:3]]
                rates = [value if name == attack.metric else ABSENT for name in EERS]
                yield [*who, attack.condition, is_counted, *rates, *limits, *ranked]
            else:
                who = [standing.system, standing.revision, board.protocol]
                yield [*who, *[ABSENT] * 5, "no", *[ABSENT] * 4, *ranked]


def _ranked(ranked: Place | None) -> list:
    """The columns RANKED of a system."""
    return [*ranked.rank, ranked.percent] if ranked else [ABSENT] * len(RANKED)
