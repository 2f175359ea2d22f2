"""The job fetch_subset."""

from pathlib import Path

from voiceprivacy import kinds
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.placeholders import expand
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running.adapter import run


def fetch_subset(
    *,
    kind: str,
    subset: str,
    root: Path,
    address: str | None = None,
    done: str,
) -> None:
    """Download a part of a published corpus, unless it is there.

    It comes in pieces that a second call resumes, and is checked by what is published of it.

    Parameters
    ----------
    kind : of the corpus, such as librispeech
    subset : name of the part, such as test-clean
    root : folder that has, or gets, the part
    address : folder of the archives, instead of that where they are published
    done : TSV to write when the subset is there: subset folder
    """
    module = kinds.module_of(kind)
    if not hasattr(module, "fetch"):
        raise BadInput(f"--kind {kind}: no part of it can be downloaded")
    folder = module.fetch(subset, root=root, address=expand(address))
    write_table(done, ["subset", "folder"], [(subset, folder)])


if __name__ == "__main__":
    run(fetch_subset)
