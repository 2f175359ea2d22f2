"""The protocol given: trial lists that lie in Kaldi data directories, read as they are and checked.

``trials`` of a list's directory: "speaker utterance target|nontarget". ``enrolls`` (one utterance a line), of the
list's directory or of the corpus's enrolment directory, says what a speaker is enrolled with. Lists named f, m or
f_..., m_... are of one gender. A list can be the part of a trials file between speakers of one gender. Of a corpus
that is limited, only the trials between what is left are scored; the pieces of an utterance stand in its place.

``options`` are {name of a list: data directory}, or {name: {directory, gender}} for one gender's part.
"""

from pathlib import Path

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.kinds import kaldi
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout import tables
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.ids import source_of


def list_names(options):
    """Names of the trial lists."""
    return list(options)


def split(source, options, utterances, findings):
    """Find the utterances that enrol and those that are tried.

    Parameters
    ----------
    source : dict {kind: options}
    options : dict, see above
    utterances : list of Listed
    findings : Findings

    Returns
    -------
    set of str, set of str : ids of enrolment and of trial utterances
    """
    known = {utterance.utterance for utterance in utterances}
    enrolled = set()
    for path in _enrolls_files(source, options):
        enrols = kaldi.read_enrolls(path, findings)
        checks.compare(path.parent.name, {"enrolment_utterances": len(enrols)}, path, findings)
        for utterance, line in enrols.items():
            if utterance not in known:
                findings.error(
                    path, line, f"utterance '{utterance}' is unknown: no wav.scp lists it"
                )
            enrolled.add(utterance)
    passed_over = Findings()  # check_list reads the same lines and says what is wrong with them
    tried = {
        fields[1] for name in options for _, fields in _read_trials(options, name, passed_over)
    }
    return enrolled & known, tried & known


def check_list(options, name, enrolment, trial, findings):
    """Check each trial of one list against what is known of its speakers; add what is wrong.

    Parameters
    ----------
    options : dict, see above
    name : str
    enrolment, trial : list of Listed
        All of the corpus, whatever it is limited to.
    """
    path, chosen = _trials_file(options, name), _chosen_gender(options, name)
    if path in [
        _trials_file(options, other) for other in list(options)[: list(options).index(name)]
    ]:
        return  # the same file, checked as a whole under its first name
    known = _Known(enrolment, trial)
    seen, wrong = {}, {}
    for line, fields in _read_trials(options, name, findings):
        genders = (
            _without_gender(fields, known)
            if chosen
            else _wrong_genders(fields, known, _gender(name))
        )
        for what in (*_wrong_with(fields, known, seen), *genders):
            wrong.setdefault(
                what, line
            )  # what is wrong with an id is said once, where it first occurs
        seen.setdefault((fields[0], fields[1]), fields[2])
    for what, line in wrong.items():
        findings.error(path, line, what)
    labels = list(seen.values())
    counts = {
        "enrolment_speakers": len({speaker for speaker, _ in seen}),
        "trial_utterances": len({utterance for _, utterance in seen}),
        "target_trials": labels.count("target"),
        "nontarget_trials": labels.count("nontarget"),
    }
    checks.compare(path.parent.name, counts, path, findings)


def list_trials(source, options, name, enrolment, trial, findings):
    """The trials of one list between the utterances of two manifests; check_list says what is wrong with them.

    Parameters
    ----------
    source : dict {kind: options}
    options : dict, see above
    name : str
    enrolment, trial : list of utterances (tables.Utterance or Listed)
    findings : Findings

    Returns
    -------
    list of tables.Trial, dict {speaker: [utterance, ...]}
    """
    chosen = _chosen_gender(options, name)
    enrolment, trial = (
        [of for of in part if chosen in (None, of.gender)] for part in (enrolment, trial)
    )
    enrolments = _by(lambda of: of.speaker, enrolment)
    pieces = _by(
        lambda of: source_of(of.utterance) if "segments" in source else of.utterance, trial
    )
    trials = {
        (speaker, piece): tables.Trial(speaker, piece, label)
        for _, (speaker, utterance, label) in _read_trials(options, name, Findings())
        for piece in pieces.get(utterance, [])
        if speaker in enrolments
    }
    named = dict.fromkeys(speaker for speaker, _ in trials)
    return list(trials.values()), {speaker: enrolments[speaker] for speaker in named}


