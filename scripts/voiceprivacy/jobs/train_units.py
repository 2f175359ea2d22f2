"""The job train_units."""

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.models.encoders import Encoder
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def train_units(
    *,
    manifest: str,
    seed: int = 0,
    encoder: str | None = None,
    codebook: str,
) -> None:
    """Train the codebook of vector-quantised frames on training speech.

    Parameters
    ----------
    manifest : TSV of the part train
    seed : of the frames that are used and of the first centres
    encoder : folder of wav2vec 2.0, HuBERT or WavLM whose frames are taken, not MFCC
    codebook : npz to write: scale, centres
    """
    network = Encoder(encoder) if encoder else None
    utterances = read_manifest(manifest)
    with naming(manifest):
        units = histograms.train_codebook(utterances, seed=seed, encoder=network)
    histograms.write_codebook(codebook, units)
    say(f"{len(units.centres)} units: {codebook}")


if __name__ == "__main__":
    run(train_units)
