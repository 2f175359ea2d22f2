"""A command plug-in in an environment of its own: another pitch, another length of the vocal tract
(WORLD vocoder).

Every speaker gets a shift of his own, drawn from the seed. WORLD needs pyworld, which this project
does not install:
    python3 -m venv world && world/bin/pip install -r envs/requirements-world.txt        (needs a
    C++ compiler)
    pitch:
      command: "world/bin/python {resources}/plugins/pitch.py"
      inputs: ["{resources}/plugins/pitch.py"]
      runs: 2

Morise, Yokomori, Ozawa, WORLD: a vocoder-based high-quality speech synthesis system, IEICE Trans.
2016.
"""

import argparse
import csv
import hashlib
from pathlib import Path

import numpy as np
import pyworld
import soundfile


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--manifest", required=True, type=Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--audio-dir", required=True, type=Path)
    parser.add_argument("--output-manifest", required=True, type=Path)
    parser.add_argument(
        "--pitch", type=float, nargs=2, default=[3, 6], help="range in semitones, up or down"
    )
    parser.add_argument(
        "--formants",
        type=float,
        nargs=2,
        default=[0.05, 0.15],
        help="range of the shift, up or down",
    )
    arguments = parser.parse_args()

    with open(arguments.manifest, newline="", encoding="utf-8") as file:
        utterances = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for utterance in utterances:
        semitones, formants = draw_shifts(
            arguments.seed, utterance["speaker"], arguments.pitch, arguments.formants
        )
        samples, sample_rate = soundfile.read(arguments.manifest.parent / utterance["path"])
        utterance["path"] = (arguments.audio_dir / f"{utterance['utterance']}.wav").absolute()
        soundfile.write(
            utterance["path"],
            shift(samples, sample_rate, 2 ** (semitones / 12), 1 + formants),
            sample_rate,
        )
    with open(arguments.output_manifest, "w", newline="", encoding="utf-8") as file:
        dialect = {
            "delimiter": "\t",
            "lineterminator": "\n",
            "quoting": csv.QUOTE_NONE,
            "quotechar": None,
        }
        writer = csv.DictWriter(file, utterances[0].keys(), **dialect)
        writer.writeheader()
        writer.writerows(utterances)


def draw_shifts(seed, speaker, *ranges):
    """One shift from each range (low, high), up or down: from the seed and the speaker alone."""
    draw = np.random.default_rng(list(hashlib.sha256(f"{seed} {speaker}".encode()).digest()))
    return [draw.uniform(*bounds) * draw.choice([-1, 1]) for bounds in ranges]


def shift(samples, sample_rate, pitch, formants):
    """Multiply the pitch and all formant frequencies of samples (N,) float64; the rhythm stays."""
    rough_hz, times = pyworld.dio(samples, sample_rate)
    f0_hz = pyworld.stonemask(samples, rough_hz, times, sample_rate)
    envelope = pyworld.cheaptrick(samples, f0_hz, times, sample_rate)
    aperiodicity = pyworld.d4c(samples, f0_hz, times, sample_rate)
    bins = np.arange(envelope.shape[1])
    moved = np.exp([np.interp(bins / formants, bins, of) for of in np.log(envelope)])
    shifted = pyworld.synthesize(pitch * f0_hz, moved, aperiodicity, sample_rate)[: len(samples)]
    return shifted / max(1, np.abs(shifted).max())


if __name__ == "__main__":
    main()
