"""People's files: which ones a config names, and whether they are still what they were.

The files behind one entry of a config (a corpus, an anonymiser, an extractor, an attack, a measure)
are a source. Each source has one fingerprint, results/sources/<section>/<name>.sha256. Only this
file is an input of the rules that read the source. It is written again only if the content of the
source has changed, so a new time alone repeats nothing. The main process of a run looks once,
before it plans; jobs do not.

What is noticed: every change of a file that a config names, of tables of Kaldi directories, of
recordings that they name (also in pipes), and of files below a named folder. seen.py says how.
An edit that keeps size, times and inode is noticed only with ``check``.

A run stops before it removes anything where a source is missing or cannot be read.
"""

import hashlib
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable, Mapping
from glob import escape, glob, iglob
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.files import (
    SCRIPTS,
    BadInput,
    base_of,
    name_too_long,
    ours,
    printable,
    read_lines,
    wherever_ours_lie,
    whole_or_absent,
)
from voiceprivacy.inout.foreign import NO_UTF8
from voiceprivacy.inout.iemocap import TRANSCRIBED
from voiceprivacy.plan.seen import File, Files, read
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import CONDITIONS

RESULTS = "results"
FOLDER = Path(RESULTS, "sources")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys", "/run")
CHECK = "VOICEPRIVACY_CHECK_AUDIO"  # environment: every file is read again
HASHED_BYTES = 200e6  # of one source: a second of reading from a fast disk, some from a slow one
FILE, A_FOLDER = "file", "folder"
NEEDED_TABLES = ("wav.scp", "utt2spk", "enrolls", "trials")  # what each corpus of Kaldi's needs
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
    because each job reads only one of them. ``form`` is what it has to be, if that is certain.
    """

    keys: tuple[str, ...]
    path: str
    form: str = ""
    endings: tuple[str, ...] | None = None
    below: bool = True
    root: str | None = None
    may_lack: bool = False
    needed: bool = True
    member: str = ""

    @property
    def source(self) -> str:
        """The entry of the config that names it, and its member: corpora/libri."""
        names = [*self.keys[:2], self.member]
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
    pattern, star = re.escape(template), escape(template)
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


def files_in_words(texts: Iterable[object]) -> list[str]:
    """Regular files that commands or options name, of people's own: none of the system or a run.

    A word may be ``--weights=nac.pt``, or hold several ones, as after ``sh -c``.
    """
    paths: dict[str, None] = {}
    for text in texts:
        for word in _words(str(text)):
            inner = files_in_words([word]) if word != text and re.search(r"\s", word) else []
            paths |= dict.fromkeys([*inner, word, word.partition("=")[2]])
    return [path for path in paths if os.path.isfile(path) and _is_persons(path)]


def _is_persons(path: str) -> bool:
    """Whether a file is neither the system's nor Python's nor a run's, links followed or not."""
    others = (*SYSTEM, sys.prefix, sys.base_prefix, os.path.abspath(RESULTS))
    folders = tuple(f"{folder}/" for folder in others)
    for name in (os.path.abspath(path), os.path.realpath(path)):
        # Our own lie in a folder of Python's where the project was installed as a package.
        is_ours = name.startswith(f"{SCRIPTS.parent}/")
        if name.startswith(folders) and not is_ours:
            return False
    return True


def unusable(named: Iterable[Named]) -> dict[Named, str]:
    """What a config names and cannot be used, and why; nothing below a folder that is one of it."""
    reasons: dict[Named, str] = {}
    for path in dict.fromkeys(named):
        folders = tuple(f"{above.path}/" for above in reasons)
        reason = why_unusable(path.path, path.form) if path.needed else None
        if reason and not path.path.startswith(folders):
            reasons[path] = reason
    return reasons


