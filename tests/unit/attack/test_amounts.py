"""More speech per attack: which utterances are joined, PLDA of means, and a closed form in L."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, multivariate_normal

from voiceprivacy.attack.backends import backends, plda
from voiceprivacy.attack.backends.amounts import Listed, joined, scored
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Trial, Utterance


def listed(n_utterances, *, n_enrolled=4, speakers="abc"):
    """Every speaker's model against all utterances of all speakers."""
    enrolments = {name: [f"{name}-e{k}" for k in range(n_enrolled)] for name in speakers}
    tried = {name: [f"{name}-t{k}" for k in range(n_utterances)] for name in speakers}
    trials = [
        Trial(enrolled, utterance, "target" if enrolled == name else "nontarget")
        for enrolled in speakers
        for name, utterances in tried.items()
        for utterance in utterances
    ]
    speaker_of = {name: name for name in speakers}
    for name, utterances in tried.items():
        speaker_of |= dict.fromkeys(utterances, name)
    # Enrolment utterances last 3 s each, those that are tried 1, 2, 3, ... s.
    manifest = [
        Utterance(name, speaker, "f", Path("u.wav"), 3.0)
        for speaker, utterances in enrolments.items()
        for name in utterances
    ]
    for speaker, utterances in tried.items():
        manifest += [
            Utterance(name, speaker, "f", Path("u.wav"), float(number))
            for number, name in enumerate(utterances, 1)
        ]
    return Listed(trials, enrolments, speaker_of, manifest)


def points(lists, enrolment, trial, seed=0):
    return list(joined(lists, enrolment=enrolment, trial=trial, seed=seed))


def test_groups_are_disjoint_of_one_speaker_and_leave_the_rest_out():
    (joint,) = points(listed(7), ["all"], [3])
    members = [utterance for group in joint.groups.values() for utterance in group]
    assert len(members) == len(set(members)) == 3 * 2 * 3
    assert {len({name[0] for name in group}) for group in joint.groups.values()} == {1}
    assert len(joint.trials) == 3 * 3 * 2
    assert sum(trial.label == "target" for trial in joint.trials) == 3 * 2


def test_a_model_of_three_holds_that_of_one_and_all_is_all():
    one, three, everything = points(listed(2), [1, 3, "all"], [1])
    for name in "abc":
        assert len(one.models[name]) == 1
        assert set(one.models[name]) < set(three.models[name]) < set(everything.models[name])


def test_seconds_are_those_of_the_models_and_of_the_groups_that_are_tried():
    one, pairs = points(listed(4, n_enrolled=5), [2], [1, 2])
    assert (one.enrolment_s, one.trial_s) == (6.0, 2.5)
    assert (pairs.enrolment_s, pairs.trial_s) == (6.0, 5.0)  # all four are in a pair: 10 / 2
    assert pairs.amounts == {"enrolment": 2, "trial": 2, "enrolment_s": 6.0, "trial_s": 5.0}


def test_an_utterance_without_a_manifest_is_named():
    lists = listed(2)
    with pytest.raises(BadInput, match="utterance 'a-e0' is not in the manifest"):
        points(lists._replace(manifest=lists.manifest[1:]), ["all"], [1])


def test_draws_depend_on_the_seed_and_on_names_not_on_the_order_of_a_list():
    lists = listed(6)
    turned = lists._replace(trials=lists.trials[::-1])
    one, other = (points(each, [2], [2])[0] for each in (lists, turned))
    assert one.groups == other.groups and one.models == other.models
    assert set(one.trials) == set(other.trials)
    assert points(lists, [2], [2], seed=1)[0].groups.keys() != one.groups.keys()


def test_a_point_that_less_than_half_of_the_speakers_have_does_not_exist():
    lists = listed(3)
    longer = [lists.manifest[0]._replace(utterance=name) for name in ("a-e4", "a-e5")]
    lists.enrolments["a"].extend(utterance.utterance for utterance in longer)
    lists.manifest.extend(longer)
    assert points(lists, [5, 4], [4, 3])[0][:2] == (4, 3)
    assert len(points(lists, [5, 4], [4, 3])) == 1


def test_a_group_that_was_not_tried_as_a_whole_is_no_trial():
    lists = listed(2)
    fewer = [trial for trial in lists.trials if trial[:2] != ("a", "b-t0")]
    (joint,) = points(lists._replace(trials=fewer), ["all"], [2])
    pairs = {(trial.enrolment, trial.trial[0]) for trial in joint.trials}
    assert ("a", "b") not in pairs and len(pairs) == 8


