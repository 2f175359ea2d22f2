"""The protocol rank_sampling: galleries for similarity ranks, sampled again and again.

Conventions
-----------
* Every speaker has K observations in the order of their ids: utterances, or pieces of them where
  the corpus has segments. A speaker with more uses the first K.
* For every shift S = 0..K-1 each speaker has one test of T observations, S + [0, T) modulo K, and
  one template of D, S + T + Delta + [0, D) modulo K. Tests of a shift are compared with the
  templates of the same shift.
* Delta is floor((K - T - D) / 2) (``separated``), which keeps test and template as far apart as
  possible. The paper's Eq. 6 prints (K - S - T) / 2, which overlaps for large S; ``printed`` takes
  it and refuses any overlap.
* There are no trial lists: the enrolment and the trial part hold the same utterances. So an
  attacker who protects templates draws other pseudonyms. Each gallery is a list of its own for
  ranks only.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
section VII.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple, TypedDict

from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    Source,
    by_speaker,
    of_gender,
    require_gender,
)
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.manifests import Utterance, mean_seconds
from voiceprivacy.vocabulary import GALLERY_SECONDS

FEWEST_SPEAKERS = 2
ROLES = TEST, TEMPLATE = ("test", "template")


class Positions(NamedTuple):
    """Which of a speaker's K observations are tested, and which make the template."""

    test: list[int]
    template: list[int]


class Sample(NamedTuple):
    """One observation of a test or of a template (``role``) of a speaker under one shift."""

    shift: int
    speaker: str
    role: str
    utterance: str


class Sampled(TypedDict):
    """What the options of the protocol say of each sample."""

    observations: int
    delta: str


def list_names(options: dict[str, Any]) -> list[str]:
    """No trial lists."""
    return []


def split(
    source: Source, options: dict[str, Any], utterances: Sequence[Listed], findings: Findings
) -> tuple[set[str], set[str]]:
    """All observations enrol in one shift and are tried in another.

    Raises
    ------
    BadInput : numbers that cannot be kept apart, or a list with less than two speakers
    """
    observations, are_pieces = options["observations"], "segments" in source
    for test, template in product(_several(options["test"]), _several(options["template"])):
        positions(observations, test=test, template=template, delta=options["delta"])
    names: set[str] = set()
    for speaker, own in by_speaker(utterances).items():
        first = own[0]
        require_gender(first, options["lists"], findings)
        if not are_pieces:  # how many pieces there will be is known once the audio is cut
            if len(own) < observations:
                has = f"has {len(own)} of {observations} observations and is left out"
                findings.oddity(first.file, first.line, f"speaker '{speaker}' {has}")
            own = own[:observations]
        names |= {utterance.utterance for utterance in own}
    for gender in options["lists"]:
        fewest = 1 if are_pieces else observations
        _with_enough(by_speaker(of_gender(utterances, gender)), fewest, gender)
    return names, names


def _with_enough(speakers, observations, gender):
    """The speakers {speaker: utterances} with so many observations; BadInput where they are few."""
    enough = {speaker: own for speaker, own in speakers.items() if len(own) >= observations}
    if len(enough) < FEWEST_SPEAKERS:
        few = f"only {len(enough)} of {len(speakers)} speakers ({gender})"
        have = f"{few} have {counted(observations, 'observation')}"
        raise BadInput(f"rank_sampling: {have}: name other lists, or lower 'observations'")
    return enough


def _several(numbers):
    return numbers if isinstance(numbers, list) else [numbers]


def positions(
    observations: int, *, test: int, template: int, delta: str = "separated"
) -> list[Positions]:
    """Which observations are tested and which make the template, for each shift.

    Parameters
    ----------
    observations, test, template : int
        K, T and D above.
    delta : separated or printed

    Raises
    ------
    BadInput : more are asked for than there are, or (``printed``) an observation is in both
    """
    if test + template > observations:
        both = f"{test} for the test and {template} for the template"
        raise BadInput(f"rank_sampling: {both} exceed {observations}")
    chosen = []
    for shift in range(observations):
        # Half of the observations that are in neither lies on each side of the template.
        in_neither = observations - test - template
        if delta == "printed":
            in_neither = observations - test - shift  # Eq. 6 to the letter
        tested = _in_a_row(shift, test, modulo=observations)
        enrolled = _in_a_row(shift + test + in_neither // 2, template, modulo=observations)
        if set(tested) & set(enrolled):
            raise BadInput(
                f"rank_sampling: with delta 'printed' test and template overlap at shift {shift}"
                f" of {observations} (test {test}, template {template}); take 'separated'"
            )
        chosen.append(Positions(tested, enrolled))
    return chosen


def _in_a_row(start, count, *, modulo):
    """``count`` positions from ``start`` on; after the last comes the first again."""
    return [(start + step) % modulo for step in range(count)]


def sample(
    options: Sampled,
    utterances: Sequence[Utterance],
    *,
    gender: str,
    test: int,
    template: int,
) -> tuple[list[Sample], list[str]]:
    """The samples of one gallery.

    Parameters
    ----------
    options : Sampled
    utterances : list of manifests.Utterance
    gender : f, m or mixed
    test, template : int
        Number of observations T and D.

    Returns
    -------
    list of Sample, list of str : and the speakers with too few observations, who are left out

    Raises
    ------
    BadInput : fewer than two speakers have enough observations
    """
    observations = options["observations"]
    speakers = by_speaker(of_gender(utterances, gender))
    used = _with_enough(speakers, observations, gender)
    shifts = positions(observations, test=test, template=template, delta=options["delta"])
    samples: list[Sample] = []
    for shift, chosen in enumerate(shifts):
        for speaker, own in used.items():
            for number in chosen.test:
                samples.append(Sample(shift, speaker, TEST, own[number].utterance))
            for number in chosen.template:
                samples.append(Sample(shift, speaker, TEMPLATE, own[number].utterance))
    return samples, [speaker for speaker in speakers if speaker not in used]


def seconds(samples: Sequence[Sample], utterances: Sequence[Utterance]) -> dict[str, float]:
    """What the tests, and the templates, of a gallery last on average.

    Every observation is in T tests. So a test lasts T times as long as the mean observation of the
    speakers in the gallery.

    Returns
    -------
    {mean_test_s, mean_template_s: seconds} : of whole recordings, with their pauses
    """
    means = {}
    for name, role in zip(GALLERY_SECONDS, ROLES, strict=True):
        groups: dict[tuple[int, str], list[str]] = {}
        for one in samples:
            if one.role == role:
                groups.setdefault((one.shift, one.speaker), []).append(one.utterance)
        means[name] = mean_seconds(groups.values(), utterances)
    return means
