"""The verdict on score tables whose truth is known, through the command that people call."""

import json

import numpy as np
import pytest
from support.calls import here
from support.heldout_lists import complete, rows_of, trials_from

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.score_tables import COLUMNS, add_scores
from voiceprivacy.privacy.verdict import evidence as heldout
from voiceprivacy.privacy.verdict.evidence import leaves_less, one_recording, right_of
from voiceprivacy.privacy.verdict.persons import first_guesses
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.privacy.verdict.trials import trials_of
from voiceprivacy.privacy.verdict.verdict import Known, Thresholds, verdict_of

PERSONS = [f"p{number:02d}" for number in range(16)]
RECORDINGS = 3


def scores(system, attacker, condition, seed, *, target=0.0, offset=0.0, persons=PERSONS):
    """Lines of one attack: Gaussian scores, targets higher, an offset for each enrolment."""
    draw = np.random.default_rng(seed)
    offsets = dict(zip(PERSONS, offset * draw.standard_normal(len(PERSONS)), strict=True))
    for enrolled in PERSONS:
        for tried in PERSONS:
            for number in range(RECORDINGS):
                value = draw.standard_normal() + target * (enrolled == tried) + offsets[enrolled]
                label = "target" if enrolled == tried else "nontarget"
                names = [f"e_{enrolled}", f"{tried}_{number}", label, repr(float(value))]
                if {enrolled, tried} <= {*persons}:
                    yield "\t".join([system, attacker, condition, "all", *names])


def linked(system, attacker, seed, *, target=0.0, offset=0.0):
    """Lines of released recordings against each other, each pair once; recordings have offsets."""
    draw = np.random.default_rng(seed)
    names = [f"{person}_{number}" for person in PERSONS for number in range(RECORDINGS)]
    offsets = offset * draw.standard_normal(len(names))
    for index, one in enumerate(names):
        for number, other in enumerate(names[index + 1 :], index + 1):
            is_target = one[:3] == other[:3]
            value = draw.standard_normal() + target * is_target + offsets[[index, number]].sum()
            label = "target" if is_target else "nontarget"
            row = [system, attacker, "rr", "all", one, other, label, repr(float(value))]
            yield "\t".join(row)


def judged(folder, *attacks, header=COLUMNS, options=()):
    """verdict.json and the output of the command, of some lines."""
    lines = [line for attack in attacks for line in attack]
    (folder / "scores.tsv").write_text("\n".join(["\t".join(header), *lines, ""]))
    speakers = [f"e_{person}\t{person}" for person in PERSONS]
    for person in PERSONS:
        speakers += [f"{person}_{number}\t{person}" for number in range(RECORDINGS)]
    (folder / "speakers.tsv").write_text("\n".join(["id\tspeaker", *speakers, ""]))
    words = ["--scores", "scores.tsv", "--speakers", "speakers.tsv", "--output", "verdict.json"]
    done = here("verdict", *words, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "verdict.json").read_text()), done.stdout


ORIGINAL = ("original", "a", "oo", 0)


def test_what_leaks_by_offsets_is_open_and_what_does_not_is_inconclusive(tmp_path):
    facts, shown = judged(
        tmp_path,
        scores(*ORIGINAL, target=4),
        scores("leaks", "a", "op", 1, target=4, offset=20),
        scores("hides", "a", "op", 2),
    )
    assert facts["format"] == 1
    systems = facts["sets"]["scores"]["systems"]
    leaks, hides = systems["leaks"], systems["hides"]
    assert (leaks["state"], hides["state"]) == ("open", "unclear")
    assert leaks["by"] == ["one_recording", "all_recordings"]
    assert leaks["recordings"] == RECORDINGS
    value, low, high = leaks["evidence_percent"]
    assert 40 < low < value < high <= 100
    assert leaks["tested_percent"][1] < low
    assert leaks["right_of_20_percent"][1] > 40 > hides["right_of_20_percent"][0]
    assert hides["evidence_percent"][1] < 5 < hides["evidence_percent"][2]
    assert {"upper_limit_one_recording", "scores_elsewhere", "no_linkage"} <= {*hides["reasons"]}
    assert hides["exposed"]["of"] == 16 and not hides["exposed"]["beyond_chance"]
    assert leaks["exposed"]["persons"] > 12 and leaks["exposed"]["named"] == []
    assert hides["less_than_unprotected_points"][1] > 20
    assert facts["sets"]["scores"]["better"] == [["hides", "leaks"]]
    assert facts["sets"]["scores"]["unprotected"]["evidence_percent"][1] > 50
    assert "NOT PROTECTED" in shown and "INCONCLUSIVE" in shown
    assert len(shown.splitlines()) <= 13 + 3


