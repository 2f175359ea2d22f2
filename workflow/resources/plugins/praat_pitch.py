"""A measure in an environment of its own: pitch correlation by Praat's tracker.

The challenges of 2020 and 2022 used it through parselmouth, which is GPL-3. So this project does
not install it:
    python3 -m venv praat && praat/bin/pip install --no-deps -r envs/requirements-praat.txt
    utility:
      praat:
        command: "praat/bin/python {resources}/plugins/praat_pitch.py"
        better: higher
        inputs: ["{resources}/plugins/praat_pitch.py"]

F0 is Praat's autocorrelation, every 10 ms between 75 and 500 Hz. Tracks are compared as for
pitch_correlation: the shorter one is stretched, frames count in which both are voiced, and the best
lag of up to 50 ms is taken. So the two numbers differ by the tracker alone.

Boersma, Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise ratio
of a sampled sound, IFA Proceedings 17, 1993.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
import parselmouth
import soundfile

METRIC = "pitch_correlation_praat"
STEP_S, LOWEST_HZ, HIGHEST_HZ = 0.01, 75, 500
LARGEST_LAG, FEWEST_FRAMES = 5, 10
SHORTEST_S = 3 / LOWEST_HZ  # Praat wants three periods


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--manifest", required=True, type=Path)
    parser.add_argument("--original", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()

    originals = paths_of(arguments.original)
    with open(arguments.output, "w", encoding="utf-8") as file:
        print("utterance", "metric", "value", sep="\t", file=file)
        for utterance, path in paths_of(arguments.manifest).items():
            value = correlation(track_of(originals[utterance]), track_of(path))
            print(utterance, METRIC, value, sep="\t", file=file)


def paths_of(manifest):
    """{utterance: path} of a manifest with absolute paths."""
    with open(manifest, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["utterance"]: row["path"] for row in rows}


def track_of(path):
    """F0 (F,) in Hz every 10 ms of a recording, 0 where unvoiced."""
    samples, rate = soundfile.read(path)
    if len(samples) <= SHORTEST_S * rate:
        return np.zeros(0)
    sound = parselmouth.Sound(samples, sampling_frequency=rate)
    pitch = sound.to_pitch_ac(time_step=STEP_S, pitch_floor=LOWEST_HZ, pitch_ceiling=HIGHEST_HZ)
    return pitch.selected_array["frequency"]


def correlation(original, protected):
    """Largest Pearson correlation of two tracks; 0 where nothing of the intonation is left."""
    if np.count_nonzero(original) < FEWEST_FRAMES:
        return "undefined"
    length = max(len(original), len(protected))
    original, protected = stretched(original, length), stretched(protected, length)
    best = None
    for lag in range(-LARGEST_LAG, LARGEST_LAG + 1):
        one = original[max(0, -lag) : length - max(0, lag)]
        other = protected[max(0, lag) : length - max(0, -lag)]
        both = (one > 0) & (other > 0)
        one, other = one[both], other[both]
        if len(one) >= FEWEST_FRAMES and np.ptp(one) > 0 and np.ptp(other) > 0:
            value = np.clip(np.corrcoef(one, other)[0, 1], -1, 1)
            best = value if best is None else max(best, value)
    return 0.0 if best is None else float(best)


def stretched(track, length):
    """A track at another number of frames; a frame is voiced if the nearest one was."""
    voiced = np.flatnonzero(track)
    if len(track) == length or not len(voiced):
        return track if len(track) == length else np.zeros(length)
    frames = np.linspace(0, len(track) - 1, length)
    is_voiced = track[np.rint(frames).astype(int)] > 0
    return np.where(is_voiced, np.interp(frames, voiced, track[voiced]), 0.0)


if __name__ == "__main__":
    main()
