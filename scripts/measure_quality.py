"""voiceprivacy.jobs.measure_quality, for a checkout."""

from voiceprivacy.jobs.measure_quality import measure_quality
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(measure_quality)
