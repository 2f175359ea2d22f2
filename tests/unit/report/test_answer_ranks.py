"""The answer of a run on ranks alone: the most that any attack finds decides, and intervals say how
sure it is.
"""

from voiceprivacy.report.answer import rank_answers
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import NO_BREAK


def disclosed(anonymiser, condition, bit, *limits, trials="mixed_t1_d1"):
    key = ("ranks", trials, anonymiser, "ecapa", "cosine", condition, "disclosure_bit")
    return Number(*key, str(bit), *map(str, limits or ("-", "-")))


ORIGINAL = disclosed("original", "oo", 4.0, 3.9, 4.1)
RUN = [
    *(ORIGINAL, disclosed("b2", "op", 0.5, 0.2, 0.9), disclosed("b2", "pp", 3.5, 3.0, 3.95)),
    *(
        disclosed("b2r", "pp", 1.5, 1.0, 2.0),
        disclosed("b2r", "pp", 2.25, 2.0, 2.5, trials="mixed_t4_d4"),
    ),
]


def answer(metrics):
    [(corpus, answered)] = rank_answers(metrics).items()
    assert corpus == "ranks"
    return tuple(text.replace(NO_BREAK, " ") for text in answered)


def test_the_gallery_that_discloses_most_counts():
    verdict, reasons, limits = answer(RUN)
    assert verdict == "Ranks disclose least of b2r."
    assert reasons == (
        "Where most is found (PP, ecapa + cosine, gallery mixed_t4_d4), the rank of the true "
        "speaker discloses 2.25 bit; of unprotected speech 4.00 bit."
        " Next, each where most of it is found: b2 3.50 bit."
    )
    assert limits == (
        "In bits, with 95 % limits: original 4.00 [3.90, 4.10], b2r 2.25 [2.00, 2.50],"
        " b2 3.50 [3.00, 3.95]."
    )


def test_intervals_that_overlap_show_nothing():
    assert (
        answer(RUN[:3])[0]
        == "No anonymiser is shown to hide the speaker from a ranking, not even b2."
    )
    assert (
        answer([ORIGINAL, disclosed("b2", "pp", 3.5)])[0]
        == "Ranks disclose less of b2 than of unprotected speech."
    )
    assert (
        answer([ORIGINAL, disclosed("b2", "pp", 4.0)])[0]
        == "No anonymiser hides the speaker from a ranking."
    )


def test_original_speech_alone_is_called_so():
    assert answer([ORIGINAL]) == (
        "Nothing was protected.",
        "The rank of the true speaker discloses 4.00 bit.",
        "In bits, with 95 % limits: original 4.00 [3.90, 4.10].",
    )
    assert answer([disclosed("original", "oo", 4.0)])[2] == ""
    assert rank_answers([]) == {}
