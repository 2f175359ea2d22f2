"""People's files: what a config names, and that every edit of it is noticed and nothing else."""

import errno
import os
import time
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiceprivacy.inout import checksums
from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration, seen, sources
from voiceprivacy.plan.earlier import FORMAT, refuse_other_format
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.seen import CACHE
from voiceprivacy.plan.sources import Named, Sources

CORPUS = ("corpora", "mine", "kaldi")
FINGERPRINT = Path("results/sources/corpora/mine.sha256")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A run's folder with a Kaldi directory, a submission and a folder of wavs."""
    monkeypatch.chdir(tmp_path)
    for name in ("data/mine", "audio/anna", "team/wav"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("audio/anna/1.wav", "audio/anna/2.wav", "team/wav/1.wav"):
        Path(name).write_text(name)
    Path("data/mine/wav.scp").write_text(
        "anna-1 audio/anna/1.wav\nanna-2 sox audio/anna/2.wav -t wav - |\n"
    )
    Path("data/mine/trials").write_text("anna anna-2 target\n")
    return tmp_path


def kaldi(**options):
    return Sources([Named(CORPUS, "data/mine", below=False, **options)])


def fingerprint(made):
    made.refresh()
    return FINGERPRINT.read_text()


def edit(path, text="edited"):
    Path(path).write_text(text)


@pytest.mark.parametrize(
    "path", ["data/mine/wav.scp", "data/mine/trials", "audio/anna/1.wav", "audio/anna/2.wav"]
)
def test_every_edit_behind_a_kaldi_directory_is_noticed(path):
    before = fingerprint(kaldi())
    edit(path, f"{Path(path).read_text()}\n")
    assert fingerprint(kaldi()) != before


def test_a_new_table_is_noticed():
    before = fingerprint(kaldi())
    edit("data/mine/spk2gender", "anna f")
    assert fingerprint(kaldi()) != before


@pytest.mark.parametrize("path", ["data/mine/trials", "audio/anna/1.wav"])
def test_a_new_time_alone_changes_nothing(path):
    kaldi().refresh()
    written = FINGERPRINT.stat()
    os.utime(path, (1, 1))
    kaldi().refresh()
    assert (FINGERPRINT.stat().st_mtime_ns, FINGERPRINT.stat().st_ino) == (
        written.st_mtime_ns,
        written.st_ino,
    )


@pytest.fixture
def read(monkeypatch):
    """The files that are read from now on."""
    paths = []
    digest = seen.sha256_of
    monkeypatch.setattr(seen, "sha256_of", lambda path: paths.append(path) or digest(path))
    return paths


def wait_a_moment(monkeypatch):
    """From now on, edits are long ago."""
    now = time.time_ns
    monkeypatch.setattr(seen.time, "time_ns", lambda: now() + 10 * seen.JUST_NOW_NS)


def test_a_file_is_read_again_only_if_it_may_have_changed(monkeypatch, read):
    wait_a_moment(monkeypatch)
    kaldi().refresh()
    read.clear()
    kaldi().refresh()
    assert read == []
    os.utime("audio/anna/1.wav", (1, 1))
    kaldi().refresh()
    assert read == ["audio/anna/1.wav"]


def test_recordings_of_a_large_source_are_known_by_size_and_time(monkeypatch):
    monkeypatch.setattr(sources, "HASHED_BYTES", 20)
    before = fingerprint(kaldi())
    os.utime("audio/anna/1.wav", (1, 1))
    touched = fingerprint(kaldi())
    assert touched != before
    os.utime("data/mine/trials", (1, 1))
    assert fingerprint(kaldi()) == touched, "tables are known by their content"


def test_a_dry_run_writes_nothing_in_results(tmp_path):
    scratch = tmp_path / "scratch"
    source = kaldi()
    source.refresh(scratch)
    assert source.file("corpora", "mine") == [f"{scratch}/corpora/mine.sha256"]
    assert not Path("results").exists() and not CACHE.exists()
    kaldi().refresh()
    unchanged = kaldi()
    unchanged.refresh(scratch)
    assert unchanged.file("corpora", "mine") == [str(FINGERPRINT)]
    edit("data/mine/trials")
    changed = kaldi()
    changed.refresh(scratch)
    assert changed.file("corpora", "mine") == [f"{scratch}/corpora/mine.sha256"]


def test_a_lost_recording_stops_the_run_unless_such_ones_are_left_out():
    kaldi().refresh()
    Path("audio/anna/1.wav").unlink()
    with pytest.raises(BadInput, match=r"^audio/anna/1\.wav: not found$"):
        kaldi().refresh()
    assert fingerprint(kaldi(may_lack=True))


def test_a_disk_that_is_not_mounted_stops_the_run_in_any_case():
    kaldi().refresh()
    before = FINGERPRINT.read_text()
    Path("audio").rename("elsewhere")
    Path("data/mine").rename("data/other")
    Path("data/mine").mkdir()
    with pytest.raises(BadInput, match="data/mine: is empty, and was not before"):
        kaldi(may_lack=True).refresh()
    assert FINGERPRINT.read_text() == before


def test_what_was_never_there_is_for_the_check_of_the_corpus():
    edit("data/mine/wav.scp", "anna-1 audio/anna/1.wav\nanna-3 audio/anna/3.wav\n")
    assert fingerprint(kaldi())


def test_a_source_that_cannot_be_read_is_named(monkeypatch):
    def refused(path, mode="r"):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(checksums, "open", refused, raising=False)
    with pytest.raises(BadInput, match=r"data/mine/.+: cannot be read \(Permission denied\)"):
        kaldi().refresh()


def test_relative_paths_start_from_the_root_or_from_a_folder_above():
    Path("data/audio").mkdir()
    for name in ("data/audio/1.wav", "data/mine/1.wav"):
        edit(name, name)
    edit("data/mine/wav.scp", "anna-1 audio/1.wav\n")
    above = fingerprint(kaldi())
    edit("data/audio/1.wav")
    assert fingerprint(kaldi()) != above
    edit("data/mine/wav.scp", "anna-1 1.wav\n")
    below = fingerprint(kaldi(root="data/mine"))
    edit("data/mine/1.wav")
    assert fingerprint(kaldi(root="data/mine")) != below


def test_below_a_folder_all_files_with_the_endings_are_read_but_not_results():
    team = [Named(("anonymisers", "team", "audio"), ".", endings=(".wav",))]
    fingerprints = []
    for path in ("results/audio/1.wav", ".hidden/1.wav", "team/notes.txt", "team/wav/2.wav"):
        Sources(team).refresh()
        fingerprints.append(Path("results/sources/anonymisers/team.sha256").read_text())
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        edit(path)
    Sources(team).refresh()
    fingerprints.append(Path("results/sources/anonymisers/team.sha256").read_text())
    assert len(set(fingerprints[:4])) == 1
    assert fingerprints[4] != fingerprints[3]


def test_links_in_circles_come_to_an_end():
    Path("audio/anna/again").symlink_to(Path("audio").absolute())
    Sources([Named(("corpora", "mine"), "audio")]).refresh()


def test_what_only_has_to_be_there_is_no_source():
    assert Sources([Named(("anonymisers", "b2", "env"), "env.yaml", endings=())]).named == {}
    assert kaldi().file("corpora", "other") == []


def test_every_section_of_a_config_has_its_sources(folder):
    for name in ("mine.py", "recipe.yaml", "scores_b2_op.tsv", "map.tsv", "tags.yaml", "e.npz"):
        (folder / name).touch()
    config = {
        "corpora": {
            "mine": {"kaldi": "data/mine"},
            "made": {"synthetic": {"speakers": 2, "utterances": 4}},
        },
        "anonymisers": {
            "mine": {"function": "mine.py:protect"},
            "team": {"audio": "{set}"},
            "command": {"command": "b3"},
        },
        "extractors": {
            "ready": {"embeddings": "e.npz"},
            "hub": {"model": "a/b", "revision": "0123456"},
        },
        "backends": {"cosine": {"type": "cosine"}},
        "attacks": {
            "others": {"scores": "scores_{anonymiser}_{condition}.tsv", "speakers": "map.tsv"}
        },
        "utility": {"wer": {"command": "wer", "inputs": ["mine.py"]}},
        "expected": "map.tsv",
        "report": {"tags": "tags.yaml"},
    }
    plan = Plan(configuration.complete(config))
    corpora, systems = ("mine", "made"), ("original", "mine", "team", "command")
    embedded = {"/".join(names) for names in product(corpora, ("enrolment", "trial"), systems)}
    assert set(plan.sources.named) == {
        "corpora/mine",
        "anonymisers/mine",
        "anonymisers/team",
        *{f"extractors/ready/{of_part}" for of_part in embedded},
        "attacks/others",
        "attacks/others/scores/all/b2/op",
        "utility/wer",
        "expected",
        "report/tags",
    }
    attack = [named.path for named in plan.sources.named["attacks/others"]]
    assert attack == ["map.tsv"]
    scored = plan.sources.file("attacks", "others", "scores/all/b2/op")
    assert scored == ["results/sources/attacks/others/scores/all/b2/op.sha256"]
    assert plan.sources.file("expected") == ["results/sources/expected.sha256"]


def test_subsets_that_a_run_downloads_are_no_source():
    downloaded = {"librispeech": {"root": "libri", "subsets": ["a"], "download": True}}
    there = {"librispeech": {"root": "libri", "subsets": ["a"]}}
    assert Plan(configuration.complete({"corpora": {"mine": downloaded}})).sources.named == {}
    named = Plan(configuration.complete({"corpora": {"mine": there}})).named
    assert [(path.path, path.below) for path in named] == [("libri", False), ("libri/a", True)]
    assert [path.path for path in sources.unusable(named)] == ["libri"]


@settings(max_examples=25, deadline=None)
@given(edits=st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=3)), min_size=1))
def test_a_fingerprint_depends_on_what_is_there_and_not_on_how_it_came_there(
    tmp_path_factory, edits
):
    """After any edits, with any fingerprints in between, it is that of a fresh look."""
    folder = tmp_path_factory.mktemp("edits")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("tree").mkdir()
        Path("tree/start").touch()
        named = [Named(("corpora", "mine"), "tree")]
        for name, content in edits:
            Path("tree", name).write_bytes(content)
            Sources(named).refresh()
        after = FINGERPRINT.read_text()
        CACHE.unlink()
        FINGERPRINT.unlink()
        Sources(named).refresh()
        assert FINGERPRINT.read_text() == after


