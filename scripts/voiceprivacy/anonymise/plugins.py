"""Other people's anonymisers: a Python function, a command in any language, or audio that is already protected.

Conventions
-----------
* An entry is a dict with exactly one of the keys ``function``, ``command`` and ``audio``, and perhaps ``options``.
* Every kind takes (what the entry says, utterances, *, options, seed, threads, scratch) and returns
  {utterance id: path of the protected file}; it may write below ``scratch`` only.
* Relative paths are relative to the working directory.
"""

import functools
import importlib.util
import os
import shlex
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np

from voiceprivacy import audio
from voiceprivacy.anonymise.parallel import in_processes
from voiceprivacy.anonymise.submissions import find_audio
from voiceprivacy.files import BadInput, ours
from voiceprivacy.tables import read_manifest, write_manifest


def kind(entry):
    """The one key of KINDS that an entry has."""
    if not isinstance(entry, dict) or len(kinds := KINDS.keys() & entry.keys()) != 1:
        raise BadInput(f"an anonymiser has exactly one of {', '.join(KINDS)}; this one is {entry}")
    return kinds.pop()


def protect(entry, utterances, *, seed, threads, scratch):
    """Run an anonymiser on utterances.

    Parameters
    ----------
    entry : dict
        The anonymiser's entry in the config.
    utterances : list of voiceprivacy.tables.Utterance
    seed : int
    threads : int
        Processes of a function; what {threads} and OMP_NUM_THREADS are for a command.
    scratch : path
        An empty folder for what the anonymiser writes.

    Returns
    -------
    dict : utterance id -> path; not checked yet, utterances can be missing

    Raises
    ------
    BadInput : the plug-in cannot be found, fails, or breaks its contract
    """
    of = kind(entry)
    options = entry.get("options") or {}
    paths = KINDS[of](entry[of], utterances, options=options, seed=seed, threads=threads, scratch=scratch)
    owners = {}
    for utterance, path in paths.items():
        if (other := owners.setdefault(path.resolve(), utterance)) != utterance:
            raise BadInput(f"utterances '{other}' and '{utterance}' have the same protected file {path}")
    return paths


def _function(name, utterances, *, options, seed, threads, scratch):
    load_function(name)
    call = functools.partial(call_function, name=name, options=options, seed=seed, audio_dir=scratch)
    return dict(in_processes(call, utterances, processes=threads, description=name.rpartition(":")[2]))


def call_function(utterance, *, name, options, seed, audio_dir):
    """Protect one utterance by a plug-in function and write <audio_dir>/<utterance>.flac.

    The function's ``seed`` is that of the run: it draws from (seed, utterance) or, for a voice that stays with its
    speaker, from (seed, speaker).

    Returns
    -------
    str, Path : utterance id and file
    """
    samples, sample_rate = audio.read(utterance.path)
    known = {"utterance": utterance.utterance, "speaker": utterance.speaker, "seed": seed}
    try:
        protected = load_function(name)(samples.copy(), sample_rate, **known, **options)
        protected = np.asarray(protected, dtype=np.float32)
    except Exception as error:
        traceback.print_exc()
        reason = (str(error).splitlines() or [""])[0]
        raise BadInput(f"utterance '{utterance.utterance}': {name}: {type(error).__name__}: {reason}") from None
    if protected.ndim != 1 or not protected.size or not np.isfinite(protected).all():
        shape = f"shape {protected.shape}, finite: {np.isfinite(protected).all()}"
        raise BadInput(f"utterance '{utterance.utterance}': {name} must return finite samples (N,), not {shape}")
    path = audio_dir / f"{utterance.utterance}.flac"
    audio.write(path, audio.within_full_scale(protected), sample_rate)
    return utterance.utterance, path


@functools.cache
def load_function(name):
    """Load "file.py:function"; the file can import its neighbours."""
    file, _, attribute = ours(name).rpartition(":")
    path = Path(file).absolute()
    if not file.endswith(".py") or not attribute:
        raise BadInput(f"function: '{name}' is not of the form file.py:name")
    if not path.is_file():
        raise BadInput(f"{file}: not found")
    sys.path.append(str(path.parent))
    specification = importlib.util.spec_from_file_location(f"plugin_{path.stem}", path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        traceback.print_exc()
        reason = (str(error).splitlines() or [""])[0]
        raise BadInput(f"{file}: cannot be imported: {type(error).__name__}: {reason}") from None
    if not callable(getattr(module, attribute, None)):
        raise BadInput(f"{file}: has no function '{attribute}'")
    return getattr(module, attribute)


def _command(command, utterances, *, options, seed, threads, scratch):
    manifest, output, audio_dir = scratch / "input.tsv", scratch / "output.tsv", scratch / "audio"
    audio_dir.mkdir()
    write_manifest(manifest, utterances)
    words = command_words(command, options, threads=threads)
    contract = {"--manifest": manifest, "--seed": seed, "--audio-dir": audio_dir, "--output-manifest": output}
    words += [str(word) for argument in contract.items() for word in argument]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    try:
        status = subprocess.run(words, stdin=subprocess.DEVNULL, env=environment, check=False).returncode
    except OSError as error:
        raise BadInput(f"command '{command}': {words[0]}: {error.strerror}") from None
    if status:
        raise BadInput(f"command '{command}' ended with exit code {status}; what it said stands above")
    if not output.exists():
        raise BadInput(f"command '{command}' wrote no --output-manifest")
    return _asked_for(read_manifest(output), utterances, command)


def command_words(command, options, *, threads):
    """Split a command as a shell would, without one.

    {scripts} and {resources} are our folders, {threads} the job's threads. Options become ``--name value``: a list
    gives several values, true the bare ``--name``, false and null nothing.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"command '{command}': {error}") from None
    if not words:
        raise BadInput("command: is empty")
    words = [ours(word).replace("{threads}", str(threads)) for word in words]
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
            raise BadInput(f"command '{command}' returned utterance '{utterance.utterance}', which nobody asked for")
    return {utterance.utterance: utterance.path for utterance in made}


def _audio(folders, utterances, *, options, seed, threads, scratch):
    return find_audio([folders] if isinstance(folders, str) else folders, utterances)


KINDS = {"function": _function, "command": _command, "audio": _audio}
