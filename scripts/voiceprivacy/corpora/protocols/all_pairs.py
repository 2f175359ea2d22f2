"""The protocol all_pairs: every utterance enrols alone and is tried against every other one.

All ordered pairs of a list, because under OP (original enrolment, protected trial) the order
matters. None of an utterance with itself, nor of two pieces of one utterance. Lists f and m hold
the speakers of one gender, mixed holds all.
"""

from collections.abc import Sequence
from typing import Any

from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    Source,
    by_speaker,
    of_gender,
    require_gender,
)
from voiceprivacy.inout.ids import source_of
from voiceprivacy.inout.trial_lists import Trial


def list_names(options: dict[str, Any]) -> list[str]:
    """Names of the trial lists."""
    return options["lists"]


def split(
    source: Source, options: dict[str, Any], utterances: Sequence[Listed], findings: Findings
) -> tuple[set[str], set[str]]:
    """All utterances enrol, and all are tried."""
    for own in by_speaker(utterances).values():
        require_gender(own[0], options["lists"], findings)
    names = {utterance.utterance for utterance in utterances}
    return names, names


def list_trials(
    source: Source,
    options: dict[str, Any],
    name: str,
    enrolment: Sequence[Any],
    trial: Sequence[Any],
    findings: Findings,
) -> tuple[list[Trial], dict[str, list[str]]]:
    """Every pair of utterances of different sources; every utterance is its own enrolment.

    Parameters
    ----------
    name : str
        f, m or mixed
    enrolment, trial : list of utterances (manifests.Utterance or Listed)
    """
    enrolled, tried = of_gender(enrolment, name), of_gender(trial, name)
    sources = [source_of(utterance.utterance) for utterance in tried]
    trials = []
    for model in enrolled:
        model_source = source_of(model.utterance)
        for utterance, utterance_source in zip(tried, sources, strict=True):
            if utterance_source == model_source:  # itself, or another piece of it
                continue
            label = "target" if utterance.speaker == model.speaker else "nontarget"
            trials.append(Trial(model.utterance, utterance.utterance, label))
    return trials, {model.utterance: [model.utterance] for model in enrolled}