def write_provenance(text):
    Path("results").mkdir(exist_ok=True)
    Path("results/provenance.json").write_text(text)


def test_a_fresh_folder_gets_the_format_and_can_be_carried_on():
    refuse_other_format(remake=False, dry_run=True)
    assert not FORMAT.exists()
    refuse_other_format(remake=False, dry_run=False)
    Path("results/metrics").mkdir()
    refuse_other_format(remake=False, dry_run=False)


def test_results_that_say_this_format_are_carried_on():
    write_provenance('{"format": 3}')
    refuse_other_format(remake=False, dry_run=False)
    Path("results/provenance.json").unlink()  # as Snakemake does before it makes it again
    Path("results/metrics").mkdir()
    refuse_other_format(remake=False, dry_run=False)


@pytest.mark.parametrize("provenance", ['{"format": 1}', "{}", '{"format": 2}', '{"format": 4}'])
def test_results_of_another_format_are_refused(provenance):
    write_provenance(provenance)
    with pytest.raises(BadInput, match=r"--directory NEW.* --remake"):
        refuse_other_format(remake=False, dry_run=True)
    refuse_other_format(remake=True, dry_run=False)
    assert FORMAT.read_text() != "3\n", "they are of this format only when all is made"
    write_provenance('{"format": 3}')
    refuse_other_format(remake=False, dry_run=False)
    assert FORMAT.read_text() == "3\n"


def test_an_interrupted_run_of_another_format_is_refused():
    Path("results/checks").mkdir(parents=True)
    with pytest.raises(BadInput, match="made by another version"):
        refuse_other_format(remake=False, dry_run=False)
