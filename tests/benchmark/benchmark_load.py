"""What a large corpus takes: 10,400 and 104,000 utterances through every stage, memory and time.

    python tests/benchmark/benchmark_load.py [--speakers 100 1000] [--folder DIR]

A Kaldi directory of half-second files (104 a speaker, hard links), an anonymiser that links, an
extractor that draws; five utterances enrol a speaker, every other one is tried against its own and
nine other speakers. The stages are the workflow's own commands, one after the other on one thread.
Matrices of all pairs, which grow with the square, are not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import numpy as np

from voiceprivacy.inout import audio

UTTERANCES, ENROLLED, IMPOSTORS = 104, 5, 9
PLUGINS = f"{sys.executable} {ROOT / 'tests/benchmark/load_plugins.py'}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speakers", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    arguments = parser.parse_args()

    measured = {}
    for n_speakers in arguments.speakers:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            data = write_corpus(Path(folder) / "data", n_speakers)
            measured[n_speakers] = {
                name: measure(command, folder)
                for name, command in stages(Path(folder), data).items()
            }
    sizes = [f"{n_speakers * UTTERANCES:,} utterances" for n_speakers in measured]
    print("| stage | " + " | ".join(f"{size}: s | MB" for size in sizes) + " |")
    print("|---" * (1 + 2 * len(sizes)) + "|")
    for stage in next(iter(measured.values())):
        numbers = []
        for measured_stages in measured.values():
            seconds, megabytes = measured_stages[stage]
            numbers.append(f"{seconds:.1f} | {megabytes:.0f}")
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


def stages(folder, data):
    """{stage: command line} of the workflow's rules on one list of trials."""
    source, protocol = json.dumps({"kaldi": str(data)}), json.dumps({"given": {"all": str(data)}})
    corpus = ["--source", source, "--protocol", protocol]
    commands = {"validate_corpus": ["validate_corpus", *corpus, "--checks", "checks.tsv"]}
    for part in ("enrolment", "trial"):
        outputs = ["--manifest", f"original/{part}.tsv", "--audio-dir", f"original/{part}"]
        commands[f"prepare_part, {part}"] = ["prepare_part", *corpus, "--part", part, *outputs]
    lists = [
        "--output-trials",
        "trials.tsv",
        "--output-enrolments",
        "enrolments.tsv",
        "--output-speakers",
        "ids.tsv",
    ]
    manifests = ["--enrolment", "original/enrolment.tsv", "--trial", "original/trial.tsv"]
    commands["list_trials"] = ["list_trials", *corpus, "--trials", "all", *manifests, *lists]
    anonymiser = json.dumps({"command": f"{PLUGINS} anonymise"})
    shard = ["--audio-dir", "protected/wav", "--output-manifest", "protected/shard.tsv"]
    original = "original/trial.tsv"
    commands["anonymise_part"] = [
        "anonymise_part",
        "--manifest",
        original,
        "--anonymiser",
        anonymiser,
        "--seed",
        "0",
        *shard,
    ]
    shards = ["--shards", "protected/shard.tsv", "--manifest", "protected/trial.tsv"]
    commands["gather_manifests"] = ["gather_manifests", "--original", original, *shards]
    for name, manifest in (
        ("enrolment", "original/enrolment"),
        ("protected trial", "protected/trial"),
    ):
        outputs = ["--manifest", f"{manifest}.tsv", "--embeddings", f"{manifest}.npz"]
        commands[f"extract_embeddings, {name}"] = [
            "extract_embeddings",
            "--command",
            f"{PLUGINS} embed",
            *outputs,
        ]
    embeddings = ["--enrolment", "original/enrolment.npz", "--trial", "protected/trial.npz"]
    tables = [
        "--trials",
        "trials.tsv",
        "--enrolments",
        "enrolments.tsv",
        "--backend",
        "cosine",
        "--scores",
        "scores.tsv",
    ]
    commands["score_trials"] = ["score_trials", *embeddings, *tables]
    for family in ("verification", "zebra"):
        outputs = ["--speakers", "ids.tsv", "--bootstrap", "1000", "--metrics", f"{family}.json"]
        commands[f"assess_{family}"] = [f"assess_{family}", "--scores", "scores.tsv", *outputs]
    return {
        stage: [sys.executable, str(ROOT / "scripts" / f"{script}.py"), *words]
        for stage, (script, *words) in commands.items()
    }


def measure(command, folder):
    """Seconds, and peak memory in MB of the largest process that a command starts."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: {said[-2000:]}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
