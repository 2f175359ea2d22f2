"""Write results/verdict.json: how much of the speakers' identity attackers find in every system.

docs/guide/verdict.md says how to read it.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.privacy.verdict.run_scores import RunScores
from voiceprivacy.privacy.verdict.verdict import FORMAT, Known, Thresholds, verdict_of
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--plan", required=True, type=json.loads, help="JSON: see voiceprivacy.plan.verdict"
    )
    parser.add_argument("--scores", required=True, type=Path, help="folder of score files")
    parser.add_argument("--verdict", required=True, type=Path, help="JSON to write")
    arguments = parser.parse_args()

    sets: dict[str, Any] = {}
    for corpus, options in arguments.plan["sets"].items():
        facts = verdict_of(
            RunScores(arguments.scores, corpus, options["lists"]),
            thresholds=Thresholds(**arguments.plan["thresholds"]),
            known=Known(
                learnt={name: n_learnt(files) for name, files in options["learnt"].items()},
                controls=options["controls"],
                shows_names=options["shows_names"],
            ),
        )
        facts["not_tried"] += options["not_tried"]
        facts["warnings"] += options["warnings"]
        sets[corpus] = facts
    write_json(arguments.verdict, {"format": FORMAT, "sets": sets})
    say(f"{counted(len(sets), 'set')}: {arguments.verdict}")


def n_learnt(attackers: Iterable[Iterable[str]]) -> int:
    """From how many persons that attacker learnt who learnt from most; of its parts, the fewest."""
    parts: list[list[Mapping[str, Any]]] = [list(map(read_json, files)) for files in attackers]
    return max(min(one["n_training_speakers"] for one in own) for own in parts)


if __name__ == "__main__":
    run(main)
