"""Utterances that are left out of everything: named in the config, or unusable where the config says so.

``exclude`` in a corpus's entry names utterances; ``on_bad_audio: exclude`` adds those whose audio is missing, broken,
empty or not finite (``stop``, the default, makes them errors). An excluded utterance enrols nobody, is tried by nobody,
trains nothing and is given to no anonymiser: every condition and every trial list loses it alike. The split into
enrolment and trial is made before, so that all others stay what they are.

An anonymiser that fails on an utterance always stops the run: it has not protected it, and leaving the hard ones out
would flatter it. Who wants to go on without such an utterance names it in ``exclude``, and loses it for every system.
"""

from voiceprivacy.files import counted
from voiceprivacy.tables import read_rows, write_table

EXCLUDED = ["utterance", "why"]


def read_excluded(path):
    """Read what validate_corpus excluded: {utterance: why}."""
    return {row["utterance"]: row["why"] for _, row in read_rows(path, EXCLUDED)}


def write_excluded(path, excluded):
    """Write {utterance: why}."""
    write_table(path, EXCLUDED, excluded.items())


def excludes(source):
    """Whether utterances of a source may be missing in its manifests."""
    return "exclude" in source or source.get("on_bad_audio") == "exclude"


def without(utterances, excluded):
    """The utterances that are not excluded, in their order."""
    return [of for of in utterances if of.utterance not in excluded]


def exclude(source, utterances, bad, findings):
    """Decide what is left out, and say so in the findings.

    Parameters
    ----------
    source : dict
        With on_bad_audio (stop or exclude) and exclude (list of ids), as in the config.
    utterances : list of Listed
    bad : dict {utterance: what is wrong with its audio}
    findings : Findings
        Gets an entry of the level excluded for each that is left out, an error for other bad ones.

    Returns
    -------
    dict {utterance: why}
    """
    named = dict.fromkeys(source.get("exclude", ()), "named in exclude")
    listed = {of.utterance: of for of in utterances}
    for name in named.keys() - listed.keys():
        findings.error("exclude", "-", f"utterance '{name}' is not one of the corpus")
    excluded = {name: why for name, why in named.items() if name in listed}
    for name, what in bad.items():
        if source.get("on_bad_audio") == "exclude":
            excluded.setdefault(name, what)
        elif name not in excluded:
            findings.error(listed[name].audio, "-", f"{what} (utterance '{name}')")
    for name, why in sorted(excluded.items()):
        findings.excluded(listed[name].audio, "-", f"{why} (utterance '{name}')")
    return excluded


def check_loss(source, parts, excluded, findings):
    """Count what every part loses; a speaker without any utterance left in one is an error.

    Only a speaker of whom the config names every utterance may be gone.

    Parameters
    ----------
    source : dict
    parts : dict {part: list of Listed}
    excluded : dict {utterance: why}
    """
    lost = {name: [of for of in part if of.utterance in excluded] for name, part in parts.items()}
    if excluded:
        counts = ", ".join(f"{len(of)} of {len(parts[name])} of {name}" for name, of in lost.items())
        are = counted(len(excluded), "utterance is", "utterances are")
        findings.oddity("audio", "-", f"{are} excluded from everything ({counts})")
    everything = {of.utterance: of.speaker for part in parts.values() for of in part}
    kept_out = {speaker for name, speaker in everything.items() if name not in source.get("exclude", ())}
    for name, part in parts.items():
        gone = {of.speaker for of in lost[name]} - {of.speaker for of in without(part, excluded)}
        for speaker in sorted(gone & kept_out):
            what = f"speaker '{speaker}' loses all utterances of {name}: mend them, or exclude all of this speaker's"
            findings.error("audio", "-", what)
