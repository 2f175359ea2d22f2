"""Malformed input: (what, command that reads it, file, how it is spoilt, what the error says).

Lines are counted from 1, as an editor shows them.
"""

# ruff: noqa: E501  a row of a table is a line

import struct
import zipfile

import numpy as np
import soundfile

from support.spoilers import (
    append,
    arrays,
    config,
    cut,
    edit,
    huge,
    into_folder,
    into_pipe,
    line,
    matching,
    remove,
    repeat,
    sound,
    write,
)
from support.world import RATE, SECONDS, speech

# Tables and arrays.

NUL_AND_TEXT = "enrolment\ttrial\tlabel\nanna\tan\0na-2\ttarget\n"
ENDLESS_ID = "a" * 300


def embeddings(shape, size):
    """A small npz whose embeddings announce a shape and hold so many bytes."""

    def change(path):
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.savez(path, ids=np.array(["a"]))
        packed = zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED)
        with packed, packed.open("embeddings.npy", "w") as member:
            np.lib.format.write_array_header_1_0(member, header)
            for start in range(0, size, 2**20):
                member.write(bytes(min(size - start, 2**20)))

    return change


def evil(path):
    """One more file in the archive, which is no array and leads elsewhere."""
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("../../evil.npy", b"hello")


SCORES = [
    ("no scores at all", "verification", "scores.tsv", remove, ["scores.tsv: not found"]),
    ("a folder for a file", "verification", "scores.tsv", into_folder, ["scores.tsv: is a folder"]),
    ("an empty file", "verification", "scores.tsv", write(""), ["scores.tsv:1: expected the columns enrolment trial"]),
    ("an empty trial id", "verification", "scores.tsv", line(4, "anna\t\ttarget\t1"), ["scores.tsv:4:", "is empty"]),
    ("Latin-1", "verification", "scores.tsv", write(b"enrolment\ttrial\tlabel\tscore\nJos\xe9\ta\ttarget\t1\n"), ["scores.tsv:2: not UTF-8 text (byte 0xe9)"]),
    ("a NUL byte", "verification", "scores.tsv", write(NUL_AND_TEXT), ["scores.tsv:2: not text", "NUL"]),
    ("a named pipe", "verification", "scores.tsv", into_pipe, ["scores.tsv: is a pipe or a device, not a file"]),
    ("two speakers of one id", "verification by speaker", "speakers.tsv", append("anna-0\tberta\n"), ["speakers.tsv:22: 'anna-0' has two speakers"]),
    ("an id without a speaker", "verification by speaker", "speakers.tsv", edit("anna-2\tanna\n", ""), ["'anna-2' has no speaker"]),
    ("a tag without a range", "zebra with tags", "tags.yaml", write("{weak: {meaning: x}}"), ["tags.yaml", "weak"]),
]  # fmt: skip

TRIALS = [
    ("an unknown trial utterance", "scoring", "trials.tsv", line(4, "anna\tzoe-1\ttarget"), ["trial.npz: has no embedding of 'zoe-1'"]),
    ("an unknown model", "scoring", "trials.tsv", line(4, "zoe\tanna-2\ttarget"), ["zoe"]),
    ("no trial", "scoring", "trials.tsv", write("enrolment\ttrial\tlabel\n"), ["trials.tsv: lists no trial"]),
    ("an enrolment utterance twice", "scoring", "enrolments.tsv", repeat(2), ["enrolments.tsv:10: utterance 'anna-0' enrols 'anna' twice"]),
]  # fmt: skip

