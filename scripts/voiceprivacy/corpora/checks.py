"""Everything that can be wrong with a corpus, found before any hour is spent on it."""

from typing import NamedTuple

from voiceprivacy.corpora import downloads, listing, protocol
from voiceprivacy.corpora import recordings as pipes
from voiceprivacy.corpora import recordings as segments
from voiceprivacy.corpora.recordings import inspect
from voiceprivacy.inout import audio, tables
from voiceprivacy.inout.files import RESOURCES, BadInput, counted
from voiceprivacy.inout.tables import read_rows, write_table

# Utterances that are left out of everything: named in the config, or unusable where the config says so.
#
# ``exclude`` in a corpus's entry names utterances; ``on_bad_audio: exclude`` adds those whose audio is missing, broken,
# empty or not finite (``stop``, the default, makes them errors). An excluded utterance enrols nobody, is tried by nobody,
# trains nothing and is given to no anonymiser: every condition and every trial list loses it alike. The split into
# enrolment and trial is made before, so that all others stay what they are.
#
# An anonymiser that fails on an utterance always stops the run: it has not protected it, and leaving the hard ones out
# would flatter it. Who wants to go on without such an utterance names it in ``exclude``, and loses it for every system.

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
        counts = ", ".join(
            f"{len(of)} of {len(parts[name])} of {name}" for name, of in lost.items()
        )
        are = counted(len(excluded), "utterance is", "utterances are")
        findings.oddity("audio", "-", f"{are} excluded from everything ({counts})")
    everything = {of.utterance: of.speaker for part in parts.values() for of in part}
    kept_out = {
        speaker for name, speaker in everything.items() if name not in source.get("exclude", ())
    }
    for name, part in parts.items():
        gone = {of.speaker for of in lost[name]} - {of.speaker for of in without(part, excluded)}
        for speaker in sorted(gone & kept_out):
            what = f"speaker '{speaker}' loses all utterances of {name}: mend them, or exclude all of this speaker's"
            findings.error("audio", "-", what)


# What is published about the sets of the challenges and of LibriSpeech, and whether ours agree.

COUNTS = RESOURCES / "published_counts.tsv"
COLUMNS = ["set", "what", "count"]


def compare(name, counts, place, findings):
    """Add an oddity for every count of a set that differs from the published one.

    Parameters
    ----------
    name : str
        Name of a data directory or subset, such as libri_test_trials_f.
    counts : dict {what: int}
        What was counted; what nothing is published about is passed over.
    place : path
        Where it was counted.
    """
    published = {
        row["what"]: int(row["count"])
        for row in tables.read_table(COUNTS, COLUMNS)
        if row["set"] == name
    }
    for what, count in counts.items():
        if published.get(what, count) != count:
            findings.oddity(
                place,
                "-",
                f"{name} has {count} {what.replace('_', ' ')}, published are {published[what]}",
            )


UNKNOWN_DURATION_S = 2.7  # of a synthetic utterance before it is spoken, as they are on average
BESIDE_THE_SOURCE = ("protocol", "sample_rate", "use", "gender")


class Size(NamedTuple):
    """How much there is: utterances (or pieces) and seconds."""

    utterances: int
    seconds: float


class Examination(NamedTuple):
    """What was found in a corpus, and how much of it there is.

    ``parts`` is {part: Size}, ``lists`` {name of a trial list: number of trials of the uncut utterances},
    ``excluded`` {utterance: why} those that are left out of both.
    """

    findings: listing.Findings
    parts: dict
    lists: dict
    excluded: dict


def check(source, chosen_protocol, sample_rate, training=None):
    """The findings of examine: all errors and oddities of a corpus."""
    return examine(source, chosen_protocol, sample_rate, training).findings


