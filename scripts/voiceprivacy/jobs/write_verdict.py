"""The job write_verdict."""

from pathlib import Path
from typing import Any

from voiceprivacy.errors import counted
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.plan.rows import PlanOfVerdict
from voiceprivacy.privacy.changes import kept_of_lists
from voiceprivacy.privacy.verdict.run_scores import judge
from voiceprivacy.privacy.verdict.verdict import FORMAT
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def write_verdict(
    *,
    plan: PlanOfVerdict,
    scores: Path,
    verdict: Path,
    evidence: Path,
) -> None:
    """Write verdict.json: how much of the speakers' identity attackers find in every system.

    docs/guide/verdict.md says how to read it.

    Parameters
    ----------
    plan : JSON: see PlanOfVerdict
    scores : folder of score files
    verdict : JSON to write
    evidence : JSON to write: what a later state of the run is compared with
    """
    sets: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for corpus, judged in judge(plan, scores):
        sets[corpus] = judged.facts
        kept |= kept_of_lists(judged.evidence, judged.recognised, judged.scores.speakers)
    write_json(verdict, {"format": FORMAT, "sets": sets})
    write_json(evidence, kept)
    say(f"{counted(len(sets), 'set')}: {verdict}")


if __name__ == "__main__":
    run(write_verdict)
