"""What is wrong in a repository of results, or in the files of it that somebody has changed.

Conventions
-----------
* A finding is a line of text that names file and line.
* All records and lists are read. Scores are read, and numbers computed from them again, where
  they, or what they rest on, have changed.
* A number of tier B is right if it is computed again from the scores to 1e-9, its interval too.
* Unprotected speech is the same for all systems. So an attacker finds as much in it in every
  result on a protocol, unless it learns from the system's speech.
* A file that is gone was withdrawn: WITHDRAWN says so, with a reason. LABORATORIES is the owner's.
* What others send is bounded: findings, bytes, draws, and the time that it takes.
"""

import filecmp
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import EERS, METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.json_files import where
from voiceprivacy.inout.packed import unpacked
from voiceprivacy.organise.recomputed import (
    Listed,
    Scores,
    difference,
    read_listed,
    read_scored,
    recomputed,
)
from voiceprivacy.organise.records import (
    FOLDERS,
    LABORATORIES,
    SCORES,
    TRIALS,
    UNATTACKED,
    WITHDRAWN,
    Number,
    Record,
    Repository,
    files_below,
    measured,
    number_of,
    path_of,
    read_repository,
    read_rows_of,
    referred,
    replicated,
)
from voiceprivacy.report.metrics import possible
from voiceprivacy.vocabulary import ABSENT, WITHIN_RELEASE

REFERRED = ("system", "attacker", "protocol")
MOST_FINDINGS = 100
# Another processor rounds differently.
TOLERANCES = {**dict.fromkeys(EERS, 0.1), "cllr_bit": 0.01}


class Changes(NamedTuple):
    """The files of a repository that are not those of another one, by their paths below it."""

    new: list[str]
    changed: list[str]
    removed: list[str]

    @property
    def all(self) -> set[str]:
        """All of them."""
        return {*self.new, *self.changed, *self.removed}

    @property
    def lines(self) -> list[str]:
        """A line for each."""
        lines = []
        for kind, names in self._asdict().items():
            lines += [f"{kind}: {name}" for name in names]
        return lines


def differences(base: Path, folder: Path) -> Changes:
    """How the files of a repository differ from those of the one that it is proposed for."""
    before, now = map(_files, (base, folder))
    both = sorted(before & now)
    changed = [name for name in both if not filecmp.cmp(base / name, folder / name, shallow=False)]
    return Changes(sorted(now - before), changed, sorted(before - now))


def _files(folder: Path) -> set[str]:
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    paths = files_below(folder, (*FOLDERS, LABORATORIES, WITHDRAWN))
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file()}


def checked(
    folder: Path, *, changes: Changes | None = None, seconds: float = 10
) -> tuple[Repository, list[str]]:
    """Read and check a repository: what is in it, and what is wrong with it.

    Parameters
    ----------
    changes : files that a contribution changes; None for a whole repository of one's own
    seconds : of a processor that the check of a contribution may take
    """
    findings: list[str] = []
    repository = Repository(folder, {}, {}, {}, {})
    most = seconds if changes else None
    try:
        with foreign.within(most, f"{folder}: is not checked within {seconds:g} s (--seconds)"):
            repository = read_repository(folder, findings)
            for finding in _check(repository, changes):
                findings.append(finding)
                if len(findings) >= MOST_FINDINGS:
                    raise BadInput(f"{folder}: has more findings, which are not looked for")
    except BadInput as error:
        findings.append(str(error))
    return repository, findings


def _check(repository: Repository, changes: Changes | None) -> Iterator[str]:
    yield from _check_withdrawn(repository.folder, changes or Changes([], [], []))
    results: list[Record] = []
    protocols: set[str] = set()  # lists of others would cost each contribution their time
    for path in repository.protocols:
        if changes is None or changes.all & {path, _lists_of(path)}:
            protocols.add(path)
    for path, result in repository.results.items():
        rests_on = {path, path_of(result, SCORES), *(referred(kind, result) for kind in REFERRED)}
        if changes is None or changes.all & rests_on or referred("protocol", result) in protocols:
            results.append(result)
    protocols |= {referred("protocol", result) for result in results}
    listed: dict[str, Listed] = {}
    for path in sorted(protocols & repository.protocols.keys()):
        yield from _check_protocol(repository, path, listed)
    yield from _check_copies(repository)
    yield from _check_unprotected(repository)
    for result in results:
        try:
            yield from _check_result(repository, result, listed)
        except BadInput as error:
            yield str(error)


