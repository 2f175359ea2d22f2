"""The catalogue of metrics: one row for each number that metrics.tsv can hold.

Everything that is known of a metric stands here and nowhere else. Intervals, comparisons of pairs,
the page, the terminal and the tables for papers read it. To add a metric, write the function that
measures it, a row here, a test, and its line on a page of docs/metrics.
"""

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

from voiceprivacy.vocabulary import (
    ATTRIBUTES,
    CONDITIONS,
    DASH,
    INFINITY,
    MINUS,
    PROTECTED_CONDITIONS,
)

Direction = Literal["higher", "lower", "neither"]
Scale = Literal["plain", "rare errors", "logarithmic"]

ALL_CONDITIONS = tuple(CONDITIONS)
WITHOUT_SECOND_RUN = ("oo", "op", "pp")
ARROWS: dict[str, str] = {"higher": "↑", "lower": "↓", "neither": ""}

NO_PRIVACY_BIT = 1 / (2 * math.log(2))  # D_ECE where every speaker is found: Noe et al., CSL 2022

# How many times the bias that replicates show is taken off an interval (see privacy/uncertainty).
OF_CALIBRATION = 3.0
OF_HISTOGRAM = 2.5

RANK_LOSSES = ("ll", "ms", "wms", "rwms", "cll")  # by which the model of ranks is fitted


class Metric(NamedTuple):
    """What is known of one metric.

    Attributes
    ----------
    name : as in metrics.tsv
    title, unit : as people read them
    family : folder below results/metrics of the files that hold it
    meaning : one sentence
    page : below docs/metrics, explains it
    conditions : in which it exists; none where nobody attacks
    better : which way is better for the speaker
    of_privacy : whether ``better`` means more privacy
    low, high : range that its interval is held in
    times : how many times the bias that replicates show is taken off its interval
    scale : on which scale; "rare errors" is the 2/3 power of the distance from no privacy.
        "logarithmic": the upper limit is at least the one on a logarithmic scale
    digits : behind the decimal point, on the page
    short : title in the terminal
    heading : title in a paper's table, LaTeX
    compared : whether anonymisers are compared by it, pair by pair
    column : whether it is a column of the comparison
    optional : whether that column may be missing, as in runs without intervals
    group : of utility: what it is about, one of PREFERRED
    headline : of utility: whether it stands in the main table of the page
    """

    name: str
    title: str
    unit: str
    family: str
    meaning: str
    page: str
    conditions: tuple[str, ...] = ALL_CONDITIONS
    better: Direction = "neither"
    of_privacy: bool = True
    low: float = -math.inf
    high: float = math.inf
    times: float = 0.0
    scale: Scale = "plain"
    digits: int = 3
    short: str = ""
    heading: str = ""
    compared: bool = False
    column: bool = False
    optional: bool = False
    group: str = ""
    headline: bool = False

    @property
    def arrow(self) -> str:
        """Points to more privacy; empty for what is no measure of privacy."""
        return ARROWS[self.better] if self.of_privacy else ""

    @property
    def label(self) -> str:
        """Title with the unit, for an axis or the head of a table."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title

    @property
    def tagged(self) -> bool:
        """Whether ZEBRA's tag stands beside the number."""
        return self.name == "worst_case_log10"

    @property
    def no_privacy(self) -> float:
        """The end of the range where no errors are left."""
        return self.low if self.better == "higher" else self.high

    def text(self, value: float | str | None) -> str:
        """A value as people read it; None (the metric does not exist there) is a dash."""
        if value is None:
            return DASH
        if isinstance(value, str):
            return value
        if math.isinf(value):
            return INFINITY if value > 0 else MINUS + INFINITY
        return f"{value:z.{self.digits}f}".replace("-", MINUS)  # z: never -0.0


def _alike(names: Iterable[str], row: Metric) -> list[Metric]:
    """The same row for several metrics."""
    return [row._replace(name=name) for name in names]


