"""Small corpora on disk, made by the tests, and the commands that read them."""

import os

import numpy as np
import soundfile

from support import calls
from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.inout.manifests import read_manifest

SPEECH = os.environ.get("VOICEPRIVACY_SPEECH")


def write_audio(path, *, sample_rate=16000, channels=1, seconds=0.1):
    path.parent.mkdir(parents=True, exist_ok=True)
    size = (round(seconds * sample_rate), channels)
    samples = np.random.default_rng(0).normal(scale=0.1, size=size)
    soundfile.write(path, samples, sample_rate)
    return path


def librispeech(
    root, *, chapters=2, utterances=3, women=("11", "13"), men=("12", "14"), subset="dev"
):
    """subset/speaker/chapter/utterance.flac and SPEAKERS.TXT."""
    lines = [";ID  |SEX| SUBSET           |MINUTES| NAME"]
    for speaker in (*women, *men):
        sex = "F" if speaker in women else "M"
        lines.append(f"{speaker:<5}| {sex} | {subset:<16} | 8.00  | Some | One")
        for chapter in range(100, 100 + chapters):
            folder = root / subset / speaker / str(chapter)
            for index in range(utterances):
                write_audio(folder / f"{speaker}-{chapter}-{index:04d}.flac")
    (root / "SPEAKERS.TXT").write_text("\n".join(lines) + "\n")
    return {"librispeech": {"root": str(root), "subsets": [subset]}}


def kaldi(folder, *, women=("w1", "w2"), men=(), enrolled=2, tried=2):
    """A Kaldi directory whose utterances are all the same: its source and its protocol."""
    genders = dict.fromkeys(women, "f") | dict.fromkeys(men, "m")
    names = names_of(genders, enrolled + tried)
    for name in (name for own in names.values() for name in own):
        write_audio(folder / "wav" / f"{name}.wav")
    write_kaldi(folder, genders, names, enrolled=enrolled, path=lambda name: f"wav/{name}.wav")
    return {"kaldi": str(folder)}, {"given": {"all": str(folder)}}


def names_of(speakers, utterances):
    """{speaker: [utterance, ...]}"""
    numbers = range(utterances)
    return {speaker: [f"{speaker}-{number}" for number in numbers] for speaker in speakers}


def write_kaldi(folder, genders, names, *, enrolled, path):
    """Write a Kaldi directory without its audio: every speaker against every trial utterance.

    Parameters
    ----------
    folder : path
    genders : {speaker: f or m}
    names : {speaker: [utterance, ...]}, the first ``enrolled`` of which enrol
    path : function of an utterance, as in wav.scp
    """
    lines = {"wav.scp": [], "utt2spk": [], "spk2gender": [], "enrolls": [], "trials": []}
    for speaker, own in names.items():
        lines["spk2gender"].append(f"{speaker} {genders[speaker]}")
        lines["enrolls"] += own[:enrolled]
        lines["wav.scp"] += [f"{name} {path(name)}" for name in own]
        lines["utt2spk"] += [f"{name} {speaker}" for name in own]
        for other, tried in names.items():
            label = "target" if other == speaker else "nontarget"
            lines["trials"] += [f"{speaker} {name} {label}" for name in tried[enrolled:]]
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in lines.items():
        write_lines(folder / file, text)


SENTENCES = (1, 24, 25, 26, 27)
MICROPHONES = ("mic1", "mic2")


def vctk(root, *, men=("p226",), microphones=MICROPHONES):
    """wav48_silence_trimmed/speaker/speaker_sentence_microphone.flac at 48 kHz, and a table."""
    lines = ["ID  AGE  GENDER  ACCENTS  REGION COMMENTS "]
    for speaker in ("p225", *men):
        sex = "M" if speaker in men else "F"
        lines.append(f"{speaker}  23  {sex}    English    Southern  England")
        for sentence in SENTENCES:
            for microphone in microphones:
                name = f"{speaker}_{sentence:03d}_{microphone}.flac"
                write_audio(root / "wav48_silence_trimmed" / speaker / name, sample_rate=48000)
    write_lines(root / "speaker-info.txt", lines)
    return {"vctk": {"root": str(root), "microphone": "mic2"}}


