"""Answers of listeners: ability that is known is measured, and hostile files are refused."""

import copy
import json

import numpy as np
import pytest
from scipy.stats import norm
from support import listening
from support.calls import call, flags, succeeds

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import read_manifest, read_scores, read_table, write_manifest
from voiceprivacy.tools import listening_numbers
from voiceprivacy.tools.listening_answers import RANGES, read_key, read_listeners
from voiceprivacy.tools.listening_numbers import PERCENT, Estimate, write_answers
from voiceprivacy.tools.listening_page import QUESTIONS
from voiceprivacy.tools.listening_test import KINDS, Wanted, draw_test, name_of, read_speech


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return listening.write_run(tmp_path_factory.mktemp("run") / "results")


@pytest.fixture(scope="module")
def keys(results):
    tests = {}
    for kind in KINDS:
        wanted = Wanted(results, "tiny", kind, number=16, conditions=("op",))
        tests[kind] = draw_test(wanted, read_speech(wanted)).key
    return tests


@pytest.fixture
def read(keys, tmp_path):
    """Read simulated answers: the rows of a table of the folder that is written."""

    def read(kind, rate_of, table, *, count=12, bootstrap=400, name="out"):
        folder = tmp_path / name
        key = listening.write_key(folder, keys[kind])
        answers = listening.write_answers(folder / "answers", keys[kind], rate_of, count=count)
        how = {"bootstrap": bootstrap, "seed": 0, "output": folder / "listened"}
        write_answers(key=key, answers=answers, **how)
        return read_table(folder / "listened" / table, columns_of(folder / "listened" / table))

    return read


def columns_of(path):
    return path.read_text().splitlines()[0].split("\t")


def row(rows, **wanted):
    (only,) = [one for one in rows if all(one[name] == value for name, value in wanted.items())]
    return only


def holds(one, value):
    return float(one["ci_low"]) <= value <= float(one["ci_high"])


# What listeners can do is what is measured.


@pytest.mark.parametrize("d_prime", [1.0, 2.5])
def test_the_error_of_listeners_of_known_ability_is_found_within_its_interval(read, d_prime):
    rows = read("pairs", listening.with_ability(d_prime), "attack.tsv")
    error = 100 * norm.cdf(-d_prime / 2)  # who decides at the middle makes both errors alike
    for system in ("loud", "muffled"):
        for metric in ("error_percent", "missed_percent", "false_alarm_percent"):
            one = row(rows, anonymiser=system, condition="op", metric=metric)
            assert holds(one, error) and abs(float(one["value"]) - error) < 15
    assert (one["n_listeners"], one["n_pairs"]) == ("12", "16")


def test_one_listener_alone_has_the_equal_error_rate_of_his_ability(read, keys, monkeypatch):
    """240 pairs, of which each is heard by one person: the pairs of twelve make one list."""
    d_prime = 1.5
    rows = read("pairs", listening.with_ability(d_prime), "attack.tsv", count=1)
    rates = [float(one["value"]) for one in rows if one["metric"] == "eer_rocch_percent"]
    assert np.mean(rates) == pytest.approx(100 * norm.cdf(-d_prime / 2), abs=12)


def test_all_together_hear_more_than_one(read):
    rows = read("pairs", listening.with_ability(1.0), "attack.tsv")
    for system in ("original", "loud", "muffled"):
        one = row(rows, anonymiser=system, metric="error_percent")
        together = row(rows, anonymiser=system, metric="eer_rocch_percent")
        # Errors of independent listeners cancel out: d' grows by the square root of twelve.
        assert float(together["value"]) < float(one["value"]) - 10
        assert holds(together, 100 * norm.cdf(-np.sqrt(12) / 2))


def test_guessing_gives_half_and_no_evidence(read):
    rows = read("pairs", listening.with_ability(0.0), "attack.tsv")
    for system in ("original", "loud", "muffled"):
        one = row(rows, anonymiser=system, metric="error_percent")
        assert holds(one, 50) and abs(float(one["value"]) - 50) < 8
        assert holds(row(rows, anonymiser=system, metric="eer_rocch_percent"), 50)


