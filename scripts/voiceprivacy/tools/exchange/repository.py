"""The files of records that laboratories exchange: small JSON files in a git repository.

    systems/NAME/REVISION/system.json                        an anonymiser
    attackers/NAME/REVISION/attacker.json                    who attacks
    protocols/ID.json                                        a trial list of a corpus
    protocols/ID.trials.gz                                   the list itself, of a public corpus
    results/SYSTEM/REVISION/PROTOCOL/ATTACKER@REVISION.json  numbers
    results/SYSTEM/REVISION/PROTOCOL/ATTACKER@REVISION.scores.gz  what they are computed from

Conventions
-----------
* The path of a record says what it is of. A result says it once more, and must agree.
* Every file is as its schema in workflow/schemas/exchange says, and has ``format: 1``.
* Files come from others: they are small, plain files without links.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import SCRIPTS, BadInput, FilePath, read_bytes, whole_or_absent
from voiceprivacy.plan.configuration import line_of
from voiceprivacy.tools.exchange.records import (
    Attacker,
    NotReported,
    Number,
    Protocol,
    Repository,
    Result,
    ResultKey,
    System,
    Utility,
)

FORMAT = 1
SCHEMAS = SCRIPTS.parent / "workflow" / "schemas" / "exchange"
MOST_BYTES = 2_000_000  # of one record
NAME, REVISION = r"[a-z][a-z0-9_]{0,199}", r"[a-z0-9][a-z0-9._-]{0,99}"
ATTACKER_FILE = rf"({NAME})@({REVISION})"
FOLDERS = {
    "system": rf"systems/({NAME})/({REVISION})/system\.json",
    "attacker": rf"attackers/({NAME})/({REVISION})/attacker\.json",
    "protocol": rf"protocols/({NAME})\.json",
    "result": rf"results/({NAME})/({REVISION})/({NAME})/{ATTACKER_FILE}\.json",
}
PATTERNS = (
    "systems/*/*/*.json",
    "attackers/*/*/*.json",
    "protocols/*.json",
    "results/*/*/*/*.json",
)
SCORES, TRIALS = ".scores.gz", ".trials.gz"


# Reading.


def read_repository(folder: FilePath) -> Repository:
    """Read all records of a repository.

    Raises
    ------
    BadInput : a file is no plain one, lies elsewhere than its kind does, or is not as its schema
        says; file and line are named
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    by_kind: dict[str, list[Any]] = {kind: [] for kind in FOLDERS}
    for path in foreign.plain_files(folder, *PATTERNS):
        kind, record = read_record(path, folder)
        by_kind[kind].append(record)
    return gathered(folder, by_kind)


def gathered(folder: Path, by_kind: Mapping[str, list[Any]]) -> Repository:
    """A repository of records: {kind: list of what read_record returns}."""
    return Repository(
        folder,
        {(one.name, one.revision): one for one in by_kind["system"]},
        {(one.name, one.revision): one for one in by_kind["attacker"]},
        {one.name: one for one in by_kind["protocol"]},
        tuple(by_kind["result"]),
    )


def read_record(path: FilePath, folder: FilePath) -> tuple[str, Any]:
    """One record: its kind, and a System, Attacker, Protocol or Result.

    Raises
    ------
    BadInput : as read_repository
    """
    path = foreign.plain_file(path, folder)
    relative = path.relative_to(folder).as_posix()
    for kind, pattern in FOLDERS.items():
        if match := re.fullmatch(pattern, relative):
            values = validated(read_values(path), kind, path)
            return kind, READERS[kind](match.groups(), values, path)
    raise BadInput(f"{path}: is no record: expected one of {', '.join(PATTERNS)}")


def read_values(path: FilePath) -> Any:
    """The values of a JSON file that somebody else wrote.

    Raises
    ------
    BadInput : it is too large, no JSON, or a key stands there twice
    """
    if Path(path).stat().st_size > MOST_BYTES:
        raise BadInput(f"{path}: is larger than {MOST_BYTES / 1e6:.0f} MB")
    try:
        values = json.loads(read_bytes(path).decode("utf-8"), object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON that can be read ({error})") from None
    return foreign.plain_values(values, str(path))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"'{name}' stands there twice")
        values[name] = value
    return values


def validated(values: Any, kind: str, path: FilePath) -> dict[str, Any]:
    """Values that are as the schema of their kind says.

    Raises
    ------
    BadInput : they are not; the message names the file, the line and the keys
    """
    errors = sorted(_validator(kind).iter_errors(values), key=lambda error: list(error.path))
    if not errors:
        return values
    error: ValidationError = errors[0]
    raise BadInput(f"{where(path, error.absolute_path)}: {error.message[:300]}")


def where(path: FilePath, keys: Iterable[str | int]) -> str:
    """FILE:LINE: KEYS of a value in a record."""
    keys = tuple(keys)
    told = f"{path}:{line_of(path, keys)}"
    return f"{told}: {'.'.join(map(str, keys))}" if keys else told


