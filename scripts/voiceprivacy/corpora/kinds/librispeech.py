"""LibriSpeech as it is published: subset/speaker/chapter/utterance.flac, and SPEAKERS.TXT.

It is also fetched from where it is published: resumed where a download broke off, checked by size
and MD5, unpacked whole or not at all.

Panayotov et al., Librispeech: an ASR corpus based on public domain audio books, ICASSP 2015.
"""

import contextlib
import fcntl
import hashlib
import http.client
import os
import re
import shutil
import tarfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from glob import escape, iglob
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    check_names,
    compare_published,
    note_gender,
)
from voiceprivacy.corpus_kinds import TRANSCRIPTS, CorpusKind, Fetched
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.foreign import files_below, refuse_no_utf8
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.inout.writing import (
    FULL,
    naming_full_disk,
    whole_folder_or_absent,
    whole_or_absent,
)
from voiceprivacy.kinds import A_FOLDER, Named
from voiceprivacy.vocabulary import RECORDINGS, RESOURCES

SPEAKERS = "SPEAKERS.TXT"

ADDRESS = "https://www.openslr.org/resources/12"
ARCHIVES = RESOURCES / "librispeech_archives.tsv"
# What comes over anything else could be another's; a server of this machine is for tests.
SAFE_ADDRESS = re.compile(r"https://|http:/{2}(127\.0\.0\.1|localhost)[:/]")
ATTEMPTS = 5  # connections in a row that bring nothing new
BLOCK = 1 << 20  # bytes
TIMEOUT_S = 60
TOP = "LibriSpeech"  # the folder that every archive holds
UNPACKED = 2.1  # times the bytes of an archive: it, and what is in it


def _files(options: dict[str, Any]) -> Iterator[Named]:
    if options["download"]:  # the job that fetches them says what there is
        return
    root = ours(options["root"])
    yield Named(("root",), root, A_FOLDER, below=False)  # SPEAKERS.TXT
    for subset in options["subsets"]:
        folder = Named(("subsets",), f"{root}/{subset}", A_FOLDER)
        yield folder._replace(without_texts=True)
        yield folder._replace(endings=(".trans.txt",), member=TRANSCRIPTS)


def _has_transcripts(options: dict[str, Any]) -> bool:
    """Whether each subset has some; one that is still to be downloaded will have them."""
    folders = [ours(f"{options['root']}/{subset}") for subset in options["subsets"]]
    if options.get("download"):
        folders = [folder for folder in folders if os.path.isdir(folder)]
    return all(any(iglob(f"{escape(folder)}/*/*/*.trans.txt")) for folder in folders)


def _published(options: dict[str, Any]) -> list[str]:
    return [f"LibriSpeech {subset}" for subset in options["subsets"]]


def _fetched(options: dict[str, Any]) -> Fetched | None:
    address = options["download"]
    if not address:
        return None
    return Fetched(options["root"], address if address is not True else None, options["subsets"])


KIND = CorpusKind(
    schema=r"""
        description: The official folder tree (SPEAKERS.TXT, subset/speaker/chapter/utterance.flac).
        type: object
        additionalProperties: false
        required: [root, subsets]
        properties:
          root:
            description: Folder that holds SPEAKERS.TXT and the subsets.
            type: string
            minLength: 1
          subsets:
            description: Such as test-clean.
            type: array
            minItems: 1
            uniqueItems: true
            items: {type: string, minLength: 1}
          download:
            description: >-
              Fetch subsets that are not below root; true - from www.openslr.org, or the address of
              a mirror's folder.
            type: [boolean, string]
            pattern: "^(https://|http://127\\.0\\.0\\.1[:/])"
            default: false
    """,
    cited="LibriSpeech [@librispeech]",
    files=_files,
    transcribed_by="*.trans.txt beside the audio",
    has_transcripts=_has_transcripts,
    published=_published,
    fetched=_fetched,
    session="^(.+)-",  # 84-121123-0001: speaker, chapter, utterance
)


class Archive(NamedTuple):
    """A published subset.tar.gz: its size in bytes and its MD5."""

    subset: str
    bytes: int
    md5: str


