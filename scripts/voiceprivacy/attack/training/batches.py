"""Pieces of speech: what an extractor is trained on, and what it is validated on.

Conventions
-----------
* Samples are arrays (N,) float32.
* Training: in every epoch, as many random pieces of ``crop_s`` seconds are cut from an utterance as
  it is long, in a random order. Each has a random speed, and a speed makes a speaker of its own.
  Then it is heard in a random room and in random noise.
* For an encoder that listens to more (``encoder_s``), a second random piece of the same utterance
  and speed goes with each: that long, zeros behind what is shorter, in a room and noise of its own.
* Every draw depends on the seed, the epoch and the utterance's name: not on the manifest's order,
  on other utterances or on the number of loading processes.
* Validation: consecutive pieces of speakers who are held out of training. Pairs are of one gender.
  Pairs of pieces of one utterance are left out, unless no held-out speaker has two utterances. An
  utterance that was cut before (``segments``) is one. It fills more than half of a speaker's pieces
  only where there are too few others.
  Where pieces are too long for any pair (of speech that was cut, say), they are halved.

References
----------
Ko et al., Audio augmentation for speech recognition, Interspeech 2015 (speed).
Ko et al., A study on data augmentation of reverberant speech, ICASSP 2017.
Snyder et al., X-vectors, ICASSP 2018 (noise).
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

from voiceprivacy import seeds
from voiceprivacy.attack import Counts, Flags, Floats
from voiceprivacy.attack.held_out import eer_percent
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.ids import source_of
from voiceprivacy.inout.manifests import Utterance

DECAY_60_DB = 3 * np.log(10)  # exponent by which an amplitude falls 60 dB
EARLIEST_ECHO_S = 0.002
MOST_DIRECT_DB = 12  # how much less energy than the direct sound a room's tail has at most
VALIDATION_PIECES = 10  # of one speaker, at most
MOST_BEFORE_OTHERS = 5  # pieces of an utterance, before those of others are taken
SHORTEST_VALIDATED_S = 1.0  # in less there is hardly a voice


class Augmentation(NamedTuple):
    """What a recipe does to its pieces; a share is the probability that a piece gets it."""

    speeds: list[float]
    reverberation_s: list[float]
    reverberation_share: float
    snr_db: list[float]
    noise_share: float


class Draw(NamedTuple):
    """Which piece is meant: the epoch and the number of the piece among all."""

    epoch: int
    piece: int


class ValidationPiece(NamedTuple):
    """A piece of an utterance, from its sample ``start`` on."""

    utterance: Utterance
    start: int


class Pairs(NamedTuple):
    """Rows and columns (P,) that are compared, and whether they are of the same speaker (P,)."""

    rows: Counts
    columns: Counts
    same: Flags


def degraded(
    samples: Floats,
    augmentation: Augmentation,
    *,
    sample_rate: int,
    generator: np.random.Generator,
) -> Floats:
    """Samples (N,) in a random room and in random noise, each with its share's probability."""
    # The room comes first: noise reaches the microphone whatever the room does to the voice.
    if generator.random() < augmentation.reverberation_share:
        shortest, longest = augmentation.reverberation_s
        seconds = generator.uniform(shortest, longest)
        samples = reverberant(
            samples, seconds=seconds, sample_rate=sample_rate, generator=generator
        )
    if generator.random() < augmentation.noise_share:
        noise = coloured_noise(len(samples), tilt=generator.uniform(0, 2), generator=generator)
        lowest, highest = augmentation.snr_db
        samples = mixed(samples, noise, snr_db=generator.uniform(lowest, highest))
    return samples


def reverberant(
    samples: Floats, *, seconds: float, sample_rate: int, generator: np.random.Generator
) -> Floats:
    """Samples (N,) in a room with this reverberation time T60.

    The room's response is the direct sound and a tail of decaying noise, with 0 to 12 dB less
    energy than the direct sound.
    """
    time = np.arange(round(seconds * sample_rate)) / sample_rate
    tail = generator.standard_normal(len(time)) * np.exp(-DECAY_60_DB * time / seconds)
    tail[time < EARLIEST_ECHO_S] = 0  # the direct sound is the samples themselves
    ratio_db = generator.uniform(0, MOST_DIRECT_DB)
    tail *= 10 ** (-ratio_db / 20) / np.sqrt(np.sum(tail**2))
    # Padded to the full length of the convolution: nothing wraps around to the beginning.
    size = next_fast_len(len(samples) + len(tail), real=True)
    echo = irfft(rfft(samples, size) * rfft(tail.astype(np.float32), size), size)
    return samples + echo[: len(samples)].astype(np.float32)