ARRAYS = [
    ("text for an npz", "scoring", "enrolment.npz", write("no array"), ["enrolment.npz: not an npz file"]),
    ("pickled ids", "scoring", "enrolment.npz", arrays(ids=lambda old: old.astype(object)), ["npz", "pickled objects"]),
    ("a member that leads elsewhere", "scoring", "trial.npz", evil, ["trial.npz: not an npz file"]),
    ("embeddings beyond single precision", "scoring", "trial.npz", arrays(embeddings=lambda old: old.astype(float) * 1e300), ["'anna-0' is not finite in single"]),
    ("no ids", "scoring", "trial.npz", arrays(ids=None), ["trial.npz: has no array 'ids'"]),
    ("numbers for ids", "scoring", "trial.npz", arrays(ids=np.arange(16)), ["trial.npz: ids must be text"]),
    ("complex embeddings", "scoring", "trial.npz", arrays(embeddings=lambda old: old * 1j), ["embeddings must be numbers"]),
    ("an id too few", "scoring", "trial.npz", arrays(ids=lambda old: old[1:]), ["trial.npz: 15 ids for embeddings of"]),
    ("an id twice", "scoring", "trial.npz", arrays(ids=lambda old: old[[0, *range(15)]]), ["trial.npz: 'anna-0' occurs twice among the ids"]),
    ("a NaN embedding", "scoring", "trial.npz", arrays(embeddings=lambda old: old * np.array([1, 1, 1, np.nan])), ["trial.npz: the embedding of 'anna-0' is not finite"]),
    ("embeddings of another size", "scoring", "trial.npz", arrays(embeddings=lambda old: old[:, :3]), ["trial.npz: 3 dimensions, enrolment.npz has 4"]),
    ("a header that claims 4 GB", "scoring", "trial.npz", embeddings((10**9, 1), 8), ["announces 4000000000 bytes and holds 8"]),
    ("an npz that unpacks to 130 MB", "scoring", "trial.npz", embeddings((1, 2**25), 2**27), ["trial.npz", "unpacks to"]),
    ("a matrix on its side", "similarity", "oo.npz", arrays(scores=lambda old: old[:3]), ["oo.npz: scores have the shape"]),
    ("a matrix with NaN", "similarity", "oo.npz", arrays(scores=lambda old: old * np.nan), ["oo.npz: scores hold NaN, such as that of '"]),
    ("a matrix of one row", "similarity", "oo.npz", arrays(**{name: lambda old: old[:1] for name in ("rows", "row_speakers", "row_sources", "scores")}), ["the same speakers"]),
    ("a gallery without tests", "ranks", "templates.npz", arrays(**{name: lambda old: old[:0] for name in ("rows", "row_speakers", "row_sources", "scores")}), ["there are no test utterances"]),
    ("speakers too few", "ranks", "templates.npz", arrays(row_speakers=lambda old: old[1:]), ["has 15 entries for 16 rows"]),
]  # fmt: skip

MANIFESTS = [
    ("an utterance twice", "McAdams", "speech/manifest.tsv", repeat(2), [":18: utterance 'anna-0' occurs twice"]),
    ("an utterance without a speaker", "McAdams", "speech/manifest.tsv", edit("anna-1\tanna", "anna-1\t"), [":3:", "speaker"]),
    ("a gender in words", "McAdams", "speech/manifest.tsv", edit("\tf\t", "\tfemale\t"), [":2: gender 'female' is not f,"]),
    ("no path", "McAdams", "speech/manifest.tsv", line(2, "u\ts\tf\t\t1"), ["manifest.tsv:2: utterance 'u' has no path"]),
    ("a path to nothing", "McAdams", "speech/manifest.tsv", edit("anna-0.wav", "x.wav"), ["wav/x.wav: not found"]),
    ("a path to a folder", "McAdams", "speech/manifest.tsv", edit("/anna-0.wav", ""), ["wav: is a folder"]),
    ("a duration below zero", "McAdams", "speech/manifest.tsv", edit("0.3", "-0.3"), [":2: utterance 'anna-0' lasts -0.3 s"]),
    ("no utterance", "McAdams", "speech/manifest.tsv", write("utterance\tspeaker\tgender\tpath\tduration_s\n"), ["lists no"]),
    *[
        (f"an id {description}", "McAdams", "speech/manifest.tsv", edit("anna-0\tanna", f"{text}\tanna"), [":2:", "cannot be an id"])
        for description, text in {
            "with a space": "an na",
            "that leads upwards": "../../anna",
            "with a leading dash": "--seed",
            "of 100 characters in 300 bytes": "\N{HIRAGANA LETTER A}" * 100,
            "with an escape": "an\x1bna",
        }.items()
    ],
    *[
        (f"a speaker {description}", "McAdams", "speech/manifest.tsv", edit("anna-0\tanna", f"anna-0\t{text}"), [":2:", "cannot be"])
        for description, text in {"that leads upwards": "../x", "of 300 characters": ENDLESS_ID}.items()
    ],
]  # fmt: skip

