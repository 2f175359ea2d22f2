"""Zero evidence and the worst case of few speakers: counts by hand, false alarms, truths."""

import itertools
import math

import numpy as np
import pytest
from support.speakers import arranged, noisy, rows_of, scored, weigh

from voiceprivacy.inout.scored_trials import ScoredTrials
from voiceprivacy.privacy.scores import score_files, zebra
from voiceprivacy.privacy.uncertainty import null

PINNED_BAND_BIT = 0.07150773356761153  # a seed gives the same derangements in every version


@pytest.mark.parametrize(("n", "count"), [(1, 0), (2, 1), (3, 2), (4, 9), (5, 44), (6, 265)])
def test_few_speakers_have_every_derangement_once(n, count):
    drawn = null.derangements(n, 1000, np.random.default_rng(0))
    permutations = {tuple(permutation) for permutation in drawn}
    assert len(permutations) == count == round(math.factorial(n) / math.e)
    for permutation in permutations:
        assert all(name != position for position, name in enumerate(permutation))


def test_many_speakers_have_as_many_random_derangements_as_asked_for():
    permutations = list(null.derangements(12, 30, np.random.default_rng(0)))
    assert len(permutations) == 30 and (np.array(permutations) != np.arange(12)).all()


def test_the_two_derangements_of_three_speakers_by_hand():
    """Scores that say who follows whom: one derangement finds every follower, the other none."""
    listed = score_files.arrange(
        *scored(lambda enrolled, tried, _: (tried - enrolled) % 3 == 1, n_speakers=3)
    )
    bits = null.null_dece_bits(listed, n_replicates=100, seed=0)
    assert sorted(bits) == pytest.approx([0, 1 / (2 * math.log(2))])


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_a_derangement_gives_what_the_same_scores_give_with_its_labels(digits):
    """Every derangement of four speakers, with ties in and between the classes."""
    pairs_of, speaker_of = scored(
        lambda enrolled, tried, k: round(np.sin(7 * enrolled + 5 * tried + 3 * k), digits),
        n_speakers=4,
    )
    listed = score_files.arrange(pairs_of, speaker_of)
    expected = []
    for permutation in itertools.permutations(range(4)):
        if all(name != position for position, name in enumerate(permutation)):
            target = np.array(permutation)[listed.enrolment] == listed.trial
            relabelled = {"target": listed.scores[target], "nontarget": listed.scores[~target]}
            expected.append(zebra.dece_bit(**relabelled))
    assert null.null_dece_bits(listed, n_replicates=100, seed=0).tolist() == expected


def test_the_band_is_an_order_statistic_that_errs_on_the_safe_side():
    limit = null.dece_null95_bit(np.arange(1000.0)[::-1], n_speakers=20)
    assert limit == pytest.approx(950 * (20 / 19) ** 2)  # the 951st: 49 lie above
    assert null.dece_null95_bit(np.arange(19.0), n_speakers=10) == pytest.approx(18 * (10 / 9) ** 2)
    assert null.dece_null95_bit(np.arange(18.0), n_speakers=10) == "undefined"


def test_false_alarms_are_rare_over_200_attacks_without_evidence():
    """At most 5 % are wanted; 18 of 200 or more would have a chance of 1 % at exactly 5 %."""
    alarms = 0
    for seed in range(200):
        eight = arranged(0, seed=seed, n_speakers=8, n_utterances=2)
        everyone = weigh(eight, np.ones(len(eight.scores), dtype=np.int64))
        bits = null.null_dece_bits(eight, n_replicates=59, seed=seed)
        limit = null.dece_null95_bit(bits, n_speakers=8)
        alarms += zebra.sample_metrics(everyone)["dece_bit"] > limit
    assert alarms < 18


