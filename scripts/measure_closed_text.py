"""voiceprivacy.jobs.measure_closed_text, for a checkout."""

from voiceprivacy.jobs.measure_closed_text import measure_closed_text
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(measure_closed_text)
