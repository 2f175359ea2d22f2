"""Other people's anonymisers: a function, a package, a command, or audio that is protected already.

Conventions
-----------
* An anonymiser is a dict with exactly one of the keys ``function``, ``package``, ``command`` and
  ``audio``, and perhaps ``options``: its entry in the config.
* Every kind is called with (what the entry says, utterances, Request) and returns {utterance id:
  path of the protected file}. It may write below the request's scratch folder only.
* Relative paths in an entry are relative to the working directory. A program is given absolute
  ones: what it joins to --audio-dir is right in its manifest too, where a relative path would start
  at the manifest.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from voiceprivacy.anonymise import call_function
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import FilePath, name_too_long, naming, read_lines
from voiceprivacy.inout.foreign import composed, files_below, refuse_no_utf8
from voiceprivacy.inout.manifests import Utterance, positions_path, read_manifest, seconds_of
from voiceprivacy.inout.placeholders import expand, ours
from voiceprivacy.running import boxes, decoding, entry_points, programs
from voiceprivacy.running.handed_over import hand_over
from voiceprivacy.vocabulary import AUDIO_ENDINGS, SCRIPTS

LONGEST_ERROR = 4000  # characters of what a function says was wrong

ProtectedPaths: TypeAlias = dict[str, Path]


class Request(NamedTuple):
    """How an anonymiser is to work.

    ``minutes`` is None without a limit; ``entry`` is what the config says of it and of its box.
    """

    seed: int
    positions: Path | None
    options: dict[str, Any]
    threads: int
    scratch: Path
    minutes: float | None
    entry: dict[str, Any]


def protect(
    anonymiser: dict[str, Any],
    utterances: Sequence[Utterance],
    *,
    seed: int,
    threads: int,
    scratch: FilePath,
    positions: Path | None = None,
    minutes: float | None = None,
) -> ProtectedPaths:
    """Run an anonymiser on utterances.

    Parameters
    ----------
    anonymiser : dict
        Its entry in the config.
    utterances : list of Utterance
        Of the original speech.
    seed : int
    threads : int
        Processes of a function; what {threads} and OMP_NUM_THREADS are for a command.
    scratch : path
        An empty folder for what the anonymiser writes.
    positions : path, optional
        The positions.tsv of the part, which a command finds beside its manifest.
    minutes : float, optional
        After which a function or a command is ended, with all that it started.

    Returns
    -------
    dict : utterance id -> path; not checked yet, utterances can be missing

    Raises
    ------
    BadInput : the plug-in cannot be found, fails, breaks its contract, or changes an original
    """
    kind = next((kind for kind in KINDS if kind in anonymiser), None)
    if kind is None:
        raise BadInput(f"{anonymiser}: an anonymiser has one of {', '.join(KINDS)}")
    scratch = Path(scratch).absolute()
    request = Request(
        seed=seed,
        positions=positions,
        options=expand(anonymiser.get("options") or {}),
        threads=threads,
        scratch=scratch,
        minutes=minutes,
        entry=anonymiser,
    )
    before = _times(utterances)
    paths: ProtectedPaths = KINDS[kind](anonymiser[kind], utterances, request)
    if changed := before - _times(utterances):
        path, _ = min(changed)
        wrote = "the anonymiser changed or removed this original recording"
        raise BadInput(f"{path}: {wrote}: put it back, and let it write to --audio-dir")
    owners: dict[Path, str] = {}
    for utterance, path in paths.items():
        owner = owners.setdefault(path.resolve(), utterance)
        if owner != utterance:
            raise BadInput(
                f"utterances '{owner}' and '{utterance}' have the same protected file {path}"
            )
    return paths


def _times(utterances: Sequence[Utterance]) -> set[tuple[Path, float]]:
    """Recordings that are there, and when each was last written."""
    return {(line.path, line.path.stat().st_mtime) for line in utterances if line.path.exists()}


def _function(name: str, utterances: Sequence[Utterance], request: Request) -> ProtectedPaths:
    """Call a function in a program of its own; it says in a file what was wrong."""
    scratch = request.scratch
    job = scratch / "job.json"
    files = programs.options_of(request.options)  # words that name files, as a command's would
    if not name.startswith(call_function.PACKAGE):
        files.insert(0, os.path.abspath(ours(name).rpartition(":")[0]))
    box = boxes.of_entry(request.entry, files, scratch, threads=request.threads)
    manifest = hand_over(utterances, scratch, to_box=box is not None)
    arguments = {
        "function": name,
        "options": request.options,
        "seed": request.seed,
        "threads": request.threads,
        "manifest": str(manifest),
        "audio_dir": str(scratch),
        "streaming": request.entry.get("streaming"),
    }
    job.touch(mode=0o600)  # options may hold the values of variables
    job.write_text(json.dumps(arguments), encoding="utf-8")
    # -P: a file of the working directory named like a module would be imported instead of it.
    words = [sys.executable, "-P", "-m", call_function.__name__, str(job)]
    path = os.pathsep.join(filter(None, [str(SCRIPTS), os.environ.get("PYTHONPATH")]))
    try:
        programs.run(
            words,
            name=f"function {name}",
            threads=1,
            minutes=request.minutes,
            variables={"PYTHONPATH": path},
            box=box,
        )
    except BadInput:
        # What the program wrote there says more than its exit code.
        error = job.with_suffix(".error")
        if error.is_file():
            with open(error, encoding="utf-8", errors="replace") as file:
                raise BadInput(file.read(LONGEST_ERROR)) from None
        raise
    written = {line.utterance: scratch / f"{line.utterance}.flac" for line in utterances}
    return {name: path for name, path in written.items() if path.exists()}  # it may have exited


def _package(name: str, utterances: Sequence[Utterance], request: Request) -> ProtectedPaths:
    """Call what an installed package offers; it must be the one that the run was planned with."""
    planned = request.entry.get("version")
    if planned and (installed := entry_points.version(name)) != planned:
        raise BadInput(
            f"package: '{name}' is {installed} here, and was {planned} when the run was planned:"
            " start the run again"
        )
    return _function(f"{call_function.PACKAGE}{name}", utterances, request)


def _command(command: str, utterances: Sequence[Utterance], request: Request) -> ProtectedPaths:
    """Call a command, with the options of its entry and with those that all commands get."""
    scratch = request.scratch
    output, audio_dir = scratch / "output.tsv", scratch / "audio"
    audio_dir.mkdir()
    words = programs.words_of(command, threads=request.threads)
    words += programs.options_of(request.options)
    box = boxes.of_entry(request.entry, words, scratch, threads=request.threads)
    manifest = hand_over(utterances, scratch, to_box=box is not None)
    if request.positions and request.positions.exists():
        shutil.copyfile(request.positions, positions_path(manifest))
    contract = {
        "manifest": manifest,
        "seed": request.seed,
        "audio-dir": audio_dir,
        "output-manifest": output,
    }
    programs.run(
        words + programs.options_of(contract),
        name=f"command '{command}'",
        threads=request.threads,
        minutes=request.minutes,
        box=box,
    )
    if not output.exists():
        raise BadInput(f"command '{command}' wrote no --output-manifest")
    with naming(f"what command '{command}' wrote"):
        paths = {utterance.utterance: utterance.path for utterance in read_manifest(output)}
    asked = {utterance.utterance for utterance in utterances}
    for name, path in paths.items():
        if name not in asked:
            raise BadInput(
                f"command '{command}' returned utterance '{name}', which is not in its manifest"
            )
        # A program in a box may name what it could not read itself.
        if box and not path.resolve().is_relative_to(scratch.resolve()):
            raise BadInput(
                f"command '{command}' returned for utterance '{name}' a file"
                f" outside of its box: {path}"
            )
    return paths


def _audio(
    folders: str | list[str], utterances: Sequence[Utterance], request: Request
) -> ProtectedPaths:
    folders = [ours(name) for name in ([folders] if isinstance(folders, str) else folders)]
    paths, cuts = find_audio(folders, utterances), cuts_of(folders)
    return {
        utterance: _as_speech(utterance, path, cuts.get(utterance), request.scratch)
        for utterance, path in paths.items()
    }


def _as_speech(name: str, path: Path, cut: tuple[float, float] | None, scratch: Path) -> Path:
    """A protected file that can be read, or a copy in the scratch folder that can: cut, decoded."""
    if cut is None and not decoding.is_encoded(path):
        return path
    with decoding.decoded(path) if decoding.is_encoded(path) else nullcontext(path) as file:
        copy = scratch / f"{name}.wav"
        audio.write_stretches(file, copy, [cut or (0.0, -1.0)])
    return copy


KINDS = {"function": _function, "package": _package, "command": _command, "audio": _audio}


# Speech that somebody else has anonymised already, in every layout the challenges have used.


def find_audio(folders: Iterable[FilePath], utterances: Sequence[Utterance]) -> ProtectedPaths:
    """Find the protected file of every utterance in some folders.

    For an utterance u that is wav/u.wav, wav/u/u.wav or u.wav (each with any of AUDIO_ENDINGS), its
    line of wav.scp (a plain path, relative to the folder or to the working directory; with a file
    segments that of its recording, see cuts_of), or the end of its original's path
    (speaker/chapter/u.flac). Else it is the only such file however deep below the folder: the
    original's own path is not known of speech that was resampled.

    Parameters
    ----------
    folders : list of path
    utterances : list of Utterance
        Of the original speech.

    Returns
    -------
    dict : utterance id -> path; utterances without a file are left out

    Raises
    ------
    BadInput : a folder is missing, a wav.scp cannot be used, or an utterance has two different
        files
    """
    paths_of_scp = {Path(folder): _read_scp(Path(folder)) for folder in folders}
    protected: ProtectedPaths = {}
    for utterance in utterances:
        candidates: list[Path] = []
        for folder, paths in paths_of_scp.items():
            candidates += _candidates(folder, paths, utterance)
        existing = [path for path in candidates if os.path.isfile(path)]
        if existing:
            protected[utterance.utterance] = _only_file(utterance.utterance, existing)
    # Only now: looking through a deep folder takes longer than looking at a few paths.
    names = [utterance.utterance for utterance in utterances]
    if missing := [name for name in names if name not in protected]:
        below = _by_stem(paths_of_scp)
        for name in missing:
            if name in below:
                protected[name] = _only_file(name, below[name])
    return protected


def cuts_of(folders: Iterable[FilePath]) -> dict[str, tuple[float, float]]:
    """{utterance: its start and end in seconds} of folders with Kaldi's file segments.

    Their wav.scp names recordings; find_audio gives the recording of every utterance.
    """
    cuts = {}
    for folder in folders:
        for name, (_, start_s, end_s) in _read_segments(Path(folder)).items():
            cuts[name] = (start_s, end_s)
    return cuts


def _read_segments(folder: Path) -> dict[str, tuple[str, float, float]]:
    """{utterance: recording, start and end in s} of a folder's segments; empty if it has none."""
    path = folder / "segments"
    if not (path.exists() and (folder / "wav.scp").exists()):
        return {}
    segments: dict[str, tuple[str, float, float]] = {}
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split()
        if not fields:
            continue
        # A channel may follow: protected files have one.
        times = seconds_of(*fields[2:4]) if len(fields) in (4, 5) else None
        if times is None:
            raise BadInput(f"{path}:{line}: expected an utterance, a recording, start and end in s")
        name, recording = map(composed, fields[:2])
        if name in segments:
            raise BadInput(f"{path}:{line}: utterance '{name}' occurs twice")
        segments[name] = (recording, *times)
    return segments


