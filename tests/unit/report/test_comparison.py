"""The comparison: rows worked out by hand, the best protection first, nothing left out; answers."""

import math
import random

import pytest

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.errors import BadInput
from voiceprivacy.report import comparison
from voiceprivacy.report.answer import evaluated, rank_answers, ready_made_note, what_was_run
from voiceprivacy.report.described_corpora import PartOfCorpus
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import GIVEN, attacker_name


def changed(metrics, value, **where):
    return [
        one._replace(value=value) if one._asdict() == one._asdict() | where else one
        for one in metrics
    ]


NEEDED = [column for column in COLUMNS if not column.optional]


@pytest.mark.parametrize("column", NEEDED, ids=lambda column: column.name)
def test_a_missing_number_is_named_and_never_left_out(metrics, column):
    condition = [name for name in column.conditions if name in comparison.ATTACKS][-1]
    anonymiser = "original" if condition == "oo" else "b2"
    where = {"trials": "m", "anonymiser": anonymiser, "metric": column.name, "condition": condition}
    left = [one for one in metrics if one._asdict() != one._asdict() | where]
    assert len(left) == len(metrics) - 1
    with pytest.raises(BadInput, match=f"^{column.name} of demo/m/b2/xvector/cosine under .. is"):
        comparison.compare(left)


def test_a_run_without_the_original_and_a_number_that_is_none_are_refused(metrics):
    with pytest.raises(BadInput, match="original/xvector/cosine under oo is missing"):
        comparison.compare([metric for metric in metrics if metric.anonymiser != "original"])
    where = {"metric": "dece_bit", "anonymiser": "b2", "trials": "f", "condition": "op"}
    with pytest.raises(BadInput, match="dece_bit of demo/f/b2/xvector/cosine under op is 'x', not"):
        comparison.compare(changed(metrics, "x", **where))


@pytest.fixture(scope="module")
def of_two_attackers(metrics):
    return sorted([*metrics, *(one._replace(backend="plda") for one in metrics)])


def test_the_order_of_the_metrics_does_not_matter(of_two_attackers):
    for seed in range(5):
        shuffled = random.Random(seed).sample(of_two_attackers, len(of_two_attackers))
        assert comparison.compare(shuffled) == comparison.compare(of_two_attackers)


def test_the_strongest_attack_is_the_lowest_mean_eer_of_all_attackers(of_two_attackers):
    of_b2r = {"backend": "plda", "anonymiser": "b2r", "condition": "op", "metric": "eer_percent"}
    best = comparison.strongest_attacks(
        comparison.compare(changed(of_two_attackers, "5.0", **of_b2r))
    )["demo", "b2r"]
    assert (best.backend, best.condition) == ("plda", "op")
    assert best.mean.numbers["eer_percent"].value == 5.0


def test_whoever_errs_more_than_half_of_the_time_turns_round(metrics):
    """Negated scores of a good attacker have an EER of 98 %, and stand where 2 % stands."""
    metrics = changed(metrics, "98.0", anonymiser="b2r", condition="pp", metric="eer_percent")
    systems = comparison.compare(metrics)
    assert comparison.strongest_attacks(systems)["demo", "b2r"].condition == "pp"
    assert [system.anonymiser for system in systems] == ["original", "b2", "b2", "b2r", "b2r"]


def test_what_was_run_is_counted_and_controls_are_no_anonymisers(systems):
    words = what_was_run(systems, [])
    assert "2 anonymisers (b2, b2r) on 1 corpus (demo)" in words
    assert "1 attacker (xvector + cosine)" in words and "control" not in words
    words = what_was_run(systems, [], {"b2", "not_there"})
    assert "1 anonymiser (b2r)" in words and "1 control (b2)" in words
    words = what_was_run(systems, [], {"b2", "b2r"})
    assert "2 controls (b2, b2r)" in words and "anonymiser" not in words


def test_of_speech_that_was_there_already_the_page_says_what_the_attacker_may_hold(systems):
    config = {"anonymisers": {"b2": {"audio": "there"}, "b2r": {"command": "x"}, "other": {}}}
    assert " b2 " in ready_made_note(systems, {"config": config})
    without = [one for one in systems if (one.anonymiser, one.condition) != ("b2", "pp")]
    assert ready_made_note(without, {"config": config}) == "", "nobody enrols with it"
    assert ready_made_note(systems, {}) == ""


def test_recordings_that_were_left_out_before_the_run_are_counted():
    part = PartOfCorpus("demo", "trial", 1, 1, 0, 2, 0.01)
    record = {"config": {"corpora": {"demo": {"left_out": 3}}}}
    assert "2 recordings (3 more" in evaluated([part], record)["demo"].speech


def test_who_evaluated_when_is_said():
    part = PartOfCorpus("demo", "trial", 1, 1, 0, 2, 0.01)
    record = {"created": "2026-11-03", "config": {"report": {"by": "Lab A"}}}
    assert "on 3 November 2026 by Lab A." in evaluated([part], record)["demo"].speech
    with pytest.raises(BadInput, match=r"report\.by"):
        evaluated([part], record | {"config": {"report": {"by": "Lab\nA"}}})


