"""voiceprivacy.jobs.measure_recogniser, for a checkout."""

from voiceprivacy.jobs.measure_recogniser import measure_recogniser
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(measure_recogniser)
