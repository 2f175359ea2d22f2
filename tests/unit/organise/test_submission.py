"""Submissions: what is packed, always the same bytes, and a checker that names every fault."""

import json
import os
import zipfile

import numpy as np
import pytest
import soundfile
import yaml
from support.calls import call, call_measured
from support.readers import SECONDS
from support.spoilers import NO_NUMBERS
from support.trees import names_of, write_audio, write_kaldi

from voiceprivacy.inout.files import BadInput
from voiceprivacy.organise.submission import Submission, anonymiser_of, check, pack, plan_of
from voiceprivacy.plan import configuration
from voiceprivacy.plan.attackers import MODEL_FILES

LABELS = {
    ("anna", "anna-1"): "target",
    ("anna", "berta-1"): "nontarget",
    ("berta", "anna-1"): "nontarget",
    ("berta", "berta-1"): "target",
}


def write_corpus(folder):
    """Two speakers, one utterance enrols each and one is tried."""
    names = names_of(("anna", "berta"), 2)
    genders = dict.fromkeys(names, "f")
    write_kaldi(folder, genders, names, enrolled=1, path=lambda name: f"{name}.wav")
    for own in names.values():
        for name in own:
            write_audio(folder / f"{name}.wav")


SCORES = "sets/tiny/all/ecapa/cosine/op.scores"
NO_SCORE = "has the score '{}', which is no finite number"
CONFIG = {
    "corpora": {"tiny": {"kaldi": "tiny"}},
    "anonymisers": {"mine": {"audio": "made"}},
    "extractors": {"ecapa": {"model": "model"}},
    "backends": {"cosine": {"type": "cosine"}},
}


@pytest.fixture
def submitted(tmp_path, monkeypatch):
    """A complete submission of ``mine`` as a folder, with speech."""
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "tiny")
    (tmp_path / "model").mkdir()
    for name in MODEL_FILES:
        (tmp_path / "model" / name).touch()
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(CONFIG))
    folder = tmp_path / "submitted"
    files = {
        "submission.json": json.dumps({"anonymiser": "mine"}),
        "results_summary.tsv": "",
        "result_for_rank.tsv": "",
    }
    files["sets/tiny/all/trials"] = "".join(
        f"{' '.join(pair)} {label}\n" for pair, label in LABELS.items()
    )
    for condition in ("oo", "op", "pp"):
        scores = "".join(f"{' '.join(pair)} {0.5 + index}\n" for index, pair in enumerate(LABELS))
        files[f"sets/tiny/all/ecapa/cosine/{condition}.scores"] = scores
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for part, number in (("enrolment", 0), ("trial", 1)):
        for speaker in ("anna", "berta"):
            path = folder / "wav/tiny" / part / f"{speaker}-{number}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((tmp_path / "tiny" / path.name).read_bytes())
    return folder


def findings(path, *, with_audio=False):
    submitted = Submission(path)
    who = anonymiser_of(submitted)
    return list(
        check(submitted, plan_of(configuration.read("my.yaml"), who), who, with_audio=with_audio)
    )


def test_a_complete_submission_has_no_findings_as_folder_as_zip_and_as_zip_of_a_folder(submitted):
    assert findings(submitted, with_audio=True) == []
    paths = [path for path in submitted.rglob("*") if path.is_file()]
    for name, top in (("s.zip", ""), ("t.zip", "team7/")):
        contents = {f"{top}{path.relative_to(submitted).as_posix()}": path for path in paths}
        pack(submitted.parent / name, contents)
        assert findings(submitted.parent / name, with_audio=True) == []
    # The organisers' config needs no anonymiser.
    (submitted.parent / "my.yaml").write_text(yaml.safe_dump(CONFIG | {"anonymisers": {}}))
    assert findings(submitted, with_audio=True) == []


def checked(submission, cwd, *words):
    return call("check_submission", submission, "--config", "my.yaml", *words, cwd=cwd)


