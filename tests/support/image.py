"""Images of containers, made of programs of this machine."""

import shutil
import struct
import subprocess
from pathlib import Path

from support import needs
from voiceprivacy.running import images

PROGRAMS = ("sh", "prlimit", "setpriv", "cat", "cp", "cut", "ls", "env", "tail")
# An anonymiser of shell: copies the speech, and says where it is.
COPIER = """#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --manifest) manifest=$2 ;;
        --audio-dir) audio=$2 ;;
        --output-manifest) output=$2 ;;
        --strength) strength=$2 ;;
    esac
    shift 2
done
tab=$(printf '\\t')
head=1
while read -r line; do
    path=$(echo "$line" | cut -f 4)
    if [ $head = 1 ]; then echo "$line"; head=0; continue; fi
    name=$(echo "$line" | cut -f 1)
    cp "$path" "$audio/$name.flac"
    echo "$name$tab$(echo "$line" | cut -f 2-3)$tab$audio/$name.flac$tab$(echo "$line" | cut -f 5)"
done < "$manifest" > "$output"
echo "image $VERSION_OF_IMAGE, strength $strength"
"""


def make_root(folder, *, without=()):
    """Make the root of a system from programs of this machine and their libraries."""
    for program in PROGRAMS:
        if program not in without:
            _copy(Path(shutil.which(program)).resolve(), folder, name=f"/usr/bin/{program}")
    (folder / "bin").symlink_to("usr/bin")
    (folder / ".singularity.d/env").mkdir(parents=True)
    (folder / ".singularity.d/env/10-own.sh").write_text("export VERSION_OF_IMAGE=7\n")
    for name in ("etc", "opt", "tmp", "proc", "dev", "home"):
        (folder / name).mkdir()
    (folder / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (folder / "opt/anonymise").write_text(COPIER)
    (folder / "opt/anonymise").chmod(0o755)
    return folder


def _copy(program, folder, *, name=None):
    target = folder / str(name or program).lstrip("/")
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, target)
    told = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    for line in told.splitlines():
        for word in line.split():
            if word.startswith("/"):
                _copy(Path(word), folder)


def squash(root, path):
    """Write a squashfs image of a folder, or skip the test where nothing can."""
    needs.program_or_skip("mksquashfs")
    words = ["mksquashfs", root, path, "-quiet", "-no-progress", "-noappend", "-all-root"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return path


def wrap(squashed, path, *, kind=images.PARTITION, file_system=images.SQUASHFS, size=None):
    """Write a SIF with a text and one partition, a squashfs image."""
    content, text = squashed.read_bytes(), b"Bootstrap: scratch\n"
    table, start = images.HEADER.size, 4096
    first = _descriptor(0x4001, 1024, len(text))
    size = len(content) if size is None else size
    second = _descriptor(kind, start, size, struct.pack("<ii", file_system, images.SYSTEM))
    header = images.HEADER.pack(
        b"#!/usr/bin/env run-singularity\n",
        images.SIF_MAGIC,
        b"01",
        b"02",
        bytes(16),
        *(0, 0, 46, 48, table, 48 * images.DESCRIPTOR.size, 1024, len(content) + start),
    )
    unused = bytes(images.DESCRIPTOR.size)
    whole = bytearray(start)
    parts = header + unused + first + second
    whole[: len(parts)] = parts
    path.write_bytes(bytes(whole) + content)
    return path


def _descriptor(kind, start, size, extra=b""):
    head = struct.pack("<i?IIIqqq", kind, True, 1, 1, 0, start, size, size)
    return head + bytes(32) + b"name".ljust(128, b"\0") + extra.ljust(384, b"\0")