@pytest.mark.parametrize(
    "tried",
    [
        lambda enrolled, tried: tried == "s0",
        lambda enrolled, tried: len(enrolled) == len(tried),
    ],
    ids=["of one speaker", "within two groups"],
)
def test_lists_that_cannot_say_what_zero_evidence_gives(tried):
    """Derangements have too few speakers, or pairs that the list lacks: half of its targets."""
    pairs_of, speaker_of = noisy(1, n_speakers=20)
    rows = rows_of(pairs_of)
    kept = [row for row in rows if tried(*(speaker_of[name] for name in row[0][:2]))]
    listed = score_files.arrange(ScoredTrials.of(kept), speaker_of)
    metrics = null.assess(listed, n_replicates=40, seed=0)
    assert metrics["dece_null95_bit"] == "undefined"


def test_derangements_have_as_many_targets_as_the_list(monkeypatch):
    """All pairs of two utterances find twice as many targets as the list has, and less noise."""
    taken, ties_of = [], null._ties_of
    monkeypatch.setattr(
        null,
        "_ties_of",
        lambda scores, edges: taken.append(len({*scores})) or ties_of(scores, edges),
    )
    pairs_of, speaker_of = noisy(0, n_speakers=8, n_utterances=2)
    rows = rows_of(pairs_of)
    kept = [row for row in rows if row[0].label == "nontarget" or row[0].trial.endswith("-0")]
    listed = score_files.arrange(ScoredTrials.of(kept), speaker_of)
    null.null_dece_bits(listed, n_replicates=20, seed=0)
    assert taken == [8] * 20


def test_evidence_is_seen():
    metrics = null.assess(arranged(2, n_speakers=8), n_replicates=200, seed=0)
    assert metrics["dece_null95_bit"] < 0.1
    said = null.describe({"dece_bit": 0.3} | metrics)
    assert said.startswith("D_ECE 0.3000 bit: more than zero evidence")
    undefined = null.describe({"dece_bit": 0.0, "dece_null95_bit": "undefined"})
    assert undefined.startswith("too few speakers")
    at_the_end = null.describe({"dece_bit": 0.25, "dece_null95_bit": 0.25})
    limit = "permuted speakers give up to 0.2500 bit"
    assert at_the_end == f"D_ECE 0.2500 bit: no more than zero evidence ({limit})"


def test_one_exposed_speaker_carries_the_worst_case():
    """Speaker 3 alone is found: without him nothing stands out, and his trials are the block."""
    listed = score_files.arrange(*scored(lambda enrolled, tried, _: enrolled == tried == 3))
    low, high = null.leave_one_out_log10(listed)
    # without him 15 targets and 60 nontargets are equal: the worst case is the floor of such a list
    assert low == pytest.approx(zebra.worst_case_floor_log10(target=range(15), nontarget=range(60)))
    # without another: his 3 targets, a target and a nontarget of the pair, of 15 and 60 in all
    assert high == pytest.approx(math.log10((3 + 1) / 1 * 60 / 15))
    assert null.extreme_block(listed) == (1, 3)


def test_a_speaker_that_cannot_be_left_out_leaves_the_range_undefined():
    assert null.leave_one_out_log10(arranged(1, n_speakers=2)) == ("undefined", "undefined")


def test_the_strongest_block_is_that_of_laplaces_rule():
    """Both ends are perfect: 13 / 1 * 36 / 12 says more than 1 / 37 * 36 / 12."""
    four = arranged(50, n_speakers=4)
    assert null.extreme_block(four) == (4, 12)


def test_what_stands_beside_zebra_has_its_names_and_numbers():
    eight = arranged(1, n_speakers=8)
    metrics = null.assess(eight, n_replicates=40, seed=3)
    low, high = null.leave_one_out_log10(eight)
    n_speakers, n_trials = null.extreme_block(eight)
    assert metrics == {
        "dece_null95_bit": pytest.approx(PINNED_BAND_BIT, rel=1e-9),
        "worst_case_leave_one_out_low_log10": low,
        "worst_case_leave_one_out_high_log10": high,
        "worst_case_n_speakers": n_speakers,
        "worst_case_n_trials": n_trials,
    }
