"""Download a subset of LibriSpeech, unless it is there.

It comes in pieces that a second call resumes, and is checked by its MD5.
"""

import argparse
from pathlib import Path

from voiceprivacy.corpora.kinds import librispeech
from voiceprivacy.inout.files import expand
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running.command import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subset", required=True, help="name of a subset, such as test-clean")
    parser.add_argument(
        "--root",
        required=True,
        type=Path,
        help="folder that has, or gets, SPEAKERS.TXT and the subset",
    )
    parser.add_argument(
        "--address",
        default=librispeech.ADDRESS,
        help="folder of the archives (default %(default)s)",
    )
    parser.add_argument(
        "--archives",
        default=librispeech.ARCHIVES,
        help="TSV: subset bytes md5 (default: as published)",
    )
    parser.add_argument(
        "--done", required=True, help="TSV to write when the subset is there: subset folder"
    )
    arguments = parser.parse_args()

    archive = librispeech.published_archive(arguments.subset, arguments.archives)
    librispeech.fetch_subset(archive, root=arguments.root, address=expand(arguments.address))
    folder = arguments.root / arguments.subset
    write_table(arguments.done, ["subset", "folder"], [(arguments.subset, folder)])


if __name__ == "__main__":
    run(main)
