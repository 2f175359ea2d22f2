"""The job statement."""

from pathlib import Path

from voiceprivacy.organise.statement import statement_of, write_statement
from voiceprivacy.provenance.verify import refuse_changed
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, say


def statement(
    results: Path = Path("results"),
    *,
    earlier: int | None = None,
    output: Path | None = None,
) -> None:
    """Two pages to print and sign: what attackers find at most, and until when that holds.

    It is no legal opinion. docs/guide/statement.md says how to read it.

    Parameters
    ----------
    results : folder of a finished run
    earlier : how many releases of the same persons there were before (default: not counted)
    output : folder to write statement.html and statement.json to (default: RESULTS/report)
    """
    require_at_least(0, earlier=earlier or 0)
    refuse_changed(results)
    say(*write_statement(statement_of(results, earlier), output or results / "report"))


if __name__ == "__main__":
    run(statement)
