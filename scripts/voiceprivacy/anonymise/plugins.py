"""Other people's anonymisers: a Python function, a command in any language, or audio that is already protected.

Conventions
-----------
* An entry is a dict with exactly one of the keys ``function``, ``command`` and ``audio``, and perhaps ``options``.
* Every kind takes (what the entry says, utterances, *, options, seed, threads, minutes, writable, scratch) and
  returns {utterance id: path of the protected file}; it may write below ``scratch`` only.
* Relative paths in an entry are relative to the working directory. A program is given absolute ones, so that what it
  joins to --audio-dir is right in its manifest too, where a relative path would start at the manifest.
"""

import json
import os
import sys
from pathlib import Path

from voiceprivacy.anonymise import call_function
from voiceprivacy.inout.files import SCRIPTS, BadInput, naming, read_lines
from voiceprivacy.inout.tables import read_manifest, write_manifest
from voiceprivacy.running import programs

# Find speech that somebody else has anonymised already, in every layout the challenges have used.

ENDINGS = (".wav", ".flac")


def find_audio(folders, utterances):
    """Find the protected file of every utterance in some folders.

    For an utterance u: wav/u.wav, wav/u/u.wav, u.wav (each also .flac), its line of wav.scp (a plain path, relative to
    the folder or to the working directory), or the end of its original's path (speaker/chapter/u.flac); else the only
    u.wav or u.flac however deep below the folder (of speech that was resampled, the original's own path is not known).

    Parameters
    ----------
    folders : list of path
    utterances : list of voiceprivacy.inout.tables.Utterance
        Of the original speech.

    Returns
    -------
    dict : utterance id -> path; utterances without a file are left out

    Raises
    ------
    BadInput : a folder is missing, a wav.scp cannot be used, or an utterance has two different files
    """
    folders = [Path(folder) for folder in folders]
    listed = {folder: _read_scp(folder) for folder in folders}
    found = {}
    for utterance in utterances:
        candidates = [
            path for folder in folders for path in _candidates(folder, listed[folder], utterance)
        ]
        if file := _the_one(
            utterance.utterance, [path for path in candidates if os.path.isfile(path)]
        ):
            found[utterance.utterance] = file
    if len(found) < len(utterances):
        below = _by_stem(folders)
        for name in {of.utterance: None for of in utterances if of.utterance not in found}:
            if file := _the_one(name, below.get(name, [])):
                found[name] = file
    return found


def _the_one(name, paths):
    """The only file of an utterance among paths; None where there is none."""
    files = {os.path.realpath(path): path for path in paths}
    if len(files) > 1:
        places = " and ".join(str(path) for path in list(files.values())[:2])
        raise BadInput(f"utterance '{name}' has two files: {places}")
    return next(iter(files.values()), None)


def _by_stem(folders):
    """{stem: [path, ...]} of all audio below the folders."""
    stems = {}
    for folder in folders:
        for path in sorted(of for of in folder.rglob("*") if of.suffix in ENDINGS and of.is_file()):
            stems.setdefault(path.stem, []).append(path)
    return stems


def _candidates(folder, listed, utterance):
    yield from _by_name(folder, utterance.utterance)
    yield from _by_original(folder, utterance.path)
    if plain := listed.get(utterance.utterance):
        yield from (folder / plain, Path(plain))


def _by_name(folder, name):
    for stem in (folder / "wav" / name, folder / "wav" / name / name, folder / name):
        yield from (stem.with_name(name + ending) for ending in ENDINGS)


def _by_original(folder, original):
    """The original's own relative path, below whichever of its parents the submission begins."""
    parts = Path(os.path.abspath(original)).parts[
        1:
    ]  # no "..", which would lead out of the folder to the original
    for first in range(len(parts)):
        path = folder.joinpath(*parts[first:])
        yield from (path.with_suffix(ending) for ending in ENDINGS)


