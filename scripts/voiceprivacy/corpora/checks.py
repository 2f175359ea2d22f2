"""Everything that can be wrong with a corpus, found before any hour is spent on it."""

from typing import Any, NamedTuple

from voiceprivacy.corpora import parts, recordings, same_sound
from voiceprivacy.corpora.listing import (
    Findings,
    Protocol,
    Source,
    check_transcripts,
    kind_of,
    list_utterances,
    source_of_entry,
)
from voiceprivacy.corpora.rows import Pipe, stretches, whole
from voiceprivacy.corpora.training_checks import check_training, whole_parts
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.foreign import composed
from voiceprivacy.vocabulary import EVALUATION, NARROW_BAND, NO_TRIALS, TRAIN, UTILITY_ALONE

OTHER_SPEAKER = "another speaker"
TRIED_AGAINST_ITSELF = "the same speaker that it is compared with"
TWICE = "the same speaker"
NARROW_SHARE = 1e-3  # of the energy, -30 dB (docs/internals/measured.md)
SHORT_S = 1.0  # every extractor takes longer recordings
UNKNOWN_DURATION_S = 2.7  # of an utterance before it is spoken, as they are on average


class Size(NamedTuple):
    """How much there is: utterances (or pieces), seconds and speakers."""

    utterances: int
    seconds: float
    speakers: int


class Examination(NamedTuple):
    """What was found in a corpus, and how much of it there is.

    ``parts`` is {part: Size}, ``lists`` {name of a trial list: number of trials of the uncut
    utterances}, ``shortest`` the shortest recordings, {utterance: seconds}. All are without the
    ``excluded``, {utterance: why}. ``sounds`` is {utterance: its print} of what was heard.
    """

    findings: Findings
    parts: dict[str, Size]
    lists: dict[str, int]
    excluded: dict[str, str]
    shortest: dict[str, float] = {}  # noqa: RUF012
    sounds: dict[str, same_sound.Print] = {}  # noqa: RUF012


class _Heard(NamedTuple):
    """What the audio of a corpus says."""

    durations: dict[str, float]  # {utterance: seconds}, of those that can be read
    bad: dict[str, str]  # {utterance: what is wrong with its audio}
    files_of_rate: dict[int, list[Any]]  # {Hz: files and pipes}
    sounds: dict[str, same_sound.Print]  # {utterance: what it is recognised by}


def examine_entry(
    name: str,
    corpora: dict[str, dict[str, Any]],
    *,
    compared: bool = True,
    transcripts: bool = False,
) -> Examination:
    """Examine one corpus of a completed config's corpora; the options are those of ``examine``."""
    corpus = corpora[name]
    source = source_of_entry(corpus)
    kind, options = kind_of(source)
    # Before a download there is nothing to check but what will be fetched.
    missing = kind.to_download(options) if hasattr(kind, "to_download") else {}
    if missing:
        later = Findings()
        for folder, n_bytes in missing.items():
            message = f"is not there: {n_bytes / 1e6:.0f} MB will be downloaded"
            later.oddity(folder, "-", f"{message}; check again afterwards")
        return Examination(later, {}, {}, {})
    protocol, training = corpus.get("protocol", {}), {}
    if corpus["use"] == UTILITY_ALONE:  # attackers may know its speakers: they are not attacked
        protocol = {NO_TRIALS: {}}
    elif corpus["use"] == EVALUATION:
        for other_name, other in corpora.items():
            if other["use"] == TRAIN:
                training[other_name] = source_of_entry(other)
    rate = corpus["sample_rate"]
    return examine(source, protocol, rate, training, compared=compared, transcripts=transcripts)


def examine(
    source: Source,
    protocol: Protocol,
    sample_rate: int,
    training: dict[str, Source] | None = None,
    *,
    compared: bool = True,
    transcripts: bool = False,
) -> Examination:
    """Check a corpus: its listing, its audio and its trial lists, and measure it.

    Parameters
    ----------
    source : dict {kind: options, and pipes, limit, segments beside it}
    protocol : dict {protocol: options}
        Empty for a corpus that only trains: of its audio the headers are read, of an evaluated one
        the samples. Pipes of a corpus that trains run in the job that reads them; those that are
        not allowed never do. What may be excluded is always read whole.
    sample_rate : int
        What the corpus will be converted to, Hz.
    training : dict {name of a corpus that trains attackers: source}, optional
        Its speakers must not be evaluated.
    compared : bool
        Whether an attacker of the run compares utterances. Where all scores are given, nobody does.
    transcripts : bool
        Whether they are there, and looked at. No job whose speech does not depend on them does.
    """
    examined = Examination(Findings(), {}, {}, {}, {}, {})
    try:
        used = _examine(examined, source, protocol, sample_rate, training or {}, compared)
        if transcripts:
            check_transcripts(source, used, examined.findings)
    except BadInput as error:  # nothing that comes after can be checked
        examined.findings.bad_file(error)
    examined.findings.group()
    return examined


