"""How much two processes gain over one in embedding speech, beside two programs of their own.

Noise stands for speech: the network does the same work on it. Two programs at once that halve the
utterances between them are what the machine can do at most; whatever they miss of a factor of two,
its cores share (memory, clock).
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # one process is one thread, in the programs too
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import numpy as np

from voiceprivacy.inout import audio
from voiceprivacy.inout.tables import Utterance, write_manifest

N_UTTERANCES, SECONDS, N_FILES = 2400, 7.5, 20
MODEL = ROOT / "workflow" / "resources" / "ecapa_small"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        utterances = make_utterances(folder)
        one_utterance = embed(folder, {"few": utterances[:1]}, threads=1)
        one = embed(folder, {"all": utterances}, threads=1)
        two = embed(folder, {"all": utterances}, threads=2)
        apart = embed(folder, {"odd": utterances[1::2], "even": utterances[::2]}, threads=1)
    print(
        f"{N_UTTERANCES} utterances of {SECONDS:g} s: one process {one:.1f} s, two {two:.1f} s:"
        f" {one / two:.2f} times"
    )
    of_work = [seconds - one_utterance for seconds in (one, two, apart)]
    print(
        f"without the {one_utterance:.1f} s that one utterance takes (start-up):"
        f" {of_work[0] / of_work[1]:.2f} times; "
        f"two programs at once: {of_work[0] / of_work[2]:.2f} times"
    )


def make_utterances(folder):
    generator = np.random.default_rng(0)
    for index in range(N_FILES):
        samples = generator.normal(0, 0.05, round(SECONDS * 16000)).astype(np.float32)
        audio.write(folder / f"{index}.flac", samples, 16000)
    names = [f"u{index:05}" for index in range(N_UTTERANCES)]
    return [
        Utterance(name, "s", "f", folder / f"{index % N_FILES}.flac", SECONDS)
        for index, name in enumerate(names)
    ]


def embed(folder, parts, *, threads):
    """Seconds on the clock of extract_embeddings.py, one program for each part."""
    for name, utterances in parts.items():
        write_manifest(folder / f"{name}.tsv", utterances)
    start = time.perf_counter()
    programs = [
        subprocess.Popen(
            [
                *(sys.executable, ROOT / "scripts" / "extract_embeddings.py", "--model", MODEL),
                *("--manifest", folder / f"{name}.tsv", "--embeddings", folder / f"{name}.npz"),
                *("--threads", str(threads)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in parts
    ]
    codes = [program.wait() for program in programs]
    if any(codes):
        sys.exit("extract_embeddings.py failed")
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
