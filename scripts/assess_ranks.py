"""voiceprivacy.jobs.assess_ranks, for a checkout."""

from voiceprivacy.jobs.assess_ranks import assess_ranks
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(assess_ranks)
