"""The job compare_sounds."""

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.corpora import compared_sounds
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.tables import FINDINGS, write_table
from voiceprivacy.layout import Spoken
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, say


def compare_sounds(
    *, manifests: list[Path], training: Sequence[Path] = (), threads: int = 1, checks: str
) -> None:
    """Find protected speech that is somebody's original, and training speech that is attacked.

    Parameters
    ----------
    manifests : CORPUS/PART/SYSTEM/manifest.tsv, the originals first
    training : likewise, of the original speech that attackers learn from
    threads : recordings that are heard at the same time
    checks : TSV to write: level file line what sound
    """
    require_at_least(1, threads=threads)
    listed = {path: read_manifest(path) for path in manifests}
    evaluated = list(itertools.chain.from_iterable(listed.values()))
    for path in training:
        listed[path] = compared_sounds.as_long_as(read_manifest(path), evaluated)
    sounds = []
    for path, recordings in listed.items():
        spoken = Spoken.of(path)
        sounds += compared_sounds.hear(spoken.part, spoken.system, recordings, threads=threads)
    sounds.sort(key=lambda sound: sound.system != compared_sounds.ORIGINAL)
    findings = compared_sounds.compare(sounds)
    for finding in findings:
        say(f"{finding.level}: {finding}", file=sys.stderr)
    if findings.errors():
        sys.exit(2)
    write_table(checks, FINDINGS, findings)


if __name__ == "__main__":
    run(compare_sounds)