def _examine(examined, source, protocol, sample_rate, training, compared):
    findings, excluded = examined.findings, examined.excluded
    utterances = list_utterances(source, findings)
    whole = whole_parts(source, protocol, utterances, findings)
    # Of a limited corpus only what is used is listened to; lists are checked as a whole.
    limited = dict(zip(whole, parts.limited(source, *whole.values()), strict=True))
    checked = _used(limited) if "limit" in source else utterances
    heard = _listen(checked, source, bool(protocol), findings)
    examined.sounds.update(heard.sounds)
    excluded.update(_exclude(source, utterances, heard.bad, findings))
    _check_rates(heard.files_of_rate, sample_rate, findings)
    _check_loss(source, limited, excluded, findings)
    kept = {name: parts.without(part, excluded) for name, part in limited.items()}
    _check_same_sound(kept, heard.sounds, findings)
    _check_bands(kept, heard.sounds, findings)
    if protocol:
        examined.lists.update(_check_lists(source, protocol, whole, kept, findings, compared))
        _check_sessions(kept, findings)
        _check_overlaps(kept, findings)
        check_training(training, _used(kept), findings, where="here")
    if "segments" not in source:
        for utterance in _used(kept):
            if heard.durations.get(utterance.utterance, SHORT_S) < SHORT_S:
                examined.shortest[utterance.utterance] = heard.durations[utterance.utterance]
    for name, part in kept.items():
        size = _measure(part, heard.durations, source, sample_rate, findings)
        examined.parts[name] = size
    return _used(kept)


def _used(some_parts):
    """The utterances of all parts, each once."""
    used = {}
    for part in some_parts.values():
        for utterance in part:
            used[utterance.utterance] = utterance
    return list(used.values())


def _listen(utterances, source, evaluated, findings):
    """Look at all recordings: _Heard. What is odd in them goes to the findings."""
    # Corpora for training are the largest: of them the headers are enough.
    reads_samples = evaluated or parts.excludes(source)
    run_pipes = source.get("pipes") and reads_samples
    recorded = []
    for utterance in utterances:
        pipe = whole(utterance.audio)
        if isinstance(pipe, Pipe) and not run_pipes:
            if source.get("pipes") and (program := recordings.missing_program(pipe)):
                findings.error(pipe, "-", f"{program}: no such program")
            continue
        if utterance.audio is not None:
            recorded.append(utterance)
    heard = _Heard({}, {}, {}, {})
    inspections = recordings.inspect(
        (utterance.audio for utterance in recorded), samples=reads_samples
    )
    for utterance, inspection in zip(recorded, inspections, strict=True):
        for oddity in inspection.oddities:
            message = f"{oddity} (utterance '{utterance.utterance}')"
            findings.oddity(utterance.audio, "-", message, f"a recording {oddity}")
        if inspection.error:
            heard.bad[utterance.utterance] = inspection.error
            continue
        rate = inspection.header.sample_rate
        heard.files_of_rate.setdefault(rate, []).append(utterance.audio)
        heard.durations[utterance.utterance] = inspection.header.duration_s
        if inspection.sound is not None:
            heard.sounds[utterance.utterance] = inspection.sound
    return heard


def _exclude(source, utterances, bad, findings):
    """Decide what is left out, {utterance: why}, and say so in the findings.

    ``bad`` is {utterance: what is wrong with its audio}: an error, unless on_bad_audio is exclude.
    """
    listed = {utterance.utterance: utterance for utterance in utterances}
    excluded = {}
    for name in dict.fromkeys(map(composed, source.get("exclude", ()))):
        if name in listed:
            excluded[name] = "named in exclude"
        else:
            findings.error("exclude", "-", f"utterance '{name}' is not one of the corpus")
    for name, why in bad.items():
        if source.get("on_bad_audio") == "exclude":
            excluded.setdefault(name, why)
        elif name not in excluded:  # bad audio that exclude names is no error
            findings.error(listed[name].audio, "-", f"{why} (utterance '{name}')")
    for name, why in sorted(excluded.items()):
        findings.excluded(listed[name].audio, "-", f"{why} (utterance '{name}')")
    return excluded


