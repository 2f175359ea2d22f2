"""How fast McAdams is on one core: seconds of audio a second, for a plain loop written from the paper and for ours."""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/unit/anonymise")]

import numpy as np  # noqa: E402
import plain_mcadams  # noqa: E402

from voiceprivacy.anonymise import mcadams  # noqa: E402

RATE, ALPHA, ROUNDS = 16000, 0.8, 5
SENTENCE = ROOT / "tests/data/mcadams/espeak2.npz"


def main():
    samples = np.tile(np.load(SENTENCE, allow_pickle=False)["in_int16"] / 32768, 4)
    mcadams.anonymise(samples, RATE, alpha=ALPHA)  # compiles, or reads what was compiled before
    speeds = {
        "plain loop": audio_seconds_per_second(plain_mcadams.anonymise, samples),
        "ours": audio_seconds_per_second(mcadams.anonymise, samples),
    }
    for name, speed in speeds.items():
        print(f"{name:<12}{speed:>8.0f} s of audio a second on one core ({1 / speed:.5f} s each)")
    print(f"{'ratio':<12}{speeds['ours'] / speeds['plain loop']:>8.1f}")


def audio_seconds_per_second(anonymise, samples):
    """The fastest of several rounds, in processor time of this thread: other programs do not count."""
    spent = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        anonymise(samples, RATE, alpha=ALPHA)
        spent.append(time.thread_time() - start)
    return len(samples) / RATE / min(spent)


if __name__ == "__main__":
    main()
