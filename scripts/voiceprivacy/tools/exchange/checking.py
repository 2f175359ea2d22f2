"""What is wrong in a repository of results, or in the files of it that somebody has changed.

Conventions
-----------
* A finding names file and line. A note only says something: it refuses nothing.
* All records are read. Lists, scores and numbers are looked at where they, or what they rest on,
  have changed.
* A number of tier B is right if it is computed again from the scores to 1e-9, its interval too.
* Unprotected speech is the same for all systems. So an attacker finds as much in it in every
  result on a protocol, unless he learns from the system's speech.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout import foreign
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.metrics import possible
from voiceprivacy.tools.exchange.evidence import (
    Listed,
    Scores,
    difference,
    read_listed,
    read_scored,
    recomputed,
    unpacked,
)
from voiceprivacy.tools.exchange.records import (
    UNATTACKED,
    Number,
    Protocol,
    Repository,
    Result,
    distrust,
    overlap,
)
from voiceprivacy.tools.exchange.repository import (
    FOLDERS,
    SCORES,
    TRIALS,
    gathered,
    path_of,
    read_record,
    where,
)
from voiceprivacy.tools.merging import TOLERANCES
from voiceprivacy.vocabulary import ABSENT, WITHIN_RELEASE

BESIDE = (SCORES, TRIALS)  # endings of what lies beside records


class Finding(NamedTuple):
    """Something that is wrong; a note (``is_note``) refuses nothing."""

    text: str
    is_note: bool = False


def check(folder: Path, *, changed: Collection[str] | None = None) -> Iterator[Finding]:
    """Check a repository.

    Parameters
    ----------
    folder : of the repository
    changed : paths below it that have changed; None for all

    Raises
    ------
    BadInput : the folder is not there
    """
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    repository, findings = _read(folder)
    yield from findings
    listed: dict[str, Listed] = {}
    for protocol in repository.protocols.values():
        yield from _check_protocol(repository, protocol, listed)
    yield from _check_copies(repository)
    yield from _check_unprotected(repository)
    for result in repository.results:
        path = folder / path_of(result)
        if changed is None or _touches(result, changed):
            try:
                yield from _check_result(repository, result, path, listed)
            except BadInput as error:
                yield Finding(str(error))


def _touches(result: Result, changed: Collection[str]) -> bool:
    """Whether a result, or what it rests on, has changed."""
    stem = f"results/{result.key.path}"
    protocol = f"protocols/{result.protocol}"
    mine = {f"{stem}.json", f"{stem}{SCORES}", f"{protocol}.json", f"{protocol}{TRIALS}"}
    mine.add(f"attackers/{result.attacker}/{result.attacker_revision}/attacker.json")
    return not mine.isdisjoint(changed)


# Reading.


def _read(folder: Path) -> tuple[Repository, list[Finding]]:
    """All records that can be read, and what is wrong with the others."""
    findings: list[Finding] = []
    by_kind: dict[str, list[Any]] = {kind: [] for kind in FOLDERS}
    tops = sorted({pattern.partition("/")[0] for pattern in FOLDERS.values()})
    for top in tops:
        for path in sorted((folder / top).rglob("*")):
            if path.is_dir() and not path.is_symlink():
                continue
            try:
                foreign.plain_file(path, folder)
                if not _is_beside_a_record(path):
                    kind, record = read_record(path, folder)
                    by_kind[kind].append(record)
            except BadInput as error:
                findings.append(Finding(str(error)))
    return gathered(folder, by_kind), findings


def _is_beside_a_record(path: Path) -> bool:
    """Whether a file is scores or a list; BadInput where its record is missing."""
    for ending in BESIDE:
        if path.name.endswith(ending):
            record = path.with_name(path.name.removesuffix(ending) + ".json")
            if not record.exists():
                raise BadInput(f"{path}: stands without {record.name}")
            return True
    return False


# Protocols.


def _check_protocol(
    repository: Repository, protocol: Protocol, listed: dict[str, Listed]
) -> Iterator[Finding]:
    """Compare lists with their SHA-256 and counts; those that are right are kept in ``listed``."""
    path = repository.folder / path_of(protocol)
    lists = path.with_name(f"{protocol.name}{TRIALS}")
    if not lists.exists():
        return
    if not protocol.public:
        yield Finding(f"{lists}: the corpus is not public: remove its lists")
        return
    try:
        own = read_listed(lists)
    except BadInput as error:
        yield Finding(str(error))
        return
    is_right = True
    for field, known in (("sha256", own.hashes()), ("counts", own.counts())):
        stated = getattr(protocol, field)
        stated = stated if isinstance(stated, Mapping) else {}
        for name, value in known.items():
            if stated.get(name) != value:
                is_right = False
                told = f"{where(path, [field, name])} is {stated.get(name)}"
                yield Finding(f"{told}, and {value} of {lists.name}: the list was changed")
    if is_right:
        listed[protocol.name] = own


# Results.


def _check_result(
    repository: Repository, result: Result, path: Path, listed: Mapping[str, Listed]
) -> Iterator[Finding]:
    """Findings in one result: what it refers to, its numbers, its scores."""
    attacker = repository.attackers.get((result.attacker, result.attacker_revision))
    protocol = repository.protocols.get(result.protocol)
    system = repository.systems.get((result.system, result.revision))
    for record, folder, field in (
        (system, "systems", "system"),
        (attacker, "attackers", "attacker"),
        (protocol, "protocols", "protocol"),
    ):
        if record is None:
            yield Finding(f"{where(path, [field])}: is not in {folder}/")
    if protocol is None or attacker is None:
        return
    yield from _check_numbers(result, protocol, path)
    yield from _check_scores(result, protocol, path, listed)
    for data in overlap(attacker, protocol):
        yield Finding(f"{path}: note: {result.attacker} learnt from {data}", is_note=True)
    if doubt := distrust(result):
        yield Finding(f"{path}: note: does not count: {doubt}", is_note=True)


def _check_numbers(result: Result, protocol: Protocol, path: Path) -> Iterator[Finding]:
    """Metrics that we know, in their ranges, of as many trials as the protocol has."""
    counts = protocol.counts if isinstance(protocol.counts, Mapping) else {}
    for condition, numbers in result.conditions.items():
        for metric, number in numbers.items():
            if wrong := _impossible(condition, metric, number, counts):
                yield Finding(f"{where_of(path, condition, metric)}: {wrong}")


def _impossible(
    condition: str, metric: str, number: Number, counts: Mapping[str, int]
) -> str | None:
    """What is wrong with a number, whatever the scores say; None where nothing is."""
    if metric not in METRICS:
        return "is no metric of ours"
    for value in (number.value, number.low, number.high):
        try:
            possible(metric, ABSENT if value is None else repr(value), metric, words=ABSENT)
        except BadInput as error:
            return str(error)
    stated = counts.get(metric.removeprefix("n_")) if condition not in WITHIN_RELEASE else None
    if metric.startswith("n_") and stated is not None and number.value != stated:
        return f"is {number.value}, and the protocol has {stated}"
    return None


def where_of(path: Path, condition: str, metric: str) -> str:
    """FILE:LINE: of a number of a result."""
    return where(path, ["conditions", condition, metric])


def _check_scores(
    result: Result, protocol: Protocol, path: Path, listed: Mapping[str, Listed]
) -> Iterator[Finding]:
    """Scores of tier B: public, of the list, and the numbers are computed from them."""
    scores_path = path.with_name(path.name.removesuffix(".json") + SCORES)
    if not scores_path.exists():
        if result.tier != "A" or result.scores:
            yield Finding(f"{where(path, ['tier'])}: tier B needs {scores_path.name} beside it")
        return
    if not protocol.public:
        yield Finding(f"{scores_path}: {protocol.name} is not public: remove the scores")
        return
    if result.tier != "B":
        yield Finding(f"{where(path, ['tier'])}: scores lie beside it, so it is tier B")
    if protocol.name not in listed:
        lists = f"protocols/{protocol.name}{TRIALS}"
        yield Finding(f"{scores_path}: cannot be checked without {lists} that is right")
        return
    digest = sha256(unpacked(scores_path))
    if digest != result.scores:
        yield Finding(f"{where(path, ['scores'])}: the SHA-256 of {scores_path.name} is {digest}")
    own = listed[protocol.name]
    scores = read_scored(scores_path, own, path.parents[4] / f"protocols/{protocol.name}{TRIALS}")
    yield from _check_recomputed(result, path, scores, own, scores_path)


def _check_recomputed(
    result: Result, path: Path, scores: Scores, listed: Listed, scores_path: Path
) -> Iterator[Finding]:
    """Every number and its interval, computed again."""
    if UNATTACKED not in scores:
        yield Finding(f"{scores_path}: has no scores of {UNATTACKED}, unprotected speech")
    for condition in sorted(scores.keys() | result.conditions.keys()):
        stated = result.conditions.get(condition, {})
        if condition not in scores or not stated:
            told = f"{condition} has {'no scores' if stated else 'scores and no numbers'}"
            yield Finding(f"{where(path, ['conditions'])}: {told}")
            continue
        numbers = recomputed(
            condition, scores[condition], listed, draws=result.draws or 0, path=scores_path
        )
        for metric in sorted(stated.keys() | numbers.keys()):
            if metric not in numbers:
                yield Finding(f"{where_of(path, condition, metric)}: is not computed from scores")
            elif metric not in stated:
                yield Finding(f"{where(path, ['conditions', condition])}: {metric} is missing")
            elif wrong := difference(stated[metric], numbers[metric]):
                at = where(path, ["conditions", condition, metric, wrong])
                yield Finding(f"{at}: {_differs(stated[metric], numbers[metric], wrong)}")


def _differs(stated: Number, number: Number, field: str) -> str:
    return f"is {getattr(stated, field)}, and {getattr(number, field)} from the scores"


# What several results say together.


def _check_copies(repository: Repository) -> Iterator[Finding]:
    """The same scores cannot be of two systems or attackers."""
    first: dict[str, Result] = {}
    for result in repository.results:
        if result.scores:
            known = first.setdefault(result.scores, result)
            if known is not result:
                path = repository.folder / path_of(result)
                yield Finding(f"{where(path, ['scores'])}: are those of {path_of(known)}, too")


def _check_unprotected(repository: Repository) -> Iterator[Finding]:
    """An attacker finds as much in unprotected speech whatever system he attacks."""
    first: dict[tuple[str, ...], Result] = {}
    for result in repository.results:
        who = (result.attacker, result.attacker_revision)
        attacker = repository.attackers.get(who)
        is_adapted = attacker is not None and attacker.adaptation is not None
        if is_adapted or UNATTACKED not in result.conditions:
            continue
        known = first.setdefault((*who, result.protocol), result)
        for metric, tolerance in TOLERANCES.items():
            one, other = (
                record.conditions[UNATTACKED].get(metric, Number(None)).value
                for record in (result, known)
            )
            if one is not None and other is not None and abs(one - other) > tolerance:
                path = repository.folder / path_of(result)
                told = f"{one:.4g} of unprotected speech, and {other:.4g} in {path_of(known)}"
                yield Finding(
                    f"{where_of(path, UNATTACKED, metric)}: {told}: another attacker, or other"
                    " speech"
                )
