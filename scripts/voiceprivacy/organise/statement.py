"""A statement on a finished run: what was evaluated, what attackers find at most, what ends it.

Conventions
-----------
* Facts are codes and numbers. All but ``declared`` follow from scores, config and provenance.json,
  so that ``untrue`` can name what a statement has otherwise.
* Evidence is in percent. ``at_most`` has the largest upper limit over the lists of a set; it is
  null where a list was not measured.
* SHA-256 of values are of their JSON with sorted keys. Those of several files are of sorted lines
  ``SHA-256  PATH``, as ``sha256sum ... | sort | sha256sum`` gives them in the results.
* No fact holds a seed, a path of the machine, or an id.
"""

import contextlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

from voiceprivacy import corpus_kinds
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.checksums import sha256, sha256_of
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.inout.json_files import read_json, read_strict, write_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.organise.recomputed import SAME, digest
from voiceprivacy.plan.verdict import verdict_plan
from voiceprivacy.privacy.verdict.run_scores import Judged, judge
from voiceprivacy.privacy.verdict.verdict import MEASURES, OPEN
from voiceprivacy.provenance.record import PROVENANCE
from voiceprivacy.report import verdict_words
from voiceprivacy.report.typeset import write_text
from voiceprivacy.vocabulary import GIVEN, SCRIPTS, SOURCES, attacker_name

FORMAT = 1
FEWEST_PERSONS = 40
TEMPLATE = SCRIPTS.parent / "workflow" / "report" / "statement.html.j2"
ATTACKING = ("extract_", "score_system", "train_")  # beginnings of rules
SHOWN = ("created", "version", "git_commit", "git_state")
CODE = ("version", "git_commit", "git_state", "python", "packages", "revisions")
SEED = re.compile(r'"(\w*_)?seeds?": [^,}]*')
MISSING = "missing"


def statement_of(results: Path, earlier: int | None = None) -> dict[str, Any]:
    """The facts of a statement on a finished run.

    Parameters
    ----------
    earlier : how many releases of the same persons there were before; None if not declared

    Raises
    ------
    BadInput : fewer than 40 persons were evaluated, or verdict.json is not what the scores give
    """
    run = FinishedRun(results.absolute())
    sets, persons = {}, []
    with contextlib.chdir(run.folder.parent), not_ours(results):  # where its paths begin
        verdict = read_json(run.file("verdict.json"))["sets"]
        for corpus, judged in judge(verdict_plan(run.plan), run.folder / "scores"):
            for name, known in verdict[corpus]["systems"].items():
                if known["state"] != judged.facts["systems"][name]["state"]:
                    raise BadInput(
                        f"{results}/verdict.json: {name} is judged otherwise by its scores: make it"
                        " again with this version (voiceprivacy run)"
                    )
            sets[corpus] = _set(run, corpus, judged)
            persons += [own["persons"] for own in sets[corpus]["systems"].values()]
        if (fewest := min(filter(None, persons), default=0)) < FEWEST_PERSONS:
            raise BadInput(
                f"{results}: {counted(fewest, 'person was', 'persons were')} evaluated, and a"
                f" statement takes {FEWEST_PERSONS}: evaluate more persons, or more recordings of"
                " each (docs/guide/how_many.md)"
            )
        record = run.provenance
        jobs = record["jobs"].items()
        return {
            "format": FORMAT,
            **{field: record[field] for field in SHOWN},
            **({"by": who} if (who := run.config["report"].get("by")) else {}),
            "declared": {"earlier_releases": earlier},
            "thresholds": run.config["verdict"],
            "attack_wall_s": sum(job["wall_s"] for rule, job in jobs if rule.startswith(ATTACKING)),
            "versions": run.plan.speech.protected,
            "sets": sets,
            "expires": [*verdict_words.EXPIRES],
            "sha256": {
                "config": _sha256_of(run.config),
                "code": _sha256_of({field: record[field] for field in CODE}),
                "inputs": _sha256_of(record["sha256"]),
                "lists": _sha256_below(run, "trials/"),
                "scores": _sha256_below(run, "scores/"),
                "provenance": sha256_of(run.folder / PROVENANCE),
            },
        }


def _set(run: FinishedRun, corpus: str, judged: Judged) -> dict[str, Any]:
    facts = judged.facts
    controls = facts["controls"]
    systems = [name for name in facts["systems"] if name not in controls]
    said = {name: {"state": one["state"]} for name, one in facts["of_text"].items()}
    return {
        "made_up": corpus_kinds.is_made_up(run.config["corpora"].get(corpus, {})),
        "attacks": ["{attacker} {condition}".format(**attack) for attack in facts["attacks"]],
        "unprotected_at_least": facts["unprotected_at_least_percent"],
        "systems": {name: _system(run, corpus, name, judged) for name in systems},
        "controls": {name: facts["systems"][name]["state"] == OPEN for name in controls},
        "leaks": facts["leaks"] and facts["leaks"] | {"tried": _tried(facts["leaks"]["tried"])},
        "not_tried": facts["not_tried"],
        # Scores that were made elsewhere may have chosen the lists.
        "lists_fixed_before_scoring": not any(
            attack["attacker"].endswith(f"/{GIVEN}") for attack in facts["attacks"]
        ),
        **({"of_text": said} if said else {}),
    }


