"""Limit values of likelihood ratios: how far the data of a list support its LRs.

The worst case of ZEBRA is the strongest LR of oracle calibration. On a short list it is what the
list's size allows. Forensic practice bounds LRs instead: an LR of t or more must itself be a piece
of evidence that is at least t.

Conventions
-----------
* Limits are base-10 LLRs: the lower one at most 0, the upper one at least 0.
* The shares of targets and of nontargets with an LLR of at least t have Jeffreys' prior:
  (k + 1/2) / (n + 1). The upper limit is where the ratio of the two shares falls below t for the
  first time, from the lowest LLR on. The lower limit is where the ratio of the shares below t rises
  above t for the last time. Where that never happens, limits are the strongest LLRs of the class
  that they speak for.
* The LLRs are those of oracle calibration with Laplace's rule, as for the worst case.

Reference
---------
Alberink, Leegwater, Malmborg, Nordgaard, Sjerps and van der Ham, A transparent method to determine
limit values for Likelihood Ratio systems, 2025, as the package lir 1.3 defines it
(algorithms/invariance_bounds.py), which looks at thresholds 0.001 apart.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from voiceprivacy.privacy import Counts, Floats, Metrics
from voiceprivacy.privacy.scores.calibration import Blocks, pav_blocks
from voiceprivacy.privacy.scores.samples import Sample

LOW, HIGH = "lr_limit_low_log10", "lr_limit_high_log10"


def lr_limits_log10(*, llrs: Floats, targets: Counts, nontargets: Counts) -> tuple[float, float]:
    """The lower and the upper limit.

    Parameters
    ----------
    llrs : array (B,)
        Base 10, in ascending order
    targets, nontargets : array (B,)
        How often each class has them
    """
    thresholds = np.unique(np.append(llrs, 0.0))
    first = np.searchsorted(llrs, thresholds)  # LLRs from there on are at least as high
    above, below = [], []
    for counts in (targets, nontargets):
        n_all = counts.sum()
        n_below = np.append(0, np.cumsum(counts))[first]
        above.append(np.log10((n_all - n_below + 0.5) / (n_all + 1)))
        below.append(np.log10((n_below + 0.5) / (n_all + 1)))
    # Between two thresholds no share changes: these hold for all up to the upper one.
    ratio_above, ratio_below = above[0] - above[1], below[0] - below[1]
    previous = np.append(thresholds[0], thresholds[:-1])
    unsupported = np.flatnonzero(ratio_above < thresholds)
    high = llrs[targets > 0].max()
    if len(unsupported):
        high = max(ratio_above[unsupported[0]], previous[unsupported[0]])
    unsupported = np.flatnonzero(ratio_below > previous)
    low = llrs[nontargets > 0].min()
    if len(unsupported):
        low = min(ratio_below[unsupported[-1]], thresholds[unsupported[-1]])
    return min(float(low), 0.0), max(float(high), 0.0)


def blocks_limits(blocks: Blocks) -> Metrics:
    """The limits of PAV blocks with Laplace's rule, by their names."""
    limits = lr_limits_log10(
        llrs=blocks.llrs / np.log(10), targets=blocks.targets, nontargets=blocks.nontargets
    )
    return dict(zip((LOW, HIGH), limits, strict=True))


def sample_limits(sample: Sample) -> Metrics:
    """The limits of a weighted sample of trials, by their names."""
    return blocks_limits(pav_blocks(sample.ties, laplace=True))


def describe(limits: Metrics, intervals: Mapping[str, Mapping[str, Any]]) -> str:
    """The limits in words, with their intervals where there are some."""
    texts = []
    for name in (LOW, HIGH):
        own = intervals.get(name, {})
        low, high = own.get("ci_low"), own.get("ci_high")
        known = "" if low is None or high is None else f" [{low:.1f}, {high:.1f}]"
        texts.append(f"{limits[name]:.1f}{known}")
    return f"LRs are supported from log10 {texts[0]} to {texts[1]} (Alberink et al. 2025)"