def folder(root, paths, *, pattern="{speaker}/{session}/{utterance}.wav", genders=None):
    """Audio files at these paths, and a table of genders beside them if there is one."""
    for path in paths:
        write_audio(root / path)
    options = {"root": str(root), "pattern": pattern}
    if genders:
        rows = ["speaker\tgender", *[f"{speaker}\t{gender}" for speaker, gender in genders.items()]]
        write_lines(root / "speakers.tsv", rows)
        options["speakers"] = str(root / "speakers.tsv")
    return {"folder": options}


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def listed(source):
    """The utterances of a corpus, and what was found: "level place: what"."""
    findings = Findings()
    return list_utterances(source, findings), [f"{finding.level} {finding}" for finding in findings]


def errors(source):
    """The errors that are found where a corpus is listed."""
    findings = Findings()
    list_utterances(source, findings)
    return [str(finding) for finding in findings.errors()]


def messages(source, protocol):
    """All that is found in a corpus before hours of work."""
    return [str(finding) for finding in checks.examine(source, protocol, 16000).findings]


def prepare(folder, source, protocol, part, *, by=calls.succeeds, **more):
    """Run prepare_part into folder/part.tsv; what it says."""
    given = {"source": source, "protocol": protocol, "part": part} | more
    given |= {"manifest": folder / f"{part}.tsv", "audio_dir": folder / part}
    return by("prepare_part", *calls.flags(**given))


def prepared(folder, source, protocol, part, **flags):
    """The utterances that prepare_part, which must succeed, has written."""
    prepare(folder, source, protocol, part, **flags)
    return read_manifest(folder / f"{part}.tsv")


def prepare_list(folder, source, protocol, name, **flags):
    """Run prepare_part for both parts and list_trials: the trials, and who enrols with which."""
    parts = {part: folder / f"{part}.tsv" for part in ("enrolment", "trial")}
    for part in parts:
        prepared(folder, source, protocol, part, **flags)
    trials, enrolments = folder / f"{name}.tsv", folder / f"{name}.enrolments.tsv"
    written = {"output_trials": trials, "output_enrolments": enrolments}
    written["output_speakers"] = folder / f"{name}.speakers.tsv"
    given = {"source": source, "protocol": protocol, "trials": name}
    calls.succeeds("list_trials", *calls.flags(**given, **parts, **written))
    return trials, enrolments


OF_IEMOCAP = ("ang", "hap", "exc", "neu", "sad", "xxx")


def iemocap(root, *, sessions=(1, 2), write=None):
    """IEMOCAP as it is distributed: an utterance of both speakers of a session for each label.

    Parameters
    ----------
    write : function of a path and a speaker, who says something there; else noise
    """
    for session in sessions:
        folder, dialogue = root / f"Session{session}", f"Ses0{session}F_impro01"
        evaluated = ["% [START_TIME - END_TIME] TURN_NAME EMOTION [V, A, D]", ""]
        transcribed = []
        for number, label in enumerate(OF_IEMOCAP):
            for speaker in "FM":
                name = f"{dialogue}_{speaker}{number:03d}"
                path = folder / "sentences" / "wav" / dialogue / f"{name}.wav"
                (write or (lambda path, _: write_audio(path)))(path, f"Ses0{session}{speaker}")
                evaluated.append(f"[{number}.2901 - {number}.9]\t{name}\t{label}\t[2.5, 2.5, 2.5]")
                evaluated.append("C-E2:\tNeutral;\t()")
                transcribed.append(f"{name} [00{number}.29-00{number}.90]: Well, [LAUGHTER] no.")
        transcribed += ["M: Hello.", f"{dialogue}_MXX0 [001.0000-001.5000]: Yeah."]
        for kind, lines in (("EmoEvaluation", evaluated), ("transcriptions", transcribed)):
            (folder / "dialog" / kind).mkdir(parents=True)
            write_lines(folder / "dialog" / kind / f"{dialogue}.txt", lines)
            # What a Mac packs beside it.
            (folder / "dialog" / kind / f"._{dialogue}.txt").write_bytes(b"\0\5\26\7\377")
        (path.parent / f"._{path.name}").write_bytes(b"\0\5\26\7\377")
    return {"iemocap": {"root": str(root), "emotions": "four", "sessions": list(sessions)}}
