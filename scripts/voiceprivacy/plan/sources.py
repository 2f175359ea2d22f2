"""People's files: which ones a config names, and whether they are still what they were.

This is the only module of the plan that looks at the disk. The files behind one entry of a config
(a corpus, an anonymiser, an extractor, an attack, a measure) are a source. Each source has one
fingerprint, results/sources/<section>/<name>.sha256. Only this file is an input of the rules that
read the source. It is written again only if the source has changed, so a new time alone repeats
nothing. The main process of a run looks once, before it plans; jobs do not.

What is noticed
---------------
* Files that a config names, tables of Kaldi directories and lists: every change of their content.
* Recordings (and all else below a named folder): every change of their content, as long as those
  of one source have at most HASHED_BYTES together. Of larger sources: a change of size or time.
* Recordings that wav.scp names, and files that its pipes name.

A file is read again only if its size, its times or its inode differ from .snakemake/sources.json.
An edit that keeps all of them is not noticed.
"""

import hashlib
import json
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput, base_of, read_json, read_lines, whole_or_absent
from voiceprivacy.vocabulary import CONDITIONS, FORMAT_FILE, RESULTS_FORMAT

RESULTS = Path("results")
FOLDER = RESULTS / "sources"
FORMAT = RESULTS / FORMAT_FILE  # RESULTS_FORMAT, of results that are not finished
MADE = ["checks", "audio", "trials", "samples", "embeddings", "scores", "metrics", "models"]
CACHE = Path(".snakemake", "sources.json")
HASHED_BYTES = 200e6  # of one source: a second of reading from a fast disk, some from a slow one
REMAKE = "VOICEPRIVACY_REMAKE"  # environment: results of another format are made again
NAME = "[a-z][a-z0-9_]*"
ENCODER_FILES = ["hyperparams.yaml", "latent_extractor.ckpt", "latent_encoder.ckpt"]
# Of an encoder of the Hugging Face hub, and one of its weights.
HUB_ENCODER_FILES = ["config.json", "preprocessor_config.json"]
HUB_TEXT_ENCODER_FILES = ["config.json", "tokenizer.json"]
HUB_ENCODER_WEIGHTS = ["model.safetensors", "pytorch_model.bin"]


class Named(NamedTuple):
    """A file or a folder that a config names.

    ``endings`` are those of the files that are read below a folder: None for all, () for none (it
    only has to be there). ``below`` is False where only the files directly in a folder are read.
    ``root`` is where relative paths in a wav.scp start, if the config says so. ``may_lack`` is True
    where recordings that are not there are left out. ``needed`` is False where a job of its own
    says what is missing. ``member`` names a file of an entry that has a fingerprint of its own,
    because each job reads only one of them.
    """

    place: tuple[str, ...]
    path: str
    endings: tuple[str, ...] | None = None
    below: bool = True
    root: str | None = None
    may_lack: bool = False
    needed: bool = True
    member: str = ""

    @property
    def source(self) -> str:
        """The entry of the config that names it, and its member: corpora/libri."""
        names = [*self.place[:2], self.member]
        return "/".join(name for name in names if name)


class ScoreFile(NamedTuple):
    """What the scores of one file are of."""

    corpus: str
    trials: str
    anonymiser: str
    condition: str


def given_scores(template: str) -> dict[ScoreFile, str]:
    """Score files that match a path with {corpus}, {trials}, {anonymiser} and {condition}.

    Without {corpus} or {trials} they are ``scores`` and ``all``. Names and conditions that cannot
    be ones do not match.
    """
    pattern, star = re.escape(template), template
    for field in ScoreFile._fields:
        placeholder = f"{{{field}}}"
        values = "|".join(CONDITIONS) if field == "condition" else NAME
        pattern = pattern.replace(re.escape(placeholder), f"(?P<{field}>{values})", 1)
        pattern = pattern.replace(re.escape(placeholder), f"(?P={field})")  # the same once more
        star = star.replace(placeholder, "*")
    files = {}
    for path in sorted(glob(star)):
        if match := re.fullmatch(pattern, path):
            names = {"corpus": "scores", "trials": "all"} | match.groupdict()
            files[ScoreFile(**names)] = path
    return files


def missing(named: Iterable[Named]) -> list[Named]:
    """What a config names and is not there; nothing below a folder that is missing itself."""
    needed = dict.fromkeys(path for path in named if path.needed)
    absent = [path for path in needed if not os.path.exists(path.path)]
    folders = tuple(f"{path.path}/" for path in absent)
    return [path for path in absent if not path.path.startswith(folders)]


def encoder_files(folder: str) -> list[str]:
    """The files of a self-supervised encoder: as on the Hugging Face hub, or of SpeechBrain."""
    if not os.path.exists(f"{folder}/{HUB_ENCODER_FILES[0]}"):
        return [f"{folder}/{name}" for name in ENCODER_FILES]
    return hub_encoder_files(folder)


