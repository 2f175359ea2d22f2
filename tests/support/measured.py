"""Tables of utterances that a measure of utility has written; embeddings that it reads."""

from pathlib import Path

import numpy as np

from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import write_table

UTTERANCES = [Utterance(f"u{at}", f"s{at % 2}", "f", Path("-"), 1.0) for at in range(4)]


def measure(folder, anonymiser, name, **metrics):
    """Write DEMO/TRIAL/ANONYMISER/NAME.tsv with {metric: values of u0, u1, ...}; its path."""
    path = folder / "demo" / "trial" / anonymiser / f"{name}.tsv"
    rows = [(f"u{at}", one, value) for one, own in metrics.items() for at, value in enumerate(own)]
    write_table(path, ("utterance", "metric", "value"), rows)
    return path


def write_embedded(folder, numbers, systems, *, utterances):
    """Manifests and embeddings of "few", of {gender: speakers} and {system: how far apart}."""
    speakers = [(f"s{sex}{at}", sex) for sex, number in numbers.items() for at in range(number)]
    spoken = [one for one in speakers for _ in range(utterances)]
    draw, signs = np.random.default_rng(0), [1 if sex == "f" else -1 for _, sex in spoken]
    for part in ("enrolment", "trial"):
        ids = np.array([f"{who}-{part}{at % utterances}" for at, (who, _) in enumerate(spoken)])
        own = zip(ids.tolist(), spoken, strict=True)
        lines = [Utterance(name, *speaker, Path("u.wav"), 1.0) for name, speaker in own]
        write_manifest(folder / f"audio/few/{part}/original/manifest.tsv", lines)
        for system, apart in systems.items():
            values = draw.normal(size=(len(speakers), 4)).repeat(utterances, axis=0)
            values[:, 0] += apart * np.array(signs)
            path = folder / f"embeddings/few/{part}/{system}/net.npz"
            write_embeddings(path, Embeddings(ids, values.astype(np.float32)))