def examine(source, chosen_protocol, sample_rate, training=None):
    """Check a corpus: its listing, its audio and its trial lists, and measure it.

    Parameters
    ----------
    source : dict {kind: options, and pipes, limit, segments beside it}
    chosen_protocol : dict {protocol: options}
        Empty for a corpus that only trains: of its audio the headers are read, of an evaluated one the samples. Pipes
        of a corpus that trains run in the job that reads them; those that are not allowed never do. What may be
        excluded is always read whole.
    sample_rate : int
        What the corpus will be converted to, Hz.
    training : dict {name of a corpus that trains attackers: source}, optional
        Its speakers must not be evaluated.

    Returns
    -------
    Examination
    """
    findings, parts, lists, excluded = listing.Findings(), {}, {}, {}
    evaluated = bool(chosen_protocol)
    try:
        utterances = listing.list_utterances(source, findings)
        whole = (
            protocol.split(source, chosen_protocol, utterances, findings)
            if evaluated
            else [utterances]
        )
        names = ("enrolment", "trial") if evaluated else ("train",)
        parts = dict(zip(names, protocol.limited(source, *whole), strict=True))
        used = {of.utterance: of for part in parts.values() for of in part}
        checked = list(used.values()) if "limit" in source else utterances
        durations, excluded = _check_audio(
            checked, source, sample_rate, findings, evaluated=evaluated
        )
        check_loss(source, parts, excluded, findings)
        parts = {name: without(part, excluded) for name, part in parts.items()}
        if evaluated:
            lists = _check_lists(source, chosen_protocol, whole, parts, findings)
            _check_sessions(parts, findings)
            _check_training(training or {}, parts, findings)
        parts = {
            name: _measure(part, durations, source, sample_rate, findings)
            for name, part in parts.items()
        }
    except BadInput as error:
        findings.error(*_place(error))
        parts = {name: part for name, part in parts.items() if isinstance(part, Size)}
    return Examination(findings, parts, lists, excluded)


def examine_entry(name, corpora):
    """Examine one corpus of a completed config's corpora."""
    entry = corpora[name]
    missing = downloads.missing(entry.get("librispeech", {}))
    if missing:
        return Examination(_will_be_downloaded(missing), {}, {}, {})
    evaluated = entry["use"] == "evaluation"
    training = {of: source_of_entry(corpora[of]) for of in corpora if corpora[of]["use"] == "train"}
    chosen = entry.get("protocol", {}) if evaluated else {}
    return examine(
        source_of_entry(entry), chosen, entry["sample_rate"], training if evaluated else {}
    )


def _will_be_downloaded(missing):
    findings = listing.Findings()
    for folder, archive in missing:
        what = (
            f"is not there: {archive.bytes / 1e6:.0f} MB will be downloaded; check again afterwards"
        )
        findings.oddity(folder, "-", what)
    return findings


def source_of_entry(entry):
    """What a completed config says of a corpus's speech: {kind: options}, and pipes, limit, segments beside it."""
    return {key: value for key, value in entry.items() if key not in BESIDE_THE_SOURCE}


def _check_audio(utterances, source, sample_rate, findings, *, evaluated):
    """Look at all recordings: {utterance: seconds} of those that can be read, {utterance: why} of those left out."""
    run_pipes = source.get("pipes") and (evaluated or excludes(source))
    files = [
        of
        for of in utterances
        if of.audio is not None and (run_pipes or not isinstance(of.audio, pipes.Pipe))
    ]
    of_rate, durations, bad = {}, {}, {}
    inspected = inspect([of.audio for of in files], samples=evaluated or excludes(source))
    for utterance, found in zip(files, inspected, strict=True):
        for what in found.oddities:
            findings.oddity(utterance.audio, "-", f"{what} (utterance '{utterance.utterance}')")
        if found.error:
            bad[utterance.utterance] = found.error
        else:
            of_rate.setdefault(found.header.sample_rate, []).append(utterance.audio)
            durations[utterance.utterance] = found.header.duration_s
    excluded = exclude(source, utterances, bad, findings)
    _check_rates(of_rate, sample_rate, findings)
    return durations, excluded


