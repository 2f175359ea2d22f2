"""Simulated trials and matrices of known speakers, and scores that a resampling draws twice."""

from functools import partial

import numpy as np

from voiceprivacy.inout.scored_trials import ScoredTrials
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.privacy.law.curves import curve
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.scores import samples, score_files


def scored(score, *, n_speakers=6, n_utterances=3):
    """Every model against every utterance by ``score(enrolled, tried, utterance)``, and a map."""
    listed, speaker_of = [], {}
    for enrolled in range(n_speakers):
        speaker_of[f"model{enrolled}"] = f"s{enrolled}"
        for tried in range(n_speakers):
            for utterance in range(n_utterances):
                label = "target" if enrolled == tried else "nontarget"
                name = f"utterance{tried}-{utterance}"
                speaker_of[name] = f"s{tried}"
                trial = Trial(f"model{enrolled}", name, label)
                listed.append((trial, float(score(enrolled, tried, utterance))))
    return ScoredTrials.of(listed), speaker_of


def rows_of(scored):
    """[(Trial, score), ...] of scored trials."""
    return [(scored.named(index), score) for index, score in enumerate(scored.scores)]


def noisy(separation, *, seed=0, **sizes):
    """Scores with a given d' and effects of both speakers."""
    draw = np.random.default_rng(seed)
    effects = draw.normal(size=(2, 100)) / 3

    def score(enrolled, tried, utterance):
        of_speakers = effects[0, enrolled] + effects[1, tried]
        return separation * (enrolled == tried) + of_speakers + draw.normal()

    return scored(score, **sizes)


def arranged(separation, **options):
    return score_files.arrange(*noisy(separation, **options))


def drawn(seed, *, shift):
    """A sample with counts of its scores, and the scores repeated as often as these say."""
    rng = np.random.default_rng(seed)
    target, nontarget = rng.normal(shift, 1, 12).round(1), rng.normal(0, 1, 30).round(1)
    target_counts, nontarget_counts = np.arange(1, 13), np.arange(30, 0, -1)
    repeated = {
        "target": np.repeat(target, target_counts),
        "nontarget": np.repeat(nontarget, nontarget_counts),
    }
    counts = {"target_counts": target_counts, "nontarget_counts": nontarget_counts}
    return sample_of(target, nontarget, **counts), repeated


def sample_of(target, nontarget, *, target_counts, nontarget_counts, every_score=True):
    """A sample in which each score occurs as often as its count says."""
    scores = np.concatenate([target, nontarget])
    order = np.argsort(scores, kind="stable")
    is_target = (np.arange(len(scores)) < len(target))[order]
    weights = np.concatenate([target_counts, nontarget_counts])[order]
    speakers = np.zeros((2, len(scores)), dtype=np.int64)
    listed = samples.SpeakerTrials(np.array(["s"]), scores[order], is_target, *speakers)
    sorted_trials = samples.by_class(listed, every_score=every_score)
    return samples.weigh_classes(sorted_trials, weights[is_target], weights[~is_target])


def weigh(listed, weights):
    """Sample of trials with integer weights (M,), in which every score is a group of its own."""
    sorted_trials = samples.by_class(listed, every_score=True)
    return samples.weigh_classes(sorted_trials, weights[listed.target], weights[~listed.target])


def speaker_weights(listed, weights):
    """Weight of each trial (M,) from one weight for each speaker (S,), as samples.draw has it."""
    return weights[listed.enrolment] * np.where(listed.target, 1, weights[listed.trial])


def square(scores, speakers, ids=None):
    """A list against itself."""
    ids = np.array(ids or [f"u{index}" for index in range(len(speakers))])
    speakers = np.array(speakers)
    return ScoreMatrix(ids, ids, speakers, speakers, np.asarray(scores, dtype=float), ids, ids)


def cut(matrix, rows, columns):
    """A ScoreMatrix of some rows and columns, in this order."""
    named = {
        name: values[rows if name.startswith("row") else columns]
        for name, values in matrix._asdict().items()
        if name != "scores"
    }
    return ScoreMatrix(**named, scores=matrix.scores[np.ix_(rows, columns)])


def gallery(scores, true):
    """Test utterances u0, u1, ... against templates of the speakers s000, s001, ..."""
    scores = np.asarray(scores)
    rows = np.array([f"u{index}" for index in range(len(scores))])
    columns = np.array([f"s{index:03}" for index in range(scores.shape[1])])
    return ScoreMatrix(rows, columns, columns[np.asarray(true)], columns, scores, rows, columns)


def gaussian(seed, n_speakers, n_utterances, separation):
    """Scores (S, U, S) of every conversation against every model, without effects of speakers."""
    draw = np.random.default_rng(seed)
    own = separation * np.eye(n_speakers)[:, None, :]
    return own + draw.normal(size=(n_speakers, n_utterances, n_speakers))


def conversation_list(scores):
    """Scores (S, U, S) of S speakers' U utterances against S models: trials and both ids."""
    tried, utterance, enrolled = np.indices(scores.shape).reshape(3, -1)
    order = np.argsort(scores.ravel(), kind="stable")
    speakers = np.array([f"s{number:03d}" for number in range(len(scores))])
    columns = (scores.ravel(), tried == enrolled, enrolled, tried)
    return {
        "trials": samples.SpeakerTrials(speakers, *(column[order] for column in columns)),
        "enrolment_id": enrolled[order],
        "trial_id": (tried * scores.shape[1] + utterance)[order],
    }


def rate(criterion, *, n_speakers, length=1, **listed):
    """A criterion of law among so many speakers, of so many utterances that belong together."""
    [point] = curve(criterion, sizes=[n_speakers], lengths=[length], **listed)
    return point.rate


linkability, singling_out = (partial(rate, name) for name in ("linkability", "singling_out"))