def list_utterances(options: dict[str, Any], findings: Findings) -> list[Listed]:
    """List the utterances of some subsets; the chapter is the session.

    Parameters
    ----------
    options : dict
        root: the folder that holds SPEAKERS.TXT and the subsets; subsets: names of folders there.

    Raises
    ------
    BadInput : the root or a subset is not there
    """
    root = Path(options["root"])
    if not root.is_dir():
        raise BadInput(f"{root}: not found")
    genders = _read_genders(root / SPEAKERS, findings)
    utterances: dict[str, Listed] = {}
    for subset in options["subsets"]:
        files = _audio_files(root / subset, findings)
        compare_published(subset, {"utterances": len(files)}, root / subset, findings)
        for path in files:
            listed = _listed(path, genders)
            if known := utterances.get(listed.utterance):  # two subsets, or .flac and .wav
                findings.error(path, "-", f"utterance '{listed.utterance}' is also {known.audio}")
            utterances.setdefault(listed.utterance, listed)
    check_names(utterances.values(), findings)
    speakers = {utterance.speaker for utterance in utterances.values()}
    for speaker in sorted(speakers - genders.keys()):
        message = f"speaker '{speaker}' of the subsets is not listed"
        findings.error(root / SPEAKERS, "-", message)
    return list(utterances.values())


