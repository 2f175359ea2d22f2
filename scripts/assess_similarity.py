"""voiceprivacy.jobs.assess_similarity, for a checkout."""

from voiceprivacy.jobs.assess_similarity import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
