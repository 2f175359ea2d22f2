"""The verdict on small score tables whose truth is known, and the command that people call."""

import json

import numpy as np
import pytest
from support.calls import here
from support.heldout_lists import judge_at_once, score_table

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.score_tables import COLUMNS, add_scores
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.verdict import evidence as heldout
from voiceprivacy.privacy.verdict import verdict as judging
from voiceprivacy.privacy.verdict.evidence import (
    all_recordings,
    leaves_less,
    linkage,
    one_recording,
)
from voiceprivacy.privacy.verdict.linked import (
    Linked,
    Nearest,
    linked_facts,
    linked_in,
    nearest_facts,
)
from voiceprivacy.privacy.verdict.persons import Guesses, first_guesses
from voiceprivacy.privacy.verdict.trials import trials_of
from voiceprivacy.privacy.verdict.verdict import Known, Thresholds, verdict_of

LENIENT = Thresholds(low_percent=5, low_all_recordings_percent=20)
LEARNT = Known(learnt={"x": 100, "y": 100}, leaks={})
DISTANCES = {"original a oo": 4, "original a rr": 4, "x a op": 0, "x a rr": 0}
DISTANCES |= {"y a op": 2.5, "y a rr": 0}


at_once = pytest.fixture(judge_at_once, autouse=True)


def judged(table, thresholds=LENIENT, known=LEARNT):
    return verdict_of(table, thresholds=thresholds, known=known)["systems"]["x"]


def linked(n_persons=8, n_recordings=3, *, seed=0, distance=0.0):
    """Scores of all recordings against each other, each pair once."""
    draw = np.random.default_rng(seed)
    scores = {}
    for one, other in zip(*np.triu_indices(n_persons * n_recordings, 1), strict=True):
        own = distance * (one // n_recordings == other // n_recordings)
        scores[f"t{one}", f"t{other}"] = float(draw.normal() + own)
    return scores


# The command.


def commanded(folder, table, *options, columns=COLUMNS):
    """The ended command on a table with these columns; its file is verdict.json."""
    rows = []
    for name, systems in table.scores.items():
        for system, attacks in systems.items():
            for attack, scores in attacks.items():
                for (one, other), score in scores.items():
                    is_target = table.speaker_of[one] == table.speaker_of[other]
                    label = "target" if is_target else "nontarget"
                    values = (system, *attack, name, one, other, label, score)
                    row = dict(zip(COLUMNS, values, strict=True))
                    rows.append([row[column] for column in columns])
    write_table(folder / "scores.tsv", columns, rows)
    write_table(folder / "speakers.tsv", ["id", "speaker"], table.speaker_of.items())
    words = ["--scores", "scores.tsv", "--speakers", "speakers.tsv", "--output", "verdict.json"]
    return here("verdict", *words, *options, cwd=folder)


def test_the_command_judges_a_file_with_columns_in_any_order(tmp_path):
    table = score_table({"original a oo": 9, "leaks a op": 9, "hides a op": 0}, 6, 2)
    done = commanded(tmp_path, table, columns=COLUMNS[::-1])
    facts = json.loads((tmp_path / "verdict.json").read_text())
    assert facts == {"format": 1, "sets": {"scores": verdict_of(table)}}
    assert "NOT PROTECTED" in done.stdout and "INCONCLUSIVE" in done.stdout
    assert len(done.stdout.splitlines()) <= 14 + 3
    whole = commanded(tmp_path, table, "--whole").stdout
    assert "--whole" in done.stdout and "--whole" not in whole and "[...]" not in whole


def test_options_stand_for_columns_and_unprotected_speech_may_be_missing(tmp_path):
    table = score_table({"x a pp": 2}, 6, 2)
    options = ["--system", "x", "--attacker", "a", "--condition", "pp", "--list", "all"]
    commanded(tmp_path, table, *options, columns=("score", "enrolment", "trial", "label"))
    facts = json.loads((tmp_path / "verdict.json").read_text())["sets"]["scores"]
    assert facts == verdict_of(table) and facts["unprotected"] is None


def test_scores_of_unprotected_speech_alone_are_refused(tmp_path):
    refused = commanded(tmp_path, score_table({"original a oo": 4}, 6, 2))
    assert refused.returncode == 2
    assert "scores.tsv: no scores of a protected system" in refused.stderr


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("x a op all e_p00 p00_0 target high", "s.tsv:2: 'high' is not a number"),
        ("x a oo all e_p00 p00_0 target 1", "s.tsv:2: system 'x' has no condition 'oo'"),
        ("x a op all e_p00 p00_0 same 1", "s.tsv:2: label 'same' is neither target nor"),
        ("x a op all e_p00 p99_0 target 1", "s.tsv:2: 'p99_0' has no speaker"),
        ("x a op all e_p00 p01_0 target 1", "s.tsv:2: is labelled 'target', but"),
        ("\n".join(["x a op all e_p00 p00_0 target 1"] * 2), "s.tsv:3: trial 'e_p00 p00_0' occurs"),
        ("x a op all e_p00 p00_0 target", "s.tsv:2: expected 8 columns, found 7"),
    ],
)
def test_a_wrong_row_is_named_by_file_and_line(tmp_path, row, message):
    path = tmp_path / "s.tsv"
    path.write_text("\t".join(COLUMNS) + "\n" + row.replace(" ", "\t") + "\n")
    speaker_of = {"e_p00": "p00", "p00_0": "p00", "p01_0": "p01"}
    with pytest.raises(BadInput, match=message):
        add_scores(path, {}, speaker_of, {})


