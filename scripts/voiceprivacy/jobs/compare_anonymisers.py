"""The job compare_anonymisers."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.privacy.uncertainty import paired
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say

SHOWN = "eer_percent"


def compare_anonymisers(
    *,
    intervals: list[Path],
    folder: Path,
    weights: Sequence[str] = (),
    comparisons: str | None = None,
    systems: str | None = None,
    strongest: str | None = None,
) -> None:
    """Compare anonymisers on the same trials: which has the better numbers, and is it significant?

    Under one attacker (--comparisons, --systems), or each under the strongest attack on it,
    whatever the attacker; then anonymisers are compared with unprotected speech, too (--strongest).

    Parameters
    ----------
    intervals : intervals.json with bootstrap.npz, of one attacker or, for --strongest, of all
    folder : folder of FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.intervals.json; lists are
        averaged
    weights : CORPUS/TRIALS=WEIGHT: of the lists (default: equal)
    comparisons : TSV to write: condition metric anonymiser_a anonymiser_b value_a value_b
        difference ci_low ci_high share_a_better p_value p_holm verdict
    systems : TSV to write: condition metric anonymiser value ci_low ci_high
    strongest : TSV to write: metric anonymiser_a extractor_a backend_a condition_a anonymiser_b
        extractor_b backend_b condition_b value_a value_b difference ci_low ci_high share_a_better
        p_value p_holm verdict
    """
    if not (comparisons or systems or strongest):
        raise BadInput("say what to write: --comparisons, --systems or --strongest")
    of_lists = paired.parse_weights(weights)
    if comparisons or systems:
        numbers = paired.read_systems(sorted(intervals), folder=folder, weights=of_lists)
        pairs, of_systems = paired.compare_all(numbers)
        if comparisons:
            write_typed(comparisons, paired.Pair, pairs)
        if systems:
            write_typed(systems, paired.SystemInterval, of_systems)
        for pair in pairs:
            if pair.metric == SHOWN:
                say(paired.describe(pair))
    if strongest:
        attacked = paired.compare_strongest(
            paired.read_attacks(intervals, folder=folder, weights=of_lists)
        )
        write_typed(strongest, paired.StrongestPair, attacked)
        for attacked_pair in attacked:
            say(paired.describe(attacked_pair))


if __name__ == "__main__":
    run(compare_anonymisers)