def why_unusable(path: str, form: str = "") -> str | None:
    """Why a path cannot be read as what it has to be, FILE or A_FOLDER; None if it can."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "is a link to what is not there" if os.path.islink(path) else "not found"
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', error)})"
    if stat.S_ISDIR(mode) and form == FILE:
        return "is a folder, not a file"
    if stat.S_ISREG(mode) and form == A_FOLDER:
        return "is a file, not a folder"
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        return "is a pipe, a socket or a device, not a file"
    allowed = os.access(path, os.R_OK | (os.X_OK if stat.S_ISDIR(mode) else 0))
    return None if allowed else "cannot be read (Permission denied)"


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


def why_no_transcripts(corpus: Mapping[str, Any]) -> str | None:
    """Why nobody knows what is said in the trials of a corpus; None if its transcripts are there.

    Parameters
    ----------
    corpus : an entry of a completed config
    """
    if "segments" in corpus:
        return "no transcripts of the pieces that utterances are cut into"
    if "kaldi" in corpus:
        kaldi = corpus["kaldi"] if isinstance(corpus["kaldi"], dict) else {}
        tried = kaldi.get("trial") or [kaldi.get("directory", corpus["kaldi"])]
        is_there = any(os.path.exists(ours(f"{directory}/text")) for directory in tried)
        return None if is_there else "no transcripts were given (the file text of a data directory)"
    if "librispeech" in corpus:
        is_there = all(_has_transcripts(corpus["librispeech"], path) for path in _subsets(corpus))
        return None if is_there else "no transcripts were given (*.trans.txt beside the audio)"
    if "vctk" in corpus:
        is_there = os.path.isdir(ours(f"{corpus['vctk']['root']}/txt"))
        return None if is_there else "no transcripts were given (the folder txt of VCTK)"
    if "iemocap" in corpus:
        iemocap = corpus["iemocap"]
        sessions = [f"{iemocap['root']}/Session{session}" for session in iemocap["sessions"]]
        is_there = all(os.path.isdir(ours(f"{session}/{TRANSCRIBED}")) for session in sessions)
        return None if is_there else f"no transcripts were given ({TRANSCRIBED} of IEMOCAP)"
    if "folder" in corpus and "transcripts" not in corpus["folder"]:
        return "no transcripts were given (transcripts: FILE.tsv in the corpus's entry folder)"
    return None


def _subsets(corpus):
    librispeech = corpus["librispeech"]
    return [ours(f"{librispeech['root']}/{subset}") for subset in librispeech["subsets"]]


def _has_transcripts(librispeech, subset):
    """Whether a subset has a transcript; one that is still to be downloaded will have them."""
    if librispeech.get("download") and not os.path.isdir(subset):
        return True
    return any(True for _ in iglob(f"{escape(subset)}/*/*/*.trans.txt"))


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
        self.changed: dict[str, list[str]] = {}  # since the last run: the files of each source
        self._before: dict[Path, tuple[str, os.stat_result] | None] = {}
        self._files: Files | None = None

    def file(self, *names: str) -> list[str]:
        """The fingerprint of an entry of the config: section, name, member; none without files."""
        source = "/".join(names)
        return [f"{self.folders[source]}/{source}.sha256"] if source in self.named else []

    def files(self) -> list[str]:
        """The fingerprints of all entries."""
        return list(chain.from_iterable(map(self.file, self.named)))

    def refresh(self, scratch: str | Path | None = None, *, check: bool = False) -> None:
        """Look at all files, and write the fingerprint of each source that has changed.

        Parameters
        ----------
        scratch : where a dry run writes these fingerprints, so that nothing in results/ changes
        check : read every file, whatever its times say

        Raises
        ------
        BadInput : a file cannot be read, or recordings are gone that were there before
        """
        files = self._files = Files()
        # All of them before the first is written: a lost file leaves everything as it was.
        looked_at = {}
        for source, named in self.named.items():
            is_known = (FOLDER / f"{source}.sha256").exists()
            looked_at[source] = _Source(source, named, files, is_known=is_known)
        fingerprints = {name: source.fingerprint(check=check) for name, source in looked_at.items()}
        for source, (fingerprint, new_files) in fingerprints.items():
            written = FOLDER / f"{source}.sha256"
            before = (written.read_text(), written.stat()) if written.exists() else None
            if before and before[0] == fingerprint:
                continue
            if before:
                self.changed[source] = new_files
            self.folders[source] = Path(scratch) if scratch else FOLDER
            self._before[Path(self.file(source)[0])] = before
            with whole_or_absent(self.file(source)[0]) as temporary:
                temporary.write_text(fingerprint)
        if scratch is None:
            files.keep()

    def take_back(self) -> None:
        """Write the fingerprints of before again, with their times: the run is refused."""
        for path, before in self._before.items():
            if before is None:
                continue
            text, status = before
            with whole_or_absent(path) as temporary:
                temporary.write_text(text)
                os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
        if self._files:
            self._files.take_back()


class _Source:
    """The files behind one entry of a config; ``is_known`` says that a run has seen it before."""

    def __init__(self, name: str, named: list[Named], files: Files, *, is_known: bool) -> None:
        self.name, self.is_known = name, is_known
        self.tables: dict[str, File] = {}
        self.recordings: dict[str, File] = {}
        self.links: set[str] = set()
        for path in named:
            listed = _Listed(path)
            tables = {name: files.look_at(name) for name in listed.tables}
            recordings = {name: files.look_at(name) for name in listed.recordings}
            self._refuse_lost(path, listed, tables | recordings, files)
            self.tables |= tables
            self.recordings |= recordings
            self.links.update(listed.links)
        for name in self.tables:
            self.recordings.pop(name, None)

    def fingerprint(self, *, check: bool) -> tuple[str, list[str]]:
        """SHA-256 of its files' names and of what each holds, and the files that are new."""
        self._read(check=check)
        files = [*sorted(self.tables.items()), *sorted(self.recordings.items())]
        lines = [f"{wherever_ours_lie(path)}\t{file.state}\n" for path, file in files]
        lines += [f"{link}\n" for link in sorted(self.links)]
        digest = hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()
        return f"{digest}\n", [path for path, file in files if file.has_changed]

    def _read(self, *, check: bool) -> None:
        """Read what may have changed, and what nobody has read yet if that is quick."""
        tables = [file for file in self.tables.values() if file.is_there]
        recordings = [file for file in self.recordings.values() if file.is_there]
        chosen = [file for file in tables if check or file.digest is None]
        chosen += [file for file in recordings if check or file.may_have_changed]
        unread = [file for file in recordings if file.digest is None and not file.may_have_changed]
        if sum(file.look.size for file in unread) <= HASHED_BYTES:
            chosen += [] if check else unread
        for file in unread:
            if file.is_new and not os.access(file.path, os.R_OK):
                raise BadInput(f"{file.path}: cannot be read (Permission denied)")
        read(chosen, say=lambda words: _say(f"{self.name}: {words}"))

    def _refuse_lost(
        self, named: Named, listed: "_Listed", seen: dict[str, File], files: Files
    ) -> None:
        """Refuse files that were there before and are not: perhaps a disk is not mounted."""
        gone = [path for path in sorted(seen) if not seen[path].is_there]
        lost = [path for path in gone if self._is_lost(seen[path], path in listed.needed)]
        needed = [f"{named.path}/{name}" for name in NEEDED_TABLES if not named.below]
        lost += [path for path in needed if path not in seen and files.look_at(path).was_there]
        # Some that are gone may be left out; all of them at once were hardly removed on purpose.
        is_empty = len(gone) == len(seen)
        if is_empty and files.was_filled(named.path):
            raise BadInput(f"{named.path}: is empty, and was not before")
        if lost and (is_empty or not named.may_lack):
            raise BadInput(f"{lost[0]}: {why_unusable(lost[0], FILE) or 'not found'}")

    def _is_lost(self, file: File, is_needed: bool) -> bool:
        """Whether a file must be there: it was, or what was edited since a run names it."""
        return file.was_there or (is_needed and self.is_known and file.before is None)


