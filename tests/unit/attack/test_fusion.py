"""Fusion of attackers: weights by hand, who is held out, which pairs train, and simulated cases."""

from pathlib import Path

import numpy as np
import pytest

from voiceprivacy.attack.backends import fusion
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.inout.tables import Trial, Utterance
from voiceprivacy.privacy.scores.trials import arrange
from voiceprivacy.privacy.scores.verification import eer_rocch_percent
from voiceprivacy.privacy.uncertainty.bootstrap import resample_scores

MANY = 10**9  # speakers: so many that the penalty is nothing


def utterances(speakers, n_utterances=3, *, gender="f", pattern="{speaker}-{number}"):
    return [
        Utterance(pattern.format(speaker=name, number=k), name, gender, Path("x.wav"), 1.0)
        for name in speakers
        for k in range(n_utterances)
    ]


# Weights.


def test_weights_of_two_scores_by_hand():
    """Three of four targets and one of four nontargets score 1, the others 0: LLRs of +-log 3."""
    scores = np.array([1, 1, 1, 0, 1, 0, 0, 0.0])[:, None]
    target = np.arange(8) < 4
    learnt = fusion.learn(scores, target, n_speakers=MANY)
    llrs = fusion.fuse(np.array([[0.0], [1.0]]), learnt)
    np.testing.assert_allclose(llrs, [-np.log(3), np.log(3)], atol=1e-6)
    assert (learnt.n_target, learnt.n_nontarget, learnt.n_speakers) == (4, 4, MANY)


def test_both_classes_weigh_the_same_however_many_trials_they_have():
    scores = np.array([1, 1, 1, 0] + [1, 0, 0, 0] * 50)[:, None]
    learnt = fusion.learn(scores, np.arange(204) < 4, n_speakers=MANY)
    np.testing.assert_allclose(fusion.fuse([[0], [1]], learnt), [-np.log(3), np.log(3)], atol=1e-6)


def test_independent_attackers_add_their_evidence():
    """Two Gaussian scores of d' 2 and 1, means 0 and d': LLR = 2 x + y - (2^2 + 1^2) / 2."""
    draw = np.random.default_rng(0)
    target = np.arange(40000) < 20000
    scores = draw.normal(size=(40000, 2)) + target[:, None] * [2.0, 1.0]
    learnt = fusion.learn(scores, target, n_speakers=MANY)
    np.testing.assert_allclose(learnt.weights, [2, 1], atol=0.06)
    assert learnt.offset == pytest.approx(-2.5, abs=0.08)


def test_another_scale_of_a_score_changes_no_llr():
    draw = np.random.default_rng(1)
    target = np.arange(60) < 20
    scores = draw.normal(size=(60, 2)) + target[:, None]
    scaled = scores * [1000, 0.001] + [7, -3]
    llrs = fusion.fuse(scores, fusion.learn(scores, target, n_speakers=5))
    again = fusion.fuse(scaled, fusion.learn(scaled, target, n_speakers=5))
    np.testing.assert_allclose(llrs, again, rtol=1e-6)


def test_separable_scores_have_finite_weights_and_fewer_speakers_smaller_ones():
    target = np.arange(20) < 10
    scores = np.where(target, 1.0, 0.0)[:, None]
    few, many = (fusion.learn(scores, target, n_speakers=n).weights[0] for n in (3, 300))
    assert 0 < few < many < np.inf


def test_an_attacker_who_gives_all_the_same_score_gets_no_weight():
    target = np.arange(20) < 10
    scores = np.column_stack([np.where(target, 1.0, 0.0), np.full(20, 4.0)])
    assert fusion.learn(scores, target, n_speakers=3).weights[1] == pytest.approx(0, abs=1e-12)


def test_infinite_scores_and_single_classes_are_refused():
    with pytest.raises(BadInput, match="infinite"):
        fusion.learn(np.array([[np.inf], [0]]), np.array([True, False]), n_speakers=3)
    with pytest.raises(BadInput, match="target and nontarget"):
        fusion.learn(np.array([[1.0], [0]]), np.array([True, True]), n_speakers=3)


def test_every_condition_has_its_weights_and_unprotected_speech_those_of_oo():
    learnt = {
        name: fusion.Weights(np.array([1.0 + k]), 0.0, 3, 3, 3)
        for k, name in enumerate(("oo", "op", "pp"))
    }
    informed = fusion.Fusion(("a/b",), learnt)
    under = {
        name: informed.under(name, of_original=False).weights[0]
        for name in ("op", "pp", "p0p1", "rr")
    }
    assert under == {"op": 2, "pp": 3, "p0p1": 3, "rr": 3}
    assert informed.under("rr", of_original=True).weights[0] == 1
    ignorant = fusion.Fusion(("a/b",), {"oo": learnt["oo"]})
    assert ignorant.under("pp", of_original=False).weights[0] == 1


