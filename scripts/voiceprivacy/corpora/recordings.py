"""Recordings that lie on disk or come out of a pipe: read, checked, converted, cut.

Conventions
-----------
* A WAV or FLAC that is mono, at the corpus's rate and in a usual scale is referenced where it lies.
  Any other is converted, at the gain that 16 bits need (audio.fitted).
* Channels are averaged, unless ``channel`` names one.
* A file that libsndfile does not read (m4a, videos) is decoded by ffmpeg (running/decoding.py).
* A cut is a stretch of a recording, as in Kaldi's ``segments``; it becomes a file of its own.
* A pipe is audio that a command writes to its output, as in Kaldi's ``sox in.flac -t wav - |``.
  Somebody else may have written that command: it runs only where the config says ``pipes: true``.
* Pieces are equal parts of an utterance: {seconds: 4}, or {seconds: [3, 5]} for the length between
  3 and 5 s that leaves least over. The pieces of u are u_seg000, u_seg001, ...: source_of (tables)
  gives the utterance back. An utterance that is shorter than a piece has none.
"""

import contextlib
import functools
import math
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.corpora import same_sound
from voiceprivacy.corpora.listing import Listed, Source, kind_of
from voiceprivacy.corpora.rows import Channel, Cut, Joined, Pipe, Recording, whole
from voiceprivacy.errors import BadInput, shown
from voiceprivacy.inout import audio, manifests
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.ids import piece_id
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.running import decoding, pools, processes, programs

LIMIT_S = 300  # for the pipe of one utterance
LIMIT_BYTES = 4 * 2**30  # the longest WAV
LIMITED = f"ulimit -f {LIMIT_BYTES // 512} 2>/dev/null\n"  # of files, in blocks of 512 bytes
RUNNING: set[subprocess.Popen] = set()  # of all threads, so that what interrupts us ends them
LAST_WORDS = 300  # characters of what a pipe said that an error repeats

THE_SAME = 0.97  # correlation of samples; of McAdams with a coefficient of 0.97 it is 0.95 at most
IS_SILENT = "is silent"
SHORTEST_S, LONG_S = 0.025, 600  # one frame of any feature; longer than any utterance
MANY, BATCH = 1000, 50  # recordings for which processes are started, and what one gets at a time
FULL_SCALE = 0.999
OFFSET = 0.01  # of the peak: a quarter of it already moves embeddings as another session does
CLIPPED_RUN = 4  # samples in a row at full scale


class Hangs(BadInput):
    """A pipe that did not end: it would keep the run waiting at every utterance."""


class Inspection(NamedTuple):
    """What was seen in a recording: its header, an error in words or None, oddities in words.

    ``sound`` is what the recording is recognised by, where its samples were read.
    """

    header: audio.Header | None
    error: str | None
    oddities: list[str]
    sound: same_sound.Print | None = None


def provide_audio(
    utterances: Iterable[Any], *, audio_dir: Path, sample_rate: int, threads: int
) -> Iterator[manifests.Utterance]:
    """Reference mono files of the right rate; convert others into audio_dir as 16-bit FLAC.

    Parameters
    ----------
    utterances : iterable of listing.Listed

    Yields
    ------
    manifests.Utterance : in the order of ``utterances``

    Raises
    ------
    BadInput : a file is missing, unreadable or empty
    """
    provide = functools.partial(_provide, audio_dir=audio_dir, sample_rate=sample_rate)
    return in_threads(provide, utterances, threads)


def provide_part(
    source: Source,
    utterances: Sequence[Listed],
    *,
    audio_dir: FilePath,
    sample_rate: int,
    threads: int,
) -> Iterator[list[Utterance]]:
    """Make audio available: mono, at the corpus's rate, cut into pieces where the source says so.

    Parameters
    ----------
    source : dict
    utterances : list of Listed
    audio_dir : path
        Where audio goes that has to be made, converted or cut, as 16-bit FLAC.

    Yields
    ------
    list of manifests.Utterance : an utterance, or its pieces, in the order of ``utterances``
    """
    kind, _ = kind_of(source)
    audio_dir = Path(audio_dir)
    provide = getattr(kind, "provide_audio", provide_audio)
    prepared = provide(utterances, audio_dir=audio_dir, sample_rate=sample_rate, threads=threads)
    if "segments" in source:  # whole utterances are prepared first, then cut
        return cut(prepared, source["segments"], audio_dir=audio_dir, threads=threads)
    return ([utterance] for utterance in prepared)