VERIFICATION = [
    Metric(
        name="eer_percent",
        title="EER",
        unit="%",
        family="verification",
        meaning="Equal error rate of the attacker: 0 = every speaker found, 50 = guessing.",
        page="eer.md",
        better="higher",
        low=0,
        high=100,
        digits=1,
        short="EER",
        heading="EER [%]",
        compared=True,
        column=True,
    ),
    Metric(
        name="eer_rocch_percent",
        title="EER of the convex hull",
        unit="%",
        family="verification",
        meaning="Equal error rate on the convex hull of the ROC.",
        page="eer.md",
        better="higher",
        low=0,
        high=50,
        times=OF_CALIBRATION,
        scale="rare errors",
        compared=True,
    ),
    Metric(
        name="eer_speechbrain_percent",
        title="EER of SpeechBrain",
        unit="%",
        family="verification",
        meaning="Equal error rate as SpeechBrain takes it.",
        page="eer.md",
        better="higher",
        low=0,
        high=100,
    ),
    Metric(
        name="min_dcf",
        title="min DCF",
        unit="",
        family="verification",
        meaning="Lowest cost of a decision where 1 % of trials are targets.",
        page="eer.md",
        better="higher",
        low=0,
        high=1,
    ),
    Metric(
        name="cllr_bit",
        title="Cllr",
        unit="bit",
        family="verification",
        meaning="Cost of the attacker's scores taken at their word as log-likelihood ratios:"
        " 1 = knows nothing, above 1 = misled by his own scores.",
        page="cllr.md",
        better="higher",
        low=0,
        scale="logarithmic",
        digits=2,
        short="Cllr",
        heading="$C_{llr}$",
        compared=True,
        column=True,
    ),
    Metric(
        name="cllr_min_bit",
        title="min Cllr",
        unit="bit",
        family="verification",
        meaning="The same cost after ideal calibration, when only the order of the scores counts:"
        " 0 = every speaker found, 1 = nothing left.",
        page="cllr.md",
        better="higher",
        low=0,
        high=1,
        times=OF_CALIBRATION,
        scale="rare errors",
        digits=2,
        short="minCllr",
        heading="$C_{llr}^{min}$",
        compared=True,
        column=True,
    ),
    Metric(
        name="cllr_cal_bit",
        title="loss of calibration",
        unit="bit",
        family="verification",
        meaning="Cllr minus min Cllr: what the attacker loses because his scores are badly scaled.",
        page="cllr.md",
        low=0,
        times=OF_CALIBRATION,
    ),
    Metric(
        name="linkability",
        title="linkability",
        unit="",
        family="verification",
        meaning="Linkability from oracle calibrated log-likelihood ratios: 0 = none, 1 = full.",
        page="linkability.md",
        better="lower",
        low=0,
        high=1,
        times=OF_CALIBRATION,
        scale="rare errors",
        digits=2,
        heading="linkability",
        compared=True,
    ),
    Metric(
        name="linkability_vpc",
        title="linkability (challenge's)",
        unit="",
        family="verification",
        meaning="Linkability with the histograms of the VoicePrivacy challenge.",
        page="linkability.md",
        better="lower",
        low=0,
        high=1,
    ),
    *_alike(
        ("n_target", "n_nontarget"),
        Metric(
            name="",
            title="number of trials",
            unit="",
            family="verification",
            meaning="How many trials of this class the list has.",
            page="eer.md",
            low=0,
            digits=0,
        ),
    ),
]

