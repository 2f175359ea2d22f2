"""Speech that a config says is anonymised already: is all of it there, and can it be used?

A run finds the same, after hours perhaps: rates, channels, lengths beside those of the originals,
silence, and recordings that are somebody's original.
"""

import itertools
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.anonymise.findings import (
    EQUAL,
    LENGTH_RULE,
    SILENT,
    is_silent,
    unlike_length,
    wrong_rate,
)
from voiceprivacy.anonymise.plugins import cuts_of, find_audio
from voiceprivacy.corpora import compared_sounds, parts, same_sound
from voiceprivacy.corpora.checks import Examination
from voiceprivacy.corpora.compared_sounds import Sound
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.recordings import inspect, is_same_sound, mono
from voiceprivacy.corpora.rows import Cut, whole
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.plan.plan import Plan
from voiceprivacy.running import decoding
from voiceprivacy.tools.file_names import ALIKE, as_utterance, audio_files, pair
from voiceprivacy.vocabulary import FREE, ORIGINAL

SHOWN = 10  # utterances that a finding names
HEARD = 20  # of protected recordings, to compare them with the originals
SILENT_MADE = "is silent, the original is not"
LOOK = 16000  # samples that are read first, to hear whether there is sound


class _Submission(NamedTuple):
    """The protected speech of one part of a corpus.

    ``sample_rate`` is what it must be, None where any will do; ``free_length`` says that it may be
    longer or shorter than the original.
    """

    anonymiser: str
    folders: list[str]
    sample_rate: int | None
    free_length: bool


def findings_of(config: dict, examined: Mapping[str, Examination]) -> Findings:
    """Look for every utterance in the folders of the config's ``audio`` anonymisers.

    Parameters
    ----------
    config : dict, completed and without problems
    examined : as in ``listed_parts``

    Returns
    -------
    Findings : an error for each anonymiser and part of a corpus that lacks utterances, or has files
        that a run refuses
    """
    findings, plan = Findings(), Plan(config)
    entries = plan.speech.anonymisers.items()
    ready = {name: options for name, options in entries if "audio" in options}
    parts_of_run = listed_parts(plan, examined) if ready else {}
    for (corpus, part), listed in parts_of_run.items():
        for name, options in ready.items():
            if part != "train" or corpus in plan.attackers.learnt_corpora(name):
                folders = map(ours, plan.speech.anonymiser_call(name, corpus, part)["audio"])
                rate = None if options["resample"] else plan.speech.sample_rate(corpus)
                heard = _originals(parts_of_run, corpus, examined[corpus].sounds)
                is_free = options.get("lengths") == FREE
                made = _Submission(name, [*folders], rate, is_free)
                _look_at(listed, made, heard, findings)
    return findings


def listed_parts(
    plan: Plan,
    examined: Mapping[str, Examination],
    wanted: Iterable[tuple[str, str]] | None = None,
) -> dict[tuple[str, str], list[Listed]]:
    """{(corpus, part): utterances} of what is wanted: by default all speech that a run protects.

    Corpora with errors are left out, and those that are cut into segments: what their pieces are
    called is known when they are cut. ``examined`` is {corpus: checks.Examination}.
    """
    listed = {}
    for corpus, part in _protected_parts(plan) if wanted is None else wanted:
        examination, source = examined[corpus], plan.speech.source(corpus)
        if examination.parts and not examination.findings.errors() and "segments" not in source:
            protocol = plan.speech.protocol(corpus)
            utterances = parts.list_part(source, protocol, part, excluded=examination.excluded)
            listed[corpus, part] = utterances
    return listed


def _protected_parts(plan: Plan) -> Iterator[tuple[str, str]]:
    """(corpus, part) of all speech that attackers try or learn from, or that is measured."""
    attacked = dict.fromkeys(attack.corpus for attack in plan.attackers.attacks())
    yield from product(attacked, ("enrolment", "trial"))
    for corpus in plan.speech.evaluated:
        if corpus not in attacked and plan.utility.measures(corpus):
            yield corpus, "trial"
    for corpus in plan.speech.training:
        yield corpus, "train"


def _originals(
    parts_of_run: Mapping[tuple[str, str], Sequence[Listed]],
    corpus: str,
    prints: Mapping[str, same_sound.Print],
) -> list[Sound]:
    """The original recordings of a corpus that were heard."""
    sounds = []
    for (name, part), listed in parts_of_run.items():
        for one in listed if name == corpus else ():
            sound = prints.get(one.utterance)
            if one.audio and sound is not None:
                sounds.append(Sound(part, ORIGINAL, one.utterance, one.audio, sound))
    return sounds


def _look_at(
    listed: Sequence[Listed], made: _Submission, originals: Sequence[Sound], findings: Findings
) -> None:
    """Add what is wrong with the protected speech of a part."""
    of_anonymiser = f"anonymiser '{made.anonymiser}'"
    try:
        paths = find_audio(made.folders, [as_utterance(one) for one in listed])
        there = [one for one in listed if one.utterance in paths]
        unusable, sounds = _note_unusable(there, paths, made, findings)
        usable = [one for one in there if one.utterance not in unusable]
        _note_originals(usable, paths, of_anonymiser, findings)
        findings += compared_sounds.compare([*originals, *sounds], given=True)
    except BadInput as error:
        findings.error(f"anonymiser {made.anonymiser}", "-", str(error))
        return
    missing = [one for one in listed if one.utterance not in paths]
    if missing:
        names = [one.utterance for one in missing]
        shown = [*names[:SHOWN], "..."] if len(names) > SHOWN else names
        share = f"{len(names)} of {counted(len(listed), 'utterance')} missing"
        message = f"{share}: {', '.join(shown)} ({of_anonymiser}){_what_lies_there(missing, made)}"
        findings.error(" ".join(made.folders), "-", message)


