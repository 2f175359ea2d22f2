"""Known leaks: recordings that are left unprotected on purpose, and whether the verdict notices."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.heldout_lists import evidence_at_once, judge_at_once, score_table

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import SCORES
from voiceprivacy.privacy.verdict.run_scores import RunScores
from voiceprivacy.privacy.verdict.score_table import Scored, ScoreTable
from voiceprivacy.privacy.verdict.trials import trials_of
from voiceprivacy.privacy.verdict.verdict import Known, verdict_of

OF_A_RUN = Known(learnt={})
UNPROTECTED = 4.4  # the distance of targets in unprotected speech: 86 % evidence


class Table(ScoreTable):
    """A table that knows what unprotected recordings score, unless they are from elsewhere."""

    known = True

    def speakers(self, name):
        return {"all": self.speaker_of, "second": self.speaker_of}[name]

    def unprotected(self, name, system, attack):
        return self.scores[name]["original"]["a", "oo"] if self.known else None


def table(n_persons, n_recordings=8, *, seed=0, unprotected=UNPROTECTED, **distances):
    """Scores of unprotected speech and of systems whose targets have a distance."""
    attacks = {f"{name} a op": distance for name, distance in distances.items()}
    of_all = {"original a oo": unprotected} | attacks
    return score_table(of_all, n_persons, n_recordings, seed=seed, table=Table)


at_once = pytest.fixture(judge_at_once)


def found(leaks):
    return [one["leak"] for one in leaks["tried"] if one["found"]]


# Which recordings, and what they score.


def test_a_leaked_recording_scores_what_it_would_unprotected_and_no_other_changes():
    recordings = [f"t{number}" for number in range(40)]
    trials = [(enrolment, recording) for enrolment in "xy" for recording in recordings]
    scored = Scored(trials, np.zeros((80, 2)), [("a", "op"), ("a", "pp")])
    unprotected = [dict.fromkeys(trials, 7.0), {trial: float(trial[1][1:]) for trial in trials}]
    changed = {}
    for percent, n_expected in ((5, 2), (20, 8), (100, 40)):
        mixed, n_leaked = scored.leaked(percent, unprotected)
        assert n_leaked == n_expected
        changed[percent] = set()
        for trial, row in zip(trials, mixed.scores.tolist(), strict=True):
            if row != [0, 0]:
                assert row == [7, float(trial[1][1:])]
                changed[percent].add(trial)
        # Each leaks against every enrolment.
        assert Counter(enrolment for enrolment, _ in changed[percent]) == dict.fromkeys(
            "xy", n_expected
        )
    assert changed[5] < changed[20] < changed[100]
    assert not scored.scores.any()


def test_the_draw_does_not_depend_on_the_order_of_trials():
    trials = [("x", f"t{number}") for number in range(50)]
    leaked = set()
    for listed in (trials, trials[::-1]):
        scored = Scored(listed, np.zeros((50, 1)), [("a", "op")])
        mixed, _ = scored.leaked(20, [dict.fromkeys(trials, 1.0)])
        leaked.add(frozenset(np.array(listed)[mixed.scores[:, 0] == 1, 1].tolist()))
    assert len(leaked) == 1


def test_in_a_run_they_are_original_against_original_and_against_protected_enrolment(tmp_path):
    """Under op that is oo of unprotected speech, under pp the file po of the system."""
    values = {"original/e/cosine/oo": 1, "b2/e/cosine/op": 2, "b2/e/cosine/pp": 3}
    values |= {"b2/e/cosine/po": 4, "b2/asv/given/op": 5}
    for path, value in values.items():
        rows = [("a", "b", "target", value), ("a", "c", "nontarget", 0)]
        write_table(tmp_path / "demo" / "f" / f"{path}.tsv", SCORES, rows)
    attackers = {"e/cosine": {"original": ["oo"], "b2": ["op", "pp"]}, "asv/given": {"b2": ["op"]}}
    scores = RunScores(
        tmp_path, "demo", {"f": {"speakers": [], "enrolments": [], "attackers": attackers}}
    )
    scored = scores.scored("demo/f", "b2")
    assert scored.attacks == [("asv/given", "op"), ("e/cosine", "op"), ("e/cosine", "pp")]
    unprotected = [scores.unprotected("demo/f", "b2", attack) for attack in scored.attacks]
    assert unprotected[0] is None
    assert [values["a", "b"] for values in unprotected[1:]] == [1, 4]


def test_files_of_speakers_agree_on_who_is_with_whom_and_not_on_names(tmp_path):
    paths = [str(tmp_path / "run.tsv"), str(tmp_path / "theirs.tsv")]
    Path(paths[0]).write_text("id\tspeaker\nu1\ts1\nu2\ts2\nu3\ts2\n")
    scores = RunScores(tmp_path, "demo", {"f": {"speakers": paths, "attackers": {}}})
    Path(paths[1]).write_text("id\tspeaker\nu1\ta\nu2\tb\nu4\tb\n")
    speaker_of = scores.speakers("demo/f")
    assert speaker_of == {"u1": "s1", "u2": "s2", "u3": "s2", "u4": "s2"}
    with pytest.raises(BadInput, match=r"theirs\.tsv: no speaker of 'u5', which has scores"):
        speaker_of["u5"]
    for theirs, said in {
        "u1\ta\nu2\ta\n": "'u2' is of 'a', who is 's1' and 's2' elsewhere",
        "u2\ta\nu3\tb\n": "'a' and another one are 's2' elsewhere",
    }.items():
        Path(paths[1]).write_text(f"id\tspeaker\n{theirs}")
        with pytest.raises(BadInput, match=rf"theirs\.tsv: {said}"):
            scores.speakers("demo/f")


# What the verdict says of them.


def test_with_40_persons_one_in_five_is_found_and_one_in_twenty_is_not():
    facts = verdict_of(table(40, b2=0.0), known=OF_A_RUN)
    leaks = facts["leaks"]
    assert leaks["system"] == "b2" and leaks["reason"] is None
    assert [one["recordings"] for one in leaks["tried"]] == [16, 64]
    assert found(leaks) == ["leak_20"]
    few, many = (one["evidence_percent"] for one in leaks["tried"])
    assert facts["systems"]["b2"]["evidence_percent"][0] < few[0] < 5 < many[0]


def test_a_leak_has_the_evidence_of_a_system_whose_recordings_leak(at_once):
    """A system may have the name of a leak."""
    made = table(8, 4, leak_60=0.0)
    made.scores["second"] = table(8, 4, seed=1, leak_60=0.0).scores["all"]
    known = OF_A_RUN._replace(leaks={"leak_5": 5, "leak_60": 60})
    facts = verdict_of(made, known=known)
    assert facts["leaks"]["system"] == "leak_60" and facts["leaks"]["reason"] is None
    assert [one["recordings"] for one in facts["leaks"]["tried"]] == [2 * 2, 2 * 19]
    assert found(facts["leaks"]) == ["leak_60"]
    worst = facts["systems"]["leak_60"]["worst_list"]
    for one, percent in zip(facts["leaks"]["tried"], (5, 60), strict=True):
        scored = made.scored(worst, "leak_60")
        mixed, _ = scored.leaked(percent, [made.scores[worst]["original"]["a", "oo"]])
        evidence = evidence_at_once(trials_of(mixed.trials, mixed.scores, made.speaker_of))
        limits = [evidence.percent, evidence.low(), evidence.high()]
        assert one["evidence_percent"] == limits


def test_what_attackers_cannot_tell_in_unprotected_speech_is_no_leak_for_them(at_once):
    known = OF_A_RUN._replace(leaks={"leak_60": 60})
    leaks = verdict_of(table(8, 4, unprotected=0.0, b2=0.0), known=known)["leaks"]
    assert len(leaks["tried"]) == 1 and not found(leaks)


def test_the_safest_system_that_is_not_open_gets_the_leaks(at_once):
    systems = {"noise": 0.0, "a": 0.8, "b2": 0.0, "none": 9.0}
    known = OF_A_RUN._replace(controls=["noise"], leaks={"leak_20": 20})
    facts = verdict_of(table(8, 4, **systems), known=known)
    assert facts["systems"]["none"]["state"] == "open"
    assert facts["leaks"]["system"] == "b2"
    assert [one["leak"] for one in facts["leaks"]["tried"]] == ["leak_20"]


def test_recordings_of_an_open_system_give_speakers_away_without_a_leak(at_once):
    leaks = verdict_of(table(8, 4, b2=9.0), known=OF_A_RUN)["leaks"]
    assert leaks == {"system": None, "reason": "no_system", "tried": []}


def test_a_leak_needs_one_whole_recording(at_once):
    """Of 8 recordings, 5 % are none and 20 % are two; of two, both are none."""
    made = table(8, 1, b2=0.0)
    leaks = verdict_of(made, known=OF_A_RUN)["leaks"]
    assert [(one["leak"], one["recordings"]) for one in leaks["tried"]] == [("leak_20", 2)]
    leaks = verdict_of(made, known=OF_A_RUN._replace(leaks={"leak_5": 5}))["leaks"]
    assert leaks == {"system": "b2", "reason": "few_recordings", "tried": []}


def test_scores_from_elsewhere_have_no_leak_and_none_is_tried_where_none_is_wanted(at_once):
    made = table(6, 2, b2=0.0)
    assert verdict_of(made, known=OF_A_RUN._replace(leaks={}))["leaks"] is None
    made.known = False
    leaks = verdict_of(made, known=OF_A_RUN)["leaks"]
    assert leaks == {"system": "b2", "reason": "scores_elsewhere", "tried": []}
    plain = ScoreTable(made.speaker_of)
    plain.scores = made.scores
    assert verdict_of(plain)["leaks"] == leaks


@pytest.mark.nightly
def test_one_in_twenty_leaves_evidence_that_100_persons_show_and_20_do_not():
    """1.7 % [0.9, 2.7] of one recording: less than the 2 points that count as a difference."""
    of_100 = []
    for seed in range(5):
        leaks = verdict_of(table(100, seed=seed, b2=0.0), known=OF_A_RUN)["leaks"]
        of_100.append(leaks["tried"][0]["evidence_percent"])
        assert "leak_20" in found(leaks)
        of_20 = verdict_of(table(20, seed=seed, b2=0.0), known=OF_A_RUN)["leaks"]
        assert "leak_5" not in found(of_20)
    np.testing.assert_allclose(np.mean(of_100, axis=0), [1.7, 0.9, 2.7], atol=0.6)
    assert min(low for _, low, _ in of_100) > 0
