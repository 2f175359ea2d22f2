"""Write what numbers were made from: config, versions, models, trial lists, seeds, machine."""

import argparse
from pathlib import Path

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.provenance.record import parse_config, provenance
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the config as used, as JSON text")
    parser.add_argument(
        "--files",
        nargs="*",
        default=[],
        type=Path,
        help="models and trial lists to take the SHA-256 of",
    )
    parser.add_argument("--results", type=Path, help="folder of the run, whose files are listed")
    parser.add_argument("--provenance", required=True, type=Path, help="JSON to write")
    arguments = parser.parse_args()

    config = parse_config(arguments.config)
    made_from = provenance(config=config, files=arguments.files, results=arguments.results)
    write_json(arguments.provenance, made_from)
    say(f"wrote {arguments.provenance}")


if __name__ == "__main__":
    run(main)
