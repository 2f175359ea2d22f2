"""People's files: which ones a config names, and whether they are still what they were.

The files behind one entry of a config (a corpus, an anonymiser, an extractor, an attack, a measure)
are a source. Each source has one fingerprint, results/sources/<section>/<name>.sha256. Only this
file is an input of the rules that read the source. It is written again only if the content of the
source has changed, so a new time alone repeats nothing. The main process of a run looks once,
before it plans; jobs do not.

What is noticed: every change of a file that a config names, of tables of Kaldi directories, of
recordings that they name (also in pipes), and of files below a named folder. Each file is read
once; .snakemake/sources.json keeps its size, its times and its SHA-256, and it is read again where
one of those is new. An edit that keeps size and times is noticed only with ``check``.

A run stops before it removes anything where a file that was there is missing or cannot be read.
"""

import contextlib
import json
import os
import re
import shlex
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, chain, pairwise, product
from pathlib import Path
from typing import Any, TypeAlias

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256, sha256_of
from voiceprivacy.inout.files import base_of, name_too_long, read_lines
from voiceprivacy.inout.foreign import NO_UTF8
from voiceprivacy.inout.placeholders import wherever_ours_lie
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.kinds import FILE, Named
from voiceprivacy.layout import HERE, Layout
from voiceprivacy.plan.named_files import why_unusable
from voiceprivacy.running.command import say
from voiceprivacy.running.pools import in_threads
from voiceprivacy.vocabulary import SCRIPTS

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys", "/run")
CHECK = "VOICEPRIVACY_CHECK_AUDIO"  # environment: every file is read again
CACHE = Path(".snakemake", "sources.json")
JUST_NOW_NS = 2_000_000_000
THREADS = 4  # a network's disk answers several questions at once
MANY_BYTES = 1e9  # more than this is announced, because planning seems to hang
NEEDED_TABLES = ("wav.scp", "utt2spk", "enrolls", "trials")  # what each corpus of Kaldi's needs
TRANSCRIPT = re.compile(r"(\.trans\.txt|/text|/txt/[^/]+/[^/]+\.txt)$")  # LibriSpeech, Kaldi, VCTK
MODULE_ENDINGS = (".py", "/__init__.py", "/__main__.py")
Known: TypeAlias = list  # what was seen of a file: two times of change, size, inode; SHA-256


def files_in_words(texts: Iterable[object], results: str) -> list[str]:
    """Regular files that commands or options name, of people's own: none of the system or a run.

    A word may be ``--weights=nac.pt``, or hold several ones, as after ``sh -c``; after ``-m`` it is
    a module below the working directory, which runs the packages above it first.

    Parameters
    ----------
    texts : commands and values of options
    results : folder of the run
    """
    paths: dict[str, None] = {}
    for text in texts:
        words = _words(str(text))
        modules = [name.split(".") for flag, name in pairwise(words) if flag == "-m"]
        for stem, end in product(chain(*map(_stems, modules)), MODULE_ENDINGS):
            paths[stem + end] = None
        for word in words:
            inner = (
                files_in_words([word], results) if word != text and re.search(r"\s", word) else []
            )
            paths |= dict.fromkeys([*inner, word, word.partition("=")[2]])
    return [path for path in paths if os.path.isfile(path) and _is_persons(path, results)]


def _stems(names):
    """Of the names in nac.run: nac, nac/run."""
    return accumulate(names, "{}/{}".format)


def _is_persons(path: str, results: str) -> bool:
    """Whether a file is neither the system's nor Python's nor a run's, links followed or not."""
    others = (*SYSTEM, sys.prefix, sys.base_prefix, os.path.abspath(results))
    folders = tuple(f"{folder}/" for folder in others)
    for name in (os.path.abspath(path), os.path.realpath(path)):
        # Our own lie in a folder of Python's where the project was installed as a package.
        is_ours = name.startswith(f"{SCRIPTS.parent}/")
        if name.startswith(folders) and not is_ours:
            return False
    return True


