"""Utterances cut into equal pieces: {seconds: 4}, or {seconds: [3, 5]} for the length that leaves least over.

The pieces of u are u_seg000, u_seg001, ...: ids.source_of gives the utterance back, and pairs of the same source are
never scored. An utterance that is shorter than a piece has none.
"""

import math
from pathlib import Path

from voiceprivacy import audio
from voiceprivacy.corpora.recordings import in_threads
from voiceprivacy.ids import piece_id


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
