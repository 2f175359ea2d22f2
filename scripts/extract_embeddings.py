"""Extract a speaker embedding for every utterance of a manifest: by a SpeechBrain model, a command, or from a file."""

import argparse
import functools

from voiceprivacy.attack.extractors import foreign
from voiceprivacy.attack.extractors.preparation import Preparation
from voiceprivacy.inout.arrays import write_embeddings
from voiceprivacy.inout.stamps import watched
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", help="SpeechBrain speaker folder, or its name on the hub")
    source.add_argument(
        "--command", help="called as <command> --manifest IN.tsv --embeddings OUT.npz"
    )
    source.add_argument("--ready", help="npz that has them already")
    parser.add_argument("--revision", help="commit of the hub model")
    parser.add_argument(
        "--trust", action="store_true", help="let SpeechBrain run whatever the model's folder names"
    )
    parser.add_argument("--loudness", action="store_true", help="scale active speech to -26 dB")
    parser.add_argument("--trim", action="store_true", help="cut silence at both ends")
    parser.add_argument(
        "--vad", action="store_true", help="keep what Kaldi's energy-based detection calls speech"
    )
    parser.add_argument(
        "--embeddings",
        required=True,
        help="npz to write: ids, embeddings (one row an utterance, raw)",
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="processes on a CPU; the result does not depend on it",
    )
    parser.add_argument(
        "--runtime", type=float, help="minutes after which the command is ended (default: none)"
    )
    parser.add_argument(
        "--sandbox", action="store_true", help="no network for a command, nothing else to write to"
    )
    arguments = parser.parse_args()

    with watched(arguments.manifest) as utterances:
        embeddings = _embed(utterances, arguments)
    write_embeddings(arguments.embeddings, embeddings)
    print(
        "{} utterances, {} dimensions: {}".format(
            *embeddings.embeddings.shape, arguments.embeddings
        )
    )


def _embed(utterances, arguments):
    if arguments.ready:
        return foreign.of_utterances(arguments.ready, utterances)
    if arguments.command:
        how = {
            "threads": arguments.threads,
            "minutes": arguments.runtime,
            "sandbox": arguments.sandbox,
        }
        return foreign.from_command(arguments.command, utterances, **how)
    return _by_model(utterances, arguments)


def _by_model(utterances, arguments):
    from voiceprivacy.attack.extractors import (
        networks,  # seconds to import: not for commands and files
    )

    make = functools.partial(
        networks.kind(trust=arguments.trust),
        preparation=Preparation(arguments.loudness, arguments.trim, arguments.vad),
    )
    folder = networks.model_folder(arguments.model, revision=arguments.revision)
    how = {"device": arguments.device, "threads": arguments.threads, "make": make}
    return networks.embed_manifest(utterances, folder=folder, **how)


if __name__ == "__main__":
    run(main)
