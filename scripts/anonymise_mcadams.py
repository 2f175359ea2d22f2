"""voiceprivacy.jobs.anonymise_mcadams, for a checkout."""

from voiceprivacy.jobs.anonymise_mcadams import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