def test_a_release_whose_recordings_are_linked_is_open_by_linkage_alone(tmp_path):
    """Of two systems nothing but linkage was tried; one cannot be linked."""
    facts, shown = judged(
        tmp_path,
        scores(*ORIGINAL, target=4),
        scores("x", "a", "op", 2),
        linked("x", "a", 3, target=4),
        linked("y", "a", 3, target=4, offset=20),
        linked("z", "a", 3),
    )
    x, y, z = facts["sets"]["scores"]["systems"].values()
    assert (x["state"], x["by"]) == (y["state"], y["by"]) == ("open", ["linkage"])
    assert min(x["linkage_percent"][1], y["linkage_percent"][1]) > 50 > x["evidence_percent"][1]
    assert z["linkage_percent"][0] < 5
    assert "list_missing" in z["reasons"] and "no_linkage" not in z["reasons"]
    assert "which alone does not show whose they are." in " ".join(shown.split())


def test_rounded_scores_of_linkage_are_no_failure_where_unprotected_speech_was_not_linked(tmp_path):
    rounded = [line[: line.rindex(".") + 2] for line in linked("x", "a", 3)]
    facts, _ = judged(tmp_path, scores(*ORIGINAL, target=4), scores("x", "a", "op", 2), rounded)
    assert facts["sets"]["scores"]["warnings"] == []


def test_persons_whom_linkage_lacks_are_counted_and_conditions_that_one_system_lacks(tmp_path):
    some = [line for line in linked("x", "a", 3) if "p15_" not in line]
    attacks = scores(*ORIGINAL, target=4), scores("x", "a", "op", 2), some
    facts, _ = judged(tmp_path, *attacks, scores("y", "a", "pp", 4))
    assert facts["sets"]["scores"]["systems"]["x"]["missing"] == {"persons": 1, "trials": 0}
    assert facts["sets"]["scores"]["not_tried"] == ["condition_op", "condition_pp", "condition_rr"]


def test_scores_of_unprotected_speech_alone_are_refused(tmp_path):
    with pytest.raises(AssertionError, match=r"scores\.tsv: no scores of a protected system"):
        judged(tmp_path, scores(*ORIGINAL, target=4))


def test_one_small_cohort_hides_no_offsets():
    """Of 24 persons the first one is compared with two others only, after scores with offsets."""
    enrolled, tried, recordings, values = complete(24, 4, seed=0, distance=5)
    values = values + 1000 * np.random.default_rng(0).standard_normal(24)[enrolled][:, None]
    kept = (enrolled > 0) | (tried < 3)
    evidence = one_recording(
        trials_from(*(column[kept] for column in (enrolled, tried, recordings, values)))
    )
    assert evidence.low() > 50


@pytest.mark.parametrize("is_linkage", [False, True])
def test_an_attack_that_fails_on_a_system_is_named(tmp_path, is_linkage):
    failing = linked("x", "b", 4) if is_linkage else scores("x", "b", "op", 4)
    constant = [line.rpartition("\t")[0] + "\t0.5" for line in failing]
    facts, shown = judged(
        tmp_path,
        scores(*ORIGINAL, target=4),
        scores("original", "b", "oo", 5, target=4),
        linked("original", "b", 6, target=4),
        scores("x", "a", "op", 2, target=4),
        constant,
        scores("x", "b", "pp", 7),
    )
    warning = {"code": "failing_attack", "system": "x", "attack": "b"}
    assert facts["sets"]["scores"]["warnings"] == [warning]
    assert facts["sets"]["scores"]["systems"]["x"]["state"] == "open"
    assert "b fails on x: more than 1 % of its scores" in shown


