"""Hours of speech: what does a whole run take beside protecting and embedding alone?

    VOICEPRIVACY_SPEECH=/data/LibriSpeech python tests/benchmark/benchmark_hours.py [--hours 5]

Speech is cut from that of test-other, with other gains and offsets, for 40 made-up speakers. So its
numbers mean nothing; only its length counts. Three anonymisers protect it. A first call ends with
the embeddings, a second one does all the rest. Processor time is that of all processes.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import numpy as np
import yaml

from voiceprivacy.inout import audio

SPEAKERS = 40
ENROLLED = 5
SHORTEST_S, LONGEST_S = 4, 12
GAIN_DB = 6  # at most, up or down
RATE = 16000
MCADAMS = "python {scripts}/anonymise_mcadams.py --threads {threads}"
SCRIPT = "{scripts}/anonymise_mcadams.py"
WARPING = "{scripts}/voiceprivacy/anonymise/functions/warping.py"
CONFIG = {
    "corpora": {
        "hours": {
            "kaldi": "data",
            "protocol": {"enrol_trial": {"enrolment_utterances": ENROLLED, "lists": ["f", "m"]}},
        }
    },
    "anonymisers": {
        "b2": {"command": f"{MCADAMS} --alpha 0.8 --level corpus", "inputs": [SCRIPT]},
        "b2r": {"command": f"{MCADAMS} --alpha 0.7 0.9 --level speaker", "inputs": [SCRIPT]},
        "vtln": {"function": f"{WARPING}:vtln"},
    },
    "backends": {"cosine": {"type": "cosine"}},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=5)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        work = Path(folder)
        n_utterances = write_corpus(work / "data", arguments.hours * 3600 / SPEAKERS)
        (work / "config.yaml").write_text(yaml.safe_dump(CONFIG, sort_keys=False))
        embedded = run(work, arguments.cores, "--until", "extract_embeddings_of_both_parts")
        finished = run(work, arguments.cores)
    print(f"{arguments.hours:g} h of {SPEAKERS} speakers, {n_utterances} utterances")
    print("| | wall, s | processor, s |")
    print("|---|---|---|")
    print(f"| protecting and embedding | {embedded[0]:.0f} | {embedded[1]:.0f} |")
    print(f"| everything else | {finished[0]:.0f} | {finished[1]:.0f} |")
    ratios = [1 + rest / first for first, rest in zip(embedded, finished, strict=True)]
    print(f"| whole run, times the first | {ratios[0]:.2f} | {ratios[1]:.2f} |")


def write_corpus(folder: Path, seconds_each: float) -> int:
    """Write a Kaldi directory of made-up speakers: how many utterances it has."""
    sources = [recorded(path) for path in source_folders()]
    (folder / "wav").mkdir(parents=True)
    scp: list[str] = []
    utt2spk: list[str] = []
    for number in range(SPEAKERS):
        draw = np.random.default_rng(number)
        source = sources[number % len(sources)]
        left_s = seconds_each
        while left_s > 0:
            length_s = draw.uniform(SHORTEST_S, LONGEST_S)
            left_s -= length_s
            name = f"s{number:02d}-{len(utt2spk):05d}"
            begin = draw.integers(len(source) - round(length_s * RATE))
            gain = 10 ** (draw.uniform(-GAIN_DB, GAIN_DB) / 20)
            samples = source[begin : begin + round(length_s * RATE)] * gain
            path = folder / "wav" / f"{name}.flac"
            audio.write(path, np.clip(samples, -1, 1), RATE)
            scp.append(f"{name} {path}")
            utt2spk.append(f"{name} s{number:02d}")
    genders = [f"s{number:02d} {'fm'[number % 2]}" for number in range(SPEAKERS)]
    for name, lines in {"wav.scp": scp, "utt2spk": utt2spk, "spk2gender": genders}.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return len(scp)


def source_folders() -> list[Path]:
    """The folders of the speakers of test-other."""
    root = Path(os.environ["VOICEPRIVACY_SPEECH"]) / "test-other"
    return sorted(path for path in root.iterdir() if path.is_dir())


def recorded(speaker: Path) -> np.ndarray:
    """All recordings of a speaker, one after the other."""
    return np.concatenate([audio.read(path)[0] for path in sorted(speaker.rglob("*.flac"))])


def run(work: Path, cores: int, *words: str) -> tuple[float, float]:
    """Call the workflow in a folder: seconds by the clock, and of all processors."""
    start, used = time.monotonic(), children_s()
    command = [sys.executable, str(ROOT / "scripts" / "main.py"), "run", "--cores", str(cores)]
    command += ["--configfile", "config.yaml", *words]
    subprocess.run(command, cwd=work, check=True, stdout=sys.stderr)
    return time.monotonic() - start, children_s() - used


def children_s() -> float:
    """Processor time of all processes that ended below this one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