# Who is held out, and which pairs train.


def test_a_quarter_of_each_gender_is_held_out_whatever_the_order():
    everyone = utterances([f"f{k}" for k in range(40)]) + utterances(
        [f"m{k}" for k in range(20)], gender="m"
    )
    chosen = fusion.held_out(everyone, seed=0)
    assert sorted(name[0] for name in chosen) == ["f"] * 10 + ["m"] * 5
    assert fusion.held_out(everyone[::-1], seed=0) == chosen
    assert fusion.held_out(everyone, seed=1) != chosen
    # A speaker's draw is his own: who else is there changes nothing but how many are taken.
    fewer = [utterance for utterance in everyone if utterance.speaker not in ("f0", "f1", "f2")]
    assert len(fusion.held_out(fewer, seed=0) - chosen) <= 3


def test_of_few_speakers_no_more_than_half_are_held_out():
    assert len(fusion.held_out(utterances("abcdefgh"), seed=0)) == 3
    assert len(fusion.held_out(utterances("abcd"), seed=0)) == 2
    assert fusion.held_out(utterances("a"), seed=0) == set()


def test_pairs_are_of_two_recordings_and_of_one_gender():
    pattern = "{speaker}-c{number}_seg001"
    everyone = utterances("abc", 2, pattern=pattern) + utterances("m", 2, gender="m")
    everyone += utterances("a", 1, pattern="{speaker}-c{number}_seg002")  # cut from one of them
    pairs, n_speakers = fusion.training_pairs(everyone)
    targets = {(pair.enrolment, pair.trial) for pair in pairs if pair.label == "target"}
    assert n_speakers == 4
    assert ("a-c0_seg001", "a-c0_seg002") not in targets
    assert len(targets) == 2 + 1 + 1 + 1
    nontargets = [pair for pair in pairs if pair.label == "nontarget"]
    assert not [pair for pair in nontargets if "m" in (pair.enrolment[0], pair.trial[0])]
    assert len(nontargets) == 3 * 2 + 3 * 2 + 2 * 2


def test_pairs_of_one_session_serve_where_hardly_anybody_has_two():
    everyone = utterances("abc", 2, pattern="{speaker}-session-{number}")
    _, n_speakers = fusion.training_pairs(everyone, recording="^(.+)-")
    assert n_speakers == 3


def test_pieces_of_one_utterance_serve_where_hardly_anybody_has_two():
    cut = utterances("abc", 2, pattern="{speaker}-c_seg00{number}")
    pairs, n_speakers = fusion.training_pairs(cut, recording="^(.+)-")
    assert n_speakers == 3
    assert [pair for pair in pairs if pair.label == "target"] == [
        Trial(f"{speaker}-c_seg000", f"{speaker}-c_seg001", "target") for speaker in "abc"
    ]


def test_the_order_of_a_manifest_changes_no_pair():
    everyone = utterances([f"f{k}" for k in range(5)], 20)
    assert fusion.training_pairs(everyone) == fusion.training_pairs(everyone[::-1])
    assert len({pair.trial for pair in fusion.training_pairs(everyone)[0]}) <= 5 * 8


def test_too_few_speakers_are_told():
    with pytest.raises(BadInput, match=r"needs 3 speakers .* there are 0"):
        fusion.training_pairs(utterances("abcdef", 1))
    with pytest.raises(BadInput, match="there are 2"):
        fusion.training_pairs(utterances("ab", 4))


# Files.

TRIALS = [Trial("s", "u", "target"), Trial("s", "v", "nontarget"), Trial("t", "v", "target")]


def test_parts_are_joined_by_trial_not_by_line(tmp_path):
    one, other = tmp_path / "1.tsv", tmp_path / "2.tsv"
    write_scores(one, TRIALS, [1, 2, 3])
    write_scores(other, TRIALS[::-1], [30, 20, 10])
    trials, scores = fusion.read_parts([one, other])
    joined = {trial: tuple(row) for trial, row in zip(trials, scores, strict=True)}
    assert joined == {TRIALS[0]: (1, 10), TRIALS[1]: (2, 20), TRIALS[2]: (3, 30)}


