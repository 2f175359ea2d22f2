"""--sdm conda: Snakemake builds the environments of envs/ and runs every rule in its own.

With a real solver and installer, but packages of a small channel of our own. Of conda-forge the
environments take Python and pip only; their blocks for pip are resolved and installed here, by the
build of torch that this machine's pip offers.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from support.conda_stand_in import ONLY_CUDA, build_channel, conda_specs, install_command
from support.runs import REVERSED, ROOT, make_kaldi_directory, snakemake, succeeded, write_config

pytestmark = pytest.mark.nightly
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))
METRICS = "results/metrics/zebra/tiny/all/mine/random/cosine.json"
QUALITY = "results/utility/tiny/trial/original/quality.tsv"
ENCODERS = ("resemblyzer", "campplus", "dvector")  # whose weights come inside packages
WORLD = "{scripts}/voiceprivacy/anonymise/functions/world.py:world"
SPOKEN = "results/audio/tiny/trial/world/manifest.tsv"
OF_A_CALL = re.compile(r"^(?:-P -m voiceprivacy\.jobs\.|-m |.*/)(\w+)", re.MULTILINE)
CALLED = {
    "evaluate": {"anonymise_part", "score_system", "assess_scores"},
    "torch": {
        *("fetching", "validate_corpus", "prepare_part", "list_trials"),
        *("extract_embeddings", "measure_utility"),
    },
    "dvector": {"fetching", "extract_embeddings"},
    "world": {"anonymise_part"},
}


def run(folder, model, **channel):
    """Run the tiny config with --sdm conda as far as METRICS and the embeddings of ENCODERS.

    It has its own channel and command.
    """
    build_channel(folder / "channel", ENVIRONMENTS, **channel)
    install_command(folder / "base", folder / "channel")
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model, folder / "model")
    extractors = {name: {"package": name} for name in ENCODERS} | {"random": {"model": "model"}}
    config = write_config(
        folder,
        anonymisers={
            "mine": REVERSED,
            "world": {"function": WORLD, "env": "world"},
        },
        extractors=extractors,
        utility={"quality": {"type": "quality", "utterances": 1}},
    )
    embeddings = [f"results/embeddings/tiny/trial/original/{name}.npz" for name in ENCODERS]
    path = os.pathsep.join([str(folder / "base" / "bin"), os.environ["PATH"]])
    return snakemake(
        folder,
        *(METRICS, QUALITY, SPOKEN, *embeddings),
        *("--sdm", "conda", "--cores", "2", "--configfile", config),
        PATH=path,
    )


def test_every_rule_runs_in_its_own_environment_which_has_the_pinned_versions(
    tmp_path, model_folder
):
    succeeded(run(tmp_path, model_folder))
    stems = {environment.read_text(): environment.stem for environment in ENVIRONMENTS}
    copies = (tmp_path / ".snakemake/conda").glob("*.yaml")
    prefixes = {stems[copy.read_text()]: copy.with_suffix("") for copy in copies}
    called = {
        name: set(OF_A_CALL.findall((prefix / "called").read_text()))
        for name, prefix in prefixes.items()
    }
    assert called == CALLED
    for name, prefix in prefixes.items():
        records = [json.loads(file.read_text()) for file in prefix.glob("conda-meta/*.json")]
        installed = {record["name"]: record["version"] for record in records}
        pinned = dict(conda_specs(ROOT / f"envs/{name}.yaml"))
        assert installed.keys() == pinned.keys()
        exact = {key: version for key, version in pinned.items() if version and key != "python"}
        assert exact.items() <= installed.items()
        assert installed["python"].startswith(pinned["python"] + ".")


def test_an_environment_that_cannot_be_solved_stops_the_run_before_any_job(tmp_path, model_folder):
    finished = run(tmp_path, model_folder, without=["pip"])
    assert finished.returncode != 0
    assert re.search(r"envs/\w+\.yaml", finished.stderr)
    assert "pip" in finished.stderr.partition("Cannot solve")[2]
    assert not (tmp_path / "results" / "checks").exists()


# What an environment is for: some of what its scripts import.
IMPORTED = {
    "evaluate": ["jinja2", "matplotlib", "numba", "pandas", "scipy", "soundfile", "yaml"],
    "dvector": ["numpy", "onnxruntime", "soundfile"],
    "torch": [
        *("jiwer", "jsonschema", "onnx", "onnxruntime", "pocketsphinx", "pystoi"),
        *("scipy", "soundfile", "speechbrain", "torch", "torchaudio", "torchyin"),
        *("tqdm", "transformers", "webrtcvad", "yaml"),
    ],
    "neural": ["ctranslate2", "espeakng_loader", "jiwer", "onnxruntime", "soundfile", "yaml"],
    "world": ["numba", "pyworld", "scipy", "soundfile"],
}


def block_for_pip(environment):
    *_, block = yaml.safe_load(environment.read_text())["dependencies"]
    return "\n".join(block["pip"]) + "\n"


def call(*words, **options):
    return succeeded(subprocess.run(words, capture_output=True, text=True, **options))


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_the_block_for_pip_is_resolved_installed_and_has_what_scripts_import(tmp_path, environment):
    (tmp_path / "block.txt").write_text(block_for_pip(environment))
    call(sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty")
    words = ["pip", "install", "--dry-run", "--require-hashes", "--requirement", "block.txt"]
    python = ["--python", str(tmp_path / "empty/bin/python")]
    resolved = call(sys.executable, "-m", "uv", *words, *python, cwd=tmp_path)
    assert "numpy==" in resolved.stderr

    pins = block_for_pip(environment).splitlines()
    if any(pin.startswith("torch==") for pin in pins):
        call("sh", "envs/make_venv.sh", sys.executable, tmp_path / "fresh", "torch", cwd=ROOT)
        there = call(tmp_path / "fresh/bin/pip", "freeze", "--all").stdout
        there = {line.partition("==")[0].lower().replace("_", "-") for line in there.splitlines()}
        pins = [pin for pin in pins if pin.partition("==")[0] not in there]
        pins = [pin for pin in pins if not pin.startswith(ONLY_CUDA)]
    else:
        call(sys.executable, "-m", "venv", tmp_path / "fresh")
    (tmp_path / "block.txt").write_text("\n".join(pins) + "\n")
    words = ["install", "--quiet", "--no-deps", "--require-hashes", "--requirement", "block.txt"]
    call(tmp_path / "fresh/bin/pip", *words, cwd=tmp_path)
    call(tmp_path / "fresh/bin/pip", "check")
    models = environment.with_suffix(".post-deploy.sh")
    if models.exists():
        path = os.pathsep.join([str(tmp_path / "fresh/bin"), os.environ["PATH"]])
        call("sh", models, env=os.environ | {"PATH": path}, cwd="/")
        assert [*(tmp_path / "fresh/share/voiceprivacy/models").rglob("*.*")]
    there = "from importlib.util import find_spec; assert all(map(find_spec, {}))"
    call(tmp_path / "fresh/bin/python", "-c", there.format(IMPORTED[environment.stem]))
