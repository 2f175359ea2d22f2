"""voiceprivacy.jobs.measure_emotion, for a checkout."""

from voiceprivacy.jobs.measure_emotion import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
