"""The job fetch_subset."""

from pathlib import Path

from voiceprivacy.corpora.kinds import librispeech
from voiceprivacy.inout.placeholders import expand
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running.adapter import run


def fetch_subset(
    *,
    subset: str,
    root: Path,
    address: str = librispeech.ADDRESS,
    done: str,
) -> None:
    """Download a subset of LibriSpeech, unless it is there.

    It comes in pieces that a second call resumes, and is checked by its MD5.

    Parameters
    ----------
    subset : name of a subset, such as test-clean
    root : folder that has, or gets, SPEAKERS.TXT and the subset
    address : folder of the archives
    done : TSV to write when the subset is there: subset folder
    """
    archive = librispeech.published_archive(subset)
    librispeech.fetch_subset(archive, root=root, address=expand(address))
    folder = root / subset
    write_table(done, ["subset", "folder"], [(subset, folder)])


if __name__ == "__main__":
    run(fetch_subset)
