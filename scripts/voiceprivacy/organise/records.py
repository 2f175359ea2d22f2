"""What laboratories exchange: small JSON files in a git repository, which LAYOUT shows.

Conventions
-----------
* Beside a result lie the scores that it is computed from, beside the protocol of a public corpus
  its list. LABORATORIES says whose results may be headlines, WITHDRAWN what was removed, and why.
* A record is the values of such a JSON file, {key: value} as its schema in
  workflow/schemas/exchange says, with the names that its path says. A result says them once more,
  and must agree. Its conditions are {condition: {metric: Number}}.
* A replication is the same result by another laboratory, which its file is named after.
* Files come from others: they are small, plain files without links.
* A tier says how much is known of a number. A: it was written down. B: scores lie beside it, from
  which it can be computed again.
* ``{"not_reported": because}`` stands for what nobody has said.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from voiceprivacy.catalogue import EERS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.json_files import read_strict, where
from voiceprivacy.inout.tables import read_rows
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.vocabulary import SCRIPTS

UNATTACKED = "oo"
SCHEMAS = SCRIPTS.parent / "workflow" / "schemas" / "exchange"
MOST_BYTES = 2_000_000
NAME, REVISION = r"[a-z][a-z0-9_]{0,199}", r"[a-z0-9][a-z0-9._-]{0,99}"
LAYOUT = {
    "system": "systems/{name}/{revision}/system.json",
    "attacker": "attackers/{name}/{revision}/attacker.json",
    "protocol": "protocols/{name}.json",
    "result": "results/{system}/{revision}/{protocol}/{attacker}@{attacker_revision}.json",
    "replication": "results/{system}/{revision}/{protocol}/{attacker}@{attacker_revision}"
    "@{replication}.json",
}
KEY = ("system", "revision", "protocol", "attacker", "attacker_revision")  # what a result is of
FOLDERS = tuple(dict.fromkeys(layout.partition("/")[0] for layout in LAYOUT.values()))
SCORES, TRIALS = ".scores.gz", ".trials.gz"
LABORATORIES, WITHDRAWN = "laboratories.tsv", "withdrawn.tsv"
COLUMNS = {LABORATORIES: ["laboratory"], WITHDRAWN: ["file", "because"]}

Record = dict[str, Any]


class Number(NamedTuple):
    """A number with its 95 % interval (None: it has none), or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    not_reported: str | None = None

    @property
    def limits(self) -> tuple[float, float] | None:
        """The interval where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)


NOTHING = Number(None)


class Repository(NamedTuple):
    """All records below a folder: {path: record} of each kind.

    ``laboratories`` are those that the owner lists.
    """

    folder: Path
    systems: dict[str, Record]
    attackers: dict[str, Record]
    protocols: dict[str, Record]
    results: dict[str, Record]
    laboratories: frozenset[str] = frozenset()


def path_of(result: Mapping[str, Any], ending: str = ".json") -> str:
    """Where a result, or its scores, lie below the repository."""
    layout = LAYOUT["replication" if "replication" in result else "result"]
    return layout.format(**result).removesuffix(".json") + ending


def replicated(result: Mapping[str, Any]) -> str:
    """Where the result lies that this one replicates, or that it is."""
    return LAYOUT["result"].format(**result)


def referred(kind: str, result: Mapping[str, Any]) -> str:
    """Where the system, the attacker or the protocol of a result lies below the repository."""
    revision = result["attacker_revision" if kind == "attacker" else "revision"]
    return LAYOUT[kind].format(name=result[kind], revision=revision)


def measured(result: Mapping[str, Any], condition: str, metric: str) -> Number:
    """A number of a result, which may have none."""
    return result["conditions"].get(condition, {}).get(metric, NOTHING)


def error_rate(result: Mapping[str, Any], condition: str) -> tuple[str, Number]:
    """The equal error rate of a result with its metric: the first of EERS that it has."""
    rates = [(metric, measured(result, condition, metric)) for metric in EERS]
    known = [rate for rate in rates if rate[1].value is not None]
    said = [rate for rate in rates if rate[1] != NOTHING]  # perhaps why it is not reported
    return [*known, *said, *rates][0]


def reason_of(value: Any) -> str | None:
    """Why a value is not reported; None where it is one."""
    return value.get("not_reported") if isinstance(value, dict) else None


def distrust(result: Mapping[str, Any]) -> str | None:
    """Why an attack does not count; None where nothing speaks against it.

    An attacker who finds nobody in unprotected speech says nothing of protected speech.
    """
    if refused := result.get("controls", {}).get("refused"):
        return refused
    evidence = measured(result, UNATTACKED, "dece_bit").value
    band = measured(result, UNATTACKED, "dece_null95_bit").value
    finds_nobody = evidence is not None and band is not None and evidence <= band
    return "it re-identifies no speaker in unprotected speech" if finds_nobody else None


def overlap(attacker: Record, protocol: Record) -> list[str]:
    """Which data of a protocol the attacker learnt from."""
    learnt, data = attacker.get("training_data"), protocol.get("data")
    known = [one.casefold() for one in learnt] if isinstance(learnt, list) else []
    return [one for one in data if one.casefold() in known] if isinstance(data, list) else []


def read_repository(folder: Path, wrong: list[str] | None = None) -> Repository:
    """Read all records of a repository; BadInput where it is not there, or has none.

    ``wrong`` gets what is wrong with files, which are left out then; without it, that is BadInput.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    records: dict[str, dict[str, Record]] = {kind: {} for kind in LAYOUT}
    records["replication"] = records["result"]
    for path in files_below(folder, FOLDERS):
        try:
            foreign.plain_file(path, folder)
            if not _is_beside_a_record(path, folder):
                kind, record = read_record(path, folder)
                records[kind][path.relative_to(folder).as_posix()] = record
        except BadInput as error:
            if wrong is None:
                raise
            wrong.append(str(error))
    if not (any(records.values()) or wrong):
        raise BadInput(f"{folder}: has no record below {', '.join(FOLDERS)}: is it a repository?")
    systems, attackers, protocols, results, _ = records.values()
    laboratories: frozenset[str] = frozenset()
    try:
        rows = read_rows_of(folder, LABORATORIES)
        laboratories = frozenset(row["laboratory"] for _, row in rows)
    except BadInput as error:
        if wrong is None:
            raise
        wrong.append(str(error))
    return Repository(folder, systems, attackers, protocols, results, laboratories)