# Where files are missing: what lies there, and how new-run would pair it.


def _what_lies_there(missing: Sequence[Listed], made: _Submission) -> str:
    """What lies in the folders, and how many of the utterances new-run finds in it."""
    words = ""
    recorded = [str(path.parent) for one in missing if isinstance(path := whole(one.audio), Path)]
    root = Path(os.path.commonpath(recorded)) if recorded else Path()
    for folder in made.folders:
        try:
            files = audio_files(folder)
            pairs = pair(missing, root, folder)
        except BadInput as error:  # no audio, or none of it is called like an original
            words += f"; {error}"
            continue
        forms = Counter(_form(name, path, folder) for name, path in pairs.items())
        [(form, _)] = forms.most_common(1)
        words += (
            f"; {counted(len(files), 'audio file')} below {folder}, of which {len(pairs)} pair by"
            f" their names, such as {form}: voiceprivacy new-run writes a wav.scp of them"
        )
    return words


def _form(name: str, path: Path, folder: str) -> str:
    """How a protected file is called after its utterance: {utterance}_anon.wav."""
    called = path.relative_to(Path(folder).absolute()).as_posix()
    alike = ALIKE.pattern.join(map(re.escape, ALIKE.split(name)))
    return re.sub(alike, "{utterance}", called, count=1)


# Files that a run refuses.


def _note_unusable(
    listed: Sequence[Listed],
    paths: Mapping[str, Path],
    made: _Submission,
    findings: Findings,
) -> tuple[set[str], list[Sound]]:
    """Add what each file tells by itself; the utterances whose files cannot be used, and sounds."""
    cuts = cuts_of(made.folders)
    recordings = {
        name: Cut(path, *cuts[name]) if name in cuts else path for name, path in paths.items()
    }
    originals = {one.utterance: one.audio for one in listed if isinstance(whole(one.audio), Path)}
    protected = [recordings[one.utterance] for one in listed]
    headers = (
        inspection.header for inspection in inspect(filter(None, originals.values()), samples=False)
    )
    durations = {
        name: header.duration_s for name, header in zip(originals, headers, strict=True) if header
    }
    sounds = []
    faults: dict[str, list[tuple[Listed, str]]] = {}
    mixed = []
    for one, inspection in zip(listed, inspect(protected, samples=True), strict=True):
        header, name = inspection.header, one.utterance
        if header is None:
            faults.setdefault("unreadable", []).append((one, str(inspection.error)))
            continue
        mixed += [one] if header.channels > 1 else []
        if inspection.sound is not None:
            sounds.append(Sound("", made.anonymiser, name, recordings[name], inspection.sound))
        duration_s = durations.get(name, header.duration_s)
        for kind, fault in (
            (f"{header.sample_rate} Hz", wrong_rate(header.sample_rate, made.sample_rate)),
            ("length", None if made.free_length else _length(header.duration_s, duration_s)),
            ("silence", _silence(one, recordings[name])),
        ):
            if fault:
                faults.setdefault(kind, []).append((one, fault))
                break
    for group in faults.values():
        first, fault = group[0]
        share = f"{len(group)} of {counted(len(listed), 'recording')}"
        such = f"{share}, such as '{first.utterance}', of anonymiser '{made.anonymiser}'"
        findings.error(paths[first.utterance], "-", f"{fault} ({such})")
    if mixed:
        have = counted(len(mixed), "recording has", "recordings have")
        message = f"{have} several channels, which are averaged (anonymiser '{made.anonymiser}')"
        findings.oddity(paths[mixed[0].utterance], "-", message)
    return {one.utterance for one, _ in itertools.chain(*faults.values())}, sounds


def _length(duration_s: float, original_s: float) -> str | None:
    """What is wrong with a length, and what the rule is."""
    fault = unlike_length(duration_s, original_s)
    return fault and f"{fault}; {LENGTH_RULE}"


def _silence(original: Listed, made: Path | Cut) -> str | None:
    """What is wrong where a whole file is silent, and its original is not."""
    if isinstance(made, Cut) or decoding.is_encoded(made) or _is_heard(made):
        return None
    if original.audio and isinstance(whole(original.audio), Path):
        return None if is_silent(mono(original.audio)[0]) else SILENT_MADE
    return SILENT_MADE


def _is_heard(path: Path) -> bool:
    """Whether a file has sound; of most files the first second is read."""
    low, high, start, length = math.inf, -math.inf, 0, LOOK
    while True:
        piece = audio.read_piece(path, start=start, length=length)
        low, high = min(low, piece.min(initial=low)), max(high, piece.max(initial=high))
        if high - low >= 2 * SILENT:
            return True
        if len(piece) < length:
            return False
        start, length = start + length, 4 * length


# Recordings that are another one.


def _note_originals(
    listed: Sequence[Listed], paths: Mapping[str, Path], of_anonymiser: str, findings: Findings
) -> None:
    """Note recordings that are the original still; of many some are heard.

    The run refuses what has the very samples: this is an error.
    """
    recorded = [(one.utterance, one.audio) for one in listed if one.audio]
    heard = recorded[:: max(1, len(recorded) // HEARD)]
    pairs = [(original, Path(paths[name])) for name, original in heard]
    are_same = [is_same_sound(original, path) for original, path in pairs]
    unchanged = list(itertools.compress(pairs, are_same))
    if unchanged:
        is_equal = any(is_same_sound(*pair, least=EQUAL) for pair in unchanged)
        note = findings.error if is_equal else findings.oddity
        share = f"{len(unchanged)} of {len(heard)} recordings that were compared are the original"
        name = heard[are_same.index(True)][0]
        such = f"such as '{name}' ({of_anonymiser})"
        note(paths[name], "-", f"{share}: not protected, {such}")
