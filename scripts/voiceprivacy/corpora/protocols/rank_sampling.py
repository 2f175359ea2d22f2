"""The protocol rank_sampling: galleries for similarity ranks, sampled from the same observations again and again.

Conventions
-----------
* Every speaker has K observations (utterances, or pieces of them where the corpus has segments), in the order of their
  ids; a speaker with more uses the first K. For every shift S = 0..K-1 each speaker has one test of T observations,
  S + [0, T) modulo K, and one template of D, S + T + Delta + [0, D) modulo K. Tests of a shift are compared with the
  templates of the same shift.
* Delta is floor((K - T - D) / 2) (``separated``), which keeps test and template as far apart as possible. The paper's
  Eq. 6 prints (K - S - T) / 2, which overlaps for large S; ``printed`` takes it and refuses any overlap.
* There are no trial lists: the enrolment and the trial part hold the same utterances, so that an attacker who protects
  templates draws pseudonyms of his own, and each gallery is a list of its own for ranks only.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VII.
"""

from itertools import groupby
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput

GENDERS = {"f": ("f",), "m": ("m",), "mixed": ("f", "m", "-")}
FEWEST_SPEAKERS = 2


class Sample(NamedTuple):
    """One observation of a test or of a template (``role``) of a speaker under one shift."""

    shift: int
    speaker: str
    role: str
    utterance: str


def list_names(options):
    """No trial lists."""
    return []


def split(source, options, utterances, findings):
    """All observations are both: they enrol in one shift and are tried in another.

    Returns
    -------
    set of str, set of str : ids of enrolment and of trial utterances
    """
    check_options(options)
    names = set()
    for speaker, own in groupby(sorted(utterances, key=_speaker), key=_speaker):
        own = sorted(own)
        if own[0].gender == "-" and set(options["lists"]) & {"f", "m"}:
            findings.error(
                own[0].file,
                own[0].line,
                f"speaker '{speaker}' has no gender, but the lists are per gender",
            )
        if "segments" not in source and len(own) < options["observations"]:
            what = f"speaker '{speaker}' has {len(own)} of {options['observations']} observations and is left out"
            findings.oddity(own[0].file, own[0].line, what)
        names |= {
            of.utterance for of in (own if "segments" in source else own[: options["observations"]])
        }
    return names, names


def check_options(options):
    """Refuse numbers of observations that cannot be kept apart (BadInput)."""
    for test in _several(options["test"]):
        for template in _several(options["template"]):
            positions(options["observations"], test=test, template=template, delta=options["delta"])


def positions(observations, *, test, template, delta="separated"):
    """Which observations are tested and which make the template: [(test positions, template positions)] by shift.

    Raises
    ------
    BadInput : more are asked for than there are, or (``printed``) an observation is in both
    """
    if test + template > observations:
        raise BadInput(
            f"rank_sampling: {test} for the test and {template} for the template exceed {observations}"
        )
    chosen = []
    for shift in range(observations):
        gap = observations - (shift + test if delta == "printed" else test + template)
        start = shift + test + gap // 2
        tested = [(shift + step) % observations for step in range(test)]
        enrolled = [(start + step) % observations for step in range(template)]
        if set(tested) & set(enrolled):
            raise BadInput(
                f"rank_sampling: with delta 'printed' test and template overlap at shift {shift} of {observations}"
                f" (test {test}, template {template}); take 'separated'"
            )
        chosen.append((tested, enrolled))
    return chosen


def sample(options, utterances, *, gender, test, template):
    """The samples of one gallery.

    Parameters
    ----------
    options : dict
        observations, delta
    utterances : list of tables.Utterance
    gender : f, m or mixed
    test, template : int
        Number of observations T and D.

    Returns
    -------
    list of Sample, list of speakers that were left out for want of observations
    """
    observations = options["observations"]
    own = {}
    for utterance in sorted(utterances):
        if utterance.gender in GENDERS[gender]:
            own.setdefault(utterance.speaker, []).append(utterance.utterance)
    used = {
        speaker: of[:observations] for speaker, of in sorted(own.items()) if len(of) >= observations
    }
    if len(used) < FEWEST_SPEAKERS:
        raise BadInput(
            f"only {len(used)} of {len(own)} speakers ({gender}) have {observations} observations"
        )
    samples = []
    for shift, roles in enumerate(
        positions(observations, test=test, template=template, delta=options["delta"])
    ):
        for speaker, of in used.items():
            for role, places in zip(("test", "template"), roles, strict=True):
                samples += [Sample(shift, speaker, role, of[place]) for place in places]
    return samples, sorted(own.keys() - used.keys())


def _several(numbers):
    return numbers if isinstance(numbers, list) else [numbers]


def _speaker(utterance):
    return utterance.speaker
