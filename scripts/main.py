"""voiceprivacy.jobs.main, for a checkout."""

from voiceprivacy.jobs.main import main
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(main)