def _check_rates(files_of_rate, sample_rate, findings):
    """Say which sample rates there are, with an example of each but the commonest."""
    counts = {rate: len(files) for rate, files in sorted(files_of_rate.items())}
    if len(counts) > 1:
        commonest = max(files_of_rate, key=lambda rate: len(files_of_rate[rate]))
        described = []
        for rate, count in counts.items():
            example = "" if rate == commonest else f" such as {files_of_rate[rate][0]}"
            described.append(f"{count} of {rate} Hz{example}")
        findings.oddity("audio", "-", f"mixed sample rates: {', '.join(described)}")
    for rate, count in counts.items():
        if rate < sample_rate:
            has = f"{counted(count, 'file has', 'files have')} {rate} Hz"
            message = f"{has} and will have {sample_rate} Hz: no sound above {rate // 2} Hz"
            findings.oddity("audio", "-", message)


def _check_same_sound(kept, sounds, findings):
    """Say which recordings are the same sound as another one, each kind in one line.

    Equal samples under two speakers are an error: it is unknown which of the two speaks.
    """
    roles: dict[str, set[str]] = {}
    for name, part in kept.items():
        for utterance in part:
            roles.setdefault(utterance.utterance, set()).add(name)
    heard = sorted(utterance for utterance in _used(kept) if utterance.utterance in sounds)
    kinds: dict[str, list[tuple]] = {}
    for pair in same_sound.same([sounds[utterance.utterance] for utterance in heard]):
        first, second = heard[pair.first], heard[pair.second]
        crossed = roles[first.utterance] | roles[second.utterance] >= {"enrolment", "trial"}
        if first.speaker != second.speaker:
            kind = OTHER_SPEAKER
        else:
            kind = TRIED_AGAINST_ITSELF if crossed else TWICE
        kinds.setdefault((kind, pair.equal), []).append((first, second))
    for (kind, equal), group in kinds.items():
        first, second = group[0]
        such = f"such as '{first.utterance}' and '{second.utterance}' ({first.audio})"
        after = "" if equal else ", resampled or coded with loss"
        are = counted(len(group), "recording is", "recordings are")
        sound = f"{are} the same sound as a recording of {kind}{after}"
        message = f"{sound}, {such}"
        if kind == OTHER_SPEAKER and equal:
            message += ": keep it under the one who speaks, or name both in exclude"
            findings.error(second.audio, "-", message)
        else:
            findings.oddity(second.audio, "-", message, sound)


def _check_bands(kept, sounds, findings):
    """Say once that a corpus has a narrow band: at least half of its recordings do.

    The verdict knows the finding by its place, NARROW_BAND.
    """
    heard = [utterance for utterance in _used(kept) if utterance.utterance in sounds]
    n_narrow = sum(sounds[one.utterance].high_share < NARROW_SHARE for one in heard)
    if n_narrow and 2 * n_narrow >= len(heard):
        message = (
            f"{n_narrow} of {counted(len(heard), 'recording holds', 'recordings hold')} next to"
            " nothing above 4 kHz (telephone?): encoders that learnt from 16 kHz are much weaker on"
            " them (published: an EER of 4.8 % becomes 29.7 %)"
        )
        findings.oddity(NARROW_BAND, "-", message, message)


def _check_overlaps(kept, findings):
    """Note stretches that are tried and overlap with one of the same recording that enrols."""
    enrolled: dict[object, list[tuple]] = {}
    for utterance in kept["enrolment"]:
        for stretch in stretches(utterance.audio):
            enrolled.setdefault(whole(utterance.audio), []).append((stretch, utterance))
    overlapping = {}
    for tried in kept["trial"]:
        for start, end in stretches(tried.audio):
            for (other_start, other_end), other in enrolled.get(whole(tried.audio), []):
                if max(start, other_start) < min(end, other_end) and tried.audio != other.audio:
                    overlapping[tried] = other
    if overlapping:
        tried, other = next(iter(overlapping.items()))
        lie = counted(
            len(overlapping), "utterance that is tried lies", "utterances that are tried lie"
        )
        such = f"such as '{tried.utterance}' and '{other.utterance}'"
        message = f"{lie} in part in the stretch of a recording that enrols, {such}"
        findings.oddity(tried.file, tried.line, message)


