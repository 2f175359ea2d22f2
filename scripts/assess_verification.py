"""voiceprivacy.jobs.assess_verification, for a checkout."""

from voiceprivacy.jobs.assess_verification import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