@pytest.mark.parametrize(
    ("n_persons", "shows_names", "n_named"), [(41, True, 12), (41, False, 0), (40, True, 0)]
)
def test_from_41_persons_on_the_exposed_are_named_where_names_may_be_shown(
    n_persons, shows_names, n_named
):
    """Twelve persons keep their identity; another list, of eight persons, has more evidence."""
    enrolled, tried, recordings, values = complete(n_persons, 3, seed=1)
    values = values[:, 0] + 6 * ((enrolled == tried) & (enrolled < 12))
    ids, values, speaker_of = rows_of(enrolled, tried, recordings, values.tolist())
    table = ScoreTable(speaker_of)
    few = np.flatnonzero((enrolled < 8) & (tried < 8))
    for name, rows in (("all", range(len(ids))), ("few", few)):
        table.scores[name] = {"x": {("a", "op"): {ids[row]: values[row] for row in rows}}}
    judgement = verdict_of(table, known=Known(shows_names=shows_names))["systems"]["x"]
    exposed = judgement["exposed"]
    assert judgement["worst_list"] == "few"
    assert exposed["of"] == n_persons and exposed["beyond_chance"]
    assert exposed["named"] == sorted(f"p{number}" for number in range(n_named))


def test_one_exposed_person_is_beyond_chance_and_more_persons_are_no_help():
    enrolled, tried, recordings, values = complete(60, 4, seed=1)
    values = values[:, 0] + 9 * ((enrolled == 7) & (tried == 7))
    ids, values, speaker_of = rows_of(enrolled, tried, recordings, values.tolist())
    table = ScoreTable(speaker_of)
    table.scores["all"] = {"x": {("a", "op"): dict(zip(ids, values, strict=True))}}
    judgement = verdict_of(table)["systems"]["x"]
    assert judgement["exposed"]["persons"] and judgement["exposed"]["beyond_chance"]
    steps = [step["code"] for step in judgement["next"]]
    assert "persons_exposed" in steps and "more_persons" not in steps


def test_columns_may_be_missing_and_stand_in_any_order(tmp_path):
    plain, _ = judged(tmp_path, scores("x", "a", "pp", 2, target=2))
    rows = [line.split("\t") for line in scores("x", "a", "pp", 2, target=2)]
    turned = ["\t".join([row[7], *row[4:7]]) for row in rows]
    options = ["--system", "x", "--attacker", "a", "--condition", "pp", "--list", "all"]
    header = (COLUMNS[7], *COLUMNS[4:7])
    given, _ = judged(tmp_path, turned, header=header, options=options)
    assert given == plain
    assert given["sets"]["scores"]["unprotected"] is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("x a op all e_p00 p00_0 target high", "s.tsv:2: 'high' is not a number"),
        ("x a oo all e_p00 p00_0 target 1", "s.tsv:2: system 'x' has no condition 'oo'"),
        ("x a op all e_p00 p00_0 same 1", "s.tsv:2: label 'same' is neither target nor"),
        ("x a op all e_p00 p99_0 target 1", "s.tsv:2: 'p99_0' has no speaker in --speakers"),
        ("x a op all e_p00 p01_0 target 1", "s.tsv:2: is labelled 'target', but the speakers are"),
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
    path.write_text("enrolment,trial,label,score\n")
    with pytest.raises(BadInput, match=r"has no column enrolment.*separated by tabs$"):
        add_scores(path, dict.fromkeys(("system", "attacker", "condition", "list"), "x"), {}, {})


def test_attackers_are_not_called_weak_where_unprotected_speech_was_not_measured():
    """Three persons are too few: their attacker may find everything."""
    ids, values, speaker_of = rows_of(*complete(4, 2, seed=0, distance=9.0))
    own = dict(zip(ids, values[:, 0].tolist(), strict=True))
    noise = dict(zip(ids, complete(4, 2, seed=1)[3][:, 0].tolist(), strict=True))
    some = {pair: score for pair, score in own.items() if "p3" not in map(speaker_of.get, pair)}
    table = ScoreTable(speaker_of)
    table.scores["all"] = {"original": {("a", "oo"): some}, "x": {("a", "op"): noise}}
    reasons = verdict_of(table, known=Known(learnt={}, leaks={}))["systems"]["x"]["reasons"]
    assert "few_persons" in reasons and "weak_attackers" not in reasons


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
    table = None
    for name in ("first", "second"):
        ids, values, speaker_of = rows_of(*complete(20, 4, seed=1))
        noise = dict(zip(ids, values[:, 0].tolist(), strict=True))
        own = {
            pair: 9.0 * (speaker_of[pair[0]] == speaker_of[pair[1]]) + score
            for pair, score in noise.items()
        }
        table = table or ScoreTable(speaker_of)
        table.scores[name] = {"original": {("a", "oo"): own}, "x": {("a", "op"): noise}}
    known = {"own": own, "noise": noise, "equal": dict.fromkeys(noise, 0.0)}
    original = {(attacker, "oo"): known[finds] for attacker, finds in on_second.items()}
    del table.scores["second"]["original"]
    table.scores["second"] |= {"original": original} if original else {}
    reasons = verdict_of(table, known=Known(learnt={}, leaks={}))["systems"]["x"]["reasons"]
    assert [one for one in reasons if one in ("weak_attackers", "no_unprotected")] == [reason]


