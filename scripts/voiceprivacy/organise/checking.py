"""What is wrong in a repository of results, or in the files of it that somebody has changed.

Conventions
-----------
* A finding names file and line. A note only says something: it refuses nothing.
* All records are read. Lists, scores and numbers are looked at where they, or what they rest on,
  have changed.
* A number of tier B is right if it is computed again from the scores to 1e-9, its interval too.
* Unprotected speech is the same for all systems. So an attacker finds as much in it in every
  result on a protocol, unless he learns from the system's speech.
* A file that is gone was withdrawn: WITHDRAWN says so, with a reason. LABORATORIES is the owner's.
* What others send is bounded: findings, bytes, draws, and the time that it takes.
"""

import filecmp
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout import foreign
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import BadInput
from voiceprivacy.organise.comparing import TOLERANCES
from voiceprivacy.organise.evidence import (
    Listed,
    Scores,
    difference,
    read_listed,
    read_scored,
    recomputed,
    unpacked,
)
from voiceprivacy.organise.records import (
    FOLDERS,
    LABORATORIES,
    SCORES,
    TRIALS,
    UNATTACKED,
    WITHDRAWN,
    Number,
    Protocol,
    Repository,
    Result,
    beside,
    distrust,
    gathered,
    overlap,
    path_of,
    read_record,
    read_rows_of,
    where,
)
from voiceprivacy.report.metrics import possible
from voiceprivacy.vocabulary import ABSENT, WITHIN_RELEASE

MOST_FINDINGS = 100


class Finding(NamedTuple):
    """Something that is wrong; a note (``is_note``) refuses nothing."""

    text: str
    is_note: bool = False


class Changes(NamedTuple):
    """The files of a repository that are not those of another one, by their paths below it."""

    new: list[str]
    changed: list[str]
    removed: list[str]

    @property
    def all(self) -> list[str]:
        """All of them."""
        return [*self.new, *self.changed, *self.removed]


def differences(base: Path, folder: Path) -> Changes:
    """How the files of a repository differ from those of the one that it is proposed for."""
    before, now = map(_files, (base, folder))
    both = sorted(before & now)
    changed = [name for name in both if not filecmp.cmp(base / name, folder / name, shallow=False)]
    return Changes(sorted(now - before), changed, sorted(before - now))


def _files(folder: Path) -> set[str]:
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    tops = [folder / name for name in (*FOLDERS, LABORATORIES, WITHDRAWN)]
    paths = chain(tops, *(top.rglob("*") for top in tops))
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file()}


def checked(
    folder: Path, *, changes: Changes | None = None, seconds: float = 10
) -> tuple[Repository, list[Finding]]:
    """Read and check a repository: what is in it, and what is wrong with it.

    Parameters
    ----------
    folder : of the repository
    changes : files that a contribution changes; None for a whole repository of one's own
    seconds : of a processor that the check of a contribution may take

    Raises
    ------
    BadInput : the folder is not there
    """
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    repository, findings = Repository(folder, {}, {}, {}, ()), []
    try:
        most = seconds if changes else None
        with foreign.within(most, f"{folder}: is not checked within {seconds:g} s (--seconds)"):
            repository, wrong = _read(folder)
            for finding in chain(wrong, _check(repository, changes)):
                findings.append(finding)
                if len(findings) == MOST_FINDINGS:
                    raise BadInput(f"{folder}: has more findings, which are not looked for")
    except BadInput as error:
        findings.append(Finding(str(error)))
    return repository, findings


def _check(repository: Repository, changes: Changes | None) -> Iterator[Finding]:
    yield from _check_withdrawn(repository.folder, changes)
    listed: dict[str, Listed] = {}
    for protocol in repository.protocols.values():
        yield from _check_protocol(repository, protocol, listed)
    yield from _check_copies(repository)
    yield from _check_unprotected(repository)
    for result in repository.results:
        if changes is None or not _rests_on(result).isdisjoint(changes.all):
            try:
                yield from _check_result(repository, result, listed)
            except BadInput as error:
                yield Finding(str(error))


def _check_withdrawn(folder: Path, changes: Changes | None) -> Iterator[Finding]:
    """What is gone is declared, with a reason, and what is declared is gone."""
    declared = set()
    for line, row in read_rows_of(folder, WITHDRAWN):
        declared.add(row["file"])
        if (folder / row["file"]).exists() or not row["because"].strip():
            told = f"{row['file']} is there, or no reason is"
            yield Finding(f"{folder / WITHDRAWN}:{line}: {told}")
    new, changed, removed = changes or Changes([], [], [])
    for name in removed:
        if name.startswith(FOLDERS) and name not in declared:
            yield Finding(f"{folder / name}: was removed: {WITHDRAWN} must say so, and why")
    if LABORATORIES in (*new, *changed, *removed):
        yield Finding(f"{folder / LABORATORIES}: is the owner's: no contribution changes it")


def _rests_on(result: Result) -> set[str]:
    """The files that say whether a result is right."""
    stems = f"protocols/{result.protocol}", f"attackers/{result.attacker}"
    return {
        path_of(result),
        beside(result, SCORES),
        f"{stems[0]}.json",
        f"{stems[0]}{TRIALS}",
        f"{stems[1]}/{result.attacker_revision}/attacker.json",
    }