def hub_encoder_files(folder: str) -> list[str]:
    """The files of a self-supervised encoder as on the Hugging Face hub."""
    names = [*HUB_ENCODER_FILES, _hub_weights(folder)]
    return [f"{folder}/{name}" for name in names]


def text_encoder_files(folder: str) -> list[str]:
    """The files of an encoder of sentences, as on the Hugging Face hub."""
    names = [*HUB_TEXT_ENCODER_FILES, _hub_weights(folder)]
    return [f"{folder}/{name}" for name in names]


def _hub_weights(folder):
    weights = [name for name in HUB_ENCODER_WEIGHTS if os.path.exists(f"{folder}/{name}")]
    return (weights or HUB_ENCODER_WEIGHTS)[0]


def bytes_of(path: str, *, otherwise: float) -> float:
    """The size of a file, or a guess where it is not there yet."""
    return os.path.getsize(path) if os.path.exists(path) else otherwise


class Sources:
    """The sources of a run.

    Parameters
    ----------
    named : what the config names
    """

    def __init__(self, named: Iterable[Named]) -> None:
        self.named: dict[str, list[Named]] = {}
        for path in dict.fromkeys(named):
            if path.endings != ():
                self.named.setdefault(path.source, []).append(path)
        self.folders = dict.fromkeys(self.named, FOLDER)

    def file(self, *names: str) -> list[str]:
        """The fingerprint of an entry of the config: section, name, member; none without files."""
        source = "/".join(names)
        return [f"{self.folders[source]}/{source}.sha256"] if source in self.named else []

    def refresh(self, scratch: str | Path | None = None) -> None:
        """Look at all files, and write the fingerprint of each source that has changed.

        Parameters
        ----------
        scratch : where a dry run writes these fingerprints, so that nothing in results/ changes

        Raises
        ------
        BadInput : a file cannot be read, or recordings are gone that were there before
        """
        known = _read_cache()
        files = _Files(known)
        # All of them before the first is written: a lost file leaves everything as it was.
        fingerprints = {
            source: _fingerprint(named, files) + "\n" for source, named in self.named.items()
        }
        for source, fingerprint in fingerprints.items():
            written = FOLDER / f"{source}.sha256"
            if written.exists() and written.read_text() == fingerprint:
                continue
            self.folders[source] = Path(scratch) if scratch else FOLDER
            with whole_or_absent(self.file(source)[0]) as temporary:
                temporary.write_text(fingerprint)
        if scratch is None and files.looked_at != known:
            _write_cache(files.looked_at)


@dataclass
class _State:
    """What was seen of a file: bytes, times of change and inode, digest (None if not read)."""

    size: int
    times: list[int]
    digest: str | None = None


def _read_cache() -> dict[str, _State]:
    """What the last run saw: {absolute path: _State}."""
    if not CACHE.exists():
        return {}
    cached = json.loads(CACHE.read_text())
    return {path: _State(*state) for path, state in cached.items()}


def _write_cache(states: dict[str, _State]) -> None:
    cached = {path: [state.size, state.times, state.digest] for path, state in states.items()}
    with whole_or_absent(CACHE) as temporary:
        temporary.write_text(json.dumps(cached))


