"""Protected speech as it can be given away: nothing but samples, under names that say nothing.

Conventions
-----------
* Names are drawn from the operating system's random numbers, not from a seed: nobody can draw them
  again. Only the key (a TSV that stays behind) says which file is which utterance.
* Files are 16-bit WAV with the 44 bytes of header that the format needs, written in the order of
  their names, with one and the same date. Durations, words and background remain as they are.
* An original that was filtered, cut in level, turned round in sign or played backwards keeps its
  levels in narrow bands over time, up to a constant in each band. McAdams moves formants from band
  to band. In 38 recordings of LibriSpeech nearly the worst of 16 bands correlated at least 0.98 for
  such originals, and at most 0.96 for McAdams with 0.9 and 0.77 with 0.8. Other speeds and noise
  are not found.
"""

import hashlib
import os
import secrets
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.writing import whole_folder_or_absent
from voiceprivacy.running import pools
from voiceprivacy.vocabulary import ORIGINAL

KEY = ["published", "utterance", "speaker", "path"]
DATE = 946684800  # 1 January 2000, UTC
NAME_BYTES = 8
BANDS_HZ = np.linspace(400, 3200, 17)  # what a telephone leaves, too
WINDOW_S, HOP_S, DEPTH = 0.064, 0.008, np.log(1000)  # of a band below its loudest moment
BLOCK = 10_000  # frames
LEAST_S = 0.5  # less speech has no course
WORST, SAME_COURSE = 0.1, 0.97  # quantile of bands, and correlation of levels over time


Published = list[tuple[str, Utterance]]  # names of files that can be given away, and whose they are


def publish(
    manifests: Sequence[Path],
    audio_dir: Path,
    key: Path,
    *,
    originals: Sequence[Path] = (),
    threads: int = 1,
) -> Published:
    """Write the speech of manifests without anything that says whose it is.

    BadInput where an utterance is its original, or has none to be compared with.

    Parameters
    ----------
    manifests : of protected speech
    audio_dir : folder to write, whole or not at all; it must not be there
    key : TSV to write: published utterance speaker path, in the order of the manifests
    originals : manifests of the speech that was protected; by default those of the run
    """
    if audio_dir.exists():
        raise BadInput(f"{audio_dir}: is there already; name a folder that is not")
    if key.exists():
        why = "without it the owners of the files in it are unknown"
        raise BadInput(f"{key}: is there already, and {why}")
    if key.resolve().is_relative_to(audio_dir.resolve()):
        raise BadInput(f"{key}: lies in the folder that is given away; the key stays behind")
    utterances: list[Utterance] = []
    for manifest in manifests:
        utterances += read_manifest(manifest)
    # Beside the manifests of a run: CORPUS/PART/ANONYMISER/manifest.tsv.
    of_run = [path.absolute().parents[1] / ORIGINAL / "manifest.tsv" for path in manifests]
    _refuse_originals(utterances, originals or of_run, threads)
    published = list(zip(_draw_names(len(utterances)), utterances, strict=True))
    with whole_folder_or_absent(audio_dir) as folder:

        def write(file: tuple[str, Utterance]) -> None:
            name, utterance = file
            path = folder / name
            audio.write(path, *_read(utterance.path))
            path.chmod(0o644)  # whatever the umask is
            os.utime(path, (DATE, DATE))

        # In the order of their names, which are drawn: the order on the disk says nothing either.
        in_order = sorted(published)
        with pools.in_threads(write, in_order, threads=threads) as written:
            list(written)
        os.utime(folder, (DATE, DATE))
        rows = []
        for name, utterance in published:
            path = Path(utterance.path).absolute()
            rows.append((name, utterance.utterance, utterance.speaker, path))
        # The key before the folder, which appears when the block ends: never speech without one.
        mask = os.umask(0o077)  # from its first byte on, nobody else may read it
        try:
            write_table(key, KEY, rows)
        finally:
            os.umask(mask)
    return published


def telling_names(published: Published) -> list[Utterance]:
    """The utterances whose names say who speaks, or the sex: as new-run reads names."""
    return [one for _, one in published if one.shown_by_name]