STYLE = [
    ("no transcript of an utterance", "style", "transcripts.tsv", line(2, "zoe\tthe dog"), ["utterance 'anna-0' has no"]),
    ("a transcript without words", "style", "transcripts.tsv", line(2, "anna-0\t..."), ["utterance 'anna-0'", "no words"]),
]  # fmt: skip

# Corpora.

CHECK = "a Kaldi directory"


CORPORA = [
    ("no wav.scp", CHECK, "data/wav.scp", remove, ["data/wav.scp: not found"]),
    ("a segments file", CHECK, "data/segments", write("a b 0 1\n"), ["data/segments:1: recording 'b' is not in data/wav.scp"]),
    ("a path to nothing", CHECK, "data/wav.scp", edit("wav/anna-2.wav", "wav/x.wav"), ["x.wav: not found", "'anna-2'"]),
    ("an utterance twice in wav.scp", CHECK, "data/wav.scp", repeat(3), ["wav.scp:17: utterance 'anna-2' occurs twice"]),
    ("a pipe that is not allowed", CHECK, "data/wav.scp", line(3, "anna-2 touch stolen; cat data/wav/anna-2.wav |"), ["wav.scp:3: utterance 'anna-2' is a command (pipe)", "pipes: true"]),
    ("an id that leads upwards", CHECK, "data/wav.scp", matching("^anna-2 ", "../../anna-2 "), ["'../../anna-2'"]),
    ("an id with a leading dash", CHECK, "data/utt2spk", matching("^anna-2 ", "--seed "), ["'--seed' is not in"]),
    ("wav.scp in Latin-1", CHECK, "data/wav.scp", write(b"a data/wav/a.wav\njos\xe9 data/wav/b.wav\n"), ["wav.scp:2: not UTF-8"]),
    ("an utterance without a speaker", CHECK, "data/utt2spk", edit("anna-2 anna\n", ""), ["'anna-2' has no speaker in"]),
    ("a speaker with a space", CHECK, "data/utt2spk", edit("anna-2 anna", "anna-2 an na"), ["wav.scp:3: 'an na' cannot be an id"]),
    ("a speaker without an utterance", CHECK, "data/utt2spk", append("zoe-1 zoe\n"), ["utt2spk:17: utterance 'zoe-1' is not"]),
    ("a gender in words", CHECK, "data/spk2gender", edit("anna f", "anna woman_"), ["spk2gender:1: gender 'woman_'"]),
    ("a speaker with two genders", CHECK, "data/spk2gender", append("anna m\n"), ["spk2gender:5: speaker 'anna' occurs twice"]),
    ("an unknown enrolment utterance", CHECK, "data/enrolls", append("zoe-1\n"), ["enrolls:9: utterance 'zoe-1' is unknown"]),
    ("a trial of four columns", CHECK, "data/trials", line(1, "anna anna-2 target 1"), ["trials:1: expected 3 columns"]),
    ("a label of its own", CHECK, "data/trials", edit("nontarget", "imposter"), ["label 'imposter' is neither"]),
    ("a trial twice", CHECK, "data/trials", repeat(1), ["trials:33: trial 'anna anna-2' occurs twice"]),
    ("a trial of an unknown speaker", CHECK, "data/trials", append("zoe anna-2 nontarget\n"), ["trials:33: speaker 'zoe'"]),
    ("a mislabelled target", CHECK, "data/trials", edit("anna anna-2 target", "anna anna-2 nontarget"), ["trials:1:", "anna-2"]),
    ("an utterance enrolled and tried", CHECK, "data/trials", append("anna anna-0 target\n"), ["both enrolled and tried"]),
    ("no target", CHECK, "data/trials", write("anna berta-2 nontarget\n"), ["trial list all: has no target trial"]),
    ("the same mistake when it is prepared", "a prepared Kaldi directory", "data/utt2spk", edit("anna-2 anna\n", ""), ["anna-2"]),
    ("a byte-order mark amid wav.scp", CHECK, "data/wav.scp", edit("\nberta-2", "\n\ufeffberta-2"), ["data/wav.scp:7: a byte-order mark"]),
    ("a mark that nobody sees", CHECK, "data/utt2spk", edit("anna-2 anna", "anna-2 an\u200bna"), ["but 'an\\u200bna' speaks it"]),
    ("trials of one speaker", CHECK, "data/trials", write("anna anna-2 target\n"), ["trial list all: has no nontarget trial"]),
    ("a gender in full", "a folder", "genders.tsv", edit("anna\tf", "anna\twoman_"), ["genders.tsv:2: gender 'woman_'"]),
    ("no SPEAKERS.TXT", "LibriSpeech", "libri/SPEAKERS.TXT", remove, ["SPEAKERS.TXT: not found"]),
    ("a speaker who is not listed", "LibriSpeech", "libri/SPEAKERS.TXT", edit("11 | F", "13 | F"), ["speaker '11'"]),
    ("a speaker without a sex", "LibriSpeech", "libri/SPEAKERS.TXT", edit("11 | F", "11 | ?"), ["SPEAKERS.TXT:2: gender '?'"]),
    ("a subset without audio", "LibriSpeech", "libri/dev/11", lambda path: [remove(path), remove(path.with_name("12"))], ["libri/dev: no audio file speaker/chapter/utterance.flac"]),
    ("a file with a space in its name", "LibriSpeech", "libri/dev/11/100/11-100-0001.flac", lambda path: path.rename(path.with_name("11 100.flac")), ["'11 100' cannot be an id"]),
    ("a file whose name is no UTF-8", "LibriSpeech", "libri/dev/11/100/11-100-0001.flac", lambda path: path.rename(path.with_name("jos\udce9.flac")), ["its name is not UTF-8"]),
    ("two genders of a speaker", "VCTK", "vctk/speaker-info.txt", append("p225 23 M\n"), ["speaker-info.txt:3:", "another gender"]),
    ("another gender in another line", "a folder", "genders.tsv", append("anna\tm\n"), ["genders.tsv:6: speaker 'anna'"]),
    ("no file of the pattern", "a folder", "data/wav", lambda path: [file.unlink() for file in path.iterdir()], ["data/wav: no file below it looks like"]),
]  # fmt: skip

