"""Protected speech as it can be given away: nothing but samples, under names that say nothing.

Conventions
-----------
* Names are drawn from the operating system's random numbers, not from a seed: nobody can draw them
  again. Only the key (a TSV that stays behind) says which file is which utterance.
* Files are 16-bit WAV with the 44 bytes of header that the format needs, written in the order of
  their names, with one and the same date. Durations, words and background remain as they are.
"""

import hashlib
import os
import secrets
import struct
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput, counted, whole_folder_or_absent
from voiceprivacy.inout.tables import Utterance, read_manifest, write_table
from voiceprivacy.running import pools
from voiceprivacy.vocabulary import ORIGINAL

KEY = ["published", "utterance", "speaker", "path"]
DATE = 946684800  # 1 January 2000, UTC
NAME_BYTES = 8


class PublishedFile(NamedTuple):
    """A file that can be given away, and whose it is."""

    name: str
    utterance: Utterance


def publish(
    manifests: Sequence[Path],
    audio_dir: Path,
    key: Path,
    *,
    originals: Sequence[Path] = (),
    threads: int = 1,
) -> list[PublishedFile]:
    """Write the speech of manifests without anything that says whose it is.

    Parameters
    ----------
    manifests : list of path
        Of protected speech.
    audio_dir : path
        Folder to write, whole or not at all; it must not be there.
    key : path
        TSV to write: published utterance speaker path, in the order of the manifests.
    originals : list of path
        Manifests of the speech that was protected; by default those of the run that the manifests
        are of.
    threads : int

    Raises
    ------
    BadInput : an utterance is its original, or has none to be compared with; the folder or the key
        is there already; the key lies in the folder
    """
    if audio_dir.exists():
        raise BadInput(f"{audio_dir}: is there already; name a folder that is not")
    if key.exists():
        why = "without it nobody can tell whose the files are that it names"
        raise BadInput(f"{key}: is there already, and {why}")
    if key.absolute().is_relative_to(audio_dir.absolute()):
        raise BadInput(f"{key}: lies in the folder that is given away; the key stays behind")
    utterances: list[Utterance] = []
    for manifest in manifests:
        utterances += read_manifest(manifest)
    # Beside the manifests of a run: CORPUS/PART/ANONYMISER/manifest.tsv.
    of_run = [path.absolute().parents[1] / ORIGINAL / "manifest.tsv" for path in manifests]
    _refuse_originals(utterances, originals or of_run, threads)
    published = list(map(PublishedFile, _draw_names(len(utterances)), utterances))
    with whole_folder_or_absent(audio_dir) as folder:

        def write(file: PublishedFile) -> None:
            samples, sample_rate = audio.read(file.utterance.path)
            path = folder / file.name
            path.write_bytes(wav_bytes(_steps(samples), sample_rate))
            path.chmod(0o644)  # whatever the umask is
            os.utime(path, (DATE, DATE))

        # In the order of their names, which are drawn: the order on the disk says nothing either.
        in_order = sorted(published, key=lambda file: file.name)
        with pools.in_threads(write, in_order, threads=threads) as written:
            list(written)
        os.utime(folder, (DATE, DATE))
        rows = []
        for name, utterance in published:
            path = Path(utterance.path).absolute()
            rows.append((name, utterance.utterance, utterance.speaker, path))
        # The key before the folder, which appears when the block ends: never speech without one.
        write_table(key, KEY, rows)
        key.chmod(0o600)
    return published


def wav_bytes(samples: NDArray[np.int16], sample_rate: int) -> bytes:
    """A mono 16-bit WAV file of samples (N,): the format's header, the samples, nothing else."""
    content = samples.astype("<i2").tobytes()
    # PCM, one channel, rate, bytes a second, bytes a sample, bits a sample
    form = struct.pack("<HHIIHH", 1, 1, sample_rate, 2 * sample_rate, 2, 16)
    chunks = b"WAVE" + _chunk(b"fmt ", form) + _chunk(b"data", content)
    return _chunk(b"RIFF", chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content


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
            f"{same[0].path}: is the original speech, or nearly (so are"
            f" {counted(len(same), 'file')} of {len(utterances)}): nothing was written"
        )


def _digest(path: Path) -> str:
    """What is the same for files of the same samples, as 16 bits."""
    samples, _ = audio.read(path)
    return hashlib.sha256(_steps(samples).tobytes()).hexdigest()


def _is_like(path: Path, original: Path) -> bool:
    (own, rate), (other, other_rate) = audio.read(path), audio.read(original)
    other = audio.resample(other, source_rate=other_rate, target_rate=rate)
    return bool(audio.likeness(own, other) > audio.NEARLY_THE_SAME)


def _draw_names(count: int) -> list[str]:
    # Drawn first, dealt out afterwards: their order says nothing of the order of the utterances.
    names: set[str] = set()
    while len(names) < count:
        names.add(f"{secrets.token_hex(NAME_BYTES)}.wav")
    return secrets.SystemRandom().sample(sorted(names), count)


def _steps(samples: NDArray) -> NDArray[np.int16]:
    """Samples in [-1, 1] as steps of 16 bits."""
    return np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
