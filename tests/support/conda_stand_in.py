"""A small conda channel on this disk, and a stand-in for conda that takes its packages from there.

The solver and the installer are real (py-rattler). The packages are not: those that envs/*.yaml
names are empty, and python calls the Python of the tests and notes what it was called with.
Its pip installs nothing: what it is asked for must be there already.
"""

import argparse
import asyncio
import importlib.metadata
import io
import itertools
import json
import os
import re
import sys
import tarfile
from pathlib import Path

import rattler
import yaml
from packaging.markers import Marker
from rattler.index import index_fs

REQUIRED_ONLY = ("flatbuffers", "protobuf")  # by onnxruntime, and not where it is installed alone
ONLY_CUDA = ("nvidia-", "cuda-", "triton")  # the Python of the tests may have torch for CPUs
OTHER_VERSIONS = ("0.0.1", "9999.0")  # of every package: an exact pin has to choose among several
PYTHON = f"""#!/bin/sh
echo "$*" >> "$CONDA_PREFIX/called"
export PIP_NO_INDEX=1
exec {sys.executable} "$@"
"""
ACTIVATE = """export CONDA_PREFIX="$1"
export PATH="$1/bin:$PATH"
"""


def conda_specs(environment):
    """The conda packages of an environment file: [(name, version or nothing)], without pip's."""
    dependencies = yaml.safe_load(environment.read_text())["dependencies"]
    entries = [one.partition("=") for one in dependencies if isinstance(one, str)]
    return [(name, version) for name, _, version in entries]


def build_channel(folder, environments, *, without=()):
    """Write a channel with all packages that the environment files name (but for ``without``)."""
    versions = {}
    for environment in environments:
        for name, version in conda_specs(environment):
            own = f"{version}.9" if name == "python" else version or "1.0"
            versions.setdefault(name, {*OTHER_VERSIONS}).add(own)
    for name in versions.keys() - set(without):
        for version in versions[name]:
            _write_package(folder / "noarch", name, version)
    asyncio.run(index_fs(folder))


def _write_package(folder, name, version):
    files = {"bin/python": PYTHON} if name == "python" else {f"share/{name}": version}
    index = {"name": name, "version": version, "build": "0", "build_number": 0, "depends": []}
    paths = [{"_path": path, "path_type": "hardlink"} for path in files]
    files["info/index.json"] = json.dumps(index | {"noarch": "generic", "subdir": "noarch"})
    files["info/paths.json"] = json.dumps({"paths": paths, "paths_version": 1})
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / f"{name}-{version}-0.tar.bz2", "w:bz2") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(text.encode()), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))


def install_command(base, channel):
    """Write ``conda`` and ``activate`` into base/bin; the command installs from the channel."""
    (base / "bin").mkdir(parents=True)
    (base / "bin" / "activate").write_text(ACTIVATE)
    command = base / "bin" / "conda"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} {__file__} {base} {channel} "$@"\n')
    command.chmod(0o755)


def applies(pin):
    """Whether a pin with a marker is one for this Python and machine."""
    _, _, marker = pin.partition(" --hash")[0].partition(" ; ")
    return not marker or Marker(marker).evaluate()


def create(environment, prefix, *, channel, cache):
    """Solve an environment file and install it; the Python of the tests must have its pip block."""
    content = yaml.safe_load(environment.read_text())
    if content["channels"] != ["conda-forge", "nodefaults"]:
        sys.exit(f"{environment}: other channels than conda-forge: {content['channels']}")
    asyncio.run(_install(content["dependencies"], prefix, channel=channel, cache=cache))
    blocks = [one["pip"] for one in content["dependencies"] if isinstance(one, dict)]
    for pin in itertools.chain.from_iterable(blocks):
        name, version = re.match(r"([^[=]+)(?:\[.*?\])?==(\S+)", pin).groups()
        if name.startswith(ONLY_CUDA) or name in REQUIRED_ONLY or not applies(pin):
            continue
        if importlib.metadata.version(name).partition("+")[0] != version:
            sys.exit(f"{pin}: the Python of the tests has {importlib.metadata.version(name)}")


async def _install(dependencies, prefix, *, channel, cache):
    specs = [dependency for dependency in dependencies if isinstance(dependency, str)]
    records = await rattler.solve(
        [rattler.Channel(channel.as_uri())], specs, platforms=["linux-64", "noarch"]
    )
    await rattler.install(records, prefix, cache_dir=cache, show_progress=False)


def main():
    base, channel, *words = sys.argv[1:]
    if words == ["--version"]:
        print("conda 25.3.0")
    elif words[0] == "info":
        print(json.dumps({"conda_prefix": base, "platform": "linux-64"}))
    elif words[0] == "clean":
        return
    elif words[0] == "config":
        print(json.dumps({"get": {"channel_priority": "strict"}}))
    elif words[:2] == ["env", "create"]:
        parser = argparse.ArgumentParser()
        for name in ("file", "prefix"):
            parser.add_argument(f"--{name}", type=Path)
        arguments, _ = parser.parse_known_args(words[2:])
        cache = Path(base) / "packages"
        create(arguments.file, arguments.prefix, channel=Path(channel), cache=cache)
    else:
        sys.exit(f"conda {' '.join(words)}: the stand-in cannot do that")


if __name__ == "__main__":
    main()
    # Threads of py-rattler outlive the solver: one call in four of an ordinary end died in them.
    sys.stdout.flush()
    os._exit(0)