# Recordings, in corpora and in what anonymisers hand back.

ORIGINAL, PROTECTED = "data/wav/anna-2.wav", "submission/anna-2.wav"
SUBMISSION = "a plug-in's audio"
GOOD = speech("anna-2")


def flac_cut(path):
    """FLAC in spite of the name, cut off."""
    soundfile.write(path, GOOD, RATE, format="FLAC")
    cut(0.5)(path)


def flac_that_announces(samples):
    """FLAC whose header has another number of samples (36 bits before the checksum)."""

    def change(path):
        soundfile.write(path, GOOD, RATE, format="FLAC")
        content = bytearray(path.read_bytes())
        content[21] = content[21] & 0xF0 | samples >> 32
        content[22:26] = struct.pack(">I", samples & 0xFFFFFFFF)
        path.write_bytes(content)

    return change


def length(of_data):
    """A WAV whose header announces so many bytes of samples."""

    def change(path):
        content = bytearray(path.read_bytes())
        start = content.index(b"data") + 4
        content[start : start + 4] = struct.pack("<I", of_data)
        path.write_bytes(content)

    return change


def rate(hertz):
    """A WAV whose header says another sample rate."""

    def change(path):
        content = path.read_bytes()
        path.write_bytes(content[:24] + struct.pack("<I", hertz) + content[28:])

    return change