ZEBRA = [
    Metric(
        name="dece_bit",
        title="D_ECE",
        unit="bit",
        family="zebra",
        meaning="ZEBRA's expected disclosure over all prior beliefs: 0 = zero evidence,"
        " 0.721 = no privacy.",
        page="zebra.md",
        better="lower",
        low=0,
        high=NO_PRIVACY_BIT,
        times=OF_CALIBRATION,
        scale="rare errors",
        short="D_ECE",
        heading="$D_{ECE}$ [bit]",
        compared=True,
        column=True,
    ),
    Metric(
        name="dece_null95_bit",
        title="zero evidence up to",
        unit="bit",
        family="zebra",
        meaning="D_ECE that the same attack finds when the speakers of the enrolments are permuted"
        " (95th percentile): D_ECE up to here is no more than zero evidence.",
        page="intervals.md",
        short="zero",
        heading="zero evidence up to",
        column=True,
        optional=True,
    ),
    Metric(
        name="worst_case_log10",
        title="worst case",
        unit="log10",
        family="zebra",
        meaning="ZEBRA's strongest evidence against any one speaker as the power of ten of the"
        " odds, with its tag from 0 (none), A (below 10 to 1) to F (a million to 1 or more).",
        page="zebra.md",
        better="lower",
        digits=2,
        short="worst",
        heading="$l_w$",
        column=True,
    ),
    *_alike(
        ("worst_case_floor_log10", "worst_case_ceiling_log10"),
        Metric(
            name="",
            title="worst case of a list of this size",
            unit="log10",
            family="zebra",
            meaning="Worst case of a list of this size: its floor with equal scores, its ceiling"
            " with perfectly separated ones.",
            page="zebra.md",
        ),
    ),
    *_alike(
        ("worst_case_leave_one_out_low_log10", "worst_case_leave_one_out_high_log10"),
        Metric(
            name="",
            title="worst case without one speaker",
            unit="log10",
            family="zebra",
            meaning="Range of the worst case when any one speaker is left out.",
            page="zebra.md",
        ),
    ),
    *_alike(
        ("worst_case_n_trials", "worst_case_n_speakers"),
        Metric(
            name="",
            title="size of the worst case",
            unit="",
            family="zebra",
            meaning="Target trials with the strongest evidence, and speakers whose they are.",
            page="zebra.md",
            low=0,
            digits=0,
        ),
    ),
    *_alike(
        ("tag", "tag_ceiling"),
        Metric(
            name="",
            title="tag",
            unit="",
            family="zebra",
            meaning="ZEBRA's category of the worst case; the highest that this list can show.",
            page="zebra.md",
            heading="Tag",
        ),
    ),
    Metric(
        name="ddcf",
        title="D_DCF",
        unit="",
        family="zebra",
        meaning="1 - min Cllr: disclosure at even odds only.",
        page="zebra.md",
        better="lower",
        low=0,
        high=1,
        times=OF_CALIBRATION,
        scale="rare errors",
    ),
]

CALIBRATION = [
    Metric(
        name="cece_linear_bit",
        title="C_ECE linear",
        unit="bit",
        family="calibration",
        meaning="Calibration distortion: logistic regression learned on run 0, used on run 1.",
        page="calibration.md",
        conditions=("op",),
        better="higher",
        high=NO_PRIVACY_BIT,
        heading="$C_{ECE}$ [bit]",
    ),
    *_alike(
        ("cece_isotonic_bit", "cece_isotonic_interpolated_bit"),
        Metric(
            name="",
            title="C_ECE isotonic",
            unit="bit",
            family="calibration",
            meaning="Calibration distortion: a monotone map learned on run 0, used on run 1.",
            page="calibration.md",
            conditions=("op",),
            better="higher",
            high=NO_PRIVACY_BIT,
        ),
    ),
    *_alike(
        ("cllr_linear_bit", "cllr_isotonic_bit", "cllr_isotonic_interpolated_bit"),
        Metric(
            name="",
            title="Cllr of run 1",
            unit="bit",
            family="calibration",
            meaning="Cllr of run 1 with a calibration learned on run 0.",
            page="calibration.md",
            conditions=("op",),
            better="higher",
            low=0,
        ),
    ),
    *_alike(
        ("cllr_train_bit", "cllr_test_bit"),
        Metric(
            name="",
            title="Cllr of one run",
            unit="bit",
            family="calibration",
            meaning="Cllr of either run by itself.",
            page="calibration.md",
            conditions=("op",),
            better="higher",
            low=0,
            scale="logarithmic",
        ),
    ),
    *_alike(
        ("dece_train_bit", "dece_test_bit"),
        Metric(
            name="",
            title="D_ECE of one run",
            unit="bit",
            family="calibration",
            meaning="D_ECE of either run with its own oracle.",
            page="calibration.md",
            conditions=("op",),
            better="lower",
            low=0,
            high=NO_PRIVACY_BIT,
            times=OF_CALIBRATION,
            scale="rare errors",
        ),
    ),
    *_alike(
        ("worst_case_train_log10", "worst_case_test_log10"),
        Metric(
            name="",
            title="worst case of one run",
            unit="log10",
            family="calibration",
            meaning="Worst case of either run by itself.",
            page="calibration.md",
            conditions=("op",),
            better="lower",
        ),
    ),
    *_alike(
        ("tag_train", "tag_test"),
        Metric(
            name="",
            title="tag of one run",
            unit="",
            family="calibration",
            meaning="Tag of either run by itself.",
            page="calibration.md",
            conditions=("op",),
        ),
    ),
]