@pytest.mark.parametrize("rating", [1, 6])
def test_who_always_says_the_same_errs_half_of_the_time(keys, tmp_path, rating):
    def rate_of(_):
        def rate(item):
            return (6 if item["label"] == "target" else 1) if item["role"] == "control" else rating

        return rate

    key = listening.write_key(tmp_path, keys["pairs"])
    answers = listening.write_answers(tmp_path / "a", keys["pairs"], rate_of, count=4)
    write_answers(key=key, answers=answers, bootstrap=50, seed=0, output=tmp_path / "out")
    path = tmp_path / "out" / "attack.tsv"
    rows = read_table(path, columns_of(path))
    errors = {
        one["value"] for one in rows if one["metric"] in ("error_percent", "eer_rocch_percent")
    }
    assert set(map(float, errors)) == {50.0}
    missed = {float(one["value"]) for one in rows if one["metric"] == "missed_percent"}
    assert missed == {100.0 if rating == 1 else 0.0}


def test_errors_that_happened_not_to_happen_are_allowed_for(read):
    rows = read("pairs", listening.with_ability(30.0), "attack.tsv")
    for one in rows:
        assert float(one["value"]) == 0 and float(one["ci_high"]) > 0.5


def test_ratings_are_the_means_that_listeners_gave(read, keys):
    points = {"loud": 70, "muffled": 40}
    rows = read("quality", listening.tasteful(points), "utility.tsv")
    for system, value in (points | {"original": 95}).items():
        one = row(rows, anonymiser=system, metric="quality_points")
        assert holds(one, value) and float(one["value"]) == pytest.approx(value, abs=5)
        assert (one["n_utterances"], one["n_undefined"], one["n_speakers"]) == ("32", "16", "8")
    assert {one["anonymiser"] for one in rows} == {"original", *points}


def test_systems_are_compared_by_the_same_listeners(read):
    """Listeners who are generous are so to both: the difference is surer than either mean."""
    how = {"rate_of": listening.tasteful({"loud": 70, "muffled": 60})}
    differences = read("quality", table="differences.tsv", **how)
    one = row(differences, anonymiser="loud", other="muffled")
    assert holds(one, 10) and float(one["difference"]) == pytest.approx(10, abs=3)
    mean = row(read("quality", table="utility.tsv", name="again", **how), anonymiser="loud")
    width = float(one["ci_high"]) - float(one["ci_low"])
    assert width < 1.6 * (float(mean["ci_high"]) - float(mean["ci_low"]))
    assert not holds(one, 0)


def test_nothing_is_said_of_others_by_two_listeners(read):
    for one in read("pairs", listening.with_ability(1.0), "attack.tsv", count=2):
        assert (one["ci_low"], one["ci_high"]) == ("-", "-")


def test_the_chance_of_single_answers_counts_once():
    draw = np.random.default_rng(0)
    listeners, speakers, answers = (50 + draw.normal(0, 2, 4000) for _ in range(3))
    steady = np.full(4000, 50.0)

    def width(of_listeners, of_speakers, of_answers):
        estimate = Estimate(50.0, of_listeners, of_speakers, of_answers, 200, 200, 9)
        low, high = estimate.limits(PERCENT)
        return high - low

    one = width(steady, speakers, steady)
    assert one == pytest.approx(4 * 1.97, rel=0.05)
    assert width(listeners, speakers, answers) == pytest.approx(one, rel=0.05)
    assert width(listeners, speakers, steady) == pytest.approx(one * np.sqrt(2), rel=0.05)
    assert width(steady, steady, steady) == 0


# Who is left out.


def wrong_on(number):
    """Makes listeners who are wrong on so many controls."""

    def rate_of(_):
        left = [number]

        def rate(item):
            is_one = item["label"] == "target"
            if item["role"] == "control" and left[0]:
                left[0] -= 1
                is_one = not is_one
            return 6 if is_one else 1

        return rate

    return rate_of


@pytest.mark.parametrize(("number", "left_out"), [(0, False), (1, False), (2, True), (8, True)])
def test_who_fails_more_than_one_control_of_pairs_is_left_out(keys, tmp_path, number, left_out):
    key = read_key(listening.write_key(tmp_path, keys["pairs"]))
    bad = listening.write_answers(tmp_path, keys["pairs"], wrong_on(number), count=1)
    good = listening.write_answers(tmp_path / "good", keys["pairs"], wrong_on(0), count=2)
    listeners = read_listeners(key, [*bad, good[1]])
    (one,) = [listener for listener in listeners if listener.code in bad[0].name]
    assert (one.wrong, one.controls, one.left_out) == (number, 8, left_out)