def _refuse_originals(utterances: list[Utterance], manifests: Sequence[Path], threads: int) -> None:
    """Refuse speech that nobody protected, whatever its folder is called."""
    for manifest in manifests:
        if not manifest.exists():
            why = "name the manifest of the original speech (--original), to be compared with"
            raise BadInput(f"{manifest}: not found: {why}")
    originals: dict[str, list[Path]] = {}  # parts may share ids
    for manifest in manifests:
        for line in read_manifest(manifest):
            originals.setdefault(line.utterance, []).append(line.path)
    for line in utterances:
        if line.utterance not in originals:
            listed = ", ".join(map(str, manifests))
            raise BadInput(f"utterance '{line.utterance}': has no original in {listed}")
    with pools.in_threads(_digest, list(chain(*originals.values())), threads=threads) as digests:
        known = set(digests)

    def is_original(line: Utterance) -> bool:
        candidates = originals[line.utterance]
        return _digest(line.path) in known or any(_is_like(line.path, one) for one in candidates)

    with pools.in_threads(is_original, utterances, threads=threads) as compared:
        same = [line for line, is_same in zip(utterances, compared, strict=True) if is_same]
    if same:
        raise BadInput(
            f"{same[0].path}: is the original speech, or nearly"
            f" ({counted(len(same), 'file')} of {len(utterances)}): nothing was written."
            " Filters and reversal were looked for; other speeds and noise are not found"
        )


def _digest(path: Path) -> str:
    """What is the same for files of the same samples, as 16 bits."""
    samples, _ = _read(path)
    return hashlib.sha256(audio.steps_of(samples).tobytes()).hexdigest()


def _read(path: Path) -> tuple[audio.Samples, int]:
    """Samples (N,) within full scale, and their rate."""
    samples, sample_rate = audio.read(path)
    return audio.within_full_scale(samples), sample_rate


def _is_like(path: Path, original: Path) -> bool:
    (own, rate), (other, other_rate) = audio.read(path), audio.read(original)
    other = audio.resample(other, source_rate=other_rate, target_rate=rate)
    return bool(audio.likeness(own, other) > audio.NEARLY_THE_SAME) or _is_filtered(
        own, other, rate
    )


def _is_filtered(own: NDArray, other: NDArray, rate: int) -> bool:
    """Whether every band of a recording (N,) has the course of another one's, or its reverse."""
    if min(len(own), len(other)) < LEAST_S * rate or rate < 2 * BANDS_HZ[-1]:
        return False
    mine, theirs = _courses(own, rate), _courses(other, rate)
    return any(_worst_band(mine, one) > SAME_COURSE for one in (theirs, theirs[:, ::-1]))


def _courses(samples: NDArray, rate: int) -> NDArray:
    """Levels of bands over time (bands, frames), without what all share and what each keeps."""
    window, hop = round(WINDOW_S * rate), round(HOP_S * rate)
    frames = np.lib.stride_tricks.sliding_window_view(samples, window)[::hop]
    edges = np.round(BANDS_HZ * window / rate).astype(int)
    blocks = []
    for start in range(0, len(frames), BLOCK):
        spectra = np.fft.rfft(frames[start : start + BLOCK] * np.hanning(window), axis=1)
        power = np.abs(spectra[:, : edges[-1]]) ** 2
        blocks.append(np.add.reduceat(power, edges[:-1], axis=1))
    levels = np.log(np.concatenate(blocks).T + np.finfo(float).tiny)
    levels = np.maximum(levels, levels.max(axis=1, keepdims=True) - DEPTH)
    levels -= levels.mean(axis=0)
    return levels - levels.mean(axis=1, keepdims=True)


def _worst_band(mine: NDArray, theirs: NDArray) -> float:
    """Correlation of nearly the worst band, at the delay at which all together are most alike."""
    length = 2 ** (mine.shape[1] + theirs.shape[1]).bit_length()  # as audio.likeness does
    products = np.fft.rfft(mine, length) * np.fft.rfft(theirs, length).conj()
    alike = np.fft.irfft(products, length)
    energies = np.sqrt((mine**2).sum(axis=1) * (theirs**2).sum(axis=1))
    bands = alike[:, alike.sum(axis=0).argmax()] / np.maximum(energies, np.finfo(float).tiny)
    return float(np.quantile(bands, WORST))


def _draw_names(count: int) -> list[str]:
    # Drawn first, dealt out afterwards: their order says nothing of the order of the utterances.
    names: set[str] = set()
    while len(names) < count:
        names.add(f"{secrets.token_hex(NAME_BYTES)}.wav")
    return secrets.SystemRandom().sample(sorted(names), count)
