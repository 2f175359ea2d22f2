"""Assess what speech tells of a person: an attacker knows the sex, age or accent of other speakers.

It is told of speakers who were never heard before, from embeddings of single utterances.
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.law.attributes import inferred, read_corpus
from voiceprivacy.running.command import add_json, require_at_least, run, say
from voiceprivacy.vocabulary import ABSENT, UNDEFINED, Inferred


def main() -> None:
    arguments = parse()
    lines: list[Inferred] = []
    for name, extractors in arguments.plan.items():
        facts = arguments.facts / f"{name}.speakers.tsv" if arguments.facts else None
        corpus = read_corpus(name, audio=arguments.audio, facts=facts)
        for extractor, systems in extractors.items():
            lines += inferred(
                corpus,
                extractor,
                systems,
                embeddings=arguments.embeddings,
                n_replicates=arguments.bootstrap,
                seed=arguments.seed,
            )
    write_table(arguments.inference, Inferred._fields, lines)
    for line in lines:
        say(described(line))


def parse() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(
        parser,
        "--plan",
        required=True,
        help='JSON {corpus: {extractor: ["original", anonymiser, ...]}}',
    )
    parser.add_argument(
        "--embeddings", required=True, type=Path, help="folder of CORPUS/PART/SYSTEM/EXTRACTOR.npz"
    )
    parser.add_argument(
        "--audio", required=True, type=Path, help="folder of CORPUS/PART/original/manifest.tsv"
    )
    parser.add_argument(
        "--facts",
        type=Path,
        help="folder of CORPUS.speakers.tsv: speaker attribute value (default: none)",
    )
    parser.add_argument(
        "--bootstrap", type=int, default=1000, help="replicates of intervals (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all draws (default 0)")
    parser.add_argument("--inference", required=True, type=Path, help="TSV to write")
    arguments = parser.parse_args()
    require_at_least(0, bootstrap=arguments.bootstrap)
    return arguments


def described(line: Inferred) -> str:
    """One line for the terminal."""
    named = f"{line.corpus} {line.anonymiser} {line.extractor} {line.condition} {line.attribute}"
    if line.recall_percent == UNDEFINED:
        return f"{named}: undefined, because {line.reason}"
    limits = ""
    if line.recall_low != ABSENT:
        limits = f" [{line.recall_low:.1f}, {line.recall_high:.1f}]"
    guessing = f"guessing {line.guessing_percent:.1f}, up to {line.null95_percent:.1f}"
    note = "" if line.reason == ABSENT else f"; {line.reason}"
    return f"{named}: {line.recall_percent:.1f} %{limits} ({guessing}){note}"


if __name__ == "__main__":
    run(main)
