"""Metrics of score matrices and embeddings: similarity, ranks, what else is inferred."""

from voiceprivacy.catalogue.metric import (
    OF_HISTOGRAM,
    RANK_LOSSES,
    WITHOUT_SECOND_RUN,
    Metric,
    alike,
)
from voiceprivacy.vocabulary import ATTRIBUTES, GALLERY_SECONDS, PROTECTED_CONDITIONS

SIMILARITY = [
    Metric(
        name="deid_percent",
        title="DeID",
        unit="%",
        family="similarity",
        meaning="De-identification: 0 = protected voices are found as before, 100 = not at all. Of"
        " an anonymiser, from OO and OP.",
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
        twin="ddiag_signed",
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
        conditions=WITHOUT_SECOND_RUN,
        low=0,
    ),
]

DIVERGENCE = Metric(
    name="kl_bit",
    title="divergence of the model",
    unit="bit",
    family="ranks",
    meaning="Divergence of the histogram from the model, as fitted by one of five losses.",
    low=0,
)
AT_RANK_1 = Metric(
    name="rank1_match_bit",
    title="error of the model at rank 1",
    unit="bit",
    family="ranks",
    meaning="How far model and histogram differ at rank 1.",
)
RANKS = [
    Metric(
        name="mean_disclosure_bit",
        title="rank disclosure",
        unit="bit",
        family="ranks",
        meaning="Mean similarity-rank disclosure, from the histogram of the ranks: 0 = the true"
        " speaker's rank says nothing.",
        better="lower",
        low=0,
        times=OF_HISTOGRAM,
        digits=2,
        short="rank",
        twin="disclosure_bit",
        compared=True,
        column=True,
    ),
    Metric(
        name="model_mean_disclosure_bit",
        title="rank disclosure, model",
        unit="bit",
        family="ranks",
        meaning="The same from the beta-binomial model fitted to the ranks.",
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
        better="lower",
    ),
    *alike(
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
            low=0,
        ),
    ),
    *alike(
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
            low=0,
        ),
    ),
    *alike(
        ("rank_spread_percent", "model_rank_spread_percent"),
        Metric(
            name="",
            title="spread of ranks",
            unit="%",
            family="ranks",
            meaning="Share of ranks that occur more often than by chance.",
            low=0,
            high=100,
        ),
    ),
    *alike(
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
            meaning="How often the rank of the true, or of another, speaker's template is"
            " evidence for this speaker.",
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
        low=0,
    ),
    *alike(
        ("model_alpha", "model_beta"),
        Metric(
            name="",
            title="parameters of the model",
            unit="",
            family="ranks",
            meaning="The two parameters of the beta-binomial model.",
            low=0,
        ),
    ),
    DIVERGENCE,
    *alike((f"kl_{loss}_bit" for loss in RANK_LOSSES), DIVERGENCE._replace(twin="kl_bit")),
    AT_RANK_1,
    *alike(
        (f"rank1_match_{loss}_bit" for loss in RANK_LOSSES),
        AT_RANK_1._replace(twin="rank1_match_bit"),
    ),
    Metric(
        name="gallery_eer_percent",
        title="EER of the gallery",
        unit="%",
        family="ranks",
        meaning="EER if every utterance is tried against every template.",
        twin="eer_percent",
        better="higher",
        low=0,
        high=100,
    ),
    *alike(
        ("n_templates", "n_utterances"),
        Metric(
            name="",
            title="size of the gallery",
            unit="",
            family="ranks",
            meaning="How many templates are ranked, and for how many utterances.",
            low=0,
            digits=0,
        ),
    ),
    *alike(
        GALLERY_SECONDS,
        Metric(
            name="",
            title="length of a test, of a template",
            unit="s",
            family="ranks",
            meaning="Mean seconds of unprotected recordings behind a test or template of a sampled"
            " gallery, pauses included.",
            low=0,
            digits=1,
        ),
    ),
    Metric(
        name="log2_n_templates_bit",
        title="most that a rank can disclose",
        unit="bit",
        family="ranks",
        meaning="Logarithm of the number of templates.",
        low=0,
    ),
]


def _inferred(attribute: str) -> list[Metric]:
    """The numbers of one attribute of speakers that speech tells."""
    name, told = f"inferred_{attribute}", f"{attribute} recognised"
    row = Metric(
        name=f"{name}_percent",
        title=told,
        unit="%",
        family="inference",
        meaning=f"How often the {attribute} of unseen speakers is recognised; mean of classes.",
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
            meaning="Share of what guessing misses that is recognised: 0 = guessing, 100 = all.",
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