NAN = np.where(np.arange(len(GOOD)) == 100, np.nan, GOOD)
DAMAGES = [
    ("no file", remove, ["anna-2", ""]),
    ("an empty file", write(""), ["anna-2.wav: cannot be read as audio"]),
    ("a folder named .wav", into_folder, ["anna-2.wav: is a folder"]),
    ("a text file named .wav", write("RIFF? no, only text\n" * 50), ["anna-2.wav: cannot be read as audio"]),
    ("half a WAV", cut(0.5), ["anna-2.wav: truncated: ", "bytes less than its header announces"]),
    ("a WAV whose header claims 2 GB", length(0x7FFFEFFF), ["anna-2.wav: truncated"]),
    ("a WAV without samples", sound(np.zeros(0, np.float32)), ["anna-2.wav: has no samples"]),
    ("half a FLAC", flac_cut, ["anna-2.wav: "]),
    ("a FLAC that claims 64 billion samples", flac_that_announces(2**36 - 1), ["anna-2.wav: "]),
    ("NaN samples", sound(NAN, subtype="FLOAT"), ["anna-2.wav: holds samples that are NaN or infinite"]),
    ("a rate of 1 Hz", rate(1), ["anna-2.wav: is sampled at 1 Hz"]),
    ("a named pipe", into_pipe, ["anna-2.wav: is a pipe or a device, not a file"]),
    ("a terabyte of nothing", huge, ["anna-2.wav: cannot be read as audio"]),
    ("one sample", sound(np.array([0.5], np.float32)), ["anna-2.wav: lasts 0.0"]),
]  # fmt: skip
ONE_SIDED = ("one sample", "a folder named .wav", "a named pipe")  # other words for these, or none
OF_PROTECTED = [
    # The original is ../data/wav of the manifest: below the submission this must not reach it.
    ("no file in place of an original", remove, ["'anna-2' is missing", "'exclude'"]),
    ("a folder named .wav", into_folder, ["'anna-2' is missing"]),
    ("another rate", sound(GOOD, 22050), ["anna-2.wav: is sampled at 22050 Hz instead of 16000"]),
    ("silence", sound(np.zeros_like(GOOD)), ["anna-2.wav: is silent, the original is not"]),
    ("twice the length", sound(np.tile(GOOD, 4)), [f"anna-2.wav: lasts 1.20 s, the original {SECONDS:.2f} s"]),
]  # fmt: skip

OF_PROTECTED += [row for row in DAMAGES if row[0] not in ONE_SIDED]
RECORDINGS = [(name, CHECK, ORIGINAL, spoil, words) for name, spoil, words in DAMAGES]
RECORDINGS += [(name, SUBMISSION, PROTECTED, spoil, words) for name, spoil, words in OF_PROTECTED]

# What anonymisers, extractors and models of others can do wrong.

PLUG, FUNCTION = "a plug-in's command", "a plug-in's function"
EXTRACTOR = "an extractor's command"


def here(code):
    """Code in the place that the good plug-in has for it."""
    return edit("# here", code)


