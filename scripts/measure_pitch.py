"""voiceprivacy.jobs.measure_pitch, for a checkout."""

from voiceprivacy.jobs.measure_pitch import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
