"""Channels together: closed forms of Gaussian channels, what adds nothing, what is refused."""

import json

import numpy as np
import pytest
from support.calls import here
from support.channels import CORRELATION, DISTANCES, SPEAKERS, UTTERANCES, gaussian, gaussian_bit

from voiceprivacy.inout.arrays import write_matrix
from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy.atlas.fusion import estimate, fuse, learn_weights
from voiceprivacy.privacy.matrices.ranks import TooFewSpeakers

RUNS = 16
MISSES = 3  # a 95 % interval misses more than three of 16 in 0.7 %


@pytest.fixture(scope="module")
def fusions():
    return [fuse(gaussian(seed)) for seed in range(RUNS)]


def errors_of_mean(values):
    """Three standard errors, and what two decimals do not show."""
    return 3 * np.std(values, ddof=1) / np.sqrt(len(values)) + 0.005


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("voice", [0]),
        ("pitch", [1]),
        ("nothing", [2]),
        ("voice+pitch", [0, 1]),
        ("voice+nothing", [0, 2]),
        ("voice+pitch+nothing", [0, 1, 2]),
    ],
)
def test_gaussian_channels_disclose_what_the_closed_form_says(fusions, name, members):
    truth = gaussian_bit(members)
    values = [fusion.sets[name].bit for fusion in fusions]
    assert np.mean(values) == pytest.approx(truth, abs=errors_of_mean(values))
    n_inside = sum(
        fusion.sets[name].low - 1e-9 <= truth <= fusion.sets[name].high for fusion in fusions
    )
    assert n_inside >= RUNS - MISSES


def test_a_channel_adds_what_the_others_do_not_tell(fusions):
    truth = gaussian_bit([0, 1, 2]) - gaussian_bit([0, 2])
    gains = [fusion.given_others[1].gain for fusion in fusions]
    bits = [gain.bit for gain in gains]
    assert np.mean(bits) == pytest.approx(truth, abs=errors_of_mean(bits))
    for gain in gains:
        assert gain.high > 0


def test_a_channel_that_tells_nothing_adds_nothing_beyond_its_interval(fusions):
    for fusion in fusions:
        gain = fusion.given_others[2].gain
        assert abs(gain.bit) < 0.06
    n_inside = sum(
        fusion.given_others[2].gain.low <= 0 <= fusion.given_others[2].gain.high
        for fusion in fusions
    )
    assert n_inside >= RUNS - MISSES


def test_the_same_channel_twice_adds_nothing_and_does_not_add_up():
    voice = gaussian(3)["voice"]
    fusion = fuse({"voice": voice, "again": voice})
    assert fusion.in_order[1].gain.bit == pytest.approx(0, abs=1e-9)
    assert fusion.gap.bit == pytest.approx(fusion.sets["voice"].bit)
    assert fusion.gap.low > 0


def test_the_gains_in_order_sum_to_all_together(fusions):
    for fusion in fusions:
        total = sum(gain.gain.bit for gain in fusion.in_order)
        assert total == pytest.approx(fusion.sets["voice+pitch+nothing"].bit)


def test_the_learnt_weights_are_fishers():
    """Of two Gaussian channels: the inverse correlation times the distances."""
    channels = gaussian(0)
    scores = np.stack([matrix.scores for matrix in channels.values()])
    true = np.repeat(np.arange(SPEAKERS), UTTERANCES)
    expected = np.linalg.solve(CORRELATION, DISTANCES)
    assert learn_weights(scores, true) == pytest.approx(expected, abs=0.25)


def test_a_speaker_is_fused_without_having_been_learnt_from():
    """Channels that are noise tell nothing, however many: learnt on themselves they would."""
    draw = np.random.default_rng(0)
    like = gaussian(0)["voice"]
    noise = {
        f"noise{number}": like._replace(scores=draw.normal(size=like.scores.shape))
        for number in range(6)
    }
    together = fuse(noise).sets["+".join(noise)]
    assert together.low <= 0.001


def test_scale_offset_and_order_of_rows_change_nothing():
    channels = gaussian(1)
    fusion = fuse(channels)
    offsets = np.arange(len(channels["voice"].rows))[:, None]
    moved = channels["voice"]._replace(scores=100 * channels["voice"].scores + offsets)
    again = fuse(channels | {"voice": moved})
    assert again.sets["voice+pitch"].bit == pytest.approx(fusion.sets["voice+pitch"].bit)
    order = np.random.default_rng(0).permutation(len(moved.rows))
    shuffled = {
        name: matrix._replace(
            rows=matrix.rows[order],
            row_speakers=matrix.row_speakers[order],
            row_sources=matrix.row_sources[order],
            scores=matrix.scores[order],
        )
        for name, matrix in channels.items()
    }
    assert fuse(shuffled).sets["voice+pitch"].bit == pytest.approx(fusion.sets["voice+pitch"].bit)


