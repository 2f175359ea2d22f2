"""Two states of a system: how often a change is said where there is none, and where there is."""

import numpy as np
import pytest
from scipy.special import stdtrit
from support.heldout_lists import complete, rows_of

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.changes import changes, kept, kept_of_lists
from voiceprivacy.privacy.verdict.evidence import jackknife_error, one_recording
from voiceprivacy.privacy.verdict.recognised import first_guesses_of
from voiceprivacy.privacy.verdict.trials import trials_of

PERSONS, RECORDINGS, SETS = 12, 2, 100


def by_hand(percent, without_each, speakers="s"):
    """What is kept of a system whose in-sample evidence is its held-out evidence."""
    own = [[value] * 2 for value in without_each]
    return {"speakers": speakers, "percent": [percent] * 2, "without_each": own}


def state(seed, *, distance, common=0.0, world=0):
    """What is kept of a simulated system, which has a share of its noise in common with others."""
    *columns, own = complete(PERSONS, RECORDINGS, seed=[world, seed])
    enrolled, tried, recordings = columns
    of_all = complete(PERSONS, RECORDINGS, seed=[9, seed])[3]
    scores = common**0.5 * of_all + (1 - common) ** 0.5 * own
    scores += distance * (enrolled == tried)[:, None]
    ids, scores, speaker_of = rows_of(enrolled, tried, recordings, scores)
    trials = trials_of(ids, scores, speaker_of)
    evidence, right = one_recording(trials), {"mine": {"demo/f": first_guesses_of(trials)}}
    of_system = {"mine": {("one_recording", "demo/f"): evidence, ("linkage", "demo/f"): evidence}}
    return evidence, kept_of_lists(of_system, right, {"demo/f": speaker_of}.__getitem__)


def test_a_difference_has_limits_of_a_paired_jackknife():
    before = {"demo/f": {"mine": by_hand(50.0, [48.0, 50.0, 50.0, 52.0])}}
    now = {"demo/f": {"mine": by_hand(40.0, [37.0, 40.0, 40.0, 43.0])}}
    [change] = changes(before, now)
    margin = (3 * 0.5) ** 0.5 * stdtrit(3, 0.975)  # of -11, -10, -10, -9
    assert change.difference == pytest.approx((-10, -10 - margin, -10 + margin))
    assert change.evidence == (50, 40) and np.isnan(change.right).all()


def test_a_difference_that_in_sample_evidence_does_not_show_is_none():
    """The attacker finds less on others, and learns as much by heart: it is harder to learn."""
    before = {"demo/f": {"mine": by_hand(50.0, [49.0, 51.0, 50.0, 50.0])}}
    now = {"demo/f": {"mine": by_hand(10.0, [9.0, 11.0, 10.0, 10.0])}}
    now["demo/f"]["mine"]["percent"][1] = 50.0
    for one in now["demo/f"]["mine"]["without_each"]:
        one[1] += 40
    [change] = changes(before, now)
    assert change.difference[0] == -40 and change.difference[2] >= 0


def test_of_several_lists_the_one_counts_that_both_states_together_leave_most_on():
    high, low = [by_hand(value, [value] * 4) for value in (60.0, 20.0)]
    before = {"demo/f": {"mine": low}, "demo/m": {"mine": high}, "other/f": {"mine": low}}
    now = {"demo/f": {"mine": low}, "demo/m": {"mine": low}, "other/f": {"mine": low}}
    assert [one.trial_list for one in changes(before, now)] == ["demo/m", "other/f"]
    assert [one.trial_list for one in changes(now, before)] == ["demo/m", "other/f"]


def test_other_speakers_or_recordings_are_not_compared():
    evidence, _ = state(0, distance=1.0)
    one, other = (kept(evidence, {"e1": "p1", recording: "p1"}) for recording in ("t1", "t2"))
    both = {"demo/f": {"mine": one, "b2": one}}, {"demo/f": {"mine": other, "b2": one}}
    assert [change.system for change in changes(*both)] == ["b2"]
    with pytest.raises(BadInput, match="no list has the same speakers and recordings"):
        changes({"demo/f": {"mine": one}}, {"demo/f": {"mine": other}})


def test_the_order_of_persons_in_what_is_kept_does_not_depend_on_scores():
    evidence, of_lists = state(0, distance=2.0)
    by_name = dict(zip(evidence.persons, evidence.estimates(evidence.held_out)[1:, 0], strict=True))
    own = [value for value, _ in of_lists["demo/f"]["mine"]["without_each"]]
    assert own == pytest.approx([by_name[name] for name in sorted(by_name)], abs=1e-6)
    assert list(evidence.persons) != sorted(by_name)


def test_simulated_changes_that_are_and_are_not_there():
    """Half of the noise is common: limits in pairs are a tenth narrower, in the median."""
    said, less, widths = [], [], []
    for seed in range(SETS):
        (one, before), (other, same) = (
            state(seed, distance=2.0, common=0.5, world=world) for world in (1, 2)
        )
        [change] = changes(before, same)  # if persons were not paired: a tenth wider
        said.append(not change.difference[1] <= 0 <= change.difference[2])
        errors = [jackknife_error(own.estimates(own.held_out))[0] for own in (one, other)]
        alone = 2 * np.hypot(*errors) * stdtrit(PERSONS - 1, 0.975)
        widths.append((change.difference[2] - change.difference[1]) / alone)
        if seed < SETS // 5:
            [change] = changes(before, state(seed, distance=0.5, common=0.5, world=3)[1])
            less.append(change.difference[2] < 0)
    assert sum(said) <= 5
    assert np.median(widths) < 0.9
    assert sum(less) >= 0.9 * len(less)
