"""Make clips of a few utterances of every trial list: unprotected, and by every anonymiser."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.seeds import derive_secretly
from voiceprivacy.inout.tables import read_manifest, read_trials
from voiceprivacy.report.listen import examples, write_examples
from voiceprivacy.report.mailed import NAMED, codes_of, key_in
from voiceprivacy.running.command import label_inputs, require_at_least, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", required=True, help="its name")
    parser.add_argument(
        "--trials", nargs="+", required=True, type=Path, help="trial lists of the corpus"
    )
    parser.add_argument(
        "--manifests",
        nargs="+",
        required=True,
        help="TSVs of the tried speech, the original's among them",
    )
    parser.add_argument(
        "--label",
        nargs="+",
        required=True,
        help="original, and an anonymiser for every other manifest",
    )
    parser.add_argument("--count", type=int, default=2, help="utterances of a list (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="from which they are drawn (default 0)")
    parser.add_argument(
        "--results",
        type=Path,
        help="folder of the run: nobody is named, and originals are not played (default: they are)",
    )
    parser.add_argument("--examples", required=True, type=Path, help="JSON to write")
    arguments = parser.parse_args()
    require_at_least(1, count=arguments.count)

    manifests = label_inputs(arguments.manifests, arguments.label)
    codes, seed = NAMED, arguments.seed
    if arguments.results:
        codes = codes_of(arguments.corpus, arguments.results)
        # Who was drawn would tell the seed, if it could be tried out.
        seed = derive_secretly(key_in(arguments.results), str(seed))
    # A list is called as its file, and an anonymiser as its label.
    chosen = examples(
        arguments.corpus,
        {path.stem: {trial.trial for trial in read_trials(path)} for path in arguments.trials},
        {name: read_manifest(path) for name, path in manifests.items()},
        count=arguments.count,
        seed=seed,
        codes=codes,
    )
    write_examples(arguments.examples, chosen)
    utterances = counted(len(chosen), "utterance")
    say(f"{utterances}, {arguments.examples.stat().st_size / 1000:.0f} kB: {arguments.examples}")


if __name__ == "__main__":
    run(main)