def _read(folder: Path) -> tuple[Repository, list[Finding]]:
    """All records that can be read, and what is wrong with the others."""
    findings: list[Finding] = []
    records = []
    for top in sorted(FOLDERS):
        for path in sorted((folder / top).rglob("*")):
            if path.is_dir() and not path.is_symlink():
                continue
            try:
                foreign.plain_file(path, folder)
                if not _is_beside_a_record(path):
                    records.append(read_record(path, folder))
            except BadInput as error:
                findings.append(Finding(str(error)))
                if len(findings) == MOST_FINDINGS:
                    return gathered(folder, records), findings
    return gathered(folder, records), findings


def _is_beside_a_record(path: Path) -> bool:
    """Whether a file is scores or a list; BadInput where its record is missing."""
    for ending in (SCORES, TRIALS):
        if path.name.endswith(ending):
            record = path.with_name(path.name.removesuffix(ending) + ".json")
            if not record.exists():
                raise BadInput(f"{path}: stands without {record.name}")
            return True
    return False


def _check_protocol(
    repository: Repository, protocol: Protocol, listed: dict[str, Listed]
) -> Iterator[Finding]:
    """Compare lists with their SHA-256 and counts; those that are right are kept in ``listed``."""
    path = repository.folder / path_of(protocol)
    lists = repository.folder / beside(protocol, TRIALS)
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
    wrong = []
    for field, known in (("sha256", own.hashes()), ("counts", own.counts())):
        stated = getattr(protocol, field)
        stated = stated if isinstance(stated, Mapping) else {}
        for name, value in known.items():
            if stated.get(name) != value:
                told = f"{where(path, [field, name])} is {stated.get(name)}"
                wrong.append(f"{told}, and {value} of {lists.name}: the list was changed")
    yield from map(Finding, wrong)
    if not wrong:
        listed[protocol.name] = own


# Results.


def _check_result(
    repository: Repository, result: Result, listed: Mapping[str, Listed]
) -> Iterator[Finding]:
    """Findings in one result: what it refers to, its numbers, its scores."""
    path = repository.folder / path_of(result)
    attacker = repository.attackers.get((result.attacker, result.attacker_revision))
    protocol = repository.protocols.get(result.protocol)
    system = repository.systems.get((result.system, result.revision))
    for field, record in (("system", system), ("attacker", attacker), ("protocol", protocol)):
        if record is None:
            yield Finding(f"{where(path, [field])}: is not in {field}s/")
    if protocol is None or attacker is None:
        return
    counts = protocol.counts if isinstance(protocol.counts, Mapping) else {}
    for condition, numbers in result.conditions.items():
        for metric, number in numbers.items():
            if wrong := _impossible(condition, metric, number, counts):
                yield Finding(f"{where(path, ['conditions', condition, metric])}: {wrong}")
    yield from _check_scores(repository, result, protocol, path, listed)
    for data in overlap(attacker, protocol):
        yield Finding(f"{path}: note: {result.attacker} learnt from {data}", is_note=True)
    if doubt := distrust(result):
        yield Finding(f"{path}: note: does not count: {doubt}", is_note=True)


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


def _check_scores(
    repository: Repository,
    result: Result,
    protocol: Protocol,
    path: Path,
    listed: Mapping[str, Listed],
) -> Iterator[Finding]:
    """Scores of tier B: public, of the list, and the numbers are computed from them."""
    scores_path = repository.folder / beside(result, SCORES)
    if not scores_path.exists():
        if result.tier != "A" or result.scores:
            yield Finding(f"{where(path, ['tier'])}: tier B needs {scores_path.name} beside it")
        return
    if not protocol.public:
        yield Finding(f"{scores_path}: {protocol.name} is not public: remove the scores")
        return
    if result.tier != "B":
        yield Finding(f"{where(path, ['tier'])}: scores lie beside it, so it is tier B")
    lists = beside(protocol, TRIALS)
    if protocol.name not in listed:
        yield Finding(f"{scores_path}: cannot be checked without {lists} that is right")
        return
    digest = sha256(unpacked(scores_path))
    if digest != result.scores:
        yield Finding(f"{where(path, ['scores'])}: the SHA-256 of {scores_path.name} is {digest}")
    own = listed[protocol.name]
    scores = read_scored(scores_path, own, repository.folder / lists)
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
            keys = ["conditions", condition, metric]
            if metric not in numbers:
                yield Finding(f"{where(path, keys)}: is not computed from scores")
            elif metric not in stated:
                yield Finding(f"{where(path, keys[:2])}: {metric} is missing")
            elif wrong := difference(stated[metric], numbers[metric]):
                said, computed = (getattr(one[metric], wrong) for one in (stated, numbers))
                told = f"is {said}, and {computed} from the scores"
                yield Finding(f"{where(path, [*keys, wrong])}: {told}")


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
                at = where(path, ["conditions", UNATTACKED, metric])
                yield Finding(f"{at}: {told}: another attacker, or other speech")
