"""How often intervals of channels together hold the truth, in worlds whose truth is known.

export OMP_NUM_THREADS=1 PYTHONPATH=scripts:tests
python tests/benchmark/coverage_of_fusion.py --table fusion.tsv
"""

import argparse

import numpy as np
from support import channels

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.atlas.fusion import Fusion, fuse

COLUMNS = ["world", "number", "truth", "mean", "held_percent", "width"]
TINY = 1e-9  # limits are cut at 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000, help="of each kind")
    parser.add_argument("--table", required=True, help="TSV to write")
    arguments = parser.parse_args()
    rows = []
    for kind, make, truth in (
        ("independent", channels.gaussian, truth_of_gaussian()),
        ("speakers", channels.of_speakers, with_gains(channels.of_speakers_bits())),
    ):
        fusions = [numbers_of(fuse(make(seed))) for seed in range(arguments.worlds)]
        for name, true in truth.items():
            bits, low, high = np.array([fusion[name] for fusion in fusions]).T
            held = np.mean((low - TINY <= true) & (true <= high + TINY))
            numbers = (true, bits.mean(), 100 * held, np.mean(high - low))
            rows.append((kind, name, *(round(float(number), 3) for number in numbers)))
            print(*rows[-1], flush=True)
    write_table(arguments.table, COLUMNS, rows)


def numbers_of(fusion: Fusion) -> dict[str, tuple[float, float, float]]:
    """Sets, gains given all others and the gap, by the names of ``with_gains``."""
    gains = {f"{gain.channel} given others": gain.gain for gain in fusion.given_others}
    return dict(fusion.sets) | gains | {"gap": fusion.gap}


def truth_of_gaussian() -> dict[str, float]:
    """Closed forms of all that ``numbers_of`` has of independent scores."""
    sets = {
        "voice": [0],
        "pitch": [1],
        "nothing": [2],
        "voice+pitch": [0, 1],
        "voice+nothing": [0, 2],
        "pitch+nothing": [1, 2],
        "voice+pitch+nothing": [0, 1, 2],
    }
    return with_gains({name: channels.gaussian_bit(members) for name, members in sets.items()})


def with_gains(bits: dict[str, float]) -> dict[str, float]:
    """The bits of sets, what each channel adds to all others, and the gap."""
    together = max(bits, key=len)
    names = together.split("+")
    truth = dict(bits)
    for channel in names:
        others = "+".join(name for name in names if name != channel)
        truth[f"{channel} given others"] = bits[together] - bits[others]
    return truth | {"gap": sum(bits[name] for name in names) - bits[together]}


if __name__ == "__main__":
    main()
