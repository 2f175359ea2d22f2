"""voiceprivacy.jobs.measure_voices, for a checkout."""

from voiceprivacy.jobs.measure_voices import measure_voices
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(measure_voices)
