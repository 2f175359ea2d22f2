"""ZEBRA: how much private information do scores disclose, on average and at worst?

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays of scores, which each function calibrates
  itself.
* LLRs and prior log-odds are natural logarithms; the worst case is a base-10 LLR; ECE and D_ECE are
  in bits.
* ``blocks`` are the PAV blocks of the same scores, if they are known already.
* A tag says in words what a worst case means, by Table 1 of the ZEBRA paper or by a table of one's
  own.
* ValueError is raised for a class without scores, and for scores that are no numbers.

References
----------
Nautsch et al., The Privacy ZEBRA, Interspeech 2020, https://doi.org/10.21437/Interspeech.2020-1815
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 2022,
https://doi.org/10.1016/j.csl.2021.101299
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Classes, Floats, Metrics, Scores
from voiceprivacy.privacy.scores.calibration import (
    PROFILE_LOG_ODDS,
    Blocks,
    Ties,
    cece_bit,
    count_ties,
    counted_llrs,
    ece_bit,
    ece_default_bit,
    interpolated_llrs,
    linear_llrs,
    oracle_blocks,
    pav_blocks,
    step_llrs,
    train_linear,
)
from voiceprivacy.privacy.scores.samples import Sample
from voiceprivacy.privacy.scores.verification import cllr_bit, cllr_min_bit, resampled_metrics
from voiceprivacy.vocabulary import LABELS

ROUNDING = 1e-9  # an LLR of exactly 10, 100, ... may have come out a little off
Llrs = dict[str, dict[str, Any]]  # {calibration: {"target": (T,), "nontarget": (N,)}}


class Tag(NamedTuple):
    """The worst cases from ``from_log10`` on, or above it if ``beyond``, up to the next tag."""

    name: str
    from_log10: float
    beyond: bool
    meaning: str

    def holds(self, worst_case_log10: float) -> bool:
        """Whether a worst case (base-10 LLR) reaches this tag."""
        # Zero evidence is exactly 0, so that nothing is rounded there.
        slack = ROUNDING if self.from_log10 else 0
        if self.beyond:
            return worst_case_log10 > self.from_log10 + slack
        return worst_case_log10 >= self.from_log10 - slack


TABLE_1 = (
    Tag("0", 0, False, "50 : 50 (flat posterior)"),
    Tag("A", 0, True, "more disclosure than 50 : 50"),
    Tag("B", 1, False, "one wrong in 10 to 100"),
    Tag("C", 2, False, "one wrong in 100 to 10 000"),
    Tag("D", 4, False, "one wrong in 10 000 to 100 000"),
    Tag("E", 5, False, "one wrong in 100 000 to 1 000 000"),
    Tag("F", 6, False, "one wrong in at least 1 000 000"),
)


def tag_of(worst_case_log10: float, tags: Sequence[Tag] = TABLE_1) -> Tag:
    """The Tag of a worst case (base-10 LLR); 1.0 is B."""
    # Tags rise, and the first begins at 0: some tag holds, and the last that does is meant.
    return [tag for tag in tags if tag.holds(worst_case_log10)][-1]


def assess(
    *, target: Scores, nontarget: Scores, tags: Sequence[Tag] = TABLE_1
) -> tuple[Metrics, dict[str, Floats]]:
    """All ZEBRA metrics of a set of scores, and its ECE profile.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    tags : sequence of Tag

    Returns
    -------
    metrics : {metric: value}
    profile : dict of array (201,)
        ``prior_log_odds``, ``ece_bit`` after oracle calibration (without Laplace) and
        ``ece_default_bit`` of perfect privacy.
    """
    scores: dict[str, Any] = {"target": target, "nontarget": nontarget}
    ties = count_ties(**scores)
    blocks = pav_blocks(ties)
    # Averages take the plain LLRs. The strongest one would be infinite without Laplace's rule.
    worst = worst_case_log10(**scores, blocks=pav_blocks(ties, laplace=True))
    ceiling = worst_case_ceiling_log10(**scores)
    metrics: Metrics = {
        "dece_bit": dece_bit(**scores, blocks=blocks),
        "worst_case_log10": worst,
        "worst_case_floor_log10": worst_case_floor_log10(**scores),
        "worst_case_ceiling_log10": ceiling,
        "tag": tag_of(worst, tags).name,
        "tag_ceiling": tag_of(ceiling, tags).name,
        "ddcf": ddcf(**scores, blocks=blocks),
        "n_target": len(target),
        "n_nontarget": len(nontarget),
    }
    profile = {
        "prior_log_odds": PROFILE_LOG_ODDS,
        "ece_bit": ece_bit(PROFILE_LOG_ODDS, **counted_llrs(blocks)),
        "ece_default_bit": ece_default_bit(PROFILE_LOG_ODDS),
    }
    return metrics, profile


def sample_metrics(sample: Sample) -> Metrics:
    """The metrics of ``assess`` that have an interval."""
    llrs = counted_llrs(pav_blocks(sample.ties))
    return {"dece_bit": cece_bit(**llrs), "ddcf": 1 - cllr_bit(**llrs)}


def measure_of_both(scores: Classes) -> Callable[[Sample], Metrics]:
    """The function that measures a sample of a list with these scores.

    Its metrics are those of verification and of ZEBRA; it calibrates the sample once.
    """
    measure = resampled_metrics(**scores)

    def both(sample):
        blocks = pav_blocks(sample.ties)
        metrics = measure(sample, blocks=blocks)
        dece = cece_bit(**counted_llrs(blocks))
        return metrics | {"dece_bit": dece, "ddcf": 1 - metrics["cllr_min_bit"]}

    return both


def calibrated_llrs(*, train: Classes, test: Classes, laplace: bool = True) -> Llrs:
    """Train each calibration on one set of scores and use it on another (Eq. 15 of Noe et al.).

    Parameters
    ----------
    train, test : dict of array
        ``target`` and ``nontarget`` scores: two runs of the same anonymiser.
    laplace : bool
        Whether isotonic calibration follows Laplace's rule. Without it, its LLRs can be infinite.

    Returns
    -------
    dict : linear, isotonic, isotonic_interpolated -> LLRs of the test scores of each class
    """
    blocks = oracle_blocks(**train, laplace=laplace)
    return _calibrated(test, linear=train_linear(**train), blocks=blocks)


def assess_calibration(
    *, train: Classes, test: Classes, laplace: bool = True, tags: Sequence[Tag] = TABLE_1
) -> tuple[Metrics, dict[str, Floats]]:
    """What an adversary gains who calibrates the scores of one run of an anonymiser with another's.

    Parameters are those of ``calibrated_llrs``.

    Returns
    -------
    metrics : {metric: value}
        C_ECE and Cllr of each calibration on the test scores. Of both sets of scores Cllr as they
        are, D_ECE, worst case and tag.
    profiles : dict of array (201,)
        Those of Figure 8 of Noe et al.: ``prior_log_odds``; ``ece_train_bit`` and ``ece_test_bit``
        of both sets after oracle calibration; ``ece_linear_bit``, ``ece_isotonic_bit``,
        ``ece_isotonic_interpolated_bit`` of the test scores with each calibration;
        ``ece_default_bit``.
    """
    calibrations = calibrated_llrs(train=train, test=test, laplace=laplace)
    metrics: Metrics = {f"cece_{name}_bit": cece_bit(**llrs) for name, llrs in calibrations.items()}
    metrics |= {f"cllr_{name}_bit": cllr_bit(**llrs) for name, llrs in calibrations.items()}
    for run, scores in (("train", train), ("test", test)):
        worst = worst_case_log10(**scores)
        metrics |= {
            f"cllr_{run}_bit": cllr_bit(**scores),
            f"dece_{run}_bit": dece_bit(**scores),
            f"worst_case_{run}_log10": worst,
            f"tag_{run}": tag_of(worst, tags).name,
        }
    profiles = {"prior_log_odds": PROFILE_LOG_ODDS}
    for run, scores in (("train", train), ("test", test)):
        oracle = counted_llrs(oracle_blocks(**scores))
        profiles[f"ece_{run}_bit"] = ece_bit(PROFILE_LOG_ODDS, **oracle)
    for name, llrs in calibrations.items():
        profiles[f"ece_{name}_bit"] = ece_bit(PROFILE_LOG_ODDS, **llrs)
    profiles["ece_default_bit"] = ece_default_bit(PROFILE_LOG_ODDS)
    return metrics, profiles


def runs_metrics(train: Sample, test: Sample, *, laplace: bool = True) -> Metrics:
    """The metrics of ``assess_calibration`` that have an interval, of a Sample of either run."""
    counted = {"train": train.counted(), "test": test.counted()}
    counts = {label: counted["test"][label] for label in ("target_counts", "nontarget_counts")}
    calibrations = _calibrated(
        {label: counted["test"][label] for label in LABELS},
        # Quiet: one of a thousand replicates may be separable.
        linear=train_linear(**counted["train"], quiet=True),
        blocks=pav_blocks(train.ties, laplace=laplace),
    )
    metrics: Metrics = {}
    for name, llrs in calibrations.items():
        metrics[f"cece_{name}_bit"] = cece_bit(**llrs, **counts)
    for name, llrs in calibrations.items():
        metrics[f"cllr_{name}_bit"] = cllr_bit(**llrs, **counts)
    for run, sample in (("train", train), ("test", test)):
        metrics[f"cllr_{run}_bit"] = cllr_bit(**counted[run])
        metrics[f"dece_{run}_bit"] = sample_metrics(sample)["dece_bit"]
    return metrics


def dece_bit(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Expected privacy disclosure D_ECE, in bits: 0 = zero evidence, 1 / (2 ln 2) = no privacy.

    Eq. 6 of Nautsch et al. = Eq. 13 of Noe et al., on oracle LLRs without Laplace.
    """
    return cece_bit(**counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget)))


