"""voiceprivacy.jobs.validate, for a checkout."""

from voiceprivacy.jobs.validate import validate
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(validate)
