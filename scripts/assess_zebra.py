"""voiceprivacy.jobs.assess_zebra, for a checkout."""

from voiceprivacy.jobs.assess_zebra import assess_zebra
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(assess_zebra)
