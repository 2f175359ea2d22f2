"""How alpha is drawn: ours from the seed and the id alone, and the published rule of 2024."""

import numpy as np
import pytest

from voiceprivacy.anonymise.functions.mcadams import draw_alphas, mcadams
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance

UTTERANCES = [Utterance(f"u{n}", f"s{n // 2}", "f", f"u{n}.flac", 1.0) for n in range(6)]


def drawn(utterances=UTTERANCES, low=0.5, high=0.9, level="speaker", draw="ours", seed=1):
    alphas = draw_alphas(utterances, (low, high), level=level, draw=draw, seed=seed)
    return {
        utterance.utterance: alpha
        for utterance, alpha in zip(utterances, alphas.tolist(), strict=True)
    }


@pytest.mark.parametrize(("level", "distinct"), [("corpus", 1), ("speaker", 3), ("utterance", 6)])
def test_an_alpha_is_shared_at_its_level(level, distinct):
    alphas = drawn(level=level)
    assert len(set(alphas.values())) == distinct
    assert all(0.5 <= alpha < 0.9 for alpha in alphas.values())
    if level == "speaker":
        assert alphas["u2"] == alphas["u3"] != alphas["u4"]


@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_order_and_company_do_not_matter(level):
    everything = drawn(level=level)
    assert drawn(UTTERANCES[::-1], level=level) == everything
    assert drawn(UTTERANCES[4:], level=level) == {name: everything[name] for name in ("u4", "u5")}


@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_another_seed_gives_the_same_speaker_another_alpha(level):
    """The attacker has a seed of his own, so he does not hold the user's pseudonym."""
    assert all(
        drawn(level=level)[name] != alpha for name, alpha in drawn(level=level, seed=2).items()
    )


@pytest.mark.parametrize("draw", ["ours", "vpc2024"])
@pytest.mark.parametrize("level", ["corpus", "speaker", "utterance"])
def test_a_fixed_value_is_everybodys(level, draw):
    assert set(drawn(low=0.8, high=0.8, level=level, draw=draw).values()) == {0.8}


def test_the_rule_of_2024_per_speaker():
    speakers = [Utterance("a", "1089", "m", "a", 1.0), Utterance("b", "p225", "f", "b", 1.0)]
    assert drawn(speakers, draw="vpc2024") == {"a": 0.7272700462000519, "b": 0.6397319919474549}


def test_the_rule_of_2024_per_utterance():
    alphas = drawn(UTTERANCES[:3], draw="vpc2024", level="utterance")
    assert list(alphas.values()) == [0.6875880725850418, 0.567471028445037, 0.7592414130478444]


def test_the_rule_of_2024_knows_no_corpus():
    with pytest.raises(BadInput, match="no rule for --level corpus"):
        drawn(draw="vpc2024", level="corpus")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": "utterance", "draw": "vpc2024"}, "use anonymise_mcadams.py"),
        ({"level": "sentence"}, "level is one of speaker, utterance, corpus"),
        ({"draw": "mine"}, "draw one of ours, vpc2024"),
        ({"variant": "mine"}, "variant 'mine' is none of vpc2020, vpc2024"),
        ({"alpha": [0.9, 0.5]}, "alpha: give one number above 0"),
        ({"alpha": "much"}, "alpha: give one number above 0"),
        ({"alpha": [0.5, 0.6, 0.7]}, "alpha: give one number above 0"),
    ],
)
def test_options_that_there_are_not_are_refused(options, words):
    with pytest.raises(BadInput, match=words):
        mcadams(np.ones(400), 16000, utterance="u", speaker="s", seed=1, **options)
