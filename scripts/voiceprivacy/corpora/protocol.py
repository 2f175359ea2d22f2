"""Who is enrolled with what, and what is tried against whom.

A protocol (``enrol_trial``, ``given``, ``all_pairs``) is the module of that name in this folder, with the functions
``list_names``, ``split``, ``list_trials`` and, where people write the lists, ``check_list``; those here call them.
``protocol`` is {name: options}, as in the config, ``source`` as listing.py has it.
"""

from voiceprivacy.corpora.listing import kind_of
from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import counted

# A part of a corpus for a quick look: some speakers, some utterances of each, chosen by their ids alone.


def speakers_within(utterances, count):
    """Choose speakers in an order drawn from their ids, women and men taking turns.

    Parameters
    ----------
    utterances : list of Listed
    count : int or None
        None chooses all; a larger number keeps what a smaller one chose.

    Returns
    -------
    set of str
    """
    genders = {}
    for utterance in utterances:
        genders.setdefault(utterance.gender, set()).add(utterance.speaker)
    turns = [
        (turn, gender, speaker)
        for gender, of_gender in genders.items()
        for turn, speaker in enumerate(sorted(of_gender, key=_draw))
    ]
    return {speaker for _, _, speaker in sorted(turns)[:count]}


def restrict(utterances, *, speakers, count):
    """Keep the utterances of these speakers, at most ``count`` (None: all) of each, drawn by their ids.

    Returns
    -------
    list of Listed : in the order of ``utterances``
    """
    of_speaker = {}
    for utterance in utterances:
        if utterance.speaker in speakers:
            of_speaker.setdefault(utterance.speaker, []).append(utterance.utterance)
    kept = {name for names in of_speaker.values() for name in sorted(names, key=_draw)[:count]}
    return [utterance for utterance in utterances if utterance.utterance in kept]


def _draw(name):
    return seeds.derive(0, "limit", name), name


FEW_SPEAKERS = 10


def list_names(protocol):
    """Names of the trial lists of a protocol."""
    module, options = kind_of(protocol, "list_names")
    return list(module.list_names(options))


def split(source, protocol, utterances, findings):
    """Choose the utterances that enrol and those that are tried.

    Parameters
    ----------
    source, protocol : dict {kind: options}
    utterances : list of Listed
    findings : Findings
        Gets what is wrong.

    Returns
    -------
    list of Listed, list of Listed : enrolment and trial, in the order of ``utterances``; all of them, whatever the
    limit of the source is (see ``limited``)
    """
    module, options = kind_of(protocol, "split")
    enrolment, trial = module.split(source, options, utterances, findings)
    parts = (enrolment, trial)
    return tuple(
        [utterance for utterance in utterances if utterance.utterance in part] for part in parts
    )


def limited(source, *parts):
    """Restrict parts of a corpus to the limit of its source: the same speakers in each, those of the first part."""
    limits = source.get("limit")
    if not limits:
        return parts
    speakers = speakers_within(parts[0], limits.get("speakers"))
    return tuple(
        restrict(part, speakers=speakers, count=limits.get("utterances")) for part in parts
    )


def check_list(protocol, name, enrolment, trial, findings):
    """Check one list that people wrote against all enrolment and trial utterances of its corpus."""
    module, options = kind_of(protocol, "list_trials")
    if hasattr(module, "check_list"):
        module.check_list(options, name, enrolment, trial, findings)


def list_trials(source, protocol, name, enrolment, trial, findings):
    """Make or read one trial list.

    Parameters
    ----------
    source, protocol : dict {kind: options}
    name : str
        One of list_names.
    enrolment, trial : list of utterances (tables.Utterance or Listed)
    findings : Findings
        Gets what is wrong or unusual.

    Returns
    -------
    list of tables.Trial, dict {enrolment: [utterance, ...]}
    """
    module, options = kind_of(protocol, "list_trials")
    trials, enrolments = module.list_trials(source, options, name, enrolment, trial, findings)
    _check(name, trials, enrolments, enrolment, findings)
    return trials, enrolments


def _check(name, trials, enrolments, utterances, findings):
    place = f"trial list {name}"
    labels = {of.label for of in trials}
    for label in ("target", "nontarget"):
        if label not in labels:
            findings.error(place, "-", f"has no {label} trial")
    known = {of.utterance: of for of in utterances}
    models = [known[own[0]] for own in enrolments.values()]
    speakers = {of.speaker for of in models}
    if len(speakers) < FEW_SPEAKERS:
        few = counted(len(speakers), "speaker")
        findings.oddity(place, "-", f"has {few}: with fewer than {FEW_SPEAKERS} numbers are rough")
    if {"f", "m"} <= {of.gender for of in models} and "mixed" not in name:
        what = "holds women and men: DeID and identification rates are higher than in lists of one gender"
        findings.oddity(place, "-", what)