def files_below(folder: Path, names: Iterable[str]) -> list[Path]:
    """Files, links and devices with these names in a folder, or below those folders."""
    paths: list[Path] = []
    for name in names:
        paths += [folder / name, *(folder / name).rglob("*")]
    return sorted(
        path for path in paths if path.is_symlink() or (path.exists() and not path.is_dir())
    )


def _is_beside_a_record(path: Path, folder: Path) -> bool:
    """Whether a file is the scores of a result or the list of a protocol.

    BadInput where its record is missing.
    """
    for ending, kind in ((SCORES, "results"), (TRIALS, "protocols")):
        if path.name.endswith(ending) and path.relative_to(folder).parts[0] == kind:
            record = path.with_name(path.name.removesuffix(ending) + ".json")
            if not record.exists():
                raise BadInput(f"{path}: {record.name} is missing beside it")
            return True
    return False


def read_rows_of(folder: Path, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table at the top of a repository, with their lines; none where it is not."""
    if (folder / name).exists():
        yield from read_rows(_small(foreign.plain_file(folder / name, folder)), COLUMNS[name])


def read_record(path: Path, folder: Path) -> tuple[str, Record]:
    """The kind of a record, and its values; BadInput with file and line where it is none."""
    relative = foreign.plain_file(path, folder).relative_to(folder).as_posix()
    for kind, layout in LAYOUT.items():
        if match := _pattern(layout).fullmatch(relative):
            values = _validated(path, kind)
            for field, named in match.groupdict().items():
                if values.setdefault(field, named) != named:
                    said = f"'{values[field]}', and the path says '{named}'"
                    raise BadInput(f"{where(path, [field])}: {said}")
            if kind == "result" and "replication" in values:
                raise BadInput(f"{where(path, ['replication'])}: and the path says of none")
            for condition, numbers in values.get("conditions", {}).items():
                own = {metric: number_of(number) for metric, number in numbers.items()}
                values["conditions"][condition] = own
            return kind, values
    raise BadInput(f"{path}: is no record: expected one of {', '.join(LAYOUT.values())}")


@cache
def _pattern(layout: str) -> re.Pattern[str]:
    named = re.sub(r"\{(\w*revision)\}", rf"(?P<\1>{REVISION})", layout.replace(".", r"\."))
    return re.compile(re.sub(r"\{(\w+)\}", rf"(?P<\1>{NAME})", named))


def number_of(values: Mapping[str, Any]) -> Number:
    """A number of a record; that of a line of utility says inside of itself that there is none."""
    if because := reason_of(values) or reason_of(values["value"]):
        return Number(None, not_reported=because)
    fields = (values[field] for field in ("value", "low", "high"))
    value, low, high = (None if field is None else float(field) for field in fields)
    return Number(value, low, high)


def _validated(path: Path, kind: str) -> Record:
    """The values of a JSON file that somebody else wrote, as the schema of their kind says."""
    values = read_strict(_small(path))
    # The first: its schema says how many there may be of a thing before it says what each is.
    schema = "result" if kind == "replication" else kind
    if first := next(_validator(schema).iter_errors(values), None):
        why = first.message if len(first.message) <= 300 else f"... {first.message[-200:]}"
        raise BadInput(f"{where(path, first.absolute_path)}: {why}")
    return values


@cache
def _validator(kind: str) -> Draft202012Validator:
    registry = Registry().with_resources(
        (path.name, Resource.from_contents(json.loads(path.read_text(encoding="utf-8"))))
        for path in sorted(SCHEMAS.glob("*.json"))
    )
    return Draft202012Validator({"$ref": f"{kind}.schema.json"}, registry=registry)


def _small(path: Path) -> Path:
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(f"{path}: is larger than {MOST_BYTES / 1e6:.0f} MB")
    return path


def record_path(folder: Path, kind: str, record: Record) -> Path:
    """Where a record belongs; its names are checked."""
    relative = LAYOUT[kind].format(**record)
    path = folder / relative
    if not _pattern(LAYOUT[kind]).fullmatch(relative):
        raise BadInput(f"{path}: cannot be: expected {LAYOUT[kind]} in small letters, digits and _")
    return path


def write_record(folder: Path, kind: str, record: Record) -> Path:
    """Write a record where it belongs: sorted keys, so that git shows small differences."""
    named_by_path = () if kind in ("result", "replication") else ("name", "revision")
    values = {key: value for key, value in record.items() if key not in named_by_path}
    path = record_path(folder, kind, record)
    values = _to_json(values | {"format": 1})
    text = json.dumps(values, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    with whole_or_absent(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
        try:
            _validated(temporary, kind)
        except BadInput as error:
            raise BadInput(str(error).replace(str(temporary), str(path))) from None
    return path


def _to_json(value: Any) -> Any:
    match value:
        case Number() if value.not_reported is not None:
            return {"not_reported": value.not_reported}
        case Number():
            return _to_json({"value": value.value, "low": value.low, "high": value.high})
        case dict():
            return {name: _to_json(inner) for name, inner in value.items()}
        case list():
            return [_to_json(inner) for inner in value]
    return str(value) if value in (float("inf"), -float("inf")) else value
