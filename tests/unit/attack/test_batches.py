"""Pieces for training and validation: what is drawn and what is compared."""

import itertools

import numpy as np
import pytest
from support.models import tone, write_tones

from voiceprivacy import seeds
from voiceprivacy.attack.training import batches as pieces
from voiceprivacy.attack.training.batches import Augmentation, coloured_noise
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest

RATE = 16000
CLEAN = Augmentation([1.0], [0.1, 0.5], 0.0, [0.0, 20.0], 0.0)


@pytest.fixture
def speech(tmp_path):
    """Three speakers of two utterances: 1.0 s and 1.05 s."""
    return read_manifest(write_tones(tmp_path / "speech", speakers=3, utterances=2, seconds=1.0))


def training(utterances, **options):
    options = {"augmentation": CLEAN, "crop_s": 0.3, "seed": 0} | options
    return pieces.Pieces(utterances, sample_rate=RATE, **options)


def test_an_utterance_gives_as_many_pieces_as_it_is_long(speech):
    assert len(training(speech, crop_s=0.3)) == 6 * 3
    assert len(training(speech, crop_s=0.52)) == 3 * (1 + 2)
    samples, _ = training(speech, crop_s=2.5)[1, 0]  # a shorter one is repeated
    assert len(samples) == 2.5 * RATE
    assert np.array_equal(samples[:RATE], samples[RATE : 2 * RATE])


def test_a_piece_is_cut_from_its_speakers_utterance(speech):
    made = training(speech)
    samples, speaker = made[1, 0]
    whole, _ = audio.read(made.utterances[0].path)
    assert speaker == 0
    windows = np.lib.stride_tricks.sliding_window_view(whole, len(samples))
    assert (windows == samples).all(axis=1).any()


def test_a_piece_depends_on_seed_epoch_and_name_only(speech):
    made = training(speech)
    samples, _ = made[3, 4]
    assert np.array_equal(samples, training(speech[::-1])[3, 4][0])
    for other in (made[4, 4][0], training(speech, seed=1)[3, 4][0]):
        assert not np.array_equal(samples, other)


def test_every_speed_is_a_speaker_of_its_own(speech):
    made = training(speech, augmentation=CLEAN._replace(speeds=[0.9, 1.1]))
    drawn = {made[epoch, 0][1] for epoch in range(20)}
    assert drawn == {0, 3}
    assert {len(made[epoch, 0][0]) for epoch in range(5)} == {4800}


def test_a_batch_order_is_a_permutation_that_changes_with_the_epoch():
    batches = pieces.Batches(10, batch_size=3, seed=0)
    first = [index for _, index in itertools.chain.from_iterable(batches)]
    batches.epoch = 2
    second = [index for _, index in itertools.chain.from_iterable(batches)]
    assert len(batches) == 3
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


def piece(name, start=0, gender="f"):
    return Utterance(name, name[0], gender, None, 1.0), start


@pytest.mark.parametrize("names", [("a1", "a1"), ("a1_seg000", "a1_seg001")])
def test_pairs_leave_out_pieces_of_one_utterance_and_other_genders(names):
    cut = [piece(names[0]), piece(names[1], 9), piece("a2"), piece("b1"), piece("c1", gender="m")]
    rows, columns, same = pieces.validation_pairs(cut)
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    assert pairs == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert same.tolist() == [True, False, True, False, False]


def test_pairs_of_one_utterance_count_where_nobody_has_two_and_none_is_refused():
    cut = [piece("a1"), piece("a1", 9), piece("b1")]
    assert pieces.validation_pairs(cut).same.tolist() == [True, False, False]
    with pytest.raises(BadInput, match="hold out more"):
        pieces.validation_pairs(cut[1:])


def test_validation_pieces_are_halved_where_no_held_out_speech_is_as_long(speech, monkeypatch):
    monkeypatch.setattr(pieces, "SHORTEST_VALIDATED_S", 0.05)
    longest_s = max(pieces.n_samples(heard, RATE) for heard in speech) / RATE
    asked = {"piece_s": 1.5 * longest_s, "sample_rate": RATE, "batch_size": 4}
    short = pieces.ValidationSet(speech, **asked)
    assert 0 < short.length <= longest_s * RATE and len(short.pieces) >= 2
    assert short.length / RATE == pytest.approx(1.5 * longest_s / 2, abs=1 / RATE)
    monkeypatch.setattr(pieces, "SHORTEST_VALIDATED_S", 1.2 * longest_s)
    with pytest.raises(BadInput, match="hold out more"):
        pieces.ValidationSet(speech, **asked)


