"""People's files: what a config names, and that every edit of it is noticed and nothing else."""

import errno
import os
import sys
import time
from pathlib import Path

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import checksums
from voiceprivacy.kinds import Named
from voiceprivacy.plan import defaults, named_files, sources
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.sources import CACHE, Sources

CORPUS = ("corpora", "mine", "kaldi")
FOLDER = {"root": "audio", "pattern": "{speaker}/{utterance}.wav"}
FINGERPRINT = Path("results/sources/corpora/mine.sha256")


@pytest.fixture(autouse=True)
def folder(tmp_path, in_tmp_path):
    """A run's folder with a Kaldi directory, a submission and a folder of wavs."""
    for name in ("audio/anna/1.wav", "audio/anna/2.wav", "team/wav/1.wav"):
        edit(name, name)
    edit("data/mine/wav.scp", "anna-1 audio/anna/1.wav\nanna-2 sox audio/anna/2.wav -t wav - |\n")
    edit("data/mine/trials", "anna anna-2 target\n")
    return tmp_path


def kaldi(**options):
    return Sources([Named(CORPUS, "data/mine", below=False, **options)])


def fingerprint(made):
    made.refresh()
    return FINGERPRINT.read_text()


def edit(path, text="edited"):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def wait_a_moment(monkeypatch):
    """From now on, edits are long ago."""
    now = time.time_ns
    monkeypatch.setattr(sources.time, "time_ns", lambda: now() + 10 * sources.JUST_NOW_NS)


def test_a_file_is_read_again_only_if_it_may_have_changed(monkeypatch):
    """What other configs know of their files stays, too."""
    wait_a_moment(monkeypatch)
    kaldi().refresh()
    Sources([Named(("anonymisers", "team", "audio"), "team")]).refresh()
    read, digest = [], sources.sha256_of
    monkeypatch.setattr(sources, "sha256_of", lambda path: read.append(path) or digest(path))
    kaldi().refresh()
    assert read == []
    os.utime("audio/anna/1.wav", (1, 1))
    kaldi().refresh()
    assert read == [os.path.abspath("audio/anna/1.wav")]


def test_a_lost_disk_stops_the_run_where_lost_recordings_are_left_out():
    kaldi().refresh()
    Path("audio/anna/1.wav").unlink()
    before = fingerprint(kaldi(may_lack=True))
    Path("audio").rename("elsewhere")
    Path("data/mine").rename("data/other")
    Path("data/mine").mkdir()
    with pytest.raises(BadInput, match="data/mine: is empty"):
        kaldi(may_lack=True).refresh()
    assert FINGERPRINT.read_text() == before


def test_a_folder_without_such_files_is_taken_if_it_never_had_any():
    Path("empty").mkdir()
    kaldi().refresh()  # which knows the WAVs below audio
    for folder, endings in (("empty", None), ("empty", None), ("audio", (".flac",))):
        fingerprint(Sources([Named(("corpora", "mine"), folder, endings=endings)]))


def refused(path=".", mode="r"):
    raise PermissionError(errno.EACCES, "Permission denied", path)


def test_relative_paths_start_from_the_root_or_from_a_folder_above():
    for path, named, options in (
        ("data/audio/1.wav", "audio/1.wav", {}),
        ("data/mine/1.wav", "1.wav", {"root": "data/mine"}),
    ):
        edit(path, "before")
        edit("data/mine/wav.scp", f"anna-1 {named}\n")
        before = fingerprint(kaldi(**options))
        edit(path)
        assert fingerprint(kaldi(**options)) != before


def test_below_a_folder_all_files_with_the_endings_are_read_and_circles_come_to_an_end():
    team = Sources([Named(CORPUS, ".", endings=(".wav",))])
    before = fingerprint(team)
    for path in ("results/audio/1.wav", ".hidden/1.wav", "team/notes.txt"):
        edit(path)
        assert fingerprint(team) == before
    edit("team/wav/2.wav")
    assert fingerprint(team) != before
    Path("audio/anna/again").symlink_to(Path("audio").absolute())
    Sources([Named(("corpora", "mine"), "audio")]).refresh()