@pytest.mark.parametrize(
    ("original", "anchor", "screens", "left_out"),
    [
        (90, 89, 16, False),
        (89, 0, 2, False),
        (89, 0, 3, True),
        (95, 95, 3, True),
        (95, 99, 2, False),
    ],
)
def test_the_hidden_original_must_be_good_and_above_the_anchor(
    keys, tmp_path, original, anchor, screens, left_out
):
    """Of 16 screens, 15 % are 2."""

    def rate_of(_):
        def rate(item):
            odd = item["screen"] <= screens
            ratings = {"original": original if odd else 100, "anchor": anchor if odd else 0}
            return ratings.get(item["system"], 50)

        return rate

    key = read_key(listening.write_key(tmp_path, keys["quality"]))
    paths = listening.write_answers(tmp_path, keys["quality"], rate_of, count=1)
    tasteful = listening.tasteful(dict.fromkeys(listening.SYSTEMS, 50))
    paths += listening.write_answers(tmp_path / "others", keys["quality"], tasteful, count=2)[1:]
    assert sum(listener.left_out for listener in read_listeners(key, paths)) == left_out


def test_listeners_who_are_left_out_are_named_and_change_nothing(keys, tmp_path):
    key = listening.write_key(tmp_path, keys["pairs"])
    answers = listening.write_answers(
        tmp_path / "a", keys["pairs"], listening.with_ability(1.0), count=6
    )
    how = {"key": key, "bootstrap": 20, "seed": 0}
    write_answers(answers=answers[:5], output=tmp_path / "without", **how)
    listening.write_answers(tmp_path / "b", keys["pairs"], wrong_on(5), count=6)
    bad = tmp_path / "b" / answers[5].name
    write_answers(answers=[*answers[:5], bad], output=tmp_path / "with", **how)
    for path in sorted((tmp_path / "without").rglob("*.tsv")):
        if path.name != "listeners.tsv":
            other = tmp_path / "with" / path.relative_to(tmp_path / "without")
            assert path.read_bytes() == other.read_bytes()
    lines = (tmp_path / "with" / "listeners.tsv").read_text().splitlines()
    code = bad.stem.removeprefix("answers_")
    assert f"{code}\t1\theadphones\t8\t5\tyes" in lines
    said = succeeds(
        "listening_test",
        "read",
        "--answers",
        *answers[:5],
        bad,
        *flags(key=key, output=tmp_path / "c", bootstrap=5),
    )
    assert "left out, more than 1 controls wrong" in said and f"{code}" in said


def test_nobody_is_left(keys, tmp_path):
    key = read_key(listening.write_key(tmp_path, keys["pairs"]))
    bad = listening.write_answers(tmp_path, keys["pairs"], wrong_on(8), count=3)
    with pytest.raises(BadInput, match="every listener failed the controls"):
        read_listeners(key, bad)


# Files that the rest of the house reads.


def test_scores_are_read_by_the_commands_of_an_attack(read, tmp_path):
    read("pairs", listening.with_ability(1.0), "attack.tsv")
    folder = tmp_path / "out" / "listened"
    path = folder / "scores/tiny_heard/all/loud/op.tsv"
    scores = read_scores(path)
    assert (len(scores["target"]), len(scores["nontarget"])) == (8, 8)
    assert scores["target"].mean() > scores["nontarget"].mean()
    for command in ("assess_verification", "assess_zebra"):
        metrics = tmp_path / f"{command}.json"
        succeeds(
            command,
            *flags(scores=path, speakers=folder / "speakers.tsv", metrics=metrics, bootstrap=20),
        )
        assert read_json(metrics.with_suffix(".intervals.json"))
    rows = read_table(folder / "attack.tsv", listening_numbers.ATTACK)
    own = row(rows, anonymiser="loud", condition="op", metric="eer_rocch_percent")
    assert float(own["value"]) == pytest.approx(
        read_json(tmp_path / "assess_verification.json")["eer_rocch_percent"]
    )


