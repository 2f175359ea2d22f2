"""What a large corpus takes: 10,400 and 104,000 utterances through every stage, memory and time.

    python tests/benchmark/benchmark_load.py [--speakers 100 1000] [--folder DIR]

A Kaldi directory of half-second files (104 a speaker, hard links), an anonymiser that links, an
extractor that draws; five utterances enrol a speaker, every other one is tried against its own and
nine other speakers. The stages are the workflow's own commands, one after the other on one thread.
Matrices of all pairs, which grow with the square, are not.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

import numpy as np
from support import calls

from voiceprivacy.inout import audio

UTTERANCES, ENROLLED, IMPOSTORS = 104, 5, 9
PLUGINS = f"{sys.executable} {ROOT / 'tests/benchmark/load_plugins.py'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speakers", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    arguments = parser.parse_args()

    measured = {stage: [] for stage in STAGES}
    for n_speakers in arguments.speakers:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            data = write_corpus(Path(folder) / "data", n_speakers)
            for stage, command in stages(data).items():
                seconds, megabytes = measure(command, folder)
                measured[stage].append(f"{seconds:.1f} | {megabytes:.0f}")
    sizes = [f"{n_speakers * UTTERANCES:,} utterances: s | MB" for n_speakers in arguments.speakers]
    print(f"| stage | {' | '.join(sizes)} |")
    print("|---" * (1 + 2 * len(sizes)) + "|")
    for stage, numbers in measured.items():
        print(f"| {stage} | {' | '.join(numbers)} |")


def write_corpus(folder, n_speakers):
    """Write a Kaldi directory with its trials; every speaker has one recording under many names."""
    (folder / "wav").mkdir(parents=True)
    lines = {"wav.scp": [], "utt2spk": [], "spk2gender": [], "enrolls": [], "trials": []}
    speakers = [f"s{number:04d}" for number in range(n_speakers)]
    for number, speaker in enumerate(speakers):
        first = folder / "wav" / f"{speaker}.flac"
        audio.write(first, np.random.default_rng(number).normal(0, 0.05, 8000), 16000)
        lines["spk2gender"].append(f"{speaker} {'fm'[number % 2]}")
        others = [speakers[(number + step) % n_speakers] for step in range(1, IMPOSTORS + 1)]
        for index in range(UTTERANCES):
            name = f"{speaker}-{index:04d}"
            os.link(first, folder / "wav" / f"{name}.flac")
            lines["wav.scp"].append(f"{name} {folder}/wav/{name}.flac")
            lines["utt2spk"].append(f"{name} {speaker}")
            if index < ENROLLED:
                lines["enrolls"].append(name)
            else:
                lines["trials"].append(f"{speaker} {name} target")
                lines["trials"] += [f"{other} {name} nontarget" for other in others]
    for name, rows in lines.items():
        (folder / name).write_text("\n".join(rows) + "\n")
    return folder


# What each stage is called with, in a folder that has the files of those before.
STAGES = {
    "validate_corpus": "validate_corpus CORPUS --checks checks.tsv",
    "prepare_part, enrolment": "prepare_part CORPUS --part enrolment"
    " --manifest original/enrolment.tsv --audio-dir original/enrolment",
    "prepare_part, trial": "prepare_part CORPUS --part trial"
    " --manifest original/trial.tsv --audio-dir original/trial",
    "list_trials": "list_trials CORPUS --trials all --enrolment original/enrolment.tsv"
    " --trial original/trial.tsv --output-trials trials.tsv --output-enrolments enrolments.tsv"
    " --output-speakers ids.tsv",
    "anonymise_part": "anonymise_part --manifest original/trial.tsv --anonymiser ANONYMISER"
    " --seed 0 --audio-dir protected/wav --output-manifest protected/shard.tsv",
    "gather_manifests": "gather_manifests --original original/trial.tsv"
    " --shards protected/shard.tsv --manifest protected/trial.tsv",
    "extract_embeddings, enrolment": "extract_embeddings --command EXTRACTOR"
    " --manifest original/enrolment.tsv --embeddings original/enrolment.npz",
    "extract_embeddings, protected trial": "extract_embeddings --command EXTRACTOR"
    " --manifest protected/trial.tsv --embeddings protected/trial.npz",
    "score_trials": "score_trials --enrolment original/enrolment.npz --trial protected/trial.npz"
    " --trials trials.tsv --enrolments enrolments.tsv --backend cosine --scores scores.tsv",
    "assess_verification": "assess_verification --scores scores.tsv --speakers ids.tsv"
    " --bootstrap 1000 --metrics verification.json",
    "assess_zebra": "assess_zebra --scores scores.tsv --speakers ids.tsv"
    " --bootstrap 1000 --metrics zebra.json",
}


def stages(data):
    """{stage: command line} of the workflow's rules on one list of trials."""
    source, protocol = json.dumps({"kaldi": str(data)}), json.dumps({"given": {"all": str(data)}})
    long = {
        "CORPUS": ["--source", source, "--protocol", protocol],
        "ANONYMISER": [json.dumps({"command": f"{PLUGINS} anonymise"})],
        "EXTRACTOR": [f"{PLUGINS} embed"],
    }
    commands = {}
    for stage, text in STAGES.items():
        script, *words = text.split()
        words = itertools.chain.from_iterable(long.get(word, [word]) for word in words)
        commands[stage] = [sys.executable, *calls.module(script), *words]
    return commands


def measure(command, folder):
    """Seconds, and peak memory in MB of the largest process that a command starts."""
    start = time.monotonic()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=folder, env=calls.with_package(), **streams)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: {said[-2000:]}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
