"""The protocol enrol_trial: N utterances enrol each speaker, the others are tried.

They are tried against every speaker of the list. Which utterances enrol depends on their ids alone,
never on the order of files. A speaker with several sessions (chapters) enrols with some and is
tried with others. What is left over of an enrolment session is not used. Lists f and m hold the
speakers of one gender, mixed holds all.

The common sentences of VCTK are ordinary utterances, unless the config names a list such as
f_common. Then they are tried in such lists only, and never enrol.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voiceprivacy import seeds
from voiceprivacy.corpora.listing import (
    GENDERS,
    Findings,
    Listed,
    Source,
    by_speaker,
    kind_of,
    of_gender,
    require_gender,
)
from voiceprivacy.errors import counted
from voiceprivacy.inout.trial_lists import Trial

COMMON = "_common"


@dataclass(frozen=True)
class Crossed(Collection[Trial]):
    """Trials of every enrolled speaker against every utterance that is tried.

    They are made one by one: a thousand speakers with a hundred files have 100 million.
    """

    speakers: Collection[str]
    tried: Collection[Any]

    def __len__(self) -> int:
        return len(self.speakers) * len(self.tried)

    def __iter__(self) -> Iterator[Trial]:
        for speaker in self.speakers:
            for utterance in self.tried:
                label = "target" if utterance.speaker == speaker else "nontarget"
                yield Trial(speaker, utterance.utterance, label)

    def __contains__(self, trial: object) -> bool:
        return any(trial == listed for listed in self)


def list_names(options: dict[str, Any]) -> list[str]:
    """Names of the trial lists."""
    return options["lists"]


def split(
    source: Source, options: dict[str, Any], utterances: Sequence[Listed], findings: Findings
) -> tuple[set[str], set[str]]:
    """Choose the ids that enrol and those that are tried.

    ``options`` are enrolment_utterances and lists.
    """
    enrolment: set[str] = set()
    trial: set[str] = set()
    for own in by_speaker(utterances).values():
        common = {
            utterance.utterance
            for utterance in own
            if _is_for_common_lists(source, utterance, options)
        }
        others = [utterance for utterance in own if utterance.utterance not in common]
        _check_speaker(own[0], len(others), options, findings)
        if not others:
            continue  # nothing enrols this speaker, so nothing is tried
        enrolled, tried = _split_speaker(others, options["enrolment_utterances"])
        enrolment |= enrolled
        trial |= tried | common
    return enrolment, trial


def list_trials(
    source: Source,
    options: dict[str, Any],
    name: str,
    enrolment: Sequence[Any],
    trial: Sequence[Any],
    findings: Findings,
) -> tuple[Collection[Trial], dict[str, list[str]]]:
    """Every enrolled speaker of the list against every trial utterance of the list.

    ``name`` is f, m or mixed, or one of them with _common. Trials and enrolments come in the order
    of the speakers' ids.
    """
    gender, is_common_list = name.removesuffix(COMMON), name.endswith(COMMON)
    tried = [
        utterance
        for utterance in of_gender(trial, gender)
        if _is_for_common_lists(source, utterance, options) == is_common_list
    ]
    enrolments: dict[str, list[str]] = {}
    for speaker, enrolled in by_speaker(of_gender(enrolment, gender)).items():
        enrolments[speaker] = [utterance.utterance for utterance in enrolled]
    return Crossed(enrolments, tried), enrolments


def _is_for_common_lists(source, utterance, options):
    """Whether an utterance belongs to the lists ..._common of a corpus that has such lists."""
    if not any(name.endswith(COMMON) for name in options["lists"]):
        return False
    kind, _ = kind_of(source)
    return kind.is_common(utterance.utterance) if hasattr(kind, "is_common") else False


def _check_speaker(first, count, options, findings):
    """A speaker of a list needs enough utterances and, in lists per gender, a gender.

    ``first`` is the first utterance, ``count`` the number of those that can enrol.
    """
    needed = options["enrolment_utterances"] + 1
    is_listed = any(first.gender in GENDERS[name.removesuffix(COMMON)] for name in options["lists"])
    if count < needed and is_listed:
        has = f"speaker '{first.speaker}' has {counted(count, 'utterance')}"
        findings.error(first.file, first.line, f"{has}: enrol_trial needs at least {needed}")
    require_gender(first, options["lists"], findings)


def _split_speaker(utterances, count):
    """The ids that enrol a speaker and those that are tried."""
    drawn = sorted(utterances, key=_draw)
    sessions = _enrolment_sessions(drawn, count)
    candidates = [utterance.utterance for utterance in drawn if utterance.session in sessions]
    enrolled = set(candidates[:count])
    separate = {utterance.utterance for utterance in drawn if utterance.session not in sessions}
    # Without another session what is left of the session that enrols is tried.
    return enrolled, separate or set(candidates) - enrolled


def _enrolment_sessions(drawn, count):
    """The smallest session that holds enough utterances, or else the largest ones together.

    These may be all sessions. Then none is left to try the speaker with.
    """
    sizes = Counter(utterance.session for utterance in drawn)
    by_size = sorted(sizes, key=sizes.__getitem__)  # of one size: in the order of the draw
    for session in by_size:
        if sizes[session] >= count:
            return {session}
    # None is large enough: the fewest sessions together, so that most are left for trials.
    chosen, held = set(), 0
    while held < count and by_size:
        session = by_size.pop()
        chosen.add(session)
        held += sizes[session]
    return chosen


def _draw(utterance):
    return seeds.derive(0, "enrol_trial", utterance.utterance), utterance.utterance
