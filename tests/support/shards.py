"""One shard of a part, and plug-ins to anonymise it with."""

import sys

from support.sounds import RATE
from voiceprivacy.anonymise.part import anonymise_shard

REVERSED = {"function": "workflow/resources/plugins/reversed.py:anonymise"}
COPY = {"command": f"{sys.executable} workflow/resources/plugins/copy_speech.py"}


def run_shard(original, anonymiser, folder, *, shard=0, shards=1, seed=1, sample_rate=RATE):
    manifest = folder / f"shards/{shard}.tsv"
    numbers = {
        "seed": seed,
        "shard": shard,
        "shards": shards,
        "sample_rate": sample_rate,
        "threads": 1,
    }
    anonymise_shard(
        original, anonymiser, **numbers, audio_dir=folder / f"wav/{shard}", output_manifest=manifest
    )
    return manifest
