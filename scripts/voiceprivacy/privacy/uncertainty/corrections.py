"""How the interval of each metric of the catalogue is moved back, and the range it is held in."""

from voiceprivacy.catalogue import METRICS
from voiceprivacy.privacy.uncertainty.bootstrap import Correction

CORRECTIONS = {
    metric.name: Correction(
        metric.times,
        metric.low,
        metric.high,
        no_privacy=metric.no_privacy if metric.scale == "rare errors" else None,
        skewed=metric.scale == "logarithmic",
    )
    for metric in METRICS.values()
}
