"""Speech that attackers learn from: its speakers are not evaluated, and there is enough of it."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypedDict

from voiceprivacy.corpora import parts
from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    Protocol,
    Source,
    list_utterances,
)
from voiceprivacy.errors import BadInput, counted


class Evaluated(TypedDict):
    """A corpus that is evaluated, as its entry says."""

    source: Source
    protocol: Protocol


class Least(NamedTuple):
    """How many speakers and utterances there must be in all."""

    speakers: int
    utterances: int


def whole_parts(
    source: Source, protocol: Protocol, utterances: list[Listed], findings: Findings
) -> dict[str, list[Listed]]:
    """{part: its utterances}, whatever the corpus is limited to."""
    if not protocol:
        return {"train": utterances}
    enrolment, trial = parts.split(source, protocol, utterances, findings)
    return {"enrolment": enrolment, "trial": trial}


def compare_speakers(evaluated: dict[str, Evaluated], training: dict[str, Source]) -> Findings:
    """The speakers of evaluated corpora who train attackers, as errors.

    Parameters
    ----------
    evaluated : dict {corpus: Evaluated}
    training : dict {name of a corpus that trains attackers: source}

    Raises
    ------
    BadInput : an evaluated corpus cannot be listed
    """
    findings = Findings()
    for name, corpus in evaluated.items():
        source, passed_over = corpus["source"], Findings()  # validate_corpus says what is wrong
        utterances = list_utterances(source, passed_over)
        whole = whole_parts(source, corpus["protocol"], utterances, passed_over)
        kept = []
        for part in parts.limited(source, *whole.values()):
            kept += parts.without(part, source.get("exclude", ()))
        check_training(training, kept, findings, where=f"in corpus '{name}'")
    return findings


def check_learnt(
    training: dict[str, Source],
    fewest: dict[str, int],
    least: Mapping[str, Sequence[int]] | None = None,
) -> Findings:
    """Corpora that are too small to learn from how speakers differ and vary, as errors.

    Parameters
    ----------
    training : dict {name of a corpus that trains attackers: source}
    fewest : dict {name of such a corpus: utterances that some speaker must have}
        Only those that speakers are learnt from. An utterance that is cut has several pieces.
    least : dict {name of such a corpus: Least that there must be in all}
    """
    findings = Findings()
    for name, count in fewest.items():
        if name not in training:
            raise BadInput(f"corpus '{name}': is no training corpus")
        with contextlib.suppress(BadInput):  # a finding of that corpus itself
            speakers = Counter(utterance.speaker for utterance in _learnt_from(training[name]))
            needed = (count, *(least or {}).get(name, (2, 0)))
            if lack := _lack(speakers, needed, is_cut="segments" in training[name]):
                findings.error(f"corpus '{name}'", "-", f"has {lack}")
    return findings


def _learnt_from(source):
    """The utterances of a corpus that attackers learn from, as far as its entry says."""
    (listed,) = parts.limited(source, list_utterances(source, Findings()))
    return parts.without(listed, source.get("exclude", ()))


def _lack(speakers, needed, *, is_cut):
    """What training speech lacks, and what to do; nothing where it is enough.

    ``speakers`` counts utterances. ``needed`` are utterances of a speaker, speakers, utterances.
    """
    each, n_speakers, n_utterances = needed
    add = "add speech, or write semi_informed: false and name no attacker who learns"
    cut = f"cut it (segments: {{seconds: [1.5, 4]}}), {add}"
    if len(speakers) < 2:
        return f"{counted(len(speakers), 'speaker')}, and attackers learn from two or more: {add}"
    if max(speakers.values()) < each and not is_cut:
        return f"one utterance of each speaker, and attackers learn from {each} or more: {cut}"
    if len(speakers) < n_speakers:
        most = f"allow lda_dim: {len(speakers) - 1} at most, not {n_speakers - 1}"
        return f"{len(speakers)} speakers, which {most}: lower it, or add speakers"
    if speakers.total() < n_utterances and not is_cut:
        least = f"and PLDA needs {n_utterances}, as many as dimensions"
        return f"{speakers.total()} utterances, {least}: write shrinkage: 0.1, or {cut}"
    return ""


def check_training(
    training: dict[str, Source], evaluated: Iterable[Listed], findings: Findings, *, where: str
) -> None:
    """Refuse speakers who train an attacker and are evaluated: the attacker knows them already."""
    speakers = {utterance.speaker for utterance in evaluated}
    for name, source in training.items():
        with contextlib.suppress(BadInput):  # a finding of that corpus itself
            first_of = {one.speaker: one for one in reversed(_learnt_from(source))}
            for speaker in sorted(first_of.keys() & speakers):
                first = first_of[speaker]
                trains = f"speaker '{speaker}' trains attackers (corpus '{name}')"
                message = f"{trains}, but enrols or is tried {where}: exclude or rename one"
                findings.error(first.file, first.line, message)