def coloured_noise(length: int, *, tilt: float, generator: np.random.Generator) -> Floats:
    """Noise (length,) whose power falls with frequency to the power of ``tilt``.

    A tilt of 0 is white noise, 1 pink, 2 brown.
    """
    spectrum = rfft(generator.standard_normal(length, dtype=np.float32))
    frequencies = np.maximum(rfftfreq(length), 1 / length)  # the constant is not infinite
    amplitudes = (frequencies ** (-tilt / 2)).astype(np.float32)
    return irfft(spectrum * amplitudes, length).astype(np.float32)


def mixed(samples: Floats, noise: Floats, *, snr_db: float) -> Floats:
    """Samples (N,) with noise (N,) at this signal-to-noise ratio."""
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-snr_db / 20)
    noise_level = max(np.sqrt(np.mean(noise**2)), np.finfo(np.float32).tiny)
    return samples + noise * np.float32(level / noise_level)


class Pieces(torch.utils.data.Dataset):
    """Random pieces for training: Draw -> samples (crop,), number of the speaker at that speed.

    With ``encoder_s``, samples (encoder,) for the encoder come third.
    """

    def __init__(
        self,
        utterances: Sequence[Utterance],
        *,
        augmentation: Augmentation,
        crop_s: float,
        sample_rate: int,
        seed: int,
        encoder_s: float = 0.0,
    ) -> None:
        # Sorted: the order of the manifest changes nothing.
        self.utterances = sorted(utterances)
        names = sorted({utterance.speaker for utterance in utterances})
        self.speakers = {name: number for number, name in enumerate(names)}
        self.augmentation, self.seed = augmentation, seed
        self.crop_s, self.encoder_s, self.sample_rate = crop_s, encoder_s, sample_rate
        self.lengths = [n_samples(utterance, sample_rate) for utterance in self.utterances]
        counts = [max(1, int(length // (crop_s * sample_rate))) for length in self.lengths]
        self.of_piece = np.repeat(np.arange(len(counts)), counts)

    def __len__(self) -> int:
        return len(self.of_piece)

    def __getitem__(self, draw: Draw) -> tuple[Floats, int] | tuple[Floats, int, Floats]:
        epoch, piece = draw
        row = self.of_piece[piece]
        # Drawn by the piece's number within its utterance: other utterances change nothing.
        utterance, number = self.utterances[row], piece - np.searchsorted(self.of_piece, row)
        generator = seeds.generator(
            self.seed, "piece", utterance.utterance, str(epoch), str(number)
        )
        number_of_speed = int(generator.integers(len(self.augmentation.speeds)))
        speaker = number_of_speed * len(self.speakers) + self.speakers[utterance.speaker]
        speed = self.augmentation.speeds[number_of_speed]
        length = round(self.crop_s * self.sample_rate)
        samples = self._piece(row, speed, length, generator)
        samples = np.tile(samples, -(-length // len(samples)))[:length]  # a shorter one is repeated
        samples = self._degraded(samples, generator)
        if not self.encoder_s:
            return samples, speaker
        # Drawn last: the other piece is the same with and without it.
        length = round(self.encoder_s * self.sample_rate)
        heard = self._degraded(self._piece(row, speed, length, generator), generator)
        return samples, speaker, np.pad(heard, (0, length - len(heard)))

    def _piece(self, row, speed, length, generator):
        """Samples (length,) of a random piece, fewer of a shorter utterance."""
        heard = round(length * speed) + 1  # one more, against rounding in the resampling
        start = int(generator.integers(max(1, self.lengths[row] - heard + 1)))
        samples = audio.read_piece(self.utterances[row].path, start=start, length=heard)
        # Read as if it had been recorded at another rate, it is faster and higher.
        samples = audio.resample(samples, source_rate=round(100 * speed), target_rate=100)
        return samples[:length]

    def _degraded(self, samples, generator):
        return degraded(
            samples, self.augmentation, sample_rate=self.sample_rate, generator=generator
        )


class Batches(torch.utils.data.Sampler):
    """Lists of Draws in a new order for every ``epoch``, which whoever trains sets."""

    def __init__(self, n_pieces: int, *, batch_size: int, seed: int) -> None:
        self.n_pieces, self.seed, self.epoch = n_pieces, seed, 1
        self.n_batches = max(1, n_pieces // batch_size)

    def __len__(self) -> int:
        return self.n_batches

    def __iter__(self) -> Iterator[list[Draw]]:
        order = seeds.generator(self.seed, "order", str(self.epoch)).permutation(self.n_pieces)
        for batch in np.array_split(order, self.n_batches):
            yield [Draw(self.epoch, int(piece)) for piece in batch]


class ValidationSet(torch.utils.data.IterableDataset):
    """Batches of pieces of held-out speakers, in a fixed order, and which of them to compare.

    Attributes
    ----------
    pieces : list of ValidationPiece
    pairs : Pairs
    """

    def __init__(
        self, utterances: Sequence[Utterance], *, piece_s: float, sample_rate: int, batch_size: int
    ) -> None:
        while True:
            self.pieces = validation_pieces(utterances, piece_s=piece_s, sample_rate=sample_rate)
            try:
                self.pairs = validation_pairs(self.pieces)
                break
            except BadInput:
                piece_s /= 2
                if piece_s < SHORTEST_VALIDATED_S:
                    raise
        self.length = round(piece_s * sample_rate)
        self.batch_size = batch_size

    def __len__(self) -> int:
        return -(-len(self.pieces) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for first in range(0, len(self.pieces), self.batch_size):
            waves = [
                audio.read_piece(utterance.path, start=start, length=self.length)
                for utterance, start in self.pieces[first : first + self.batch_size]
            ]
            yield torch.from_numpy(np.stack(waves)), torch.zeros(len(waves))


def hold_out(
    utterances: Sequence[Utterance], *, speakers: int, seed: int
) -> tuple[list[Utterance], list[Utterance]]:
    """Split utterances into (training, held out), with this number of random speakers held out."""
    names = sorted({utterance.speaker for utterance in utterances})
    if len(names) < speakers + 2:
        besides = f" besides the {speakers} held out for validation: there are {len(names)}"
        raise BadInput(
            f"an extractor needs at least two training speakers{besides if speakers else ''}"
        )
    chosen = set(seeds.generator(seed, "held out").permutation(names)[:speakers].tolist())
    training = [utterance for utterance in utterances if utterance.speaker not in chosen]
    held_out = [utterance for utterance in utterances if utterance.speaker in chosen]
    return training, held_out


def validation_pieces(
    utterances: Sequence[Utterance], *, piece_s: float, sample_rate: int
) -> list[ValidationPiece]:
    """Consecutive pieces of every utterance, at most VALIDATION_PIECES of a speaker.

    Utterances that are shorter than a piece have none.
    """
    length = round(piece_s * sample_rate)
    pieces_of: dict[str, dict[str, list[ValidationPiece]]] = {}
    for utterance in sorted(utterances):
        recordings = pieces_of.setdefault(utterance.speaker, {})
        pieces = recordings.setdefault(source_of(utterance.utterance), [])
        for start in range(0, n_samples(utterance, sample_rate) - length + 1, length):
            pieces.append(ValidationPiece(utterance, start))
    kept = []
    for recordings in pieces_of.values():
        first = chain.from_iterable(pieces[:MOST_BEFORE_OTHERS] for pieces in recordings.values())
        rest = chain.from_iterable(pieces[MOST_BEFORE_OTHERS:] for pieces in recordings.values())
        kept += [*first, *rest][:VALIDATION_PIECES]
    return kept


def validation_pairs(pieces: Sequence[tuple[Utterance, int]]) -> Pairs:
    """Whom to compare.

    Raises
    ------
    BadInput : not a single pair of one speaker, or of two
    """
    heard = [utterance for utterance, _ in pieces]
    sources = np.array([source_of(utterance.utterance) for utterance in heard])
    speakers = np.array([utterance.speaker for utterance in heard])
    genders = np.array([utterance.gender for utterance in heard])
    rows, columns = np.triu_indices(len(pieces), 1)
    same = speakers[rows] == speakers[columns]
    # Across genders nearly all are told apart: the EER would say little.
    wanted = genders[rows] == genders[columns]
    # Pieces of one utterance share its room and its day.
    other_utterance = sources[rows] != sources[columns]
    if (same & other_utterance).any():
        wanted &= other_utterance
    if not (same & wanted).any() or not (~same & wanted).any():
        raise BadInput(
            "the speakers held out for validation give no pair of one speaker or none of two: "
            "hold out more"
        )
    return Pairs(rows[wanted], columns[wanted], same[wanted])


def cosine_eer_percent(embeddings: Floats, pairs: tuple[Counts, Counts, Flags]) -> float:
    """Equal error rate in % of cosine scores, see ``held_out``.

    Parameters
    ----------
    embeddings : array (N, D)
    pairs : Pairs, of rows of ``embeddings``
    """
    rows, columns, same = pairs
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return eer_percent((unit[rows] * unit[columns]).sum(axis=1), same)


def n_samples(utterance: Utterance, sample_rate: int) -> int:
    """Length of an utterance's audio; BadInput where it has another sample rate."""
    header = audio.header(utterance.path)
    if header.sample_rate != sample_rate:
        raise BadInput(
            f"{utterance.path}: has {header.sample_rate} Hz, the recipe is for {sample_rate} Hz"
        )
    return round(header.duration_s * sample_rate)
