"""What a run will take: the sums by hand, and the words."""

import os

import pytest
from support.plans import ECAPA
from support.runs import ROOT

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.checks import Examination, Size
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.plan import configuration, defaults, estimate
from voiceprivacy.plan.estimate import FEATURES, PER_WEIGHT_BYTE, Step
from voiceprivacy.plan.measures import of_every_run
from voiceprivacy.plan.plan import Plan

CONFIG = {
    "corpora": {
        "a": {"kaldi": "/"},
        "b": {"synthetic": {"speakers": 1, "utterances": 1}, "use": "train"},
    },
    "anonymisers": {
        "b2": {"command": "python {scripts}/anonymise_mcadams.py", "runs": 2},
        "mine": {"audio": "x"},
    },
    "extractors": {"ecapa": ECAPA},
    "backends": {"cosine": {"type": "cosine"}},
    "semi_informed": False,
    "utility": dict.fromkeys(of_every_run(), False),
}


def examined(enrolment_s=1800, trial_s=1800, trials=1000, train_s=0):
    parts = {"enrolment": Size(100, enrolment_s, 10), "trial": Size(100, trial_s, 10)}
    to_learn = Examination(Findings(), {"train": Size(train_s // 9, train_s, 10)}, {}, {})
    return {"a": Examination(Findings(), parts, {"all": trials}, {}), "b": to_learn}


def steps(*, config=CONFIG, more=None, **sizes):
    plan = Plan(defaults.complete(config))
    return {step.what: step for step in estimate.estimate(plan, examined(**sizes) | (more or {}))}


def test_every_system_is_heard_and_every_condition_scored():
    protected = steps()["protected speech"]
    assert protected.bytes == 2 * 3600 * 16000 * 1.15  # of b2, twice: mine lies there
    expected_s = 3600 * (2 * estimate.MCADAMS_S + 4 * estimate.COMPARING)  # original, and all
    assert protected.seconds == pytest.approx(expected_s)
    assert steps()["prepared speech"].bytes == 0
    per_second = FEATURES + PER_WEIGHT_BYTE * estimate.HUB_BYTES
    assert steps()["embeddings"].seconds == pytest.approx(4 * 3600 * per_second)
    conditions, linked = 1 + 3 + 2, 3 * 100**2 / 2
    assert steps()["scores"].bytes == (conditions * 1000 + linked) * 65
    assert steps(trials=500)["scores"].bytes == (conditions * 500 + linked) * 65
    semi = {"train": {"corpus": "b", "speech": "anonymised"}, "recipe": "ecapa_small"}
    small = FEATURES + PER_WEIGHT_BYTE * 2e6
    hears = steps(config=CONFIG | {"extractors": {"semi": semi}})["embeddings"]
    assert hears.seconds == pytest.approx(2 * 2 * 3600 * small)  # on b2 and on mine
    assert hears.bytes == 2 * 2 * 200 * 900
    parts = {"enrolment": Size(0, 0, 0), "trial": Size(9, 3600, 3)}
    emotions = {"emotions": Examination(Findings(), parts, {}, {})}
    corpora = CONFIG["corpora"] | {"emotions": {"kaldi": "/", "use": "utility"}}
    both = steps(config=CONFIG | {"corpora": corpora}, more=emotions)
    assert both["protected speech"].seconds == 2 * steps()["protected speech"].seconds
    assert both["embeddings"] == steps()["embeddings"]


def test_what_attackers_learn_from_is_protected_and_heard_for_every_anonymiser():
    semi = {"type": "plda", "train": {"corpus": "b", "speech": "anonymised"}, "unprotected": True}
    backends = {"backends": CONFIG["backends"] | {"semi": semi}}
    none, more = (steps(config=CONFIG | backends, train_s=seconds) for seconds in (0, 9000))
    added = {name: more[name].bytes - none[name].bytes for name in more}
    assert added["protected speech"] == pytest.approx(9000 * 16000 * 1.15)  # by b2: mine lies there
    assert added["embeddings"] == 3 * 1000 * 900  # the original, b2, mine


def test_scores_of_somebody_else_take_a_second_for_each_system(tmp_path):
    for name in ("original_oo", "b2_op", "b2_pp"):
        (tmp_path / f"{name}.tsv").touch()
    scores = {"scores": f"{tmp_path}/{{anonymiser}}_{{condition}}.tsv"}
    (*_, last, _) = estimate.estimate(Plan(defaults.complete({"attacks": {"team7": scores}})), {})
    assert (last.seconds, last.bytes) == (estimate.PAGE_S + 2 * 1, 3e6 + 2 * 0.1e6)


def test_the_table_has_readable_units_and_a_sum():
    table = estimate.text([Step("one", 2.5e9, 7200), Step("other", 2e6, 30)])
    lines = [" ".join(line.split()) for line in table.splitlines()]
    assert lines[1:4] == ["one 2 GB 2 h", "other 2 MB 30 s", "all 3 GB 2 h"]
    cores = os.cpu_count()
    low, high = (estimate._time(factor * 7230 / cores) for factor in (0.5, 2))
    assert lines[4] == f"all, on the {cores} cores of this machine, if idle {low} to {high}"
    assert "if idle" in estimate.text([Step("one", 0, 30)]) and "less than" in estimate.text([])
    assert lines[5].startswith("free on this disk")


@pytest.mark.parametrize(
    ("measure", "heard_s"),
    [
        ({"words": {"type": "closed_text", "utterances": 2}}, 3 * 0.2 * 1800 * 0.065),
        ({"quality": {"type": "quality", "utterances": 30}}, 3 * 100 * 0.8),
        ({"words": {"type": "whisper", "model": "base"}}, 3 * (600 * 0.05 + 100 / 3 * 1.2)),
        ({"pitch_correlation": {"type": "pitch_correlation"}}, 2 * 1800 * 0.003),
        ({"quality": {"type": "quality", "utterances": 2, "sample": 5}}, 3 * 10 * 0.8),
        ({"mine": {"command": "python mine.py"}}, 0),
    ],
    ids=["some", "all of few", "ten minutes", "not of the original", "a sample", "one's own"],
)
def test_measures_take_time_for_what_they_hear_of_every_system(measure, heard_s):
    spoken = {"a": {"synthetic": {"speakers": 10, "utterances": 10}}}  # so it has transcripts
    config = CONFIG | {"corpora": CONFIG["corpora"] | spoken}
    config |= {"utility": CONFIG["utility"] | measure}
    assert steps(config=config)["measures of utility"].seconds == pytest.approx(heard_s)


def seconds(config, examined):
    return sum(step.seconds for step in estimate.estimate(Plan(config), examined))


def test_the_sum_of_the_demo_is_right_within_a_factor_of_two():
    """Of what was measured: processor time on idle cores, 23 November 2026."""
    demo = configuration.check(configuration.read(ROOT / "config" / "config.yaml"))
    seen = {name: checks.examine_entry(name, demo["corpora"]) for name in demo["corpora"]}
    assert 0.5 < seconds(demo, seen) / 251 < 2


def test_the_sum_of_hours_is_right_within_a_factor_of_two():
    """As above, 24 November 2026 (docs/internals/load.md)."""
    mcadams = {"command": "python {scripts}/anonymise_mcadams.py"}
    # As it was measured, before a sample of each sex was the default, and CAM++.
    utility = {"words": False, "quality": {"type": "quality", "utterances": 2}}
    hours = {
        "corpora": {"a": {"kaldi": "/", "protocol": {"enrol_trial": {"lists": ["f", "m"]}}}},
        "anonymisers": {"b2": mcadams, "b2r": mcadams, "vtln": {"function": "x.py:vtln"}},
        "utility": utility | {"pitch_correlation": {"type": "pitch_correlation"}},
        "extractors": {"resemblyzer": {"package": "resemblyzer"}},
        "backends": {"cosine": {"type": "cosine"}},
    }
    parts = {"enrolment": Size(200, 1600, 40), "trial": Size(2073, 16400, 40)}
    of_hours = {"a": Examination(Findings(), parts, {"f": 20_700, "m": 20_700}, {})}
    measured_s = 444 + 887 - 410 + 273
    assert 0.5 < seconds(defaults.complete(hours), of_hours) / measured_s < 2
