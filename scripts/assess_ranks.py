"""voiceprivacy.jobs.assess_ranks, for a checkout."""

from voiceprivacy.jobs.assess_ranks import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
