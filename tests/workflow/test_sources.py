"""People's files in a run: edits are read again, touches are not, and older results are kept."""

import os
import shutil
import socket

import pytest
from support import apptainer, runs
from support.installed import install

LOUDER = """
def louder(samples, sample_rate, *, utterance, speaker, seed):
    return GAIN * samples
"""
FILES = {
    "mine.py": f"from gains import GAIN\n{LOUDER}",
    "gains.py": "GAIN = 0.5\n",
    "image.sif": apptainer.COPIER,
    "measure.py": runs.MEASURE,
    "tags.yaml": "A: {from_log10: 0, meaning: low}\nB: {from_log10: 1, meaning: high}\n",
}
ANONYMISERS = {
    "team": {"audio": "team"},
    "mine": {"function": "mine.py:louder"},
    "theirs": {"container": "image.sif", "command": "/opt/anonymise --strength 3"},
    "louder": {"package": "louder"},
}
GIVEN = "scores/all/b2/team7/given"
TARGETS = [
    "results/trials/tiny/all.tsv",
    *(f"results/audio/tiny/trial/{name}/manifest.tsv" for name in ANONYMISERS),
    "results/embeddings/tiny/trial/original/random.npz",
    "results/utility/tiny/trial/team/length.tsv",
    f"results/scores/{GIVEN}/op.tsv",
    f"results/metrics/zebra/{GIVEN}.json",
]
READ = ("validate", "prepare", "list", "anonymise", "extract", "measure", "take", "assess_scores")
NOTHING = "Nothing to be done"


def how(folder):
    """Where the stand-ins of apptainer and of an installed package are found."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "PYTHONPATH": str(folder / "site")}


def run(folder, *arguments):
    words = ("--cores", "2", "--configfile", folder / "config.yaml", *arguments)
    return runs.snakemake(folder, *TARGETS, *words, **how(folder))


@pytest.fixture(scope="module")
def finished(tmp_path_factory, model_folder):
    """A folder with a file of every kind, of which lists, speech and a few numbers are made."""
    folder = tmp_path_factory.mktemp("sources")
    runs.make_kaldi_directory(folder / "data" / "tiny", utterances=3, enrolled=1)
    (folder / "team7").mkdir()
    for name in ("original_oo", "b2_op"):
        scores = "enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t1.5\na\tc\tnontarget\t0.5\n"
        (folder / "team7" / f"{name}.tsv").write_text(scores)
    runs.write_submission(folder / "team", folder / "data" / "tiny" / "wav")
    shutil.copytree(model_folder, folder / "model")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    apptainer.install(folder / "bin", folder / "told.json")
    install(folder / "site", "louder", f"GAIN = 0.75\n{LOUDER}", offers="louder = louder:louder")
    runs.write_config(
        folder,
        anonymisers=ANONYMISERS,
        attacks={"team7": {"scores": "team7/{anonymiser}_{condition}.tsv"}},
        utility=runs.WITHOUT_MEASURES | {"length": {"command": "python measure.py"}},
        report={"bootstrap": 0, "tags": "tags.yaml"},
    )
    runs.succeeded(run(folder))
    return folder


@pytest.mark.parametrize(
    ("name", "repeated"),
    [
        ("team/emil-2.wav", {("anonymise_part", "team"), ("measure_utility", "team")}),
        ("mine.py", {("anonymise_part", "mine")}),
        ("gains.py", {("anonymise_part", "mine")}),
        ("image.sif", {("anonymise_part", "theirs")}),
        ("site/louder-1.0.dist-info/RECORD", {("anonymise_part", "louder")}),
        ("model/hyperparams.yaml", {("extract_embeddings", "original")}),
        ("measure.py", {("measure_utility", "team")}),
        ("team7/b2_op.tsv", {("take_scores", "b2"), ("assess_scores", "b2")}),
        ("tags.yaml", {("assess_scores", "b2")}),
    ],
)
def test_an_edit_repeats_what_reads_the_file_and_nothing_else(finished, name, repeated):
    before = runs.files_of(finished)
    with runs.edited(
        finished / name, b"more.py,sha256=0,1\n" if name.endswith("RECORD") else b"\n"
    ):
        jobs = runs.planned_jobs(finished, *TARGETS, **how(finished))
    made = {(rule.partition("_of_")[0], system) for rule, system in jobs if rule.startswith(READ)}
    assert made == repeated
    assert runs.files_of(finished) == before, "a dry run makes nothing"


def test_an_edit_of_a_corpus_repeats_all_that_is_made_of_it(finished):
    with runs.edited(finished / "data/tiny/wav.scp", b"\n"):
        rules = {rule for rule, _ in runs.planned_jobs(finished, *TARGETS, **how(finished))}
    assert rules >= {"validate_corpus", "prepare_part", "list_trials", "anonymise_part"}
    assert "take_scores" not in rules


def test_what_cannot_be_read_stops_the_run_before_anything_is_removed(finished):
    before = runs.files_of(finished)
    path = finished / "data/tiny/wav/emil-2.wav"
    path.rename(finished / "elsewhere")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    with runs.edited(finished / "data/tiny/utt2spk", b"\n"):  # else there would be nothing to do
        stopped = run(finished)
    path.unlink()
    (finished / "elsewhere").rename(path)
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    assert path.name in stopped.stderr
    assert runs.files_of(finished) == before


def test_a_job_on_a_node_does_not_look_at_the_sources(finished):
    fingerprint = finished / "results/sources/corpora/tiny.sha256"
    before = fingerprint.read_text(), (finished / ".snakemake/sources.json").read_text()
    job = ("list_trials:corpus=tiny,trials=all", "--allowed-rules", "list_trials", "--force")
    with runs.edited(finished / "data/tiny/trials", b"\n"):
        runs.finish(
            finished, "--nolock", "--mode", "remote", "--target-jobs", *job, **how(finished)
        )
    after = fingerprint.read_text(), (finished / ".snakemake/sources.json").read_text()
    assert after == before


def test_a_touch_repeats_nothing_and_deleted_speech_is_made_again(finished):
    """What reads the touched files afterwards does not take them for others."""
    folder = finished / "results/audio/tiny"
    manifest = (folder / "trial/team/manifest.tsv").read_bytes()
    for name in ("data", "team", "team7"):
        for path in (finished / name).rglob("*"):
            os.utime(path)
    assert NOTHING in run(finished, "-n").stdout
    shutil.rmtree(folder / "trial" / "team")
    runs.succeeded(run(finished))
    assert (folder / "trial/team/manifest.tsv").read_bytes() == manifest
    assert NOTHING in run(finished, "-n").stdout


def test_the_launcher_makes_older_results_again(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "provenance.json").write_text("{}")
    (tmp_path / "config.yaml").write_text("corpora: {}\n")
    words = ("run", "-n", "--configfile", "config.yaml")
    refused = runs.voiceprivacy(tmp_path, *words)
    assert (refused.returncode, "--remake" in refused.stderr) == (2, True)
    remade = runs.succeeded(runs.voiceprivacy(tmp_path, *words, "--remake"))
    assert "write_provenance" in remade.stdout