def _lists_of(protocol: str) -> str:
    """Where the lists of a protocol lie below the repository."""
    return protocol.removesuffix(".json") + TRIALS


def _check_withdrawn(folder: Path, changes: Changes) -> Iterator[str]:
    """What is gone is declared, with a reason, and what is declared is gone."""
    declared, present = set(), _files(folder)
    for line, row in read_rows_of(folder, WITHDRAWN):
        declared.add(row["file"])
        if row["file"] in present or not row["because"].strip():
            yield f"{folder / WITHDRAWN}:{line}: {row['file']} is there, or no reason is"
    for name in changes.removed:
        if name.startswith(FOLDERS) and name not in declared:
            yield f"{folder / name}: was removed: {WITHDRAWN} must say so, and why"
    if LABORATORIES in changes.all:
        yield f"{folder / LABORATORIES}: is the owner's: no contribution changes it"


def _check_protocol(
    repository: Repository, protocol: str, listed: dict[str, Listed]
) -> Iterator[str]:
    """Compare lists with their SHA-256 and counts; those that are right are kept in ``listed``."""
    record, path = repository.protocols[protocol], repository.folder / protocol
    lists = repository.folder / _lists_of(protocol)
    if not lists.exists():
        return
    if not record["public"]:
        yield f"{lists}: the corpus is not public: remove its lists"
        return
    try:
        own = read_listed(lists)
    except BadInput as error:
        yield str(error)
        return
    listed[protocol] = own
    for field, known in (("sha256", own.hashes()), ("counts", own.counts())):
        stated = record.get(field) or {}
        for name, value in known.items():
            if stated.get(name) != value:
                listed.pop(protocol, None)
                told = f"{where(path, [field, name])} is {stated.get(name)}"
                yield f"{told}, and {value} of {lists.name}: the list was changed"


def _check_result(
    repository: Repository, result: Record, listed: dict[str, Listed]
) -> Iterator[str]:
    """Findings in one result: what it refers to, its numbers, its scores."""
    path = repository.folder / path_of(result)
    for kind in REFERRED:
        if referred(kind, result) not in getattr(repository, f"{kind}s"):
            yield f"{where(path, [kind])}: there is no {referred(kind, result)}"
    first = repository.results.get(replicated(result), {})
    if "replication" in result and first.get("laboratory") in (None, result["laboratory"]):
        yield f"{where(path, ['laboratory'])}: no other laboratory has a result to replicate"
    for index, line in enumerate(result.get("utility", ())):  # measures may be people's own
        wrong = _impossible(line["metric"], number_of(line), {})
        if wrong and line["metric"] in METRICS:
            yield f"{where(path, ['utility', index])}: {wrong}"
    if protocol := repository.protocols.get(referred("protocol", result)):
        for condition, numbers in result["conditions"].items():
            counts = {} if condition in WITHIN_RELEASE else protocol.get("counts") or {}
            for metric, number in numbers.items():
                if wrong := _impossible(metric, number, counts):
                    yield f"{where(path, ['conditions', condition, metric])}: {wrong}"
        yield from _check_scores(repository, result, protocol, path, listed)


def _impossible(metric: str, number: Number, counts: dict[str, Any]) -> str | None:
    """What is wrong with a number, whatever the scores say; None where nothing is."""
    if metric not in METRICS:
        return "is no metric of ours"
    try:
        for value in number[:3]:
            possible(metric, ABSENT if value is None else repr(value), metric, words=ABSENT)
    except BadInput as error:
        return str(error)
    if number.limits and number.limits[0] > number.limits[1]:
        return "has its lower limit above its upper one"
    stated = counts.get(metric.removeprefix("n_")) if metric.startswith("n_") else None
    if stated not in (None, number.value):
        return f"is {number.value}, and the protocol has {stated}"
    return None


