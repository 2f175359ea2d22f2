"""voiceprivacy.jobs.assess_zebra, for a checkout."""

from voiceprivacy.jobs.assess_zebra import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