def test_both_sides_are_means_of_raw_embeddings():
    lists = listed(2, n_enrolled=2, speakers="ab")
    (joint,) = points(lists, ["all"], [2])
    gallery = backends.Gallery(
        Embeddings(
            np.array(["a-e0", "a-e1", "b-e0", "b-e1", "a-t0", "a-t1", "b-t0", "b-t1"]),
            np.array([[1, 0], [0, 1], [2, 0], [2, 0], [3, 0], [0, 3], [0, 4], [0, 6]], float),
        ),
        "e.npz",
    )
    told = []

    def score(*, enrolment, counts, trial, trial_count):
        told.append((counts.tolist(), trial_count))
        return enrolment @ trial.T

    by_label = scored(score, joint, enrolment=gallery, trial=gallery)
    target = {trial.enrolment: value for trial, value in by_label["target"]}
    assert target == {"a": 0.5 * 1.5 + 0.5 * 1.5, "b": 0.0}
    assert told == [([2, 2], 2)]


# PLDA that counts.


def llr_by_hand(x, t, *, between, within, n, length):
    """The ratio of two Gaussians of (x, t), the means of n and of L utterances."""
    one, other = between + within / n, between + within / length
    same = np.array([[one, between], [between, other]])
    different = np.diag([one, other])
    pair = np.array([x, t])
    return multivariate_normal.logpdf(pair, cov=same) - multivariate_normal.logpdf(
        pair, cov=different
    )


@pytest.mark.parametrize(("n", "length"), [(1, 1), (3, 1), (1, 4), (3, 10)])
def test_plda_of_means_is_the_ratio_of_two_gaussians(n, length):
    model = plda.Plda(np.zeros(1), np.array([[2.0]]), np.array([[0.5]]))
    llrs = plda.score(
        model,
        enrolment=np.array([[1.5], [-0.3]]),
        counts=[n, n],
        trial=np.array([[1.0]]),
        length_norm=None,
        trial_count=length,
    )
    expected = [
        llr_by_hand(x, 1.0, between=2.0, within=0.5, n=n, length=length) for x in (1.5, -0.3)
    ]
    np.testing.assert_allclose(llrs[:, 0], expected, rtol=1e-10)


# A closed form: distances of Gaussian embeddings.

DIMENSIONS, BETWEEN = 4, 1.0


def expected_eer(n, length):
    """Squared distances of two means are chi-squared, times the variance of their difference.

    That is 1/n + 1/L for one speaker and 2 B more for two, in each dimension.
    """
    own = 1 / n + 1 / length
    others = own + 2 * BETWEEN

    def excess(threshold):
        misses = chi2.sf(threshold / own, DIMENSIONS)
        return misses - chi2.cdf(threshold / others, DIMENSIONS)

    return 100 * chi2.sf(brentq(excess, 1e-9, 100) / own, DIMENSIONS)


def negative_distance(*, enrolment, counts, trial, trial_count):
    differences = enrolment[:, None] - trial[None]
    return -(differences**2).sum(axis=-1)


@pytest.mark.parametrize(("n", "length"), [(1, 1), (4, 1), (1, 4), (4, 4)])
def test_gaussian_embeddings_have_the_equal_error_rate_that_theory_gives(n, length):
    speakers = [f"s{k:03d}" for k in range(150)]
    lists = listed(8, speakers=speakers)
    draw = np.random.default_rng(0)
    rows, names = [], []
    for name in speakers:
        voice = draw.normal(0, np.sqrt(BETWEEN), DIMENSIONS)
        own = [*lists.enrolments[name], *(f"{name}-t{k}" for k in range(8))]
        names += own
        rows += [voice + draw.normal(size=DIMENSIONS) for _ in own]
    gallery = backends.Gallery(Embeddings(np.array(names), np.array(rows)), "e.npz")
    (joint,) = points(lists, [n], [length])
    by_label = scored(negative_distance, joint, enrolment=gallery, trial=gallery)
    target, nontarget = (
        np.sort([value for _, value in by_label[label]]) for label in ("target", "nontarget")
    )
    misses = np.searchsorted(target, nontarget) / len(target)
    false_alarms = 1 - np.arange(len(nontarget)) / len(nontarget)
    crossing = np.argmin(np.abs(misses - false_alarms))
    measured = 50 * (misses[crossing] + false_alarms[crossing])
    assert measured == pytest.approx(expected_eer(n, length), abs=2.5)