def bytes_of(path: str, *, otherwise: float) -> float:
    """The size of a file, or a guess where it is not there yet."""
    return os.path.getsize(path) if os.path.exists(path) else otherwise


class Sources:
    """The sources of a run.

    Parameters
    ----------
    named : what the config names
    layout : where the run's files lie
    """

    def __init__(self, named: Iterable[Named], layout: Layout = HERE) -> None:
        self.layout = layout
        self.named: dict[str, list[Named]] = {}
        for path in dict.fromkeys(named):
            if path.endings != ():
                self.named.setdefault(path.source, []).append(path)

    def file(self, *names: str) -> list[str]:
        """The fingerprint of an entry of the config: section, name, member; none without files."""
        source = "/".join(names)
        return [self.layout.path(f"sources/{source}.sha256")] if source in self.named else []

    def behind(self, *patterns: str) -> Callable[[Any], list[str]]:
        """Return an input function: the fingerprints of sources, with wildcards in their names."""

        def files(wildcards: Any) -> list[str]:
            names = [pattern.format(**wildcards) for pattern in patterns]
            return list(chain.from_iterable(map(self.file, names)))

        return files

    def files(self) -> list[str]:
        """The fingerprints of all entries."""
        return list(chain.from_iterable(map(self.file, self.named)))

    def refresh(self, *, check: bool = False) -> None:
        """Look at all files, and write the fingerprint of each source that has changed.

        Parameters
        ----------
        check : read every file, whatever its times say

        Raises
        ------
        BadInput : a file cannot be read, or is gone that was there before
        """
        known = _read_cache()
        listed = {
            source: _behind(named, known, self.layout.root) for source, named in self.named.items()
        }
        # All of them before the first is written: a lost file leaves everything as it was.
        now = _look_at(set(chain.from_iterable(listed.values())), {} if check else known)
        for source, lines in listed.items():
            path, fingerprint = self.file(source)[0], _fingerprint(lines, now)
            if not os.path.exists(path) or Path(path).read_text() != fingerprint:
                with whole_or_absent(path) as temporary:
                    temporary.write_text(fingerprint)
        if (known | now) != known:
            with whole_or_absent(CACHE) as temporary:
                temporary.write_text(json.dumps(known | now))


def _behind(named: Iterable[Named], known: Mapping[str, Known], results: str) -> list[str]:
    """The files behind an entry, and links between its folders; none may have been lost."""
    files: list[str] = []
    for path in named:
        listed, folder = _Listed(path, results), os.path.join(os.path.abspath(path.path), "")
        lay = (file for file in known if file.startswith(folder))
        if not listed.files and any(file.endswith(path.endings or "") for file in lay):
            raise BadInput(f"{path.path}: is empty, and was not before")
        own = [*listed.files, *listed.needed]
        gone = [file for file in own if not os.path.isfile(file)]
        lost = [file for file in gone if os.path.abspath(file) in known]
        # Some may be left out; all of them at once is probably a mistake.
        if lost and (not path.may_lack or len(lost) == len(own)):
            raise BadInput(f"{lost[0]}: {why_unusable(lost[0], FILE) or 'not found'}")
        files += [*listed.files, *listed.links]
    return files


