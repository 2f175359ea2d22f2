"""What laboratories exchange: small JSON files in a git repository, read as named tuples.

    systems/NAME/REVISION/system.json                        an anonymiser
    attackers/NAME/REVISION/attacker.json                    who attacks
    protocols/ID.json                                        a trial list of a corpus
    protocols/ID.trials.gz                                   the list itself, of a public corpus
    results/SYSTEM/REVISION/PROTOCOL/ATTACKER@REVISION.json  numbers
    results/SYSTEM/REVISION/PROTOCOL/ATTACKER@REVISION.scores.gz  what they are computed from
    laboratories.tsv                                         whose results may be headlines
    withdrawn.tsv                                            which files were removed, and why

Conventions
-----------
* The path of a record says what it is of. A result says it once more, and must agree.
* Every file is as its schema in workflow/schemas/exchange says, and has ``format: 1``.
* Files come from others: they are small, plain files without links.
* A tier says how much is known of a number. A: it was written down. B: scores lie beside it, from
  which it can be computed again.
* ``NotReported`` stands for what nobody has said. It says why.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import SCRIPTS, BadInput, FilePath, read_bytes, whole_or_absent
from voiceprivacy.inout.tables import read_rows

UNATTACKED = "oo"


class NotReported(NamedTuple):
    """What nobody has said, and why."""

    because: str


Text = str | NotReported | None
Texts = tuple[str, ...] | NotReported


class System(NamedTuple):
    """An anonymiser; ``level`` is what has a pseudo-voice of its own."""

    name: str
    revision: str
    title: str
    paper: Text
    code: Text
    licence: Text
    year: int | None
    training_data: Texts
    level: Text
    real_time_factor: float | NotReported | None


class Attacker(NamedTuple):
    """Who attacks; ``weights`` are SHA-256 of its files: {name: digest}."""

    name: str
    revision: str
    title: str
    paper: Text
    code: Text
    licence: Text
    year: int | None
    weights: Mapping[str, str] | NotReported
    training_data: Texts
    adaptation: Text
    readings: Texts


class Protocol(NamedTuple):
    """A trial list of a corpus; ``sha256`` is of its tables, ``weights`` are those of averages."""

    name: str
    title: str
    public: bool
    data: Texts
    fingerprint: Text
    sha256: Mapping[str, str] | NotReported
    counts: Mapping[str, int] | NotReported
    weights: Mapping[str, float]


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


class Utility(NamedTuple):
    """One measure of what speech is good for: by which model, and in which definition."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    model: Text
    revision: Text
    definition: Text
    data: str | None
    not_reported: str | None = None

    @property
    def number(self) -> Number:
        """Its number."""
        return Number(self.value, self.low, self.high, self.not_reported)


class ResultKey(NamedTuple):
    """What was measured: the path of a result."""

    system: str
    revision: str
    protocol: str
    attacker: str
    attacker_revision: str


class Result(NamedTuple):
    """One attack on one system: ``conditions`` is condition -> metric -> Number.

    ``draws`` are replicates of the intervals. ``controls`` may say ``refused``: why the run's own
    checks refuse the attacker. ``provenance`` and ``scores`` are SHA-256.
    """

    system: str
    revision: str
    protocol: str
    attacker: str
    attacker_revision: str
    tier: str
    laboratory: str
    date: str | None
    source: str | None
    conditions: Mapping[str, Mapping[str, Number]]
    draws: int | None
    utility: tuple[Utility, ...] = ()
    controls: Mapping[str, str | None] = {}
    versions: Mapping[str, str] = {}
    provenance: Mapping[str, str] = {}
    scores: str | None = None


Record = System | Attacker | Protocol | Result


class Repository(NamedTuple):
    """All records below a folder.

    Systems and attackers stand under (name, revision), protocols under their name.
    ``laboratories`` are those that the owner lists.
    """

    folder: Path
    systems: Mapping[tuple[str, str], System]
    attackers: Mapping[tuple[str, str], Attacker]
    protocols: Mapping[str, Protocol]
    results: tuple[Result, ...]
    laboratories: frozenset[str] = frozenset()


def described(kind: type, because: NotReported, **known: Any) -> Any:
    """A System, Attacker or Protocol of which no more is known, and why."""
    fields = kind._fields  # type: ignore[attr-defined]
    return kind(**{**dict.fromkeys(fields, because), **known})


def distrust(result: Result) -> str | None:
    """Why an attack does not count; None where nothing speaks against it.

    An attacker who finds nobody in unprotected speech says nothing of protected speech.
    """
    if refused := result.controls.get("refused"):
        return refused
    numbers = result.conditions.get(UNATTACKED, {})
    evidence, band = (
        numbers.get(metric, Number(None)).value for metric in ("dece_bit", "dece_null95_bit")
    )
    finds_nobody = evidence is not None and band is not None and evidence <= band
    return "it finds nobody in unprotected speech" if finds_nobody else None


