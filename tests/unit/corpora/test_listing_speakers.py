"""Speakers of a corpus: their utterances in order, and who lacks a gender that lists need."""

import random

import pytest

from voiceprivacy.corpora.listing import Findings, Listed, by_speaker, require_gender

NAMES = ["s1-a", "s1-b", "s10-a", "s2-a", "s2-b"]


def said(name, gender="f"):
    return Listed(name, name.split("-")[0], gender, "", None, "list.tsv", 7)


def test_speakers_and_their_utterances_come_in_the_order_of_their_ids():
    shuffled = [said(name) for name in NAMES]
    random.Random(0).shuffle(shuffled)
    groups = by_speaker(shuffled)
    assert list(groups) == ["s1", "s10", "s2"]
    in_order = []
    for own in groups.values():
        in_order += [utterance.utterance for utterance in own]
    assert in_order == NAMES


@pytest.mark.parametrize(
    ("gender", "lists", "is_wrong"),
    [
        ("-", ["f", "m"], True),
        ("-", ["mixed", "m_common"], True),
        ("-", ["mixed"], False),
        ("-", ["mixed", "mixed_common"], False),
        ("f", ["f", "m"], False),
    ],
)
def test_a_list_of_one_gender_needs_genders(gender, lists, is_wrong):
    findings = Findings()
    require_gender(said("s1-a", gender), lists, findings)
    message = "speaker 's1' has no gender, but the lists are per gender"
    assert [(finding.line, finding.what) for finding in findings] == [(7, message)] * is_wrong
