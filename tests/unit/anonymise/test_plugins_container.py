"""Programs in a container: how apptainer is called, by a stand-in that notes it."""

import json
import os
import shutil

import pytest
from support import apptainer

from voiceprivacy.anonymise import plugins
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import read_manifest


@pytest.fixture
def run(tmp_path, original, monkeypatch):
    """A function that protects the speech, and gives its files and what apptainer was told."""
    apptainer.install(tmp_path / "bin", tmp_path / "told.json")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "image.sif").write_text(apptainer.COPIER)

    def protect(**fields):
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        options = {"command": "/opt/anonymise", "container": str(tmp_path / "image.sif"), **fields}
        utterances = read_manifest(original)
        paths = plugins.protect(options, utterances, seed=0, threads=3, scratch=scratch, minutes=2)
        return paths, json.loads((tmp_path / "told.json").read_text())

    return protect


def test_a_program_of_an_image_protects(run, tmp_path, capfd):
    paths, told = run(options={"strength": 3})
    assert len(paths) == 8 and all(path.stat().st_size > 1000 for path in paths.values())
    assert "image 7, strength 3" in capfd.readouterr().err
    assert told["exec"] == "exec" and told["program"] == "/opt/anonymise"
    assert told["image"] == str(tmp_path / "image.sif")


def test_it_is_shown_its_speech_its_output_and_what_its_entry_names(run, tmp_path):
    (tmp_path / "model.txt").write_text("x")
    scratch = tmp_path / "scratch"
    _, told = run(reads=[str(tmp_path / "model.txt")])
    assert told["given"] == [
        ["--containall"],
        ["--net"],
        ["--network", "none"],
        ["--bind", f"{scratch}:{scratch}"],
        ["--bind", f"{scratch}/given:{scratch}/given:ro"],
        ["--bind", f"{tmp_path}/model.txt:{tmp_path}/model.txt:ro"],
        ["--home", f"{scratch}/home:/box"],
        ["--pwd", "/box"],
    ]


def test_with_gpu_it_gets_the_cards(run):
    assert ["--nv"] in run(gpu=1)[1]["given"]


def test_few_variables_reach_it_and_none_shows_it_more(run, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "mine")
    monkeypatch.setenv("APPTAINER_BIND", "/")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    _, told = run()
    assert told["own"]["OMP_NUM_THREADS"] == "3" and told["own"]["TMPDIR"] == "/box"
    assert told["own"]["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert not {"SECRET_TOKEN", "HOME", "PATH", "LD_LIBRARY_PATH"} & told["own"].keys()
    assert "APPTAINER_BIND" not in told["others"]


def test_its_memory_is_limited(run, tmp_path, capfd):
    (tmp_path / "image.sif").write_text("ulimit -d\nexit 3\n")
    with pytest.raises(BadInput, match="exit code 3"):
        run(mem_mb=500)
    assert capfd.readouterr().err.split()[-1] == str(500 * 1024)


def test_without_apptainer_the_error_names_it_and_how_it_is_installed(run, tmp_path, monkeypatch):
    (tmp_path / "bin" / "apptainer").unlink()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if shutil.which("apptainer"):
        pytest.skip("apptainer is installed")
    with pytest.raises(BadInput, match=r"container: .*image.sif.* needs apptainer, .*https://"):
        run()
