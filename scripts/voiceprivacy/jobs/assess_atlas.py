"""The job assess_atlas."""

from typing import Any

from voiceprivacy.inout.arrays import read_matrix
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.atlas.fusion import Estimate, Fusion, fuse
from voiceprivacy.privacy.matrices.ranks import TooFewSpeakers
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs, say
from voiceprivacy.vocabulary import TOGETHER, UNDEFINED


def assess_atlas(
    *,
    matrix: list[str],
    label: list[str] | None = None,
    metrics: str | None = None,
) -> None:
    """Assess what channels of speech disclose together: voice, plus pitch, plus words ...

    Parameters
    ----------
    matrix : npz of each channel: test utterances (rows) against templates; the same in all
    label : the channels' names, in the order of adding
    metrics : JSON to write
    """
    paths = label_inputs(matrix, label)
    matrices = {channel: read_matrix(path) for channel, path in paths.items()}
    try:
        fusion = fuse(matrices)
    except TooFewSpeakers as error:  # as of other numbers that a list is too small for
        values: dict[str, Any] = {UNDEFINED: str(error)}
        lines = [f"{UNDEFINED}: {error}"]
    else:
        values, lines = as_json(fusion), lines_of(fusion)
    if metrics:
        write_json(metrics, values)
    for line in lines:
        say(line)


def as_json(fusion: Fusion) -> dict:
    """A fusion with named values all the way down."""
    return fusion._asdict() | {
        "sets": {name: bits._asdict() for name, bits in fusion.sets.items()},
        "in_order": [gain._asdict() | {"gain": gain.gain._asdict()} for gain in fusion.in_order],
        "given_others": [
            gain._asdict() | {"gain": gain.gain._asdict()} for gain in fusion.given_others
        ],
        "gap": fusion.gap._asdict(),
    }


def lines_of(fusion: Fusion) -> list[str]:
    """What the terminal says."""
    lines = [
        f"{fusion.n_utterances} utterances of {fusion.n_speakers} speakers, "
        f"{fusion.n_templates} templates"
    ]
    for number, gain in enumerate(fusion.in_order):
        plus = "plus " if number else ""
        lines.append(f"{plus + gain.channel:<24}{_text(gain.gain)}")
    together = TOGETHER.join(gain.channel for gain in fusion.in_order)
    lines.append(f"{'together':<24}{_text(fusion.sets[together])}")
    if len(fusion.in_order) > 1:
        lines.append(f"{'sum less together':<24}{_text(fusion.gap)}")
    return lines


def _text(bits: Estimate) -> str:
    return f"{bits.bit:6.2f} bit [{bits.low:.2f}, {bits.high:.2f}]"


if __name__ == "__main__":
    run(assess_atlas)
