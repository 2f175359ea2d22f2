"""Is an anonymiser shown to protect? The words follow the paired difference, else the intervals."""

import pytest

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.answer import answers, doubts, protects
from voiceprivacy.report.comparison import System
from voiceprivacy.report.uncertainty import (
    Comparisons,
    Difference,
    attack_on,
    can_be_told_apart,
    read_comparisons,
)
from voiceprivacy.vocabulary import ALIKE, MINUS, NO_BREAK, Pair, StrongestPair, SystemInterval

BETTER, WORSE = "A is better", "B is better"


def system(anonymiser, eer, interval, *, attacker=("ecapa", "plda"), corpus="demo"):
    condition = "oo" if anonymiser == "original" else "pp"
    numbers, intervals = {"eer_percent": eer}, {"f": {"eer_percent": interval}}
    return System(corpus, *attacker, anonymiser, condition, {"f": numbers}, numbers, intervals)


ORIGINAL = system("original", 8.0, (3.0, 13.0), attacker=("ecapa", "cosine"))
B2 = system("b2", 12.0, (6.0, 18.0), attacker=("ecapa_semi_on_b2", "cosine"))
B2R = system("b2r", 10.0, (5.0, 15.0))


def compared(*rows, corpus="demo"):
    """Comparisons of rows (system, other, points, limits, verdict)."""
    strongest = {}
    for one, other, numbers in rows:
        strongest[corpus, attack_on(one), attack_on(other)] = Difference(*numbers)
    return Comparisons({}, {}, strongest)


def text(systems, comparisons):
    return [plain(sentence) for sentence in answers(systems, comparisons)[systems[0].corpus]]


def plain(sentence):
    return sentence.replace(NO_BREAK, " ").replace(MINUS, "-")


def test_a_paired_difference_above_zero_shows_protection_although_intervals_overlap():
    known = compared((B2, ORIGINAL, (4.0, (1.5, 6.5), BETTER)))
    verdict, reasons = text([ORIGINAL, B2], known)
    assert verdict == "b2 protects."
    assert (
        "with ecapa + cosine; the difference is 4.0 points (95 % interval 1.5 to 6.5)." in reasons
    )
    assert text([ORIGINAL, B2], Comparisons({}, {}, {}))[0] == (
        "b2 is not shown to protect: its interval overlaps with that of unprotected speech."
    )


def test_a_paired_difference_over_zero_does_not_although_intervals_are_disjoint():
    apart = system("b2", 12.0, (13.5, 18.0))
    known = compared((apart, ORIGINAL, (4.0, (-0.5, 8.5), ALIKE)))
    verdict, reasons = text([ORIGINAL, apart], known)
    assert verdict == (
        "b2 is not shown to protect: its equal error rate is 4.0 points above that of "
        "unprotected speech "
        "(95 % interval -0.5 to 8.5)."
    )
    assert "the difference is" not in reasons
    assert text([ORIGINAL, apart], Comparisons({}, {}, {}))[0] == "b2 protects."


def test_of_several_the_best_speaks_for_all_only_if_none_is_shown_to_protect():
    spans, alike = (4.0, (-0.5, 8.5), ALIKE), (2.0, (-1.0, 5.0), ALIKE)
    verdict, reasons = text(
        [ORIGINAL, B2, B2R], compared((B2, ORIGINAL, spans), (B2R, ORIGINAL, alike))
    )
    assert verdict == (
        "No anonymiser is shown to protect: the highest equal error rate, that of b2, is 4.0 "
        "points above that of "
        "unprotected speech (95 % interval -0.5 to 8.5)."
    )
    assert reasons.endswith(
        "No protection is shown for b2r: its difference from unprotected speech is 2.0 points "
        "(95 % interval -1.0 to 5.0)."
    )
    narrow = (2.0, (0.5, 3.5), BETTER)
    verdict, reasons = text(
        [ORIGINAL, B2, B2R], compared((B2, ORIGINAL, spans), (B2R, ORIGINAL, narrow))
    )
    assert verdict.startswith(
        "Protection is shown for b2r, but not for b2, with the highest equal error rate: its equal"
    )
    assert "No protection is shown" not in reasons


