"""IEMOCAP as it is distributed: who speaks, which emotions are taken, and nobody is tried."""

import pytest
from support.trees import iemocap, listed, write_audio, write_lines

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Findings, list_utterances, read_transcripts
from voiceprivacy.corpora.parts import list_part
from voiceprivacy.errors import BadInput

NOBODY_TRIED = {"no_trials": {}}


def test_who_speaks_is_in_the_last_part_of_an_id_and_four_emotions_or_all_are_taken(tmp_path):
    source = iemocap(tmp_path)
    utterances, findings = listed(source)
    assert findings == []
    assert utterances[0][:4] == ("Ses01F_impro01_F000", "Ses01F", "f", "Ses01F_impro01")
    speakers = {(utterance.speaker, utterance.gender) for utterance in utterances}
    assert speakers == {("Ses01F", "f"), ("Ses01M", "m"), ("Ses02F", "f"), ("Ses02M", "m")}
    assert len(utterances) == 2 * 2 * 5  # excited is one of them, xxx is none
    source["iemocap"]["emotions"] = "all"
    assert len(listed(source)[0]) == 2 * 2 * 6
    source["iemocap"]["sessions"] = [2]
    assert {utterance.utterance[:5] for utterance in listed(source)[0]} == {"Ses02"}


def test_another_number_than_published_is_odd(tmp_path):
    source = iemocap(tmp_path, sessions=(1, 2, 3, 4, 5))
    for emotions, said in (("four", ("50", "5531")), ("all", ("60", "10039"))):
        source["iemocap"]["emotions"] = emotions
        (oddity,) = listed(source)[1]
        assert oddity.startswith("oddity ") and all(number in oddity for number in said)


def test_scripted_dialogues_and_odd_names(tmp_path):
    source = iemocap(tmp_path, sessions=(1,))
    folder = tmp_path / "Session1" / "sentences" / "wav"
    write_audio(folder / "Ses01M_script01_1b" / "Ses01M_script01_1b_F012.wav")
    write_audio(folder / "Ses01M_script01_1b" / "mixed.wav")
    source["iemocap"]["emotions"] = "all"
    utterances, findings = listed(source)
    assert ("Ses01M_script01_1b_F012", "Ses01F") in [said[:2] for said in utterances]
    assert len(findings) == 1 and "mixed.wav: its name does not say who speaks" in findings[0]


def test_what_is_missing_is_said(tmp_path):
    source = iemocap(tmp_path)
    (tmp_path / "Session2/sentences/wav/Ses02F_impro01/Ses02F_impro01_M004.wav").unlink()
    (oddity,) = listed(source)[1]
    assert oddity.startswith(f"oddity {tmp_path}/Session2: 1 utterance has an emotion and no audio")
    source["iemocap"]["sessions"] = [1, 3]
    findings = Findings()
    with pytest.raises(BadInput, match="has no Session3/dialog/EmoEvaluation"):
        list_utterances(source, findings)
    assert "has no Session3/sentences/wav" in str(findings[0])
    source["iemocap"]["root"] = str(tmp_path / "no")
    with pytest.raises(BadInput, match="no: not found"):
        listed(source)


def test_transcripts_have_words_and_no_sounds(tmp_path):
    source = iemocap(tmp_path)
    texts = read_transcripts(source)
    assert texts["Ses02F_impro01_M001"] == "Well, no."
    assert len(texts) == 2 * 2 * 6 + 2  # also of what is not among the sentences
    source["iemocap"]["sessions"] = [3]
    with pytest.raises(BadInput, match="has no Session3/dialog/transcriptions"):
        read_transcripts(source)


def test_without_trials_all_utterances_are_one_part_and_their_audio_is_read(tmp_path):
    source = iemocap(tmp_path)
    assert len(list_part(source, NOBODY_TRIED, "trial")) == 20
    examined = checks.examine(source, NOBODY_TRIED, 16000)
    assert (examined.findings, examined.lists) == ([], {})
    assert examined.parts["enrolment"].utterances == 0
    assert examined.parts["trial"].utterances == 20
    broken = tmp_path / "Session1/sentences/wav/Ses01F_impro01/Ses01F_impro01_F000.wav"
    write_lines(broken, ["no audio"])
    errors = checks.examine(source, NOBODY_TRIED, 16000).findings.errors()
    assert [str(broken) in str(error) for error in errors] == [True]
    limited = source | {"limit": {"speakers": 2, "utterances": 3}}
    genders = [one.gender for one in list_part(limited, NOBODY_TRIED, "trial")]
    assert sorted(genders) == ["f"] * 3 + ["m"] * 3


def test_attackers_may_have_heard_who_is_not_attacked(tmp_path):
    options = iemocap(tmp_path) | {"sample_rate": 16000, "on_bad_audio": "stop"}
    corpora = {"emotions": options | {"use": "utility"}, "train": options | {"use": "train"}}
    assert checks.examine_entry("emotions", corpora).findings == []
