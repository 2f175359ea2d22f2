"""What attackers find in training speakers that they do not know: by hand, and against chance."""

from unittest.mock import Mock

import numpy as np
import pytest
from support.calls import flags, here

from voiceprivacy.attack import held_out
from voiceprivacy.attack.backends import recipes
from voiceprivacy.attack.backends.backends import cosine
from voiceprivacy.attack.held_out import Spoken, crossfitted, eer_percent, judged, trials_of
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.vocabulary import UNDEFINED

UNTRAINED = Mock(return_value=cosine)


def speech(n_speakers=20, n_utterances=4, *, seed=0, spread=0.3, own=True, genders="fm"):
    """Embeddings of speakers who differ, or (``own=False``) do not."""
    draw = np.random.default_rng(seed)
    voices = draw.normal(size=(n_speakers, 8)) if own else np.zeros((n_speakers, 8))
    embeddings = np.repeat(voices, n_utterances, axis=0)
    embeddings = embeddings + spread * draw.normal(size=embeddings.shape)
    speakers = [f"s{number:03d}" for number in range(n_speakers) for _ in range(n_utterances)]
    utterances = [f"{name}_{row}" for row, name in enumerate(speakers)]
    spoken_by = [genders[int(name[1:]) % len(genders)] for name in speakers]
    return Spoken(embeddings, utterances, speakers, spoken_by)


def test_an_equal_error_rate_by_hand():
    scores = np.array([3.0, 1.0, 2.0, 0.0])
    assert eer_percent(scores, np.array([True, True, False, False])) == 50.0
    assert eer_percent(scores, np.array([True, False, True, False])) == 0.0


def test_half_of_the_utterances_enrol_and_the_others_are_tried():
    spoken, score = speech(2, 4, genders="f"), Mock(wraps=cosine)
    trials = trials_of(spoken, score)
    given = score.call_args.kwargs
    assert np.allclose(given["enrolment"][1], spoken.embeddings[4:6].mean(axis=0))
    assert given["counts"].tolist() == [2, 2]
    assert np.allclose(given["trial"], spoken.embeddings[[2, 3, 6, 7]])
    assert trials.speaker.tolist() == [0, 0, 1, 1]


def test_pieces_of_one_utterance_enrol_and_are_tried_only_where_there_is_no_other():
    names = [f"a_seg{row:03d}" for row in range(4)]
    names += ["b_seg000", "b_seg001", "c_seg000", "c_seg001"]
    score = Mock(wraps=cosine)
    trials_of(speech(2, 4, genders="f")._replace(utterances=names), score)
    assert score.call_args.kwargs["counts"].tolist() == [2, 2]


def test_voices_that_differ_beat_chance_and_equal_ones_do_not(monkeypatch):
    monkeypatch.setattr(held_out, "N_PERMUTATIONS", 199)
    different, equal = speech(), speech(own=False)
    findings = crossfitted(different, different, UNTRAINED)
    assert findings.p_value == 1 / 200 and findings.eer_percent < 5
    assert findings.n_training_speakers == 20 and findings.n_speakers == 20
    assert crossfitted(equal, equal, UNTRAINED).p_value > 0.01


def test_chance_gives_small_p_values_as_rarely_as_they_say(monkeypatch):
    monkeypatch.setattr(held_out, "N_PERMUTATIONS", 49)
    runs = [trials_of(speech(12, 4, seed=seed, own=False), cosine) for seed in range(60)]
    p_values = np.array([judged([trials], n_training_speakers=50).p_value for trials in runs])
    assert np.mean(p_values <= 0.1) <= 0.2
    assert np.mean(p_values <= 0.5) == pytest.approx(0.5, abs=0.2)


def test_nobody_is_tried_by_a_back_end_that_knows_them():
    train = Mock(return_value=cosine)
    crossfitted(speech(), speech(), train)
    one, other = (set(speakers) for _, speakers in (call.args for call in train.call_args_list))
    assert len(one) == len(other) == 10 and one.isdisjoint(other)