def test_the_command_prints_a_line_for_each_finding_and_exits_with_2(submitted):
    assert checked(submitted, submitted.parent).returncode == 0
    (submitted / SCORES).unlink()
    finished = checked(submitted, submitted.parent)
    assert (finished.returncode, finished.stderr) == (2, "")
    assert finished.stdout == f"{SCORES}: missing\n{submitted}, anonymiser mine: 1 finding\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("anna anna-1 0.5\n", "", [f"{SCORES}: 1 of 4 trials missing, such as 'anna anna-1'"]),
        *[
            (" 0.5", f" {score}", [f"{SCORES}:1: trial 'anna anna-1' {NO_SCORE.format(score)}"])
            for score in ("nan", "inf", "-Infinity", "high", *NO_NUMBERS)
        ],
        (
            "anna berta-1 1.5",
            "anna anna-1 1.5",
            [f"{SCORES}:2: repeated trial 'anna anna-1'", "missing"],
        ),
        ("anna berta-1", "carl berta-1", [f"{SCORES}:2: unknown trial 'carl berta-1'", "missing"]),
        ("anna berta-1 1.5", "anna berta-1", [f"{SCORES}:2: columns: 2 instead of 3", "missing"]),
    ],
)
def test_every_fault_of_a_score_file_is_a_line(submitted, old, new, expected):
    text = (submitted / SCORES).read_text()
    (submitted / SCORES).write_text(text.replace(old, new))
    lines = findings(submitted)
    assert len(lines) == len(expected) and lines[0] == expected[0]
    assert all(part in line for line, part in zip(lines, expected, strict=True))


def test_missing_and_unknown_files_wrong_labels_and_unreadable_text_are_named(submitted):
    (submitted / SCORES).unlink()
    (submitted / "sets/tiny/all/ecapa/plda").mkdir()
    (submitted / "sets/tiny/all/ecapa/plda/op.scores").write_text("")
    (submitted / "sets/tiny/all/ecapa/cosine/pp.scores").write_bytes(b"anna anna-1 \xff\n")
    (submitted / "result_for_rank.tsv").unlink()
    trials = submitted / "sets/tiny/all/trials"
    trials.write_text(trials.read_text().replace("anna berta-1 nontarget", "anna berta-1 target"))
    lines = findings(submitted)
    assert lines[0] == "result_for_rank.tsv: missing"
    assert (
        lines[1]
        == "sets/tiny/all/trials:2: trial 'anna berta-1' is 'target' instead of 'nontarget'"
    )
    assert lines[2] == f"{SCORES}: missing"
    assert lines[3].startswith("sets/tiny/all/ecapa/cosine/pp.scores:1: cannot be read as text")
    assert lines[4:] == ["sets/tiny/all/ecapa/plda/op.scores: no set of the config"]


def test_speech_that_is_missing_unknown_double_or_broken_is_named_if_asked_for(submitted):
    folder = submitted / "wav/tiny/trial"
    (folder / "anna-1.wav").rename(folder / "carl-1.wav")
    (folder / "berta-1.wav").write_text("no audio")
    soundfile.write(submitted / "wav/tiny/enrolment/anna-0.flac", np.zeros((10, 2)), 16000)
    assert findings(submitted) == []
    assert findings(submitted, with_audio=True) == [
        "wav/tiny/enrolment/anna-0.wav: utterance 'anna-0' is also in "
        "wav/tiny/enrolment/anna-0.flac",
        "wav/tiny/trial/: 1 of 2 utterances without a file, such as 'anna-1'",
        "wav/tiny/trial/carl-1.wav: unknown utterance",
        "wav/tiny/trial/berta-1.wav: cannot be read as audio",
    ]


def test_links_and_paths_that_lead_out_are_not_read(submitted):
    (submitted / SCORES).unlink()
    (submitted / SCORES).symlink_to("/etc/passwd")
    lines = findings(submitted)
    why = "leads out of the submission, is a link or no plain file, is there twice"
    why += ", is packed unusually or unpacks without end: not read"
    assert lines == [f"{SCORES}: {why}", f"{SCORES}: missing"]
    path = submitted.parent / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../out.scores", "/etc/passwd", "fine/../../out"):
            archive.writestr(name, "")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("fine.txt", "")
    assert list(Submission(path).names) == ["fine.txt"] and len(Submission(path).unsafe) == 4