def test_validation_pieces_follow_each_other_and_are_limited(speech):
    cut = pieces.validation_pieces(speech, piece_s=0.05, sample_rate=RATE)
    assert len(cut) == 3 * pieces.VALIDATION_PIECES
    assert [start for _, start in cut[:3]] == [0, 800, 1600]
    # The first utterance alone would fill them, and its pieces share a room.
    assert [heard.utterance for heard, _ in cut[:10]] == ["s0-0"] * 5 + ["s0-1"] * 5


def test_the_eer_of_separated_and_of_opposite_embeddings():
    pairs = (np.array([0, 2, 0, 1]), np.array([1, 3, 2, 3]), np.array([True, True, False, False]))
    right = np.array([[1.0, 0], [1, 0.1], [0, 1], [0.1, 1]])
    assert pieces.cosine_eer_percent(right, pairs) == 0
    assert pieces.cosine_eer_percent(right[[0, 2, 1, 3]], pairs) == 100


def test_holding_out_is_repeatable_and_leaves_two_speakers(speech):
    heard, held_out = pieces.hold_out(speech, speakers=1, seed=3)
    speakers = [{utterance.speaker for utterance in part} for part in (heard, held_out)]
    assert speakers[0].isdisjoint(speakers[1])
    assert pieces.hold_out(speech[::-1], speakers=1, seed=3)[1][0].speaker == held_out[0].speaker
    with pytest.raises(BadInput, match="besides the 2 held out for validation: there are 3"):
        pieces.hold_out(speech, speakers=2, seed=3)


def test_noise_has_the_level_that_is_asked_for():
    samples = tone(0, 0, seconds=5)
    noise = coloured_noise(len(samples), tilt=1.0, generator=seeds.generator(0))
    added = pieces.mixed(samples, noise, snr_db=20) - samples
    assert 10 * np.log10(np.mean(samples**2) / np.mean(added**2)) == pytest.approx(20, abs=0.01)


@pytest.mark.parametrize("tilt", [0.0, 1.0, 2.0])
def test_the_power_of_noise_falls_as_its_colour_says(tilt):
    power = np.abs(np.fft.rfft(coloured_noise(2**18, tilt=tilt, generator=seeds.generator(1)))) ** 2
    low, high = (power[2**k : 2 ** (k + 1)].mean() for k in (10, 16))
    assert np.log10(low / high) == pytest.approx(6 * tilt * np.log10(2), abs=0.07)


def test_a_rooms_tail_falls_by_60_db_in_its_reverberation_time():
    impulse = np.zeros(RATE, dtype=np.float32)
    impulse[0] = 1
    heard = pieces.reverberant(impulse, seconds=0.5, sample_rate=RATE, generator=seeds.generator(2))
    assert heard[0] == pytest.approx(1, abs=1e-3)
    early, late = (np.mean(heard[start : start + 800] ** 2) for start in (160, 160 + 4000))
    assert 10 * np.log10(early / late) == pytest.approx(30, abs=1.5)
    assert np.abs(heard[int(0.51 * RATE) :]).max() < 1e-5


def degraded(samples, **shares):
    augmentation = CLEAN._replace(**shares)
    return pieces.degraded(samples, augmentation, sample_rate=RATE, generator=seeds.generator(0))


def test_a_share_of_zero_leaves_speech_alone_and_of_one_degrades_it():
    samples = tone(0, 0)
    assert np.array_equal(degraded(samples), samples)
    for name in ("noise_share", "reverberation_share"):
        assert not np.allclose(degraded(samples, **{name: 1.0}), samples)
    silence = np.zeros(4000, dtype=np.float32)
    assert np.isfinite(degraded(silence, noise_share=1.0, reverberation_share=1.0)).all()
