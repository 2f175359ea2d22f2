"""Protected speech as it can be given away: nothing but samples, under names that say nothing.

Conventions
-----------
* Names are drawn from the operating system's random numbers, not from a seed: nobody can draw them again. Only the key
  (a TSV that stays behind) says which file is which utterance.
* Files are 16-bit WAV with the 44 bytes of header that the format needs, written in the order of their names, with one
  and the same date. Durations, words and background remain as they are.
"""

import os
import secrets
import struct
from pathlib import Path

import numpy as np

from voiceprivacy.corpora.recordings import in_threads
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput, whole_folder_or_absent
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.vocabulary import ORIGINAL

KEY = ["published", "utterance", "speaker", "path"]
DATE = 946684800  # 1 January 2000, UTC
NAME_BYTES = 8


def publish(manifests, audio_dir, key, *, threads=1):
    """Write the speech of manifests without anything that says whose it is.

    Parameters
    ----------
    manifests : list of path
        Of protected speech.
    audio_dir : path
        Folder to write, whole or not at all; it must not be there.
    key : path
        TSV to write: published utterance speaker path, in the order of the manifests.
    threads : int

    Returns
    -------
    list of (published name, voiceprivacy.inout.tables.Utterance)

    Raises
    ------
    BadInput : a manifest of original speech; the folder or the key is there already; the key lies in the folder
    """
    audio_dir, key = Path(audio_dir), Path(key)
    _refuse(manifests, audio_dir, key)
    utterances = [of for manifest in manifests for of in read_manifest(manifest)]
    names = _draw_names(len(utterances))
    published = list(zip(names, utterances, strict=True))
    with whole_folder_or_absent(audio_dir) as folder:
        by_name = sorted(published, key=lambda of: of[0])
        for _ in in_threads(lambda of: _publish(folder / of[0], of[1].path), by_name, threads):
            pass
        os.utime(folder, (DATE, DATE))
        rows = [
            (name, of.utterance, of.speaker, Path(of.path).absolute()) for name, of in published
        ]
        write_table(key, KEY, rows)
        key.chmod(0o600)
    return published


def wav_bytes(samples, sample_rate):
    """The bytes of a mono 16-bit WAV file of samples (N,) int16: the format's header, the samples, nothing else."""
    content = samples.astype("<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, 1, sample_rate, 2 * sample_rate, 2, 16)
    chunks = (
        b"fmt "
        + struct.pack("<I", len(form))
        + form
        + b"data"
        + struct.pack("<I", len(content))
        + content
    )
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def _refuse(manifests, audio_dir, key):
    for manifest in manifests:
        if Path(manifest).absolute().parent.name == ORIGINAL:
            raise BadInput(
                f"{manifest}: is the manifest of the original speech, which nobody protected"
            )
    if audio_dir.exists():
        raise BadInput(f"{audio_dir}: is there already; name a folder that is not")
    if key.exists():
        raise BadInput(
            f"{key}: is there already, and without it what it is the key of cannot be read any more"
        )
    if key.absolute().is_relative_to(audio_dir.absolute()):
        raise BadInput(f"{key}: lies in the folder that is given away; the key stays behind")


def _draw_names(count):
    names = set()
    while len(names) < count:
        names.add(f"{secrets.token_hex(NAME_BYTES)}.wav")
    return secrets.SystemRandom().sample(sorted(names), count)


def _publish(path, source):
    samples, sample_rate = audio.read(source)
    samples = np.clip(np.rint(samples * 32768.0), -32768, 32767)
    path.write_bytes(wav_bytes(samples.astype(np.int16), sample_rate))
    path.chmod(0o644)
    os.utime(path, (DATE, DATE))
