"""A statement on a finished run: what was evaluated, what attackers find at most, what ends it.

Conventions
-----------
* Facts are codes and numbers. All but ``declared`` follow from scores, config and provenance.json,
  so that ``differences`` can name what a statement has otherwise.
* Evidence is in percent. ``at_most`` has the largest upper limit over the lists of a set; it is
  null where a list was not measured.
* SHA-256 of values are of their JSON with sorted keys. Those of several files are of sorted lines
  ``SHA-256  PATH``, as ``sha256sum ... | sort | sha256sum`` gives them in the results.
* No fact holds a seed, a path of the machine, or an id.
"""

import contextlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

from voiceprivacy.inout.checksums import sha256, sha256_of
from voiceprivacy.inout.files import SCRIPTS, BadInput, whole_or_absent
from voiceprivacy.inout.foreign import mapping, not_ours
from voiceprivacy.inout.json_files import read_json, read_strict, write_json
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.organise.evidence import SAME, digest
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.plan.verdict import verdict_plan
from voiceprivacy.privacy.verdict.evidence import Evidence, right_of
from voiceprivacy.privacy.verdict.run_scores import Judged, judge
from voiceprivacy.privacy.verdict.verdict import MEASURES, ONE, OPEN
from voiceprivacy.provenance.record import PROVENANCE
from voiceprivacy.report import verdict_words
from voiceprivacy.report.mailed import SEEDS
from voiceprivacy.vocabulary import GIVEN, ORIGINAL, SOURCES, attacker_name, draws_of, is_made_up

FORMAT = 1
FEWEST_PERSONS = 40
FILE, PAGE = "statement.json", "statement.html"
TEMPLATES = SCRIPTS.parent / "workflow" / "report"
# Rules that attack, whose jobs are the effort of the attackers.
ATTACKING = ("extract_", "score_system", "train_")
CODE = ("version", "git_commit", "git_state", "python", "packages", "revisions")
SHOWN = ("created", "version", "git_commit", "git_state")
OF_VERDICT = ("state", "by", "reasons")


def statement_of(results: Path, earlier: int | None = None) -> dict[str, Any]:
    """The facts of a statement on a finished run.

    Parameters
    ----------
    earlier : how many releases of the same persons there were before; None where nobody says it

    Raises
    ------
    BadInput : fewer than 40 persons were judged
    """
    run = FinishedRun(results.absolute())
    with contextlib.chdir(run.folder.parent), not_ours(results):  # where its paths begin
        judged = judge(verdict_plan(run.plan), run.folder / "scores")
        sets = {corpus: _set(run, corpus, own) for corpus, own in judged}
    if not sets:
        raise BadInput(f"{results}: no trial list was attacked, so there is nothing to state")
    for corpus, facts in sets.items():
        _refuse_few(results, corpus, facts)
    provenance = run.provenance
    jobs = provenance.get("jobs", {}).items()
    return {
        "format": FORMAT,
        **{field: provenance.get(field) for field in SHOWN},
        "declared": {"earlier_releases": earlier},
        "thresholds": run.config["verdict"],
        "attack_wall_s": sum(cost["wall_s"] for rule, cost in jobs if rule.startswith(ATTACKING)),
        "versions": _versions(run),
        "sets": sets,
        "expires": list(verdict_words.EXPIRES),
        "sha256": {
            "config": _sha256_of(_without_seeds(run.config)),
            "code": _sha256_of({field: provenance.get(field) for field in CODE}),
            "inputs": _sha256_of(provenance["sha256"]),
            "scores": _sha256_below(run, "scores/"),
            "provenance": sha256_of(run.folder / PROVENANCE),
        },
    }


def _set(run: FinishedRun, corpus: str, judged: Judged) -> dict[str, Any]:
    facts, attacks = judged.facts, {}
    for attack in facts["attacks"]:
        attacks.setdefault(attack["attacker"], []).append(attack["condition"])
    on_original = judged.evidence.get(ORIGINAL, {}).items()
    lowest = [one.low() for (measure, _), one in on_original if measure == ONE]
    return {
        "made_up": is_made_up(run.config.get("corpora", {}).get(corpus, {})),
        "attacks": attacks,
        "unprotected_at_least": min(lowest, default=None),
        "systems": {
            name: _system(run, corpus, name, judged)
            for name in facts["systems"]
            if name not in facts["controls"]
        },
        "controls": {name: facts["systems"][name]["state"] == OPEN for name in facts["controls"]},
        "not_tried": facts["not_tried"],
    }


def _system(run: FinishedRun, corpus: str, name: str, judged: Judged) -> dict[str, Any]:
    recordings, speakers = _tried(judged, name)
    evidence = judged.evidence[name]
    persons = set().union(*(one.persons for one in evidence.values()))
    at_most = _at_most(evidence, judged.scores.scores)
    manifest = run.folder / "audio" / corpus / "trial" / name / "manifest.tsv"
    facts = judged.facts["systems"][name]
    return {
        **{field: facts[field] for field in OF_VERDICT},
        "recordings": len(recordings),
        "recordings_protected": len(read_manifest(manifest)) if manifest.exists() else None,
        "persons": len(persons),
        "persons_tried": len(speakers),
        "persons_learnt_from": judged.learnt.get(name, 0),
        "at_most_percent": at_most,
        "right_of_20_at_most_percent": at_most[ONE] and right_of(at_most[ONE]),
        "sha256": _sha256_below(
            run, f"audio/{corpus}/trial/{name}/", f"{SOURCES}anonymisers/{name}.sha256"
        ),
    }


