"""The protocol enrol_trial: N utterances of each speaker enrol him, all others are tried against every speaker.

Who enrols with what depends on ids alone, never on the order of files. A speaker with several sessions (chapters)
enrols with some and is tried with others; what is left over of an enrolment session is not used. Lists f and m hold
the speakers of one gender, mixed holds all.

Where a list such as f_common is asked for, VCTK's common sentences are tried there and nowhere else, and do not enrol.
"""

from itertools import groupby

from voiceprivacy.corpora.kinds.vctk import is_common
from voiceprivacy.inout import seeds, tables
from voiceprivacy.inout.files import counted

COMMON = "_common"
GENDERS = {"f": ("f",), "m": ("m",), "mixed": ("f", "m", "-")}


def list_names(options):
    """Names of the trial lists."""
    return options["lists"]


def split(source, options, utterances, findings):
    """Choose the utterances that enrol and those that are tried.

    Parameters
    ----------
    source : dict
        Not used: the speakers' own ids decide.
    options : dict
        enrolment_utterances, lists.
    utterances : list of Listed
    findings : Findings

    Returns
    -------
    set of str, set of str : ids of enrolment and of trial utterances
    """
    enrolment, trial = set(), set()
    for _, own in groupby(sorted(utterances, key=_speaker), key=_speaker):
        own = list(own)
        common = {of.utterance for of in own if _is_apart(of, options)}
        others = [of for of in own if of.utterance not in common]
        _check_speaker(own[0], len(others), options, findings)
        if others:
            enrolled, tried = _split_speaker(others, options["enrolment_utterances"])
            enrolment |= enrolled
            trial |= tried | common
    return enrolment, trial


def list_trials(source, options, name, enrolment, trial, findings):
    """Every enrolled speaker of the list against every trial utterance of the list.

    Parameters
    ----------
    name : str
        f, m or mixed, or one of them with _common
    enrolment, trial : list of utterances (tables.Utterance or Listed)

    Returns
    -------
    list of tables.Trial, dict {speaker: [utterance, ...]}
    """
    genders = GENDERS[name.removesuffix(COMMON)]
    enrolments = {}
    for utterance in sorted(enrolment):
        if utterance.gender in genders:
            enrolments.setdefault(utterance.speaker, []).append(utterance.utterance)
    apart = name.endswith(COMMON)
    tried = [of for of in sorted(trial) if of.gender in genders and _is_apart(of, options) == apart]
    trials = [
        tables.Trial(
            speaker, utterance.utterance, "target" if speaker == utterance.speaker else "nontarget"
        )
        for speaker in sorted(enrolments)
        for utterance in tried
    ]
    return trials, dict(sorted(enrolments.items()))


def _is_apart(utterance, options):
    """Whether an utterance belongs to the lists ..._common of a corpus that has such lists."""
    return any(name.endswith(COMMON) for name in options["lists"]) and is_common(
        utterance.utterance
    )


def _check_speaker(first, count, options, findings):
    """A speaker, of whom this is the first utterance, needs enough of them and, in lists per gender, a gender."""
    if count <= options["enrolment_utterances"]:
        needed = options["enrolment_utterances"] + 1
        what = f"speaker '{first.speaker}' has {counted(count, 'utterance')}: enrol_trial needs at least {needed}"
        findings.error(first.file, first.line, what)
    if first.gender == "-" and any(
        first.gender not in GENDERS[of.removesuffix(COMMON)] for of in options["lists"]
    ):
        what = f"speaker '{first.speaker}' has no gender, but the lists are per gender"
        findings.error(first.file, first.line, what)


def _split_speaker(utterances, count):
    """The ids that enrol a speaker and those that he is tried with."""
    drawn = sorted(utterances, key=_draw)
    sessions = _enrolment_sessions(drawn, count)
    candidates = [utterance for utterance in drawn if utterance.session in sessions]
    enrolled = {utterance.utterance for utterance in candidates[:count]}
    separate = {utterance.utterance for utterance in drawn if utterance.session not in sessions}
    return enrolled, separate or {utterance.utterance for utterance in drawn} - enrolled


def _enrolment_sessions(drawn, count):
    """The smallest session that holds enough, or else the largest ones together; all when none would be left to try."""
    sizes = {}
    for utterance in drawn:
        sizes[utterance.session] = sizes.get(utterance.session, 0) + 1
    by_size = sorted(sizes, key=sizes.get)  # equally large ones in the order of the draw
    large_enough = [session for session in by_size if sizes[session] >= count]
    if large_enough:
        return set(large_enough[:1])
    chosen = set()
    while sum(sizes[session] for session in chosen) < count and by_size:
        chosen.add(by_size.pop())
    return chosen


def _speaker(utterance):
    return utterance.speaker


def _draw(utterance):
    return seeds.derive(0, "enrol_trial", utterance.utterance), utterance.utterance
