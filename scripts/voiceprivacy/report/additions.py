"""What the page shows besides the run's attacks, if it is given: utility, clips to listen to, published numbers."""

from pathlib import Path

from voiceprivacy.report.examples import read_examples
from voiceprivacy.report.expected import read_comparison
from voiceprivacy.report.published import read_published, tables_of
from voiceprivacy.report.utility import read_utility, utility_section


def add_arguments(parser):
    """Add the arguments that name their files."""
    parser.add_argument("--expected", type=Path, help="TSV of compare_expected")
    parser.add_argument("--utility", nargs="*", type=Path, help="TSVs of assess_utility (none: nothing was measured)")
    parser.add_argument("--listen", nargs="*", default=[], type=Path, help="JSONs of embed_audio")
    parser.add_argument("--published", type=Path, help="TSV of compare_published")


def sections(arguments):
    """Read those files: {expected, utility, listen, published}, as the sections of these names want them."""
    return {
        "expected": read_comparison(arguments.expected) if arguments.expected else (),
        "utility": None if arguments.utility is None else utility_section(read_utility(arguments.utility)),
        "listen": read_examples(arguments.listen) or None,
        "published": (tables_of(read_published(arguments.published)) or None) if arguments.published else None,
    }
