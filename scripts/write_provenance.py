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
    parser.add_argument(
        "--benchmarks", type=Path, help="folder of Snakemake's benchmark files, one folder a rule"
    )
    parser.add_argument("--provenance", required=True, type=Path, help="JSON to write")
    arguments = parser.parse_args()

    config = parse_config(arguments.config)
    made_from = provenance(config=config, files=arguments.files, benchmarks=arguments.benchmarks)
    write_json(arguments.provenance, made_from)
    say(f"wrote {arguments.provenance}")


if __name__ == "__main__":
    run(main)