def test_a_release_is_named_by_what_was_made_and_by_what_lay_there_already():
    config = {"anonymisers": {"b2": {"function": "x.py:y"}, "team": {"audio": "/wavs"}}}
    made = {"audio/demo/trial/b2/wav/0/a.flac": "1", "audio/demo/trial/original/wav/0/a.flac": "2"}
    sources = {f"results/sources/anonymisers/{name}.sha256": name for name in ("b2", "team")}
    part = PartOfCorpus("demo", "trial", 1, 1, 0, 2, 0.01)

    def release(outputs, sha256):
        record = {"config": config, "outputs": outputs, "sha256": sha256}
        words = evaluated([part], record)["demo"].speech.rstrip(".").split("protected recordings ")
        return words[1:]

    edited, other = "results/sources/anonymisers/team.sha256", "audio/demo/trial/b2/wav/0/a.flac"
    names = [release(made, sources), release({}, sources), release(made, {})]
    names += [release(made, sources | {edited: "edited"}), release(made | {other: "3"}, sources)]
    assert len(set(map(tuple, names))) == 5 and all(len(name) == 1 for name in names)
    edited = "results/sources/anonymisers/b2.sha256"
    assert release(made, sources | {edited: "edited"}) == names[0] and release({}, {}) == []


def test_the_table_has_a_line_per_list_and_one_for_the_mean(tmp_path, systems):
    comparison.write_comparison(tmp_path / "comparison.tsv", systems)
    lines = (tmp_path / "comparison.tsv").read_text().splitlines()
    header, *rows = [line.split("\t") for line in lines]
    assert len(rows) == 5 * 3
    row = dict(zip(header, rows[5], strict=True))
    numbers = {"eer_percent": "25.5", "dece_bit": "0.25", "worst_case_log10": "2.0"}
    numbers |= {"deid_percent": "50.0", "gvd_db": "-", "identification_rate_percent": "40.0"}
    attack = {"anonymiser": "b2r", "attack": "ignorant", "trials": "mean of f, m", "tag": "-"}
    assert row == row | numbers | attack
    limits = {f"{column.name}_{end}" for column in COLUMNS for end in ("ci_low", "ci_high")}
    assert limits <= row.keys() and {row[name] for name in limits} == {"-"}


def test_lists_without_a_gallery_have_no_ranks_for_any_system_or_for_all(metrics):
    of_ranks = {"mean_disclosure_bit", "model_mean_disclosure_bit", "identification_rate_percent"}
    unranked = [one for one in metrics if one.metric not in of_ranks]
    for system in comparison.compare(unranked):
        assert {system.mean.numbers[name].value for name in of_ranks} == {None}
    some = [one for one in metrics if one in unranked or one.anonymiser == "original"]
    with pytest.raises(BadInput, match=r"mean_disclosure_bit of .* is missing"):
        comparison.compare(some)


def test_scores_of_others_are_shown_without_the_columns_that_they_do_not_have(metrics):
    systems = comparison.compare(
        [metric._replace(extractor="team7", backend=GIVEN) for metric in metrics]
    )
    shown = {column.name for column in comparison.shown_columns(systems)}
    assert {"eer_percent", "dece_bit"} <= shown and not shown & comparison.OF_MATRICES


def test_a_weighted_mean_keeps_what_is_undefined_or_infinite():
    assert comparison.weighted_mean([1.0, 3.0], [3, 1]) == 1.5
    assert comparison.weighted_mean([1.0, None], [1, 1]) is None
    assert comparison.weighted_mean([math.inf, 1.0], [1, 1]) == math.inf
    assert comparison.weighted_mean([math.inf, -math.inf], [1, 1]) == "undefined"
    assert comparison.weighted_mean(["undefined", 1.0], [1, 1]) == "undefined"


def test_an_interval_is_folded_at_its_ends():
    assert comparison.folded_limits(None) is None
    assert comparison.folded_limits((10.0, 30.0)) == (10.0, 30.0)
    assert comparison.folded_limits((40.0, 55.0)) == (40.0, 50.0)
    assert comparison.folded_limits((45.0, 70.0)) == (30.0, 50.0)
    assert comparison.folded_limits((80.0, 95.0)) == (5.0, 20.0)


def test_attackers_of_protected_speech_are_named_in_words():
    assert attacker_name("ecapa", "cosine") == "ecapa + cosine"
    assert attacker_name("resemblyzer", "semi_on_b2r") == "resemblyzer + semi-informed (b2r)"
    assert attacker_name("tuned_on_b2", "plda_on_b2") == "tuned (b2) + plda (b2)"
    assert attacker_name("semi", "semi") == "semi + semi"
    assert attacker_name("ecapa", "semi_without_b2") == "ecapa + semi (without b2)"


def disclosed(anonymiser, condition, bit, *limits, trials="mixed_t1_d1"):
    key = ("ranks", trials, anonymiser, "ecapa", "cosine", condition, "disclosure_bit")
    return Number(*key, str(bit), *map(str, limits or ("-", "-")))


RUN = [
    disclosed("original", "oo", 4.0, 3.9, 4.1),
    disclosed("b2", "op", 0.5, 0.2, 0.9),
    disclosed("b2", "pp", 3.5, 3.0, 3.95),
    disclosed("b2r", "pp", 1.5, 1.0, 2.0),
    disclosed("b2r", "pp", 2.25, 2.0, 2.5, trials="mixed_t4_d4"),
]


def test_the_gallery_that_discloses_most_counts_and_the_least_comes_first():
    [answer] = rank_answers(RUN).values()
    assert "b2r 2.25 [2.00, 2.50], b2 3.50 [3.00, 3.95], original 4.00 [3.90, 4.10]" in answer
    assert rank_answers([]) == {}
    assert "ranks decide" in what_was_run([], RUN) and "No attack" in what_was_run([], [])
