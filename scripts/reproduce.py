"""Check this checkout against a run's provenance.json: can it repeat the run, and if not, what differs?"""

import argparse
import sys
from pathlib import Path

import yaml

from voiceprivacy.inout.files import BadInput, read_json, whole_or_absent
from voiceprivacy.provenance.reproduction import differences
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="Exit code: 0 the same, 1 something differs."
    )
    parser.add_argument("provenance", type=Path, help="provenance.json of the run")
    parser.add_argument(
        "--directory", type=Path, help="where that run's paths start (default: above results/)"
    )
    parser.add_argument(
        "--config", type=Path, help="YAML to write: the config of that run, to be run again"
    )
    arguments = parser.parse_args()

    then = read_json(arguments.provenance)
    if not isinstance(then, dict) or "git_commit" not in then or "config" not in then:
        raise BadInput(f"{arguments.provenance}: is no provenance.json (no git_commit, no config)")
    if arguments.config:
        write_config(arguments.config, then)
    directory = arguments.directory or arguments.provenance.absolute().parents[1]
    decisive, machine = differences(then, directory=directory)
    for title, rows in (
        ("Differs", decisive),
        ("Another machine (last digits may differ)", machine),
    ):
        if rows:
            print(f"{title}:")
        for name, before, now in rows:
            print(f"    {name}\n        run   {before}\n        here  {now}")
    if decisive:
        sys.exit(1)
    print(
        f"Nothing that decides differs: commit {then['git_commit']}, {len(then.get('sha256', {}))} files."
    )


def write_config(path, then):
    about = f"# Run of {then.get('created', 'an unknown day')}, commit {then['git_commit']}; every default is filled in."
    text = yaml.safe_dump(then["config"], sort_keys=False, allow_unicode=True)
    with whole_or_absent(path) as temporary:
        temporary.write_text(f"{about}\n{text}", encoding="utf-8")
    print(f"wrote {path}: snakemake --cores all --configfile {path}")


if __name__ == "__main__":
    run(main)
