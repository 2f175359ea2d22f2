"""A plug-in function, called on every utterance of a manifest.

It runs as a program of its own (``python -m voiceprivacy.anonymise.call_function JOB.json``), so that a function that
hangs, prints without end or takes its process down does nothing worse than a command that does.
"""

import functools
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np
from tqdm import tqdm

from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput, ours
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.running import pools
from voiceprivacy.running.command import DEBUG, run


def call_all(*, function, options, seed, manifest, audio_dir, threads):
    """Protect the utterances of a manifest into audio_dir, in as many processes as threads."""
    load_function(function)
    call = functools.partial(
        call_function, name=function, options=options, seed=seed, audio_dir=Path(audio_dir)
    )
    utterances = read_manifest(manifest)
    processes = min(threads, len(utterances))
    if processes > 1:  # the processes are the parallel ones, not the libraries' threads in each
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    name = function.rpartition(":")[2]
    died = f"{name}: a process died without a message (out of memory?)"
    with pools.in_processes(call, utterances, processes=processes, if_killed=died) as results:
        for _ in tqdm(results, total=len(utterances), desc=name, unit="utterance", mininterval=1.0):
            pass


def call_function(utterance, *, name, options, seed, audio_dir):
    """Protect one utterance by a plug-in function and write <audio_dir>/<utterance>.flac.

    The function's ``seed`` is that of the run: it draws from (seed, utterance) or, for a voice that stays with its
    speaker, from (seed, speaker).
    """
    samples, sample_rate = audio.read(utterance.path)
    known = {"utterance": utterance.utterance, "speaker": utterance.speaker, "seed": seed}
    try:
        returned = load_function(name)(samples.copy(), sample_rate, **known, **options)
        protected = np.asarray(np.nan if returned is None else returned, dtype=np.float32)
    except Exception as error:
        raise BadInput(f"utterance '{utterance.utterance}': {name}: {_reason(error)}") from None
    if protected.ndim != 1 or not protected.size or not np.isfinite(protected).all():
        shape = f"shape {protected.shape}, finite: {np.isfinite(protected).all()}"
        found = "None (is a 'return' missing?)" if returned is None else shape
        raise BadInput(
            f"utterance '{utterance.utterance}': {name} must return finite samples (N,), not {found}"
        )
    audio.write(
        audio_dir / f"{utterance.utterance}.flac", audio.within_full_scale(protected), sample_rate
    )


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
        raise BadInput(f"{file}: cannot be imported: {_reason(error)}") from None
    if not callable(getattr(module, attribute, None)):
        raise BadInput(f"{file}: has no function '{attribute}'")
    return getattr(module, attribute)


def _reason(error):
    """What went wrong in somebody's code, in one line with its place."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    what = (str(error).splitlines() or [""])[0]
    places = [
        of
        for of in traceback.extract_tb(error.__traceback__)
        if not of.filename.startswith("<frozen")
    ]
    place = (
        ""
        if isinstance(error, SyntaxError)
        else f" ({Path(places[-1].filename).name}, line {places[-1].lineno})"
    )
    return f"{type(error).__name__}: {what}{place}"


def main():
    job = Path(sys.argv[1])
    try:
        call_all(**json.loads(job.read_text(encoding="utf-8")))
    except BadInput as error:  # for the process that started this one to say
        job.with_suffix(".error").write_text(str(error), encoding="utf-8")
        sys.exit(2)


if __name__ == "__main__":
    run(main)
