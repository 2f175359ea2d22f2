"""--sdm conda: Snakemake builds the environments of envs/ and runs every rule in its own.

With a real solver and installer, but packages of a small channel of our own: that conda-forge can
solve the environments, and that its packages do what the rules need, is not tested.
"""

import json
import os
import shutil

import pytest
from support.conda_stand_in import build_channel, conda_specs, install_command
from support.runs import ROOT, make_kaldi_directory, snakemake, write_config

pytestmark = pytest.mark.long
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))
METRICS = "results/metrics/zebra/tiny/all/mine/random/cosine.json"
ENCODERS = ("resemblyzer", "dvector")  # inside packages, in environments of their names
FUNCTION = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return samples[::-1]
"""
CALLED = {
    "corpora": {"validate_corpus", "prepare_part", "list_trials"},
    "evaluate": {"anonymise_part", "score_system", "assess_scores"},
    "speechbrain": {"extract_embeddings"},
    # Their environments get their packages by python -m pip.
    "resemblyzer": {"-m", "extract_embeddings"},
    "dvector": {"-m", "extract_embeddings"},
}


def run(folder, model, **channel):
    """Run the tiny config with --sdm conda as far as METRICS and the embeddings of ENCODERS.

    It has its own channel and command.
    """
    build_channel(folder / "channel", ENVIRONMENTS, **channel)
    install_command(folder / "base", folder / "channel")
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model, folder / "model")
    (folder / "mine.py").write_text(FUNCTION)
    extractors = {name: {"package": name} for name in ENCODERS} | {"random": {"model": "model"}}
    config = write_config(
        folder, anonymisers={"mine": {"function": "mine.py:anonymise"}}, extractors=extractors
    )
    embeddings = [f"results/embeddings/tiny/trial/original/{name}.npz" for name in ENCODERS]
    path = os.pathsep.join([str(folder / "base" / "bin"), os.environ["PATH"]])
    return snakemake(
        folder,
        *(METRICS, *embeddings),
        *("--sdm", "conda", "--cores", "2", "--configfile", config),
        PATH=path,
    )


def built(folder):
    """{stem of envs/*.yaml: prefix} of the environments that Snakemake built."""
    contents = {environment.read_text(): environment.stem for environment in ENVIRONMENTS}
    return {
        contents[copy.read_text()]: copy.with_suffix("")
        for copy in (folder / ".snakemake/conda").glob("*.yaml")
    }


def test_every_rule_runs_in_its_own_environment_which_has_the_pinned_versions(
    tmp_path, model_folder
):
    finished = run(tmp_path, model_folder)
    assert finished.returncode == 0, finished.stderr
    prefixes = built(tmp_path)
    called = {
        name: {
            os.path.basename(line).removesuffix(".py")
            for line in (prefix / "called").read_text().splitlines()
        }
        for name, prefix in prefixes.items()
    }
    assert called == CALLED
    for environment in ENVIRONMENTS:
        records = [
            json.loads(file.read_text())
            for file in prefixes[environment.stem].glob("conda-meta/*.json")
        ]
        installed = {record["name"]: record["version"] for record in records}
        pinned = dict(conda_specs(environment))
        assert installed.keys() == pinned.keys()
        exact = {name: version for name, version in pinned.items() if version and name != "python"}
        assert exact.items() <= installed.items()
        assert installed["python"].startswith(pinned["python"] + ".")


def test_an_environment_that_cannot_be_solved_stops_the_run_before_any_job(tmp_path, model_folder):
    finished = run(tmp_path, model_folder, without=["numba"])
    assert finished.returncode != 0
    assert "evaluate.yaml" in finished.stderr and "numba" in finished.stderr
    assert not (tmp_path / "results" / "checks").exists()
