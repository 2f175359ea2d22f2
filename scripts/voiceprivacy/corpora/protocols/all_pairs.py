"""The protocol all_pairs: every utterance enrols alone and is tried against every other one of the list.

All ordered pairs, because under OP (original enrolment, protected trial) the order matters; none of an utterance with
itself, nor of two pieces of one utterance. Lists f and m hold the speakers of one gender, mixed holds all.
"""

from voiceprivacy.corpora.protocols.enrol_trial import GENDERS
from voiceprivacy.inout import tables
from voiceprivacy.inout.ids import source_of


def list_names(options):
    """Names of the trial lists."""
    return options["lists"]


def split(source, options, utterances, findings):
    """All utterances enrol, and all are tried."""
    for first in {utterance.speaker: utterance for utterance in reversed(utterances)}.values():
        if first.gender == "-" and options["lists"] != ["mixed"]:
            what = f"speaker '{first.speaker}' has no gender, but the lists are per gender"
            findings.error(first.file, first.line, what)
    names = {utterance.utterance for utterance in utterances}
    return names, names


def list_trials(source, options, name, enrolment, trial, findings):
    """Every pair of utterances of different sources.

    Returns
    -------
    list of tables.Trial, dict {utterance: [utterance]}
    """
    enrolled, tried = (
        [of for of in sorted(part) if of.gender in GENDERS[name]] for part in (enrolment, trial)
    )
    sources = {of.utterance: source_of(of.utterance) for of in (*enrolled, *tried)}
    trials = [
        tables.Trial(
            one.utterance,
            other.utterance,
            "target" if one.speaker == other.speaker else "nontarget",
        )
        for one in enrolled
        for other in tried
        if sources[one.utterance] != sources[other.utterance]
    ]
    return trials, {of.utterance: [of.utterance] for of in enrolled}
