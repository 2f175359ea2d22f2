"""By how much, and on which scale, intervals are moved back that replicates of speakers show to be biased.

Conventions
-----------
* Metrics that see the best of all calibrations or the fullest of all histograms are biased: the fewer speakers, the
  more they fit to noise, and each replicate, which is worth half as many speakers (the mean squared number of draws is
  2), does so once more. Where the bias falls with 1 / sqrt(S), as in oracle calibration, replicates add 0.41 of it once
  more (sqrt(2) - 1), where it falls with 1 / S all of it. The percentile interval holds both, so it is moved back by
  1 + 1 / 0.41 or by 2 times what the replicates add; rounded to where simulated intervals hold the truth, by 3 times
  for calibrations and 2.5 times for histograms.
* The stronger the attack, the fewer errors are left and the smaller
  the part of the bias that replicates show: 0.46 to 0.50 of it for d' up to 2, 0.3 for d' = 4. On the scale of the 2/3
  power of what is left of privacy, on which numbers of rare errors are symmetric (Anscombe), it is 0.36, so that there
  intervals are moved back on that scale.

References
----------
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapter 10 (bias).
Anscombe, contribution to the discussion of Hotelling, JRSS B 15, 1953 (2/3 power).
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy.ece import NO_PRIVACY_BIT


class Correction(NamedTuple):
    """How many times the bias that replicates show an interval is moved back, and the range that it is held in.

    ``no_privacy`` is the end of the range where no errors are left; with it, intervals are moved back on the scale of
    the 2/3 power of the distance from there. ``skewed``: the upper limit is at least the one on a logarithmic scale.
    """

    times: float
    low: float
    high: float
    no_privacy: float | None = None
    skewed: bool = False


CALIBRATIONS = ("linear", "isotonic", "isotonic_interpolated")
SHARES = ("identification_rate", "rank_spread", "match_positive", "other_positive")
LEAST_0, SHARE = Correction(0, 0, np.inf), Correction(0, 0, 100)
OF_CALIBRATION, OF_HISTOGRAM = 3.0, 2.5
RARE_ERRORS = 2 / 3
CORRECTIONS = {
    **dict.fromkeys(("eer_percent", "eer_speechbrain_percent"), SHARE),
    **dict.fromkeys((f"{prefix}{name}_percent" for prefix in ("", "model_") for name in SHARES), SHARE),
    **dict.fromkeys(
        (f"{prefix}{name}_disclosure_bit" for prefix in ("", "model_") for name in ("max", "std")), LEAST_0
    ),
    "model_mean_disclosure_bit": LEAST_0,
    **dict.fromkeys(("cllr_bit", "cllr_train_bit", "cllr_test_bit"), Correction(0, 0, np.inf, skewed=True)),
    **dict.fromkeys((f"cllr_{name}_bit" for name in CALIBRATIONS), LEAST_0),
    **dict.fromkeys((f"cece_{name}_bit" for name in CALIBRATIONS), Correction(0, -np.inf, NO_PRIVACY_BIT)),
    "linkability_vpc": Correction(0, 0, 1),
    "eer_rocch_percent": Correction(OF_CALIBRATION, 0, 50, no_privacy=0),
    "cllr_min_bit": Correction(OF_CALIBRATION, 0, 1, no_privacy=0),
    "cllr_cal_bit": Correction(OF_CALIBRATION, 0, np.inf),
    "linkability": Correction(OF_CALIBRATION, 0, 1, no_privacy=1),
    **dict.fromkeys(
        ("dece_bit", "dece_train_bit", "dece_test_bit"),
        Correction(OF_CALIBRATION, 0, NO_PRIVACY_BIT, no_privacy=NO_PRIVACY_BIT),
    ),
    "ddcf": Correction(OF_CALIBRATION, 0, 1, no_privacy=1),
    "mean_disclosure_bit": Correction(OF_HISTOGRAM, 0, np.inf),
    **dict.fromkeys(("deid_percent", "dece_op_oo_percent", "cllr_min_op_oo_percent"), Correction(0, -np.inf, 100)),
    "ddiag": Correction(0, 0, 1),
    "ddiag_signed": Correction(0, -1, 1),
    "ddiag_log_bit": LEAST_0,
}
NONE = Correction(0, -np.inf, np.inf)


def moved(numbers, value, replicates, correction):
    """Numbers (n,) without the bias that replicates of a value show, held in the range of a Correction.

    They stay where they are where half of the replicates are infinite.
    """
    median = np.median(replicates)
    if not np.isfinite(value) or not np.isfinite(median):
        found = numbers
    elif correction.no_privacy is None:
        found = numbers - correction.times * (median - value)
    else:
        sign = 1 if correction.no_privacy == correction.low else -1
        left, of_value, of_median = (
            np.maximum(sign * (of - correction.no_privacy), 0) ** RARE_ERRORS for of in (numbers, value, median)
        )
        left = np.maximum(left - correction.times * (of_median - of_value), 0)
        found = correction.no_privacy + sign * left ** (1 / RARE_ERRORS)
    return np.clip(found, correction.low, correction.high)
