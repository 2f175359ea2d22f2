"""Voices of Piper and Kokoro: phonemes of espeak-ng, numbers, pieces, and mixtures of styles."""

import numpy as np
import pytest
from support import neural

from voiceprivacy.errors import BadInput
from voiceprivacy.models.voices import MOST_PHONEMES, Kokoro, Piper, pieces_of


@pytest.fixture(autouse=True)
def sessions(monkeypatch):
    neural.install_voices(monkeypatch)


def test_signs_stay_between_phonemes():
    assert list(pieces_of("The dog barks, twice!?", "en-us")) == ["ðə dˈɑːɡ bˈɑːɹks, twˈaɪs!"]
    assert list(pieces_of("Der Hund.", "de")) == ["dɛɾ hˈʊnt."]
    assert list(pieces_of(" ... ", "en-us")) == list(pieces_of("", "en-us")) == []
    spelled = "wˈʌn θˈaʊzənd æt θɹˈiː pɔɪnt fˈaɪv, tˈɛn."
    assert list(pieces_of("1,000 at 3.5, 10.", "en-us")) == [spelled]


def test_a_long_text_is_spoken_in_pieces_that_end_between_words():
    sentence = "the dog barks twice before sunrise"
    pieces = list(pieces_of(", ".join([sentence] * 25), "en-us"))
    assert len(pieces) > 2 and max(map(len, pieces)) <= MOST_PHONEMES
    (alone,) = pieces_of(sentence, "en-us")
    assert " ".join(pieces) == ", ".join([alone] * 25)


def test_a_language_that_espeak_does_not_speak_is_refused():
    with pytest.raises(BadInput, match=r"espeak-ng failed: .*espeak-ng returned 0x"):
        list(pieces_of("the dog", "xx"))


def test_piper_says_each_phoneme_with_a_pause_behind_it(tmp_path):
    voice = Piper(str(neural.write_piper(tmp_path / "piper")))
    samples = voice.speak("The.")
    numbers = voice.session.asked[0]["input"][0].tolist()
    signs = [neural.SIGNS[number] for number in numbers]
    assert signs == ["^", "_", "ð", "_", "ə", "_", ".", "_", "$"]
    assert len(samples) == 9 * 22050 // 20 and samples.dtype == np.float32
    assert (voice.language, voice.sample_rate) == ("en", 22050)
    assert len(voice.speak("...")) == 0
    with pytest.raises(BadInput, match=r"many: has 9 speakers, expected one"):
        Piper(str(neural.write_piper(tmp_path / "many", speakers=9)))


def test_kokoro_mixes_styles_and_has_phonemes_of_its_own(tmp_path):
    kokoro = Kokoro(str(neural.write_kokoro(tmp_path / "kokoro")))
    assert kokoro.voices == ["high", "low"]
    assert len(kokoro.speak("day", weights=[0.25, 0.75])) == 5 * 24000 // 20
    asked = kokoro.session.asked[0]
    tokens = [neural.SIGNS[number - 1] for number in asked["tokens"][0, 1:-1]]
    assert tokens == ["d", "ˈ", "A"]  # of espeak-ng's two signs one is made
    assert asked["tokens"][0, [0, -1]].tolist() == [0, 0]
    assert set(asked["style"].ravel()) == {1.5}
    assert len(kokoro.speak("", weights=[1, 0])) == 0
