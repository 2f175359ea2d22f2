"""voiceprivacy.jobs.measure_closed_text, for a checkout."""

from voiceprivacy.jobs.measure_closed_text import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
