"""The job gather_manifests."""

from voiceprivacy.anonymise import joining
from voiceprivacy.errors import counted
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def gather_manifests(
    *,
    original: str,
    shards: list[str],
    manifest: str,
    first_run: str | None = None,
) -> None:
    """Join the shards of an anonymised part into one manifest, in the original's order.

    Parameters
    ----------
    original : manifest of the original speech
    shards : manifests of the shards
    manifest : TSV to write; coefficients (.alphas.tsv) go beside it
    first_run : manifest of the anonymiser's first run: its audio must be another
    """
    joined = joining.gather_manifests(original, shards, manifest, first_run=first_run)
    of_shards = f"{counted(len(joined), 'utterance')} of {counted(len(shards), 'shard')}"
    say(f"{of_shards}: {manifest}")


if __name__ == "__main__":
    run(gather_manifests)
