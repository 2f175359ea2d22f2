"""Pieces of speech: what an extractor is trained on, and what it is validated on.

Conventions
-----------
* Training: in every epoch, as many random pieces of ``crop_s`` seconds are cut from an utterance as it is long, at a
  random speed each (a speed makes a speaker of its own), in a random order.
* Every draw depends on the seed, the epoch and the utterance's name: not on the manifest's order, on other
  utterances or on the number of loading processes.
* Validation: consecutive pieces of speakers who are held out of training. Pairs are of one gender; pairs of pieces of
  one utterance are left out, unless no held-out speaker has two utterances.
"""

from typing import NamedTuple

import numpy as np
import torch
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.files import BadInput

# Speech as an extractor hears it in training: faster or slower, in a room, in noise.
#
# Conventions
# -----------
# Samples are arrays (N,) float32; every random draw comes from the generator that is handed in.
#
# References
# ----------
# Ko et al., Audio augmentation for speech recognition, Interspeech 2015 (speed). Ko et al., A study on data augmentation
# of reverberant speech, ICASSP 2017. Snyder et al., X-vectors, ICASSP 2018 (noise).

DECAY_60_DB = 3 * np.log(10)  # exponent by which an amplitude falls 60 dB
EARLIEST_ECHO_S = 0.002


class Augmentation(NamedTuple):
    """What a recipe does to its pieces of speech; a share is the probability that a piece gets it."""

    speeds: list
    reverberation_s: list
    reverberation_share: float
    snr_db: list
    noise_share: float


def degraded(samples, augmentation, *, sample_rate, generator):
    """Samples (N,) in a random room and in random noise, each with its share's probability."""
    if generator.random() < augmentation.reverberation_share:
        seconds = generator.uniform(*augmentation.reverberation_s)
        samples = reverberant(
            samples, seconds=seconds, sample_rate=sample_rate, generator=generator
        )
    if generator.random() < augmentation.noise_share:
        noise = coloured_noise(len(samples), tilt=generator.uniform(0, 2), generator=generator)
        samples = mixed(samples, noise, snr_db=generator.uniform(*augmentation.snr_db))
    return samples


def reverberant(samples, *, seconds, sample_rate, generator):
    """Samples (N,) in a room with this reverberation time T60: the direct sound and a tail of decaying noise.

    The tail has 0 to 12 dB less energy than the direct sound.
    """
    time = np.arange(round(seconds * sample_rate)) / sample_rate
    tail = generator.standard_normal(len(time)) * np.exp(-DECAY_60_DB * time / seconds)
    tail[time < EARLIEST_ECHO_S] = 0
    ratio_db = generator.uniform(0, 12)
    tail *= 10 ** (-ratio_db / 20) / np.sqrt(np.sum(tail**2))
    size = next_fast_len(len(samples) + len(tail), real=True)
    echo = irfft(rfft(samples, size) * rfft(tail.astype(np.float32), size), size)
    return samples + echo[: len(samples)].astype(np.float32)


def coloured_noise(length, *, tilt, generator):
    """Noise (length,) whose power falls with frequency to the power of ``tilt``: 0 white, 1 pink, 2 brown."""
    spectrum = rfft(generator.standard_normal(length, dtype=np.float32))
    frequencies = np.maximum(rfftfreq(length), 1 / length)
    return irfft(spectrum * (frequencies ** (-tilt / 2)).astype(np.float32), length).astype(
        np.float32
    )


def mixed(samples, noise, *, snr_db):
    """Samples (N,) with noise (N,) at this signal-to-noise ratio."""
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-snr_db / 20)
    return samples + noise * np.float32(
        level / max(np.sqrt(np.mean(noise**2)), np.finfo(np.float32).tiny)
    )


VALIDATION_PIECES = 10  # of one speaker, at most


