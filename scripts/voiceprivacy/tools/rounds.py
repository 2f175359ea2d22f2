"""The rounds of an evening: what each finished state of a run has found, kept beside its results.

Conventions
-----------
* A state that no round before it has is a new round, counted from 1. ``history.tsv`` has a line for
  each of its systems, and ``history/N.npz`` what a paired comparison of rounds needs
  (privacy/changes.py): numbers for each person, without ids.
* Both lie below the results, are no output of a rule and not in provenance.json.
"""

import contextlib
import datetime
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.inputs import guarding_inputs
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.typed_tables import read_typed, write_typed
from voiceprivacy.plan.earlier import is_whole
from voiceprivacy.privacy.changes import Kept
from voiceprivacy.provenance.record import PROVENANCE, edits, read_provenance
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.verdict import FILE, facts_of, judged_of
from voiceprivacy.vocabulary import ABSENT, PREVIOUS

TABLE, FOLDER = "history.tsv", "history"
DIGITS = 12  # of a SHA-256
CODE = ("version", "git_commit", "git_state", "packages", "sha256")
FIELDS = ("percent", "without_each", "speakers")


class RoundOfSystem(NamedTuple):
    """What a round has found of a system.

    ``config`` and ``code`` are the beginnings of SHA-256, the latter of versions and of people's
    files. ``evidence_percent`` has 95 % limits. ``utility`` is the measure by which one chooses,
    and its ``value``. ``changed`` says what was edited since the state before.
    """

    round: int
    time: str
    config: str
    code: str
    corpus: str
    system: str
    state: str
    evidence_percent: float | None
    ci_low: float | None
    ci_high: float | None
    utility: str
    value: str
    changed: str


WHEN = ("round", "time", "changed")  # fields that do not make a state another one


def keep_round(results: Path, *, now: datetime.datetime) -> list[RoundOfSystem]:
    """Keep the state of a finished run if it is a new one: all rounds, or none without a new one.

    Of a run that is not whole, nothing is kept.
    """
    if not is_whole(results):
        return []
    with guarding_inputs():  # of its own: the table is read to be carried on
        rounds = read_rounds(results) if (results / TABLE).exists() else []
    number = rounds[-1].round + 1 if rounds else 1
    state = [*_state(results, number, now)]
    before = [line for line in rounds if line.round == number - 1]
    if not state or [*map(_without_time, state)] == [*map(_without_time, before)]:
        return []
    _write_kept(_file(results, number), read_json(results / "evidence.json"))
    write_typed(results / TABLE, RoundOfSystem, [*rounds, *state])
    return [*rounds, *state]


def read_rounds(results: Path) -> list[RoundOfSystem]:
    """All rounds of a folder of results, the first one first.

    Raises
    ------
    BadInput : there are none, or the table is none
    """
    if not (results / TABLE).exists():
        raise BadInput(f"{results / TABLE}: not found: a run writes it when it has finished")
    return read_typed(RoundOfSystem, results / TABLE)


def read_kept(results: Path, number: int) -> Kept:
    """What was kept of a round for comparisons: see privacy/changes.py."""
    kept: dict[str, dict[str, dict[str, Any]]] = {}
    for name, array in read_npz(_file(results, number), []).items():
        field, *trial_list, system = name.split("/")
        own = kept.setdefault("/".join(trial_list), {}).setdefault(system, {})
        own[field] = array.tolist()
    return kept


def _file(results: Path, number: int) -> Path:
    return results / FOLDER / f"{number}.npz"


def _write_kept(path: Path, kept: Kept) -> None:
    arrays = {}
    for trial_list, systems in kept.items():
        for system, own in systems.items():
            for field in FIELDS:
                arrays[f"{field}/{trial_list}/{system}"] = np.asarray(own[field])
    write_npz(path, arrays, compressed=True)


def _without_time(line: RoundOfSystem) -> dict[str, Any]:
    fields = line._asdict()
    return {name: fields[name] for name in fields if name not in WHEN}


def _state(results: Path, number: int, now: datetime.datetime) -> Iterable[RoundOfSystem]:
    """What a finished run has found, but for controls."""
    numbers = read_metrics(results / "metrics.tsv")
    provenance = read_provenance(results / PROVENANCE)
    changed = _changed(results, provenance)
    when = now.isoformat(timespec="seconds")
    digests = _digest(provenance["config"]), _digest([provenance.get(name) for name in CODE])
    with facts_of(results / FILE) as sets:
        for corpus, facts in sets.items():
            judged = judged_of(corpus, facts, numbers)
            measure = judged.utility.key if judged.utility else ABSENT
            for row in judged.rows:
                if row.system not in facts["systems"] or row.system in facts["controls"]:
                    continue
                evidence = facts["systems"][row.system]["evidence_percent"] or (None, None, None)
                value = row.utility.text if row.utility else ABSENT
                front = (number, when, *digests, corpus, row.system, row.state)
                yield RoundOfSystem._make([*front, *evidence, measure, value, changed])


def _changed(results: Path, provenance: Mapping[str, Any]) -> str:
    """What was edited since the state before, as text of one line."""
    with contextlib.suppress(BadInput):
        config, code = edits(read_provenance(results / PREVIOUS / PROVENANCE), dict(provenance))
        return "; ".join([*config, *code]) or ABSENT
    return ABSENT


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode())[:DIGITS]