def test_what_only_has_to_be_there_or_will_be_downloaded_is_no_source():
    assert Sources([Named(("anonymisers", "b2", "env"), "env.yaml", endings=())]).named == {}
    assert kaldi().file("corpora", "other") == []
    downloaded = {"librispeech": {"root": "libri", "subsets": ["a"], "download": True}}
    there = {"librispeech": {"root": "libri", "subsets": ["a"]}}
    assert Plan(defaults.complete({"corpora": {"mine": downloaded}})).sources.named == {}
    named = Plan(defaults.complete({"corpora": {"mine": there}})).named
    assert {(path.path, path.below) for path in named} == {("libri", False), ("libri/a", True)}
    assert [path.path for path in named_files.unusable(named)] == ["libri"]


@pytest.mark.parametrize(
    ("options", "transcript"),
    [
        ({"kaldi": "data/mine"}, "data/mine/text"),
        ({"librispeech": {"root": "libri", "subsets": ["a"]}}, "libri/a/1/2/1-2.trans.txt"),
        ({"vctk": {"root": "vctk"}}, "vctk/txt/p225/p225_001.txt"),
        ({"folder": {**FOLDER, "transcripts": "told.tsv"}}, "told.tsv"),
    ],
)
def test_no_speech_is_made_again_for_a_transcript(options, transcript):
    edit(transcript, "before")
    for beside in ("libri/SPEAKERS.TXT", "libri/a/1/2/1-2-0.flac", "vctk/speaker-info.txt"):
        edit(beside)
    plan = Plan(defaults.complete({"corpora": {"mine": options}}))
    said = Path("results/sources/corpora/mine/transcripts.sha256")
    plan.sources.refresh()
    before = FINGERPRINT.read_text(), said.read_text()
    edit(transcript)
    plan.sources.refresh()
    assert FINGERPRINT.read_text() == before[0]
    assert said.read_text() != before[1]
    assert "told.tsv" not in str(plan.speech.source("mine"))
    assert ("told.tsv" in str(plan.speech.transcribed("mine"))) == ("folder" in options)


def edit_keeping_all_times(monkeypatch, path):
    """Edit a file; whoever looks at it sees what there was to be seen before."""
    look, path = sources._look, os.path.abspath(path)
    kept = look(path)
    edit(path, Path(path).read_text().upper())
    monkeypatch.setattr(sources, "_look", lambda name: kept if name == path else look(name))


@pytest.mark.parametrize("path", ["audio/anna/1.wav", "data/mine/trials"])
def test_an_edit_that_keeps_size_and_all_times_is_found_by_reading_everything(monkeypatch, path):
    wait_a_moment(monkeypatch)
    before = fingerprint(kaldi())
    edit_keeping_all_times(monkeypatch, path)
    assert fingerprint(kaldi()) == before
    kaldi().refresh(check=True)
    assert FINGERPRINT.read_text() != before


def test_an_edit_just_after_the_last_one_is_noticed_though_the_disks_clock_is_coarse(monkeypatch):
    before = fingerprint(kaldi())
    edit_keeping_all_times(monkeypatch, "audio/anna/1.wav")
    assert fingerprint(kaldi()) != before


def test_a_damaged_cache_is_as_none_and_tables_may_go_and_name_no_file():
    """A line that names no file is left to the check of the corpus."""
    before = fingerprint(kaldi())
    for text in ("", "[]", "{", '{"a": 1}', '{"a": [1, 2]}'):
        CACHE.write_text(text)
        assert fingerprint(kaldi()) == before
    edit("data/mine/wav.scp", "anna-1 audio/anna/1.wav\nanna-4 audio/anna/4.wav\n")
    edit("data/mine/text", "anna-1 hello\n")
    more = fingerprint(kaldi())
    Path("data/mine/text").unlink()
    assert len({before, more, fingerprint(kaldi())}) == 3


# What stops a run.


