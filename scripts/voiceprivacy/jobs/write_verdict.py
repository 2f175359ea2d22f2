"""The job write_verdict."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.privacy.changes import kept_of_lists
from voiceprivacy.privacy.verdict.run_scores import RunScores
from voiceprivacy.privacy.verdict.verdict import FORMAT, Known, Thresholds, verdict_of
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def write_verdict(
    *,
    plan: dict,
    scores: Path,
    verdict: Path,
    evidence: Path,
) -> None:
    """Write verdict.json: how much of the speakers' identity attackers find in every system.

    docs/guide/verdict.md says how to read it.

    Parameters
    ----------
    plan : JSON: see voiceprivacy.plan.verdict
    scores : folder of score files
    verdict : JSON to write
    evidence : JSON to write: what a later state of the run is compared with
    """
    sets: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for corpus, options in plan["sets"].items():
        of_corpus = RunScores(scores, corpus, options["lists"])
        measured: dict[str, Any] = {}
        facts = verdict_of(
            of_corpus,
            thresholds=Thresholds(**plan["thresholds"]),
            known=Known(
                learnt={name: n_learnt(files) for name, files in options["learnt"].items()},
                controls=options["controls"],
                shows_names=options["shows_names"],
                leaks=options["leaks"],
            ),
            evidence=measured,
        )
        facts["not_tried"] += options["not_tried"]
        facts["warnings"] += options["warnings"]
        sets[corpus] = facts
        kept |= kept_of_lists(measured, of_corpus.speakers)
    write_json(verdict, {"format": FORMAT, "sets": sets})
    write_json(evidence, kept)
    say(f"{counted(len(sets), 'set')}: {verdict}")


def n_learnt(attackers: Iterable[Iterable[str]]) -> int:
    """From how many persons that attacker learnt who learnt from most; of its parts, the fewest."""
    parts: list[list[Mapping[str, Any]]] = [list(map(read_json, files)) for files in attackers]
    return max(min(one["n_training_speakers"] for one in own) for own in parts)


if __name__ == "__main__":
    run(write_verdict)