def overlap(attacker: Attacker, protocol: Protocol) -> tuple[str, ...]:
    """Which data of a protocol the attacker learnt from."""
    if isinstance(attacker.training_data, NotReported) or isinstance(protocol.data, NotReported):
        return ()
    learnt = {data.casefold() for data in attacker.training_data}
    return tuple(data for data in protocol.data if data.casefold() in learnt)


# Files.

FORMAT = 1
SCHEMAS = SCRIPTS.parent / "workflow" / "schemas" / "exchange"
MOST_BYTES = 2_000_000  # of one record
NAME, REVISION = r"([a-z][a-z0-9_]{0,199})", r"([a-z0-9][a-z0-9._-]{0,99})"
LAYOUT: dict[type, str] = {
    System: "systems/{name}/{revision}/system.json",
    Attacker: "attackers/{name}/{revision}/attacker.json",
    Protocol: "protocols/{name}.json",
    Result: "results/{system}/{revision}/{protocol}/{attacker}@{attacker_revision}.json",
}
FOLDERS = tuple(layout.partition("/")[0] for layout in LAYOUT.values())
PATTERNS = tuple(
    re.sub(r"\{\w+\}", "*", layout.rpartition("/")[0]) + "/*.json" for layout in LAYOUT.values()
)
SCORES, TRIALS = ".scores.gz", ".trials.gz"
LABORATORIES, WITHDRAWN = "laboratories.tsv", "withdrawn.tsv"
COLUMNS = {LABORATORIES: ["laboratory"], WITHDRAWN: ["file", "because"]}
MOST_DIGITS = 40
BETWEEN = re.compile(r"[\s,:]*")  # the members of JSON
NOT_SAID = NotReported("the record does not say")
UNSAID: dict[str, Any] = {
    "training_data": NOT_SAID,
    "data": NOT_SAID,
    "readings": (),
    "weights": {},
    "sha256": {},
    "counts": {},
    **Result._field_defaults,
}


def path_of(record: Record | ResultKey) -> str:
    """Where a record lies below the repository."""
    kind = Result if isinstance(record, ResultKey) else type(record)
    return LAYOUT[kind].format(**record._asdict())


def beside(record: Record | ResultKey, ending: str) -> str:
    """Where the scores of a result or the lists of a protocol lie below the repository."""
    return path_of(record).removesuffix(".json") + ending


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
    paths = foreign.plain_files(folder, *PATTERNS)
    return gathered(folder, [read_record(path, folder) for path in paths])


def gathered(folder: Path, records: Iterable[Record]) -> Repository:
    """A repository of records, with the laboratories that its owner lists."""
    by_kind: dict[type, list[Any]] = {kind: [] for kind in LAYOUT}
    for record in records:
        by_kind[type(record)].append(record)
    systems, attackers, protocols, results = by_kind.values()
    return Repository(
        folder,
        {(one.name, one.revision): one for one in systems},
        {(one.name, one.revision): one for one in attackers},
        {one.name: one for one in protocols},
        tuple(results),
        frozenset(row["laboratory"] for _, row in read_rows_of(folder, LABORATORIES)),
    )