def _only_file(name: str, paths: list[Path]) -> Path:
    """The file of an utterance that has several paths; two different files are refused."""
    files = {os.path.realpath(path): path for path in paths}  # two paths may be one file
    first, *others = files.values()
    if others:
        raise BadInput(f"utterance '{name}' has two files: {first} and {others[0]}")
    return first


def _by_stem(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """All audio below the folders by its name without ending."""
    stems: dict[str, list[Path]] = {}
    for folder in folders:
        files = sorted(map(folder.joinpath, files_below(folder, AUDIO_ENDINGS)))
        refuse_no_utf8(folder, files)
        for path in files:
            stems.setdefault(composed(path.stem), []).append(path)
    return stems


def _candidates(folder: Path, paths_of_scp: dict[str, str], utterance: Utterance) -> Iterator[Path]:
    """Where the protected file of an utterance may lie."""
    name = utterance.utterance
    for stem in (folder / "wav" / name, folder / "wav" / name / name, folder / name):
        for ending in AUDIO_ENDINGS:
            yield stem.with_name(name + ending)
    yield from _by_original(folder, utterance.path)
    if name in paths_of_scp:
        yield folder / paths_of_scp[name]
        yield Path(paths_of_scp[name])  # relative to the working directory


def _by_original(folder: Path, original: Path) -> Iterator[Path]:
    """The original's own relative path, below whichever of its parents the submission begins."""
    # Without "..", which would lead out of the folder to the original.
    parts = Path(os.path.abspath(original)).parts[1:]
    for first in range(len(parts)):
        path = folder.joinpath(*parts[first:])
        for ending in AUDIO_ENDINGS:
            yield path.with_suffix(ending)


def _read_scp(folder: Path) -> dict[str, str]:
    """{utterance: plain path} of a folder's wav.scp; empty if it has none."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    path = folder / "wav.scp"
    if not path.exists():
        return {}
    paths: dict[str, str] = {}
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.strip().split(maxsplit=1)
        if not fields:
            continue
        if len(fields) != 2 or fields[1].endswith("|"):
            raise BadInput(f"{path}:{line}: expected an utterance and a plain path, no pipe")
        name = composed(fields[0])
        if name in paths:
            raise BadInput(f"{path}:{line}: utterance '{name}' occurs twice")
        if too_long := name_too_long(fields[1]):
            raise BadInput(f"{path}:{line}: {too_long}")
        paths[name] = fields[1]
    segments = _read_segments(folder)
    if segments:  # the paths are those of recordings, of which utterances are pieces
        pieces = {}
        for name, (recording, _, _) in segments.items():
            if recording not in paths:
                raise BadInput(f"{folder}/segments: recording '{recording}' is not in {path}")
            pieces[name] = paths[recording]
        return pieces
    return paths
