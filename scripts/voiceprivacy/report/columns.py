"""The columns of the comparison: what each number is called, what it says, and which way means more privacy."""

import math
from typing import NamedTuple

from voiceprivacy.vocabulary import UNDEFINED

DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
INFINITY = "\N{INFINITY}"


class Column(NamedTuple):
    """One metric of the comparison.

    ``conditions`` are those in which it exists; ``arrow`` points to more privacy (empty: not a measure of privacy).
    An ``optional`` one may be missing (runs without intervals).
    """

    metric: str
    title: str
    short: str
    unit: str
    digits: int
    arrow: str
    conditions: tuple
    meaning: str
    optional: bool = False

    @property
    def tagged(self):
        """Whether ZEBRA's tag stands beside the number."""
        return self.metric == "worst_case_log10"

    def text(self, value):
        """A value as people read it; None (the metric does not exist there) is a dash."""
        if value is None:
            return DASH
        if value == UNDEFINED:
            return UNDEFINED
        if math.isinf(value):
            return INFINITY if value > 0 else MINUS + INFINITY
        return f"{value:.{self.digits}f}".replace("-", MINUS)


ALL = ("oo", "op", "pp")
ATTACKS = {
    "oo": "no protection",
    "op": "ignorant",
    "pp": "lazy-informed",
}
INFORMED = {
    "oo": "no protection",
    "op": "informed, OP",
    "pp": "semi-informed",
}
FOREIGN = {
    "oo": "no protection",
    "op": "given, OP",
    "pp": "given, PP",
}
INFORMED_EXPLAINED = {
    "op": "Original enrolment against protected trial (OP) by an attacker whose models were trained on speech"
    " protected by this anonymiser.",
    "pp": "Protected enrolment against protected trial (PP) by an attacker whose models were trained on speech"
    " protected by this anonymiser, drawn per utterance: the attack by which the challenges rank.",
}
FOREIGN_EXPLAINED = {
    "op": "Original enrolment against protected trial (OP), with scores that somebody else made.",
    "pp": "Protected enrolment against protected trial (PP), with scores that somebody else made.",
}
ATTACKS_EXPLAINED = {
    "oo": "Original enrolment against original trial (OO): how well the attacker does when nothing is protected.",
    "op": "Original enrolment against protected trial (OP): the attacker does not know that the speech is protected.",
    "pp": "Protected enrolment against protected trial (PP): the attacker protects his own enrolment with the same"
    " anonymiser, but his models were trained on original speech.",
}
COLUMNS = (
    Column(
        metric="eer_percent",
        title="EER",
        short="EER",
        unit="%",
        digits=1,
        arrow="↑",
        conditions=ALL,
        meaning="Equal error rate of the attacker: 0 = every speaker found, 50 = guessing.",
    ),
    Column(
        metric="cllr_bit",
        title="Cllr",
        short="Cllr",
        unit="bit",
        digits=2,
        arrow="↑",
        conditions=ALL,
        meaning="Cost of the attacker's scores taken at their word as log-likelihood ratios: 1 = knows nothing,"
        " above 1 = misled by his own scores.",
    ),
    Column(
        metric="cllr_min_bit",
        title="min Cllr",
        short="minCllr",
        unit="bit",
        digits=2,
        arrow="↑",
        conditions=ALL,
        meaning="The same cost after ideal calibration, when only the order of the scores counts: 0 = every"
        " speaker found, 1 = nothing left.",
    ),
    Column(
        metric="dece_bit",
        title="D_ECE",
        short="D_ECE",
        unit="bit",
        digits=3,
        arrow="↓",
        conditions=ALL,
        meaning="ZEBRA's expected disclosure over all prior beliefs: 0 = zero evidence, 0.721 = no privacy.",
    ),
    Column(
        metric="dece_null95_bit",
        title="zero evidence up to",
        short="zero",
        unit="bit",
        digits=3,
        arrow="",
        conditions=ALL,
        meaning="D_ECE that the same attack finds when the speakers of the enrolments are permuted (95th percentile):"
        " D_ECE up to here is no more than zero evidence.",
        optional=True,
    ),
    Column(
        metric="worst_case_log10",
        title="worst case",
        short="worst",
        unit="log10",
        digits=2,
        arrow="↓",
        conditions=ALL,
        meaning="ZEBRA's strongest evidence against any one speaker as the power of ten of the odds, with its"
        " tag from 0 (none), A (below 10 to 1) to F (a million to 1 or more).",
    ),
    Column(
        metric="deid_percent",
        title="DeID",
        short="DeID",
        unit="%",
        digits=1,
        arrow="↑",
        conditions=("op",),
        meaning="De-identification: 0 = protected voices are found as before, 100 = not at all. Of an"
        " anonymiser, from OO and OP.",
    ),
    Column(
        metric="gvd_db",
        title="G_VD",
        short="G_VD",
        unit="dB",
        digits=2,
        arrow="",
        conditions=("pp",),
        meaning="Gain of voice distinctiveness: 0 = protected voices differ from each other as much as the"
        " originals, negative = less. Not a measure of privacy. Of an anonymiser, from"
        " OO and PP.",
    ),
    Column(
        metric="mean_disclosure_bit",
        title="rank disclosure",
        short="rank",
        unit="bit",
        digits=2,
        arrow="↓",
        conditions=ALL,
        meaning="Mean similarity-rank disclosure, from the histogram of the ranks: 0 = the true speaker's rank"
        " says nothing.",
    ),
    Column(
        metric="model_mean_disclosure_bit",
        title="rank disclosure, model",
        short="model",
        unit="bit",
        digits=2,
        arrow="↓",
        conditions=ALL,
        meaning="The same from the beta-binomial model fitted to the ranks.",
    ),
    Column(
        metric="identification_rate_percent",
        title="identified",
        short="ident.",
        unit="%",
        digits=1,
        arrow="↓",
        conditions=ALL,
        meaning="Trial utterances whose true speaker ranks first among all enrolled speakers.",
    ),
)
EER = next(column for column in COLUMNS if column.metric == "eer_percent")


def short(value):
    """A number of a picture's legend or a paper's table: three digits, or the order of magnitude of a smaller one."""
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


def short_limits(limits, digits=3):
    """An interval (low, high) in a legend, after a space; empty where there is none."""
    return (
        f" [{limits[0]:.{digits}f}, {limits[1]:.{digits}f}]".replace("-", MINUS) if limits else ""
    )