def _tried(judged: Judged, system: str) -> tuple[set[str], set[str]]:
    """The recordings of a system that were attacked, and their speakers."""
    recordings, speakers = set(), set()
    for name in judged.scores.scores:
        own = {trial for _, trial in judged.scores.scored(name, system).trials}
        for pair in judged.scores.scored(name, system, linkage=True).trials:
            own.update(pair)
        speaker_of = judged.scores.speakers(name)
        speakers |= {speaker_of[trial] for trial in own}
        recordings |= own
    return recordings, speakers


def _at_most(evidence: Mapping[tuple[str, str], Evidence], lists: Iterable[str]) -> dict[str, Any]:
    """{measure: largest upper limit over the lists; None where one of them was not measured}."""
    largest: dict[str, float | None] = {}
    for measure in MEASURES:
        of_lists = [evidence.get((measure, name)) for name in lists]
        limits = [one.high() for one in of_lists if one]
        largest[measure] = max(limits) if len(limits) == len(of_lists) else None
    return largest


def _refuse_few(results: Path, corpus: str, facts: Mapping[str, Any]) -> None:
    measured = [own["persons"] for own in facts["systems"].values() if own["persons"]]
    if (fewest := min(measured, default=0)) < FEWEST_PERSONS:
        raise BadInput(
            f"{results}: {fewest} persons of {corpus} were judged; a statement takes at least"
            f" {FEWEST_PERSONS}: evaluate more persons, with enough recordings of each"
            " (docs/guide/how_many.md)"
        )


def refuse_other_verdict(results: Path, facts: Mapping[str, Any]) -> None:
    """Refuse (BadInput) a run whose verdict.json is not what its scores give."""
    path = results / "verdict.json"
    with not_ours(path):
        shown = _answers(read_json(path)["sets"])
    for name, value, now in differences(shown, _answers(facts["sets"])):
        raise BadInput(
            f"{path}: {name}: {value}, but {now} by the scores: make it again with this version"
            " (voiceprivacy run)"
        )


def _answers(sets: Mapping[str, Any]) -> dict[str, Any]:
    """What verdict.json and a statement have alike."""
    answers = {}
    for corpus, facts in sets.items():
        answers[corpus] = {"not_tried": facts["not_tried"]}
        for name, own in facts["systems"].items():
            if name not in facts["controls"]:
                answers[corpus][name] = {field: own[field] for field in OF_VERDICT}
    return answers


def _versions(run: FinishedRun) -> dict[str, int]:
    """How often a run has protected the same persons, where it is more than once."""
    speech = run.plan.speech
    counts = {}
    for name, draws in draws_of(speech.anonymisers).items():
        counts[name] = len(draws) + len({*draws} & {*speech.repeated})
    return {name: count for name, count in counts.items() if count > 1}


# SHA-256.


def _sha256_of(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode())


def _without_seeds(value: Any) -> Any:
    """A config without its seeds, which are small enough to be tried out."""
    if isinstance(value, dict):
        return {
            key: _without_seeds(inner) for key, inner in value.items() if not SEEDS.fullmatch(key)
        }
    return value


def _sha256_below(run: FinishedRun, *beginnings: str) -> str | None:
    """SHA-256 over the run's files and sources whose paths begin so; None where there are none."""
    listed = {**run.provenance["outputs"], **run.provenance["sha256"]}
    lines = [f"{one}  {path}" for path, one in listed.items() if path.startswith(beginnings)]
    return digest(lines) if lines else None


# Comparison.

Difference = tuple[str, Any, Any]  # a fact, as a statement has it, and as it is
MISSING = "missing"


def differences(stated: Any, now: Any, name: str = "") -> Iterator[Difference]:
    """Facts that are not the same: numbers to 1e-9, members of lists in any order."""
    if isinstance(stated, list) and isinstance(now, list):
        stated, now = dict.fromkeys(stated, True), dict.fromkeys(now, True)
    if isinstance(stated, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*now, *stated]):
            inner = stated.get(key, MISSING), now.get(key, MISSING)
            yield from differences(*inner, f"{name}.{key}".strip("."))
    elif stated != now and not _are_close(stated, now):
        yield name, stated, now


def _are_close(*values: Any) -> bool:
    are_numbers = all(isinstance(value, int | float) for value in values)
    return are_numbers and math.isclose(*values, rel_tol=SAME, abs_tol=SAME)


def untrue(statement: Path, results: Path) -> Iterator[str]:
    """What a statement says otherwise than the results do, a line a fact.

    Raises
    ------
    BadInput : it is none of this version, or the results allow none
    """
    stated = mapping(read_strict(statement), str(statement))
    if stated.get("format") != FORMAT:
        raise BadInput(f"{statement}: format: not a statement of this version")
    earlier = mapping(stated.get("declared"), f"{statement}: declared").get("earlier_releases")
    if not (earlier is None or isinstance(earlier, int)):
        raise BadInput(f"{statement}: declared.earlier_releases: '{earlier}' is no number")
    for name, value, now in differences(stated, statement_of(results, earlier)):
        yield f"{statement}: {name}: {value} in the statement, {now} by {results}"


# The page.


def write_statement(facts: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the facts, and two pages for printing that say them; their paths."""
    paths = [folder / FILE, folder / PAGE]
    write_json(paths[0], facts)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        **BLOCKS,
    )
    page = environment.get_template("statement.html.j2").render(
        facts=facts,
        own_sha256=sha256_of(paths[0]),
        words=verdict_words,
        attacker_name=attacker_name,
        given=f"/{GIVEN}",
        up=_up,
    )
    with whole_or_absent(paths[1]) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return paths


BLOCKS = {"trim_blocks": True, "lstrip_blocks": True}


def _up(percent: float | None) -> str:
    """An upper limit with one digit, never less than it is."""
    return "not measured" if percent is None else f"{math.ceil(10 * percent) / 10:.1f} %"
