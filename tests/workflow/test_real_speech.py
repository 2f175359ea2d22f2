"""Systems whose protection, words and quality are known, on real speech: numbers must say so."""

import pytest
from support import needs
from support.runs import B2, B2R, finish, rows, write_config

from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.report.atlas import by_system
from voiceprivacy.report.rows import AtlasPoint

pytestmark = [pytest.mark.nightly, needs.data("VOICEPRIVACY_SPEECH", "VOICEPRIVACY_ASV")]
TARGETS = ("results/metrics.tsv", "results/curves/atlas/real/mixed.tsv")
PAIRS = "results/comparisons/utility/real.tsv"
WORDS = "closed_text_wer_percent"
METRICS = (WORDS, "dnsmos_overall", "estoi")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    speech = {"root": "${VOICEPRIVACY_SPEECH}", "subsets": ["test-other"]}
    function = "{scripts}/voiceprivacy/anonymise/functions/world.py:world"
    write_config(
        folder,
        corpora={
            "real": {"librispeech": speech, "protocol": {"enrol_trial": {"lists": ["mixed"]}}}
        },
        extractors={"ecapa": {"model": "${VOICEPRIVACY_ASV}"}},
        anonymisers={
            "b2": {"command": f"{B2} --threads {{threads}}"},
            "b2r": {"command": f"{B2R} --threads {{threads}}"},
            "world": {"function": function, "runs": 2},
        },
        atlas={"channels": ["pitch", "timing", "background", "words"]},
        utility={
            "words": {"type": "closed_text", "utterances": 3},
            "quality": {"type": "quality", "utterances": 3},
            "voice": False,
            "pitch_correlation": False,
        },
        report={"controls": True, "inference": False},
    )
    finish(folder, *TARGETS, PAIRS)
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


@pytest.fixture(scope="module")
def better(results):
    """A function: which of two systems is shown to be better by a measure of utility, or None."""
    by_pair = {}
    for row in rows(results.parent / PAIRS):
        if row["trials"] == "-":  # of all utterances
            one, other = row["anonymiser_a"], row["anonymiser_b"]
            shown = {"A is better": one, "B is better": other}
            by_pair[row["metric"], frozenset([one, other])] = shown.get(row["verdict"])
    return lambda metric, one, other: by_pair[metric, frozenset([one, other])]


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


@pytest.mark.parametrize("metric", METRICS)
def test_words_and_quality_of_noise_are_shown_to_be_worst(better, metric):
    for system in ("original", "b2", "b2r"):
        assert better(metric, system, "noise") == system
    assert better(metric, "original", "b2") == "original"
    assert better(metric, "original", "b2r") in ("original", None)


def test_reversed_speech_has_no_words(results, better):
    value = {
        row["metric"]: row
        for row in rows(results / "metrics" / "utility" / "real.tsv")
        if (row["trials"], row["anonymiser"]) == ("-", "reversed")
    }
    assert float(value[WORDS]["ci_high"]) >= 100
    for metric in (WORDS, "estoi"):
        for system in ("original", "b2", "b2r"):
            assert better(metric, system, "reversed") == system
    assert abs(float(value["estoi"]["value"])) < 0.05


def test_quality_alone_does_not_see_that_reversed_speech_has_no_words(better):
    """Why words are measured beside quality: backwards, speech sounds no worse than B2."""
    assert better("dnsmos_overall", "b2", "reversed") is None
    assert better("dnsmos_overall", "noise", "reversed") == "reversed"
