"""The job extract_embeddings."""

import functools
from collections.abc import Callable
from typing import Annotated, Literal

from voiceprivacy.attack.extractors import of_others
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.models import hub
from voiceprivacy.running import boxes, programs
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, require_one, say
from voiceprivacy.vocabulary import PACKAGES


def extract_embeddings(
    *,
    manifest: list[str],
    model: str | None = None,
    package: Annotated[str, PACKAGES] | None = None,
    command: str | None = None,
    ready: str | None = None,
    revision: str | None = None,
    trust: bool = False,
    loudness: bool = False,
    trim: bool = False,
    vad: bool = False,
    preparation: Literal["vpc2024"] | None = None,
    embeddings: list[str],
    device: Literal["cpu", "cuda"] = "cpu",
    threads: int = 1,
    runtime: float | None = None,
    memory: int = boxes.MEMORY_MB,
    sandbox: dict | None = None,
) -> None:
    """Extract a speaker embedding for every utterance: by a model, a package, a command or a file.

    Parameters
    ----------
    manifest : TSV: utterance speaker gender path duration_s; several for one model
    model : SpeechBrain speaker folder, or its name on the hub
    package : encoder whose weights come inside a Python package
    command : called as <command> --manifest IN.tsv --embeddings OUT.npz
    ready : npz that has them already
    revision : commit of the hub model
    trust : let SpeechBrain run whatever the model's folder names
    loudness : scale active speech to -26 dB
    trim : cut silence at both ends
    vad : keep what Kaldi's energy-based detection calls speech
    preparation : as a challenge prepares speech
    embeddings : npz to write for each manifest: ids, embeddings (one row an utterance, raw)
    device : where the model runs
    threads : processes; changes no result
    runtime : minutes after which the program is ended (default: none)
    memory : MB that each process in a box may use
    sandbox : run the command in a box; as JSON what its entry says of it: reads, mem_mb, gpu
    """
    require_one(model=model, package=package, command=command, ready=ready)
    require_at_least(1, threads=threads)
    if not model and any((revision, trust, loudness, trim, vad, preparation)):
        raise BadInput("--revision, --trust, --loudness, --trim, --vad, --preparation need --model")
    if len(manifest) != len(embeddings):
        raise BadInput("--embeddings: must name one file for each --manifest")
    extract: Callable[[list[Utterance]], Embeddings]
    if ready:
        extract = functools.partial(of_others.from_file, ready)
    elif command:
        extract = functools.partial(
            of_others.from_command,
            command,
            threads=threads,
            minutes=runtime,
            sandbox=programs.sandbox_of(sandbox, memory),
        )
    elif package:
        # Its environment has no torch in one case and no onnxruntime in the other.
        from voiceprivacy.attack.extractors import packages

        extract = functools.partial(
            packages.embed_manifest, package=package, device=device, threads=threads
        )
    else:
        # Seconds to import: commands and files do without.
        from voiceprivacy.attack.extractors import networks

        make = networks.TrustedExtractor if trust else networks.Extractor
        steps = networks.Preparation(loudness, trim, vad, preparation)
        extract = functools.partial(
            networks.embed_manifest,
            folder=hub.model_folder(str(model), revision=revision),
            device=device,
            threads=threads,
            make=functools.partial(make, preparation=steps),
        )
    for listed, path in zip(manifest, embeddings, strict=True):
        extracted = extract(read_manifest(listed))
        write_embeddings(path, extracted)
        n_utterances, dimensions = extracted.embeddings.shape
        say(f"{counted(n_utterances, 'utterance')}, {dimensions} dimensions: {path}")


if __name__ == "__main__":
    run(extract_embeddings)
