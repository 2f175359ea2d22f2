"""From folders of wavs to a config: your speech, protected versions of it, and their speakers.

Two commands make a report of protected speech that lies there already:

    voiceprivacy new-run --original DIR --protected NAME=DIR --config my.yaml
    voiceprivacy run --configfile my.yaml
"""

import argparse
import os
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.running.command import run, say
from voiceprivacy.tools.intake import Intake, read
from voiceprivacy.tools.new_config import (
    preview_all,
    summary,
    system_names,
    write_config,
)
from voiceprivacy.tools.new_run import examine, refuse_copies, refuse_one_folder
from voiceprivacy.tools.unpacking import Unpacking, refuse_packed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--original",
        required=True,
        type=Path,
        metavar="DIR",
        help="the speech before protection: a folder, a zip, a tar, or tables with sound inside",
    )
    for name, text in (
        ("--protected", "an anonymiser's version; once for each"),
        ("--again", "a second, independent draw of it, from which attackers enrol and learn"),
    ):
        parser.add_argument(name, default=[], action="append", metavar="NAME=DIR", help=text)
    parser.add_argument(
        "--method",
        default=[],
        action="append",
        metavar="[NAME=]FILE.py:FUNCTION",
        help="an anonymiser in Python, which the run calls; once for each",
    )
    parser.add_argument(
        "--train",
        type=Path,
        metavar="DIR",
        help="speech of other speakers, on whom the semi-informed attacker is trained",
    )
    parser.add_argument("--config", type=Path, metavar="OUT.yaml", help="YAML to write")
    parser.add_argument("--name", help="what the speech is called (default: as its folder)")
    parser.add_argument(
        "--preview", action="store_true", help="show who speaks and some pairs, and write nothing"
    )
    parser.add_argument(
        "--pattern",
        help="who speaks, where the guess is wrong: '{speaker}/{utterance}.wav' and the like",
    )
    parser.add_argument(
        "--speakers",
        type=Path,
        metavar="TSV",
        help="columns speaker and gender (f, m): lists for each",
    )
    parser.add_argument(
        "--transcripts",
        type=Path,
        metavar="TSV",
        help="columns utterance and text: how many words are still understood is measured",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a config of that name")
    arguments = parser.parse_args()

    if arguments.preview:
        say(*preview_all(look(arguments), map(parse, arguments.protected)))
        return
    if not ((arguments.protected or arguments.method) and arguments.config):
        parser.error(
            "--protected (or --method) and --config are required unless --preview is given"
        )
    given = [parse(text) for text in arguments.protected]
    functions = dict(map(parse_method, arguments.method))
    again = dict(parse(text, "--again") for text in arguments.again)
    texts = [*(text for text, _ in given), *functions]
    if len({*texts}) < len(given) + len(arguments.method):
        raise BadInput("--protected, --method: a name occurs twice; give each a name of its own")
    for name in again:
        if name not in dict(given):
            raise BadInput(
                f"--again {name}: there is no --protected {name}, of which it could be one"
            )
    # Before any file is looked at: a wrong name must not cost minutes.
    names = system_names(texts)
    if arguments.config.exists() and not arguments.overwrite:
        raise BadInput(
            f"{arguments.config}: is there already; name another file, or add --overwrite"
        )
    ids = {text: name for name, text in names.items()}
    refuse_one_folder(arguments.original, dict(given), again, train=arguments.train)
    asked = ("pattern", "speakers", "transcripts", "train")
    options = {name: getattr(arguments, name) for name in asked}
    options["methods"] = {ids[text]: function for text, function in functions.items()}
    with Unpacking(arguments.config) as unpack:
        options["again"] = {ids[text]: unpack(folder) for text, folder in again.items()}
        protected = {ids[text]: unpack(folder) for text, folder in given}
        original = unpack(arguments.original)
        new_run = examine(original, protected, threads=os.cpu_count() or 2, **options)
        refuse_copies(new_run)
        name = arguments.name or arguments.original.absolute().name
        new_run = new_run._replace(name=name, given=names)
        written = write_config(arguments.config, new_run)
    say(*summary(new_run, written))


def look(arguments: argparse.Namespace) -> Intake:
    """What the names of the original files tell."""
    refuse_packed(arguments.original)
    tables = {"speakers": arguments.speakers, "transcripts": arguments.transcripts}
    return read(arguments.original.absolute(), pattern=arguments.pattern, **tables)


def parse(text: str, flag: str = "--protected") -> tuple[str, Path]:
    """NAME=DIR as (name, Path)."""
    name, separator, folder = text.partition("=")
    if not (name and separator and folder):
        raise BadInput(f"{flag} {text}: expected NAME=DIR, such as mine=/data/mine")
    return name, Path(folder)


def parse_method(text: str) -> tuple[str, str]:
    """[NAME=]FILE.py:FUNCTION as (name, the function with its absolute path)."""
    name, separator, function = text.rpartition("=")
    path, colon, attribute = function.rpartition(":")
    if not (path and colon and attribute):
        raise BadInput(
            f"--method {text}: expected NAME=FILE.py:FUNCTION, such as mine.py:anonymise"
        )
    if not Path(path).is_file():
        raise BadInput(f"--method {text}: {path} not found")
    return name if separator else Path(path).stem, f"{Path(path).absolute()}:{attribute}"


if __name__ == "__main__":
    run(main)