def test_measures_are_read_as_those_of_a_run(read, results, tmp_path):
    read("quality", listening.tasteful({"loud": 70, "muffled": 40}), "utility.tsv")
    folder = tmp_path / "out" / "listened"
    manifest = results / "audio/tiny/trial/original/manifest.tsv"
    measures = sorted(folder.glob("utility/tiny/trial/*/listeners.tsv"))
    assert [path.parent.name for path in measures] == ["loud", "muffled", "original"]
    metrics = tmp_path / "utility.tsv"
    succeeds(
        "assess_utility",
        "--measures",
        *measures,
        *flags(manifest=manifest, metrics=metrics, bootstrap=20),
    )
    ours = read_table(folder / "utility.tsv", columns_of(metrics))
    for theirs in read_table(metrics, columns_of(metrics)):
        own = row(ours, anonymiser=theirs["anonymiser"])
        assert float(own["value"]) == pytest.approx(float(theirs["value"]))
        for name in ("metric", "n_utterances", "n_undefined", "n_speakers"):
            assert own[name] == theirs[name]


def test_pages_and_answers_have_one_scale():
    assert {kind: (one.lowest, one.highest) for kind, one in QUESTIONS.items()} == RANGES
    assert all(len(one.words) in (5, 6) for one in QUESTIONS.values())


# Hostile files.

HOSTILE = {
    "another test": (lambda file: file | {"test": "0" * 16}, "answers test '0000000000000000'"),
    "no test": (lambda file: {**file, "test": None}, "answers test 'None'"),
    "another version": (lambda file: file | {"format": 2}, "no file of answers of this version"),
    "a list": (lambda file: [file], "expected {...}"),
    "nothing": (lambda file: {}, "no file of answers of this version"),
    "an unknown listener": (
        lambda file: file | {"listener": "222222"},
        "no listener has the code '222222'",
    ),
    "a listener that is none": (lambda file: file | {"listener": ["a"]}, "is no line of text"),
    "no listener": (
        lambda file: {k: v for k, v in file.items() if k != "listener"},
        "what no run writes",
    ),
    "another page": (lambda file: file | {"page": 2}, "has page 1, not '2'"),
    "another device": (lambda file: file | {"equipment": "<b>"}, "nobody listens with '<b>'"),
    "answers that are none": (lambda file: file | {"answers": 7}, "its answers are no list"),
    "an answer that is none": (lambda file: changed(file, None), "answer 1: expected {...}"),
    "a missing answer": (
        lambda file: file | {"answers": file["answers"][1:]},
        "1 of 56 answers are missing",
    ),
    "no answers": (lambda file: file | {"answers": []}, "56 of 56 answers are missing"),
    "a double answer": (
        lambda file: file | {"answers": file["answers"] + file["answers"][:1]},
        "is answered twice",
    ),
    "an unknown code": (
        lambda file: changed(file, {"code": "nope"}),
        "nothing in this test has the code 'nope'",
    ),
    "a code that is none": (
        lambda file: changed(file, {"code": {}}),
        "nothing in this test has the code",
    ),
    "a control sequence": (
        lambda file: changed(file, {"code": "\x1b[2J"}),
        "nothing in this test has the code",
    ),
    "a rating below": (
        lambda file: changed(file, {"rating": 0}),
        "'0' is no whole number from 1 to 6",
    ),
    "a rating above": (
        lambda file: changed(file, {"rating": 7}),
        "'7' is no whole number from 1 to 6",
    ),
    "a rating between": (lambda file: changed(file, {"rating": 3.5}), "'3.5' is no whole number"),
    "a word": (lambda file: changed(file, {"rating": "4"}), "'4' is no whole number"),
    "a truth": (lambda file: changed(file, {"rating": True}), "'True' is no whole number"),
    "no rating": (lambda file: changed(file, {"rating": None}), "'None' is no whole number"),
    "no number": (lambda file: changed(file, {"rating": float("nan")}), "'nan' is no whole number"),
    "infinity": (lambda file: changed(file, {"rating": float("inf")}), "'inf' is no whole number"),
    "a huge number": (
        lambda file: changed(file, {"rating": 10**30}),
        "is no whole number from 1 to 6",
    ),
}


