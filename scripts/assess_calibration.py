"""voiceprivacy.jobs.assess_calibration, for a checkout."""

from voiceprivacy.jobs.assess_calibration import assess_calibration
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(assess_calibration)
