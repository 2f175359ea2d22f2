"""voiceprivacy.jobs.assess_verification, for a checkout."""

from voiceprivacy.jobs.assess_verification import assess_verification
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(assess_verification)
