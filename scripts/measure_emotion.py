"""voiceprivacy.jobs.measure_emotion, for a checkout."""

from voiceprivacy.jobs.measure_emotion import measure_emotion
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(measure_emotion)
