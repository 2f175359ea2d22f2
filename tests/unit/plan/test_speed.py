"""How fast anonymisers are: by the benchmarks of their own jobs, and by what is said of streams."""

import pytest
from support.plans import voices

from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speed import protecting
from voiceprivacy.report.contents import contents_of

PLUGIN = "{resources}/plugins/streamed_low_pass.py"
CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 4}},
        "others": voices(12, 3, first=4, use="train"),
    },
    "anonymisers": {"b2": {"command": "python b2.py"}, "team": {"command": "python team.py"}},
}


def test_an_anonymiser_s_own_jobs_are_those_of_the_trials_of_all_its_draws():
    anonymisers = {
        "b2": {"command": "python b2.py", "shards": 2, "streaming": False},
        "b2r": {"command": "python b2r.py", "draws": 2, "runs": 2, "gpu": 1},
        "team": {"audio": "submission"},
    }
    plan = Plan(defaults.complete(CONFIG | {"anonymisers": anonymisers}))
    told = {one.anonymiser: one for one in protecting(plan)}
    assert list(told) == ["b2", "b2r", "team"]  # no training corpus, and no draw of its own
    shards = [f"anonymise_shard/demo/trial/b2/{number}.tsv" for number in (0, 1)]
    streams = ["demo/trial/b2/wav/*/streaming.json"]
    assert told["b2"] == ("demo", "b2", "cpu", [shards], False, streams)
    draws = [[f"anonymise_part/demo/trial/{name}.tsv"] for name in ("b2r", "b2r_draw2")]
    assert told["b2r"].benchmarks == draws
    assert (told["b2r"].device, told["b2r"].streaming) == ("gpu", None)
    assert told["team"].benchmarks == []


def test_where_nothing_is_measured_nothing_may_be_protected():
    none = dict.fromkeys(("voice", "words", "quality"), False)
    silent = {"report": {"pitch_correlation": False}, "utility": none}
    plan = Plan(defaults.complete(CONFIG | silent))
    assert list(protecting(plan)) == [] and contents_of(plan).speed is None
    assert contents_of(Plan(defaults.complete(CONFIG))).speed == "results/report/tables/speed.tsv"


def test_whether_it_runs_on_a_stream_is_yes_or_no():
    def said(streaming):
        config = CONFIG | {"anonymisers": {"b2": {"command": "b2", "streaming": streaming}}}
        (one,) = protecting(Plan(configuration.check(config)))
        return one.streaming

    assert (said(True), said(False), said({}), said({"chunk_ms": 5})) == (True, False, True, True)
    for wrong in ("perhaps", {"chunk_ms": 0}, {"chunks": 3}, {"tolerance": -1}, {"tolerance": "a"}):
        with pytest.raises(BadInput, match=r"anonymisers\.b2\.streaming"):
            said(wrong)


@pytest.mark.parametrize(
    ("streaming", "handed"),
    [
        ({"streaming": True}, None),
        ({"streaming": {"chunk_ms": 5}}, {"chunk_ms": 5, "tolerance": 1e-4}),
        # As YAML reads it.
        ({"streaming": {"tolerance": "1e-3"}}, {"chunk_ms": 20, "tolerance": 1e-3}),
        ({}, None),
    ],
)
def test_how_chunks_are_is_handed_to_the_plug_in_with_its_defaults(streaming, handed):
    anonymisers = {"x": {"function": f"{PLUGIN}:LowPass", **streaming}}
    speech = Plan(configuration.check(CONFIG | {"anonymisers": anonymisers})).speech
    assert speech.anonymiser_call("x", "demo", "trial").get("streaming") == handed
