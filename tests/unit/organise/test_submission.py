"""Submissions: what is packed, always the same bytes, and a checker that names every fault."""

import json
import os
import zipfile
from functools import partial

import pytest
import yaml
from support.calls import call_measured, here
from support.readers import SECONDS
from support.spoilers import NO_NUMBERS
from support.trees import names_of, write_audio, write_kaldi

from voiceprivacy.inout.files import BadInput
from voiceprivacy.organise.submission import (
    Submission,
    anonymiser_of,
    check,
    pack,
    plan_of,
    trials_of,
)
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
CONFIG = {
    "corpora": {"tiny": {"kaldi": "tiny"}},
    "anonymisers": {"mine": {"audio": "made"}},
    "extractors": {"ecapa": {"model": "model"}},
    "backends": {"cosine": {"type": "cosine"}},
}


@pytest.fixture
def submitted(tmp_path, monkeypatch):
    """A complete submission of ``mine`` as a folder."""
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
    return folder


def packed(folder, name="s.zip", top=""):
    """A folder as a zip beside it."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    contents = {f"{top}{path.relative_to(folder).as_posix()}": path for path in paths}
    pack(folder.with_name(name), contents)
    return folder.with_name(name)


def findings(path):
    submitted = Submission(packed(path) if path.is_dir() else path)
    who = anonymiser_of(submitted)
    plan = plan_of(configuration.read("my.yaml"), who)
    return list(check(submitted, plan, who, trials=partial(trials_of, plan)))


def test_a_complete_submission_has_no_findings_and_neither_has_a_zip_of_its_folder(submitted):
    assert findings(submitted) == []
    assert findings(packed(submitted, "t.zip", "team7/")) == []
    # The organisers' config needs no anonymiser.
    (submitted.parent / "my.yaml").write_text(yaml.safe_dump(CONFIG | {"anonymisers": {}}))
    assert findings(submitted) == []


def checked(submission, cwd, *words):
    return here("check_submission", submission, "--config", "my.yaml", *words, cwd=cwd)


def test_the_command_prints_a_line_for_each_finding_and_exits_with_2(submitted):
    assert checked(packed(submitted), submitted.parent).returncode == 0
    (submitted / SCORES).unlink()
    finished = checked(packed(submitted), submitted.parent)
    assert (finished.returncode, finished.stderr) == (2, "")
    said = f"{SCORES}: missing\n{packed(submitted)}, anonymiser mine: 1 finding\n"
    assert finished.stdout == said


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("anna anna-1 0.5\n", "", ": no score for trial 'anna anna-1' of tiny/all.tsv:2"),
        *[(" 0.5", f" {text}", f":1: '{text}' is not a number") for text in ("nan", *NO_NUMBERS)],
        (" 0.5", " -Infinity", ": trial 'anna anna-1' has the score -inf"),
        ("anna berta-1 1.5", "anna anna-1 1.5", ":2: trial 'anna anna-1' occurs twice"),
        (
            "berta berta-1",
            "carl c-1 1\nberta berta-1",
            ":4: trial 'carl c-1' is not in tiny/all.tsv",
        ),
        ("anna berta-1 1.5", "anna berta-1", ":2: expected 3 columns and no header, found 2"),
        ("anna", "\udcff", ":1: not UTF-8 text (byte 0xff)"),
    ],
)
def test_the_first_fault_of_a_score_file_is_a_line(submitted, old, new, expected):
    text = (submitted / SCORES).read_text().replace(old, new)
    (submitted / SCORES).write_text(text, errors="surrogateescape")
    [finding] = findings(submitted)
    assert finding.startswith(f"{SCORES}{expected}"[:200])


def test_missing_and_unknown_files_are_named(submitted):
    (submitted / SCORES).unlink()
    (submitted / "sets/tiny/all/ecapa/plda").mkdir()
    (submitted / "sets/tiny/all/ecapa/plda/op.scores").write_text("")
    (submitted / "result_for_rank.tsv").unlink()
    names = ["result_for_rank.tsv: missing", f"{SCORES}: missing"]
    unknown = "sets/tiny/all/ecapa/plda/op.scores: no set of the config"
    assert findings(submitted) == [*names, unknown]


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
    with (
        pytest.raises(BadInput, match=r"^a\.txt: cannot be read .*encrypted"),
        Submission(path).file("a.txt"),
    ):
        pass


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
        with submitted.file(name) as path:
            assert path.read_text().endswith(name)


def a_small_zip(path, name, lines):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path.parent / "submitted/submission.json", "submission.json")
        with archive.open(name, "w", force_zip64=True) as member:
            for line in lines:
                member.write(line)


@pytest.mark.parametrize(
    ("name", "line", "times", "expected"),
    [
        (SCORES, b"anna anna-1 0.5\n" * 1000, 11_000, "far larger than expected"),
        (SCORES, b"zoe zoe-%d 0.5\n" % 10**60 * 900, 14, "trial 'zoe zoe-1"),
        (SCORES, b"anna anna-1 " + b"9" * 5000 + b"\n", 1, "no score for trial"),
        ("submission.json", b"[" * 10**6, 180, "leads out of the submission"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_180_mb_in_a_small_zip_take_neither_memory_nor_time(submitted, name, line, times, expected):
    path = submitted.parent / "small.zip"
    a_small_zip(path, name, [line] * times)
    assert path.stat().st_size < 3_000_000
    words = ["--config", "my.yaml", "--anonymiser", "mine"]
    good = call_measured("check_submission", packed(submitted), *words, cwd=submitted.parent)
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
    (tmp_path / "a.txt").write_bytes(b"text" * 100)
    contents = {"b/a.wav": tmp_path / "a.wav", "a.txt": tmp_path / "a.txt"}
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
        ("nowhere.zip", "", "nowhere.zip: not a zip that can be read"),
        ("my.yaml", "", "my.yaml: not a zip that can be read"),
        ("tiny", "", "tiny: not a zip that can be read"),
        ("s.zip", "[]", "does not say whose it is"),
        ("s.zip", "[" * 100_000, "submission.json: not JSON that can be read"),
        ("s.zip", '{"anonymiser": 9}', "does not say whose it is"),
        ("s.zip", "9" * 5000, "submission.json: not JSON that can be read"),
    ],
)
def test_what_is_no_submission_or_says_nonsense_of_itself_is_one_line(
    submitted, name, about, words
):
    (submitted / "submission.json").write_text(about)
    packed(submitted)
    finished = checked(name, submitted.parent)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1 and words in finished.stderr