NORMALISED = [
    Metric(
        name="dece_op_oo_percent",
        title="D_ECE",
        unit="OP/OO %",
        family="normalised",
        meaning="Share of the original's D_ECE that protection removes: 100 = all.",
        page="zebra.md",
        conditions=("op",),
        better="higher",
        high=100,
        heading="$D_{ECE}^{(OP/OO)}$ [%]",
    ),
    Metric(
        name="cllr_min_op_oo_percent",
        title="min Cllr",
        unit="OP/OO %",
        family="normalised",
        meaning="Share of the original's information (1 - min Cllr) that protection removes.",
        page="cllr.md",
        conditions=("op",),
        better="higher",
        high=100,
        heading="$C_{llr}^{min(OP/OO)}$ [%]",
    ),
    Metric(
        name="gain_dece_db",
        title="gain of D_ECE",
        unit="dB",
        family="normalised",
        meaning="Gain of voice distinctiveness from D_ECE: 0 = as distinct as the originals.",
        page="zebra.md",
        conditions=("pp",),
        better="higher",
        of_privacy=False,
        heading="$G_{D_{ECE}}^{(PP/OO)}$ [dB]",
    ),
    Metric(
        name="gain_cllr_min_db",
        title="gain of min Cllr",
        unit="dB",
        family="normalised",
        meaning="Gain of voice distinctiveness from min Cllr: 0 = as distinct as the originals.",
        page="cllr.md",
        conditions=("pp",),
        better="higher",
        of_privacy=False,
        heading="$G_{C_{llr}}^{min(PP/OO)}$ [dB]",
    ),
]

SIMILARITY = [
    Metric(
        name="deid_percent",
        title="DeID",
        unit="%",
        family="similarity",
        meaning="De-identification: 0 = protected voices are found as before, 100 = not at all. Of"
        " an anonymiser, from OO and OP.",
        page="similarity.md",
        conditions=("op",),
        better="higher",
        high=100,
        digits=1,
        short="DeID",
        heading="DeID [%]",
        compared=True,
        column=True,
    ),
    Metric(
        name="gvd_db",
        title="G_VD",
        unit="dB",
        family="similarity",
        meaning="Gain of voice distinctiveness: 0 = protected voices differ from each other as much"
        " as the originals, negative = less. Not a measure of privacy. Of an anonymiser, from"
        " OO and PP.",
        page="similarity.md",
        conditions=("pp",),
        better="higher",
        of_privacy=False,
        digits=2,
        short="G_VD",
        heading="$G_{VD}$ [dB]",
        compared=True,
        column=True,
    ),
    Metric(
        name="ddiag",
        title="dominance of the diagonal",
        unit="",
        family="similarity",
        meaning="How much the diagonal of the similarity matrix stands out, 0 to 1.",
        page="similarity.md",
        conditions=WITHOUT_SECOND_RUN,
        low=0,
        high=1,
    ),
    Metric(
        name="ddiag_signed",
        title="dominance of the diagonal, signed",
        unit="",
        family="similarity",
        meaning="The same with its sign: negative = the diagonal lies below the rest.",
        page="similarity.md",
        conditions=WITHOUT_SECOND_RUN,
        low=-1,
        high=1,
    ),
    Metric(
        name="ddiag_log_bit",
        title="dominance of the diagonal, logarithms",
        unit="bit",
        family="similarity",
        meaning="The same of logarithms of similarities.",
        page="similarity.md",
        conditions=WITHOUT_SECOND_RUN,
        low=0,
    ),
]

