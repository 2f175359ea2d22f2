"""The job publish_audio."""

import os
from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.organise.publishing import publish, telling_names
from voiceprivacy.provenance.verify import refuse_changed, refuse_public_seed, results_of
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def publish_audio(
    *,
    manifest: list[Path],
    original: tuple[Path, ...] = (),
    audio_dir: Path,
    key: Path,
    public_seed: bool = False,
) -> None:
    """Protected speech that can be given away: no ids, no coefficients, no metadata, shuffled.

    The key stays behind. What remains are the samples: durations, words, noises of the room.
    docs/guide/publishing.md says what that reveals.

    Parameters
    ----------
    manifest : manifest.tsv of protected speech
    original : manifest.tsv of the speech before protection: what equals it is refused
        (default: beside the manifests, where a run has it)
    audio_dir : folder to write and to give away
    key : TSV to write and to keep: which file is which utterance
    public_seed : also of speech whose seed is written in the config
    """
    for results in filter(None, {results_of(path) for path in manifest}):
        refuse_changed(results)
        if not public_seed:
            refuse_public_seed(results, [path.absolute().parent.name for path in manifest])
    threads = os.cpu_count() or 1
    published = publish(manifest, audio_dir, key, originals=original, threads=threads)
    written = f"wrote {counted(len(published), 'file')} to {audio_dir}"
    say(f"{written}; durations, words and background are as they were")
    say(f"the key stays here: {key}")
    if telling := telling_names(published):
        names = f"{counted(len(telling), 'name')} of {len(published)}, such as"
        shown = f"warning: {names} '{telling[0].utterance}', say who speaks, or the sex"
        say(f"{shown}: give {audio_dir} away, and not the folder that it was made of")


if __name__ == "__main__":
    run(publish_audio)
