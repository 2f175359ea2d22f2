"""The job verdict."""

import sys
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.enrolments import read_speakers
from voiceprivacy.inout.ids import namer_of_sessions
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.score_tables import add_scores
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.privacy.verdict.verdict import FORMAT, verdict_of
from voiceprivacy.report.terminal import is_shortened, lines_of_set
from voiceprivacy.report.verdict import judged_of
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import ORIGINAL

MORE_BY = "What is left out: --whole."


def verdict(
    *,
    scores: list[Path],
    speakers: Path,
    system: str | None = None,
    attacker: str | None = None,
    condition: str | None = None,
    list: str | None = None,
    recording: str | None = None,
    set: str = "scores",
    output: Path | None = None,
    whole: bool = False,
) -> None:
    """The verdict on score files of any origin: how much identity do attackers find?

    The table has the columns system, attacker, condition, list, enrolment, trial, label and score,
    in any order. The system `original` is unprotected speech. Conditions are oo (of original), op,
    pp and rr (released recordings against each other).

    Parameters
    ----------
    scores : TSV or CSV of scores
    speakers : TSV or CSV: id speaker
    system : of files without this column
    attacker : of files without this column
    condition : of files without this column
    list : of files without this column
    recording : pattern whose first group, in an id, names the session or channel
    set : what the set is called
    output : JSON to write, such as verdict.json
    whole : all that there is to say, however many lines it takes
    """
    table = ScoreTable(read_speakers(speakers), namer_of_sessions(recording))
    given = {"system": system, "attacker": attacker, "condition": condition, "list": list}
    for path in scores:
        if warning := add_scores(path, given, table.speaker_of, table.scores):
            say(f"warning: {path}: {warning}", file=sys.stderr)
    if not {*table.systems()} - {ORIGINAL}:
        raise BadInput(f"{scores[0]}: no scores of a protected system: add them under op, pp or rr")
    facts = verdict_of(table)
    if output:
        write_json(output, {"format": FORMAT, "sets": {set: facts}})
    judged = judged_of(set, facts)
    lines = lines_of_set(judged, spare=1, whole=whole)
    say(*lines, *([MORE_BY] if is_shortened(lines) else []))


if __name__ == "__main__":
    run(verdict)