def _audio_files(folder, findings):
    """The audio files subset/speaker/chapter/*, in the order of their names."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    files, others = [], []
    for path in sorted(files_below(folder, RECORDINGS)):
        (files if path.count("/") == 2 else others).append(folder / path)
    if not files:
        findings.error(folder, "-", "no audio file speaker/chapter/utterance.flac in it")
    if others:
        number = counted(len(others), "audio file is", "audio files are")
        message = f"{number} in no folder of a chapter: left out, such as {others[0]}"
        findings.oddity(folder, "-", message)
    refuse_no_utf8(folder, files)
    return files


def _listed(path, genders):
    chapter = path.parent
    speaker = chapter.parent.name
    return Listed(path.stem, speaker, genders.get(speaker, "-"), chapter.name, path, str(path), "-")


def _read_genders(path, findings):
    """SPEAKERS.TXT: ID | SEX | SUBSET | MINUTES | NAME; comments start with a semicolon."""
    genders = {}
    for line, text in enumerate(read_lines(path), start=1):
        fields = [field.strip() for field in text.split("|")]
        if text.startswith(";") or not text.strip():
            continue
        if len(fields) < 2:
            findings.error(path, line, "expected a speaker and F or M, separated by |")
        else:
            note_gender(genders, *fields[:2], path, line, findings)
            genders.setdefault(fields[0], "-")  # the speaker is listed
    return genders


def read_transcripts(options: dict[str, Any]) -> dict[str, str]:
    """Read the files speaker/chapter/*.trans.txt of all subsets: {utterance: words}.

    Raises
    ------
    BadInput : a subset has none, or an utterance occurs twice
    """
    texts: dict[str, str] = {}
    for subset in options["subsets"]:
        folder = Path(options["root"], subset)
        tables_of_words = folder.glob("*/*/*.trans.txt")
        files = sorted(path for path in tables_of_words if not path.name.startswith("."))
        if not files:
            raise BadInput(f"{folder}: has no speaker/chapter/*.trans.txt")
        for path in files:
            for line, text in enumerate(read_lines(path), start=1):
                utterance, *words = text.split(maxsplit=1) or [""]
                if not utterance:
                    continue
                if utterance in texts:
                    raise BadInput(f"{path}:{line}: utterance '{utterance}' occurs twice")
                texts[utterance] = "".join(words)
    return texts


# Subsets from where they are published.


def to_download(options: dict[str, Any]) -> dict[Path, int]:
    """The folders of subsets that are still to be downloaded, and the bytes of their archives."""
    sizes = {}
    for subset in options["subsets"] if options.get("download") else ():
        folder = Path(options["root"], subset)
        if not folder.is_dir():
            sizes[folder] = published_archive(subset).bytes
    return sizes


def published_archive(subset: str) -> Archive:
    """The archive of a subset; BadInput where there is none."""
    archives = {archive.subset: archive for archive in read_typed(Archive, ARCHIVES)}
    if subset not in archives:
        known = ", ".join(archives)
        raise BadInput(f"{subset}: is none of the subsets that can be downloaded: {known}")
    return archives[subset]


def fetch(part: str, *, root: Path, address: str | None) -> Path:
    """Download a subset into root, unless it lies there; returns its folder."""
    fetch_subset(published_archive(part), root=root, address=address or ADDRESS)
    return root / part


def fetch_subset(archive: Archive, *, root: Path | str, address: str) -> None:
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
    BadInput : no such file there, no connection, not enough room, another MD5 than the published
        one, or an archive that holds more than files
    """
    if not SAFE_ADDRESS.match(address):
        raise BadInput(f"{address}: archives are fetched over https only")
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    file = root / f"{archive.subset}.tar.gz.part"  # stays when we are killed, to be resumed
    with _alone(root / f".{archive.subset}.lock"):
        if (root / archive.subset).is_dir():
            return  # it was there, or the process that we waited for has fetched it
        _check_room(file, archive)
        download(f"{address.rstrip('/')}/{archive.subset}.tar.gz", file, size=archive.bytes)
        _check_md5(file, archive)
        _unpack(file, archive.subset, root)
        file.unlink()


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time do the block: two corpora may want the same subset."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def download(url: str, path: Path, *, size: int) -> None:
    """Download a file of a known size in bytes.

    What is there already of it is kept, and lost connections are taken up again.

    Raises
    ------
    BadInput : the server has no such file, or another one, or ATTEMPTS connections bring nothing
    """
    from tqdm import tqdm

    failures = 0
    bar = tqdm(desc=path.name, total=size, unit="B", unit_scale=True, mininterval=5)
    with bar as progress:
        while (present := _size(path)) < size:
            progress.update(present - progress.n)
            reason = _append(url, path, start=present, size=size, progress=progress)
            # A connection that brought something is none: slow lines break off often.
            failures = failures + 1 if _size(path) <= present else 0
            if failures == ATTEMPTS:
                where = f"broke off at {present} of {size} bytes ({reason})"
                raise BadInput(f"{url}: {where}; call again to resume")


def _append(url, path, *, start, size, progress):
    """Fetch a file from byte ``start`` on as far as the connection lasts; why it ended."""
    try:
        with naming_full_disk(path, "make room there, or name another folder as root"):
            _receive(url, path, start=start, progress=progress)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            path.unlink()  # the server's file ends before ours does: ours is another
            raise BadInput(f"{url}: has {start} bytes, published are {size}; removed") from None
        raise BadInput(f"{url}: {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        if getattr(error, "errno", None) in FULL:
            raise
        return str(getattr(error, "reason", error)) or type(error).__name__
    return "the connection was closed"


def _receive(url, path, *, start, progress):
    """Append to a file what a server sends from ``start`` on; the whole if it cannot resume."""
    headers = {"Range": f"bytes={start}-"} if start else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  # https only
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
        resumed = answer.status == http.HTTPStatus.PARTIAL_CONTENT
        with open(path, "ab" if resumed else "wb") as file:
            while block := answer.read(BLOCK):
                file.write(block)
                progress.update(len(block))


def _size(path):
    return path.stat().st_size if path.exists() else 0


def _check_room(file, archive):
    needed = UNPACKED * archive.bytes - _size(file)
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        room = f"{free / 1e9:.1f} GB free; {archive.subset} needs {needed / 1e9:.1f} GB"
        raise BadInput(f"{file.parent}: {room}")


def _check_md5(file, archive):
    with open(file, "rb") as content:
        digest = hashlib.file_digest(content, _md5).hexdigest()
    if digest != archive.md5:
        file.unlink()
        differs = f"has the MD5 {digest}, published is {archive.md5}"
        raise BadInput(f"{file}: {differs}; removed: call again")


def _md5():
    return hashlib.md5(usedforsecurity=False)


def _unpack(file, subset, root):
    """Unpack the files of LibriSpeech/subset and SPEAKERS.TXT.

    Links, and names that lead elsewhere, are refused: an archive could write anywhere by them.
    """
    with whole_folder_or_absent(root / subset) as folder, tarfile.open(file) as archive:
        for member in archive:
            _refuse_unsafe(member, file)
            # Written by ourselves, not by extractall(): no owners, no modes, nothing else.
            parts = PurePosixPath(member.name).parts
            if member.isdir() or parts[0] != TOP or len(parts) < 2:
                continue
            if parts[1] == subset:
                target = folder.joinpath(*parts[2:])
                target.parent.mkdir(parents=True, exist_ok=True)
                _write(archive.extractfile(member), target)
            elif parts[1:] == (SPEAKERS,) and not (root / SPEAKERS).exists():  # in every archive
                with whole_or_absent(root / SPEAKERS) as temporary:
                    _write(archive.extractfile(member), temporary)


def _refuse_unsafe(member, file):
    leads_out = member.name.startswith("/") or ".." in PurePosixPath(member.name).parts
    if leads_out or not (member.isfile() or member.isdir()):
        reason = "is a link, a device or leads out of the archive: not unpacked"
        raise BadInput(f"{file}: '{member.name}' {reason}")


def _write(content, path):
    with content, open(path, "wb") as file:
        shutil.copyfileobj(content, file)