class Pieces(torch.utils.data.Dataset):
    """Random pieces for training: (epoch, index) -> samples (crop,), number of the speaker at that speed."""

    def __init__(self, utterances, *, augmentation, crop_s, sample_rate, seed):
        self.utterances = sorted(utterances)
        self.speakers = {
            name: number for number, name in enumerate(sorted({of.speaker for of in utterances}))
        }
        self.augmentation, self.crop_s, self.sample_rate, self.seed = (
            augmentation,
            crop_s,
            sample_rate,
            seed,
        )
        self.lengths = [n_samples(of, sample_rate) for of in self.utterances]
        counts = [max(1, int(length // (crop_s * sample_rate))) for length in self.lengths]
        self.of_piece = np.repeat(np.arange(len(counts)), counts)

    def __len__(self):
        return len(self.of_piece)

    def __getitem__(self, piece):
        epoch, index = piece
        row = self.of_piece[index]
        utterance, number = self.utterances[row], index - np.searchsorted(self.of_piece, row)
        generator = seeds.generator(
            self.seed, "piece", utterance.utterance, str(epoch), str(number)
        )
        of_speed = int(generator.integers(len(self.augmentation.speeds)))
        samples = self._piece(row, self.augmentation.speeds[of_speed], generator)
        samples = degraded(
            samples, self.augmentation, sample_rate=self.sample_rate, generator=generator
        )
        return samples, of_speed * len(self.speakers) + self.speakers[utterance.speaker]

    def _piece(self, row, speed, generator):
        """Samples of a random piece; a shorter utterance is repeated."""
        length = round(self.crop_s * self.sample_rate)
        heard = round(length * speed) + 1
        start = int(generator.integers(max(1, self.lengths[row] - heard + 1)))
        samples = audio.read_piece(self.utterances[row].path, start=start, length=heard)
        samples = audio.resample(samples, source_rate=round(100 * speed), target_rate=100)
        return np.tile(samples, -(-length // len(samples)))[:length]


class Batches(torch.utils.data.Sampler):
    """Lists of (epoch, index) in a new order for every ``epoch``, which whoever trains sets."""

    def __init__(self, n_pieces, *, batch_size, seed):
        self.n_pieces, self.seed, self.epoch = n_pieces, seed, 1
        self.n_batches = max(1, n_pieces // batch_size)

    def __len__(self):
        return self.n_batches

    def __iter__(self):
        order = seeds.generator(self.seed, "order", str(self.epoch)).permutation(self.n_pieces)
        for batch in np.array_split(order, self.n_batches):
            yield [(self.epoch, int(index)) for index in batch]


def hold_out(utterances, *, speakers, seed):
    """Split utterances into (training, held out), with this number of random speakers held out."""
    names = sorted({of.speaker for of in utterances})
    if len(names) < max(2, speakers + 2):
        raise BadInput(
            "an extractor needs at least two training speakers"
            + (
                f" besides the {speakers} held out for validation: there are {len(names)}"
                if speakers
                else ""
            )
        )
    held_out = set(seeds.generator(seed, "held out").permutation(names)[:speakers].tolist())
    training = [of for of in utterances if of.speaker not in held_out]
    return training, [of for of in utterances if of.speaker in held_out]


def validation_pieces(utterances, *, piece_s, sample_rate):
    """Consecutive pieces of every utterance: [(utterance, first sample), ...]; shorter utterances have none."""
    length = round(piece_s * sample_rate)
    of_speaker = {}
    for utterance in sorted(utterances):
        found = of_speaker.setdefault(utterance.speaker, [])
        found += [
            (utterance, start)
            for start in range(0, n_samples(utterance, sample_rate) - length + 1, length)
        ]
    return [piece for found in of_speaker.values() for piece in found[:VALIDATION_PIECES]]


def validation_pairs(pieces):
    """Whom to compare: rows, columns and whether they are the same speaker, arrays (P,).

    Raises
    ------
    BadInput : not a single pair of one speaker, or of two
    """
    utterances, speakers, genders = (
        np.array([getattr(of, name) for of, _ in pieces])
        for name in ("utterance", "speaker", "gender")
    )
    rows, columns = np.triu_indices(len(pieces), 1)
    same = speakers[rows] == speakers[columns]
    wanted = genders[rows] == genders[columns]
    other_utterance = utterances[rows] != utterances[columns]
    if (same & other_utterance).any():
        wanted &= other_utterance
    if not (same & wanted).any() or not (~same & wanted).any():
        raise BadInput(
            "the speakers held out for validation give no pair of one speaker or none of two: hold out more"
        )
    return rows[wanted], columns[wanted], same[wanted]


def cosine_eer_percent(embeddings, pairs):
    """Equal error rate in % of cosine scores of embeddings (N, D): where misses and false alarms differ least."""
    rows, columns, same = pairs
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    order = np.argsort((unit[rows] * unit[columns]).sum(axis=1), kind="stable")
    misses = np.cumsum(same[order]) / same.sum()
    false_alarms = 1 - np.cumsum(~same[order]) / (~same).sum()
    threshold = np.argmin(np.abs(misses - false_alarms))
    return float(50 * (misses[threshold] + false_alarms[threshold]))


def n_samples(utterance, sample_rate):
    """Length of an utterance's audio; BadInput where it has another sample rate."""
    found = audio.header(utterance.path)
    if found.sample_rate != sample_rate:
        raise BadInput(
            f"{utterance.path}: has {found.sample_rate} Hz, the recipe is for {sample_rate} Hz"
        )
    return round(found.duration_s * sample_rate)
