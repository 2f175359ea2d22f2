"""voiceprivacy.jobs.validate, for a checkout."""

from voiceprivacy.jobs.validate import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
