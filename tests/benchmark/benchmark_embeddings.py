"""What an embedding costs, and how much two processes gain over one, beside two programs.

The cost is processor time for a second of speech, and how many times that of the network's bare
forward pass it is.

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
import torch

from voiceprivacy.attack.extractors import networks, packages
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, write_manifest

N_UTTERANCES, SECONDS, N_FILES = 2400, 7.5, 24
REPEATED = 3
MODEL = ROOT / "workflow" / "resources" / "ecapa_small"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        utterances = make_utterances(folder)
        show_cost("ecapa_small", *cost_of_network(utterances[:N_FILES]))
        for package in ("resemblyzer", "campplus", "dvector"):
            try:
                show_cost(package, *cost_of_package(package, utterances[:N_FILES]))
            except BadInput as error:
                print(f"{package}: {error}")
        one_utterance = embed(folder, {"few": utterances[:1]}, threads=1)
        one = embed(folder, {"all": utterances}, threads=1)
        two = embed(folder, {"all": utterances}, threads=2)
        apart = embed(folder, {"odd": utterances[1::2], "even": utterances[::2]}, threads=1)
    print(f"{N_UTTERANCES} utterances of {SECONDS:g} s: one process {one:.1f} s, two {two:.1f} s")
    of_work = [seconds - one_utterance for seconds in (one, two, apart)]
    print(f"{one / two:.2f} times; without the {one_utterance:.1f} s that one utterance takes:")
    print(f"{of_work[0] / of_work[1]:.2f}; two programs at once: {of_work[0] / of_work[2]:.2f}")


def cost_of_network(utterances):
    """Processor seconds for a second of speech: (whole, bare forward pass)."""
    torch.set_num_threads(1)
    extractor = networks.Extractor(MODEL)
    samples = [extractor.samples_of(utterance) for utterance in utterances]
    whole = torch.ones(1)
    with torch.inference_mode():
        waves = [torch.from_numpy(wave)[None] for wave in samples]
        frames = [extractor.normalise(extractor.features(wave), whole) for wave in waves]

        def forward():
            for bands in frames:
                extractor.model(bands, whole)

        bare = processor_time(forward)
    return processor_time(lambda: list(map(extractor.embed_utterance, utterances))), bare


def cost_of_package(package, utterances):
    """The same of an encoder inside a package."""
    encoder = packages.ENCODERS[package]()
    n_samples = round(SECONDS * 16000)
    if package == "resemblyzer":
        n_partials = len(packages.partial_starts(n_samples))
        partials = torch.rand(n_partials, packages.PARTIAL, packages.N_MELS)

        def forward():
            with torch.inference_mode():
                encoder.network["lstm"](partials)
    elif package == "campplus":
        n_frames = 1 + (n_samples - 400) // packages.HOP

        def forward():
            with torch.inference_mode():
                encoder.network.network(torch.zeros(1, n_frames, 80))
    else:
        n_frames = 1 + (n_samples - packages.DVECTOR_FFT) // packages.HOP
        n_slices = 1 + (n_frames - packages.SLICE) // packages.SLICE_STEP
        slices = np.random.default_rng(0).random((n_slices, packages.SLICE, packages.N_MELS))

        def forward():
            encoder.session.run(None, {"mel_window": slices.astype(np.float32)})

    bare = processor_time(lambda: [forward() for _ in utterances])
    embed = packages.embed_utterance
    return processor_time(lambda: [embed(encoder, utterance) for utterance in utterances]), bare


def processor_time(call):
    """The least processor time of some calls, for a second of N_FILES utterances."""
    times = []
    for _ in range(REPEATED):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times) / (N_FILES * SECONDS)


def show_cost(name, whole, bare):
    print(f"{name}: {whole:.4f} s for a second of speech, {whole / bare:.2f} forward passes")


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
    command = [sys.executable, ROOT / "scripts" / "extract_embeddings.py", "--model", MODEL]
    command += ["--threads", str(threads)]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    programs = []
    for name in parts:
        files = ["--manifest", folder / f"{name}.tsv", "--embeddings", folder / f"{name}.npz"]
        programs.append(subprocess.Popen([*command, *files], **silent))
    codes = [program.wait() for program in programs]
    if any(codes):
        sys.exit("extract_embeddings.py failed")
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
