"""voiceprivacy.jobs.extract_embeddings, for a checkout."""

from voiceprivacy.jobs.extract_embeddings import main
from voiceprivacy.running.command import run

if __name__ == "__main__":
    run(main)