def _tried(leaks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Leaks without the evidence, which says no more than whether they were found."""
    return [{field: leak[field] for field in ("leak", "recordings", "found")} for leak in leaks]


def _system(run: FinishedRun, corpus: str, name: str, judged: Judged) -> dict[str, Any]:
    evidence, facts = judged.evidence[name], judged.facts["systems"][name]
    tried: dict[str, str] = {}  # {recording: speaker}
    for trials in judged.scores.scores:
        speaker_of = judged.scores.speakers(trials)
        tried |= {one: speaker_of[one] for _, one in judged.scores.scored(trials, name).trials}
    persons: set[str] = set()
    limits: dict[str, Any] = {measure: [] for measure in MEASURES}
    for (measure, _), one in evidence.items():
        persons.update(one.persons)
        limits[measure].append(one.high())
    n_lists = len(judged.scores.scores)
    at_most: dict[str, Any] = {
        measure: max(own) if len(own) == n_lists else None for measure, own in limits.items()
    }
    right = [own.percent()[2] for own in judged.recognised[name].values()]
    speech = f"audio/{corpus}/trial/{name}/"
    manifest = run.folder / speech / "manifest.tsv"
    return {
        **{field: facts[field] for field in ("state", "by", "reasons")},
        "recordings_protected": len(read_manifest(manifest)) if manifest.exists() else None,
        "recordings": len(tried),
        "persons_tried": len({*tried.values()}),
        "persons": len(persons),
        "persons_learnt_from": judged.learnt.get(name, 0),
        "right_of_20_at_most_percent": max(right) if len(right) == n_lists else None,
        "at_most_percent": at_most,
        "sha256": _sha256_below(run, speech, f"{SOURCES}anonymisers/{name}.sha256"),
    }


# SHA-256.


def _sha256_of(values: Mapping[str, Any]) -> str:
    """SHA-256 of values without seeds, which are small enough to be tried out."""
    return sha256(SEED.sub("", json.dumps(values, sort_keys=True)).encode())


def _sha256_below(run: FinishedRun, *beginnings: str) -> str | None:
    """SHA-256 over the run's files and sources whose paths begin so; None where there are none."""
    listed = {**run.provenance["outputs"], **run.provenance["sha256"]}
    lines = [f"{one}  {path}" for path, one in listed.items() if path.startswith(beginnings)]
    return digest(lines) if lines else None


# Whether a statement is true.


def _said(member: Any) -> str:
    return member if isinstance(member, str) else json.dumps(member, sort_keys=True)


def differences(stated: Any, now: Any, name: str = "") -> Iterator[str]:
    """Facts that are not the same, a line a fact: numbers to 1e-9, lists in any order."""
    if isinstance(stated, list) and isinstance(now, list):
        stated, now = (dict.fromkeys(map(_said, own), "there") for own in (stated, now))
    if isinstance(stated, dict) and isinstance(now, dict):
        for key in {**now, **stated}:
            inner = stated.get(key, MISSING), now.get(key, MISSING)
            yield from differences(*inner, f"{name}.{key}".strip("."))
    elif stated != now and not (
        {type(stated), type(now)} <= {int, float}
        and math.isclose(stated, now, rel_tol=SAME, abs_tol=SAME)
    ):
        yield f"{name}: {stated} in the statement, {now} by the results"


def untrue(statement: Path, results: Path) -> Iterator[str]:
    """What a statement says otherwise than the results do, a line a fact.

    Raises
    ------
    BadInput : it is no statement, or the results allow none
    """
    stated = read_strict(statement)
    with not_ours(statement):
        earlier = stated["declared"]["earlier_releases"]
    for line in differences(stated, statement_of(results, earlier)):
        yield f"{statement}: {line}"


def _answer(facts: Mapping[str, Any]) -> str:
    """The answer for the whole: the worst one of each system in any set."""
    sets = [own["systems"].items() for own in facts["sets"].values()]
    states = [{name: own["state"] for name, own in systems} for systems in sets]
    return verdict_words.answer(verdict_words.worst_states(states))


def _attackers(attacks: Iterable[str]) -> list[str]:
    """Who attacks, each once: attacks are ``ATTACKER CONDITION``."""
    return list(dict.fromkeys(attack.rpartition(" ")[0] for attack in attacks))


def write_statement(facts: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the facts, and two pages for printing that say them; their paths."""
    paths = [folder / "statement.json", folder / "statement.html"]
    write_json(paths[0], facts)
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        facts=facts,
        answer=_answer(facts),
        own_sha256=sha256_of(paths[0]),
        words=verdict_words,
        attacker_name=attacker_name,
        attackers_of=_attackers,
    )
    write_text(paths[1], page)
    return paths