def inspect(
    recordings: Iterable[Recording], *, samples: bool, threads: int = 2
) -> Iterator[Inspection]:
    """Inspect every recording, in their order; ``samples``: read it whole, not its header alone.

    ``threads`` are processes where recordings are many and none is a pipe.

    Raises
    ------
    Hangs : a pipe does not end
    """
    listed = list(recordings)
    if len(listed) < MANY or any(isinstance(whole(recording), Pipe) for recording in listed):
        return in_threads(functools.partial(_inspect, samples=samples), listed, threads)
    return _inspect_many(listed, samples, threads)


def _inspect_many(recordings, samples, processes):
    """Inspect in processes: threads that open small files wait for each other."""
    batches = (recordings[start : start + BATCH] for start in range(0, len(recordings), BATCH))
    inspect_batch = functools.partial(_inspect_batch, samples=samples)
    with pools.in_processes(inspect_batch, batches, processes=processes) as inspected:
        for inspections in inspected:
            yield from inspections


def _inspect_batch(recordings, *, samples):
    return [_inspect(recording, samples=samples) for recording in recordings]


def in_threads(function: Callable, items: Iterable, threads: int) -> Iterator:
    """Yield function(item) in the order of the items; Ctrl-C ends pipes that threads wait for."""
    with pools.in_threads(function, items, threads=threads, interrupt=_end_running) as results:
        yield from results


def is_used_in_place(recording: Recording | None, sample_rate: int) -> bool:
    """Whether manifests can refer to a recording; any other is converted.

    Raises
    ------
    BadInput : it is missing, unreadable or empty
    """
    if not isinstance(recording, Path) or decoding.is_encoded(recording):
        return False
    header = audio.header(recording)
    if (header.sample_rate, header.channels) != (sample_rate, 1):
        return False
    if not audio.is_lossless(recording):
        return False
    return header.subtype == "PCM_16" or audio.fits(audio.read(recording)[0])


def _provide(utterance, *, audio_dir, sample_rate):
    name, speaker, gender = utterance.utterance, utterance.speaker, utterance.gender
    if is_used_in_place(utterance.audio, sample_rate):
        duration_s = audio.header(utterance.audio).duration_s
        return manifests.Utterance(name, speaker, gender, utterance.audio, duration_s)
    samples, source_rate = mono(utterance.audio)
    samples = audio.resample(samples, source_rate=source_rate, target_rate=sample_rate)
    path = audio_dir / f"{name}.flac"
    audio.write(path, audio.fitted(samples), sample_rate)
    return manifests.Utterance(name, speaker, gender, path, len(samples) / sample_rate)


def _inspect(recording, *, samples):
    oddities: list[str] = []
    sound = None
    try:
        with _as_file(recording) as file:
            heard, header = _mono(file, recording) if samples else (None, audio.header(file))
            if header.duration_s < SHORTEST_S:
                duration = f"{1000 * header.duration_s:.3g} ms"
                raise BadInput(f"lasts {duration}: less than one frame of 25 ms")
            if header.duration_s > LONG_S:
                duration = f"{header.duration_s / 60:.0f} minutes"
                oddities.append(f"lasts {duration}: is it one utterance? 'segments' cuts it")
            if header.channels > 1 and not isinstance(recording, Channel):
                averaged = f"has {header.channels} channels, which are averaged"
                oddities.append(f"{averaged} ('channel: 1' takes the first)")
            if heard is not None:
                oddities += _oddities(heard, header.subtype)
                sound = same_sound.print_of(heard, header.sample_rate)
    except Hangs:
        raise  # one pipe that hangs is enough: the others would take minutes each
    except BadInput as error:
        # A name that is too long is shortened in the message.
        reason = str(error).removeprefix(f"{recording}: ").removeprefix(shown(f"{recording}: "))
        return Inspection(None, reason, [])
    return Inspection(header, None, oddities, sound)


