"""voiceprivacy.jobs.anonymise_mcadams, for a checkout."""

from voiceprivacy.jobs.anonymise_mcadams import anonymise_mcadams
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(anonymise_mcadams)
