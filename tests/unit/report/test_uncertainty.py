"""How sure the report is: intervals of lists and means, words that follow them, zero evidence only
where it is.
"""

import itertools
import re

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.answer import answers, zero_evidence
from voiceprivacy.report.comparison import compare, strongest_attacks, write_comparison, write_latex
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.terminal import WIDTH, summary
from voiceprivacy.report.uncertainty import read_comparisons
from voiceprivacy.vocabulary import NO_BREAK, Pair, SystemInterval

PLACE = ["condition", "metric", "anonymiser"]


def with_intervals(metrics, *, band="0.01"):
    """Every EER gets an interval of one point to either side, every attack its band."""
    numbers = [
        metric._replace(ci_low=str(float(metric.value) - 1), ci_high=str(float(metric.value) + 1))
        if metric.metric == "eer_percent"
        else metric
        for metric in metrics
    ]
    bands = [
        metric._replace(metric="dece_null95_bit", value=band)
        for metric in metrics
        if metric.metric == "dece_bit"
    ]
    return sorted(numbers + bands)


def write_comparisons(folder, *, verdict, trials="mean", unprotected=(0.5, 3.5)):
    """Comparisons of b2 and b2r under both attacks; the means' intervals, that of unprotected
    speech of its own.
    """
    path = folder / "demo" / trials / "xvector" / "cosine.tsv"
    pairs = [
        (condition, "eer_percent", "b2", "b2r", 1, 2, -1, -2, 0, 0.1, 0.2, 0.2, verdict)
        for condition in ("op", "pp")
    ]
    write_table(path, Pair._fields, pairs)
    rows = [
        (condition, "eer_percent", anonymiser, 5, 4, 7.25)
        for anonymiser, condition in itertools.product(("b2", "b2r"), ("op", "pp"))
    ]
    rows.append(("oo", "eer_percent", "original", 2, *unprotected))
    write_table(path.with_suffix(".systems.tsv"), SystemInterval._fields, rows)


@pytest.fixture
def report(metrics, tmp_path):
    def report(*, verdict="A is better", unprotected=(0.5, 3.5), **options):
        numbers = with_intervals(metrics, **options)
        write_comparisons(tmp_path, verdict=verdict, unprotected=unprotected)
        comparisons = read_comparisons(tmp_path, numbers)
        return compare(numbers, comparisons), comparisons

    return report


def test_lists_have_their_own_intervals_and_the_mean_that_of_the_comparisons(report):
    systems, _ = report()
    [system] = [
        system for system in systems if (system.anonymiser, system.condition) == ("b2r", "pp")
    ]
    assert system.intervals["f"]["eer_percent"] == (8.25, 10.25)
    assert system.intervals["mean of f, m"]["eer_percent"] == (4, 7.25)
    assert system.intervals["f"]["cllr_bit"] is None


def test_without_intervals_nothing_is_read(metrics, tmp_path):
    assert read_comparisons(tmp_path / "nothing", metrics) == ({}, {}, {})
    assert zero_evidence(compare(metrics)) == {}


def test_averages_over_corpora_are_read_where_they_are(metrics, tmp_path):
    numbers = with_intervals(metrics)
    write_comparisons(tmp_path, verdict="A is better")
    assert not any(key[0] != "demo" for key in read_comparisons(tmp_path, numbers).limits)
    (tmp_path / "demo").rename(tmp_path / "over-corpora")
    (tmp_path / "over-corpora" / "mean").rename(tmp_path / "over-corpora" / "challenge")
    write_comparisons(tmp_path, verdict="cannot be told apart")
    comparisons, attack = (
        read_comparisons(tmp_path, numbers),
        ("xvector", "cosine", "pp", "eer_percent"),
    )
    assert comparisons.limits["over-corpora/challenge", *attack, "b2r"] == (4, 7.25)
    verdicts = [
        comparisons.verdicts[corpus, *attack, frozenset(("b2", "b2r"))]
        for corpus in ("over-corpora/challenge", "demo")
    ]
    assert verdicts == ["A is better", "cannot be told apart"]


def test_a_missing_comparison_is_named(metrics, tmp_path):
    with pytest.raises(BadInput, match=re.escape("demo/mean/xvector/cosine.tsv: not found")):
        read_comparisons(tmp_path, with_intervals(metrics))


def test_a_verdict_decides_whether_one_protects_best(report):
    systems, comparisons = report(verdict="B is better")
    answer = answers(systems, comparisons)["demo"].text.replace(NO_BREAK, " ")
    assert answer.startswith("b2r protects best.") and "95 % interval 4.0 to 7.2" in answer
    systems, comparisons = report(verdict="cannot be told apart")
    answer = answers(systems, comparisons)["demo"].verdict
    assert answer == "b2r has the highest equal error rate, but cannot be told apart from b2."