def test_what_is_worse_than_unprotected_speech_does_not_protect():
    worse = [system(name, 6.0, (5.5, 6.5)) for name in ("b3", "b4")]
    known = compared(
        (B2, ORIGINAL, (4.0, (1.0, 7.0), BETTER)),
        (worse[0], ORIGINAL, (-2.0, (-3.0, -1.0), WORSE)),
        (worse[1], ORIGINAL, (-2.0, (-4.0, 0.5), ALIKE)),
    )
    assert [protects(known, system, ORIGINAL) for system in (B2, *worse)] == [True, False, False]
    assert plain(doubts(known, [B2, *worse], ORIGINAL)) == (
        "No protection is shown for b3 and b4: their differences from unprotected speech are "
        "-2.0 points (95 % interval -3.0 to -1.0) and -2.0 points (95 % interval -4.0 to 0.5)."
    )
    assert doubts(Comparisons({}, {}, {}), [B2R, *worse], ORIGINAL) == (
        "No protection is shown for b3 and b4: their equal error rates are no higher than "
        "that of unprotected speech. "
        "No protection is shown for b2r: its interval overlaps with that of unprotected speech."
    )


def test_too_few_speakers_are_said_to_be_too_few():
    known = compared((B2, ORIGINAL, (4.0, None, ALIKE)))
    assert (
        text([ORIGINAL, B2], known)[0]
        == "b2 is not shown to protect: there are too few speakers to tell."
    )


def test_without_unprotected_speech_nothing_speaks_against_protection():
    assert text([B2], Comparisons({}, {}, {}))[0] == "b2 protects."


def test_anonymisers_under_different_attackers_are_told_apart_in_pairs():
    known = compared((B2, B2R, (2.0, (0.5, 3.5), BETTER)))
    assert can_be_told_apart(known, B2, B2R) and can_be_told_apart(known, B2R, B2)
    assert not can_be_told_apart(Comparisons({}, {}, {}), B2, B2R)


def test_a_pair_is_of_one_corpus():
    elsewhere = compared((B2, ORIGINAL, (4.0, (1.5, 6.5), BETTER)), corpus="over-corpora/challenge")
    assert not protects(elsewhere, B2, ORIGINAL)
    of_average = [system._replace(corpus="over-corpora/challenge") for system in (B2, ORIGINAL)]
    assert protects(elsewhere, *of_average)


@pytest.mark.parametrize(
    ("compared", "corpus"),
    [("demo/mean", "demo"), ("over-corpora/challenge", "over-corpora/challenge")],
)
def test_pairs_are_read_of_a_corpus_and_of_averages(compared, corpus, metrics, tmp_path):
    numbers = [
        metric._replace(ci_low="1", ci_high="9") if metric.metric == "eer_percent" else metric
        for metric in metrics
    ]
    for ending, columns in (("tsv", Pair._fields), ("systems.tsv", SystemInterval._fields)):
        write_table(tmp_path / f"demo/mean/xvector/cosine.{ending}", columns, [])
    one, other = ("b2", "xvector", "cosine", "pp"), ("original", "xvector", "cosine", "oo")
    rows = [("eer_percent", *one, *other, 6.5, 1.5, 5.0, 2, 8, 1, 0.01, 0.02, BETTER)]
    rows.append(
        (
            "eer_percent",
            *other,
            *one,
            1.5,
            6.5,
            -5.0,
            "undefined",
            "undefined",
            "undefined",
            1,
            1,
            ALIKE,
        )
    )
    write_table(tmp_path / compared / "strongest.tsv", StrongestPair._fields, rows)
    assert read_comparisons(tmp_path, numbers).strongest == {
        (corpus, one, other): Difference(5.0, (2.0, 8.0), BETTER),
        (corpus, other, one): Difference(-5.0, None, ALIKE),
    }