def _check_rates(of_rate, sample_rate, findings):
    """Say which sample rates there are: {rate in Hz: [audio, ...]}, with an example of each but the commonest."""
    commonest = max(of_rate, key=lambda rate: len(of_rate[rate]), default=None)
    if len(of_rate) > 1:
        counts = [
            f"{len(files)} of {rate} Hz" + ("" if rate == commonest else f" such as {files[0]}")
            for rate, files in sorted(of_rate.items())
        ]
        findings.oddity("audio", "-", f"mixed sample rates: {', '.join(counts)}")
    for rate, files in sorted(of_rate.items()):
        if rate < sample_rate:
            has = counted(len(files), "file has", "files have")
            what = f"{has} {rate} Hz and will have {sample_rate} Hz: no sound above {rate // 2} Hz"
            findings.oddity("audio", "-", what)


def _check_lists(source, chosen_protocol, whole, parts, findings):
    """Check every list of the protocol as it lies there, and what the limit leaves of it; {list: number of trials}."""
    counts = {}
    for name in protocol.list_names(chosen_protocol):
        try:
            protocol.check_list(chosen_protocol, name, *whole, findings)
            trials, _ = protocol.list_trials(
                source, chosen_protocol, name, *parts.values(), findings
            )
            counts[name] = len(trials)
        except BadInput as error:
            findings.error(*_place(error))
    return counts


def _check_sessions(parts, findings):
    """Speakers who are enrolled and tried from one session: its microphone and room help the attacker."""
    enrolled = {(of.speaker, of.session): of for of in reversed(parts["enrolment"])}
    tried = {(of.speaker, of.session) for of in parts["trial"] if of.session}
    for speaker, session in sorted(enrolled.keys() & tried):
        first = enrolled[speaker, session]
        what = f"speaker '{speaker}' is enrolled and tried from the same session '{session}'"
        findings.oddity(first.file, first.line, what)


def _check_training(training, parts, findings):
    """Speakers who train an attacker and are evaluated: he knows them already."""
    evaluated = {of.speaker for part in parts.values() for of in part}
    for name, source in training.items():
        try:
            listed = listing.list_utterances(source, listing.Findings())
        except BadInput:
            continue  # a finding of that corpus itself
        for speaker, first in sorted({of.speaker: of for of in reversed(listed)}.items()):
            if speaker in evaluated:
                what = f"speaker '{speaker}' trains attackers (corpus '{name}'), but enrols or is tried here"
                findings.error(first.file, first.line, what)


def _measure(part, durations, source, sample_rate, findings):
    """The Size of a part; what is too short for a segment is an oddity, a speaker without any an error."""
    seconds = [
        durations.get(of.utterance, UNKNOWN_DURATION_S if of.audio is None else 0.0) for of in part
    ]
    if "segments" not in source:
        return Size(len(part), sum(seconds))
    samples = [audio.resampled_length(duration, sample_rate) for duration in seconds]
    pieces = [segments.pieces_of(of, source["segments"], sample_rate) for of in samples]
    shortest_s, _ = segments.bounds_s(source["segments"])
    readable = [
        (of, count)
        for of, (count, _) in zip(part, pieces, strict=True)
        if of.utterance in durations
    ]
    short = [of for of, count in readable if count == 0]
    if short:
        are = counted(len(short), "utterance is", "utterances are")
        what = f"{are} shorter than {shortest_s} s and left out, such as '{short[0].utterance}'"
        findings.oddity(short[0].file, short[0].line, what)
    for speaker in sorted(
        {of.speaker for of in short} - {of.speaker for of, count in readable if count}
    ):
        findings.error(
            "segments", "-", f"speaker '{speaker}' has no utterance of {shortest_s} s in a part"
        )
    return Size(
        sum(count for count, _ in pieces),
        sum(count * length for count, length in pieces) / sample_rate,
    )


def _place(error):
    """File, line and reason of a BadInput about a whole file."""
    file, _, what = str(error).partition(": ")
    return file, "-", what