def changed(file, answer):
    first = {**file["answers"][0], **answer} if answer else answer
    return file | {"answers": [first, *file["answers"][1:]]}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_refused_with_its_name_and_the_reason(keys, tmp_path, case):
    change, reason = HOSTILE[case]
    key = read_key(listening.write_key(tmp_path, keys["pairs"]))
    good, bad = listening.write_answers(
        tmp_path, keys["pairs"], listening.with_ability(1.0), count=2
    )
    bad.write_text(json.dumps(change(json.loads(bad.read_text()))))
    with pytest.raises(BadInput) as refused:
        read_listeners(key, [good, bad])
    assert str(refused.value).startswith(f"{bad}: ") and reason in str(refused.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
        (b" " * 5_000_001, "larger than 5 MB"),
        (b"9" * 5000, "not JSON"),
    ],
)
def test_what_is_no_json_is_refused(keys, tmp_path, content, reason):
    key = read_key(listening.write_key(tmp_path, keys["pairs"]))
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(BadInput, match=reason):
        read_listeners(key, [tmp_path / "bad.json"])


def test_two_files_of_one_listener_are_refused(keys, tmp_path):
    key = read_key(listening.write_key(tmp_path, keys["pairs"]))
    (path,) = listening.write_answers(tmp_path, keys["pairs"], wrong_on(0), count=1)
    again = tmp_path / "again.json"
    again.write_text(path.read_text())
    for paths in ([path, again], [path, path]):
        with pytest.raises(BadInput, match="give one file of each listener"):
            read_listeners(key, paths)


def test_a_code_of_another_page_is_refused(results, tmp_path):
    wanted = Wanted(results, "tiny", "pairs", number=4, pages=2)
    key = draw_test(wanted, read_speech(wanted)).key
    first, second = listening.write_answers(tmp_path, key, wrong_on(0), count=2)
    file, other = (json.loads(path.read_text()) for path in (first, second))
    first.write_text(json.dumps(changed(file, other["answers"][0])))
    with pytest.raises(BadInput, match=r"is of page 2, not of 1"):
        read_listeners(read_key(listening.write_key(tmp_path, key)), [first])


def test_a_key_that_was_changed_is_refused(keys, tmp_path):
    for name, value in (("rule", {"most_wrong": 8}), ("items", []), ("listeners", {"a": 1})):
        with pytest.raises(BadInput, match="was changed after the test was made"):
            read_key(listening.write_key(tmp_path, {**keys["pairs"], name: value}))
    with pytest.raises(BadInput, match="no key of a listening test"):
        read_key(listening.write_key(tmp_path, keys["pairs"] | {"format": 2}))
    with pytest.raises(BadInput, match="what no run writes"):
        read_key(listening.write_key(tmp_path, {"format": 1}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("system", "../../x"),
        ("system", 7),
        ("condition", "../x"),
        ("label", "x"),
        ("role", "x"),
        ("trial", "a\tb"),
        ("speaker", "a/b"),
        ("enrolment", None),
    ],
)
def test_a_foreign_key_cannot_lead_elsewhere(keys, tmp_path, field, value):
    """Whoever makes a key can name it rightly, too."""
    key = copy.deepcopy(keys["pairs"])
    key["items"][0][field] = value
    with pytest.raises(BadInput):
        read_key(listening.write_key(tmp_path, key | {"test": name_of(key)}))


def test_utterances_with_any_name_survive_the_key(tmp_path):
    """inf is an id; JSON files of metrics have it as a number."""
    results = listening.write_run(tmp_path / "results", genders="ff", utterances=2, systems=("b2",))
    for path in results.rglob("manifest.tsv"):
        lines = read_manifest(path)
        write_manifest(path, [lines[0]._replace(utterance="inf"), *lines[1:]])
    wanted = Wanted(results, "tiny", "quality", number=2)
    key = draw_test(wanted, read_speech(wanted)).key
    assert "inf" in read_key(listening.write_key(tmp_path, key)).utterances


def test_the_command_refuses_in_one_line_and_writes_nothing(keys, tmp_path):
    key = listening.write_key(tmp_path, keys["pairs"])
    done = call("listening_test", "read", *flags(key=key, answers=key, output=tmp_path / "out"))
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
