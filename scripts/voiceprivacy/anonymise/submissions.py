"""Find speech that somebody else has anonymised already, in every layout the challenges have used."""

import os
from pathlib import Path

from voiceprivacy.files import BadInput, read_lines

ENDINGS = (".wav", ".flac")


def find_audio(folders, utterances):
    """Find the protected file of every utterance in some folders.

    For an utterance u: wav/u.wav, wav/u/u.wav, u.wav (each also .flac), its line of wav.scp (a plain path, relative to
    the folder or to the working directory), or the end of its original's path (speaker/chapter/u.flac); else the only
    u.wav or u.flac however deep below the folder (of speech that was resampled, the original's own path is not known).

    Parameters
    ----------
    folders : list of path
    utterances : list of voiceprivacy.tables.Utterance
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
        candidates = [path for folder in folders for path in _candidates(folder, listed[folder], utterance)]
        if file := _the_one(utterance.utterance, [path for path in candidates if os.path.isfile(path)]):
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
    parts = Path(os.path.abspath(original)).parts[1:]  # no "..", which would lead out of the folder to the original
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
