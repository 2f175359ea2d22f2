"""voiceprivacy.jobs.measure_voices, for a checkout."""

from voiceprivacy.jobs.measure_voices import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