PLUG_INS = [
    ("a program that is not there", PLUG, "plug.py", remove, ["ended with exit code 2"]),
    ("it fails", PLUG, "plug.py", here("sys.exit(3)"), ["ended with exit code 3; its output is above"]),
    ("it exits 0 without output", PLUG, "plug.py", here("sys.exit(0)"), ["wrote no --output-manifest"]),
    ("it is killed", PLUG, "plug.py", here("import os; os.kill(os.getpid(), 9)"), ["was killed by signal 9, SIGKILL (out of"]),
    ("it loses an utterance", PLUG, "plug.py", here("del rows[3]"), ["1 of 16", "'anna-3' is missing"]),
    ("it invents an utterance", PLUG, "plug.py", here("rows[3][0] = 'zoe'"), ["returned utterance 'zoe'"]),
    ("it returns an utterance twice", PLUG, "plug.py", here("rows.append(rows[3])"), [":18: utterance 'anna-3' occurs twice"]),
    ("two utterances are one file", PLUG, "plug.py", here("rows[3][3] = rows[2][3]"), ["have the same protected file"]),
    ("its manifest has no header", PLUG, "plug.py", here("header = rows.pop()"), [":1: expected the columns"]),
    ("its manifest is cut off", PLUG, "plug.py", here("rows[3] = rows[3][:2]"), [":5: expected 5 columns, found 2"]),
    ("its files are not there", PLUG, "plug.py", here("rows[3][3] = 'x.wav'"), ["'anna-3'", "x.wav: not found"]),
    ("a function that fails", FUNCTION, "mine.py", here("1 / 0"), ["utterance '", "ZeroDivisionError", "(mine.py, line 3)"]),
    ("an extractor that fails", EXTRACTOR, "embed.py", here("sys.exit(1)"), ["ended with exit code 1"]),
    ("an extractor without output", EXTRACTOR, "embed.py", here("sys.exit(0)"), ["wrote no --embeddings"]),
    ("an embedding too few", EXTRACTOR, "embed.py", here("ids.pop(); embeddings = embeddings[1:]"), ["no embedding of"]),
    ("a model without settings", "a model", "model/hyperparams.yaml", remove, ["hyperparams.yaml: not found"]),
    ("a model without weights", "a model", "model/embedding_model.ckpt", remove, ["embedding_model.ckpt: not found"]),
    ("weights cut off", "a model", "model/embedding_model.ckpt", cut(0.5), ["embedding_model.ckpt"]),
    ("settings that are no YAML", "a model", "model/hyperparams.yaml", write("a: [1"), ["hyperparams.yaml:", "not YAML"]),
    ("settings that name any class", "a model", "model/hyperparams.yaml", matching("^embedding_model: .*", "embedding_model: !new:os.system"), ["'os.system' is not a class that is built here"]),
    ("weights of another network", "a model", "model/hyperparams.yaml", matching("^n_mels: .*", "n_mels: 7"), ["model"]),
]  # fmt: skip

# Configs.

FILE = "config.yaml"
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
SYNTHETIC = {"synthetic": {"speakers": 2, "utterances": 2}}

CONFIGS = [
    (mistake, "a config", FILE, spoil, words)
    for mistake, spoil, words in [
        ("a billion laughs", write(LAUGHS), ["config.yaml:", "aliases"]),
        ("a key that is no text", write("corpora: {mine: {kaldi: data}}\nbackends: {off: {type: cosine}}\n"), ["config.yaml:2: backends.False: YAML reads this key as False"]),
        ("a name with a slash", config(anonymisers={"../b2": {"command": "x"}}), ["'../b2' cannot be a name"]),
        ("an endless number", write("corpora: {mine: {kaldi: data, segments: {seconds: [1, .inf]}}}\n"), ["config.yaml:1: corpora.mine.segments.seconds.1: inf is no number"]),
        ("pieces shorter than a frame", config(corpora={"mine": {"kaldi": "data", "segments": {"seconds": 1e-9}}}), ["seconds"]),
        ("shards without end", config(anonymisers={"b2": {"command": "x", "shards": 10**12}}), ["anonymisers.b2.shards", "10000"]),
        ("a named pipe", into_pipe, ["config.yaml: is a pipe or a device, not a file"]),
        ("an unset variable", config(corpora={"mine": {"kaldi": "${NOWHERE_AT_ALL}"}}), ["NOWHERE_AT_ALL: not found"]),
        ("two kinds of corpus", config(corpora={"mine": {"kaldi": "data", **SYNTHETIC}}), ["needs one of", "only one"]),
        ("a policy that is none", config(corpora={"mine": {"kaldi": "data", "on_bad_audio": "skip"}}), ["'skip' is none of stop"]),
        ("an exclusion of nobody", config(corpora={"mine": {"kaldi": "data", "exclude": ["zoe-1"]}}), ["'zoe-1' is not one"]),
        ("two corpora with one speaker", config(corpora={"a": SYNTHETIC, "b": SYNTHETIC}), ["has speakers of 'a' too"]),
    ]
]  # fmt: skip

CASES = [*SCORES, *TRIALS, *ARRAYS, *MANIFESTS, *STYLE]
CASES += [*CORPORA, *RECORDINGS, *PLUG_INS, *CONFIGS]
