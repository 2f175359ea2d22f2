"""Extract a speaker embedding for every utterance: by a model, a package, a command or a file."""

import argparse
import functools

from voiceprivacy.attack.extractors import foreign
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance, read_manifest
from voiceprivacy.models import hub
from voiceprivacy.running import programs
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import PACKAGES


def parsed() -> argparse.Namespace:
    """The arguments of this command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest",
        required=True,
        nargs="+",
        help="TSV: utterance speaker gender path duration_s; several for one model",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", help="SpeechBrain speaker folder, or its name on the hub")
    source.add_argument("--package", choices=PACKAGES, help="encoder inside a Python package")
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
        nargs="+",
        help="npz to write for each manifest: ids, embeddings (one row an utterance, raw)",
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="processes; changes no result")
    programs.add_limits(parser)
    programs.add_sandbox(parser)
    return parser.parse_args()


def main() -> None:
    arguments = parsed()

    if len(arguments.manifest) != len(arguments.embeddings):
        raise BadInput("--embeddings: must name one file for each --manifest")
    for manifest, path in zip(arguments.manifest, arguments.embeddings, strict=True):
        embeddings = extracted(read_manifest(manifest), arguments)
        write_embeddings(path, embeddings)
        n_utterances, dimensions = embeddings.embeddings.shape
        say(f"{n_utterances} utterances, {dimensions} dimensions: {path}")


def extracted(utterances: list[Utterance], arguments: argparse.Namespace) -> Embeddings:
    """Embeddings from wherever the arguments say."""
    if arguments.ready:
        return foreign.from_file(arguments.ready, utterances)
    if arguments.command:
        return foreign.from_command(
            arguments.command,
            utterances,
            threads=arguments.threads,
            minutes=arguments.runtime,
            sandbox=programs.sandbox_of(arguments),
        )
    if arguments.package:
        # Its environment has no torch in one case and no onnxruntime in the other.
        from voiceprivacy.attack.extractors import packages

        return packages.embed_manifest(
            utterances, package=arguments.package, threads=arguments.threads
        )
    return by_model(utterances, arguments)


def by_model(utterances: list[Utterance], arguments: argparse.Namespace) -> Embeddings:
    """Embeddings of a SpeechBrain model."""
    # Seconds to import: commands and files do without.
    from voiceprivacy.attack.extractors import networks

    make = networks.TrustedExtractor if arguments.trust else networks.Extractor
    preparation = networks.Preparation(arguments.loudness, arguments.trim, arguments.vad)
    return networks.embed_manifest(
        utterances,
        folder=hub.model_folder(arguments.model, revision=arguments.revision),
        device=arguments.device,
        threads=arguments.threads,
        make=functools.partial(make, preparation=preparation),
    )


if __name__ == "__main__":
    run(main)
