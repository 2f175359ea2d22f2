"""voiceprivacy.jobs.measure_pitch, for a checkout."""

from voiceprivacy.jobs.measure_pitch import measure_pitch
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(measure_pitch)
