"""Curves over the amount of speech: only where they are asked for, and of whoever embeds."""

import pytest
import yaml

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import planned
from voiceprivacy.vocabulary import FUSED

CONFIG = yaml.safe_load(
    """
corpora:
  demo: {synthetic: {speakers: 4, utterances: 4}}
  train: {synthetic: {speakers: 12, utterances: 3, first_speaker: 4}, use: train}
extractors: {ecapa: {model: speechbrain/ecapa, revision: "0123456789"}, pitch: {f0: {}}}
backends:
  cosine: {type: cosine}
  js: {type: jensen_shannon}
  both: {type: fusion, of: [ecapa/cosine, pitch/js], train: {corpus: train}}
"""
)


def plan_of(**amounts):
    report = {"speech_per_attack": amounts} if amounts else {}
    return Plan(configuration.check(CONFIG | {"report": report}))


def amounts_of(plan):
    return [figure for figure in planned(plan) if figure.kind == "speech_per_attack"]


def test_a_config_that_asks_for_none_has_none():
    plan = plan_of()
    assert plan.amounts == {} and amounts_of(plan) == []


def test_a_side_that_is_left_out_is_as_in_the_run_itself():
    assert plan_of(enrolment=[1, "all"]).amounts == {"enrolment": [1, "all"], "trial": [1]}
    assert plan_of(trial=[3]).amounts == {"enrolment": ["all"], "trial": [3]}


def test_there_is_a_file_for_each_attacker_who_embeds_and_each_list():
    figures = amounts_of(plan_of(trial=[1, 3]))
    assert [figure.arguments["curves"] for figure in figures] == [
        f"results/curves/speech_per_attack/demo/{trials}/{attacker}.tsv"
        for trials in ("f", "m")
        for attacker in ("ecapa/cosine", "pitch/js")
    ]
    assert FUSED not in [figure.extractor for figure in figures]


@pytest.mark.parametrize("amounts", [{"trial": ["all"]}, {"enrolment": [0]}, {"other": [1]}])
def test_other_amounts_are_refused(amounts):
    with pytest.raises(BadInput, match="speech_per_attack"):
        plan_of(**amounts)
