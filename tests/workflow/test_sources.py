"""People's files in a run: edits are read again, touches are not, and older results are kept."""

import os
import re
import shutil
import socket
from pathlib import Path

import pytest
import yaml
from support.calls import call
from support.runs import make_kaldi_directory, snakemake, write_submission

TARGETS = [
    "results/trials/tiny/all.tsv",
    "results/audio/tiny/trial/team/manifest.tsv",
    "results/scores/scores/all/b2/team7/given/op.tsv",
]
CONFIG = {
    "corpora": {"tiny": {"kaldi": "data/tiny"}},
    "anonymisers": {"team": {"audio": "team"}},
    "attacks": {"team7": {"scores": "team7/{anonymiser}_{condition}.tsv"}},
}
NOTHING = "Nothing to be done"


def run(folder, *arguments, **environment):
    words = ("--cores", "2", "--configfile", folder / "config.yaml", *arguments)
    return snakemake(folder, *TARGETS, *words, **environment)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a corpus, a submission and a score file, whose lists and scores are made."""
    folder = tmp_path_factory.mktemp("sources")
    make_kaldi_directory(folder / "data" / "tiny", utterances=3, enrolled=1)
    (folder / "team7").mkdir()
    for name in ("original_oo", "b2_op"):
        scores = "enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t1.5\na\tc\tnontarget\t0.5\n"
        (folder / "team7" / f"{name}.tsv").write_text(scores)
    write_submission(folder / "team", folder / "data" / "tiny" / "wav")
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    made = run(folder)
    assert made.returncode == 0, made.stderr + made.stdout
    return folder


@pytest.fixture
def edit(finished):
    """A function that appends to a file, or moves it away; afterwards all is as before."""
    kept = {}

    def edit_file(name, addition):
        path = finished / name
        kept[path] = path.read_bytes(), path.stat()
        path.write_bytes(kept[path][0] + addition)

    yield edit_file
    for path, (content, status) in kept.items():
        path.write_bytes(content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def files_of(folder):
    """Results and their times; fingerprints are written by every look."""
    paths = [path for path in Path(folder, "results").rglob("*") if "sources" not in path.parts]
    return {path: path.stat().st_mtime_ns for path in paths}


def test_nothing_is_repeated_after_a_touch(finished):
    of_corpus = ("data/tiny/wav.scp", "data/tiny/wav/emil-2.wav")
    for name in (*of_corpus, "team/emil-2.wav", "team7/b2_op.tsv"):
        os.utime(finished / name)
    assert NOTHING in run(finished, "-n").stdout


@pytest.mark.parametrize(
    ("name", "repeated", "not_repeated"),
    [
        ("data/tiny/wav.scp", {"validate_corpus", "prepare_part", "list_trials"}, {"take_scores"}),
        ("team/emil-2.wav", {"anonymise_part"}, {"prepare_part", "take_scores"}),
        ("team7/b2_op.tsv", {"take_scores"}, {"prepare_part", "anonymise_part"}),
    ],
)
def test_an_edit_is_noticed_and_repeats_what_reads_it(finished, edit, name, repeated, not_repeated):
    before = files_of(finished)
    edit(name, b"\n")
    planned = run(finished, "-n")
    assert planned.returncode == 0, planned.stderr
    rules = set(re.findall(r"^(?:local)?rule (\w+):", planned.stdout, re.MULTILINE))
    assert repeated <= rules and not not_repeated & rules
    assert files_of(finished) == before, "a dry run makes nothing"


@pytest.mark.parametrize(
    ("name", "how"), [("data/tiny/trials", "nothing"), ("data/tiny/wav/emil-2.wav", "a socket")]
)
def test_what_cannot_be_read_stops_the_run_before_anything_is_removed(finished, edit, name, how):
    edit("data/tiny/utt2spk", b"\n")  # else there would be nothing to do
    before = files_of(finished)
    path = finished / name
    path.rename(finished / "elsewhere")
    if how == "a socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    stopped = run(finished)
    path.unlink(missing_ok=True)
    (finished / "elsewhere").rename(path)
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    assert path.name in stopped.stderr
    assert files_of(finished) == before


def test_a_job_on_a_node_does_not_look_at_the_sources(finished, edit):
    edit("data/tiny/trials", b"\n")
    fingerprint = finished / "results/sources/corpora/tiny.sha256"
    before = fingerprint.read_text(), (finished / ".snakemake/sources.json").read_text()
    job = ("list_trials:corpus=tiny,trials=all", "--allowed-rules", "list_trials", "--force")
    words = ("--cores", "1", "--nolock", "--configfile", finished / "config.yaml")
    done = snakemake(finished, "--mode", "remote", "--target-jobs", *job, *words)
    assert done.returncode == 0, done.stderr
    after = fingerprint.read_text(), (finished / ".snakemake/sources.json").read_text()
    assert after == before


def test_after_a_touch_a_run_goes_on_and_deleted_speech_is_made_again(finished):
    """What reads the touched files afterwards does not take them for others."""
    folder = finished / "results/audio/tiny"
    manifest = (folder / "trial/team/manifest.tsv").read_bytes()
    for path in [*(finished / "data").rglob("*.wav"), *(finished / "team").rglob("*.wav")]:
        os.utime(path)
    shutil.rmtree(folder / "trial" / "team")
    made = run(finished)
    assert made.returncode == 0, made.stderr
    assert (folder / "trial/team/manifest.tsv").read_bytes() == manifest
    assert NOTHING in run(finished, "-n").stdout


def test_the_launcher_makes_older_results_again_and_keeps_exit_codes(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "provenance.json").write_text("{}")
    (tmp_path / "config.yaml").write_text("corpora: {}\n")
    words = ["-n", "--configfile", "config.yaml", "--directory", tmp_path]
    refused = call("run", *words, cwd=tmp_path)
    assert (refused.returncode, "--remake" in refused.stderr) == (2, True)
    remade = call("run", "--remake", *words, cwd=tmp_path)
    assert remade.returncode == 0, remade.stderr
    assert "write_provenance" in remade.stdout
    assert call("run", "--no-such-option", cwd=tmp_path).returncode == 2
