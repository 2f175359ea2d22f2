"""The plug-ins of the load test: an anonymiser that links, an extractor that draws what it hears.

load_plugins.py anonymise --manifest IN.tsv --seed N --audio-dir OUT/ --output-manifest OUT.tsv
load_plugins.py embed --manifest IN.tsv --embeddings OUT.npz
"""

import csv
import os
import sys
from pathlib import Path

import numpy as np

DIMENSIONS = 192


def main():
    task, *words = sys.argv[1:]
    options = dict(zip(words[::2], words[1::2], strict=True))
    with open(options["--manifest"], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if task == "anonymise":
        anonymise(rows, options)
    else:
        embed(rows, options["--embeddings"])


def anonymise(rows, options):
    """Protected speech is a hard link to the original."""
    folder = Path(options["--manifest"]).parent
    with open(options["--output-manifest"], "w", encoding="utf-8") as file:
        print(*rows[0], sep="\t", file=file)
        for row in rows:
            protected = os.path.join(options["--audio-dir"], f"{row['utterance']}.flac")
            os.link(os.path.realpath(folder / row["path"]), protected)
            print(*(row | {"path": os.path.abspath(protected)}).values(), sep="\t", file=file)


def embed(rows, path):
    """A direction for every speaker, and some noise."""
    speakers, spoken_by = np.unique([row["speaker"] for row in rows], return_inverse=True)
    directions = np.random.default_rng(0).normal(size=(len(speakers), DIMENSIONS))
    noise = np.random.default_rng(1).normal(scale=3, size=(len(rows), DIMENSIONS))
    embeddings = noise.astype(np.float32) + directions.astype(np.float32)[spoken_by]
    np.savez(path, ids=np.array([row["utterance"] for row in rows]), embeddings=embeddings)


if __name__ == "__main__":
    main()