def mono(recording: Recording) -> tuple[audio.Samples, int]:
    """Read a recording: samples (N,) of the named channel, or of all averaged, and the rate."""
    with _as_file(recording) as file:
        samples, header = _mono(file, recording)
        return samples, header.sample_rate


def is_same_sound(one: Recording, other: Recording, *, least: float = THE_SAME) -> bool:
    """Whether a recording is another one in another container, at another rate or gain.

    ``least`` is the correlation of their samples.
    """
    (samples, rate), (others, other_rate) = mono(one), mono(other)
    others = audio.resample(others, source_rate=other_rate, target_rate=rate)
    return audio.likeness(samples, others) > least


def _mono(file, recording):
    """Samples (N,) of the named channel, or of all averaged, and the file's header."""
    channels, header = audio.read_channels(file, verify=True)
    if isinstance(recording, Channel):
        if recording.number > channels.shape[1]:
            raise BadInput(
                f"{recording}: has no channel {recording.number}, but {channels.shape[1]}"
            )
        return channels[:, recording.number - 1], header
    samples = audio.averaged(channels)
    if wrong := audio.cancelled(channels, samples):
        raise BadInput(f"{recording}: {wrong}: name one of them ('channel: 1')")
    return samples, header


def _oddities(samples, subtype):
    is_float = subtype in ("FLOAT", "DOUBLE")  # full scale means nothing to them
    offset = samples.mean(dtype=np.float64)  # of a poor sound card; no sound of its own
    high, low = samples.max(), samples.min()
    if max(high - offset, offset - low) < audio.silence(subtype):
        constant = f" (a constant {offset:.3g})" if abs(offset) >= audio.SILENT else ""
        yield f"{IS_SILENT}: no sample beyond {audio.SILENT} of full scale{constant}"
    elif abs(offset) > OFFSET * max(high, -low):
        said = f"has a constant offset of {offset:.2g} of full scale, which changes embeddings"
        yield f"{said}: a high-pass filter at 20 Hz removes it"
    peak = max(high, -low)
    if peak > 1:
        yield f"has a peak of {peak:.3g} times full scale: it is scaled down"
    elif is_float and audio.SILENT_FLOAT <= peak < audio.SILENT:
        yield f"has a peak of {peak:.3g} of full scale: it is scaled up"
    elif peak >= FULL_SCALE and is_clipped(samples):
        yield f"is clipped: {CLIPPED_RUN} and more samples in a row at full scale"


def is_clipped(samples: NDArray[np.floating]) -> bool:
    """Whether samples (N,) in [-1, 1] stay at full scale for some in a row: it was too loud."""
    loud = np.flatnonzero((samples >= FULL_SCALE) | (samples <= -FULL_SCALE))
    # Of every CLIPPED_RUN loud samples that follow each other, the first and the last.
    first, last = loud[: 1 - CLIPPED_RUN], loud[CLIPPED_RUN - 1 :]
    return bool(np.any(last - first == CLIPPED_RUN - 1))


