"""What can be wrong with tables and arrays: (what, command that reads it, file, how it is spoilt, what the error says).

Lines are counted from 1, as an editor shows them.
"""

# ruff: noqa: E501  a row of the table is a line

import numpy as np

from support.spoilers import (
    append,
    arrays,
    edit,
    into_folder,
    into_pipe,
    line,
    remove,
    repeat,
    write,
)

NUL_AND_TEXT = "enrolment\ttrial\tlabel\nanna\tan\0na-2\ttarget\n"
ENDLESS_ID = "a" * 300
FOREIGN = "berta\tcarl-2\tnontarget"  # of trials.tsv


def announced(shape, dtype="<f4"):
    """An npz whose embeddings announce another shape than they have."""
    import io
    import zipfile

    def change(path):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": dtype, "fortran_order": False, "shape": shape}
        )
        with zipfile.ZipFile(path) as old:
            ids = old.read("ids.npy")
        with zipfile.ZipFile(path, "w") as new:
            new.writestr("ids.npy", ids)
            new.writestr("embeddings.npy", header.getvalue() + b"12345678")

    return change


def member(name):
    """One more file in the archive, which is no array."""
    import zipfile

    def change(path):
        with zipfile.ZipFile(path, "a") as file:
            file.writestr(name, b"hello")

    return change


def bomb(path):
    """A small npz that unpacks to half a gigabyte."""
    import zipfile

    np.savez(path, ids=np.array(["a"]))
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file,
        file.open("embeddings.npy", "w") as member,
    ):
        np.lib.format.write_array_header_1_0(
            member, {"descr": "<f4", "fortran_order": False, "shape": (1, 2**27)}
        )
        for _ in range(512):
            member.write(bytes(2**20))


SCORES = [
    ("no scores at all", "verification", "scores.tsv", remove, ["scores.tsv: not found"]),
    ("a folder for a file", "verification", "scores.tsv", into_folder, ["scores.tsv: is a folder"]),
    ("an empty file", "verification", "scores.tsv", write(""), ["scores.tsv:1: expected the columns enrolment trial"]),
    ("a score of words", "verification", "scores.tsv", line(4, f"{FOREIGN}\thigh"), ["scores.tsv:4: 'high' is not a"]),
    ("a score too few", "verification", "scores.tsv", line(4, FOREIGN), ["scores.tsv:4: expected 4 columns, found 3"]),
    ("a label of its own", "zebra", "scores.tsv", edit("nontarget", "imposter"), ["'imposter' is neither target nor"]),
    ("a trial twice", "verification", "scores.tsv", repeat(3), ["scores.tsv:34: trial 'anna anna-3' occurs twice"]),
    ("an empty trial id", "verification", "scores.tsv", line(4, "anna\t\ttarget\t1"), ["scores.tsv:4:", "is empty"]),
    ("Latin-1", "verification", "scores.tsv", write(b"enrolment\ttrial\tlabel\tscore\nJos\xe9\ta\ttarget\t1\n"), ["scores.tsv:2: not UTF-8 text (byte 0xe9)"]),
    ("a NUL byte", "verification", "scores.tsv", write(NUL_AND_TEXT), ["scores.tsv:2: not text", "NUL"]),
    ("a byte-order mark amid the lines", "verification", "scores.tsv", edit("\nberta\tanna-2", "\n\ufeffberta\tanna-2"), ["scores.tsv:10: a byte-order mark inside the text"]),
    ("a space behind an id", "verification", "scores.tsv", line(4, "berta\tcarl-2 \tnontarget\t1"), ["scores.tsv:4: 'carl-2 ' has a space at its"]),
    ("a named pipe", "verification", "scores.tsv", into_pipe, ["scores.tsv: is a pipe or a device, not a file"]),
    ("a score for no trial of the key", "verification of Kaldi's files", "scores.txt", append("zoe zoe-1 0.5\n"), ["scores.txt:33: trial 'zoe zoe-1' is not in key.txt"]),
    ("a trial of the key without a score", "verification of Kaldi's files", "key.txt", append("zoe zoe-1 target\n"), ["scores.txt: no score for trial 'zoe zoe-1' of key.txt:33"]),
    ("a key with other labels", "verification of Kaldi's files", "key.txt", edit(" target", " same"), ["key.txt:1: label 'same'"]),
    ("two speakers of one id", "verification by speaker", "speakers.tsv", append("anna-0\tberta\n"), ["speakers.tsv:22: 'anna-0' has two speakers"]),
    ("an id without a speaker", "verification by speaker", "speakers.tsv", edit("anna-2\tanna\n", ""), ["'anna-2' has no speaker"]),
    ("a tag without a range", "zebra with tags", "tags.yaml", write("{weak: {meaning: x}}"), ["tags.yaml", "weak"]),
]  # fmt: skip