def test_what_overlaps_with_unprotected_speech_is_not_shown_to_protect(report):
    systems, comparisons = report(verdict="B is better", unprotected=(0.5, 4.5))
    answer = answers(systems, comparisons)["demo"]
    assert (
        answer.verdict
        == "No anonymiser is shown to protect: even the interval of b2r overlaps with that "
        "of unprotected speech."
    )
    assert answer.reasons.endswith(
        "No protection is shown for b2: its interval overlaps with that of unprotected speech."
    )
    alone = [system for system in systems if system.anonymiser != "b2"]
    answer = answers(alone, comparisons)["demo"]
    assert (
        answer.verdict
        == "b2r is not shown to protect: its interval overlaps with that of unprotected speech."
    )
    systems, comparisons = report(verdict="B is better", unprotected=(0.5, 3.5))
    assert "No protection is shown" not in answers(systems, comparisons)["demo"].text


def test_too_few_speakers_for_an_interval_are_too_few_to_protect_better(report):
    systems, comparisons = report(unprotected=("undefined", "undefined"))
    assert answers(systems, comparisons)["demo"].verdict.startswith(
        "No anonymiser is shown to protect"
    )


def test_under_different_attacks_disjoint_intervals_decide(report):
    systems, comparisons = report(verdict="B is better")
    systems = [
        system._replace(mean=system.mean | {"eer_percent": 1.0})
        if (system.anonymiser, system.condition) == ("b2", "op")
        else system
        for system in systems
    ]
    assert strongest_attacks(systems)["demo", "b2"].condition == "op"
    assert (
        "cannot be told apart from b2." in answers(systems, comparisons)["demo"].verdict
    )  # both 4 to 7.25


def test_zero_evidence_is_said_of_the_lists_where_it_holds(report):
    systems, _ = report(band="0.01")
    assert zero_evidence(systems)["demo"] == "Every attack found more than zero evidence (D_ECE)."
    systems[0].lists["f"] |= {"dece_null95_bit": "undefined"}
    assert zero_evidence(systems)["demo"].startswith("Every attack that could be judged found more")
    systems, _ = report(band="0.25")  # as high as every D_ECE
    assert zero_evidence(systems)["demo"].startswith(
        "No more than zero evidence (D_ECE): original (no protection, xvector + cosine; f), "
        "original (no protection,"
    )
    systems, _ = report(band="undefined")
    assert zero_evidence(systems) == {}


def test_the_terminal_shows_limits_and_the_band(report):
    systems, comparisons = report(band="0.25")
    lines = summary(systems, comparisons)
    assert max(map(len, lines)) <= WIDTH
    row = next(index for index, line in enumerate(lines) if line.startswith("b2r  "))
    assert [line.split() for line in lines[row + 1 : row + 4]] == [
        ["95", "%", "from", "4.0"],
        ["95", "%", "to", "7.2"],
        ["zero", "evid.", "0.250"],
    ]
    assert lines[row].index("0.250") == lines[row + 3].index("0.250")  # below the D_ECE
    assert any("No more than zero evidence" in line for line in lines)


def test_the_tables_for_papers_hold_the_intervals(report, tmp_path):
    systems, _ = report()
    write_comparison(tmp_path / "comparison.tsv", systems)
    header, *lines = [
        line.split("\t") for line in (tmp_path / "comparison.tsv").read_text().splitlines()
    ]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    assert [rows[5][f"eer_percent_{limit}"] for limit in ("ci_low", "ci_high")] == ["4.0", "7.25"]
    assert rows[5]["dece_null95_bit"] == "0.01" and rows[5]["cllr_bit_ci_low"] == "-"
    write_latex(tmp_path / "comparison.tex", systems)
    text = (tmp_path / "comparison.tex").read_text()
    assert r"95 \% & [4.0, 7.2] &" in text and "zero evidence up to" in text


def test_a_single_list_needs_no_mean(metrics, tmp_path):
    numbers = [metric for metric in with_intervals(metrics) if metric.trials == "f"]
    write_comparisons(tmp_path, verdict="A is better", trials="f")
    systems = compare(numbers, read_comparisons(tmp_path, numbers))
    assert all(isinstance(metric, Number) for metric in numbers)
    assert {system.intervals["f"]["eer_percent"][0] for system in systems} == {1, 19, 25, 5, 8.25}


def test_of_many_systems_the_terminal_shows_the_strongest_attacks(metrics):
    of_b2 = [metric for metric in metrics if metric.anonymiser == "b2"]
    many = []
    for index in range(20):
        many += [metric._replace(anonymiser=f"a{index}") for metric in of_b2]
    lines = summary(compare([*metrics, *many]))
    assert any(line.startswith("Of many systems, the strongest attack on each") for line in lines)
    assert not any("ignorant" in line for line in lines)
    assert sum(line.startswith("a") and "lazy-informed" in line for line in lines) == 20


def test_a_weak_attack_without_evidence_is_no_protection(metrics):
    bands = [
        metric._replace(
            metric="dece_null95_bit",
            value="1" if (metric.anonymiser, metric.condition) == ("b2r", "op") else "0",
        )
        for metric in metrics
        if metric.metric == "dece_bit"
    ]
    sentence = zero_evidence(compare(sorted([*metrics, *bands])))["demo"]
    assert sentence.startswith("No more than zero evidence (D_ECE): b2r (ignorant, ")
    assert sentence.endswith("; the strongest attacks found more.")