def pieces_of(n_samples: int, options: dict[str, Any], sample_rate: int) -> tuple[int, int]:
    """How many pieces an utterance has and how long each of them is.

    Parameters
    ----------
    n_samples : int
    options : dict
        seconds: one number, or the shortest and the longest
    sample_rate : int, Hz

    Returns
    -------
    int, int : as few and as long pieces as possible, and the samples of each; 0 pieces of what is
        too short
    """
    shortest_s, longest_s = bounds_s(options)
    shortest, longest = round(shortest_s * sample_rate), round(longest_s * sample_rate)
    count = math.ceil(n_samples / longest)
    if n_samples < count * shortest:  # so many would be too short: fewer, and a rest left over
        count = n_samples // shortest
    return count, min(n_samples // count, longest) if count else 0


def bounds_s(options: dict[str, Any]) -> tuple[float, float]:
    """The shortest and the longest piece in seconds: ``seconds`` is one number or two."""
    seconds = options["seconds"]
    if isinstance(seconds, list | tuple):
        shortest, longest = seconds
        return shortest, longest
    return seconds, seconds


def cut(
    utterances: Iterable[manifests.Utterance],
    options: dict[str, Any],
    *,
    audio_dir: Path,
    threads: int,
) -> Iterator[list[manifests.Utterance]]:
    """Cut utterances that are ready into pieces in audio_dir.

    What was converted or spoken only to be cut is removed there.

    Parameters
    ----------
    utterances : iterable of manifests.Utterance
    options : dict
        seconds: one number, or the shortest and the longest

    Yields
    ------
    list of manifests.Utterance : the pieces of one utterance
    """
    return in_threads(
        functools.partial(_cut, options=options, audio_dir=audio_dir), utterances, threads
    )


def _cut(utterance, *, options, audio_dir):
    samples, sample_rate = audio.read(utterance.path)
    count, length = pieces_of(len(samples), options, sample_rate)
    pieces = []
    for number in range(count):
        name = piece_id(utterance.utterance, number)
        path = audio_dir / f"{name}.flac"
        audio.write(path, samples[number * length : (number + 1) * length], sample_rate)
        piece = utterance._replace(utterance=name, path=path, duration_s=length / sample_rate)
        pieces.append(piece)
    if utterance.path.is_relative_to(audio_dir):  # ours, not a person's recording
        utterance.path.unlink()
    return pieces


def _as_file(recording: Recording) -> AbstractContextManager[Path]:
    if isinstance(recording, Channel):
        return _as_file(recording.recording)
    if isinstance(recording, Cut | Joined):
        return _cut_out(recording)
    if isinstance(recording, Pipe):
        return output(recording)
    if decoding.is_encoded(recording):
        return decoding.decoded(recording)
    return contextlib.nullcontext(recording)


@contextlib.contextmanager
def _cut_out(cut: Cut | Joined) -> Iterator[Path]:
    """A temporary file that holds a cut, or several joined, at the recording's rate."""
    with _as_file(cut.recording) as file, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cut.wav")
        stretches = cut.stretches if isinstance(cut, Joined) else (cut[1:],)
        audio.write_stretches(file, path, stretches)
        try:
            yield path
        except BadInput as error:
            raise BadInput(str(error).replace(str(path), str(cut))) from None


def missing_program(pipe: Pipe) -> str | None:
    """The program with which a pipe begins, if a shell does not find it; nothing is run."""
    program = (pipe.words() or [""])[0]
    if re.fullmatch(r"[\w.+/-]+", program) and not _is_known(program, pipe.folder):
        return program
    return None


@functools.cache
def _is_known(program: str, folder: Path) -> bool:
    question = ["sh", "-c", 'command -v "$1"', "sh", program]
    return not subprocess.run(question, cwd=folder, capture_output=True).returncode


@contextlib.contextmanager
def output(pipe: Pipe) -> Iterator[Path]:
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
            how = f"fails with exit code {status}"
            if status < 0:
                how = f"is killed by {signal.Signals(-status).name}"
            raise BadInput(f"{pipe}: {how} ({_last_words(said) or 'it says nothing'})")
        try:
            yield path
        except BadInput as error:
            raise BadInput(str(error).replace(str(path), str(pipe))) from None


def _last_words(path):
    end = path.read_bytes()[-2000:]
    return " ".join(end.decode(errors="replace").split())[-LAST_WORDS:]


def _run(pipe, path, said):
    with processes.ending_all(), open(path, "wb") as output_file, open(said, "wb") as errors:
        process = subprocess.Popen(  # noqa: S602  # only with pipes: true
            LIMITED + pipe.command,  # the shell is wanted: a pipe may have several programs
            shell=True,
            cwd=pipe.folder,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=output_file,
            stderr=errors,
        )
        RUNNING.add(process)
        try:
            return process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            late = f"runs longer than {LIMIT_S} s and was ended: find out why, and run again"
            raise Hangs(f"{pipe}: {late}") from None
        finally:
            RUNNING.discard(process)
            programs.end_group(process)


def _end_running():
    """End the pipes that other threads wait for."""
    for process in list(RUNNING):
        programs.end_group(process)
