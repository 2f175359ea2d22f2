"""Features that are histograms: F0 of tones, units of sounds, style of sentences, and what is refused."""

import numpy as np
import pytest

from voiceprivacy.attack.extractors import histograms, style
from voiceprivacy.attack.extractors.histograms import embed_each
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance

DICTIONARY = """%
1\tpronoun
2\tarticle
3\tverbs of seeing
%
i\t1
the\t2
look*\t3
lookout\t2 3
"""


def buzz(frequency_hz, *, seconds=1.0, sample_rate=16000):
    time = np.arange(int(seconds * sample_rate)) / sample_rate
    return sum(
        np.sin(2 * np.pi * harmonic * frequency_hz * time) / harmonic for harmonic in (1, 2, 3)
    ).astype(np.float32)


def sound(seed, *, seconds=2.0):
    """Noise through a resonance of its own."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft(rng.normal(size=int(16000 * seconds)))
    frequencies = np.fft.rfftfreq(int(16000 * seconds), 1 / 16000)
    shape = 1 / (1 + ((frequencies - 500 * (1 + seed % 6)) / 200) ** 2)
    return (0.1 * np.fft.irfft(spectrum * shape)).astype(np.float32)


@pytest.mark.parametrize("frequency_hz", [80.0, 125.0, 200.0, 400.0])
@pytest.mark.parametrize("sample_rate", [8000, 16000])
def test_a_tone_falls_into_the_bin_of_its_period(frequency_hz, sample_rate):
    histogram = histograms.f0_histogram(buzz(frequency_hz, sample_rate=sample_rate), sample_rate)
    assert len(histogram) == 107  # as in the paper
    assert histogram.argmax() == pytest.approx(8000 / frequency_hz - histograms.LAGS[0], abs=1)
    assert histogram.max() > 0.9 * histogram.sum()


def test_frames_come_every_10_ms():
    assert len(histograms.lags(buzz(100.0, seconds=3.0), 16000)) == pytest.approx(300, abs=6)


def test_speech_without_voice_says_nothing():
    noise = np.random.default_rng(0).normal(0, 0.1, 16000).astype(np.float32)
    for samples in (np.zeros(16000, np.float32), noise):
        histogram = histograms.f0_histogram(samples, 16000)
        assert (histogram == histogram[0]).all() and histogram[0] > 0


@pytest.fixture(scope="module")
def utterances(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sounds")
    found = []
    for seed in range(12):
        path = folder / f"u{seed:02}.wav"
        audio.write(path, sound(seed), 16000)
        found.append(Utterance(path.stem, f"s{seed % 6}", "f", path, 2.0))
    return found


def test_the_codebook_does_not_depend_on_the_order_of_the_utterances(utterances):
    one, other = (
        histograms.train_codebook(utterances, seed=0),
        histograms.train_codebook(utterances[::-1], seed=0),
    )
    np.testing.assert_array_equal(one.centres, other.centres)
    assert one.centres.shape == (256, 39)


def test_units_count_every_frame_that_is_not_silent(utterances, tmp_path):
    histograms.write_codebook(tmp_path / "c.npz", histograms.train_codebook(utterances, seed=0))
    feature = histograms.unit_histogram(histograms.read_codebook(tmp_path / "c.npz"))
    embeddings = embed_each(utterances, feature)
    assert embeddings.embeddings.shape == (12, 256)
    assert embeddings.ids.tolist() == [utterance.utterance for utterance in utterances]
    assert (embeddings.embeddings.sum(axis=1) > 150).all()
    padded = np.concatenate([sound(0), np.zeros(16000, np.float32)])
    assert feature(padded, 16000).sum() == pytest.approx(feature(sound(0), 16000).sum(), abs=3)


def test_too_little_training_speech_is_refused(utterances):
    with pytest.raises(BadInput, match="frames are too few for 256 units"):
        histograms.train_codebook(utterances[:2], seed=0)


def test_an_utterance_that_is_too_short_is_named(tmp_path):
    audio.write(tmp_path / "short.wav", np.zeros(100, np.float32), 16000)
    short = Utterance("short", "s", "f", tmp_path / "short.wav", 0.01)
    with pytest.raises(BadInput, match="utterance 'short': shorter than a frame of 25 ms"):
        embed_each([short], histograms.frames)


def test_style_by_hand():
    """Six words: the twice, i once; disfluency uh; one sentence; five different words; lantern is long."""
    dictionary = style.function_words()
    found = dict(
        zip(
            style.names(dictionary),
            style.feature("Uh, I saw the the lantern.", dictionary),
            strict=True,
        )
    )
    assert found["the"] == pytest.approx(2 / 6)
    assert found["i"] == pytest.approx(1 / 6)
    assert (
        found["disfluencies"]
        == found["long words"]
        == found["sentence ends"]
        == pytest.approx(1 / 6)
    )
    assert found["new words"] == pytest.approx(5 / 6)
    assert found["other words"] == pytest.approx(3 / 6)
    assert sum(found[word] for word in style.FUNCTION_WORDS) == pytest.approx(3 / 6)


def test_function_words_are_listed_once():
    assert len(set(style.FUNCTION_WORDS)) == len(style.FUNCTION_WORDS)


def test_a_dictionary_in_liwcs_format(tmp_path):
    (tmp_path / "d.dic").write_text(DICTIONARY)
    dictionary = style.read_dictionary(tmp_path / "d.dic")
    assert dictionary.categories == ("pronoun", "article", "verbs of seeing")
    found = style.feature("I looked at THE lookout", dictionary)
    np.testing.assert_allclose(found[:3], [1 / 5, 2 / 5, 2 / 5])
    assert found[-1] == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i\t1\n", "between two lines of %"),
        ("%\none\tpronoun\n%\ni\t1\n", "d.dic:2: expected the number of a category"),
        ("%\n1\tpronoun\n%\ni\t7\n", "d.dic:4: 'i' has the unknown category 7"),
        ("%\n1\tpronoun\n%\ni\n", "d.dic:4: 'i' has no category"),
        ("%\n1\tverb\n%\nlike\t(02 134)1\n", "d.dic:4: 'like' has the unknown category 02"),
        ("%\n1\tverb\n%\nlike <of 1\n", "d.dic:4: not read: 'like <of 1'"),
        ("%\n1\tverb\n%\nkind of\t1\n", "phrases are not supported"),
        ("%\n1\tverb\n%\n(1) like\t1\n", "d.dic:4: not read"),
        ("%\n1\tpronoun\n%\n", "lists no word"),
    ],
)
def test_a_dictionary_that_is_none_is_refused(tmp_path, text, message):
    (tmp_path / "d.dic").write_text(text)
    with pytest.raises(BadInput, match=message):
        style.read_dictionary(tmp_path / "d.dic")


def test_utterances_without_words_are_named():
    utterance = Utterance("u1", "s", "f", None, 1.0)
    with pytest.raises(BadInput, match="utterance 'u1' has no transcript"):
        style.embed([utterance], {}, style.function_words())
    with pytest.raises(BadInput, match="utterance 'u1': its transcript has no words"):
        style.embed([utterance], {"u1": "..."}, style.function_words())


CONDITIONS = """%
1\tpronoun
2\taffect
3\tfiller
4\ttime
5\tcertainty
%
i\t1
like\t(01 4)2/3 4
kind\t<of>5/2
odd\t<thing>5
"""


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("i like", {"pronoun": 1, "affect": 1, "time": 1}),
        ("was like", {"filler": 1, "time": 1}),
        (
            "like like",
            {"filler": 1, "affect": 1, "time": 2},
        ),  # the second comes after a word of time
        ("kind of", {"certainty": 1}),
        ("kind", {"affect": 1}),
        ("kind off", {"affect": 1}),
        ("odd thing", {"certainty": 1}),
        ("odd", {}),
    ],
)
def test_conditions_on_neighbouring_words_by_hand(tmp_path, text, counts):
    (tmp_path / "d.dic").write_text(CONDITIONS)
    dictionary = style.read_dictionary(tmp_path / "d.dic")
    found = dict(
        zip(
            dictionary.categories, style.feature(text, dictionary) * len(text.split()), strict=False
        )
    )
    assert {name: round(count) for name, count in found.items() if count} == counts
