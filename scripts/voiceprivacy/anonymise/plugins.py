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

from voiceprivacy import programs
from voiceprivacy.anonymise import functions
from voiceprivacy.anonymise.submissions import find_audio
from voiceprivacy.files import SCRIPTS, BadInput, naming
from voiceprivacy.tables import read_manifest, write_manifest


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
    utterances : list of voiceprivacy.tables.Utterance
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
    limits = {"threads": threads, "minutes": minutes, "writable": scratch if entry.get("sandbox") else None}
    paths = KINDS[of](entry[of], utterances, options=options, seed=seed, scratch=scratch, **limits)
    owners = {}
    for utterance, path in paths.items():
        if (other := owners.setdefault(path.resolve(), utterance)) != utterance:
            raise BadInput(f"utterances '{other}' and '{utterance}' have the same protected file {path}")
    return paths


def _function(name, utterances, *, options, seed, threads, minutes, writable, scratch):
    manifest, job = scratch / "input.tsv", scratch / "job.json"
    write_manifest(manifest, utterances)
    calls = {"function": name, "options": options, "seed": seed, "threads": threads}
    job.write_text(json.dumps(calls | {"manifest": str(manifest), "audio_dir": str(scratch)}), encoding="utf-8")
    words = [sys.executable, "-P", "-m", functions.__name__, str(job)]
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
    contract = {"--manifest": manifest, "--seed": seed, "--audio-dir": audio_dir, "--output-manifest": output}
    words += [str(word) for argument in contract.items() for word in argument]
    programs.run(words, name=f"command '{command}'", threads=threads, minutes=minutes, writable=writable)
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
            raise BadInput(f"command '{command}' returned utterance '{utterance.utterance}', which nobody asked for")
    return {utterance.utterance: utterance.path for utterance in made}


def _audio(folders, utterances, *, options, seed, threads, minutes, writable, scratch):
    return find_audio([folders] if isinstance(folders, str) else folders, utterances)


KINDS = {"function": _function, "command": _command, "audio": _audio}
