"""The answer of a run on ranks alone: the most that any attack finds of each system."""

from voiceprivacy.report.answer import rank_answers
from voiceprivacy.report.metrics import Number


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


def test_the_gallery_that_discloses_most_counts_and_the_least_comes_first():
    assert rank_answers(RUN) == {
        "ranks": "What the rank of the true speaker discloses where most is found, in bits (95 %"
        " limits), the least first: b2r 2.25 [2.00, 2.50], b2 3.50 [3.00, 3.95],"
        " original 4.00 [3.90, 4.10]. Where limits overlap, no difference is shown."
    }
    assert rank_answers([]) == {}
