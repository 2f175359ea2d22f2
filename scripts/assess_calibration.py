"""voiceprivacy.jobs.assess_calibration, for a checkout."""

from voiceprivacy.jobs.assess_calibration import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
