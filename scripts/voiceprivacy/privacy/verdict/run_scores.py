"""Scores of a run, which lie in a file for each attack and condition, and how they are judged.

Files of one list and system are read at a time: a run of twenty systems has a thousand.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.enrolments import read_enrolments, read_speakers
from voiceprivacy.inout.ids import hashed_speaker, namer_of_sessions
from voiceprivacy.inout.json_files import of_type, read_json
from voiceprivacy.inout.scored_trials import Pair, read_scored_trials
from voiceprivacy.inout.tables import FINDINGS, read_table
from voiceprivacy.plan.rows import ListOfVerdict, PlanOfVerdict
from voiceprivacy.privacy.verdict.planted_files import control_of
from voiceprivacy.privacy.verdict.score_table import Attack, NameSessions, ScoreTable
from voiceprivacy.privacy.verdict.verdict import Known, Thresholds, verdict_of
from voiceprivacy.vocabulary import GIVEN, LEFT_UNPROTECTED, NARROW_BAND, ORIGINAL, SPEAKERS_LEARNT


class _Speakers(dict[str, str]):
    """{id: speaker} as files say it together; BadInput for an id that is in none.

    Scores that were made elsewhere may come with a file of their own, which may call persons
    otherwise: what counts is who is with whom. Of a person with two names targets would be
    nontargets, and no evidence would be found.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__()
        self.paths = list(paths)
        for path in self.paths:
            self._join(path, read_speakers(path))

    def _join(self, path, own):
        """Take over what a file says, under the names of the files before it."""
        called: dict[str, str] = {}
        for name, speaker in own.items():
            if name in self and called.setdefault(speaker, self[name]) != self[name]:
                persons = f"'{called[speaker]}' and '{self[name]}'"
                raise BadInput(f"{path}: '{name}' is of '{speaker}', who is {persons} elsewhere")
        persons = Counter(called.values())
        for speaker, known in called.items():
            if persons[known] > 1:
                raise BadInput(f"{path}: '{speaker}' and another one are '{known}' elsewhere")
        for name, speaker in own.items():
            self.setdefault(name, called.get(speaker, speaker))

    def __missing__(self, name: str) -> str:
        raise BadInput(f"{', '.join(self.paths)}: no speaker of '{name}', which has scores")


class Learnt(TypedDict):
    """What a file says of an attacker who learnt."""

    n_training_speakers: int


