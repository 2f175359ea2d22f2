"""Speech that lies on disk: referenced where it is already as the corpus needs it, else converted."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from voiceprivacy import audio, tables
from voiceprivacy.files import BadInput


def provide_audio(utterances, *, audio_dir, sample_rate, threads):
    """Reference mono files of the right rate where they lie; convert others into audio_dir as 16-bit FLAC.

    Yields
    ------
    tables.Utterance : in the order of ``utterances``

    Raises
    ------
    BadInput : a file is missing, unreadable or empty
    """
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(lambda utterance: _provide(utterance, Path(audio_dir), sample_rate), utterances)


def headers(paths, *, threads=4):
    """Yield the audio.Header of every file, or the BadInput that reading it raises."""
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(_header_or_error, paths)


def _header_or_error(path):
    try:
        return audio.header(path)
    except BadInput as error:
        return error


def _provide(utterance, audio_dir, sample_rate):
    header = audio.header(utterance.audio)
    if (header.sample_rate, header.channels) == (sample_rate, 1):
        return tables.Utterance(*utterance[:3], utterance.audio, header.duration_s)
    samples, source_rate = audio.read(utterance.audio)
    samples = audio.resample(samples, source_rate=source_rate, target_rate=sample_rate)
    path = audio_dir / f"{utterance.utterance}.flac"
    audio.write(path, samples, sample_rate)
    return tables.Utterance(*utterance[:3], path, len(samples) / sample_rate)
