"""What has changed between two states of results, as lines of text for a terminal."""

from pathlib import Path

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.privacy.changes import changes
from voiceprivacy.provenance.record import PROVENANCE, edits, read_provenance
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.terminal import columns, headed
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.verdict import FILE, read_verdict
from voiceprivacy.report.verdict_words import (
    CHANGE_COLUMNS,
    NOT_COMPARED,
    SAME_EVIDENCE,
    SINCE,
    change_cells,
)


def since_last_run(previous: Path, results: Path) -> list[str]:
    """What a run has changed; nothing if nothing has, and a line where states are not compared."""
    try:
        lines = change_lines(previous, results)
    except BadInput as error:
        lines = [NOT_COMPARED.format(error)]
    return ["", SINCE.format("Since the last run"), *lines] if lines else []


def change_lines(*states: Path) -> list[str]:
    """A line for each system whose evidence has changed, and what has in config and code.

    Parameters
    ----------
    states : folders of results, old and new

    Raises
    ------
    BadInput : nothing can be compared, or a file is missing
    """
    compared = changes(*(read_json(folder / "evidence.json") for folder in states))
    facts = [_facts(folder) for folder in states]
    has_lists = len({change.trial_list for change in compared}) > 1
    rows = []
    for change in compared:
        if any(change.difference):
            name = f"{change.system} ({change.trial_list})" if has_lists else change.system
            key = change.trial_list.partition("/")[0], change.system
            others = (known[key] for known in facts)
            numbers = (change.right, change.evidence, change.difference)
            rows.append((name, *change_cells(*numbers, *others)))
    edited = edits(*(read_provenance(folder / PROVENANCE) for folder in states))
    if not (rows or any(edited)):
        return []
    lines = columns([CHANGE_COLUMNS, *rows]) if rows else [SAME_EVIDENCE]
    for title, names in zip(("Config", "Code"), edited, strict=True):
        lines += headed(title, [listed(names)]) if names else []
    return lines


def _facts(folder):
    """{(set, system): {"": words of its state, measure of utility: its value}}."""
    facts = {}
    for judged in read_verdict(folder / FILE, numbers=read_metrics(folder / "metrics.tsv")).sets:
        for row in judged.rows:
            own = facts[judged.name, row.system] = {"": row.words}
            if row.utility:
                own[METRICS[judged.utility.key].title] = row.utility.text
    return facts