def _read_cache() -> dict[str, Known]:
    """What the last runs saw, by absolute path; nothing of a file that cannot be used."""
    try:
        return {path: [*seen] for path, seen in json.loads(CACHE.read_text()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _look_at(paths: Iterable[str], known: Mapping[str, Known]) -> dict[str, Known]:
    """What files that are there hold; only those with another size or time than known are read."""
    began, looks = time.time_ns(), {}
    for path in map(os.path.abspath, paths):
        if look := _look(path):
            looks[path] = look
    unread = sorted(path for path, look in looks.items() if known.get(path, [])[:-1] != look)
    n_bytes = sum(looks[path][2] for path in unread)
    if n_bytes > MANY_BYTES:
        words = f"reading {n_bytes / 1e9:.1f} GB, to see whether they have changed"
        say(f"note: {words}", file=sys.stderr, flush=True)
    with in_threads(_digest, unread, threads=THREADS) as digests:
        read = dict(zip(unread, digests, strict=True))
    now = {}
    for path, look in looks.items():
        # An edit just now may leave times as they are, because many disks write down coarse ones.
        is_old = max(look[:2]) < began - JUST_NOW_NS
        now[path] = [*(look if is_old else []), read.get(path) or known[path][-1]]
    return now


def _look(path: str) -> list[int]:
    """What is seen of a regular file, links followed, without reading it; nothing of others."""
    with contextlib.suppress(OSError, ValueError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]
    return []


def _digest(path: str) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None


def _fingerprint(listed: Iterable[str], now: Mapping[str, Known]) -> str:
    """SHA-256 of the files of an entry: the names of files, and what each holds."""
    lines = []
    for path in sorted(set(listed)):
        held = now.get(os.path.abspath(path), ["absent"])[-1]
        lines.append(f"{wherever_ours_lie(path)}\t{held}\n")
    return f"{sha256(''.join(lines).encode(errors='surrogateescape'))}\n"


class _Listed:
    """The files behind a named path: itself, or those in a folder and those that a wav.scp names.

    ``needed`` are tables that every corpus of Kaldi's has. ``links`` are links to folders that are
    listed already.
    """

    def __init__(self, named: Named, results: str) -> None:
        self.results = os.path.abspath(results)
        self.files: list[str] = []
        self.needed: list[str] = []
        self.links: list[str] = []
        if not os.path.isdir(named.path):
            self.files = [named.path]
            return
        try:
            with os.scandir(named.path) as children:
                in_folder = [child.path for child in children if _is_file(child)]
        except OSError as error:
            _refuse(error)
        wav_scp = f"{named.path}/wav.scp"
        if not named.below:  # a Kaldi directory, whose files are all tables
            self.files = in_folder
            self.needed = [f"{named.path}/{name}" for name in NEEDED_TABLES]
        elif wav_scp in in_folder:
            self.files = [path for path in (wav_scp, f"{named.path}/segments") if path in in_folder]
        if named.below:
            self._add_tree(named.path, named.endings)
        if wav_scp in in_folder:
            self._add_named_in(wav_scp, named)
        if named.without_texts:
            self.files = [path for path in self.files if not TRANSCRIPT.search(path)]

    def _add_tree(self, root: str, endings: tuple[str, ...] | None) -> None:
        """All files below a folder, links followed; hidden ones and the run's own left out."""
        seen: set[str] = set()  # a link may lead back to a folder above it
        for folder, folders, names in os.walk(root, followlinks=True, onerror=_refuse):
            inside = os.path.realpath(folder)
            if inside in seen or inside == self.results:
                folders.clear()
                self.links += [f"{folder}\tis {inside}"] if inside in seen else []
                continue
            seen.add(inside)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in names:
                is_read = not name.startswith(".") and (endings is None or name.endswith(endings))
                if is_read and not NO_UTF8.match(f"{folder}/{name}"):  # readers refuse those
                    self.files.append(f"{folder}/{name}")

    def _add_named_in(self, wav_scp: str, named: Named) -> None:
        """The recordings that a wav.scp names, and the files that its pipes name."""
        lines = _recordings_in(wav_scp)
        root = named.root
        if root is None:
            root = base_of(Path(wav_scp).parent, chain.from_iterable(map(_paths, lines)))
        for line in lines:
            if not line.endswith("|"):
                self.files.append(os.path.join(root, line))
                # Of a submission, each line is looked for in its folder and in the working one.
                if named.below:
                    self.files.append(os.path.join(named.path, line))
                continue
            for word in _words(line[:-1]):
                path = os.path.join(root, word)
                # A word with a slash counts also where it is no file: it may be one that was lost.
                if "/" in word or os.path.isfile(path):
                    self.files.append(path)


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
