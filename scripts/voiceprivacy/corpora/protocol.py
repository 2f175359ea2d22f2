"""Who is enrolled with what, and what is tried against whom.

A protocol (``enrol_trial``, ``given``) is the module of that name in this folder, with three functions, ``list_names``,
``split`` and ``list_trials``; the functions here call them. ``protocol`` is {name: options}, as in the config.
"""

from voiceprivacy.corpora.listing import kind_of

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
    list of Listed, list of Listed : enrolment and trial, in the order of ``utterances``
    """
    module, options = kind_of(protocol, "split")
    enrolment, trial = module.split(source, options, utterances, findings)
    parts = (enrolment, trial)
    return tuple([utterance for utterance in utterances if utterance.utterance in part] for part in parts)


def list_trials(protocol, name, enrolment, trial, findings):
    """Make or read one trial list.

    Parameters
    ----------
    protocol : dict {kind: options}
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
    trials, enrolments = module.list_trials(options, name, enrolment, trial, findings)
    place = f"trial list {name}"
    labels = {of.label for of in trials}
    for label in ("target", "nontarget"):
        if label not in labels:
            findings.error(place, "-", f"has no {label} trial")
    if len(enrolments) < FEW_SPEAKERS:
        findings.oddity(place, "-", f"has {len(enrolments)} speakers: with fewer than {FEW_SPEAKERS} numbers are rough")
    return trials, enrolments
