"""What can be wrong with corpora: (what, command that reads it, file, how it is spoilt, what the error says)."""

# ruff: noqa: E501  a row of the table is a line

from support.spoilers import (
    append,
    edit,
    line,
    matching,
    remove,
    repeat,
    write,
)

CHECK = "a Kaldi directory"


def move_to(name):
    """Rename the file of an utterance."""
    return lambda path: path.rename(path.with_name(name))


CASES = [
    ("no wav.scp", CHECK, "data/wav.scp", remove, ["data/wav.scp: not found"]),
    ("a segments file", CHECK, "data/segments", write("a b 0 1\n"), ["data/segments:1: recording 'b' is not in data/wav.scp"]),
    ("an utterance twice in wav.scp", CHECK, "data/wav.scp", repeat(3), ["wav.scp:17: utterance 'anna-2' occurs twice"]),
    ("a path to nothing", CHECK, "data/wav.scp", edit("wav/anna-2.wav", "wav/x.wav"), ["x.wav: not found", "'anna-2'"]),
    ("a pipe that is not allowed", CHECK, "data/wav.scp", line(3, "anna-2 touch stolen; cat data/wav/anna-2.wav |"), ["wav.scp:3: utterance 'anna-2' is a command (pipe)", "pipes: true"]),
    ("an id that leads upwards", CHECK, "data/wav.scp", matching("^anna-2 ", "../../anna-2 "), ["'../../anna-2'"]),
    ("an id with a leading dash", CHECK, "data/utt2spk", matching("^anna-2 ", "--seed "), ["'--seed' is not in"]),
    ("wav.scp in Latin-1", CHECK, "data/wav.scp", write(b"a data/wav/a.wav\njos\xe9 data/wav/b.wav\n"), ["wav.scp:2: not UTF-8"]),
    ("an utterance without a speaker", CHECK, "data/utt2spk", edit("anna-2 anna\n", ""), ["'anna-2' has no speaker in"]),
    ("a speaker with a space", CHECK, "data/utt2spk", edit("anna-2 anna", "anna-2 an na"), ["wav.scp:3: 'an na' cannot be an id"]),
    ("a speaker without an utterance", CHECK, "data/utt2spk", append("zoe-1 zoe\n"), ["utt2spk:17: utterance 'zoe-1' is not"]),
    ("a gender in words", CHECK, "data/spk2gender", edit("anna f", "anna woman"), ["spk2gender:1: gender 'woman'"]),
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
    ("a gender in full", "a folder", "genders.tsv", edit("anna\tf", "anna\tfemale"), ["genders.tsv:2: gender 'female'"]),
    ("no SPEAKERS.TXT", "LibriSpeech", "libri/SPEAKERS.TXT", remove, ["SPEAKERS.TXT: not found"]),
    ("a speaker who is not listed", "LibriSpeech", "libri/SPEAKERS.TXT", edit("11 | F", "13 | F"), ["speaker '11'"]),
    ("a speaker without a sex", "LibriSpeech", "libri/SPEAKERS.TXT", edit("11 | F", "11 | ?"), ["SPEAKERS.TXT:2: expected"]),
    ("a subset without audio", "LibriSpeech", "libri/dev/11", lambda path: [remove(path), remove(path.with_name("12"))], ["libri/dev: no audio file speaker/chapter/utterance.flac"]),
    ("a file with a space in its name", "LibriSpeech", "libri/dev/11/100/11-100-0001.flac", move_to("11 100.flac"), ["'11 100' cannot be an id"]),
    ("a file whose name is no UTF-8", "LibriSpeech", "libri/dev/11/100/11-100-0001.flac", lambda path: path.rename(path.with_name("jos\udce9.flac")), ["its name is not UTF-8"]),
    ("two genders of a speaker", "VCTK", "vctk/speaker-info.txt", append("p225 23 M\n"), ["speaker-info.txt:3:", "another gender"]),
    ("another gender in another line", "a folder", "genders.tsv", append("anna\tm\n"), ["genders.tsv:6: speaker 'anna'"]),
    ("no file of the pattern", "a folder", "data/wav", lambda path: [file.unlink() for file in path.iterdir()], ["data/wav: no file below it looks like"]),
]  # fmt: skip
