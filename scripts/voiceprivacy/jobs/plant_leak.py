"""The job plant_leak."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from voiceprivacy.attack import Scorer
from voiceprivacy.attack.backends import backends
from voiceprivacy.attack.backends.learning import Learning, spoken, together
from voiceprivacy.attack.held_out import Spoken
from voiceprivacy.attack.leak_control import PLANTED_PERCENT, Leak, leak_for
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, read_embeddings
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.trials import NotMeasured, trials_of
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say

ROTATION = "a rotation weighs no directions, so it can find no planted leak"


class Side(NamedTuple):
    """The embeddings of one side of a list, where they come from, and who speaks."""

    embeddings: Embeddings
    path: str
    speakers: backends.Lookup[str]

    def planted(self, leak: Leak) -> backends.Gallery:
        """The embeddings with a leak."""
        speakers = [self.speakers[utterance] for utterance in self.embeddings.ids.tolist()]
        planted = leak.planted(self.embeddings.embeddings, speakers)
        return backends.Gallery(self.embeddings._replace(embeddings=planted), self.path)


def plant_leak(
    *,
    embeddings: str,
    manifest: str,
    type: Literal["plda", "speechbrain_plda", "procrustes"] = "plda",
    original: str | None = None,
    lda_dim: int | None = None,
    length_norm: Literal["kaldi", "simple", "none"] = "kaldi",
    no_centre: bool = False,
    shrinkage: float = 0.0,
    rank: int = 100,
    enrolment: str,
    trial: str,
    enrolment_manifest: str,
    trial_manifest: str,
    trials: list[str],
    enrolments: list[str],
    evidence: str,
) -> None:
    """Plant a leak in protected speech, train a back-end on it, and see whether it finds the leak.

    Both sides of the lists are protected speech. How to train is said as for train_backend.

    Parameters
    ----------
    embeddings : npz: embeddings of the protected training utterances
    manifest : TSV of the training part: who speaks
    type : plda: Kaldi's
    original : npz: embeddings of the same utterances, not protected, of PLDA that learns from both
    lda_dim : dimensions after LDA (default: min(200, D, speakers - 1))
    length_norm : how embeddings are scaled
    no_centre : do not subtract the mean of the training utterances
    shrinkage : of the within-speaker covariance
    rank : of SpeechBrain's PLDA
    enrolment : npz: embeddings of the protected utterances that enrol
    trial : npz: embeddings of the protected utterances that are tried
    enrolment_manifest : TSV: who speaks
    trial_manifest : TSV: who speaks
    trials : TSV of each list: enrolment trial label
    enrolments : TSV of each list: enrolment utterance
    evidence : JSON to write: the evidence that the back-end finds on each list, with its limits
    """
    utterances = read_manifest(manifest)
    versions = [spoken(path, utterances) for path in (embeddings, original) if path]
    sides = {
        "enrolment": Side(
            read_embeddings(enrolment), enrolment, backends.read_speakers(enrolment_manifest)
        ),
        "trial": Side(read_embeddings(trial), trial, backends.read_speakers(trial_manifest)),
    }
    learning = Learning(type, lda_dim, length_norm, not no_centre, shrinkage, rank)
    if len(trials) != len(enrolments):
        raise BadInput("--enrolments: must name one file for each of --trials")
    lists = [
        (path, backends.read_enrolments(enrolling))
        for path, enrolling in zip(trials, enrolments, strict=True)
    ]
    limits_of: dict[str, list[float]] = {}
    reason = ""
    try:
        leak, score = learnt(learning, versions, sides["trial"], [one for _, one in lists])
    except BadInput as error:
        reason = str(error)
    else:
        for path, enrolled_by in lists:
            if limits := limits_found(score, path, enrolled_by, sides, leak):
                limits_of[Path(path).stem] = limits
    content = {"planted_percent": PLANTED_PERCENT, "reason": reason, "lists": limits_of}
    write_json(evidence, content)
    for name, (value, low, high) in limits_of.items():
        say(f"{name}: {value:.1f} % [{low:.1f}, {high:.1f}] of {PLANTED_PERCENT} % are found")
    if reason:
        say(f"no leak is planted: {reason}")


def learnt(
    learning: Learning,
    versions: Sequence[Spoken],
    tried: Side,
    lists: Sequence[Mapping[str, Sequence[str]]],
) -> tuple[Leak, Scorer]:
    """A leak for these lists, and a back-end that learnt from speech that has it.

    Raises
    ------
    BadInput : there is too little speech, or a back-end that cannot find it
    """
    if learning.type == "procrustes":
        raise BadInput(ROTATION)
    numbers = [len(own) for own in chain.from_iterable(one.values() for one in lists)]
    protected = versions[0].embeddings
    spread = tried.embeddings.embeddings.astype(np.float64)
    leak = leak_for(protected, spread, enrolling=float(np.median(numbers)))
    heard = together(
        [
            version._replace(embeddings=leak.planted(version.embeddings, version.speakers))
            for version in versions
        ]
    )
    return leak, learning.scorer(heard.embeddings, heard.speakers)


def limits_found(
    score: Scorer,
    path: str,
    enrolled_by: backends.Lookup[list[str]],
    sides: Mapping[str, Side],
    leak: Leak,
) -> list[float] | None:
    """The evidence of a list in percent, and its limits; None where it cannot be measured."""
    listed = read_trials(path)
    galleries = {name: side.planted(leak) for name, side in sides.items()}
    llrs = backends.score_trials(score, listed, **galleries, enrolments=enrolled_by)
    speaker_of: dict[str, str] = {}
    for one in listed:
        first = enrolled_by[one.enrolment][0]
        speaker_of[one.enrolment] = sides["enrolment"].speakers[first]
        speaker_of[one.trial] = sides["trial"].speakers[one.trial]
    try:
        scores = llrs.astype(np.float64)[:, None]
        evidence = one_recording(trials_of([one[:2] for one in listed], scores, speaker_of))
    except NotMeasured:  # the verdict says it of the list
        return None
    return [evidence.percent, evidence.low(), evidence.high()]


if __name__ == "__main__":
    run(plant_leak)
