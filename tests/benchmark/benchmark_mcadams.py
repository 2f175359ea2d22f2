"""How fast McAdams is: seconds of audio a second, of a plain loop and of ours; two cores or one.

And all functions of config/anonymisers.yaml, as a share of McAdams' speed.

The two-core figure is of wall time, files read and written: it means something only where nothing
else runs.
"""

import functools
import sys
import tempfile
import time
import timeit
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "scripts"), str(ROOT / "tests")]  # this folder hides packages

import numpy as np
import yaml
from support import plain_mcadams

from voiceprivacy.anonymise.call_function import load_function
from voiceprivacy.anonymise.functions import mcadams
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.running import pools

RATE, ALPHA, ROUNDS = 16000, 0.8, 5
FILES = 100
SENTENCE = ROOT / "tests/data/mcadams/espeak2.npz"
CONFIG = ROOT / "config" / "anonymisers.yaml"
SLOWEST = 20  # seconds of audio a second that every shipped function reaches


def main():
    samples = np.tile(np.load(SENTENCE, allow_pickle=False)["in_int16"] / 32768, 4)
    mcadams.anonymise(samples, RATE, alpha=ALPHA)  # compiles, or reads what was compiled before
    speeds = {}
    for name, module in {"plain loop": plain_mcadams, "ours": mcadams}.items():
        call = functools.partial(module.anonymise, alpha=ALPHA)
        speeds[name] = speed = audio_seconds_per_second(call, samples)
        print(f"{name:<12}{speed:>8.0f} s of audio a second on one core ({1 / speed:.5f} s each)")
    ours = speeds["ours"]
    print(f"{'ratio':<12}{ours / speeds['plain loop']:>8.1f}")
    seconds = corpus_seconds(samples)
    title = "times one, with all files read and written (wall time)"
    print(f"{'2 threads':<12}{seconds[1] / seconds[2]:>8.1f} {title}")
    for name, speed in speeds_of_functions(samples).items():
        print(f"{name:<12}{speed:>8.0f} s of audio a second, {speed / ours:.2f} of McAdams")
        assert speed >= SLOWEST, f"{name}: at least {SLOWEST} s of audio a second"


def speeds_of_functions(samples):
    """{name: seconds of audio a second} of all shipped functions."""
    systems = yaml.safe_load(CONFIG.read_text())["anonymisers"]
    names = {"utterance": "u", "speaker": "s", "seed": 0}
    speeds = {}
    for name, system in systems.items():
        if "function" in system:
            options = system.get("options", {})
            call = functools.partial(load_function(system["function"]), **names, **options)
            call(samples, RATE)  # reads what is read once
            speeds[name] = audio_seconds_per_second(call, samples)
    return speeds


def audio_seconds_per_second(anonymise, samples):
    """The fastest of several rounds, in processor time of this thread without other programs."""
    spent = timeit.repeat(
        lambda: anonymise(samples, RATE), timer=time.thread_time, number=1, repeat=ROUNDS
    )
    return len(samples) / RATE / min(spent)


def corpus_seconds(samples):
    """Wall time of FILES utterances by one and by two threads, the fastest of several rounds."""
    fastest = {}
    for threads in (1, 2) * ROUNDS:
        with tempfile.TemporaryDirectory() as folder:
            path, where = f"{folder}/original.flac", {"audio_dir": f"{folder}/protected"}
            audio.write(path, samples, RATE)
            jobs = [(Utterance(f"u{n}", "s", "f", path, 1.0), ALPHA) for n in range(FILES)]
            protect = functools.partial(mcadams.anonymise_file, variant="vpc2020", **where)
            start = time.perf_counter()
            with pools.in_threads(protect, jobs, threads=threads) as results:
                list(results)
            fastest[threads] = min(time.perf_counter() - start, fastest.get(threads, float("inf")))
    return fastest


if __name__ == "__main__":
    main()
