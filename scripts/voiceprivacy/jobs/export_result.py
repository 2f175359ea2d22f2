"""The job export_result."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.organise.exporting import Names, export
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def export_result(
    *,
    results: Path = Path("results"),
    repository: Path,
    laboratory: str,
    revision: str,
    anonymiser: str | None = None,
    attacker: str | None = None,
    public: bool = False,
    system_name: tuple[str, ...] = (),
    protocol_name: tuple[str, ...] = (),
    attacker_name: tuple[str, ...] = (),
) -> None:
    """Write results of a finished run into a repository that laboratories share.

    Parameters
    ----------
    results : folder of a finished run
    repository : folder of the repository
    laboratory : who measured
    revision : of the anonymisers, such as 2026 or 1.2
    anonymiser : a name of the config (default: all but controls)
    attacker : EXTRACTOR or EXTRACTOR/BACKEND (default: all)
    public : everybody can have the corpora: lists and scores go with the numbers
    system_name : ANONYMISER=NAME: another name of a system in the repository
    protocol_name : CORPUS/LIST=NAME: another name of a protocol in the repository
    attacker_name : EXTRACTOR/BACKEND=NAME@REVISION: another name of an attacker in the repository
    """
    names = Names(
        laboratory,
        revision,
        systems=pairs(system_name),
        protocols=pairs(protocol_name),
        attackers=pairs(attacker_name),
    )
    paths = export(
        unchanged(results),
        repository,
        names,
        anonymiser=anonymiser,
        attacker=attacker,
        public=public,
    )
    say(*paths)
    say(f"wrote {counted(len(paths), 'result')} into {repository}")


def pairs(words: Sequence[str]) -> dict[str, str]:
    """{A: B} of words A=B."""
    named = {}
    for word in words:
        key, sign, name = word.partition("=")
        if not (key and sign and name):
            raise BadInput(f"'{word}': expected A=B")
        named[key] = name
    return named


if __name__ == "__main__":
    run(export_result)
