"""How fast anonymisers are: by the benchmarks of their own jobs, and by what is said of streams."""

import pytest
from support.plans import voices

from voiceprivacy.inout.files import BadInput
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
    config = CONFIG | {
        "anonymisers": {
            "b2": {"command": "python b2.py", "shards": 2, "streaming": False},
            "b2r": {"command": "python b2r.py", "draws": 2, "runs": 2, "gpu": 1},
            "team": {"audio": "submission"},
        }
    }
    told = {one.anonymiser: one for one in protecting(Plan(defaults.complete(config)))}
    assert list(told) == ["b2", "b2r", "team"]  # no training corpus, and no draw of its own
    assert told["b2"] == (
        "demo",
        "b2",
        "cpu",
        [["anonymise_shard/demo/trial/b2/0.tsv", "anonymise_shard/demo/trial/b2/1.tsv"]],
        False,
        ["demo/trial/b2/wav/*/streaming.json"],
    )
    assert told["b2r"].benchmarks == [
        ["anonymise_part/demo/trial/b2r.tsv"],
        ["anonymise_part/demo/trial/b2r_draw2.tsv"],
    ]
    assert (told["b2r"].device, told["b2r"].streaming) == ("gpu", None)
    assert told["team"].benchmarks == []


def test_where_nothing_is_measured_nothing_may_be_protected():
    none = dict.fromkeys(("voice", "words", "quality"), False)
    silent = {"report": {"pitch_correlation": False}, "utility": none}
    plan = Plan(defaults.complete(CONFIG | silent))
    assert list(protecting(plan)) == [] and contents_of(plan).speed is None
    loud = Plan(defaults.complete(CONFIG))
    assert contents_of(loud).speed == "results/report/tables/speed.tsv"


def test_whether_it_runs_on_a_stream_is_yes_or_no():
    def said(streaming):
        config = CONFIG | {"anonymisers": {"b2": {"command": "b2", "streaming": streaming}}}
        (one,) = protecting(Plan(configuration.check(config)))
        return one.streaming

    assert (said(True), said(False), said({}), said({"chunk_ms": 5})) == (True, False, True, True)
    for wrong in ("perhaps", {"chunk_ms": 0}, {"chunks": 3}, {"tolerance": -1}, {"tolerance": "a"}):
        with pytest.raises(BadInput, match=r"anonymisers\.b2\.streaming"):
            said(wrong)


def test_how_chunks_are_is_handed_to_the_plug_in_with_its_defaults():
    names = {
        "said": True,
        "chunks": {"chunk_ms": 5},
        "text": {"tolerance": "1e-3"},
        "nothing": None,
    }
    anonymisers = {
        name: {"function": f"{PLUGIN}:LowPass", "streaming": how} for name, how in names.items()
    }
    del anonymisers["nothing"]["streaming"]
    speech = Plan(configuration.check(CONFIG | {"anonymisers": anonymisers})).speech
    corpus = speech.evaluated[0]
    calls = {name: speech.anonymiser_call(name, corpus, "trial") for name in names}
    assert calls["chunks"]["streaming"] == {"chunk_ms": 5, "tolerance": 1e-4}
    assert calls["text"]["streaming"] == {"chunk_ms": 20, "tolerance": 1e-3}  # as YAML reads it
    assert "streaming" not in calls["said"] | calls["nothing"]
