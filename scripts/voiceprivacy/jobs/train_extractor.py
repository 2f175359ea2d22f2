"""Train an embedding extractor on the speakers of a manifest, or go on training after a kill."""

import argparse

from voiceprivacy.attack.training import training
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    parser.add_argument("--recipe", required=True, help="SpeechBrain hyperparameter file")
    parser.add_argument("--folder", required=True, help="SpeechBrain folder to make")
    parser.add_argument("--start", help="SpeechBrain folder to start from (fine-tuning)")
    parser.add_argument(
        "--encoder", help="folder of the self-supervised encoder of ecapa_ssl (default: of --start)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--device", choices=["cpu", "cuda"], default="cpu", help="cuda: all GPUs that torch sees"
    )
    parser.add_argument(
        "--precision", choices=["fp32", "bf16", "fp16"], default="fp32", help="mixed precision"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="of torch (another number rounds differently); with cuda: processes that load speech",
    )
    arguments = parser.parse_args()

    training.train(
        read_manifest(arguments.manifest),
        recipe=arguments.recipe,
        folder=arguments.folder,
        seed=arguments.seed,
        start=arguments.start,
        encoder=arguments.encoder,
        computer=training.Computer(arguments.device, arguments.threads, arguments.precision),
    )
    say(f"trained: {arguments.folder}")


if __name__ == "__main__":
    run(main)
