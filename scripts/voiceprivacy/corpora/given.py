"""The protocol given: trial lists that lie in Kaldi data directories, read as they are and checked.

``trials`` of a list's directory: "speaker utterance target|nontarget". ``enrolls`` (one utterance a line), of the
list's directory or of the corpus's enrolment directory, says what a speaker is enrolled with.
"""

from pathlib import Path

from voiceprivacy import tables
from voiceprivacy.corpora import kaldi
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.files import BadInput


def list_names(options):
    """Names of the trial lists."""
    return list(options)


def split(source, options, utterances, findings):
    """Find the utterances that enrol and those that are tried.

    Parameters
    ----------
    source : dict {kind: options}
    options : dict {name of a list: data directory}
    utterances : list of Listed
    findings : Findings

    Returns
    -------
    set of str, set of str : ids of enrolment and of trial utterances
    """
    known = {utterance.utterance for utterance in utterances}
    enrolled = set()
    for path in _enrolls_files(source, options):
        for utterance, line in kaldi.read_enrolls(path, findings).items():
            if utterance not in known:
                findings.error(path, line, f"utterance '{utterance}' is unknown: no wav.scp lists it")
            enrolled.add(utterance)
    passed_over = Findings()  # list_trials reads the same lines and says what is wrong with them
    tried = {fields[1] for name in options for _, fields in _read_trials(options, name, passed_over)}
    return enrolled & known, tried & known


def list_trials(options, name, enrolment, trial, findings):
    """The trials of one list, each checked against what is known of its speakers.

    Parameters
    ----------
    options : dict {name of a list: data directory}
    name : str
    enrolment, trial : list of utterances (tables.Utterance or Listed)
    findings : Findings

    Returns
    -------
    list of tables.Trial, dict {speaker: [utterance, ...]}
    """
    path = _trials_file(options, name)
    enrolments = {}
    for utterance in sorted(enrolment):
        enrolments.setdefault(utterance.speaker, []).append(utterance.utterance)
    speaker_of = {utterance.utterance: utterance.speaker for utterance in trial}
    trials, wrong = {}, {}
    for line, fields in _read_trials(options, name, findings):
        for what in _wrong_with(fields, enrolments, speaker_of, trials):
            wrong.setdefault(what, line)  # what is wrong with an id is said once, where it first occurs
        trials.setdefault((fields[0], fields[1]), tables.Trial(*fields))
    for what, line in wrong.items():
        findings.error(path, line, what)
    _check_genders(path, name, [*enrolment, *trial], trials, findings)
    named = dict.fromkeys(speaker for speaker, _ in trials)
    return list(trials.values()), {speaker: enrolments[speaker] for speaker in named if speaker in enrolments}


def _wrong_with(fields, enrolments, speaker_of, seen):
    """What is wrong with one line of a trial list."""
    speaker, utterance, label = fields
    if label not in tables.LABELS:
        yield f"label '{label}' is neither target nor nontarget"
    if (speaker, utterance) in seen:
        yield f"trial '{speaker} {utterance}' occurs twice"
    if speaker not in enrolments:
        yield f"speaker '{speaker}' is unknown: nobody enrolled has this id"
    if utterance in enrolments.get(speaker_of.get(utterance), []):
        yield f"utterance '{utterance}' is both enrolled and tried"
    if utterance not in speaker_of:
        yield f"utterance '{utterance}' is unknown: no data directory lists it with a speaker and a file"
    elif label == "target" and speaker_of[utterance] != speaker:
        yield f"utterance '{utterance}' is labelled target of '{speaker}', but '{speaker_of[utterance]}' speaks it"
    elif label == "nontarget" and speaker_of[utterance] == speaker:
        yield f"utterance '{utterance}' is labelled nontarget, but '{speaker}' speaks it"


def _check_genders(path, name, utterances, trials, findings):
    """Lists named f, m, f_common and so on are per gender: everybody in them needs one."""
    if name.split("_")[0] not in ("f", "m"):
        return
    used = {identity for pair in trials for identity in pair}
    without = {of.speaker for of in utterances if of.gender == "-" and not used.isdisjoint(of[:2])}
    for speaker in sorted(without):
        findings.error(path, "-", f"speaker '{speaker}' has no gender, but the lists are per gender")


def _enrolls_files(source, options):
    directories = [Path(directory) for directory in options.values()]
    directories += [kaldi.enrolment_directory(source["kaldi"])] if "kaldi" in source else []
    files = [path for path in dict.fromkeys(directory / "enrolls" for directory in directories) if path.exists()]
    if not files:
        raise BadInput(f"{directories[-1] / 'enrolls'}: not found")
    return files


def _trials_file(options, name):
    return Path(options[name]) / "trials"


def _read_trials(options, name, findings):
    return kaldi.read_fields(_trials_file(options, name), 3, findings)