TRIALS = [
    ("an unknown trial utterance", "scoring", "trials.tsv", line(4, "anna\tzoe-1\ttarget"), ["zoe-1"]),
    ("an unknown model", "scoring", "trials.tsv", line(4, "zoe\tanna-2\ttarget"), ["zoe"]),
    ("no trial", "scoring", "trials.tsv", write("enrolment\ttrial\tlabel\n"), ["trials.tsv: lists no trial"]),
    ("an enrolment utterance twice", "scoring", "enrolments.tsv", repeat(2), ["enrolments.tsv:10: utterance 'anna-0' enrols 'anna' twice"]),
]  # fmt: skip

ARRAYS = [
    ("text for an npz", "scoring", "enrolment.npz", write("no array"), ["enrolment.npz: not an npz file"]),
    ("pickled ids", "scoring", "enrolment.npz", arrays(ids=lambda old: old.astype(object)), ["npz", "pickled objects"]),
    ("a member that leads elsewhere", "scoring", "trial.npz", member("../../evil.npy"), ["trial.npz: not an npz file"]),
    ("embeddings beyond single precision", "scoring", "trial.npz", arrays(embeddings=lambda old: old.astype(float) * 1e300), ["'anna-0' is not finite in single"]),
    ("no ids", "scoring", "trial.npz", arrays(ids=None), ["trial.npz: has no array 'ids'"]),
    ("numbers for ids", "scoring", "trial.npz", arrays(ids=np.arange(16)), ["trial.npz: ids must be text"]),
    ("complex embeddings", "scoring", "trial.npz", arrays(embeddings=lambda old: old * 1j), ["embeddings must be numbers"]),
    ("an id too few", "scoring", "trial.npz", arrays(ids=lambda old: old[1:]), ["trial.npz: 15 ids for embeddings of"]),
    ("an id twice", "scoring", "trial.npz", arrays(ids=lambda old: old[[0, *range(15)]]), ["trial.npz: an id occurs twice"]),
    ("a NaN embedding", "scoring", "trial.npz", arrays(embeddings=lambda old: old * np.array([1, 1, 1, np.nan])), ["trial.npz: the embedding of 'anna-0' is not finite"]),
    ("embeddings of another size", "scoring", "trial.npz", arrays(embeddings=lambda old: old[:, :3]), ["trial.npz: 3 dimensions, enrolment.npz has 4"]),
    ("a header that claims 4 GB", "scoring", "trial.npz", announced((10**9, 1)), ["announces 4000000000 bytes and holds 8"]),
    ("an npz that unpacks to 500 MB", "scoring", "trial.npz", bomb, ["trial.npz", "unpacks to"]),
    ("a matrix on its side", "similarity", "oo.npz", arrays(scores=lambda old: old[:3]), ["oo.npz: scores have the shape"]),
    ("a matrix with NaN", "similarity", "oo.npz", arrays(scores=lambda old: old * np.nan), ["oo.npz: scores hold NaN"]),
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
    ("a path to a folder", "McAdams", "speech/manifest.tsv", edit("/anna-0.wav", ""), ["wav: cannot be read as audio"]),
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

CASES = [*SCORES, *TRIALS, *ARRAYS, *MANIFESTS, *STYLE]
