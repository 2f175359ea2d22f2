"""The one command: ``voiceprivacy run ...`` is ``scripts/run.py ...``.

envs/voiceprivacy.sh, which lies in .venv/bin, calls this script with the words behind its name.
"""

import argparse
import importlib
import sys

from voiceprivacy.running.command import run

COMMANDS = {"run": "run"}  # a word, and the script of this folder that does it


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="voiceprivacy",
        description="How well does anonymised speech protect its speakers?",
        epilog="voiceprivacy COMMAND --help says more of each.",
    )
    parser.add_argument("command", choices=COMMANDS, help="run: the whole evaluation")
    word = parser.parse_args(sys.argv[1:2]).command
    sys.argv = [f"voiceprivacy {word}", *sys.argv[2:]]
    run(importlib.import_module(COMMANDS[word]).main)


if __name__ == "__main__":
    main()
