"""Where the files of a run lie: every path below its folder results/ that Python names.

Rule files hold the same paths as literal patterns. In a module with a ``prefix:`` Snakemake puts
the prefix before those patterns; common.smk puts it into ``root``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.vocabulary import Attack


class Layout:
    """The paths of one run.

    Parameters
    ----------
    root : the folder of its results
    mark : makes of a path what Snakemake puts no prefix before
    """

    def __init__(self, root: str | Path = "results", mark: Callable[[str], str] = str) -> None:
        self.root = str(root)
        self.mark = mark

    def path(self, below: str) -> str:
        """Any file or folder of the run, by its path below ``root``."""
        return self.mark(f"{self.root}/{below}")

    def speech(self, corpus: str, part: str, system: str, table: str = "manifest") -> str:
        """A table about one part of a corpus as a system speaks it."""
        return self.path(f"audio/{corpus}/{part}/{system}/{table}.tsv")

    def trials(self, corpus: str, trials: str, table: str = "") -> str:
        """A trial list, or a table beside it: enrolments, speakers, release."""
        return self.path(f"trials/{corpus}/{trials}{table and f'.{table}'}.tsv")

    def embeddings(self, corpus: str, part: str, system: str, extractor: str) -> str:
        """Embeddings of one part of a corpus."""
        return self.path(f"embeddings/{corpus}/{part}/{system}/{extractor}.npz")

    def scores(self, attack: Attack, system: str, condition: str) -> str:
        """Scores of an attack on a system under one condition."""
        return self.path(f"scores/{attack.path(system)}/{condition}.tsv")

    def metrics(self, family: str, attack: Attack, system: str, ending: str = "json") -> str:
        """Metrics of an attack on a system, or their intervals (ending intervals.json)."""
        return self.path(f"metrics/{family}/{attack.path(system)}.{ending}")


class Spoken(NamedTuple):
    """Whose speech a manifest lists, by its path FOLDER/CORPUS/PART/SYSTEM/manifest.tsv."""

    folder: Path
    corpus: str
    part: str
    system: str

    @classmethod
    def of(cls, manifest: str | Path) -> "Spoken":
        """The fields of a path; BadInput where folders are missing in it."""
        path = Path(manifest)
        if len(path.parts) < 4:
            raise BadInput(f"{manifest}: expected CORPUS/PART/SYSTEM/manifest.tsv")
        return cls(path.parents[3], *path.parts[-4:-1])


HERE = Layout()  # of a run that is no module with a prefix