class _Files:
    """Files as they are now, and what was known of them before: {absolute path: _State}."""

    def __init__(self, known: dict[str, _State]) -> None:
        self.known = known
        self.looked_at: dict[str, _State] = {}

    def size(self, path: str) -> int | None:
        """Bytes of a file; None if it is not there or no regular file."""
        absolute = os.path.abspath(path)
        if absolute not in self.looked_at:
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                return None
            if not stat.S_ISREG(status.st_mode):
                return None
            times = [status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
            state = _State(status.st_size, times)
            before = self.known.get(absolute)
            if before and (before.size, before.times) == (state.size, state.times):
                state.digest = before.digest
            self.looked_at[absolute] = state
        return self.looked_at[absolute].size

    def content(self, path: str) -> str:
        """The digest of a file that is there, read only if it may have changed."""
        state = self.looked_at[os.path.abspath(path)]
        if state.digest is None:
            try:
                with open(path, "rb") as file:
                    state.digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
        return state.digest

    def stamp(self, path: str) -> str:
        """Size and time of change of a file that is there."""
        state = self.looked_at[os.path.abspath(path)]
        return f"{state.size} {state.times[0]}"

    def was_there(self, path: str) -> bool:
        """Whether a file was there before."""
        return os.path.abspath(path) in self.known

    def was_filled(self, folder: str) -> bool:
        """Whether there were files below a folder before."""
        start = os.path.join(os.path.abspath(folder), "")
        return any(path.startswith(start) for path in self.known)


def _fingerprint(named: list[Named], files: _Files) -> str:
    """SHA-256 of all files of a source: their names and what each holds."""
    tables: set[str] = set()
    recordings: set[str] = set()
    for folder in named:
        its_tables, its_recordings = _files_of(folder)
        _refuse_lost(folder, its_tables + its_recordings, files)
        tables.update(its_tables)
        recordings.update(its_recordings)
    recordings -= tables
    # Tables are always read. Of many hours of recordings, reading would take longer than planning.
    read_all = sum(files.size(path) or 0 for path in recordings) <= HASHED_BYTES
    digest = hashlib.sha256()
    for path in sorted(tables) + sorted(recordings):
        size = files.size(path)
        if size is None:
            state = "absent"
        elif size <= HASHED_BYTES and (read_all or path in tables):
            state = files.content(path)
        else:
            state = files.stamp(path)
        digest.update(f"{path}\t{state}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _refuse_lost(named: Named, paths: list[str], files: _Files) -> None:
    """Refuse recordings that were there before and are not: perhaps a disk is not mounted."""
    there = [path for path in paths if files.size(path) is not None]
    gone = sorted(set(paths) - set(there))
    lost = [path for path in gone if files.was_there(path)]
    # Some that are gone may be left out, but all of them at once were hardly removed on purpose.
    if lost and not (there and named.may_lack):
        raise BadInput(f"{lost[0]}: not found")
    if not there and files.was_filled(named.path):
        raise BadInput(f"{named.path}: is empty, and was not before")


def _files_of(named: Named) -> tuple[list[str], list[str]]:
    """The files behind a named path: itself or tables, and recordings."""
    if not os.path.isdir(named.path):
        return [named.path], []
    in_folder = [child.path for child in os.scandir(named.path) if _is_file(child)]
    wav_scp = f"{named.path}/wav.scp"
    listed = list(_named_in(wav_scp, named.root)) if wav_scp in in_folder else []
    if not named.below:  # a Kaldi directory, whose files are all tables
        return in_folder, listed
    tables = [wav_scp] if listed else []
    return tables, [*_tree(named.path, named.endings), *listed]


def _is_file(child: os.DirEntry) -> bool:
    return not child.name.startswith(".") and child.is_file()


def _tree(root: str, endings: tuple[str, ...] | None) -> Iterator[str]:
    """All files below a folder, links followed; hidden ones and the run's own results left out."""
    seen = set()  # a link may lead back to a folder above it
    for folder, folders, names in os.walk(root, followlinks=True):
        inside = os.path.realpath(folder)
        if inside in seen or inside == os.path.abspath("results"):
            folders.clear()
            continue
        seen.add(inside)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if not name.startswith(".") and (endings is None or name.endswith(endings)):
                yield f"{folder}/{name}"


def _named_in(wav_scp: str, root: str | None) -> Iterator[str]:
    """The recordings that a wav.scp names, and the files that its pipes name."""
    lines = [line.split(maxsplit=1)[-1].strip() for line in read_lines(wav_scp) if line.strip()]
    if root is None:
        root = base_of(Path(wav_scp).parent, chain.from_iterable(map(_paths, lines)))
    for line in lines:
        if not line.endswith("|"):
            yield os.path.join(root, line)
            continue
        for word in _words(line[:-1]):
            path = os.path.join(root, word)
            # A word with a slash counts also where it is no file: it may be one that was lost.
            if "/" in word or os.path.isfile(path):
                yield path


def _paths(recording: str) -> list[str]:
    """What may be a path in a line of wav.scp, as corpora/kinds/kaldi.py has it.

    That is all of it, or the words with a slash after a pipe's program.
    """
    if not recording.endswith("|"):
        return [recording]
    return [word for word in _words(recording[:-1])[1:] if "/" in word]


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quotation mark without its other one
        return command.split()


# Results that are there already.


def refuse_other_format(*, remake: bool, dry_run: bool) -> None:
    """Refuse to carry on results of another format, which rules would not make again.

    Finished results say their format in provenance.json. Others have a file of their own for it,
    which the first run writes before it makes anything. Results without either are older.

    Raises
    ------
    BadInput : results/ holds results of another format, and they are not to be made again
    """
    provenance = RESULTS / "provenance.json"
    if provenance.exists():
        its_format = read_json(provenance).get("format", 1)
    elif (said := _format_said()) is not None:
        its_format = said
    else:
        is_fresh = not any((RESULTS / folder).exists() for folder in MADE)
        its_format = RESULTS_FORMAT if is_fresh else 1
    if its_format != RESULTS_FORMAT and not remake:
        raise BadInput(
            f"{RESULTS.absolute()}: made by another version (format {its_format}, this one has"
            f" {RESULTS_FORMAT}); run in a new directory (--directory NEW), or make everything"
            " again here (python scripts/run.py --remake ...); nothing was changed"
        )
    # What is made again has the number of before until all is made, which provenance.json says.
    if not dry_run and _format_said() != its_format:
        with whole_or_absent(FORMAT) as temporary:
            temporary.write_text(f"{its_format}\n")


def _format_said() -> int | None:
    """The number in the file of the format; None where it is missing or damaged."""
    try:
        return int(FORMAT.read_bytes())
    except (OSError, ValueError):
        return None
