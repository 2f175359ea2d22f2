"""Sampling of galleries: Eq. 6 by hand, no overlap and the largest separation, what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.protocols.rank_sampling import positions, sample, seconds, split
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import Utterance

OPTIONS = {"observations": 4, "test": 1, "template": 1, "delta": "separated", "lists": ["f", "m"]}


def utterances(**durations):
    """{speaker: seconds of each utterance}, or their number."""
    made = []
    for speaker, own in durations.items():
        for index, lasts in enumerate(own if isinstance(own, list) else [1.0] * own):
            made.append(Utterance(f"{speaker}-{index}", speaker, speaker[0], Path("x.wav"), lasts))
    return made


def test_five_observations_by_hand():
    """K = 5, T = 1, D = 2: Delta = 1, so shift 0 tests 0 and enrols 2, 3."""
    templates = [[2, 3], [3, 4], [4, 0], [0, 1], [1, 2]]
    expected = [([number], template) for number, template in enumerate(templates)]
    assert positions(5, test=1, template=2) == expected


@given(observations=st.integers(2, 40), data=st.data())
def test_test_and_template_never_overlap_and_lie_as_far_apart_as_possible(observations, data):
    test = data.draw(st.integers(1, observations - 1))
    template = data.draw(st.integers(1, observations - test))
    shifts = positions(observations, test=test, template=template)
    assert len(shifts) == observations
    for shift, (tested, enrolled) in enumerate(shifts):
        assert tested == [(shift + number) % observations for number in range(test)]
        assert not set(tested) & set(enrolled)
        after = (enrolled[0] - tested[-1]) % observations
        before = (tested[0] - enrolled[-1]) % observations
        assert abs(after - before) <= 1


def test_the_printed_gap_is_refused_where_it_overlaps():
    """K = 3, T = D = 1: Delta of the shifts is 1, 0, 0. K = 8, D = 6: Delta 3 overlaps."""
    assert positions(3, test=1, template=1, delta="printed") == [([0], [2]), ([1], [2]), ([2], [0])]
    with pytest.raises(BadInput, match="overlap at shift 0 of 8"):
        positions(8, test=1, template=6, delta="printed")


def test_a_gallery_holds_one_gender_and_speakers_with_enough_observations():
    spoken = utterances(fa=4, fb=6, fc=3, ma=4)
    samples, without = sample(OPTIONS, spoken, gender="f", test=1, template=2)
    assert {sample.speaker for sample in samples} == {"fa", "fb"}
    assert without == ["fc"]
    assert "fb-5" not in {sample.utterance for sample in samples}
    of_fb = [sample[2:] for sample in samples if (sample.shift, sample.speaker) == (1, "fb")]
    assert of_fb == [("test", "fb-1"), ("template", "fb-2"), ("template", "fb-3")]


def test_seconds_are_those_of_the_observations_in_the_gallery_by_either_gap():
    """Those of fa are 2.5 s on average, of fb 5 s: its fifth, and fc, are in no test."""
    spoken = utterances(fa=[1, 2, 3, 4], fb=[2, 4, 6, 8, 1000], fc=[500, 500, 500])
    for test, template in [(1, 1), (1, 2), (2, 1), (1, 3)]:
        samples, _ = sample(OPTIONS, spoken, gender="f", test=test, template=template)
        means = {"mean_test_s": test * 3.75, "mean_template_s": template * 3.75}
        assert seconds(samples, spoken) == means
    # K = 3: templates are observations 2, 2 and 0 of each speaker, tests are 0, 1 and 2.
    spoken, options = utterances(fa=[1, 2, 6], fb=[1, 2, 6]), OPTIONS | {"observations": 3}
    samples, _ = sample(options | {"delta": "printed"}, spoken, gender="f", test=1, template=1)
    means = {"mean_test_s": 3.0, "mean_template_s": pytest.approx(13 / 3)}
    assert seconds(samples, spoken) == means


def test_too_many_observations_and_one_speaker_are_refused():
    with pytest.raises(BadInput, match="3 for the test and 2 for the template exceed 4"):
        split({}, OPTIONS | {"test": [1, 3], "template": [1, 2]}, [], Findings())
    with pytest.raises(BadInput, match=r"only 1 of 2 speakers \(f\) have 4 observations"):
        sample(OPTIONS, utterances(fa=4, fb=1), gender="f", test=1, template=1)


def test_both_parts_hold_the_first_observations_and_short_speakers_are_told():
    listed = [Listed(*one[:3], "", one.path, "list", 1) for one in utterances(fa=5, fb=4, mb=3)]
    findings, options = Findings(), OPTIONS | {"lists": ["f"]}
    enrolment, trial = split({"folder": {}}, options, listed, findings)
    assert enrolment == trial == {one.utterance for one in listed} - {"fa-4"}
    assert [finding.level for finding in findings] == ["oddity"]
    pieces = {"folder": {}, "segments": {"seconds": 3}}
    assert len(split(pieces, options, listed, findings)[0]) == 12
    with pytest.raises(BadInput, match=r"only 0 of 1 speakers \(m\) have 4 .* or lower"):
        split({"folder": {}}, OPTIONS, listed, findings)