class _Known:
    """What is known of the ids in a trial list: who is enrolled with what, who speaks what, everybody's gender."""

    def __init__(self, enrolment, trial):
        self.enrolments = {
            name: set(of) for name, of in _by(lambda of: of.speaker, enrolment).items()
        }
        self.speakers = {of.utterance: of.speaker for of in trial}
        self.genders = {of.speaker: of.gender for of in (*enrolment, *trial)}


def _wrong_with(fields, known, seen):
    """What is wrong with one line of a trial list."""
    speaker, utterance, label = fields
    if label not in tables.LABELS:
        yield f"label '{label}' is neither target nor nontarget"
    if (speaker, utterance) in seen:
        yield f"trial '{speaker} {utterance}' occurs twice"
    if speaker not in known.enrolments:
        yield f"speaker '{speaker}' is unknown: nobody enrolled has this id"
    if utterance in known.enrolments.get(known.speakers.get(utterance), ()):
        yield f"utterance '{utterance}' is both enrolled and tried"
    if utterance not in known.speakers:
        yield f"utterance '{utterance}' is unknown: no data directory lists it with a speaker and a file"
    elif label == "target" and known.speakers[utterance] != speaker:
        yield f"utterance '{utterance}' is labelled target of '{speaker}', but '{known.speakers[utterance]}' speaks it"
    elif label == "nontarget" and known.speakers[utterance] == speaker:
        yield f"utterance '{utterance}' is labelled nontarget, but '{speaker}' speaks it"


def _wrong_genders(fields, known, wanted):
    """Who in one line of a list of one gender has another one, or none."""
    for speaker in dict.fromkeys((fields[0], known.speakers.get(fields[1]))):
        gender = known.genders.get(speaker, wanted)
        if wanted and gender == "-":
            yield f"speaker '{speaker}' has no gender, but the lists are per gender"
        elif gender != wanted and wanted:
            yield f"speaker '{speaker}' is {gender} in a list of {wanted}: a trial across genders"


def _without_gender(fields, known):
    """Who in one line of a list that is parted by gender has none."""
    for speaker in dict.fromkeys((fields[0], known.speakers.get(fields[1]))):
        if known.genders.get(speaker) == "-":
            yield f"speaker '{speaker}' has no gender, but the lists are per gender"


def _gender(name):
    """The gender of a list named f, m, f_common and so on; None of any other."""
    first = name.split("_")[0]
    return first if first in ("f", "m") else None


def _by(key, utterances):
    """{key of an utterance: [ids in their order]}."""
    groups = {}
    for utterance in sorted(utterances):
        groups.setdefault(key(utterance), []).append(utterance.utterance)
    return groups


def _enrolls_files(source, options):
    directories = [_trials_file(options, name).parent for name in options]
    directories += [Path(kaldi.data_directories(source["kaldi"])[0])] if "kaldi" in source else []
    files = [
        path
        for path in dict.fromkeys(directory / "enrolls" for directory in directories)
        if path.exists()
    ]
    if not files:
        raise BadInput(f"{directories[-1] / 'enrolls'}: not found")
    return files


def _trials_file(options, name):
    of_list = options[name]
    return Path(of_list["directory"] if isinstance(of_list, dict) else of_list) / "trials"


def _chosen_gender(options, name):
    return options[name]["gender"] if isinstance(options[name], dict) else None


def _read_trials(options, name, findings):
    return kaldi.read_fields(_trials_file(options, name), 3, findings)
