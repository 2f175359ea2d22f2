"""What each attack of a run takes: its jobs by their benchmarks, and what it learns from."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.effort import efforts, protecting, training_manifests
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import contents_of, planned, without_times
from voiceprivacy.vocabulary import TrialList

PLUGIN = "{resources}/plugins/streamed_low_pass.py"
CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 4}},
        "others": {
            "synthetic": {"speakers": 12, "utterances": 3, "first_speaker": 4},
            "use": "train",
        },
    },
    "anonymisers": {"b2": {"command": "python b2.py"}, "team": {"command": "python team.py"}},
    "attackers": "ladder",
}
DEMO_F = TrialList("demo", "f")


@pytest.fixture
def by_attack():
    plan = Plan(configuration.check(CONFIG))
    return {
        (one.attack.extractor, one.attack.backend, one.anonymiser, one.condition): one
        for one in efforts(plan, DEMO_F)
    }


def test_the_ignorant_attacker_embeds_and_scores_and_the_informed_one_protects_too(by_attack):
    ignorant = by_attack["ecapa_small", "cosine", "b2", "op"].benchmarks
    lazy = by_attack["ecapa_small", "cosine", "b2", "pp"].benchmarks
    assert "score_system/demo/f/b2/ecapa_small/cosine.tsv" in ignorant
    assert "extract_*/demo/original/ecapa_small.tsv" in ignorant
    assert not [job for job in ignorant if job.startswith(("anonymise", "train"))]
    assert "anonymise_part/demo/enrolment/b2.tsv" in lazy
    assert "extract_*/demo/original/ecapa_small.tsv" not in lazy


def test_linkage_enrols_nothing(by_attack):
    linkage = by_attack["ecapa_small", "cosine", "b2", "rr"]
    assert not linkage.enrols
    assert not [job for job in linkage.benchmarks if job.startswith("anonymise")]
    assert by_attack["ecapa_small", "cosine", "b2", "op"].enrols


def test_a_back_end_that_learns_from_both_kinds_of_speech_embeds_both(by_attack):
    learnt = by_attack["ecapa_small", "plda_on_b2", "b2", "pp"].benchmarks
    for system in ("b2", "original"):
        assert f"extract_*/others/train/{system}/ecapa_small.tsv" in learnt


def test_a_tuned_extractor_takes_protected_training_speech(by_attack):
    tuned = by_attack["tuned_on_b2", "cosine", "b2", "pp"]
    assert {"anonymise_part/others/train/b2.tsv", "train_extractor/tuned_on_b2.tsv"} <= set(
        tuned.benchmarks
    )
    assert tuned.training == ("results/audio/others/train/b2/learners.tsv",)


def test_a_fusion_takes_what_all_its_attackers_take_and_its_own(by_attack):
    fused = by_attack["fused", "ladder_on_b2", "b2", "pp"]
    for part in (("ecapa_small", "plda_on_b2"), ("tuned_on_b2", "cosine")):
        assert set(by_attack[*part, "b2", "pp"].benchmarks) <= set(fused.benchmarks)
    assert "train_fusion/ladder_on_b2.tsv" in fused.benchmarks
    assert set(fused.training) == {
        "results/audio/others/train/b2/learners.tsv",
        "results/audio/others/train/original/held_out.tsv",
    }


def test_runs_with_a_ladder_have_its_figure_on_each_list_and_others_none():
    ladders = [one for one in planned(Plan(configuration.check(CONFIG))) if one.kind == "ladder"]
    assert [(one.corpus, one.trials) for one in ladders] == [("demo", "f"), ("demo", "m")]
    without = {name: options for name, options in CONFIG.items() if name != "attackers"}
    plan = Plan(configuration.check(without | {"semi_informed": False}))
    assert not [one for one in planned(plan) if one.kind == "ladder"]
    assert training_manifests(plan, DEMO_F) == []


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


def test_a_page_says_nothing_of_times_that_nobody_knows():
    whole = contents_of(Plan(configuration.check(CONFIG)))
    known = without_times(whole)
    assert whole.speed and known.speed is None
    left_out = {figure.kind for figure in whole.figures} - {figure.kind for figure in known.figures}
    assert left_out == {"ladder"} and len(known.figures) > 0


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