@pytest.mark.parametrize(("flags", "packing"), [(1, 8), (0, 99), (0, 12), (0, 14)])
def test_a_zip_that_cannot_be_unpacked_is_said_to_be_so(tmp_path, flags, packing):
    """Encrypted, packed in no way that is known, in bzip2 and in LZMA."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "x" * 1000)
    content = bytearray(path.read_bytes())
    for name, offset in (
        (b"PK\3\4", 6),
        (b"PK\1\2", 8),
    ):  # the member's own head, and its line in the directory
        start = content.index(name) + offset
        content[start] |= flags
        content[start + 2] = packing
    path.write_bytes(content)
    if packing != zipfile.ZIP_DEFLATED:
        assert Submission(path).unsafe == ["a.txt"] and not Submission(path).names
        return
    with pytest.raises(BadInput, match=r"^a\.txt:1: cannot be read as text .*encrypted"):
        list(Submission(path).lines("a.txt"))


@pytest.mark.parametrize(
    ("names", "read"),
    [
        (("a.scores", "a.scores"), []),
        (("a.scores", "./a.scores", "b"), ["b"]),
        (("sets/A.scores", "sets/a.scores"), []),
        (("sets//a.scores", "sets/a.scores"), []),
        (("sets/b/../a.scores", "sets/a.scores"), []),
        (("sets\\a.scores", "sets/a.scores"), []),
        (("caf\u00e9", "cafe\u0301"), []),
        (("stra\u00dfe", "STRASSE"), []),
        (("./a.scores", "./b"), ["a.scores", "b"]),
        (("x/submission.json", "x/a", "submission.json"), None),
        (("x/submission.json", "a"), None),
        (("x/submission.json", "x/a"), ["submission.json", "a"]),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_names_that_are_one_on_some_system_none_is_read(tmp_path, names, read):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in names:
            archive.writestr(name, name)
    submitted = Submission(tmp_path / "a.zip")
    assert list(submitted.names) == (list(names) if read is None else read)
    for name in submitted.names:
        assert next(submitted.lines(name)).endswith(name)


def a_small_zip(path, name, lines):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path.parent / "submitted/submission.json", "submission.json")
        with archive.open(name, "w", force_zip64=True) as member:
            for line in lines:
                member.write(line)


@pytest.mark.parametrize(
    ("name", "line", "times", "expected"),
    [
        (SCORES, b"anna anna-1 0.5\n" * 1000, 11_000, "not read further"),
        (SCORES, b"zoe zoe-%d 0.5\n" % 10**60 * 1000, 2_400, "not read further"),
        (SCORES, b"9" * 10**6, 180, ":1: cannot be read as text (a line of more than"),
        (SCORES, b"anna anna-1 " + b"9" * 5000 + b"\n", 1, "no finite number"),
        (SCORES, b"a" * 9000 + b" anna-1 1\n", 1, "unknown trial"),
        ("submission.json", b"[" * 10**6, 180, "leads out of the submission"),
        ("wav/tiny/trial/anna-1.wav", bytes(10**6), 180, "cannot be read as audio"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_180_mb_in_a_small_zip_take_neither_memory_nor_time(submitted, name, line, times, expected):
    path = submitted.parent / "small.zip"
    a_small_zip(path, name, [line] * times)
    assert path.stat().st_size < 3_000_000
    words = ["--config", "my.yaml", "--anonymiser", "mine", "--audio"]
    good = call_measured("check_submission", submitted, *words, cwd=submitted.parent)
    assert good.returncode == 0, good.stdout
    checked = call_measured("check_submission", path, *words, cwd=submitted.parent)
    assert checked.returncode == 2 and expected in checked.stdout, checked.stderr
    assert checked.stderr == "" and max(map(len, checked.stdout.splitlines())) < 1500
    assert checked.seconds < SECONDS
    assert checked.memory < good.memory + 5e6 + 20 * path.stat().st_size


def test_what_unpacks_without_end_and_a_named_pipe_are_not_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(2**28))
    assert Submission(tmp_path / "a.zip").unsafe == ["zeros"]
    os.mkfifo(tmp_path / "b.zip")
    with pytest.raises(BadInput, match=r"b\.zip: is a pipe or a device"):
        Submission(tmp_path / "b.zip")


def test_a_zip_of_the_same_files_has_the_same_bytes(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"speech" * 100)
    contents = {"b/a.wav": tmp_path / "a.wav", "a.txt": b"text" * 100}
    pack(tmp_path / "one.zip", contents)
    (tmp_path / "a.wav").touch()
    pack(tmp_path / "two.zip", dict(reversed(contents.items())))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == ["a.txt", "b/a.wav"]
        assert archive.read("b/a.wav") == b"speech" * 100


@pytest.mark.parametrize(
    ("name", "about", "words"),
    [
        ("nowhere.zip", "", "nowhere.zip: not found"),
        ("my.yaml", "", "my.yaml: is neither a folder nor a zip"),
        ("tiny", "", "does not say whose it is"),
        ("submitted", "[" * 100_000, "submission.json:1: cannot be read as text"),
        ("submitted", '{"anonymiser": ' + "9" * 5000, "does not say whose it is"),
        ("submitted", "9" * 5000, "does not say whose it is"),
    ],
)
def test_what_is_no_submission_or_says_nonsense_of_itself_is_one_line(
    submitted, name, about, words
):
    (submitted / "submission.json").write_text(about)
    finished = checked(name, submitted.parent)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1 and words in finished.stderr
