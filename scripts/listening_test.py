"""A listening test of a finished run: pages for listeners, and what their answers say.

make writes the pages, the codes of listeners and the key. read turns answers into utility, or into
the scores of an attack by listeners.
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted, read_lines
from voiceprivacy.running.command import print_table, require_at_least, run, say


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="make|read")
    add_make(commands)
    add_read(commands)
    arguments = parser.parse_args()
    arguments.call(arguments)


def add_make(commands: argparse._SubParsersAction) -> None:
    """The options of ``make``."""
    parser = commands.add_parser("make", help="write a test: pages, key, codes of listeners")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="of a finished run (default results)"
    )
    parser.add_argument("--corpus", required=True, help="whose speech is heard")
    parser.add_argument(
        "--kind",
        required=True,
        choices=["pairs", "quality", "clarity"],
        help="pairs: is it the same person; quality, clarity: ratings beside the original",
    )
    parser.add_argument(
        "--systems", nargs="+", default=[], help="anonymisers (default: all of the run)"
    )
    parser.add_argument(
        "--conditions",
        nargs="+",
        choices=["op", "pp"],
        default=["op", "pp"],
        help="of pairs: what the reference is, original or protected (default both)",
    )
    parser.add_argument(
        "--number",
        type=int,
        default=12,
        help="pairs of each system and condition, or screens of ratings, on a page (default 12)",
    )
    parser.add_argument(
        "--pages", type=int, default=1, help="pages, of which a listener gets one (default 1)"
    )
    parser.add_argument("--listeners", type=int, default=20, help="codes to make (default 20)")
    parser.add_argument(
        "--seconds", type=float, default=5, help="of a recording at most (default 5)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all draws (default 0)")
    parser.add_argument(
        "--introduction", help="text of the first screen, such as what listeners agree to"
    )
    parser.add_argument("--output", required=True, type=Path, help="folder to write")
    parser.set_defaults(call=make)


def add_read(commands: argparse._SubParsersAction) -> None:
    """The options of ``read``."""
    parser = commands.add_parser("read", help="turn answers into numbers and scores")
    parser.add_argument("--key", required=True, type=Path, help="key.json of the test")
    parser.add_argument("--answers", required=True, nargs="+", type=Path, help="files of listeners")
    parser.add_argument(
        "--bootstrap", type=int, default=1000, help="replicates of intervals (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of their draws (default 0)")
    parser.add_argument("--output", required=True, type=Path, help="folder to write")
    parser.set_defaults(call=read)


def make(arguments: argparse.Namespace) -> None:
    """Write a test."""
    from voiceprivacy.tools.listening_page import write_test
    from voiceprivacy.tools.listening_test import Wanted

    options = vars(arguments)
    require_at_least(1, **{name: options[name] for name in ("pages", "listeners", "seconds")})
    require_at_least(2, number=arguments.number)
    if arguments.kind == "pairs" and arguments.number % 2:
        raise BadInput(f"--number {arguments.number}: half of the pairs are of one person: even")
    introduction = read_lines(arguments.introduction) if arguments.introduction else []
    fields = {name: options[name] for name in Wanted._fields if name in options}
    fields["introduction"] = tuple(filter(None, map(str.strip, introduction)))
    for name in ("systems", "conditions"):
        fields[name] = tuple(dict.fromkeys(options[name]))
    drawn = write_test(Wanted(**fields), arguments.output)
    for note in drawn.notes:
        say(f"note: {note}")
    n_screens = len({item.screen for item in drawn.items if item.page == 1})
    say(
        f"{counted(arguments.pages, 'page')} of {counted(n_screens, 'screen')}:"
        f" {arguments.output / 'hand_out'}",
        f"codes to hand out, one to each listener: {arguments.output / 'listeners.tsv'}",
        f"the key STAYS WITH YOU, no listener may read it: {arguments.output / 'key.json'}",
    )


def read(arguments: argparse.Namespace) -> None:
    """Read answers."""
    from voiceprivacy.tools.listening_numbers import write_answers

    require_at_least(0, bootstrap=arguments.bootstrap)
    names = ("key", "answers", "bootstrap", "seed", "output")
    for table in write_answers(**{name: getattr(arguments, name) for name in names}):
        print_table(table)


if __name__ == "__main__":
    run(main)
