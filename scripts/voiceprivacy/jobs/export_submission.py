"""The job export_submission."""

import tempfile
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.organise.submission import gather, pack
from voiceprivacy.provenance.verify import refuse_public_seed
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def export_submission(
    *,
    results: Path = Path("results"),
    anonymiser: str,
    audio: bool = False,
    output: Path = Path("submission.zip"),
    public_seed: bool = False,
) -> None:
    """Pack what a challenge asks for: scores of every set in Kaldi's form, summaries, and speech.

    Parameters
    ----------
    results : of a finished run
    anonymiser : whose submission it is: a name of the config
    audio : with the protected speech; its names are the utterances' ids
    output : zip to write
    public_seed : also of speech whose seed is written in the config
    """
    if audio and not public_seed:
        refuse_public_seed(results, [anonymiser])
    with tempfile.TemporaryDirectory() as folder:
        contents = gather(unchanged(results), anonymiser, Path(folder), with_audio=audio)
        pack(output, contents)
    n_sets = sum(name.endswith("/trials") for name in contents)
    n_scores = sum(name.endswith(".scores") for name in contents)
    n_utterances = sum(name.startswith("wav/") for name in contents)
    scores = f"{counted(n_sets, 'set')}, {counted(n_scores, 'score file')}"
    speech = f"{counted(n_utterances, 'utterance')} of protected speech"
    say(f"wrote {output}: {scores}, {speech}")


if __name__ == "__main__":
    run(export_submission)
