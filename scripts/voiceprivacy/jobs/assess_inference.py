"""The job assess_inference."""

from pathlib import Path

from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.privacy.law.attributes import inferred, read_corpus
from voiceprivacy.privacy.rows import Inferred
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_replicates, say
from voiceprivacy.vocabulary import ABSENT, N_REPLICATES, UNDEFINED


def assess_inference(
    *,
    plan: dict[str, dict[str, list[str]]],
    embeddings: Path,
    audio: Path,
    facts: Path | None = None,
    bootstrap: int = N_REPLICATES,
    seed: int = 0,
    inference: Path,
) -> None:
    """Assess what speech tells of a person: sex, age or accent.

    The attacker knows it of other speakers, and tells it of speakers who were never heard, from
    embeddings of single utterances.

    Parameters
    ----------
    plan : JSON {corpus: {extractor: ["original", anonymiser, ...]}}
    embeddings : folder of CORPUS/PART/SYSTEM/EXTRACTOR.npz
    audio : folder of CORPUS/PART/original/manifest.tsv
    facts : folder of CORPUS.speakers.tsv: speaker attribute value (default: none)
    bootstrap : replicates of intervals; 0 for none
    seed : of all draws
    inference : TSV to write
    """
    require_replicates(bootstrap)
    lines: list[Inferred] = []
    for name, extractors in plan.items():
        of_speakers = facts / f"{name}.speakers.tsv" if facts else None
        corpus = read_corpus(name, audio=audio, facts=of_speakers)
        for extractor, systems in extractors.items():
            lines += inferred(
                corpus,
                extractor,
                systems,
                embeddings=embeddings,
                n_replicates=bootstrap,
                seed=seed,
            )
    write_typed(inference, Inferred, lines)
    for line in lines:
        say(described(line))


def described(line: Inferred) -> str:
    """One line for the terminal."""
    named = f"{line.corpus} {line.anonymiser} {line.extractor} {line.condition} {line.attribute}"
    if line.recall_percent == UNDEFINED:
        return f"{named}: undefined, because {line.reason}"
    limits = ""
    if line.recall_low is not None:
        limits = f" [{line.recall_low:.1f}, {line.recall_high:.1f}]"
    guessing = f"guessing {line.guessing_percent:.1f}, up to {line.null95_percent:.1f}"
    note = "" if line.reason == ABSENT else f"; {line.reason}"
    return f"{named}: {line.recall_percent:.1f} %{limits} ({guessing}){note}"


if __name__ == "__main__":
    run(assess_inference)
