"""Curves of law over speakers and lengths: limited, measured, and in the strongest reading."""

import itertools

import numpy as np
import pytest
from support.speakers import conversation_list, linkability, noisy

from voiceprivacy.inout.scored_trials import ScoredTrials
from voiceprivacy.inout.tables import read_rows
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.privacy.law import curves
from voiceprivacy.privacy.rows import LawPoint
from voiceprivacy.privacy.scores import assessment
from voiceprivacy.privacy.scores.score_files import arrange, ids_of

KEY = ("label", "reading", "criterion", "n_speakers", "length")


def effects(seed, n_speakers, n_utterances, separation):
    """Scores (S, U, S) with effects of models, of pairs and of utterances."""
    draw = np.random.default_rng(seed)
    own = separation * np.eye(n_speakers)[:, None, :]
    pairs = draw.normal(0, 0.5, (n_speakers, 1, n_speakers))
    noise = draw.normal(size=(n_speakers, n_utterances, n_speakers))
    return own + pairs + draw.normal(0, 0.5, n_speakers) + noise


def test_curves_hold_every_size_and_length_and_no_more_speakers_than_are_there():
    listed = conversation_list(effects(0, 24, 9, 2.0))
    points = curves.curve("linkability", **listed, sizes=(2, 24, 25), lengths=(1, 3, None))
    assert [(point.n_speakers, point.length) for point in points[:4]] == [
        *[(n, 1) for n in (2, 24, 25)],
        (2, 3),
    ]
    assert [np.isnan(point.rate.value) for point in points] == [False, False, True] * 3
    assert points[2].rate.reason.endswith("against 24 speakers, fewer than 25")
    longer = [point.rate.value for point in points if point.n_speakers == 24]
    assert longer == sorted(longer)


def written(path, attacks, n_replicates=50):
    written = {}
    for condition, (scored, trials) in attacks.items():
        ids = ids_of(scored, alike=condition == "rr")
        written[condition] = curves.curves_of(
            condition, trials, ids, n_replicates=n_replicates, seed=0
        )
    assessment.write_law(path, written)
    rows = [row for _, row in read_rows(path, ["label", *LawPoint._fields])]
    return {tuple(row[key] for key in KEY): row for row in rows}


def test_a_file_of_curves_holds_what_the_functions_give(tmp_path):
    scored, speaker_of = noisy(1.5, n_speakers=12, n_utterances=4)
    listed = arrange(scored, speaker_of)
    points = written(tmp_path / "law.tsv", {"oo": (scored, listed)})
    ids = ids_of(scored)
    searched = {"trials": listed, "enrolment_id": ids.enrolment, "trial_id": ids.trial}
    linked = points["oo", "ascending", "linkability", "10", "3"]
    expected = linkability(**searched, n_speakers=10, length=3).value
    assert float(linked["value"]) == pytest.approx(expected)
    assert float(linked["guessing"]) == 0.1
    assert float(linked["ci_low"]) < float(linked["value"]) < float(linked["ci_high"])
    sizes = {(criterion, int(size)) for _, _, criterion, size, _ in points}
    assert sizes == {("linkability", n) for n in (2, 5, 10)} | {("singling_out", n) for n in (2, 5)}
    assert points["oo", "ascending", "linkability", "10", "all"]["ci_low"] == "-"
    isolated = points["oo", "ascending", "singling_out", "5", "1"]
    assert float(isolated["guessing"]) == pytest.approx(0.8**4)
    assert not any("undefined" in row.values() or "nan" in row.values() for row in points.values())


def test_another_reading_is_written_where_it_is_surely_stronger(tmp_path):
    for separation, readings in ((3.0, {"ascending"}), (-3.0, {"ascending", "descending"})):
        scored, speaker_of = noisy(separation, n_speakers=12)
        attacks = {"op": (scored, arrange(scored, speaker_of))}
        points = written(tmp_path / "law.tsv", attacks)
        assert {reading for _, reading, *_ in points} == readings
    turned = float(points["op", "descending", "linkability", "10", "1"]["value"])
    assert turned > 0.5 > float(points["op", "ascending", "linkability", "10", "1"]["value"])


def test_curves_without_replicates_have_no_limits_and_tiny_lists_no_points(tmp_path):
    scored, speaker_of = noisy(2.0, n_speakers=12)
    attacks = {"oo": (scored, arrange(scored, speaker_of))}
    points = written(tmp_path / "law.tsv", attacks, n_replicates=0)
    assert points and {row["ci_high"] for row in points.values()} == {"-"}
    scored, speaker_of = noisy(2.0, n_speakers=2, n_utterances=1)
    rows = [(scored.named(index), 0.5) for index in (0, 2)]  # of two utterances
    scored = ScoredTrials.of(rows)
    attacks = {"oo": (scored, arrange(scored, speaker_of))}
    assert written(tmp_path / "law.tsv", attacks) == {}


def test_pairs_within_a_release_are_searched_from_either_side(tmp_path):
    """Own pairs are always closest: every utterance is linked."""
    names = [f"s{speaker}-{number}" for speaker in range(6) for number in range(3)]
    rows = []
    for one, other in itertools.combinations(names, 2):
        label = "target" if one[:2] == other[:2] else "nontarget"
        rows.append((Trial(one, other, label), float(label == "target")))
    scored = ScoredTrials.of(rows)
    attacks = {"rr": (scored, arrange(scored, {name: name[:2] for name in names}))}
    points = written(tmp_path / "law.tsv", attacks)
    assert float(points["rr", "ascending", "linkability", "5", "1"]["value"]) == 1
