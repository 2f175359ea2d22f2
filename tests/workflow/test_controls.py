"""Anonymisers whose protection is known, on real speech: the report must say what they are."""

import pytest
from support import needs
from support.runs import WITHOUT_MEASURES, finish, rows, write_config

from voiceprivacy.inout.rows import read_typed
from voiceprivacy.report.atlas import by_system
from voiceprivacy.vocabulary import AtlasPoint

pytestmark = [pytest.mark.nightly, needs.data("VOICEPRIVACY_SPEECH", "VOICEPRIVACY_ASV")]
TARGETS = ("results/metrics.tsv", "results/curves/atlas/real/mixed.tsv")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the ten speakers on one list."""
    folder = tmp_path_factory.mktemp("controls")
    speech = {"root": "${VOICEPRIVACY_SPEECH}", "subsets": ["test-other"]}
    function = "{scripts}/voiceprivacy/anonymise/functions/world.py:world"
    write_config(
        folder,
        corpora={
            "real": {"librispeech": speech, "protocol": {"enrol_trial": {"lists": ["mixed"]}}}
        },
        extractors={"ecapa": {"model": "${VOICEPRIVACY_ASV}"}},
        anonymisers={"world": {"function": function, "runs": 2}},
        atlas={"channels": ["pitch", "timing", "background", "words"]},
        utility=WITHOUT_MEASURES,
        report={"controls": True, "bootstrap": 200, "inference": False},
    )
    finish(folder, *TARGETS)
    return folder / "results"


@pytest.fixture(scope="module")
def values(results):
    """(metric, anonymiser, condition) -> value, by the voice."""
    return {
        (row["metric"], row["anonymiser"], row["condition"]): row["value"]
        for row in rows(results / "metrics.tsv")
        if row["extractor"] == "ecapa"
    }


@pytest.fixture(scope="module")
def channels(results):
    """(anonymiser, condition) -> {channel: AtlasPoint}."""
    return by_system(read_typed(AtlasPoint, results / "curves" / "atlas" / "real" / "mixed.tsv"))


def test_a_copy_protects_nothing(values):
    assert abs(float(values["deid_percent", "copy", "op"])) < 1
    for metric in ("eer_percent", "dece_bit"):
        original = values[metric, "original", "oo"]
        assert values[metric, "copy", "op"] == values[metric, "copy", "pp"] == original


def test_noise_protects_everything(values):
    assert float(values["deid_percent", "noise", "op"]) > 97
    for condition in ("op", "pp"):
        assert float(values["dece_bit", "noise", condition]) < float(
            values["dece_null95_bit", "noise", condition]
        )
        assert 40 < float(values["eer_percent", "noise", condition]) < 60


def test_speech_played_backwards_sounds_anonymous_and_is_not(values):
    original = float(values["eer_percent", "original", "oo"])
    assert original < 5
    for condition in ("op", "pp"):
        assert float(values["eer_percent", "reversed", condition]) < original + 2


def test_another_pitch_hides_a_part_of_the_voice(values):
    """Attacker and user draw shifts of their own: informed is no easier than ignorant."""
    for condition in ("op", "pp"):
        assert 10 < float(values["eer_percent", "world", condition]) < 45


@pytest.mark.parametrize("condition", ["op", "pp"])
def test_noise_keeps_no_channel_but_the_given_words(channels, condition):
    original, noise = channels["original", "oo"], channels["noise", condition]
    assert noise["words"].value == original["words"].value
    for channel in ("voice", "pitch", "timing", "background"):
        assert noise[channel].value < 0.5 < original["voice"].value
        assert noise[channel].ci_low < 0.05


@pytest.mark.parametrize("condition", ["op", "pp"])
def test_speech_played_backwards_keeps_what_does_not_depend_on_order(channels, condition):
    original, backwards = channels["original", "oo"], channels["reversed", condition]
    for channel in ("voice", "pitch", "background"):
        assert original[channel].ci_low <= backwards[channel].value
        assert backwards[channel].value == pytest.approx(original[channel].value, abs=0.3)
