"""A plug-in function, called on every utterance of a manifest.

It runs as a program of its own (``python -m voiceprivacy.anonymise.call_function JOB.json``). So a
function that hangs, prints without end or takes its process down does nothing worse than a command.
"""

import functools
import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import voiceprivacy.inout.torch_imports  # noqa: F401  # so that plug-ins can import torchaudio
from voiceprivacy.anonymise import streams
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.running import entry_points, pools
from voiceprivacy.running.command import BAD_INPUT, DEBUG, run
from voiceprivacy.vocabulary import MCADAMS, SCRIPTS

PACKAGE = "package:"  # before the name of what a package offers
# What people return instead of samples.
NO_SAMPLES = {type(None): "None (is a 'return' missing?)", tuple: "a tuple (with the rate?)"}


def call_all(
    *,
    function: str,
    options: dict,
    seed: int,
    manifest: str,
    audio_dir: str,
    threads: int,
    streaming: dict | None = None,
) -> None:
    """Protect the utterances of a manifest into audio_dir, in as many processes as threads.

    ``streaming`` says how a stream is tried; only a stream has it.
    """
    loaded = load_function(function)  # a mistake in its file is told once, not by every process
    if streaming is not None and not streams.is_stream(loaded):
        raise BadInput(f"{function}: has 'streaming', and is no class with push and finish")
    chunks, utterances = streams.Chunks(**(streaming or {})), read_manifest(manifest)
    call = functools.partial(
        call_function,
        name=function,
        options=options,
        seed=seed,
        audio_dir=Path(audio_dir),
        chunks=chunks,
        tried={utterance.utterance for utterance in utterances[: streams.TRIED]},
    )
    processes = min(threads, len(utterances))
    name = function.rpartition(":")[2]
    died = f"{name}: a process died without a message (out of memory?)"
    with pools.in_processes(call, utterances, processes=processes, if_killed=died) as results:
        bar = tqdm(results, total=len(utterances), desc=name, unit="utterance", mininterval=1.0)
        latencies = [latency for latency in bar if latency is not None]
    streams.keep(latencies, Path(audio_dir))
    if function == MCADAMS:  # says what it drew, as its command does
        from voiceprivacy.anonymise.functions import mcadams

        draw = {name: value for name, value in options.items() if name != "variant"}
        alphas = mcadams.draw_alphas(utterances, seed=seed, **draw).tolist()
        mcadams.write_alphas(Path(audio_dir, "output.tsv"), utterances, alphas)


def call_function(
    utterance: Utterance,
    *,
    name: str,
    options: dict,
    seed: int,
    audio_dir: Path,
    chunks: streams.Chunks,
    tried: Set[str],
) -> float | None:
    """Protect one utterance by a plug-in function and write <audio_dir>/<utterance>.flac.

    The function's ``seed`` is that of the run: it draws from (seed, utterance) or, for a voice that
    stays with its speaker, from (seed, speaker). Samples of 16 bits (int16) are written as they
    are.

    Returns
    -------
    float or None : of a stream that was tried on this utterance, its latency in ms
    """
    samples, sample_rate = audio.read(utterance.path)
    # In every process: what a file defines cannot travel from one to another.
    function = load_function(name)
    given = {"utterance": utterance.utterance, "speaker": utterance.speaker, "seed": seed}
    is_stream, latency = streams.is_stream(function), None
    _refuse_signature(function, name, [*given, *options], is_stream=is_stream)
    try:
        if is_stream:
            make = functools.partial(function, sample_rate, **given, **options)
            if utterance.utterance in tried:
                latency = streams.latency_ms(make, samples, sample_rate, chunks)
            returned = streams.whole(make, samples)
        else:  # it may work in place: nothing reads them again
            returned = function(samples, sample_rate, **given, **options)
        instead = NO_SAMPLES.get(type(returned))
        # NaN is refused below, as all else that is no speech.
        protected = streams.samples_of(np.nan if instead else returned)
    except BadInput as error:
        raise BadInput(f"utterance '{utterance.utterance}': {name}: {error}") from None
    except Exception as error:
        raise BadInput(f"utterance '{utterance.utterance}': {name}: {_reason(error)}") from None
    is_speech = protected.ndim == 1 and protected.size > 0 and audio.are_finite(protected)
    if not is_speech:
        shape = f"shape {protected.shape}, finite: {np.isfinite(protected).all()}"
        raise BadInput(
            f"utterance '{utterance.utterance}': {name} must return finite samples (N,),"
            f" not {instead or shape}"
        )
    path = audio_dir / f"{utterance.utterance}.flac"
    steps = protected if protected.dtype == np.int16 else audio.within_full_scale(protected)
    audio.write(path, steps, sample_rate)
    return latency


def _refuse_signature(
    function: Callable[..., Any], name: str, names: list[str], *, is_stream: bool
) -> None:
    """Refuse a function that cannot be called with samples, their rate and these names.

    A stream gets its samples later.
    """
    first = ["sample_rate"] if is_stream else ["samples", "sample_rate"]
    try:
        signature = inspect.signature(function)
    except ValueError:  # some that are compiled do not tell
        return
    try:
        signature.bind(*first, **dict.fromkeys(names))
    except TypeError as error:
        call = f"({', '.join([*first, '*', *names])})"
        raise BadInput(f"{name}: {error}: it is called with {call}") from None


@functools.cache
def load_function(name: str) -> Callable[..., Any]:
    """Load "file.py:function", whose file can import its neighbours, or "package:name"."""
    if name.startswith(PACKAGE):
        return _load_package(name.removeprefix(PACKAGE))
    file, _, attribute = ours(name).rpartition(":")
    path = Path(file).absolute()
    if not file.endswith(".py") or not attribute:
        raise BadInput(f"function: '{name}' is not of the form file.py:name")
    if not path.is_file():
        raise BadInput(f"{file}: not found")
    sys.path.append(str(path.parent))  # last: its neighbours hide no package
    specification = importlib.util.spec_from_file_location(f"plugin_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise BadInput(f"{file}: cannot be imported")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module  # pickle and dataclasses look modules up there
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{file}: cannot be imported: {_reason(error)}") from None
    if not callable(getattr(module, attribute, None)):
        raise BadInput(f"{file}: has no function '{attribute}'")
    return getattr(module, attribute)


def _load_package(name: str) -> Callable[..., Any]:
    try:
        return entry_points.load(name)
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"{PACKAGE}{name}: cannot be imported: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What went wrong in somebody's code, in one line with file and line."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    message = (str(error).splitlines() or [""])[0]
    if isinstance(error, SyntaxError):  # its message names the line
        return f"{type(error).__name__}: {message}"
    traced = traceback.extract_tb(error.__traceback__)
    steps = [step for step in traced if not step.filename.startswith("<frozen")]
    # The line of a library says less than the one that called it.
    others = tuple(os.path.join(folder, "") for folder in (SCRIPTS, sys.prefix, sys.base_prefix))
    last = ([step for step in steps if not step.filename.startswith(others)] or steps)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    return f"{type(error).__name__}: {message} ({where})"


def main() -> None:
    """Do the job that the JSON file of the only argument describes."""
    job = Path(sys.argv[1])
    try:
        call_all(**json.loads(job.read_text(encoding="utf-8")))
    except BadInput as error:  # for the process that started this one to say
        job.with_suffix(".error").write_text(str(error), encoding="utf-8")
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    run(main)