class RunScores(ScoreTable):
    """Scores of one set of a run. ``scores`` is {CORPUS/TRIALS: {system: {attack: path}}}.

    Parameters
    ----------
    folder : path of results/scores
    corpus : str
    lists : mapping
        {list: {"speakers": paths, "attackers": {"extractor/backend": {system: conditions}}}}, and
        what else ``ListOfVerdict`` has
    """

    def __init__(self, folder: Path, corpus: str, lists: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__({})
        self.folder = folder
        self.lists = {f"{corpus}/{trials}": options for trials, options in lists.items()}
        for name, options in self.lists.items():
            attacks = self.scores[name] = {}
            for attacker, systems in options["attackers"].items():
                for system, conditions in systems.items():
                    own = attacks.setdefault(system, {})
                    for condition in conditions:
                        own[attacker, condition] = (
                            folder / name / system / attacker / f"{condition}.tsv"
                        )

    def speakers(self, name: str) -> dict[str, str]:
        """{id: speaker} of a list."""
        return _Speakers(self.lists[name]["speakers"])

    def enrolled(self, name: str) -> dict[str, list[str]]:
        """{enrolment: its recordings} of a list."""
        enrolled: dict[str, list[str]] = {}
        for path in self.lists[name]["enrolments"]:
            enrolled |= read_enrolments(path)
        return enrolled

    def sessions_named(self, name: str) -> NameSessions | None:
        """The function that names sessions of a list, by a pattern of the config or of a corpus."""
        return namer_of_sessions(self.lists[name].get("recording"))

    def of_attack(self, scores: Path) -> dict[Pair, float]:
        """The scores of a file."""
        return read_scored_trials(scores).by_names()

    def unprotected(self, name: str, system: str, attack: Attack) -> dict[Pair, float] | None:
        """What trials would score unprotected; unknown of scores that were made elsewhere."""
        attacker, condition = attack
        if attacker.endswith(f"/{GIVEN}"):
            return None
        whose = ORIGINAL if condition == "op" else system
        file = f"{LEFT_UNPROTECTED[condition]}.tsv"
        return self.of_attack(self.folder / name / whose / attacker / file)


class Judged(NamedTuple):
    """One set of a run.

    ``facts`` are those of verdict.json, ``evidence`` is {system: {(measure, list): Evidence}},
    ``recognised`` {system: {list: Recognised}}, and
    ``learnt`` {system: from how many persons an attacker of its speech learnt}.
    """

    scores: RunScores
    facts: dict[str, Any]
    evidence: dict[str, Any]
    recognised: dict[str, Any]
    learnt: dict[str, int]


def judge(plan: PlanOfVerdict, folder: Path) -> Iterator[tuple[str, Judged]]:
    """Judge the sets of a run by its scores: (name, what was judged), one after another.

    Parameters
    ----------
    plan : beside its attackers a list has those ``of_text``
    folder : path of results/scores
    """
    thresholds = of_type(plan["thresholds"], Thresholds, "thresholds")
    for corpus, options in plan["sets"].items():
        lists, known_by = without_acquainted(options["lists"], options["ready"])
        scores = RunScores(folder, corpus, lists)
        learnt = {name: n_learnt(files) for name, files in options["learnt"].items()}
        planted = {
            name: control_of(attackers, thresholds)
            for name, attackers in options.get("learnt_attackers", {}).items()
        }
        is_narrow = any(map(_is_narrow, options["checks"]))
        evidence: dict[str, Any] = {}
        recognised: dict[str, Any] = {}
        facts = verdict_of(
            scores,
            thresholds=thresholds,
            known=Known(
                learnt,
                options["controls"],
                options["shows_names"],
                options["leaks"],
                options["releases"],
                options["only_wide_band"] if is_narrow else (),
                planted,
                [f"{corpus}/{name}" for name in options["mixed"]],
            ),
            evidence=evidence,
            recognised=recognised,
        )
        facts["of_text"] = _of_text(folder, corpus, lists, thresholds)
        facts["not_tried"] += options["not_tried"]
        facts["warnings"] += options["warnings"]
        facts["warnings"] += [
            {"code": "acquainted", "attack": attacker, "persons": n_persons}
            for attacker, n_persons in known_by.items()
        ]
        facts["warnings"] += [{"code": NARROW_BAND}] if is_narrow else []
        yield corpus, Judged(scores, facts, evidence, recognised, learnt)


def without_acquainted(
    lists: Mapping[str, ListOfVerdict], ready: Mapping[str, str]
) -> tuple[dict[str, ListOfVerdict], dict[str, int]]:
    """Lists without attackers whose ready-made back-end learnt from somebody who speaks in them.

    Returned besides: how many persons of a list, at most, each of these attackers knows.
    """
    if not ready:
        return dict(lists), {}
    taught_by = {attacker: _speakers_learnt_from(file) for attacker, file in ready.items()}
    remaining: dict[str, ListOfVerdict] = {}
    known_by: dict[str, int] = {}
    for trials, options in lists.items():
        names = chain.from_iterable(map(read_speakers, options["speakers"]))
        persons = {*map(hashed_speaker, names)}
        for attacker, taught in taught_by.items():
            if attacker in options["attackers"] and (acquainted := persons & taught):
                known_by[attacker] = max(len(acquainted), known_by.get(attacker, 0))
        unknown = {
            attacker: systems
            for attacker, systems in options["attackers"].items()
            if not persons & taught_by.get(attacker, set())
        }
        remaining[trials] = {**options, "attackers": unknown}
    return remaining, known_by


def _speakers_learnt_from(backend: str) -> set[str]:
    """The speakers that a back-end learnt from, as ``ids.hashed_speaker``; none if unknown."""
    return {*map(str, read_npz(backend, []).get(SPEAKERS_LEARNT, ()))}


def _is_narrow(checks: str) -> bool:
    """Whether a table of findings says that unprotected recordings have a narrow band."""
    return any(finding["file"] == NARROW_BAND for finding in read_table(checks, FINDINGS))


def _of_text(folder, corpus, lists, thresholds):
    """What attackers find by the words alone: {system: facts}; {} where it is not tried."""
    own = {
        trials: {**options, "attackers": options["of_text"]} for trials, options in lists.items()
    }
    scores = RunScores(folder, corpus, own)
    facts = verdict_of(scores, thresholds=thresholds, known=Known(leaks={}))
    systems = {ORIGINAL: facts["unprotected"], **facts["systems"]}
    wanted = ("state", "right_of_20_percent", "evidence_percent")
    return {name: {key: one[key] for key in wanted} for name, one in systems.items() if one}


def n_learnt(attackers: Iterable[Iterable[str]]) -> int:
    """From how many persons that attacker learnt who learnt from most; of its parts, the fewest."""
    parts: list[list[Learnt]] = [
        [of_type(read_json(file), Learnt, file) for file in files] for files in attackers
    ]
    return max(min(one["n_training_speakers"] for one in own) for own in parts)
