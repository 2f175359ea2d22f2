"""Words and quality of real speech whose order is known: no pair of systems may contradict it."""

import itertools

import pytest
from support import needs
from support.runs import finish, rows, write_config

pytestmark = [pytest.mark.nightly, needs.data("VOICEPRIVACY_SPEECH")]
MCADAMS = "python {scripts}/anonymise_mcadams.py --threads {threads}"
ANONYMISERS = {
    "b2": {"command": f"{MCADAMS} --alpha 0.8 --level corpus"},
    "b2r": {"command": f"{MCADAMS} --alpha 0.7 0.9 --level speaker"},
    "reversed": {"function": "{resources}/plugins/reversed.py:anonymise"},
    "noise": {"function": "{resources}/plugins/noise.py:anonymise"},
}
ORDERS = [("original", "b2", "noise"), ("original", "b2r", "noise")]  # from the best to the worst
WORDS = "closed_text_wer_percent"
METRICS = (WORDS, "dnsmos_overall", "estoi")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The means of a run, and its pairs of systems."""
    folder = tmp_path_factory.mktemp("utility")
    speech = {"root": "${VOICEPRIVACY_SPEECH}", "subsets": ["test-other"]}
    protocol = {"enrol_trial": {"enrolment_utterances": 3, "lists": ["mixed"]}}
    write_config(
        folder,
        corpora={"real": {"librispeech": speech, "protocol": protocol}},
        extractors={"ecapa_small": {"model": "{resources}/ecapa_small"}},
        anonymisers=ANONYMISERS,
        utility={
            "words": {"type": "closed_text", "utterances": 3},
            "quality": {"type": "quality", "utterances": 3},
            "voice": False,
            "pitch_correlation": False,
        },
    )
    paths = ["results/metrics/utility/real.tsv", "results/comparisons/utility/real.tsv"]
    finish(folder, *paths)
    # Of all utterances.
    means, pairs = [[row for row in rows(folder / path) if row["trials"] == "-"] for path in paths]
    by_system = {(row["metric"], row["anonymiser"]): row for row in means}
    by_pair = {}
    for row in pairs:
        one, other = row["anonymiser_a"], row["anonymiser_b"]
        shown = {"A is better": one, "B is better": other}
        by_pair[row["metric"], frozenset([one, other])] = shown.get(row["verdict"])
    return by_system, by_pair


def better(tables, metric, one, other):
    """Which of two systems is shown to be better; None where they cannot be told apart."""
    _, by_pair = tables
    return by_pair[metric, frozenset([one, other])]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order[1])
def test_no_pair_that_is_shown_to_differ_contradicts_the_order(tables, metric, order):
    for best, worst in itertools.combinations(order, 2):
        assert better(tables, metric, best, worst) in (best, None), (best, worst)


@pytest.mark.parametrize("metric", METRICS)
def test_words_and_quality_of_noise_are_shown_to_be_worst(tables, metric):
    for system in ("original", "b2", "b2r"):
        assert better(tables, metric, system, "noise") == system
    assert better(tables, metric, "original", "b2") == "original"


def test_reversed_speech_has_no_words(tables):
    by_system, _ = tables
    assert float(by_system[WORDS, "reversed"]["ci_high"]) >= 100
    for metric in (WORDS, "estoi"):
        for system in ("original", "b2", "b2r"):
            assert better(tables, metric, system, "reversed") == system
    assert abs(float(by_system["estoi", "reversed"]["value"])) < 0.05


def test_quality_alone_does_not_see_that_reversed_speech_has_no_words(tables):
    """Why words are measured beside quality: backwards, speech sounds no worse than B2."""
    assert better(tables, "dnsmos_overall", "b2", "reversed") is None
    assert better(tables, "dnsmos_overall", "noise", "reversed") == "reversed"
