"""A part or one shard of it, and plug-ins to anonymise it with."""

import sys

from support.sounds import RATE
from voiceprivacy.anonymise.part import anonymise_part, anonymise_shard

REVERSED = {"function": "workflow/resources/plugins/reversed.py:anonymise"}


def run_shard(original, anonymiser, folder, *, shard=0, shards=1):
    manifest = folder / f"shards/{shard}.tsv"
    numbers = {"seed": 1, "sample_rate": RATE, "threads": 1, "shard": shard, "shards": shards}
    anonymise_shard(
        original, anonymiser, **numbers, audio_dir=folder / f"wav/{shard}", output_manifest=manifest
    )
    return manifest


def run_part(original, anonymiser, folder, *, manifest=None, **options):
    paths = {"audio_dir": folder / "wav/0", "output_manifest": folder / "manifest.tsv"}
    options = {"original": original, "seed": 1, "sample_rate": RATE, "threads": 1} | options
    anonymise_part(manifest or original, anonymiser, **options, **paths)
    return paths["output_manifest"]


def command_that(folder, change):
    """A command that copies the input manifest after ``change`` of its rows."""
    script = folder / "command.py"
    script.write_text(
        "import sys\n"
        "paths = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "header, *rows = [line.split('\\t') for line in open(paths['--manifest'])]\n"
        f"{change}\n"
        "lines = ['\\t'.join(row) for row in [header, *rows]]\n"
        "open(paths['--output-manifest'], 'w').writelines(lines)\n"
    )
    return {"command": f"{sys.executable} {script}"}