def test_parts_of_other_trials_or_with_infinite_scores_are_refused(tmp_path):
    one, other, infinite = (tmp_path / name for name in ("1.tsv", "2.tsv", "3.tsv"))
    write_scores(one, TRIALS, [1, 2, 3])
    write_scores(other, TRIALS[:2], [1, 2])
    write_scores(infinite, TRIALS, [1, 2, np.inf])
    with pytest.raises(BadInput, match=r"2\.tsv: has other trials"):
        fusion.read_parts([one, other])
    with pytest.raises(BadInput, match=r"3\.tsv: has an infinite score"):
        fusion.read_parts([one, infinite])


def test_a_fusion_is_read_as_it_was_written(tmp_path):
    weights = fusion.Weights(np.array([0.1, 1 / 3]), -0.7, 5, 10, 90)
    fusion.write_fusion(tmp_path / "f.json", fusion.Fusion(("a/x", "b/y"), {"oo": weights}))
    again = fusion.read_fusion(tmp_path / "f.json")
    assert again.parts == ("a/x", "b/y")
    assert again.conditions["oo"].weights.tolist() == [0.1, 1 / 3]
    assert again.conditions["oo"][1:] == weights[1:]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"parts": ["a", "b"], "conditions": {}},
        {"parts": ["a"], "conditions": {"oo": {"weights": [1]}}},
        {"parts": ["a", "b"], "conditions": {"oo": [1]}},
    ],
)
def test_another_file_is_no_fusion(tmp_path, fields):
    write_json(tmp_path / "f.json", fields)
    with pytest.raises(BadInput, match=r"f\.json: expected"):
        fusion.read_fusion(tmp_path / "f.json")


# As strong as the strongest of its parts.


def simulated(draw, strengths, shared, *, n_speakers, n_utterances):
    """Cosine scores (M, K) of attackers who hear the same voices, each with noise of his own."""
    speaker = np.repeat(np.arange(n_speakers), n_utterances)
    one, other = np.triu_indices(len(speaker), 1)
    voices = draw.normal(size=(n_speakers, 4))
    columns = []
    for strength in strengths:
        heard = np.sqrt(shared) * voices
        heard += np.sqrt(1 - shared) * draw.normal(size=voices.shape)
        embeddings = strength * heard[speaker] + draw.normal(size=(len(speaker), 4))
        embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
        columns.append((embeddings @ embeddings.T)[one, other])
    return np.array(columns).T, speaker[one], speaker[other]


def eer_replicates(scores, one, other):
    """EER in percent of a list and of its replicates over speakers, (1 + B,)."""
    by_label = {"target": [], "nontarget": []}
    for position, score in enumerate(scores):
        label = "target" if one[position] == other[position] else "nontarget"
        trial = Trial(f"e{one[position]}-{position}", f"t{other[position]}-{position}", label)
        by_label[label].append((trial, float(score)))
    speakers = {}
    for pairs in by_label.values():
        for trial, _ in pairs:
            speakers |= {trial.enrolment: trial.enrolment.split("-")[0][1:]}
            speakers |= {trial.trial: trial.trial.split("-")[0][1:]}
    trials = arrange(by_label, speakers)

    def measure(sample):
        counted = sample.counted()
        repeated = {
            label: np.repeat(counted[label], counted[f"{label}_counts"]) for label in by_label
        }
        return {"eer": eer_rocch_percent(**repeated)}

    drawn = resample_scores(trials, measure, n_replicates=100, seed=0)["eer"]
    values = {label: np.array([score for _, score in by_label[label]]) for label in by_label}
    return np.append(eer_rocch_percent(**values), drawn)


def is_worse_than_its_best_part(seed):
    """Whether the interval of the difference of EERs to the best part lies above 0."""
    draw = np.random.default_rng(seed)
    strengths = draw.uniform(0.0, 2.5, size=2 + seed % 2)
    case = (strengths, draw.uniform())
    learnt_from, one, other = simulated(draw, *case, n_speakers=12, n_utterances=4)
    learnt = fusion.learn(learnt_from, one == other, n_speakers=12)
    scores, one, other = simulated(draw, *case, n_speakers=12, n_utterances=4)
    parts = [eer_replicates(column, one, other) for column in scores.T]
    best = min(parts, key=lambda eers: eers[0])
    differences = eer_replicates(fusion.fuse(scores, learnt), one, other) - best
    return np.nanquantile(differences[1:], 0.025) > 0


def test_a_fusion_is_at_least_as_strong_as_its_best_part_in_19_of_20_cases():
    assert sum(is_worse_than_its_best_part(seed) for seed in range(20)) <= 1