def test_a_recording_against_itself_is_a_warning(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text("\t".join(COLUMNS) + "\nx\ta\trr\tall\tu\tu\ttarget\t1\n")
    assert add_scores(path, {}, {"u": "p"}, {}).startswith("1 trial compares a recording with it")


def test_a_missing_column_asks_for_its_option(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text("attacker\tenrolment\ttrial\tlabel\tscore\n")
    with pytest.raises(BadInput, match=r"s.tsv:1: has no column system; give --system$"):
        add_scores(path, {"condition": "op", "list": "all"}, {}, {})
    path.write_text("enrolment,trial,label\n")
    with pytest.raises(BadInput, match=r"has no column score"):
        add_scores(path, dict.fromkeys(("system", "attacker", "condition", "list"), "x"), {}, {})


# All facts.


def test_evidence_is_that_of_attackers_who_learn(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(heldout, "MOST_GROUPS", 4)  # the fewest: it is quick
    table, evidence = score_table({"x a op": 2, "x a rr": 1}, 6, 2), {}
    verdict_of(table, evidence=evidence)
    single, pairs = (table.scored("all", "x", linkage=is_linkage) for is_linkage in (False, True))
    trials = trials_of(single.trials, single.scores, table.speaker_of)
    both_ways = [*pairs.trials, *(pair[::-1] for pair in pairs.trials)]
    linked = trials_of(both_ways, np.tile(pairs.scores, (2, 1)), table.speaker_of)
    for function, given in ((one_recording, trials), (all_recordings, trials), (linkage, linked)):
        expected, own = function(given), evidence["x"][function.__name__, "all"]
        assert (own.percent, own.high()) == (expected.percent, expected.high())


def test_all_facts_of_a_set_are_what_their_definitions_say():
    evidence, recognised, table = {}, {}, score_table(DISTANCES)
    own = {"evidence": evidence, "recognised": recognised}
    facts = verdict_of(table, thresholds=LENIENT, known=LEARNT, **own)
    x, y = facts["systems"].values()
    assert facts == {
        "systems": {"x": x, "y": y},
        "unprotected": facts["unprotected"],
        "unprotected_at_least_percent": evidence["original"]["one_recording", "all"].low(),
        "controls": [],
        "better": [["x", "y"]],
        "leaks": None,
        "releases": {},
        "attacks": [{"attacker": "a", "condition": each} for each in ("oo", "op", "rr")],
        "not_tried": ["condition_pp"],
        "warnings": [],
    }
    ids = [*table.scores["all"]["x"]["a", "op"]]
    trials = trials_of(ids, np.zeros((192, 1)), table.speaker_of)
    by_voice = ["one_recording", "all_recordings"]
    # Three measures; y is tested first, and x after that by itself.
    for system, level, state, by in (
        ("original", 0.025, "open", [*by_voice, "linkage"]),
        ("x", 0.025, "low", []),
        ("y", 0.0125, "open", by_voice),
    ):
        one, every, pairs = (evidence[system][measure, "all"] for measure in judging.MEASURES)
        limits = [one.percent, one.low(), one.high()]
        confidence = 1 - 2 * level / 3
        tested = {
            f"tested_{name}percent": [own.percent, own.low(confidence), own.high(confidence)]
            for name, own in (("", one), ("all_recordings_", every), ("linkage_", pairs))
        }
        less, error = leaves_less(one, evidence["original"]["one_recording", "all"])
        margin = 2.364624 * error  # t of 7 degrees of freedom
        less = pytest.approx([less, less - margin, less + margin])
        linked_pairs = linked_in(*table.scored("all", system, linkage=True)[:2], table.speaker_of)
        shown = facts["systems"].get(system, facts["unprotected"])
        assert shown == {
            "state": state,
            "by": by,
            "worst_list": "all",
            "evidence_percent": limits,
            **{key: pytest.approx(own) for key, own in tested.items()},
            "evidence_all_recordings_percent": [every.percent, every.low(), every.high()],
            "linkage_percent": [pairs.percent, pairs.low(), pairs.high()],
            "right_of_20_percent": recognised[system]["all"].percent(),
            "no_one_above": None,
            "doubts": [],
            "may_be_sex": False,
            "less_than_unprotected_points": None if system == "original" else less,
            "recordings": 3,
            "exposed": {
                "persons": len(first_guesses(trials, one).right),
                "of": 8,
                "not_tested": 0,
                "beyond_chance": system != "x",
                "named": [],
            },
            "linked": linked_facts({"all": linked_pairs}),
            "nearest": nearest_facts({"all": linked_pairs}),
            "control": None,
            "missing": {"persons": 0, "trials": 0},
            "reasons": [],
            "next": [],
        }


@pytest.mark.parametrize(
    ("reason", "thresholds", "known"),
    [
        ("few_learnt_persons", {}, {"learnt": {"x": 99}}),
        ("few_learnt_persons", {}, {"learnt": {}}),
        ("leak_not_learnt", {}, {"planted": {"x": {"leak": "leak_not_learnt"}}}),
        ("scores_elsewhere", {}, {"learnt": None}),
        ("narrow_band", {}, {"unheard": ["x", "y"]}),
        ("weak_attackers", {"unprotected_percent": 95}, {}),
        ("upper_limit_one_recording", {"low_percent": 2}, {}),
    ],
)
def test_one_unmet_condition_is_a_reason_and_a_next_step(reason, thresholds, known):
    x = judged(score_table(DISTANCES), LENIENT._replace(**thresholds), LEARNT._replace(**known))
    assert (x["state"], x["reasons"]) == ("unclear", [reason])
    steps = [{"code": reason}]
    if "low_percent" in thresholds:  # nothing is found: limits fall like 1 / persons
        persons = np.ceil(8 * x["evidence_percent"][2] / 2)
        steps = [{"code": "more_persons", "persons": persons}]
    assert x["next"] == steps


def test_each_number_is_of_the_list_on_which_it_is_worst():
    """On the second list recordings are of less use, and each person has eight."""
    table = score_table({"x a op": 4.0}, 8, 8)
    table.scores["second"] = score_table({"x a op": 2.5}, 8, 8, seed=1).scores["all"]
    scores = table.scores["all"]["x"]["a", "op"]
    for pair in [*scores]:
        if int(pair[1][1:]) % 8:
            del scores[pair]
    evidence = {}
    x = verdict_of(table, evidence=evidence)["systems"]["x"]
    assert (x["state"], x["worst_list"], x["recordings"]) == ("open", "all", 8)
    one, every = (
        evidence["x"][key] for key in (("one_recording", "all"), ("all_recordings", "second"))
    )
    assert x["evidence_percent"][0] == one.percent
    assert x["evidence_all_recordings_percent"][0] == every.percent


# Who is re-identified.


@pytest.fixture
def guessed(monkeypatch):
    """The facts of x on lists with made-up guesses."""

    def guessed(*guesses, known=LEARNT):
        of_lists = iter(guesses)
        monkeypatch.setattr(judging, "first_guesses", lambda *given: next(of_lists))
        table = score_table({"x a op": 0}, 8, 2)
        table.scores |= {str(number): table.scores["all"] for number in range(1, len(guesses))}
        return judged(table, known=known)

    return guessed


def of(n_persons, **p_values):
    """P-values of so many persons, 1 where none is given."""
    return dict.fromkeys([f"p{number}" for number in range(n_persons)], 1.0) | p_values


@pytest.mark.parametrize(
    ("n_persons", "shows_names", "named"),
    [(41, True, ["p0", "p7"]), (41, False, []), (40, True, [])],
)
def test_from_41_persons_on_the_exposed_are_named_where_names_may_be_shown(
    guessed, n_persons, shows_names, named
):
    """The numbers are of the list where chance explains them least."""
    few = Guesses(frozenset("abcdef"), 0.001, of(20, p3=1e-4), 1)
    many = Guesses(frozenset(["p0", "p1"]), 0.2, of(n_persons, p7=1e-7, p0=1e-4, p1=7e-4), 3)
    x = guessed(many, few, few, known=LEARNT._replace(shows_names=shows_names))
    numbers = {"persons": 3, "of": n_persons, "not_tested": 3, "beyond_chance": True}
    assert x["exposed"] == numbers | {"named": named}


@pytest.mark.parametrize(
    ("p_value", "exposed", "beyond_chance"),
    [
        (0.025, {}, True),
        (0.026, {}, False),
        (1.0, {"p7": 0.006}, True),
        (1.0, {"p7": 0.007}, False),
    ],
)
def test_where_persons_are_exposed_more_persons_are_no_help(
    guessed, p_value, exposed, beyond_chance
):
    x = guessed(Guesses(frozenset(["p0"]), p_value, of(8, **exposed), 0))
    assert x["exposed"]["beyond_chance"] == beyond_chance
    assert "upper_limit_one_recording" in x["reasons"]
    assert ("persons_exposed" in x["reasons"]) == beyond_chance
    steps = {step["code"] for step in x["next"]} & {"persons_exposed", "more_persons"}
    assert steps == {"persons_exposed" if beyond_chance else "more_persons"}


@pytest.mark.parametrize(("percent", "may_be_sex"), [(10, False), (100, True)])
def test_sex_may_be_all_only_where_no_more_is_recognised_than_sex_explains(
    monkeypatch, percent, may_be_sex
):
    monkeypatch.setattr(judging, "RIGHT_BY_SEX_PERCENT", percent)
    facts = verdict_of(score_table(DISTANCES), known=LEARNT._replace(mixed=["all"]))
    assert facts["systems"]["y"]["may_be_sex"] == may_be_sex
    assert not facts["systems"]["x"]["may_be_sex"]  # is not open


@pytest.mark.parametrize(
    ("p_value", "p_nearest", "reasons"),
    [
        (0.0016, 0.013, []),
        (0.0015, 0.013, ["persons_linked"]),
        (0.0016, 0.012, ["recordings_linked"]),
    ],
)
def test_who_is_linked_is_not_low_corrected_over_persons_and_lists(
    monkeypatch, p_value, p_nearest, reasons
):
    """Two lists of 8 persons."""
    nearest = Nearest(48.0, 9.0, p_nearest, 24)
    monkeypatch.setattr(judging, "linked_in", lambda *given: Linked(of(8, p7=p_value), nearest))
    table = score_table(DISTANCES)
    table.scores["again"] = table.scores["all"]
    x = judged(table, known=LEARNT._replace(shows_names=True))
    assert (x["reasons"], [step["code"] for step in x["next"]]) == (reasons, reasons)
    is_linked = p_value == 0.0015
    assert x["linked"] == {
        "persons": 2 * is_linked,
        "of": 16,
        "named": ["p7"] * is_linked,
    }
    assert x["nearest"] == {
        "percent": 48.0,
        "chance_percent": 9.0,
        "p_value": 2 * p_nearest,
        "recordings": 24,
        "list": "again",
        "beyond_chance": p_nearest == 0.012,
    }


# What was not tried, or failed.


@pytest.mark.parametrize(
    ("lacking", "reasons", "n_persons"),
    [
        ("x a rr", ["no_linkage"], 0),
        ("original a oo", ["no_unprotected"], 0),
        ("x a op", ["list_missing", "missing", "no_all_recordings", "no_one_recording"], 16),
    ],
)
def test_scores_that_are_lacking_on_two_lists_are_a_reason(lacking, reasons, n_persons):
    table = score_table(DISTANCES)
    system, *attack = lacking.split()
    del table.scores["all"][system][tuple(attack)]
    table.scores["again"] = table.scores["all"]
    x = judged(table)
    assert (x["state"], x["reasons"]) == ("unclear", reasons)
    assert x["missing"] == {"persons": n_persons, "trials": 24 * n_persons}


def test_a_release_whose_recordings_are_linked_is_open_by_linkage_alone():
    """Of two systems nothing but linkage was tried; one cannot be linked."""
    table = score_table({"original a oo": 9, "x a op": 0})
    systems = table.scores["all"]
    systems["x"]["a", "rr"] = linked(distance=9)
    systems["y"] = {("a", "rr"): linked(distance=9, seed=1)}
    systems["z"] = {("a", "rr"): linked()}
    x, y, z = verdict_of(table)["systems"].values()
    assert (x["state"], x["by"]) == (y["state"], y["by"]) == ("open", ["linkage"])
    assert min(x["linkage_percent"][1], y["linkage_percent"][1]) > 30 > x["evidence_percent"][1]
    assert z["linkage_percent"][1] < 0
    assert "list_missing" in z["reasons"] and "no_linkage" not in z["reasons"]


def test_persons_whom_linkage_lacks_are_counted_and_conditions_that_one_system_lacks():
    """Who has two recordings could be linked; one person has one."""
    table = score_table({"original a oo": 9, "x a op": 0, "y a pp": 0}, 8, 2)
    for attacks in table.scores["all"].values():
        for scores in attacks.values():
            for enrolled in range(8):
                del scores[f"e{enrolled}", "t0"]
    scores = linked(8, 2)
    left_out = {"t0", "t14"}
    table.scores["all"]["x"]["a", "rr"] = {
        pair: score for pair, score in scores.items() if not left_out & {*pair}
    }
    facts = verdict_of(table)
    assert facts["systems"]["x"]["missing"] == {"persons": 1, "trials": 0}
    assert facts["not_tried"] == ["condition_op", "condition_pp", "condition_rr"]


@pytest.mark.parametrize("condition", ["pp", "rr"])
def test_an_attack_that_fails_on_a_system_is_named(condition):
    """More than one in a hundred of its scores are equal; in those of linkage too."""
    of_original = {"original a oo": 9, "original b oo": 9, "original b rr": 9}
    table = score_table(of_original | {"x a op": 9, "x b op": 9, "x b pp": 9, "x b rr": 9})
    failing = table.scores["all"]["x"]["b", condition]
    failing |= dict.fromkeys([*failing][:4], 0.5)
    facts = verdict_of(table)
    assert facts["warnings"] == [{"code": "failing_attack", "system": "x", "attack": "b"}]
    assert facts["systems"]["x"]["state"] == "open"


def test_equal_scores_are_a_failure_and_no_evidence():
    table = score_table(DISTANCES)
    scores = table.scores["all"]["y"]["a", "op"]
    scores |= dict.fromkeys(scores, 1.0)
    facts = verdict_of(table, known=LEARNT)
    y = facts["systems"]["y"]
    assert (y["state"], y["evidence_percent"], facts["better"]) == ("unclear", None, [])
    assert {"equal_scores", "failing_attack"} <= {*y["reasons"]}


def test_rounded_scores_of_linkage_are_no_failure_where_unprotected_speech_was_not_linked():
    table = score_table({"original a oo": 9, "x a op": 0})
    rounded = {pair: round(score, 1) for pair, score in linked().items()}
    table.scores["all"]["x"]["a", "rr"] = rounded
    assert verdict_of(table)["warnings"] == []


def thin(table, system, condition, is_kept):
    """Leave out scores of an attack, by the enrolled and the tried person."""
    attacks, speaker_of = table.scores["all"][system], table.speaker_of
    attacks["a", condition] = {
        (one, other): score
        for (one, other), score in attacks["a", condition].items()
        if is_kept(speaker_of[one], speaker_of[other])
    }


def are_few(one, other):
    return {one, other} <= {"p0", "p1", "p2"}


@pytest.mark.parametrize(
    ("condition", "is_kept", "reasons"),
    [
        ("oo", are_few, ["few_persons"]),
        ("oo", str.__eq__, ["no_nontargets"]),
        ("rr", are_few, []),
    ],
)
def test_attackers_are_not_called_weak_where_unprotected_speech_was_not_measured(
    condition, is_kept, reasons
):
    """They may find everything. That it cannot be linked says nothing of the system."""
    table = score_table(DISTANCES)
    thin(table, "original", condition, is_kept)
    assert judged(table)["reasons"] == reasons


def test_linkage_of_too_few_persons_asks_for_persons_not_for_scores():
    table = score_table(DISTANCES)
    thin(table, "x", "rr", are_few)
    x = judged(table)
    assert {"no_linkage", "few_persons"} <= {*x["reasons"]}
    assert {"code": "few_persons"} in x["next"] and {"code": "no_linkage"} not in x["next"]


@pytest.mark.parametrize(
    ("on_second", "reason"),
    [
        ({"a": "equal"}, "weak_attackers"),
        ({}, "no_unprotected"),
        ({"b": "own"}, "no_unprotected"),
        ({"a": "noise", "b": "own"}, "weak_attackers"),
        ({"a": "equal", "b": "own"}, "weak_attackers"),
    ],
)
def test_a_list_where_its_attackers_find_nothing_in_the_original_is_not_low(on_second, reason):
    """On a list where nothing was tried, nothing is found; what others find there says nothing."""
    table = score_table({"original a oo": 9, "x a op": 0})
    first = table.scores["all"]
    own, noise = first["original"]["a", "oo"], first["x"]["a", "op"]
    known = {"own": own, "noise": noise, "equal": dict.fromkeys(noise, 0.0)}
    table.scores["second"] = {"x": first["x"]}
    if on_second:
        original = {(attacker, "oo"): known[finds] for attacker, finds in on_second.items()}
        table.scores["second"]["original"] = original
    unprotected = {"weak_attackers", "no_unprotected"}
    assert unprotected & {*judged(table)["reasons"]} == {reason}


@pytest.mark.parametrize(("partial", "condition"), [("original", "oo"), ("x", "op")])
def test_who_has_a_score_is_no_evidence(partial, condition):
    """One of two attackers scored all targets and a tenth of the others: these trials count."""
    table = score_table({"original a oo": 9, "original b oo": 9, "x a op": 0, "x b op": 0})
    attacks = table.scores["all"][partial]
    shown = []
    for attacker in "ba":
        some = {
            pair: score
            for number, (pair, score) in enumerate(attacks[attacker, condition].items())
            if number % 10 == 0 or table.speaker_of[pair[0]] == table.speaker_of[pair[1]]
        }
        attacks[attacker, condition] = some
        facts = verdict_of(table)
        shown.append({"original": facts["unprotected"], **facts["systems"]}[partial])
    assert shown[0]["missing"] == {"persons": 0, "trials": 192 - len(some)}
    assert shown[0]["evidence_percent"] == shown[1]["evidence_percent"]


def test_trials_are_missing_that_unprotected_speech_has_or_else_any_system():
    table = score_table({"x a op": 0, "y a op": 0}, 8, 2)
    systems = table.scores["all"]
    for number, system in enumerate("xy"):
        scores = systems[system]["a", "op"]
        del scores[[*scores][number]]
    for n_missing in ((1, 1), (0, 1)):
        facts = verdict_of(table)["systems"].values()
        assert tuple(one["missing"]["trials"] for one in facts) == n_missing
        systems["original"] = {("a", "oo"): systems["x"]["a", "op"]}