RANKS = [
    Metric(
        name="mean_disclosure_bit",
        title="rank disclosure",
        unit="bit",
        family="ranks",
        meaning="Mean similarity-rank disclosure, from the histogram of the ranks: 0 = the true"
        " speaker's rank says nothing.",
        page="ranks.md",
        better="lower",
        low=0,
        times=OF_HISTOGRAM,
        digits=2,
        short="rank",
        compared=True,
        column=True,
    ),
    Metric(
        name="model_mean_disclosure_bit",
        title="rank disclosure, model",
        unit="bit",
        family="ranks",
        meaning="The same from the beta-binomial model fitted to the ranks.",
        page="ranks.md",
        better="lower",
        low=0,
        digits=2,
        short="model",
        column=True,
    ),
    Metric(
        name="identification_rate_percent",
        title="identified",
        unit="%",
        family="ranks",
        meaning="Trial utterances whose true speaker ranks first among all enrolled speakers.",
        page="ranks.md",
        better="lower",
        low=0,
        high=100,
        digits=1,
        short="ident.",
        compared=True,
        column=True,
    ),
    Metric(
        name="model_identification_rate_percent",
        title="identified, model",
        unit="%",
        family="ranks",
        meaning="The same from the model.",
        page="ranks.md",
        better="lower",
        low=0,
        high=100,
    ),
    Metric(
        name="disclosure_bit",
        title="rank disclosure, headline",
        unit="bit",
        family="ranks",
        meaning="The histogram's mean with five utterances a rank or more, else the model's.",
        page="ranks.md",
        better="lower",
    ),
    *_alike(
        (
            "max_disclosure_bit",
            "std_disclosure_bit",
            "model_max_disclosure_bit",
            "model_std_disclosure_bit",
        ),
        Metric(
            name="",
            title="spread of rank disclosure",
            unit="bit",
            family="ranks",
            meaning="Largest value and standard deviation of rank disclosure over utterances.",
            page="ranks.md",
            low=0,
        ),
    ),
    *_alike(
        (
            "speaker_mean_disclosure_bit",
            "speaker_max_disclosure_bit",
            "speaker_std_disclosure_bit",
        ),
        Metric(
            name="",
            title="rank disclosure of speakers",
            unit="bit",
            family="ranks",
            meaning="Mean, largest and spread over speakers of the model fitted to each.",
            page="ranks.md",
            low=0,
        ),
    ),
    *_alike(
        ("rank_spread_percent", "model_rank_spread_percent"),
        Metric(
            name="",
            title="spread of ranks",
            unit="%",
            family="ranks",
            meaning="Share of ranks that occur more often than by chance.",
            page="ranks.md",
            low=0,
            high=100,
        ),
    ),
    *_alike(
        (
            "match_positive_percent",
            "other_positive_percent",
            "model_match_positive_percent",
            "model_other_positive_percent",
        ),
        Metric(
            name="",
            title="ranks that speak for a speaker",
            unit="%",
            family="ranks",
            meaning="How often the rank of the true, or of another, speaker's template speaks for"
            " him.",
            page="ranks.md",
            low=0,
            high=100,
        ),
    ),
    Metric(
        name="mean_disclosure_bias_bit",
        title="bias of rank disclosure",
        unit="bit",
        family="ranks",
        meaning="How much too high the histogram's mean is expected to be.",
        page="ranks.md",
        low=0,
    ),
    *_alike(
        ("model_alpha", "model_beta"),
        Metric(
            name="",
            title="parameters of the model",
            unit="",
            family="ranks",
            meaning="The two parameters of the beta-binomial model.",
            page="ranks.md",
            low=0,
        ),
    ),
    *_alike(
        ("kl_bit", *(f"kl_{loss}_bit" for loss in RANK_LOSSES)),
        Metric(
            name="",
            title="divergence of the model",
            unit="bit",
            family="ranks",
            meaning="Divergence of the histogram from the model, as fitted by one of five losses.",
            page="ranks.md",
            low=0,
        ),
    ),
    *_alike(
        ("rank1_match_bit", *(f"rank1_match_{loss}_bit" for loss in RANK_LOSSES)),
        Metric(
            name="",
            title="error of the model at rank 1",
            unit="bit",
            family="ranks",
            meaning="How far model and histogram differ at rank 1.",
            page="ranks.md",
        ),
    ),
    Metric(
        name="gallery_eer_percent",
        title="EER of the gallery",
        unit="%",
        family="ranks",
        meaning="EER if every utterance is tried against every template.",
        page="ranks.md",
        better="higher",
        low=0,
        high=100,
    ),
    *_alike(
        ("n_templates", "n_utterances"),
        Metric(
            name="",
            title="size of the gallery",
            unit="",
            family="ranks",
            meaning="How many templates are ranked, and for how many utterances.",
            page="ranks.md",
            low=0,
            digits=0,
        ),
    ),
    Metric(
        name="log2_n_templates_bit",
        title="most that a rank can disclose",
        unit="bit",
        family="ranks",
        meaning="Logarithm of the number of templates.",
        page="ranks.md",
        low=0,
    ),
]


