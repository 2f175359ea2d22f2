"""voiceprivacy.jobs.score_trials, for a checkout."""

from voiceprivacy.jobs.score_trials import score_trials
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(score_trials)
