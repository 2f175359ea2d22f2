"""The command ``voiceprivacy`` of an installed wheel, and ``python -m voiceprivacy``."""

from voiceprivacy.jobs import main as command
from voiceprivacy.running.adapter import run


def main() -> None:
    """Call the command; exit with 2 on bad input."""
    run(command.main)


if __name__ == "__main__":
    main()