def _inferred(attribute: str) -> list[Metric]:
    """The numbers of one attribute of speakers that speech tells."""
    name, told = f"inferred_{attribute}", f"{attribute} told right"
    row = Metric(
        name=f"{name}_percent",
        title=told,
        unit="%",
        family="inference",
        meaning=f"How often the {attribute} of unheard speakers is told right; mean of classes.",
        page="law.md",
        conditions=WITHOUT_SECOND_RUN,
        better="lower",
        digits=1,
    )
    return [
        row,
        row._replace(
            name=f"{name}_null95_percent",
            title=f"{told} by guessing",
            meaning="What 95 % of permuted classes stay below.",
            better="neither",
        ),
        row._replace(
            name=f"{name}_gain_percent",
            title=f"gain over guessing the {attribute}",
            meaning="Share of what guessing misses that is told right: 0 = guessing, 100 = all.",
        ),
        row._replace(
            name=f"{name}_left_percent",
            title=f"{attribute}, gain left",
            meaning="The gain in proportion to that of unprotected speech.",
            conditions=PROTECTED_CONDITIONS,
        ),
    ]


INFERENCE: list[Metric] = []
for _attribute in ATTRIBUTES:
    INFERENCE += _inferred(_attribute)

WORD_ERRORS = {  # kinds of them
    "insertions": "Words that a recogniser adds, in percent of those that were said.",
    "deletions": "Words that a recogniser leaves out, in percent of those that were said.",
    "substitutions": "Words that a recogniser takes for others, in percent of those said.",
}


def _word_errors(name: str, title: str) -> list[Metric]:
    """The kinds of a recogniser's word errors, and what they are percents of."""
    kinds = [
        Metric(
            name=f"{name}_{kind}_percent",
            title=f"{title} {kind}",
            unit="%",
            family="utility",
            meaning=meaning,
            page="utility.md",
            conditions=(),
            better="lower",
            of_privacy=False,
            low=0,
            digits=1,
            group="words",
        )
        for kind, meaning in WORD_ERRORS.items()
    ]
    words = Metric(
        name=f"{name}_words",
        title=f"{title} words",
        unit="",
        family="utility",
        meaning="Words of a transcript: mean over the utterances.",
        page="utility.md",
        conditions=(),
        of_privacy=False,
        low=0,
        digits=1,
        group="words",
    )
    return [*kinds, words]


def _opinion(subject: str, meaning: str, *, headline: bool = False) -> Metric:
    """Row of DNSMOS."""
    return Metric(
        name=f"dnsmos_{subject}",
        title=f"DNSMOS, {subject}",
        unit="MOS",
        family="utility",
        meaning=meaning,
        page="utility.md",
        conditions=(),
        better="higher",
        of_privacy=False,
        low=1,
        high=5,
        digits=2,
        group="quality",
        headline=headline,
    )