def ddcf(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """The delta DCF of the ZEBRA toolkit: 1 - min Cllr, in bits; 0 = zero evidence, 1 = no privacy.

    It looks at one prior only (0.5), where D_ECE looks at all. The toolkit itself advises against
    it.
    """
    return 1 - cllr_min_bit(target=target, nontarget=nontarget, blocks=blocks)


def worst_case_log10(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Worst-case privacy disclosure: the strongest oracle LLR (with Laplace), base 10.

    Eq. 8 of Nautsch et al. It may speak for one speaker or for two. ``blocks`` are those with
    Laplace's rule.
    """
    blocks = blocks or oracle_blocks(target=target, nontarget=nontarget, laplace=True)
    return strongest_log10(blocks)


def strongest_log10(blocks: Blocks) -> float:
    """The strongest LLR of PAV blocks with Laplace's rule, base 10."""
    return float(np.abs(blocks.llrs).max() / np.log(10))


def strongest_of_ties_log10(ties: Ties) -> float:
    """The ``strongest_log10`` of the PAV blocks of scores, without those between the outer two."""
    n_target, n_nontarget = ties.targets.sum(), ties.nontargets.sum()
    lowest = _lowest_block(ties.targets, ties.nontargets)
    # From above, the classes change places.
    highest = _lowest_block(ties.nontargets[::-1], ties.targets[::-1])[::-1]
    llrs = [np.log((own * n_nontarget) / (others * n_target)) for own, others in (lowest, highest)]
    return float(np.abs(llrs).max() / np.log(10))


def _lowest_block(targets, nontargets):
    """Targets and nontargets of the lowest PAV block of ties (G,), (G,) with Laplace's rule.

    Of all runs of scores from the lowest one on, it is the one with the smallest share of targets.
    """
    rising = np.cumsum(np.append(targets, 1)) + 1, np.cumsum(np.append(nontargets, 1)) + 1
    with_pair = rising[0] / rising[1]
    # A pair that has a smaller share than all of them is a block without any score.
    alone = int(with_pair.min() > 1)
    with np.errstate(divide="ignore"):
        odds = (rising[0] - 1) / (rising[1] - 1) if alone else with_pair
    return [counts[odds.argmin()] - alone for counts in rising]


def worst_case_floor_log10(*, target: Scores, nontarget: Scores) -> float:
    """The worst case of as many scores if all of them are equal, base 10.

    It is 0 for as many targets as nontargets.
    """
    few, many = sorted([len(target), len(nontarget)])
    return float(np.log10((few + 1) * many / ((many + 1) * few)))


def worst_case_ceiling_log10(*, target: Scores, nontarget: Scores) -> float:
    """The worst case of as many scores if they separate the classes perfectly, base 10."""
    n_target, n_nontarget = len(target), len(nontarget)
    above = (n_target + 1) * n_nontarget / n_target
    below = (n_nontarget + 1) * n_target / n_nontarget
    return float(np.log10(max(above, below)))


def tag(*, target: Scores, nontarget: Scores, tags: Sequence[Tag] = TABLE_1) -> str:
    """Categorical tag of the worst case: 0, A ... F (Table 1 of Nautsch et al.) or one's own."""
    return tag_of(worst_case_log10(target=target, nontarget=nontarget), tags).name


def describe(metrics: dict[str, Any], tags: Sequence[Tag] = TABLE_1) -> str:
    """What the tag of ``assess`` means, and which tags a list of this size can show, in words."""
    meaning = tag_of(metrics["worst_case_log10"], tags).meaning
    lowest = tag_of(metrics["worst_case_floor_log10"], tags).name
    floor = f", and shows {lowest} even if all scores are equal" if lowest != tags[0].name else ""
    return (
        f"tag {metrics['tag']}: {meaning}"
        f" (a list of this size can show {metrics['tag_ceiling']} at most{floor})"
    )


def _calibrated(scores, *, linear, blocks):
    """LLRs of {label: scores} by a linear calibration and by PAV blocks, read in two ways."""
    return {
        "linear": {label: linear_llrs(values, linear) for label, values in scores.items()},
        "isotonic": {label: step_llrs(values, blocks) for label, values in scores.items()},
        "isotonic_interpolated": {
            label: interpolated_llrs(values, blocks) for label, values in scores.items()
        },
    }