LENIENT = Thresholds(low_percent=20, low_all_recordings_percent=80, unprotected_percent=40)
LEARNT = Known(learnt={"x": 100, "y": 100}, leaks={})
DISTANCES = {"original_oo": 9, "original_rr": 9, "x_op": 0, "x_rr": 0, "y_op": 4, "y_rr": 0}


@pytest.fixture
def small(monkeypatch):
    """The scores of eight persons, without some of them."""
    monkeypatch.setattr(heldout, "MOST_GROUPS", 4)  # quickly

    def made(lacking=None):
        table = None
        for number, (name, distance) in enumerate(DISTANCES.items()):
            ids, values, speaker_of = rows_of(*complete(8, 3, seed=number, distance=distance))
            table = table or ScoreTable(speaker_of)
            if name != lacking:
                system, condition = name.split("_")
                own = table.scores.setdefault("all", {}).setdefault(system, {})
                own["a", condition] = dict(zip(ids, values[:, 0].tolist(), strict=True))
        return table

    return made


def test_all_facts_of_a_set_are_what_their_definitions_say(small):
    evidence, table = {}, small()
    facts = verdict_of(table, thresholds=LENIENT, known=LEARNT, evidence=evidence)
    x, y = facts["systems"].values()
    assert facts == {
        "systems": {"x": x, "y": y},
        "unprotected": facts["unprotected"],
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
    # Three measures; y is tested first, and x after that by itself.
    for system, level, state in (("x", 0.025, "low"), ("y", 0.0125, "open")):
        one, every, linked = (
            evidence[system][measure, "all"]
            for measure in ("one_recording", "all_recordings", "linkage")
        )
        limits = [one.percent, one.low(), one.high()]
        confidence = 1 - 2 * level / 3
        less, error = leaves_less(one, evidence["original"]["one_recording", "all"])
        margin = 2.364624 * error  # t of 7 degrees of freedom
        shown = facts["systems"][system]
        assert shown == {
            "state": state,
            "by": [] if system == "x" else ["one_recording", "all_recordings"],
            "worst_list": "all",
            "evidence_percent": limits,
            "tested_percent": pytest.approx(
                [one.percent, one.low(confidence), one.high(confidence)]
            ),
            "evidence_all_recordings_percent": [every.percent, every.low(), every.high()],
            "linkage_percent": [linked.percent, linked.low(), linked.high()],
            "right_of_20_percent": [right_of(percent) for percent in limits],
            "less_than_unprotected_points": pytest.approx([less, less - margin, less + margin]),
            "recordings": 3,
            "exposed": shown["exposed"],
            "missing": {"persons": 0, "trials": 0},
            "reasons": [],
            "next": [],
        }
        n_right = first_guesses(trials, one).n_reidentified
        assert shown["exposed"] == {
            "persons": n_right,
            "of": 8,
            "not_tested": 0,
            "beyond_chance": system == "y",
            "named": [],
        }


@pytest.mark.parametrize(
    ("reason", "thresholds", "known"),
    [
        ("few_learnt_persons", {}, {"learnt": {"x": 99}}),
        ("few_learnt_persons", {}, {"learnt": {}}),
        ("scores_elsewhere", {}, {"learnt": None}),
        ("weak_attackers", {"unprotected_percent": 99}, {}),
        ("upper_limit_one_recording", {"low_percent": 5}, {}),
    ],
)
def test_one_unmet_condition_is_a_reason_and_a_next_step(small, reason, thresholds, known):
    facts = verdict_of(
        small(), thresholds=LENIENT._replace(**thresholds), known=LEARNT._replace(**known)
    )
    x = facts["systems"]["x"]
    assert (x["state"], x["reasons"]) == ("unclear", [reason])
    steps = [{"code": reason}]
    if "low_percent" in thresholds:  # errors fall with the root of persons
        value, _, high = x["evidence_percent"]
        persons = np.ceil(8 * ((high - max(value, 0)) / (5 - max(value, 0))) ** 2)
        steps = [{"code": "more_persons", "persons": persons}]
    assert x["next"] == steps


@pytest.mark.parametrize(
    ("lacking", "reasons", "n_persons"),
    [
        ("x_rr", ["no_linkage"], 0),
        ("original_oo", ["no_unprotected"], 0),
        ("x_op", ["list_missing", "missing", "no_all_recordings", "no_one_recording"], 16),
    ],
)
def test_scores_that_are_lacking_on_two_lists_are_a_reason(small, lacking, reasons, n_persons):
    table = small(lacking)
    table.scores["again"] = table.scores["all"]
    x = verdict_of(table, thresholds=LENIENT, known=LEARNT)["systems"]["x"]
    assert (x["state"], x["reasons"]) == ("unclear", reasons)
    assert x["missing"] == {"persons": n_persons, "trials": 24 * n_persons}


def test_linkage_of_too_few_persons_asks_for_persons_not_for_scores(small):
    table = small()
    linked = table.scores["all"]["x"]["a", "rr"]
    few = {"p0", "p1", "p2"}
    kept = {pair: linked[pair] for pair in linked if {*map(table.speaker_of.get, pair)} <= few}
    table.scores["all"]["x"]["a", "rr"] = kept
    x = verdict_of(table, thresholds=LENIENT, known=LEARNT)["systems"]["x"]
    assert {"no_linkage", "few_persons"} <= {*x["reasons"]}
    assert {"code": "few_persons"} in x["next"] and {"code": "no_linkage"} not in x["next"]


@pytest.mark.parametrize("partial", ["original", "x"])
def test_who_has_a_score_is_no_evidence(partial):
    """One of two attackers, who find nothing, scored all targets and a tenth of the others."""
    ids, values, speaker_of = rows_of(*complete(20, 4, seed=1, n_attacks=2))
    one, other = (dict(zip(ids, column, strict=True)) for column in values.T.tolist())
    some = {
        pair: other[pair]
        for number, pair in enumerate(ids)
        if number % 10 == 0 or speaker_of[pair[0]] == speaker_of[pair[1]]
    }
    scores = {("a", "oo"): one, ("b", "oo"): other}, {("a", "op"): one, ("b", "op"): other}
    table = ScoreTable(speaker_of)
    table.scores["all"] = dict(zip(("original", "x"), scores, strict=True))
    table.scores["all"][partial]["b", "oo" if partial == "original" else "op"] = some
    facts = verdict_of(table, known=Known(learnt={}, leaks={}))
    judgement = facts["unprotected"] if partial == "original" else facts["systems"]["x"]
    assert judgement["evidence_percent"][0] < 5
    assert judgement["missing"] == {"persons": 0, "trials": len(ids) - len(some)}


def test_each_number_is_of_the_list_on_which_it_is_worst():
    """On the second list recordings are of less use, and each person has eight."""
    table = None
    for name, distance, n_recordings in (("first", 3.0, 1), ("second", 1.5, 8)):
        columns = complete(24, 8, seed=1, distance=distance)
        ids, values, speaker_of = rows_of(*columns)
        tried = zip(ids, values[:, 0].tolist(), columns[2] % 8 < n_recordings, strict=True)
        own = {pair: score for pair, score, is_kept in tried if is_kept}
        table = table or ScoreTable(speaker_of)
        table.scores[name] = {"x": {("a", "op"): own}}
    judgement = verdict_of(table)["systems"]["x"]
    assert (judgement["state"], judgement["worst_list"]) == ("open", "first")
    assert judgement["evidence_percent"][0] > 55
    assert judgement["evidence_all_recordings_percent"][0] > 85
