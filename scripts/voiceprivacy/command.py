"""What all commands share: how they start, and how they say that their input is wrong."""

import sys

from voiceprivacy.files import BadInput


def run(main):
    """Call ``main``; bad input becomes one line on stderr and exit code 2."""
    try:
        main()
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
