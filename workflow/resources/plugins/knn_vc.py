"""A function plug-in: kNN-VC (Baas et al., Interspeech 2023) with a voice drawn for each speaker.

Not run here: the project has neither its weights nor a GPU. It was tried with a stand-in that has
the same calls. docs/guide/neural.md says what to download and what to compare with.
"""

import functools
import hashlib
from pathlib import Path

import torch

COMMIT = "4ede001228e1a73954a5b091dd4fe3fe8b56ac21"  # of github.com/bshall/knn-vc
SAMPLE_RATE = 16000


def anonymise(
    samples, sample_rate, *, utterance, speaker, seed, references, repository=None, topk=4
):
    """Speak with the voice of one of the folders in ``references``, which hold WAVs at 16 kHz.

    ``repository`` is a clone; without it torch.hub downloads the commit above and the weights.
    """
    if sample_rate != SAMPLE_RATE:
        raise ValueError(f"kNN-VC is for {SAMPLE_RATE} Hz, not {sample_rate}")
    folders = sorted(path for path in Path(references).iterdir() if path.is_dir())
    digest = hashlib.sha256(f"{seed} {speaker}".encode()).digest()
    folder = folders[int.from_bytes(digest[:8], "big") % len(folders)]
    model, voice = load(repository), matching_set(repository, folder)
    query = model.get_features(torch.from_numpy(samples)[None])
    return model.match(query, voice, topk=topk).cpu().numpy()


@functools.cache
def load(repository):
    """The model of a clone or of the hub; one a process."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    options = {"prematched": True, "trust_repo": True, "pretrained": True, "device": device}
    if repository:
        return torch.hub.load(repository, "knn_vc", source="local", **options)
    # A commit is no branch or tag, which is all that torch.hub would accept.
    return torch.hub.load(f"bshall/knn-vc:{COMMIT}", "knn_vc", skip_validation=True, **options)


@functools.cache
def matching_set(repository, folder):
    """The features of a voice."""
    files = sorted(map(str, folder.glob("*.wav")))
    if not files:
        raise ValueError(f"{folder}: has no .wav")
    return load(repository).get_matching_set(files)
