"""voiceprivacy.jobs.extract_embeddings, for a checkout."""

from voiceprivacy.jobs.extract_embeddings import extract_embeddings
from voiceprivacy.running.adapter import run

if __name__ == "__main__":
    run(extract_embeddings)
