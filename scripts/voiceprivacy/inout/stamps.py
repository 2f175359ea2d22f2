"""Whether the recordings that a manifest names are still those it was made from.

stamps.tsv beside a manifest has size and time of change of every file that lies elsewhere, which others may change
during a run of hours (what lies below the manifest's folder is the workflow's own). Whoever has read the audio of the
manifest compares them afterwards. That takes one look at every file and reads none: one to two seconds for 100,000
on a local disk. A change that keeps both size and time is not seen; checksums would read everything once more.
"""

import contextlib
import os
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest, read_rows, write_table

STAMPS = ["utterance", "bytes", "modified_ns"]


def write_stamps(manifest, utterances):
    """Write stamps.tsv beside a manifest (path) of ``utterances`` (list of tables.Utterance)."""
    folder = os.path.abspath(Path(manifest).parent)
    outside = [of for of in utterances if not Path(os.path.abspath(of.path)).is_relative_to(folder)]
    write_table(_stamps(manifest), STAMPS, [(of.utterance, *_stamp(of.path)) for of in outside])


@contextlib.contextmanager
def watched(manifest):
    """Give the utterances of a manifest (path) to a block that reads their audio, and compare the stamps after it."""
    utterances = read_manifest(manifest)
    yield utterances
    refuse_changed(manifest, utterances)


def refuse_changed(manifest, utterances):
    """Compare the files of ``utterances`` with the stamps beside their manifest (path), where there are some.

    Raises
    ------
    BadInput : a file is gone or not what it was
    """
    if not _stamps(manifest).exists():
        return
    stamps = {
        row["utterance"]: (row["bytes"], row["modified_ns"])
        for _, row in read_rows(_stamps(manifest), STAMPS)
    }
    for of in utterances:
        known = stamps.get(of.utterance)
        if known and tuple(map(str, _stamp(of.path))) != known:
            raise BadInput(
                f"{of.path}: has changed since {manifest} was made (utterance '{of.utterance}'): remove that manifest"
                " and run again, so that everything is made from the same speech"
            )


def _stamps(manifest):
    return Path(manifest).with_name("stamps.tsv")


def _stamp(path):
    try:
        status = Path(path).stat()
    except OSError:
        return "gone", "-"
    return status.st_size, status.st_mtime_ns