def _check_loss(source, limited, excluded, findings):
    """Count what every part loses; a speaker without any utterance left in one is an error.

    It is none where the config excludes all utterances by name: then it is meant so.
    """
    not_named = parts.without(_used(limited), source.get("exclude", ()))
    meant_to_stay = {utterance.speaker for utterance in not_named}
    losses, gone_from = [], {}
    for name, part in limited.items():
        lost = [utterance for utterance in part if utterance.utterance in excluded]
        losses.append(f"{len(lost)} of {len(part)} of {name}")
        # Without any utterance in a part, a speaker has no model, or no trials.
        left = {utterance.speaker for utterance in parts.without(part, excluded)}
        gone_from[name] = {utterance.speaker for utterance in lost} - left
    if excluded:
        are = counted(len(excluded), "utterance is", "utterances are")
        message = f"{are} excluded from everything ({', '.join(losses)})"
        findings.oddity("audio", "-", message)
    for name, gone in gone_from.items():
        for speaker in sorted(gone & meant_to_stay):
            lost_all = f"speaker '{speaker}' loses all utterances of {name}"
            message = f"{lost_all}: mend them, or exclude all of this speaker's"
            findings.error("audio", "-", message)


def _check_lists(source, protocol, whole, kept, findings, compared):
    """Check every list as it lies there, and what the limit leaves of it: {list: its trials}."""
    by_others = compared and not protocol.keys() & {"all_pairs", "rank_sampling"}
    counts = {}
    for name in parts.list_names(protocol):
        try:
            parts.check_list(protocol, name, *whole.values(), findings)
            trials, _ = parts.list_trials(source, protocol, name, *kept.values(), findings)
            counts[name] = len(trials)
        except BadInput as error:
            findings.bad_file(error)
            continue
        if by_others and counts[name]:
            _check_pairs(name, trials, kept["trial"], findings)
    return counts


def _check_pairs(name, trials, part, findings):
    """Refuse a list whose released files cannot be compared with each other.

    Linkage and voice similarity compare those of one speaker, and those of two. Pieces of one
    utterance are not compared.
    """
    speaker_of = {said.utterance: said.speaker for said in part}
    first_of = {}  # {speaker: an utterance that is tried}
    is_repeated = False
    for trial in trials:
        speaker = speaker_of[trial.trial]
        is_repeated |= first_of.setdefault(speaker, trial.trial) != trial.trial
        if is_repeated and len(first_of) > 1:
            return  # of millions of trials, the first few usually are enough
    if not is_repeated:
        message = "no speaker is tried with two utterances, which are compared with each other"
        findings.error(f"trial list {name}", "-", f"{message}: let fewer enrol, or add some")
    elif any(trial.label == "nontarget" for trial in trials):
        message = "only one speaker is tried: there is no other voice to compare this one with"
        findings.error(f"trial list {name}", "-", f"{message}: add trials of others")


def _check_sessions(kept, findings):
    """Note speakers who are enrolled and tried from one session.

    Its microphone and room help the attacker.
    """
    enrolled = {}
    for utterance in reversed(kept["enrolment"]):  # so that the first one stays
        enrolled[utterance.speaker, utterance.session] = utterance
    tried = {
        (utterance.speaker, utterance.session) for utterance in kept["trial"] if utterance.session
    }
    for speaker, session in sorted(enrolled.keys() & tried):
        first = enrolled[speaker, session]
        message = f"speaker '{speaker}' is enrolled and tried from the same session '{session}'"
        findings.oddity(first.file, first.line, message)


def _measure(part, durations, source, sample_rate, findings):
    """The Size of a part, in pieces where the corpus is cut."""
    seconds, n_speakers = [], len({utterance.speaker for utterance in part})
    for utterance in part:
        # Of a pipe that was not run nothing is known: the estimate leaves it out.
        unknown = UNKNOWN_DURATION_S if utterance.audio is None else 0.0
        seconds.append(durations.get(utterance.utterance, unknown))
    if "segments" not in source:
        return Size(len(part), sum(seconds), n_speakers)
    n_pieces, n_samples = 0, 0
    short, long_enough = [], []
    for utterance, duration in zip(part, seconds, strict=True):
        length = audio.resampled_length(duration, sample_rate)
        count, piece = recordings.pieces_of(length, source["segments"], sample_rate)
        n_pieces += count
        n_samples += count * piece
        if utterance.utterance in durations:
            (long_enough if count else short).append(utterance)
    _note_short(short, long_enough, source["segments"], findings)
    return Size(n_pieces, n_samples / sample_rate, n_speakers)


def _note_short(short, long_enough, options, findings):
    """What is too short for a piece is an oddity, a speaker without any piece an error."""
    shortest_s, _ = recordings.bounds_s(options)
    if short:
        are = counted(len(short), "utterance is", "utterances are")
        message = f"{are} shorter than {shortest_s} s and left out, such as '{short[0].utterance}'"
        findings.oddity(short[0].file, short[0].line, message)
    speakers = {utterance.speaker for utterance in long_enough}
    for speaker in sorted({utterance.speaker for utterance in short} - speakers):
        message = f"speaker '{speaker}' has no utterance of {shortest_s} s in a part"
        findings.error("segments", "-", message)
