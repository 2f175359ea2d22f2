"""Speech that lies on disk or comes out of a pipe: referenced where it is as the corpus needs it, else converted."""

import contextlib
import itertools
import math
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout import audio, tables
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.ids import piece_id
from voiceprivacy.running import programs

# Audio that a command writes to its output, as in Kaldi's ``sox in.flac -t wav - |``.
#
# A pipe is a command from a file that somebody else may have written: it runs only where the config says ``pipes: true``.

LIMIT_S = 300  # for one utterance
LIMIT_BYTES = 4 * 2**30  # the longest WAV
LIMITED = f"ulimit -f {LIMIT_BYTES // 512} 2>/dev/null\n"  # of files, in blocks of 512 bytes
RUNNING = set()  # of all threads, so that what interrupts this program ends them


class Hangs(BadInput):
    """A pipe that did not end: no bad recording, but a command that would keep the run waiting at every utterance."""


class Pipe(NamedTuple):
    """A shell command without its ``|``, and the folder that its relative paths start from."""

    command: str
    folder: Path

    def __str__(self):
        return f"{self.command} |"

    def words(self):
        """The words of the command, which may be paths."""
        with contextlib.suppress(ValueError):  # an open quote: the shell will say so
            return shlex.split(self.command)
        return []


@contextlib.contextmanager
def output(pipe):
    """Run a pipe and give the path of a temporary file with what it wrote.

    Raises
    ------
    BadInput : the command fails, or the block finds the audio wrong; the message names the command
    Hangs : it runs longer than LIMIT_S
    """
    with tempfile.TemporaryDirectory() as folder:
        path, said = Path(folder, "audio"), Path(folder, "said")
        status = _run(pipe, path, said)
        if status != 0:
            with open(said, "rb") as file:
                words = " ".join(file.read()[-2000:].decode(errors="replace").split())[-300:]
            how = (
                f"fails with exit code {status}"
                if status > 0
                else f"is killed by {signal.Signals(-status).name}"
            )
            raise BadInput(f"{pipe}: {how} ({words or 'it says nothing'})")
        try:
            yield path
        except BadInput as error:
            raise BadInput(str(error).replace(str(path), str(pipe))) from None


def end_running():
    """End the pipes that other threads wait for."""
    for process in list(RUNNING):
        programs.end_group(process)


def _run(pipe, path, said):
    with open(path, "wb") as audio, open(said, "wb") as errors:
        streams = {"stdin": subprocess.DEVNULL, "stdout": audio, "stderr": errors}
        where = {"cwd": pipe.folder, "start_new_session": True}
        process = subprocess.Popen(LIMITED + pipe.command, shell=True, **where, **streams)  # nosec B602  # pipes: true
    RUNNING.add(process)
    try:
        return process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Hangs(
            f"{pipe}: runs longer than {LIMIT_S} s and was ended: find out why, and run again"
        ) from None
    finally:
        RUNNING.discard(process)
        programs.end_group(process)


# Utterances cut into equal pieces: {seconds: 4}, or {seconds: [3, 5]} for the length that leaves least over.
#
# The pieces of u are u_seg000, u_seg001, ...: ids.source_of gives the utterance back, and pairs of the same source are
# never scored. An utterance that is shorter than a piece has none.


def pieces_of(n_samples, options, sample_rate):
    """How many pieces an utterance has and how long each of them is.

    Parameters
    ----------
    n_samples : int
    options : dict
        seconds: one number, or the shortest and the longest
    sample_rate : int, Hz

    Returns
    -------
    int, int : as few and as long pieces as possible, and the samples of each; 0 pieces of what is too short
    """
    shortest, longest = (round(of * sample_rate) for of in bounds_s(options))
    count = math.ceil(n_samples / longest)
    if n_samples < count * shortest:
        count = n_samples // shortest
    return count, min(n_samples // count, longest) if count else 0


def bounds_s(options):
    """The shortest and the longest piece, in seconds, of the option ``seconds`` (a number or two)."""
    seconds = options["seconds"]
    return tuple(seconds) if isinstance(seconds, list | tuple) else (seconds, seconds)


def cut(utterances, options, *, audio_dir, threads):
    """Cut utterances that are ready into pieces in audio_dir; what was converted or spoken for it is removed there.

    Parameters
    ----------
    utterances : iterable of tables.Utterance
    options : dict
        seconds: one number, or the shortest and the longest

    Yields
    ------
    list of tables.Utterance : the pieces of one utterance
    """
    audio_dir = Path(audio_dir)

    def pieces(utterance):
        samples, sample_rate = audio.read(utterance.path)
        made = list(_pieces(utterance, samples, sample_rate, options, audio_dir))
        if utterance.path.is_relative_to(audio_dir):
            utterance.path.unlink()
        return made

    yield from in_threads(pieces, utterances, threads)


def _pieces(utterance, samples, sample_rate, options, audio_dir):
    count, length = pieces_of(len(samples), options, sample_rate)
    for number in range(count):
        name = piece_id(utterance.utterance, number)
        path = audio_dir / f"{name}.flac"
        audio.write(path, samples[number * length : (number + 1) * length], sample_rate)
        yield utterance._replace(utterance=name, path=path, duration_s=length / sample_rate)


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
    return in_threads(
        lambda utterance: _provide(utterance, Path(audio_dir), sample_rate), utterances, threads
    )


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
                while len(waiting) < 2 * threads and (
                    batch := list(itertools.islice(items, BATCH))
                ):
                    waiting.append(pool.submit(all_of, batch))
                if not waiting:
                    return
                yield from waiting[0].result()
                del waiting[0]
        except BaseException:  # Ctrl-C, SIGTERM, or nobody wants more: nothing is waited for
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(
                of.done() for of in waiting
            ):  # a thread may be about to start another pipe
                end_running()
                time.sleep(0.05)
            raise


def is_clipped(samples):
    """Whether samples in [-1, 1] stay at full scale for some samples in a row: a recording that was too loud."""
    loud = np.flatnonzero(np.abs(samples) >= FULL_SCALE)
    last = CLIPPED_RUN - 1
    return (
        bool(np.any(loud[last:] - loud[: len(loud) - last] == last)) if len(loud) > last else False
    )


def _provide(utterance, audio_dir, sample_rate):
    if not isinstance(utterance.audio, Pipe):
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
                raise BadInput(
                    f"lasts {1000 * header.duration_s:.3g} ms: less than one frame of 25 ms"
                )
            if header.duration_s > LONG_S:
                oddities.append(
                    f"lasts {header.duration_s / 60:.0f} minutes: is it one utterance? 'segments' cuts it"
                )
            if samples:
                oddities += _oddities(audio.read(file)[0])
    except Hangs:
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
    return output(recording) if isinstance(recording, Pipe) else contextlib.nullcontext(recording)
