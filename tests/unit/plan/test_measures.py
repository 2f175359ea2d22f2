"""Measures of utility: what an entry asks for, and which tables a run makes."""

import pytest

from voiceprivacy.inout.files import SCRIPTS
from voiceprivacy.plan.configuration import complete
from voiceprivacy.plan.measures import SHIPPED, Utility
from voiceprivacy.plan.plan import Plan

CORPUS = {"synthetic": {"speakers": 4, "utterances": 4}}
B2 = {"b2": {"command": "anonymise"}}


def planned(**config):
    return Plan(complete({"corpora": {"demo": dict(CORPUS)}, "anonymisers": B2, **config})).utility


def test_measures_are_made_of_the_trial_part():
    utility = planned(utility={"wer": {"command": "python wer.py {corpus}", "better": "lower"}})
    folder = "results/utility/demo/trial"
    tables = utility.measures("demo")
    assert f"{folder}/original/wer.tsv" in tables and f"{folder}/b2/wer.tsv" in tables
    assert utility.options()["wer"] == {"better": "lower"}
    assert utility.command("wer", "demo") == "python wer.py demo"
    assert utility.scripts("wer") == utility.transcripts("wer", "demo") == []


def test_every_run_measures_the_pitch_of_protected_speech_unless_it_says_no():
    utility = planned()
    assert "results/utility/demo/trial/b2/pitch_correlation.tsv" in utility.measures("demo")
    assert "results/utility/demo/trial/original/pitch_correlation.tsv" not in utility.measures(
        "demo"
    )
    for silent in ({"utility": {"pitch_correlation": False}},):
        assert "pitch_correlation" not in planned(**silent).entries
    assert "pitch_correlation" not in planned(report={"pitch_correlation": False}).entries


def test_quality_is_measured_where_it_is_asked_for():
    assert "quality" not in planned().entries
    utility = planned(utility={"quality": {"type": "quality", "utterances": 3}})
    assert "results/utility/demo/trial/original/quality.tsv" in utility.measures("demo")
    assert utility.options()["quality"] == {"better": "higher", "utterances": 3}
    assert utility.entries["quality"]["env"] == "dnsmos"


def test_clips_are_made_of_what_is_listened_to():
    assert planned().clips() == ["results/report/listen/demo.json"]
    assert planned(report={"listen": 0}).clips() == []


@pytest.mark.parametrize("kind", SHIPPED)
def test_a_shipped_measure_is_a_command_of_ours(kind):
    utility = Utility({"mine": {"type": kind}}, planned().speech, listen=False)
    assert f"{{scripts}}/{SHIPPED[kind].script}.py" in utility.command("mine", "demo")
    assert (SCRIPTS / f"{SHIPPED[kind].script}.py").exists()
    assert utility.threads("mine") == SHIPPED[kind].threads
