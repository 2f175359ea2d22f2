"""The job compare_speakers."""

import sys

from voiceprivacy.corpora import training_checks
from voiceprivacy.corpora.listing import Source
from voiceprivacy.inout.tables import FINDINGS, write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def compare_speakers(
    *,
    evaluated: dict[str, training_checks.Evaluated],
    training: dict[str, Source],
    learnt: dict[str, int] | None = None,
    least: dict[str, training_checks.Least] | None = None,
    checks: str,
) -> None:
    """Check training speech: no speaker of it is evaluated, whom attackers would know already.

    There must be enough of it to learn from.

    Parameters
    ----------
    evaluated : JSON {"corpus": {"source": ..., "protocol": ...}}, both as in the config
    training : JSON {"corpus": source}, likewise
    learnt : JSON {"corpus": utterances that some speaker must have}, where speakers are learnt
    least : JSON {"corpus": [speakers, utterances]} that there must be in all, for PLDA
    checks : TSV to write: level file line what sound
    """
    findings = training_checks.compare_speakers(evaluated, training)
    findings += training_checks.check_learnt(training, learnt or {}, least or {})
    for finding in findings:
        say(f"{finding.level}: {finding}", file=sys.stderr)
    if findings:  # all of them are errors
        sys.exit(2)
    write_table(checks, FINDINGS, findings)


if __name__ == "__main__":
    run(compare_speakers)
