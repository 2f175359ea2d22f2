"""Speech that lies on disk or comes out of a pipe: referenced where it is as the corpus needs it, else converted."""

import contextlib
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy import audio, tables
from voiceprivacy.corpora import pipes
from voiceprivacy.files import BadInput

AUDIO = {".flac", ".wav"}
BATCH = 64
SILENT = 1e-3  # no sample beyond -60 dB of full scale, whatever their mean
SHORTEST_S, LONG_S = 0.025, 600  # one frame of any feature; longer than any utterance
FULL_SCALE, BEYOND = 0.999, 2
CLIPPED_RUN = 4  # samples in a row at full scale


class Inspection(NamedTuple):
    """What was found in a recording: its header, an error in words or None, oddities in words."""

    header: audio.Header | None
    error: str | None
    oddities: list


def provide_audio(utterances, *, audio_dir, sample_rate, threads):
    """Reference mono files of the right rate where they lie; convert others into audio_dir as 16-bit FLAC.

    Yields
    ------
    tables.Utterance : in the order of ``utterances``

    Raises
    ------
    BadInput : a file is missing, unreadable or empty
    """
    return in_threads(lambda utterance: _provide(utterance, Path(audio_dir), sample_rate), utterances, threads)


def inspect(recordings, *, samples, threads=2):
    """Yield the Inspection of every recording; ``samples``: read it whole, not its header alone."""
    return in_threads(lambda recording: _inspect(recording, samples), recordings, threads)


def in_threads(function, items, threads):
    """Yield function(item) in the order of the items; a bounded number of them is read ahead."""
    items, stopped = iter(items), threading.Event()

    def all_of(batch):
        return [function(item) for item in batch if not stopped.is_set()]

    with ThreadPoolExecutor(threads) as pool:
        waiting = []
        try:
            while True:
                while len(waiting) < 2 * threads and (batch := list(itertools.islice(items, BATCH))):
                    waiting.append(pool.submit(all_of, batch))
                if not waiting:
                    return
                yield from waiting[0].result()
                del waiting[0]
        except BaseException:  # Ctrl-C, SIGTERM, or nobody wants more: nothing is waited for
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(of.done() for of in waiting):  # a thread may be about to start another pipe
                pipes.end_running()
                time.sleep(0.05)
            raise


def is_clipped(samples):
    """Whether samples in [-1, 1] stay at full scale for some samples in a row: a recording that was too loud."""
    loud = np.flatnonzero(np.abs(samples) >= FULL_SCALE)
    last = CLIPPED_RUN - 1
    return bool(np.any(loud[last:] - loud[: len(loud) - last] == last)) if len(loud) > last else False


def _provide(utterance, audio_dir, sample_rate):
    if not isinstance(utterance.audio, pipes.Pipe):
        header = audio.header(utterance.audio)
        if (header.sample_rate, header.channels) == (sample_rate, 1):
            return tables.Utterance(*utterance[:3], utterance.audio, header.duration_s)
    with _as_file(utterance.audio) as file:
        samples, source_rate = audio.read(file)
    samples = audio.resample(samples, source_rate=source_rate, target_rate=sample_rate)
    path = audio_dir / f"{utterance.utterance}.flac"
    audio.write(path, samples, sample_rate)
    return tables.Utterance(*utterance[:3], path, len(samples) / sample_rate)


def _inspect(recording, samples):
    oddities = []
    try:
        with _as_file(recording) as file:
            header = audio.header(file)
            if header.duration_s < SHORTEST_S:
                raise BadInput(f"lasts {1000 * header.duration_s:.3g} ms: less than one frame of 25 ms")
            if header.duration_s > LONG_S:
                oddities.append(f"lasts {header.duration_s / 60:.0f} minutes: is it one utterance? 'segments' cuts it")
            if samples:
                oddities += _oddities(audio.read(file)[0])
    except pipes.Hangs:
        raise
    except BadInput as error:
        return Inspection(None, str(error).removeprefix(f"{recording}: "), [])
    return Inspection(header, None, oddities)


def _oddities(samples):
    offset = samples.mean(dtype=np.float64)
    if np.abs(samples - offset).max() < SILENT:
        constant = f" (a constant {offset:.3g})" if abs(offset) >= SILENT else ""
        yield f"is silent: no sample beyond {SILENT} of full scale{constant}"
    peak = np.abs(samples).max()
    if peak > BEYOND:
        yield f"has a peak of {peak:.3g} times full scale: was it written in another scale?"
    elif is_clipped(samples):
        yield f"is clipped: {CLIPPED_RUN} and more samples in a row at full scale"


def _as_file(recording):
    return pipes.output(recording) if isinstance(recording, pipes.Pipe) else contextlib.nullcontext(recording)
