"""Recordings that are one sound where they must not be: across parts, systems and training speech.

What is certain is an error: equal samples, or samples that correlate as no two sayings do. What is
only like another recording is an oddity, and one pair is named.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from voiceprivacy.corpora import same_sound
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.corpora.recordings import inspect, is_same_sound
from voiceprivacy.corpora.rows import Recording
from voiceprivacy.errors import counted
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.vocabulary import ORIGINAL, TRAIN

LEARNT = "speech that is attacked, among what attackers learn from"
ORIGINALS = "the original of another utterance, instead of protected speech"
ALREADY = "the same samples for two utterances"
MOSTLY = 0.5  # of the recordings of a system are those of another: it has two names
SAME_LENGTH_S = 0.01  # by which the lengths of copies differ, of those that are worth hearing


class Sound(NamedTuple):
    """The recording of an utterance, the part and the system that it is of, and its print."""

    part: str
    system: str
    utterance: str
    audio: Recording
    print: same_sound.Print

    @property
    def name(self) -> str:
        """The utterance and the system, as a person reads them."""
        of_system = "" if self.system == ORIGINAL else f" of {self.system}"
        return f"'{self.utterance}'{of_system} ({self.audio})"


def hear(part: str, system: str, recordings: Sequence[Utterance], *, threads: int) -> list[Sound]:
    """Print the recordings of a manifest; what cannot be read is left to the job that needs it."""
    paths = [recording.path for recording in recordings]
    inspected = zip(recordings, inspect(paths, samples=True, threads=threads), strict=True)
    return [
        Sound(part, system, recording.utterance, recording.path, inspection.sound)
        for recording, inspection in inspected
        if inspection.sound is not None
    ]


def as_long_as(recordings: Iterable[Utterance], others: Iterable[Utterance]) -> list[Utterance]:
    """Those of the recordings that last as long as some other does: only they can be copies."""
    steps = set()
    for other in others:
        step = round(other.duration_s / SAME_LENGTH_S)
        steps |= {step - 1, step, step + 1}
    return [one for one in recordings if round(one.duration_s / SAME_LENGTH_S) in steps]


class Shared(NamedTuple):
    """Two recordings that are one sound; ``mend`` says how an error is mended, of an oddity not."""

    one: Sound
    other: Sound
    kind: str
    mend: str


def shared(sounds: Sequence[Sound], *, given: bool = False) -> Iterator[Shared]:
    """Find what is the same sound and must not be.

    Two originals of one corpus are left to the check of that corpus. A protected recording that is
    like its own original is left to the attackers.

    Parameters
    ----------
    sounds : of one corpus that is attacked, and of training speech; originals stand first
    given : whether others made the protected speech: then two recordings with the same samples are
        an error. A voice of the run may say the same words twice
    """
    first_of: dict[str, str] = {}  # {utterance: the first one whose original is the same sound}
    for pair in same_sound.same([sound.print for sound in sounds]):
        one, other = sounds[pair.first], sounds[pair.second]
        if other.system == ORIGINAL and (one.part == TRAIN) == (other.part == TRAIN):
            first_of[other.utterance] = one.utterance
            continue
        names = [sound.utterance for sound in (one, other)]
        is_own = len({first_of.get(name, name) for name in names}) == 1
        if kind_and_mend := _kind_of(one, other, is_own=is_own, equal=pair.equal, given=given):
            yield Shared(one, other, *kind_and_mend)


def compare(sounds: Sequence[Sound], *, given: bool = False) -> Findings:
    """The same as findings: one of a kind and a system, with a count and the first pair.

    Recordings of another system are noted where they are half of a system's or more.
    """
    groups: dict[tuple[str, str], list[Shared]] = {}
    for pair in shared(sounds, given=given):
        groups.setdefault((pair.other.system, pair.kind), []).append(pair)
    findings = Findings()
    n_of = Counter(sound.system for sound in sounds)
    for (system, kind), group in groups.items():
        one, other, _, mend = group[0]
        if system != one.system != ORIGINAL and len(group) < MOSTLY * n_of[system]:
            continue  # two draws of a coefficient are equal now and then
        of_system = "of training" if system == ORIGINAL else f"of {system}"
        share = f"{len(group)} of {counted(n_of[system], 'recording')} {of_system}"
        message = f"{kind}: {share}, such as '{other.utterance}', which is {one.name}"
        if mend:
            findings.error(other.audio, "-", f"{message} ({mend})")
        else:
            findings.oddity(other.audio, "-", message, kind)
    return findings


def _kind_of(
    one: Sound, other: Sound, *, is_own: bool, equal: bool, given: bool
) -> tuple[str, str] | None:
    """What a pair is, and how an error is mended; None where it may be the same sound."""
    if other.system == ORIGINAL:
        kind, mend = LEARNT, "name it in 'exclude' of one of the two corpora"
    elif one.system not in (ORIGINAL, other.system):
        return (f"the same samples as of {one.system}", "") if equal else None
    elif is_own:
        return None
    elif one.system == ORIGINAL:
        kind, mend = ORIGINALS, "correct the files, or what pairs them with the originals"
    else:
        return (ALREADY, "give each its own file" if given else "") if equal else None
    if equal or is_same_sound(one.audio, other.audio):
        return kind, mend
    return f"what sounds like {kind}", ""
