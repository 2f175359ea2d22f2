"""The job write_provenance."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.provenance import record
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def write_provenance(
    *,
    config: str,
    files: Sequence[Path] = (),
    results: Path | None = None,
    provenance: Path,
) -> None:
    """Write what numbers were made from: config, versions, models, trial lists, seeds, machine.

    Parameters
    ----------
    config : the config as used, as JSON text
    files : models and trial lists to take the SHA-256 of
    results : folder of the run, whose files are listed
    provenance : JSON to write
    """
    used = record.parse_config(config)
    made_from = record.provenance(config=used, files=files, results=results)
    write_json(provenance, made_from)
    say(f"wrote {provenance}")


if __name__ == "__main__":
    run(write_provenance)
