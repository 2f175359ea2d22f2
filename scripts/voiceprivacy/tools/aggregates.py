"""What may leave the house of an organiser whose corpora nobody else sees: aggregates alone.

Conventions
-----------
* A number leaves if its group has enough speakers (ten, say). The group of a trial list are the
  speakers with target trials in it; that of a measure of utility are the speakers of its part.
* Numbers that a few speakers can decide alone never leave: worst cases, largest values, what is
  said of single speakers, classes of speakers (``of_few`` in the catalogue).
* Two groups that differ by fewer speakers than that never leave both: their numbers together would
  tell of these few. That holds for all that ever left, by the audit log.
* Numbers leave as they are shown on the page. The digits behind would tell of single utterances.
* The audit log and the list of what was withheld stay inside. The log holds ids of speakers. Each
  of its lines, JSON, has the digest of the line before, so that an edited one is noticed.

References
----------
Dwork, Differential privacy, ICALP 2006: why aggregates alone are no guarantee. What somebody's
anonymiser does to a few utterances on purpose can still show in the last digits.
"""

import fcntl
import getpass
import hashlib
import itertools
import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.files import BadInput, counted, read_bytes
from voiceprivacy.inout.tables import read_manifest, read_speakers, read_trials, write_table
from voiceprivacy.report.metrics import Number, read_metrics
from voiceprivacy.vocabulary import ABSENT, ORIGINAL

AGGREGATES = "aggregates.tsv"
WITHHELD = "withheld.tsv"
WITHHELD_COLUMNS = ["corpus", "trials", "metric", "numbers", "why"]
SMALLEST = 10  # speakers
FIRST = "0" * 64  # instead of the digest of a line before the first
OF_FEW = "a few speakers can decide it"


class Group(NamedTuple):
    """Whose speech numbers are about: a trial list, or the trial part of a corpus (``-``)."""

    corpus: str
    trials: str


class Withheld(NamedTuple):
    """Numbers of one metric that stay inside, and why."""

    corpus: str
    trials: str
    metric: str
    numbers: int
    why: str


class Release(NamedTuple):
    """What leaves, what stays, and the speakers of each group that leaves."""

    numbers: list[Number]
    withheld: list[Withheld]
    speakers: dict[Group, frozenset[str]]


def choose(results: Path, *, smallest: int = SMALLEST) -> Release:
    """Tell which numbers of a finished run may leave.

    Parameters
    ----------
    results : folder of the run
    smallest : speakers that a group has to have

    Raises
    ------
    BadInput : there are no metrics
    """
    numbers = read_metrics(results / "metrics.tsv")
    groups = {Group(number.corpus, number.trials) for number in numbers}
    speakers = {group: _speakers_of(results, group) for group in sorted(groups)}
    leaving: list[Number] = []
    counts: dict[tuple[Group, str, str], int] = {}
    for number in numbers:
        group = Group(number.corpus, number.trials)
        why = _why_not(number, len(speakers[group]), smallest)
        if why:
            key = (group, number.metric, why)
            counts[key] = counts.get(key, 0) + 1
        else:
            leaving.append(as_shown(number))
    withheld = [Withheld(*group, metric, n, why) for (group, metric, why), n in counts.items()]
    left = {Group(number.corpus, number.trials) for number in leaving}
    return Release(leaving, withheld, {group: speakers[group] for group in sorted(left)})


def as_shown(number: Number) -> Number:
    """A number and its limits with the digits of the page."""
    digits = METRICS[number.metric].digits

    def rounded(text: str) -> str:
        try:
            return f"{float(text):z.{digits}f}"
        except ValueError:  # undefined, or no interval
            return text

    return number._replace(
        value=rounded(number.value),
        ci_low=rounded(number.ci_low),
        ci_high=rounded(number.ci_high),
    )


def _why_not(number: Number, n_speakers: int, smallest: int) -> str:
    """Why a number stays inside; empty if it may leave."""
    row = METRICS.get(number.metric)
    if row is None:
        return "the catalogue does not know it"
    if row.of_few:
        return OF_FEW
    if n_speakers == 0:
        return "whose speech it is of is not known"
    if n_speakers < smallest:
        return f"a group of fewer than {counted(smallest, 'speaker')}"
    return ""


def _speakers_of(results: Path, group: Group) -> frozenset[str]:
    """The speakers whose protection a group's numbers measure; none where that is not known."""
    if group.trials == ABSENT:
        manifest = results / "audio" / group.corpus / "trial" / ORIGINAL / "manifest.tsv"
        if not manifest.is_file():
            return frozenset()
        return frozenset(utterance.speaker for utterance in read_manifest(manifest))
    path = results / "trials" / group.corpus / f"{group.trials}.tsv"
    if not path.is_file():
        return frozenset()
    speaker_of = read_speakers(path.with_name(f"{group.trials}.speakers.tsv"))
    targets = [trial for trial in read_trials(path) if trial.label == "target"]
    return frozenset(speaker_of[trial.trial] for trial in targets)


