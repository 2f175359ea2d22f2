"""voiceprivacy.jobs.score_trials, for a checkout."""

from voiceprivacy.jobs.score_trials import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
