"""Fetch LibriSpeech from where it is published: resumed where it broke off, checked, unpacked whole or not at all."""

import contextlib
import fcntl
import hashlib
import http.client
import re
import shutil
import tarfile
import urllib.error
import urllib.request
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tqdm import tqdm

from voiceprivacy.inout import tables
from voiceprivacy.inout.files import RESOURCES, BadInput, whole_folder_or_absent, whole_or_absent

ARCHIVES = RESOURCES / "librispeech_archives.tsv"
ATTEMPTS = 5  # connections in a row that bring nothing new
BLOCK = 1 << 20
TIMEOUT_S = 60
TOP = "LibriSpeech"  # the folder that every archive holds
ADDRESS = re.compile(r"https://|http:/{2}(127\.0\.0\.1|localhost)[:/]")


class Archive(NamedTuple):
    """A published subset.tar.gz: its size in bytes and its MD5."""

    subset: str
    bytes: int
    md5: str


def published_archive(subset, path):
    """The archive of a subset in a table (TSV: subset bytes md5)."""
    archives = {row["subset"]: row for row in tables.read_table(path, list(Archive._fields))}
    if subset not in archives:
        raise BadInput(
            f"{subset}: is none of the subsets that can be downloaded: {', '.join(archives)}"
        )
    return Archive(subset, int(archives[subset]["bytes"]), archives[subset]["md5"])


def missing(options):
    """Subsets of a librispeech entry that are still to be downloaded: [(folder, Archive)]."""
    subsets = options["subsets"] if options.get("download") else []
    folders = [(Path(options["root"], subset), subset) for subset in subsets]
    return [
        (folder, published_archive(subset, ARCHIVES))
        for folder, subset in folders
        if not folder.is_dir()
    ]


def fetch_subset(archive, *, root, address):
    """Download and unpack a subset into root, unless it lies there; SPEAKERS.TXT too.

    Parameters
    ----------
    archive : Archive
    root : path
        Where the subset's folder goes; the archive lies beside it until it is unpacked.
    address : str
        The folder of the archives: https, or a server of this machine.

    Raises
    ------
    BadInput : no such file there, no connection, not enough room, another MD5 than the published one, or an archive
        that holds more than files
    """
    if not ADDRESS.match(address):
        raise BadInput(f"{address}: archives are fetched over https only")
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    file = root / f"{archive.subset}.tar.gz.part"
    with _alone(root / f".{archive.subset}.lock"):
        if (root / archive.subset).is_dir():
            return
        _check_room(file, archive)
        download(f"{address.rstrip('/')}/{archive.subset}.tar.gz", file, size=archive.bytes)
        _check_md5(file, archive)
        _unpack(file, archive.subset, root)
        file.unlink()


def download(url, path, *, size):
    """Download a file of a known size; what is there already of it is kept, and lost connections are taken up again."""
    failures = 0
    with tqdm(
        desc=Path(path).name, total=size, unit="B", unit_scale=True, mininterval=5
    ) as progress:
        while (there := _size(path)) < size:
            progress.update(there - progress.n)
            try:
                _append(url, path, start=there, progress=progress)
                reason = "the connection was closed"
            except urllib.error.HTTPError as error:
                if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                    Path(path).unlink()
                    raise BadInput(
                        f"{url}: has {there} bytes, published are {size}; removed"
                    ) from None
                raise BadInput(f"{url}: {error.code} {error.reason}") from None
            except (OSError, http.client.HTTPException) as error:
                reason = str(getattr(error, "reason", error)) or type(error).__name__
            failures = failures + 1 if _size(path) <= there else 0
            if failures == ATTEMPTS:
                raise BadInput(
                    f"{url}: broke off at {there} of {size} bytes ({reason}); call again to resume"
                )


def _append(url, path, *, start, progress):
    """Fetch a file from byte ``start`` on to the end of what is there; from the beginning if the server cannot."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # nosec B310  # ADDRESS allows https only
        resumed = answer.status == http.HTTPStatus.PARTIAL_CONTENT
        with open(path, "ab" if resumed else "wb") as file:
            while block := answer.read(BLOCK):
                file.write(block)
                progress.update(len(block))


def _size(path):
    return Path(path).stat().st_size if Path(path).exists() else 0


def _check_room(file, archive):
    needed = 2.1 * archive.bytes - _size(file)  # the archive and what is in it
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        raise BadInput(
            f"{file.parent}: {free / 1e9:.1f} GB free; {archive.subset} needs {needed / 1e9:.1f} GB"
        )


def _check_md5(file, archive):
    with open(file, "rb") as content:
        digest = hashlib.file_digest(
            content, lambda: hashlib.md5(usedforsecurity=False)
        ).hexdigest()
    if digest != archive.md5:
        file.unlink()
        raise BadInput(
            f"{file}: has the MD5 {digest}, published is {archive.md5}; removed: call again"
        )


def _unpack(file, subset, root):
    """Unpack the files of LibriSpeech/subset and SPEAKERS.TXT; links and names that lead elsewhere are refused."""
    with whole_folder_or_absent(root / subset) as folder, tarfile.open(file) as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts
            if (
                not (member.isfile() or member.isdir())
                or member.name.startswith("/")
                or ".." in parts
            ):
                raise BadInput(
                    f"{file}: '{member.name}' is a link, a device or leads out of the archive: not unpacked"
                )
            if member.isdir() or parts[0] != TOP or len(parts) < 2:
                continue
            if parts[1] == subset:
                target = folder.joinpath(*parts[2:])
                target.parent.mkdir(parents=True, exist_ok=True)
                _write(archive.extractfile(member), target)
            elif parts[1:] == ("SPEAKERS.TXT",) and not (root / "SPEAKERS.TXT").exists():
                with whole_or_absent(root / "SPEAKERS.TXT") as temporary:
                    _write(archive.extractfile(member), temporary)


def _write(content, path):
    with content, open(path, "wb") as file:
        shutil.copyfileobj(content, file)


@contextlib.contextmanager
def _alone(path):
    """Let one process at a time do the block: two corpora may want the same subset."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