# The audit log.


def let_out(release: Release, output: Path, audit: Path, *, smallest: int, results: Path) -> None:
    """Write down what leaves, then write it: ``aggregates.tsv`` in a folder, the rest inside.

    Parameters
    ----------
    output : folder for what leaves
    audit : log of all releases, which stays inside; it is made if there is none
    smallest : speakers by which two groups have to differ, if they differ
    results : folder of the run, where the list of what is withheld stays

    Raises
    ------
    BadInput : nothing may leave; the log was changed; groups differ by too few speakers
    """
    if not release.numbers:
        raise BadInput(f"{results}: nothing may leave: see {results / WITHHELD}")
    # The log is locked from its reading to its writing: two releases at once see each other.
    audit.parent.mkdir(parents=True, exist_ok=True)
    with open(audit, "a+", encoding="utf-8") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        earlier = _read_log(log, audit)
        _refuse_small_differences(release.speakers, earlier, smallest=smallest)
        output.mkdir(parents=True, exist_ok=True)
        write_table(output / AGGREGATES, Number._fields, release.numbers)
        content = (output / AGGREGATES).read_bytes()
        try:
            _append(log, _line_of(release, content, smallest=smallest, results=results))
        except OSError:
            (output / AGGREGATES).unlink()  # what is not in the log does not leave
            raise


def _line_of(release: Release, content: bytes, *, smallest: int, results: Path) -> dict[str, Any]:
    """What the log says of a release."""
    provenance = results / "provenance.json"
    groups = [
        {"corpus": group.corpus, "trials": group.trials, "speakers": sorted(speakers)}
        for group, speakers in release.speakers.items()
    ]
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "user": getpass.getuser(),
        "anonymisers": sorted({number.anonymiser for number in release.numbers}),
        "numbers": len(release.numbers),
        "withheld": sum(withheld.numbers for withheld in release.withheld),
        "smallest": smallest,
        "sha256": hashlib.sha256(content).hexdigest(),
        "provenance": hashlib.sha256(read_bytes(provenance)).hexdigest(),
        "groups": groups,
    }


def _append(log: IO[str], line: dict[str, Any]) -> None:
    """Add a line to an open log, with the digest of the line before, and see it on the disk."""
    log.seek(0)
    lines = log.read().splitlines()
    line["before"] = _digest(lines[-1]) if lines else FIRST
    log.write(json.dumps(line, sort_keys=True) + "\n")
    log.flush()
    os.fsync(log.fileno())


def _read_log(log: IO[str], path: Path) -> list[dict[Group, frozenset[str]]]:
    """The groups of all releases that a log has."""
    log.seek(0)
    before = FIRST
    releases: list[dict[Group, frozenset[str]]] = []
    for number, text in enumerate(log.read().splitlines(), start=1):
        try:
            line = json.loads(text)
            groups = {
                Group(group["corpus"], group["trials"]): frozenset(group["speakers"])
                for group in line["groups"]
            }
        except (ValueError, TypeError, KeyError, RecursionError):
            raise BadInput(f"{path}:{number}: not a line of the audit log") from None
        if line.get("before") != before:
            raise BadInput(
                f"{path}:{number}: the line before it was changed or is missing; "
                "take the log from a backup"
            )
        before = _digest(text)
        releases.append(groups)
    return releases


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()


def _refuse_small_differences(
    speakers: dict[Group, frozenset[str]],
    earlier: Iterable[dict[Group, frozenset[str]]],
    *,
    smallest: int,
) -> None:
    """Refuse two groups of a corpus that differ by a few speakers, in either direction.

    Lists are compared with lists, and parts with parts: others have no number in common.
    """
    for release in (*earlier, speakers):
        for first, second in itertools.product(speakers, release):
            same_numbers = (first.trials == ABSENT) == (second.trials == ABSENT)
            if first.corpus != second.corpus or not same_numbers:
                continue
            now, then = speakers[first], release[second]
            n_few = min((len(few) for few in (now - then, then - now) if few), default=smallest)
            if n_few < smallest:
                raise BadInput(
                    f"{first.corpus} {first.trials} and {second.corpus} {second.trials} differ by "
                    f"{counted(n_few, 'speaker')}: the numbers of both would tell of fewer than "
                    f"{smallest}; only one of them may leave"
                )
