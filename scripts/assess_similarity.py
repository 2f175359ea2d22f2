"""voiceprivacy.jobs.assess_similarity, for a checkout."""

from voiceprivacy.jobs.assess_similarity import assess_similarity
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(assess_similarity)