@cache
def _validator(kind: str) -> Draft202012Validator:
    registry = Registry().with_resources(
        (path.name, Resource.from_contents(json.loads(path.read_text(encoding="utf-8"))))
        for path in sorted(SCHEMAS.glob("*.json"))
    )
    return Draft202012Validator({"$ref": f"{kind}.schema.json"}, registry=registry)


UNSAID = {
    "training_data": NotReported("the record does not say"),
    "data": NotReported("the record does not say"),
    "readings": (),
    "weights": {},
    "sha256": {},
    "counts": {},
}


def _described(kind: Any, names: tuple[str, ...], values: dict[str, Any], _: Path) -> Any:
    """A record whose fields are those of its file, its name and its revision."""
    fields = {}
    for field in kind._fields[len(names) :]:
        value = _said(values.get(field))
        fields[field] = UNSAID.get(field) if value is None else value
    return kind(*names, **fields)


def _said(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"not_reported"}:
        return NotReported(value["not_reported"])
    return tuple(value) if isinstance(value, list) else value


def _result(names: tuple[str, ...], values: dict[str, Any], path: Path) -> Result:
    key = ResultKey(*names)
    for field, named in key._asdict().items():
        if values[field] != named:
            told = f"'{values[field]}', and the path says '{named}'"
            raise BadInput(f"{where(path, [field])}: {told}")
    return Result(
        *key,
        values["tier"],
        values["laboratory"],
        values.get("date"),
        values.get("source"),
        {
            condition: {metric: _number(value) for metric, value in numbers.items()}
            for condition, numbers in values["conditions"].items()
        },
        values.get("draws"),
        tuple(_utility(value) for value in values.get("utility", [])),
        values.get("controls", {}),
        values.get("versions", {}),
        values.get("provenance", {}),
        values.get("scores"),
    )


def _number(value: dict[str, Any]) -> Number:
    if "not_reported" in value:
        return Number(None, not_reported=value["not_reported"])
    return Number(_float(value["value"]), _float(value["low"]), _float(value["high"]))


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _utility(value: dict[str, Any]) -> Utility:
    said = _said(value["value"])
    unsaid = said.because if isinstance(said, NotReported) else None
    return Utility(
        value["metric"],
        None if unsaid else _float(said),
        _float(value["low"]),
        _float(value["high"]),
        _said(value.get("model")),
        _said(value.get("revision")),
        _said(value.get("definition")),
        value.get("data"),
        unsaid,
    )


READERS: dict[str, Callable[..., Any]] = {
    "system": partial(_described, System),
    "attacker": partial(_described, Attacker),
    "protocol": partial(_described, Protocol),
    "result": _result,
}


# Writing.


def path_of(record: System | Attacker | Protocol | Result) -> str:
    """Where a record lies below the repository."""
    match record:
        case System():
            return f"systems/{record.name}/{record.revision}/system.json"
        case Attacker():
            return f"attackers/{record.name}/{record.revision}/attacker.json"
        case Protocol():
            return f"protocols/{record.name}.json"
    return f"results/{record.key.path}.json"


def write_record(folder: FilePath, record: System | Attacker | Protocol | Result) -> Path:
    """Write a record where it belongs: sorted keys, so that git shows small differences.

    Raises
    ------
    BadInput : it is not as its schema says
    """
    values: dict[str, Any] = {"format": FORMAT}
    named_by_path = () if isinstance(record, Result) else ("name", "revision")
    for field, value in record._asdict().items():
        if field not in named_by_path:
            values[field] = _to_json(value)
    path = Path(folder) / path_of(record)
    text = json.dumps(values, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    with whole_or_absent(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
        try:
            read_record_at(temporary, type(record).__name__.lower())
        except BadInput as error:
            raise BadInput(str(error).replace(str(temporary), str(path))) from None
    return path


def read_record_at(path: FilePath, kind: str) -> dict[str, Any]:
    """The values of a record of a kind, wherever it lies; BadInput where its schema refuses it."""
    return validated(read_values(path), kind, path)


def _to_json(value: Any) -> Any:
    match value:
        case NotReported():
            return {"not_reported": value.because}
        case Number():
            return _number_to_json(value)
        case Utility():
            return _utility_to_json(value)
        case tuple() | list():
            return [_to_json(inner) for inner in value]
        case Mapping():
            return {name: _to_json(inner) for name, inner in value.items()}
        case float() if math.isinf(value):
            return str(value)
    return value


def _number_to_json(number: Number) -> dict[str, Any]:
    if number.not_reported is not None:
        return {"not_reported": number.not_reported}
    return {field: _to_json(getattr(number, field)) for field in ("value", "low", "high")}


def _utility_to_json(measured: Utility) -> dict[str, Any]:
    values = {name: _to_json(value) for name, value in measured._asdict().items()}
    unsaid = values.pop("not_reported")
    return values | {"value": {"not_reported": unsaid}} if unsaid else values
