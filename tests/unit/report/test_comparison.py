"""The comparison: rows worked out by hand, the best protection first, nothing left out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.answer import evaluated, ready_made_note, what_was_run
from voiceprivacy.report.comparison import (
    ATTACKS,
    OF_MATRICES,
    compare,
    folded_limits,
    shown_columns,
    strongest_attacks,
    weighted_mean,
    write_comparison,
)
from voiceprivacy.report.sections import PartOfCorpus
from voiceprivacy.vocabulary import GIVEN, attacker_name


def one(systems, anonymiser, condition):
    [system] = [
        system
        for system in systems
        if (system.anonymiser, system.condition) == (anonymiser, condition)
    ]
    return system


def changed(metrics, value, **where):
    return [
        metric._replace(value=value)
        if all(getattr(metric, name) == wanted for name, wanted in where.items())
        else metric
        for metric in metrics
    ]


def test_original_stands_first_and_once_then_most_errors(systems):
    rows = [(system.anonymiser, system.condition, system.attack) for system in systems]
    assert rows == [
        ("original", "oo", "no protection"),
        ("b2r", "op", "ignorant"),
        ("b2r", "pp", "lazy-informed"),
        ("b2", "op", "ignorant"),
        ("b2", "pp", "lazy-informed"),
    ]


def test_the_mean_over_the_lists_has_equal_weights(systems):
    system = one(systems, "b2r", "pp")
    eers = [system.sets[trials].numbers["eer_percent"].value for trials in system.lists]
    assert eers == [9.25, 10.25]
    assert system.mean.numbers["eer_percent"].value == 9.75
    assert system.mean.numbers["worst_case_log10"].value == 2.0
    assert system.mean_label == "mean of f, m"


@pytest.mark.parametrize(
    "column",
    [column for column in COLUMNS if not column.optional],
    ids=lambda column: column.name,
)
def test_a_missing_number_is_named_and_never_left_out(metrics, column):
    where = {
        "trials": "m",
        "anonymiser": "b2",
        "metric": column.name,
        "condition": [name for name in column.conditions if name in ATTACKS][-1],
    }
    where |= {"anonymiser": "original"} if where["condition"] == "oo" else {}
    left = [
        metric
        for metric in metrics
        if any(getattr(metric, name) != value for name, value in where.items())
    ]
    assert len(left) == len(metrics) - 1
    with pytest.raises(
        BadInput, match=f"^{column.name} of demo/m/b2/xvector/cosine under .. is missing"
    ):
        compare(left)


def test_a_run_without_the_original_is_refused(metrics):
    with pytest.raises(BadInput, match="original/xvector/cosine under oo is missing"):
        compare([metric for metric in metrics if metric.anonymiser != "original"])


def test_a_number_that_is_none_is_named(metrics):
    with pytest.raises(
        BadInput, match="dece_bit of demo/f/b2/xvector/cosine under op is 'x', not a number"
    ):
        compare(
            changed(metrics, "x", metric="dece_bit", anonymiser="b2", trials="f", condition="op")
        )


@given(order=st.randoms())
def test_the_order_of_the_metrics_does_not_matter(metrics_of_two_attackers, order):
    shuffled = list(metrics_of_two_attackers)
    order.shuffle(shuffled)
    assert compare(shuffled) == compare(metrics_of_two_attackers)


def test_the_strongest_attack_is_the_lowest_mean_eer_of_all_attackers(metrics_of_two_attackers):
    metrics = changed(
        metrics_of_two_attackers,
        "5.0",
        backend="plda",
        anonymiser="b2r",
        condition="op",
        metric="eer_percent",
    )
    strongest = strongest_attacks(compare(metrics))
    best = strongest["demo", "b2r"]
    assert (best.backend, best.condition, best.mean.numbers["eer_percent"].value) == (
        "plda",
        "op",
        5.0,
    )


def test_whoever_errs_more_than_half_of_the_time_turns_round(metrics):
    """Negated scores of a good attacker have an EER of 98 %, and stand where 2 % stands."""
    metrics = changed(metrics, "98.0", anonymiser="b2r", condition="pp", metric="eer_percent")
    systems = compare(metrics)
    assert strongest_attacks(systems)["demo", "b2r"].condition == "pp"
    assert [system.anonymiser for system in systems] == ["original", "b2", "b2", "b2r", "b2r"]


def test_a_run_that_nobody_attacked_says_nothing_of_privacy(metrics):
    rank = metrics[0]._replace(metric="disclosure_bit")
    pitch = metrics[0]._replace(metric="pitch_correlation")
    assert what_was_run([], [pitch]) == "No attack was run, so there is no privacy result."
    assert what_was_run([], [pitch, rank]).startswith("Sampled galleries only")


def test_what_was_run_is_counted(systems):
    assert (
        what_was_run(systems, [])
        == "2 anonymisers (b2, b2r) on 1 corpus (demo), attacked by 1 attacker (xvector + cosine)."
    )


def test_controls_are_not_counted_as_anonymisers(systems):
    words = what_was_run(systems, [], {"b2", "not_there"})
    assert words.startswith("1 anonymiser (b2r) and 1 control (b2) on 1 corpus")
    assert what_was_run(systems, [], {"b2", "b2r"}).startswith("2 controls (b2, b2r) on")


def test_of_speech_that_was_there_already_the_page_says_what_the_attacker_may_hold(systems):
    config = {"anonymisers": {"b2": {"audio": "there"}, "b2r": {"command": "x"}, "other": {}}}
    told = ready_made_note(systems, {"config": config})
    assert told.startswith("Speech of b2 was there already.") and "they hold that" in told
    without = [
        system for system in systems if (system.anonymiser, system.condition) != ("b2", "pp")
    ]
    assert ready_made_note(without, {"config": config}) == "", "nobody enrols with it"
    assert ready_made_note(systems, {}) == ""


def test_a_release_is_named_by_what_was_made_and_by_what_lay_there_already():
    config = {"anonymisers": {"b2": {"function": "x.py:y"}, "team": {"audio": "/wavs"}}}
    made = {"audio/demo/trial/b2/wav/0/a.flac": "1", "audio/demo/trial/original/wav/0/a.flac": "2"}
    sources = {f"results/sources/anonymisers/{name}.sha256": name for name in ("b2", "team")}
    part = PartOfCorpus("demo", "trial", 1, 1, 0, 2, 0.01)

    def release(outputs, sha256):
        record = {"config": config, "outputs": outputs, "sha256": sha256}
        words = evaluated([part], record)["demo"].speech.rstrip(".").split("release ")
        return words[1:]

    names = [
        release(outputs, sha256)
        for outputs, sha256 in (
            (made, sources),
            ({}, sources),
            (made, {}),
            (made, sources | {"results/sources/anonymisers/team.sha256": "edited"}),
            (made | {"audio/demo/trial/b2/wav/0/a.flac": "3"}, sources),
        )
    ]
    assert len(set(map(tuple, names))) == 5 and all(len(name) == 1 for name in names)
    assert release(made, sources | {"results/sources/anonymisers/b2.sha256": "edited"}) == names[0]
    assert release({}, {}) == []


def test_the_table_has_a_line_per_list_and_one_for_the_mean(tmp_path, systems):
    write_comparison(tmp_path / "comparison.tsv", systems)
    header, *lines = [
        line.split("\t") for line in (tmp_path / "comparison.tsv").read_text().splitlines()
    ]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    assert len(rows) == 5 * 3
    absent = {column.name: "-" for column in COLUMNS if column.optional}
    for column in COLUMNS:
        absent |= {f"{column.name}_ci_low": "-", f"{column.name}_ci_high": "-"}
    assert rows[5] == absent | {
        "corpus": "demo",
        "extractor": "xvector",
        "backend": "cosine",
        "anonymiser": "b2r",
        "condition": "op",
        "attack": "ignorant",
        "trials": "mean of f, m",
        "eer_percent": "25.5",
        "cllr_bit": "1.25",
        "cllr_min_bit": "0.5",
        "dece_bit": "0.25",
        "dece_null95_bit": "-",
        "worst_case_log10": "2.0",
        "deid_percent": "50.0",
        "gvd_db": "-",
        "mean_disclosure_bit": "1.5",
        "model_mean_disclosure_bit": "1.25",
        "identification_rate_percent": "40.0",
        "tag": "-",
    }


def test_lists_without_a_gallery_have_no_ranks_for_any_system_or_for_all(metrics):
    of_ranks = {"mean_disclosure_bit", "model_mean_disclosure_bit", "identification_rate_percent"}
    unranked = [metric for metric in metrics if metric.metric not in of_ranks]
    for system in compare(unranked):
        assert {system.mean.numbers[name].value for name in of_ranks} == {None}
    of_original = [
        metric
        for metric in metrics
        if metric.metric in of_ranks and metric.anonymiser == "original"
    ]
    with pytest.raises(BadInput, match=r"mean_disclosure_bit of .* is missing"):
        compare(unranked + of_original)


def test_scores_of_others_are_shown_without_the_columns_that_they_do_not_have(metrics):
    systems = compare([metric._replace(extractor="team7", backend=GIVEN) for metric in metrics])
    shown = {column.name for column in shown_columns(systems)}
    assert {"eer_percent", "dece_bit"} <= shown and not shown & OF_MATRICES


def test_a_weighted_mean_keeps_what_is_undefined_or_infinite():
    assert weighted_mean([1.0, 3.0], [3, 1]) == 1.5
    assert weighted_mean([1.0, None], [1, 1]) is None
    assert weighted_mean([math.inf, 1.0], [1, 1]) == math.inf
    assert weighted_mean([math.inf, -math.inf], [1, 1]) == "undefined"
    assert weighted_mean(["undefined", 1.0], [1, 1]) == "undefined"


@pytest.mark.parametrize(
    ("limits", "folded"),
    [
        (None, None),
        ((10.0, 30.0), (10.0, 30.0)),
        ((40.0, 55.0), (40.0, 50.0)),
        ((45.0, 70.0), (30.0, 50.0)),
        ((80.0, 95.0), (5.0, 20.0)),
    ],
)
def test_an_interval_is_folded_at_its_ends(limits, folded):
    assert folded_limits(limits) == folded


@pytest.mark.parametrize(
    ("attacker", "words"),
    [
        (("ecapa", "cosine"), "ecapa + cosine"),
        (("resemblyzer", "semi_on_b2r"), "resemblyzer + semi-informed (b2r)"),
        (("semi_on_b2", "cosine"), "semi-informed (b2) + cosine"),
        (("tuned_on_b2", "plda_on_b2"), "tuned (b2) + plda (b2)"),
        (("semi", "semi"), "semi + semi"),
    ],
)
def test_attackers_of_protected_speech_are_named_in_words(attacker, words):
    assert attacker_name(*attacker) == words