def _read_scp(folder):
    """{utterance: plain path} of a folder's wav.scp, if it has one."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found")
    path, listed = folder / "wav.scp", {}
    if not path.exists():
        return listed
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.strip().split(maxsplit=1)
        if not fields:
            continue
        if len(fields) != 2 or fields[1].endswith("|"):
            raise BadInput(f"{path}:{line}: expected an utterance and a plain path, no pipe")
        if fields[0] in listed:
            raise BadInput(f"{path}:{line}: utterance '{fields[0]}' occurs twice")
        listed[fields[0]] = fields[1]
    return listed


def kind(entry):
    """The one key of KINDS that an entry has."""
    if not isinstance(entry, dict) or len(kinds := KINDS.keys() & entry.keys()) != 1:
        raise BadInput(f"an anonymiser has exactly one of {', '.join(KINDS)}; this one is {entry}")
    return kinds.pop()


def protect(entry, utterances, *, seed, threads, scratch, minutes=None):
    """Run an anonymiser on utterances.

    Parameters
    ----------
    entry : dict
        The anonymiser's entry in the config.
    utterances : list of voiceprivacy.inout.tables.Utterance
    seed : int
    threads : int
        Processes of a function; what {threads} and OMP_NUM_THREADS are for a command.
    scratch : path
        An empty folder for what the anonymiser writes.
    minutes : float, optional
        After which a function or a command is ended, with all that it started.

    Returns
    -------
    dict : utterance id -> path; not checked yet, utterances can be missing

    Raises
    ------
    BadInput : the plug-in cannot be found, fails, or breaks its contract
    """
    of = kind(entry)
    scratch = Path(scratch).absolute()
    options = entry.get("options") or {}
    limits = {
        "threads": threads,
        "minutes": minutes,
        "writable": scratch if entry.get("sandbox") else None,
    }
    paths = KINDS[of](entry[of], utterances, options=options, seed=seed, scratch=scratch, **limits)
    owners = {}
    for utterance, path in paths.items():
        if (other := owners.setdefault(path.resolve(), utterance)) != utterance:
            raise BadInput(
                f"utterances '{other}' and '{utterance}' have the same protected file {path}"
            )
    return paths


def _function(name, utterances, *, options, seed, threads, minutes, writable, scratch):
    manifest, job = scratch / "input.tsv", scratch / "job.json"
    write_manifest(manifest, utterances)
    calls = {"function": name, "options": options, "seed": seed, "threads": threads}
    job.write_text(
        json.dumps(calls | {"manifest": str(manifest), "audio_dir": str(scratch)}), encoding="utf-8"
    )
    words = [sys.executable, "-P", "-m", call_function.__name__, str(job)]
    path = os.pathsep.join(filter(None, [str(SCRIPTS), os.environ.get("PYTHONPATH")]))
    try:
        limits = {"threads": 1, "minutes": minutes, "writable": writable}
        programs.run(words, name=f"function {name}", variables={"PYTHONPATH": path}, **limits)
    except BadInput:
        if (said := job.with_suffix(".error")).exists():
            raise BadInput(said.read_text(encoding="utf-8")) from None
        raise
    return {of.utterance: scratch / f"{of.utterance}.flac" for of in utterances}


def _command(command, utterances, *, options, seed, threads, minutes, writable, scratch):
    manifest, output, audio_dir = scratch / "input.tsv", scratch / "output.tsv", scratch / "audio"
    audio_dir.mkdir()
    write_manifest(manifest, utterances)
    words = command_words(command, options, threads=threads)
    contract = {
        "--manifest": manifest,
        "--seed": seed,
        "--audio-dir": audio_dir,
        "--output-manifest": output,
    }
    words += [str(word) for argument in contract.items() for word in argument]
    programs.run(
        words, name=f"command '{command}'", threads=threads, minutes=minutes, writable=writable
    )
    if not output.exists():
        raise BadInput(f"command '{command}' wrote no --output-manifest")
    with naming(f"what command '{command}' wrote"):
        made = read_manifest(output)
    return _asked_for(made, utterances, command)


def command_words(command, options, *, threads):
    """The words of a command; options become ``--name value``.

    A list gives several values, true the bare ``--name``, false and null nothing.
    """
    words = programs.words_of(command, threads=threads)
    for name, value in options.items():
        if value is None or value is False:
            continue
        values = [] if value is True else value if isinstance(value, list) else [value]
        words += [f"--{name}", *map(str, values)]
    return words


def _asked_for(made, utterances, command):
    asked = {utterance.utterance for utterance in utterances}
    for utterance in made:
        if utterance.utterance not in asked:
            raise BadInput(
                f"command '{command}' returned utterance '{utterance.utterance}', which nobody asked for"
            )
    return {utterance.utterance: utterance.path for utterance in made}


def _audio(folders, utterances, *, options, seed, threads, minutes, writable, scratch):
    return find_audio([folders] if isinstance(folders, str) else folders, utterances)


KINDS = {"function": _function, "command": _command, "audio": _audio}