def read_rows_of(folder: Path, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table at the top of a repository, with their lines; none where it is not."""
    if (folder / name).exists():
        yield from read_rows(_small(foreign.plain_file(folder / name, folder)), COLUMNS[name])


def read_record(path: FilePath, folder: FilePath) -> Any:
    """One record: a System, Attacker, Protocol or Result.

    Raises
    ------
    BadInput : as read_repository
    """
    path = foreign.plain_file(path, folder)
    relative = path.relative_to(folder).as_posix()
    for kind, layout in LAYOUT.items():
        pattern = re.sub(r"\{\w*revision\}", lambda _: REVISION, layout.replace(".", r"\."))
        if match := re.fullmatch(re.sub(r"\{\w+\}", lambda _: NAME, pattern), relative):
            names = dict(zip(re.findall(r"\{(\w+)\}", layout), match.groups(), strict=True))
            return _record(kind, names, _validated(path, kind), path)
    raise BadInput(f"{path}: is no record: expected one of {', '.join(PATTERNS)}")


def _record(kind: type, names: dict[str, str], values: dict[str, Any], path: Path) -> Record:
    for field, named in names.items():
        if kind is Result and values[field] != named:
            said = f"'{values[field]}', and the path says '{named}'"
            raise BadInput(f"{where(path, [field])}: {said}")
    fields: dict[str, Any] = {}
    for field in kind._fields:  # type: ignore[attr-defined]
        value = _said(values.get(field))
        fields[field] = UNSAID.get(field) if value is None else value
    if kind is Result:
        fields["conditions"] = {
            condition: {metric: _number(value) for metric, value in numbers.items()}
            for condition, numbers in values["conditions"].items()
        }
        fields["utility"] = tuple(map(_utility, fields["utility"]))
    return kind(**fields | names)


def _said(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"not_reported"}:
        return NotReported(value["not_reported"])
    return tuple(value) if isinstance(value, list) else value


def _number(values: dict[str, Any]) -> Number:
    value = values.get("value")
    if isinstance(value, dict):  # of utility: {"not_reported": ...}
        values = values | {"value": None} | value
    numbers = [values.get(field) for field in ("value", "low", "high")]
    value, low, high = (None if number is None else float(number) for number in numbers)
    return Number(value, low, high, values.get("not_reported"))


def _utility(values: dict[str, Any]) -> Utility:
    value, low, high, unsaid = _number(values)
    model, revision, definition = (
        _said(values.get(field)) for field in ("model", "revision", "definition")
    )
    data = values.get("data")
    return Utility(values["metric"], value, low, high, model, revision, definition, data, unsaid)


def _validated(path: FilePath, kind: type) -> dict[str, Any]:
    """The values of a JSON file that somebody else wrote, as the schema of their kind says.

    Raises
    ------
    BadInput : it is too large, no JSON, a key is there twice, or a value is another than the schema
        says; the message names the file, the line and the keys
    """
    content = read_bytes(_small(Path(path)))
    try:
        values = json.loads(
            content.decode("utf-8"), object_pairs_hook=_each_once, parse_int=_whole_number
        )
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON that can be read ({error})") from None
    foreign.plain_values(values, str(path))
    # The first: its schema says how many there may be of a thing before it says what each is.
    if first := next(_validator(kind).iter_errors(values), None):
        why = first.message if len(first.message) <= 300 else f"... {first.message[-200:]}"
        raise BadInput(f"{where(path, first.absolute_path)}: {why}")
    return values


def _small(path: Path) -> Path:
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(f"{path}: is larger than {MOST_BYTES / 1e6:.0f} MB")
    return path


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"'{name}' stands there twice")
        values[name] = value
    return values


def where(path: FilePath, keys: Iterable[str | int]) -> str:
    """FILE:LINE: KEYS of a value in a record."""
    keys, text, line, at = tuple(keys), read_bytes(path).decode("utf-8"), 1, 0
    for key in keys:
        if not (member := _member(text, _next(text, at), key)):
            break
        begins, at = member
        line = text.count("\n", 0, begins) + 1
    told = f"{path}:{line}"
    return f"{told}: {'.'.join(map(str, keys))}" if keys else told


def _member(text: str, start: int, wanted: str | int) -> tuple[int, int] | None:
    """Where a member of the object or list of JSON at ``start`` begins, and where its value does.

    None where it is not there.
    """
    read, index, at = json.JSONDecoder().raw_decode, 0, start + 1
    while text[start] in "{[" and text[at := _next(text, at)] not in "]}":
        name, begins = index, at
        if text[start] == "{":
            name, at = read(text, at)
            at = _next(text, at)
        if name == wanted:
            return begins, at
        at, index = read(text, at)[1], index + 1
    return None


def _next(text: str, at: int) -> int:
    """Where something stands that does not only lie between members of JSON."""
    return BETWEEN.match(text, at).end()  # type: ignore[union-attr]


@cache
def _validator(kind: type) -> Draft202012Validator:
    registry = Registry().with_resources(
        (path.name, Resource.from_contents(json.loads(path.read_text(encoding="utf-8"))))
        for path in sorted(SCHEMAS.glob("*.json"))
    )
    return Draft202012Validator({"$ref": f"{kind.__name__.lower()}.schema.json"}, registry=registry)


def write_record(folder: FilePath, record: Record) -> Path:
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
            _validated(temporary, type(record))
        except BadInput as error:
            raise BadInput(str(error).replace(str(temporary), str(path))) from None
    return path


def _to_json(value: Any) -> Any:
    match value:
        case NotReported():
            return {"not_reported": value.because}
        case Number() if value.not_reported is not None:
            return {"not_reported": value.not_reported}
        case Number() | Utility():
            values = {name: _to_json(inner) for name, inner in value._asdict().items()}
            unsaid = values.pop("not_reported")
            return values | {"value": {"not_reported": unsaid}} if unsaid else values
        case tuple() | list():
            return [_to_json(inner) for inner in value]
        case Mapping():
            return {name: _to_json(inner) for name, inner in value.items()}
        case float() if math.isinf(value):
            return str(value)
    return value
