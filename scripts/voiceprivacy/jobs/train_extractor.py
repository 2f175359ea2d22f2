"""The job train_extractor."""

from typing import Literal

from voiceprivacy.attack.training import training
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def train_extractor(
    *,
    manifest: str,
    recipe: str,
    folder: str,
    start: str | None = None,
    encoder: str | None = None,
    seed: int = 0,
    device: Literal["cpu", "cuda"] = "cpu",
    precision: Literal["fp32", "bf16", "fp16"] = "fp32",
    threads: int = 1,
) -> None:
    """Train an embedding extractor on the speakers of a manifest, or go on training after a kill.

    Parameters
    ----------
    manifest : TSV: utterance speaker gender path duration_s
    recipe : SpeechBrain hyperparameter file
    folder : SpeechBrain folder to make
    start : SpeechBrain folder to start from (fine-tuning)
    encoder : folder of the self-supervised encoder of ecapa_ssl (default: of --start)
    seed : of all draws
    device : cuda takes all GPUs that torch sees
    precision : mixed precision
    threads : of torch (another number rounds differently); with cuda: processes that load speech
    """
    training.train(
        read_manifest(manifest),
        recipe=recipe,
        folder=folder,
        seed=seed,
        start=start,
        encoder=encoder,
        computer=training.Computer(device, threads, precision),
    )
    say(f"trained: {folder}")


if __name__ == "__main__":
    run(train_extractor)