SPOILT = {
    "folder": os.mkdir,
    "broken link": lambda path: os.symlink("nowhere", path),
    "pipe": os.mkfifo,
    "lost": lambda path: None,
}


def spoil(path, how):
    os.rename(path, "kept")
    SPOILT[how](path)


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("path", ["audio/anna/1.wav", "data/mine/wav.scp", "data/mine/trials"])
def test_a_file_that_cannot_be_read_any_more_stops_the_run_and_changes_nothing(path, how):
    before = fingerprint(kaldi())
    cached = CACHE.read_bytes()
    spoil(path, how)
    edit("audio/anna/2.wav")
    with pytest.raises(BadInput, match=rf"^{path}: "):
        kaldi().refresh()
    assert (FINGERPRINT.read_text(), CACHE.read_bytes()) == (before, cached)


@pytest.mark.parametrize("how", SPOILT)
def test_a_file_that_a_config_names_must_be_one(how):
    edit("map.tsv")
    named = [Named(("attacks", "others", "key"), "map.tsv", named_files.FILE)]
    assert not named_files.unusable(named)
    spoil("map.tsv", how)
    assert list(named_files.unusable(named)) == named


def test_a_file_that_cannot_be_read_and_a_folder_that_cannot_be_listed_stop_the_run(monkeypatch):
    Sources([Named(("corpora", "mine"), "audio")]).refresh()
    with monkeypatch.context() as unreadable:
        unreadable.setattr(checksums, "open", refused, raising=False)
        with pytest.raises(BadInput, match=r"audio/anna/1.wav: cannot be read \(Permission"):
            kaldi().refresh()
    monkeypatch.setattr(os, "scandir", refused)
    for source in (Sources([Named(("corpora", "mine"), "audio")]), kaldi()):
        with pytest.raises(BadInput, match=r"cannot be read \(Permission denied\)"):
            source.refresh()


def test_a_submissions_wav_scp_counts_from_its_folder_and_from_the_working_one():
    edit("team/wav.scp", "anna-1 audio/anna/1.wav\nanna-2 wav/1.flac\n")
    edit("team/wav/1.flac")
    team = Sources([Named(("corpora", "mine"), "team", endings=(".wav",))])
    before = fingerprint(team)
    for path in ("audio/anna/1.wav", "team/wav/1.flac"):
        edit(path, "another")
        assert fingerprint(team) != before
        before = fingerprint(team)


# Files that commands name.


@pytest.mark.parametrize(
    "command",
    [
        "python nac/run.py --fast",
        "nac/run.py",
        "python -m nac.run --fast",
        "python code.py --config=nac/run.py",
        "sh -c 'python nac/run.py --fast'",
    ],
)
def test_a_file_that_a_command_names_is_an_input(command):
    edit("nac/run.py")
    assert sources.files_in_words([command], "results") == ["nac/run.py"]


def test_an_input_is_a_module_with_the_packages_above_it_and_no_file_of_the_system():
    edit("results/plan.json")
    os.symlink("/bin/sh", "shell")
    words = f"/bin/sh shell {sys.executable} /usr/bin/env results/plan.json nac nac.py /etc/hosts"
    assert sources.files_in_words([words], "results") == []
    files = ["nac/__init__.py", "nac/fast/__init__.py", "nac/fast/run.py"]
    for file in files:
        edit(file)
    assert sources.files_in_words(["python -m nac.fast.run"], "results") == files


@pytest.mark.parametrize(
    "pattern",
    ["{speaker}/{utterance}.wav", "{speaker}/{utterance}.*", "{speaker}/{utterance}.{gender}"],
)
def test_recordings_of_a_folder_are_noticed_whatever_the_pattern_ends_with(pattern):
    config = {"corpora": {"mine": {"folder": {"root": "audio", "pattern": pattern}}}}
    before = fingerprint(Plan(defaults.complete(config)).sources)
    edit("audio/anna/1.wav")
    assert fingerprint(Plan(defaults.complete(config)).sources) != before