def _check_scores(
    repository: Repository,
    result: Record,
    protocol: Record,
    path: Path,
    listed: dict[str, Listed],
) -> Iterator[str]:
    """Scores of tier B: public, of the list, and the numbers are computed from them."""
    scores_path = repository.folder / path_of(result, SCORES)
    name = referred("protocol", result)
    if not scores_path.exists():
        if result["tier"] != "A" or result.get("scores"):
            yield f"{where(path, ['tier'])}: tier B needs {scores_path.name} beside it"
        return
    if not protocol["public"]:
        yield f"{scores_path}: {protocol['name']} is not public: remove the scores"
        return
    if result["tier"] != "B":
        yield f"{where(path, ['tier'])}: scores lie beside it, so it is tier B"
    if name not in listed:
        yield f"{scores_path}: cannot be checked without {_lists_of(name)} that is right"
        return
    digest = sha256(unpacked(scores_path))
    if digest != result.get("scores"):
        yield f"{where(path, ['scores'])}: the SHA-256 of {scores_path.name} is {digest}"
    scores = read_scored(scores_path, listed[name], name)
    yield from _check_recomputed(result, path, scores, listed[name], scores_path)


def _check_recomputed(
    result: Record, path: Path, scores: Scores, listed: Listed, scores_path: Path
) -> Iterator[str]:
    """Every number and its interval, computed again."""
    if UNATTACKED not in scores:
        yield f"{scores_path}: has no scores of {UNATTACKED}, unprotected speech"
    draws = result.get("draws") or 0
    for condition in sorted(scores.keys() | result["conditions"].keys()):
        stated = result["conditions"].get(condition, {})
        if condition not in scores or not stated:
            told = f"{condition} has {'no scores' if stated else 'scores and no numbers'}"
            yield f"{where(path, ['conditions'])}: {told}"
            continue
        numbers = recomputed(condition, scores[condition], listed, draws=draws, path=scores_path)
        for metric in sorted(stated.keys() | numbers.keys()):
            keys = ["conditions", condition, metric]
            if metric not in numbers:
                yield f"{where(path, keys)}: is not computed from scores"
            elif metric not in stated:
                yield f"{where(path, keys[:2])}: {metric} is missing"
            elif wrong := difference(stated[metric], numbers[metric]):
                said, computed = (getattr(one[metric], wrong) for one in (stated, numbers))
                yield f"{where(path, [*keys, wrong])}: is {said}, and {computed} from the scores"


def _check_copies(repository: Repository) -> Iterator[str]:
    """The same scores cannot be of two systems or attackers; a replication may have them."""
    first: dict[str, tuple[str, str]] = {}  # {SHA-256: what was measured first, and where}
    for path, result in repository.results.items():
        if digest := result.get("scores"):
            known, its_path = first.setdefault(digest, (replicated(result), path))
            if known != replicated(result):
                yield f"{where(repository.folder / path, ['scores'])}: are those of {its_path}, too"


def _check_unprotected(repository: Repository) -> Iterator[str]:
    """An attacker finds as much in unprotected speech whatever system is attacked."""
    first: dict[tuple[str, str], str] = {}
    for path, result in repository.results.items():
        attacker = referred("attacker", result)
        adaptation = repository.attackers.get(attacker, {}).get("adaptation")
        if adaptation is not None or UNATTACKED not in result["conditions"]:
            continue
        known = first.setdefault((attacker, result["protocol"]), path)
        for metric, tolerance in TOLERANCES.items():
            both = (result, repository.results[known])
            one, other = (measured(own, UNATTACKED, metric).value for own in both)
            if one is not None and other is not None and abs(one - other) > tolerance:
                at = where(repository.folder / path, ["conditions", UNATTACKED, metric])
                told = f"{one:.4g} of unprotected speech, and {other:.4g} in {known}"
                yield f"{at}: {told}: another attacker, or other speech"
