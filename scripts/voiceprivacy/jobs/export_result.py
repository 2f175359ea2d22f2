"""Write results of a finished run into a repository that laboratories share."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.exporting import Names, export
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", default=Path("results"), type=Path, help="of a finished run (default results)"
    )
    parser.add_argument("--repository", required=True, type=Path, help="folder of the repository")
    parser.add_argument("--laboratory", required=True, help="who measured")
    parser.add_argument("--revision", required=True, help="of the anonymisers, such as 2026 or 1.2")
    parser.add_argument("--anonymiser", help="a name of the config (default: all)")
    parser.add_argument("--attacker", help="EXTRACTOR or EXTRACTOR/BACKEND (default: all)")
    parser.add_argument(
        "--public",
        action="store_true",
        help="everybody can have the corpora: lists and scores go with the numbers",
    )
    for kind, pair in (
        ("system", "ANONYMISER=NAME"),
        ("protocol", "CORPUS/LIST=NAME"),
        ("attacker", "EXTRACTOR/BACKEND=NAME@REVISION"),
    ):
        parser.add_argument(
            f"--{kind}-name",
            nargs="+",
            default=[],
            metavar=pair,
            help=f"another name of a {kind} in the repository",
        )
    arguments = parser.parse_args()

    names = Names(
        arguments.laboratory,
        arguments.revision,
        systems=pairs(arguments.system_name),
        protocols=pairs(arguments.protocol_name),
        attackers=pairs(arguments.attacker_name),
    )
    paths = export(
        unchanged(arguments.results),
        arguments.repository,
        names,
        anonymiser=arguments.anonymiser,
        attacker=arguments.attacker,
        public=arguments.public,
    )
    say(*paths)
    say(f"wrote {counted(len(paths), 'result')} into {arguments.repository}")


def pairs(words: list[str]) -> dict[str, str]:
    """{A: B} of words A=B."""
    named = {}
    for word in words:
        key, sign, name = word.partition("=")
        if not (key and sign and name):
            raise BadInput(f"'{word}': expected A=B")
        named[key] = name
    return named


if __name__ == "__main__":
    run(main)