UTILITY = [
    Metric(
        name="closed_text_wer_percent",
        title="closed-text WER",
        unit="%",
        family="utility",
        meaning="Word errors of a recogniser that knows the sentences; for this corpus alone.",
        page="utility.md",
        conditions=(),
        better="lower",
        of_privacy=False,
        low=0,
        digits=1,
        group="words",
        headline=True,
    ),
    *_word_errors("closed_text", "closed-text"),
    Metric(
        name="wer_percent",
        title="word error rate",
        unit="%",
        family="utility",
        meaning="Word errors of the recogniser that the config names, over all words.",
        page="utility.md",
        conditions=(),
        better="lower",
        of_privacy=False,
        low=0,
        digits=1,
        group="words",
        headline=True,
    ),
    Metric(
        name="uar_percent",
        title="emotion recall",
        unit="%",
        family="utility",
        meaning="Unweighted average recall of four emotions, by the config's classifier.",
        page="utility.md",
        conditions=(),
        better="higher",
        of_privacy=False,
        low=0,
        high=100,
        digits=1,
        group="emotion",
        headline=True,
    ),
    Metric(
        name="pitch_correlation",
        title="pitch correlation",
        unit="",
        family="utility",
        meaning="Correlation of the pitch of original and protected speech: 1 = as before.",
        page="utility.md",
        conditions=(),
        better="higher",
        of_privacy=False,
        digits=2,
        group="pitch",
        headline=True,
    ),
    _opinion(
        "overall", "Opinion of the whole that a network foretells, from 1 to 5.", headline=True
    ),
    _opinion("speech", "Opinion of the speech alone that a network foretells, from 1 to 5."),
    _opinion("background", "Opinion of the background that a network foretells: 5 = quiet."),
    Metric(
        name="estoi",
        title="ESTOI",
        unit="",
        family="utility",
        meaning="How alike protected and original speech are frame by frame: 1 = the same.",
        page="utility.md",
        conditions=(),
        better="higher",
        of_privacy=False,
        low=-1,
        high=1,
        digits=2,
        group="quality",
    ),
    Metric(
        name="voice_consistency",
        title="voice consistency",
        unit="",
        family="utility",
        meaning="How alike the utterances of a speaker sound to a network: 1 = always one voice.",
        page="utility.md",
        conditions=(),
        better="neither",
        of_privacy=False,
        low=-1,
        high=1,
        digits=2,
        group="voice",
    ),
    Metric(
        name="sex_kept_percent",
        title="sex kept",
        unit="%",
        family="utility",
        meaning="Utterances that sound of their speaker's sex, by what original speech teaches.",
        page="utility.md",
        conditions=(),
        better="higher",
        of_privacy=False,
        low=0,
        high=100,
        digits=1,
        group="voice",
        headline=True,
    ),
]

OWN = ""  # the group of somebody's own measures
# By which measure one chooses, if there are several: whether words are understood comes first.
PREFERRED = ("words", OWN, "quality", "pitch", "emotion", "voice", "speed")

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *VERIFICATION,
        *ZEBRA,
        *CALIBRATION,
        *NORMALISED,
        *SIMILARITY,
        *RANKS,
        *INFERENCE,
        *UTILITY,
    )
}
COLUMNS = tuple(metric for metric in METRICS.values() if metric.column)
EER = METRICS["eer_percent"]
MORE_IS_BETTER = {
    metric.name: metric.better == "higher" for metric in METRICS.values() if metric.compared
}


def utility_group(metric: str) -> str:
    """What it is about, one of PREFERRED; OWN for a measure of one's own."""
    return METRICS[metric].group if metric in METRICS else OWN


def utility_preference(metric: str) -> tuple[int, int, str]:
    """Measures of utility are sorted by it: the first is the one by which one chooses."""
    in_catalogue = list(METRICS).index(metric) if metric in METRICS else 0
    return PREFERRED.index(utility_group(metric)), in_catalogue, metric


def is_headline(metric: str) -> bool:
    """Whether one chooses by a measure: by all of one's own, and by the main ones of ours."""
    return metric not in METRICS or METRICS[metric].headline
