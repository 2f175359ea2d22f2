"""Images of containers: the root of a system in one file, unpacked to be the root of a box.

An image is a SIF (Apptainer, Singularity) or a squashfs file. unsquashfs unpacks it; no container
engine is needed. The layout of a SIF: a header of 128 bytes and a table of descriptors, of which
one is the partition with the system (https://github.com/apptainer/sif, package pkg/sif).
"""

import os
import re
import shutil
import stat
import struct
import subprocess
from pathlib import Path
from typing import BinaryIO

from voiceprivacy.inout.files import BadInput, FilePath, whole_folder_or_absent

SIF_MAGIC, SQUASHFS_MAGIC = b"SIF_MAGIC\0", b"hsqs"
# After 32 bytes of a script: magic, version, architecture, id, two times, descriptors free, all,
# where they start and what they take, and the same of the data.
HEADER = struct.Struct("<32s10s3s3s16s8q")
# Kind, whether used, ids of itself, its group and its link, start and size; then times and names.
DESCRIPTOR = struct.Struct("<i?IIIqq40x128xii376x")
PARTITION, SQUASHFS, SYSTEM = 0x4004, 1, 2
MOST_DESCRIPTORS = 1000
MB = 2**20
INSTALL = "install it (Debian, Ubuntu: apt-get install squashfs-tools)"
# A line of unsquashfs -lls: mode, owner, size (or numbers of a device), date, time, name.
LISTED = re.compile(r"^([bcdlps-][rwxsStT-]{9}) \S+ +(\d+(?:, *\d+)?) \S+ \S+ ")


def unpack(image: FilePath, folder: FilePath) -> None:
    """Unpack an image into a folder, which is whole afterwards or not there.

    Devices, sockets and pipes are left out, and nothing of it changes who runs it (setuid).

    Raises
    ------
    BadInput : the file is no image, is encrypted or broken, or does not fit on the disk; or there
        is no unsquashfs
    """
    image = Path(image)
    program = shutil.which("unsquashfs")
    if program is None:
        raise BadInput(f"{image}: is unpacked by unsquashfs, which is not there: {INSTALL}")
    offset = str(offset_of(image))
    with whole_folder_or_absent(folder) as temporary:
        _refuse_too_large(image, _said(image, [program, "-lls", "-o", offset, str(image)]), folder)
        words = [program, "-no-progress", "-no-xattrs", "-force", "-o", offset]
        _said(image, [*words, "-dest", str(temporary), str(image)])
        _make_harmless(Path(temporary))


def offset_of(image: Path) -> int:
    """Where the squashfs file system of an image starts, in bytes.

    Raises
    ------
    BadInput : there is none
    """
    try:
        with open(image, "rb") as file:
            start = file.read(HEADER.size)
            if start.startswith(SQUASHFS_MAGIC):
                return 0
            if len(start) == HEADER.size and HEADER.unpack(start)[1] == SIF_MAGIC:
                return _offset_in_sif(image, file, HEADER.unpack(start))
    except OSError as error:
        raise BadInput(f"{image}: cannot be read ({error.strerror})") from None
    raise BadInput(f"{image}: is neither a SIF nor a squashfs image of a container")


def _offset_in_sif(image: Path, file: BinaryIO, header: tuple) -> int:
    total, table = header[8], header[9]
    if not (0 < total <= MOST_DESCRIPTORS and 0 < table < os.path.getsize(image)):
        raise BadInput(f"{image}: its table of parts cannot be read")
    file.seek(table)
    for _ in range(total):
        descriptor = file.read(DESCRIPTOR.size)
        if len(descriptor) < DESCRIPTOR.size:
            break
        kind, is_used, _, _, _, start, size, file_system, part = DESCRIPTOR.unpack(descriptor)
        if not (is_used and kind == PARTITION and part == SYSTEM):
            continue
        if file_system != SQUASHFS:
            raise BadInput(f"{image}: its system is encrypted, or not of the kind squashfs")
        if not 0 < start < start + size <= os.path.getsize(image):
            raise BadInput(f"{image}: is cut off")
        return start
    raise BadInput(f"{image}: has no partition with a system")


def _refuse_too_large(image: Path, listing: str, folder: FilePath) -> None:
    """Refuse an image whose files do not fit on the disk."""
    size = 0
    for line in listing.splitlines():
        listed = LISTED.match(line)
        if listed and listed[1][0] == "-":
            size += int(listed[2])
    free = shutil.disk_usage(Path(folder).parent).free
    if size > free:
        raise BadInput(f"{image}: takes {size // MB} MB when unpacked; {free // MB} MB are free")


def _said(image: Path, words: list[str]) -> str:
    """What unsquashfs says; devices, which only root can make, are no error of it (exit code 2)."""
    told = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if told.returncode not in (0, 2):
        reason = " ".join(told.stderr.split())[-300:]
        raise BadInput(f"{image}: cannot be unpacked ({reason or told.returncode})")
    return told.stdout


def _make_harmless(root: Path) -> None:
    """Remove what is no file, folder or link; the rest is for everybody, and nothing is setuid."""
    for folder, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                path.chmod(0o755)
            elif stat.S_ISREG(mode):
                path.chmod(0o755 if mode & 0o111 else 0o644)
            elif not stat.S_ISLNK(mode):
                path.unlink()
