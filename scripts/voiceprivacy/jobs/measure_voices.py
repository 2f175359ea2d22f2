"""Measure the voices of a corpus: whether speakers keep one voice, and sound of their sex.

Of each system a table is written, like those of measure_utility. What is protected is compared by
embeddings that an attacker of the run has made of it.
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.arrays import read_embeddings_of
from voiceprivacy.inout.tables import Utterance, write_table
from voiceprivacy.privacy.law.attributes import class_kept, read_corpus
from voiceprivacy.running.command import run, say
from voiceprivacy.utility.measures import COLUMNS, Measured
from voiceprivacy.utility.voice import CONSISTENCY, SEX_KEPT, consistency
from voiceprivacy.vocabulary import UNDEFINED

PERCENT = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", required=True, help="name of the corpus")
    parser.add_argument("--extractor", required=True, help="whose embeddings are taken")
    parser.add_argument(
        "--embeddings", required=True, type=Path, help="folder of CORPUS/PART/SYSTEM/EXTRACTOR.npz"
    )
    parser.add_argument(
        "--audio", required=True, type=Path, help="folder of CORPUS/PART/original/manifest.tsv"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the folds (default 0)")
    parser.add_argument(
        "--output", required=True, nargs="+", type=Path, help="TSVs SYSTEM/NAME.tsv to write"
    )
    arguments = parser.parse_args()

    corpus = read_corpus(arguments.corpus, audio=arguments.audio, facts=None)
    systems = {path.parent.name: path for path in arguments.output}
    options = {"embeddings": arguments.embeddings, "seed": arguments.seed}
    kept = class_kept(corpus, "sex", arguments.extractor, list(systems), **options)
    for system, path in systems.items():
        folder = arguments.embeddings / corpus.name / "trial" / system
        tried = corpus.utterances["trial"]
        measured = voices(tried, folder / f"{arguments.extractor}.npz", kept.told[system])
        write_table(path, COLUMNS, measured)
    say(f"voices of {len(systems)} systems by {arguments.extractor}")
    if kept.reason:
        say(f"{SEX_KEPT} is undefined: {kept.reason}")


def voices(tried: list[Utterance], path: Path, of_its_sex: dict[str, float]) -> list[Measured]:
    """Both metrics of every trial utterance of one system.

    Parameters
    ----------
    path : its embeddings
    of_its_sex : {utterance: 1 where it sounds of its speaker's sex, else 0}, where that is known
    """
    _, values = read_embeddings_of(path, [line.utterance for line in tried])
    similar = consistency(values, [line.speaker for line in tried])
    measured: list[Measured] = []
    for line, value in zip(tried, similar, strict=True):
        told = of_its_sex.get(line.utterance)
        percent = UNDEFINED if told is None else PERCENT * told
        measured.append(Measured(line.utterance, CONSISTENCY, value))
        measured.append(Measured(line.utterance, SEX_KEPT, percent))
    return measured


if __name__ == "__main__":
    run(main)