class _Listed:
    """The files behind a named path: itself or tables, and recordings.

    ``needed`` are those that must be there. ``links`` are links to folders that are listed already.
    """

    def __init__(self, named: Named) -> None:
        self.tables: list[str] = []
        self.recordings: list[str] = []
        self.needed: set[str] = set()
        self.links: list[str] = []
        if not os.path.isdir(named.path):
            self.tables = [named.path]
            return
        try:
            with os.scandir(named.path) as children:
                in_folder = [child.path for child in children if _is_file(child)]
        except OSError as error:
            _refuse(error)
        wav_scp = f"{named.path}/wav.scp"
        if not named.below:  # a Kaldi directory, whose files are all tables
            self.tables = in_folder
        elif wav_scp in in_folder:
            cuts = f"{named.path}/segments"
            self.tables = [wav_scp, *([cuts] if cuts in in_folder else [])]
        if named.below:
            self._add_tree(named.path, named.endings)
            self.needed.update(self.recordings)
        if wav_scp in in_folder:
            self._add_named_in(wav_scp, named)

    def _add_tree(self, root: str, endings: tuple[str, ...] | None) -> None:
        """All files below a folder, links followed; hidden ones and the run's own left out."""
        seen: set[str] = set()  # a link may lead back to a folder above it
        for folder, folders, names in os.walk(root, followlinks=True, onerror=_refuse):
            inside = os.path.realpath(folder)
            if inside in seen or inside == os.path.abspath(RESULTS):
                folders.clear()
                self.links += [f"{folder}\tis {inside}"] if inside in seen else []
                continue
            seen.add(inside)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in names:
                is_read = not name.startswith(".") and (endings is None or name.endswith(endings))
                if is_read and not NO_UTF8.match(f"{folder}/{name}"):  # readers refuse those
                    self.recordings.append(f"{folder}/{name}")

    def _add_named_in(self, wav_scp: str, named: Named) -> None:
        """The recordings that a wav.scp names, and the files that its pipes name."""
        lines = _recordings_in(wav_scp)
        root = named.root
        if root is None:
            root = base_of(Path(wav_scp).parent, chain.from_iterable(map(_paths, lines)))
        for line in lines:
            if not line.endswith("|"):
                path = os.path.join(root, line)
                self.recordings.append(path)
                if not named.below:
                    self.needed.add(path)
                # Of a submission, each line is looked for in its folder and in the working one,
                # and only those of utterances that are asked for count.
                elif (beside := os.path.join(named.path, line)) != path:
                    self.recordings.append(beside)
                continue
            for word in _words(line[:-1]):
                path = os.path.join(root, word)
                # A word with a slash counts also where it is no file: it may be one that was lost.
                if "/" in word or os.path.isfile(path):
                    self.recordings.append(path)


def _recordings_in(wav_scp: str) -> list[str]:
    """What stands after the ids of a wav.scp."""
    recordings = []
    for line, text in enumerate(read_lines(wav_scp), start=1):
        if recording := text.strip() and text.split(maxsplit=1)[-1].strip():
            if too_long := not recording.endswith("|") and name_too_long(recording):
                raise BadInput(f"{wav_scp}:{line}: {too_long}")
            recordings.append(recording)
    return recordings


def _is_file(child: os.DirEntry) -> bool:
    return not child.name.startswith(".") and os.path.isfile(child.path)


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


def _refuse(error: OSError) -> None:
    """Refuse a folder that cannot be listed: os.walk would leave it out."""
    raise BadInput(f"{error.filename}: cannot be read ({error.strerror})")


def _say(words: str) -> None:
    say(f"note: {printable(words)}", file=sys.stderr, flush=True)
