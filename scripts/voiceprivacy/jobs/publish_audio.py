"""Protected speech that can be given away: no ids, no coefficients, no metadata, shuffled.

The key stays behind. What remains are the samples: durations, words, noises of the room.
docs/guide/publishing.md says what that reveals.
"""

import argparse
import os
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.organise.publishing import publish, telling_names
from voiceprivacy.provenance.verify import (
    PUBLIC_SEED,
    refuse_changed,
    refuse_public_seed,
    results_of,
)
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--manifest", required=True, nargs="+", type=Path, help="manifest.tsv of protected speech"
    )
    parser.add_argument(
        "--original",
        nargs="+",
        type=Path,
        default=[],
        help="manifest.tsv of the speech before protection, which must be other speech"
        " (default: beside the manifests, where a run has it)",
    )
    parser.add_argument(
        "--audio-dir", required=True, type=Path, help="folder to write and to give away"
    )
    parser.add_argument(
        "--key",
        required=True,
        type=Path,
        help="TSV to write and to keep: which file is which utterance",
    )
    parser.add_argument("--public-seed", action="store_true", help=PUBLIC_SEED)
    arguments = parser.parse_args()

    for results in filter(None, {results_of(manifest) for manifest in arguments.manifest}):
        refuse_changed(results)
        if not arguments.public_seed:
            folders = [path.absolute().parent.name for path in arguments.manifest]
            refuse_public_seed(results, folders)
    published = publish(
        arguments.manifest,
        arguments.audio_dir,
        arguments.key,
        originals=arguments.original,
        threads=os.cpu_count() or 1,
    )
    written = f"wrote {counted(len(published), 'file')} to {arguments.audio_dir}"
    say(f"{written}; durations, words and background are as they were")
    say(f"the key stays here: {arguments.key}")
    if telling := telling_names(published):
        names = f"{counted(len(telling), 'name')} of {len(published)}, such as"
        told = f"warning: {names} '{telling[0].utterance}', say who speaks, or the sex"
        say(f"{told}: give {arguments.audio_dir} away, and not the folder that it was made of")


if __name__ == "__main__":
    run(main)
