"""The job embed_audio."""

from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.secret_seeds import derive_secretly
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.report import listen
from voiceprivacy.report.mailed import NAMED, codes_of, key_in
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs, require_at_least, say


def embed_audio(
    *,
    corpus: str,
    trials: list[Path],
    manifests: list[str],
    label: list[str],
    count: int = 2,
    seed: int = 0,
    results: Path | None = None,
    examples: Path,
) -> None:
    """Make clips of a few utterances of every trial list: unprotected, and by every anonymiser.

    Parameters
    ----------
    corpus : its name
    trials : trial lists of the corpus
    manifests : TSVs of the tried speech, the original's among them
    label : original, and an anonymiser for every other manifest
    count : utterances of a list
    seed : from which they are drawn
    results : folder of the run: nobody is named, and originals are not played (default: they are)
    examples : JSON to write
    """
    require_at_least(1, count=count)
    labelled = label_inputs(manifests, label)
    codes, drawn_by = NAMED, seed
    if results:
        codes = codes_of(corpus, results)
        # Who was drawn would tell the seed, if it could be tried out.
        drawn_by = derive_secretly(key_in(results), str(seed))
    # A list is called as its file, and an anonymiser as its label.
    chosen = listen.examples(
        corpus,
        {path.stem: {trial.trial for trial in read_trials(path)} for path in trials},
        {name: read_manifest(path) for name, path in labelled.items()},
        count=count,
        seed=drawn_by,
        codes=codes,
    )
    listen.write_examples(examples, chosen)
    utterances = counted(len(chosen), "utterance")
    say(f"{utterances}, {examples.stat().st_size / 1000:.0f} kB: {examples}")


if __name__ == "__main__":
    run(embed_audio)