def test_of_many_channels_not_all_sets_are_measured():
    draw = np.random.default_rng(0)
    like = gaussian(0)["voice"]
    channels = {
        name: like._replace(scores=draw.normal(size=like.scores.shape)) for name in "abcdef"
    }
    fusion = fuse(channels)
    assert [gain.channel for gain in fusion.given_others] == list("abcdef")
    assert "a+b+c+d+e+f" in fusion.sets and "a+c" not in fusion.sets
    assert len(fusion.sets) == 6 + 4 + 5 + 1  # alone, in order, all but one, all


def test_who_is_always_first_discloses_all():
    voice = gaussian(0)["voice"]
    certain = voice._replace(scores=voice.row_speakers[:, None] == voice.column_speakers)
    bits = fuse({"voice": certain}).sets["voice"]
    assert bits == pytest.approx((np.log2(SPEAKERS),) * 3)


def test_jackknife_limits_by_hand():
    """Values 1, 2, 3 without each: standard error sqrt(2/3 * 2), t of two degrees 4.303."""
    bits = estimate(np.array([2.0, 1.0, 2.0, 3.0]))
    assert bits.high - bits.bit == pytest.approx(4.302653 * np.sqrt(4 / 3), rel=1e-6)
    assert estimate(np.array([2.0, 1.0, 2.0, 3.0]), low=0.0, high=3.0)[1:] == (0.0, 3.0)


def test_a_speaker_is_left_out_with_his_template():
    """As if he had never been asked: the gallery is a draw as well."""
    voice = gaussian(2)["voice"]
    without_each = [
        fuse({"voice": without(voice, name)}).sets["voice"].bit for name in voice.columns
    ]
    bits = fuse({"voice": voice}).sets["voice"]
    assert bits == pytest.approx(estimate(np.array([bits.bit, *without_each])))


def without(matrix, speaker):
    rows, columns = matrix.row_speakers != speaker, matrix.column_speakers != speaker
    return matrix._replace(
        rows=matrix.rows[rows],
        row_speakers=matrix.row_speakers[rows],
        row_sources=matrix.row_sources[rows],
        columns=matrix.columns[columns],
        column_speakers=matrix.column_speakers[columns],
        column_sources=matrix.column_sources[columns],
        scores=matrix.scores[rows][:, columns],
    )


def test_channels_of_other_utterances_are_refused():
    channels = gaussian(0)
    other = channels["pitch"]._replace(rows=np.char.add(channels["pitch"].rows, "x"))
    with pytest.raises(BadInput, match="voice and pitch differ in their rows"):
        fuse({"voice": channels["voice"], "pitch": other})


def test_two_speakers_are_too_few_which_the_command_says(tmp_path):
    voice = gaussian(0)["voice"]
    two = np.isin(voice.row_speakers, ["s00", "s01"])
    few = voice._replace(
        rows=voice.rows[two],
        row_speakers=voice.row_speakers[two],
        row_sources=voice.row_sources[two],
        scores=voice.scores[two],
    )
    with pytest.raises(TooFewSpeakers, match="2 speakers are tested"):
        fuse({"voice": few})
    write_matrix(tmp_path / "few.npz", few)
    finished = here(
        "assess_atlas", "--matrix", tmp_path / "few.npz", *("--metrics", tmp_path / "x.json")
    )
    assert finished.returncode == 0
    assert "undefined: 2 speakers are tested" in finished.stdout
    assert list(json.loads((tmp_path / "x.json").read_text())) == ["undefined"]


def test_the_command_writes_and_says_it(tmp_path):
    paths = []
    for name, matrix in gaussian(0).items():
        paths.append(tmp_path / f"{name}.npz")
        write_matrix(paths[-1], matrix)
    words = ["--matrix", *paths, "--label", "voice", "pitch", "nothing"]
    finished = here("assess_atlas", *words, "--metrics", tmp_path / "atlas.json")
    assert finished.returncode == 0, finished.stderr
    assert "plus pitch" in finished.stdout
    written = json.loads((tmp_path / "atlas.json").read_text())
    assert written["sets"]["voice+pitch"]["bit"] > written["sets"]["voice"]["bit"]
    assert written["in_order"][1]["given"] == "voice"
