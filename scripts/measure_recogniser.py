"""voiceprivacy.jobs.measure_recogniser, for a checkout."""

from voiceprivacy.jobs.measure_recogniser import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
