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
from glob import escape, glob, iglob
from itertools import accumulate, chain, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256, sha256_of
from voiceprivacy.inout.files import base_of, name_too_long, read_lines
from voiceprivacy.inout.foreign import NO_UTF8
from voiceprivacy.inout.iemocap import TRANSCRIBED
from voiceprivacy.inout.placeholders import ours, wherever_ours_lie
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.layout import HERE, Layout
from voiceprivacy.running.command import say
from voiceprivacy.running.pools import in_threads
from voiceprivacy.vocabulary import CONDITIONS, ORIGINAL, SCRIPTS

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys", "/run")
CHECK = "VOICEPRIVACY_CHECK_AUDIO"  # environment: every file is read again
CACHE = Path(".snakemake", "sources.json")
JUST_NOW_NS = 2_000_000_000
THREADS = 4  # a network's disk answers several questions at once
MANY_BYTES = 1e9  # more than this is announced, because planning seems to hang
FILE, A_FOLDER = "file", "folder"
NEEDED_TABLES = ("wav.scp", "utt2spk", "enrolls", "trials")  # what each corpus of Kaldi's needs
NAME = "[a-z][a-z0-9_]*"
TRANSCRIPTS = "transcripts"  # of a corpus: a member of its entry, which no speech is made of
TRANSCRIPT = re.compile(r"(\.trans\.txt|/text|/txt/[^/]+/[^/]+\.txt)$")  # LibriSpeech, Kaldi, VCTK
MODULE_ENDINGS = (".py", "/__init__.py", "/__main__.py")
# What is compared in a challenge's exp/: directories, of protected speech with a suffix.
COMPARED_DIRECTORIES = re.compile(
    rf"(?P<corpus>{NAME})_enrolls(?P<enrolled>_.+|)"
    r"-(?P=corpus)_trials_(?P<trials>(?:f|m|mixed)(?:_common)?)(?P<tried>_.+|)"
)
Known: TypeAlias = list  # what was seen of a file: two times of change, size, inode; SHA-256
ENCODER_FILES = ["hyperparams.yaml", "latent_extractor.ckpt", "latent_encoder.ckpt"]
MEASURE_SETTINGS = ["hyperparams.yaml", "config.json"]  # one of them, of SpeechBrain or others
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
    because each job reads only one of them. ``without_texts`` is True where the transcripts among
    the files are such a member. ``form`` is what it has to be, if that is certain.
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
    without_texts: bool = False

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

    Without {corpus} or {trials} they are ``scores`` and ``all``. Other conditions do not match. A
    path without braces is an attacker's folder in a challenge's exp/.

    Raises
    ------
    BadInput : a file's name of a system, list or corpus is none, or could be split otherwise; that
        folder has the scores of several attackers
    """
    if "{" not in template:
        return _scores_of_challenge(template)
    pattern, star = re.escape(template), escape(template)
    for field in ScoreFile._fields:
        placeholder = f"{{{field}}}"
        values = f"(?i:{'|'.join(CONDITIONS)})" if field == "condition" else "[^/]+"
        pattern = pattern.replace(re.escape(placeholder), f"(?P<{field}>{values})", 1)
        pattern = pattern.replace(re.escape(placeholder), f"(?P={field})")  # the same once more
        star = star.replace(placeholder, "*")
    files = {}
    for path in sorted(glob(star)):
        if match := re.fullmatch(pattern, path):
            _refuse_no_names(path, match.groups())
            other: Any = re.fullmatch(pattern.replace("+", "+?"), path)
            if other.groups() != match.groups():
                raise BadInput(
                    f"{path}: is it of {' '.join(match.groups())} or of {' '.join(other.groups())}?"
                    f" Names may hold '_': put / between them, also in {template}"
                )
            names = {"corpus": "scores", "trials": "all"} | match.groupdict()
            files[ScoreFile(**names)] = path
    return files


def _scores_of_challenge(folder: str) -> dict[ScoreFile, str]:
    """libri_dev_enrolls_mine-libri_dev_trials_f_mine/scores and the like, however deep.

    Raises
    ------
    BadInput : a suffix is no name; two files are of the same system and trials, as those of two
        attackers
    """
    files: dict[ScoreFile, str] = {}
    for path in sorted(Path(folder).rglob("scores")):
        match = COMPARED_DIRECTORIES.fullmatch(path.parent.name)
        if match and (match["enrolled"] or match["tried"]) == match["tried"]:
            condition = "pp" if match["enrolled"] else "op" if match["tried"] else "oo"
            system = match["tried"].lower().strip("_") or ORIGINAL
            _refuse_no_names(path, [system])
            scored = ScoreFile(match["corpus"], match["trials"], system, condition)
            if scored in files:
                raise BadInput(
                    f"{path}: {files[scored]} is of the same system and trials: name the folder of"
                    " one attacker, such as exp/asv_anon_mine"
                )
            files[scored] = str(path)
    return files


def _refuse_no_names(path, names):
    """Refuse scores of what has no name in a run: left out, they would not be missed."""
    for name in names:
        if not re.fullmatch(NAME, name):
            raise BadInput(
                f"{path}: '{name}' is no name: write small letters, digits and _, and begin with a"
                " letter"
            )


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
    """The files in the folder of a self-supervised encoder: of the hub, or of SpeechBrain."""
    is_of_hub = os.path.exists(f"{folder}/{HUB_ENCODER_FILES[0]}")
    return hub_encoder_files(folder) if is_of_hub else ENCODER_FILES


def hub_encoder_files(folder: str) -> list[str]:
    """The files in the folder of a self-supervised encoder, as on the Hugging Face hub."""
    return [*HUB_ENCODER_FILES, _hub_weights(folder)]


def text_encoder_files(folder: str) -> list[str]:
    """The files in the folder of an encoder of sentences, as on the Hugging Face hub."""
    return [*HUB_TEXT_ENCODER_FILES, _hub_weights(folder)]


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