def test_other_speech_of_the_same_speakers_is_learnt_from_and_not_tried():
    protected, original = speech(own=False), speech(spread=0.0)
    both = protected.rows([*range(80), *range(80)])
    both = both._replace(embeddings=np.concatenate([protected.embeddings, original.embeddings]))
    train = Mock(return_value=cosine)
    assert crossfitted(protected, both, train).p_value > 0.01
    assert [len(call.args[0]) for call in train.call_args_list] == [80] * 2


def test_nontargets_are_of_one_gender():
    spoken = speech(8, 4, genders="fm")
    within = judged([trials_of(spoken, cosine)], n_training_speakers=8)
    assert within.n_trials == 8 * 2 * 4


@pytest.mark.parametrize(
    ("spoken", "train", "reason"),
    [
        (speech(7), UNTRAINED, "7 training speakers are too few to hold some out"),
        (speech(20, 1), UNTRAINED, "no speaker has two utterances"),
        (speech(), Mock(side_effect=BadInput("too few")), "too few"),
    ],
)
def test_what_cannot_be_told_has_a_reason(spoken, train, reason):
    findings = crossfitted(spoken, spoken, train)
    assert findings.p_value == findings.eer_percent == UNDEFINED
    assert reason in findings.reason


def files(folder, spoken, name="train"):
    rows = zip(*spoken[1:], strict=True)
    lines = [Utterance(*row, folder / f"{row[0]}.wav", 2.0) for row in rows]
    write_manifest(folder / "manifest.tsv", lines)
    embeddings = Embeddings(np.array(spoken.utterances), spoken.embeddings.astype(np.float32))
    write_embeddings(folder / f"{name}.npz", embeddings)


def trained(folder, **options):
    """Train a back-end on the files of a folder: its exit code."""
    files = {"manifest": folder / "manifest.tsv", "embeddings": folder / "train.npz"}
    return here("train_backend", *flags(**files, **options)).returncode


def test_held_out_speakers_change_nothing_of_the_back_end(tmp_path):
    files(tmp_path, speech(30, 4))
    written = tmp_path / "held_out.json"
    assert trained(tmp_path, lda_dim=7, backend=tmp_path / "alone.npz") == 0
    judged_too = {"held_out": written, "backend": tmp_path / "judged.npz"}
    assert trained(tmp_path, lda_dim=7, **judged_too) == 0
    assert (tmp_path / "alone.npz").read_bytes() == (tmp_path / "judged.npz").read_bytes()
    findings = read_json(written)
    assert findings["n_training_speakers"] == 30 and findings["p_value"] == 1 / 2000


@pytest.mark.parametrize("flag", ["original", "embeddings"])
def test_plda_learns_from_protected_and_original_speech_of_the_same_utterances(tmp_path, flag):
    protected, original = speech(12, 2, spread=0.5), speech(12, 2, seed=1)
    files(tmp_path, original, "original")
    files(tmp_path, protected)
    more = {flag: tmp_path / "original.npz", "backend": tmp_path / "b.npz"}
    first = ["--embeddings", tmp_path / "train.npz", "--manifest", tmp_path / "manifest.tsv"]
    assert here("train_backend", *first, *flags(shrinkage=0.1, **more)).returncode == 0
    both = np.concatenate([protected.embeddings, original.embeddings]).astype(np.float32)
    expected = recipes.vpc_recipe(both, [*protected.speakers] * 2, shrinkage=0.1)
    learnt = recipes.read_recipe(tmp_path / "b.npz")
    assert np.allclose(learnt.plda.within, expected.plda.within)


def test_one_utterance_of_each_speaker_is_enough_where_both_kinds_are_learnt_from(tmp_path):
    files(tmp_path, speech(12, 1, seed=1), "original")
    files(tmp_path, speech(12, 1))
    files(tmp_path, speech(12, 1)._replace(embeddings=np.ones((12, 3))), "other")
    alone = {"shrinkage": 0.1, "backend": tmp_path / "b.npz"}
    assert trained(tmp_path, **alone) == 2
    assert trained(tmp_path, **alone, original=tmp_path / "other.npz") == 2  # other dimensions
    both = {"original": tmp_path / "original.npz", "held_out": tmp_path / "h.json"}
    assert trained(tmp_path, **alone, **both) == 0
    assert "two utterances" in read_json(tmp_path / "h.json")["reason"]
