"""voiceprivacy.jobs.measure_quality, for a checkout."""

from voiceprivacy.jobs.measure_quality import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
