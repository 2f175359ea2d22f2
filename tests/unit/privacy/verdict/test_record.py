"""Records of attacks: what is drawn from score lists of all sorts, files, speakers from labels."""

import json

import numpy as np
import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Trial
from voiceprivacy.privacy.scores.trials import arrange, ids_of
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED
from voiceprivacy.privacy.verdict.record import (
    NAMED_AT,
    SHARE_OF_RISK,
    inferred_speakers,
    read_records,
    record_of,
    trials_of_unknown,
    write_records,
)

N_UTTERANCES = 4


def everybody_tried(score, n_speakers=6, *, kept=lambda one, other: True):
    """{label: [(Trial, score), ...]} of everybody against everybody, and the speakers' map."""
    scored = {"target": [], "nontarget": []}
    speakers = {}
    for one in range(n_speakers):
        for number in range(n_speakers * N_UTTERANCES):
            other = number // N_UTTERANCES
            speakers |= {f"e{one}": f"s{one}", f"u{number}": f"s{other}"}
            label = "target" if one == other else "nontarget"
            if kept(one, other):
                scored[label].append((Trial(f"e{one}", f"u{number}", label), score(one, other)))
    return scored, speakers


def made(score, n_speakers=6, *, condition="pp", n_replicates=20, **options):
    scored, speakers = everybody_tried(score, n_speakers, **options)
    trials, ids = arrange(scored, speakers), ids_of(scored, alike=condition == "rr")
    return record_of(condition, trials, ids, n_replicates=n_replicates, seed=0)


def noise(seed=0, distance=0.0):
    draw = np.random.default_rng(seed)
    return lambda one, other: draw.normal() + distance * (one == other)


def value(record, number, reading=0):
    return record.values[reading, record.numbers.index(number)]


@pytest.mark.parametrize("n_speakers", [1, 2, 3, 4, 5, 7])
def test_few_speakers_have_a_record(n_speakers):
    first = 0
    kept = (lambda one, other: one == first) if n_speakers == 1 else (lambda one, other: True)
    record = made(noise(distance=3), max(n_speakers, 2), kept=kept)
    assert record.n_speakers == n_speakers
    assert value(record, DECE) > 0.3 and value(record, EER) < 20


def test_constant_scores_have_no_spread():
    record = made(lambda one, other: 0.25)
    assert record.spread == 0 and record.tied == 1
    assert value(record, DECE) == 0 and value(record, EER) == 50


def test_infinite_scores_count_by_their_order():
    record = made(lambda one, other: np.inf if one == other else -np.inf)
    assert value(record, DECE) > 0.7 and value(record, EER) < 1
    assert record.spread == 0 and record.tied == pytest.approx(5 / 6)
    assert np.isfinite(record.values[:, :2]).all()


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-315])
def test_scores_near_the_ends_of_the_range_are_like_others(scale):
    """Their squares are no numbers, and an infinite spread could not be read from the file."""
    usual, far_off = made(noise(distance=2)), noise(distance=2)
    record = made(lambda one, other: scale * far_off(one, other))
    np.testing.assert_allclose(record.values, usual.values, rtol=1e-4)
    assert 0.1 < record.spread < 10


def test_negated_scores_are_found_in_the_other_direction():
    up, turned = made(noise(distance=2)), noise(distance=2)
    down = made(lambda one, other: -turned(one, other))
    assert value(up, DECE) == pytest.approx(value(down, DECE, reading=1))
    assert value(up, EER) == pytest.approx(value(down, EER, reading=1))


def test_short_lists_say_why_a_number_is_undefined():
    record = made(noise())
    assert np.isnan(value(record, EXPOSED)) and "list too short" in record.reasons[EXPOSED]
    assert np.isfinite(value(record, DECE))


def test_without_replicates_there_are_still_permutations():
    record = made(noise(), n_replicates=0)
    assert record.replicates.shape[-1] == 0 and record.null.shape[-1] > 100


def test_files_hold_what_was_written_but_for_undefined_numbers(tmp_path):
    record = made(noise(distance=1))
    write_records(tmp_path / "given.json", {"pp": record, "op": made(noise(1))})
    read = read_records(tmp_path / "given.json")
    assert list(read) == ["pp", "op"]
    is_known = ~np.isnan(record.values).all(axis=0)
    assert 0 < is_known.sum() < len(is_known)  # the list is short
    assert read["pp"].numbers == tuple(np.array(record.numbers)[is_known])
    for name in ("values", "replicates", "null"):
        written = getattr(record, name)[:, is_known]
        np.testing.assert_allclose(getattr(read["pp"], name), written, rtol=1e-6)
    same = {"values": None, "replicates": None, "null": None, "numbers": None}
    assert read["pp"]._replace(**same) == record._replace(**same)


def test_a_file_without_conditions_is_empty(tmp_path):
    write_records(tmp_path / "given.json", {})
    assert read_records(tmp_path / "given.json") == {}


def test_a_file_with_a_field_too_many_is_none(tmp_path):
    write_records(tmp_path / "given.json", {"pp": made(noise())})
    fields = json.loads((tmp_path / "given.json").read_text())
    fields["pp"]["another"] = 1
    (tmp_path / "given.json").write_text(json.dumps(fields))
    with pytest.raises(BadInput, match="pp: expected values"):
        read_records(tmp_path / "given.json")


def test_a_file_of_another_shape_is_none(tmp_path):
    record = made(noise())
    write_records(tmp_path / "given.json", {"pp": record})
    arrays = dict(np.load(tmp_path / "given.npz"))
    np.savez(tmp_path / "given.npz", **arrays | {"pp/values": arrays["pp/values"][:, :1]})
    with pytest.raises(BadInput, match="another shape"):
        read_records(tmp_path / "given.json")


# Speakers from labels.


def labelled(*trials):
    scored = {"target": [], "nontarget": []}
    for enrolment, trial, label in trials:
        scored[label].append((Trial(enrolment, trial, label), 0.5))
    return scored


def test_ids_that_target_trials_join_are_one_speaker():
    scored = labelled(("a", "u1", "target"), ("b", "u1", "target"), ("c", "u2", "nontarget"))
    assert inferred_speakers(scored) == {"a": "a", "b": "a", "u1": "a", "c": "c", "u2": "u2"}


def test_labels_that_contradict_each_other_give_no_trials(tmp_path, capsys):
    scored = labelled(("a", "u1", "target"), ("a", "u1", "nontarget"), ("b", "u2", "target"))
    assert trials_of_unknown(tmp_path / "pp.tsv", scored) is None
    assert "pp.tsv: no verdict without --speakers" in capsys.readouterr().err


@pytest.mark.parametrize(("n_speakers", "is_named"), [(34, False), (35, True)])
def test_upwards_somebody_can_be_named_from_35_speakers_on(n_speakers, is_named):
    """That reading has 60 % of the risk of naming somebody innocent, the others share the rest."""
    exposed = made(noise_but_for(2), n_speakers, n_replicates=1).exposed
    assert ("s0" in exposed["ascending"]) == is_named
    assert exposed["descending"] == exposed["near"] == exposed["far"] == {}
    assert all(0 < p_value <= NAMED_AT for p_value in exposed["ascending"].values())


def test_readings_share_the_risk_of_naming_somebody():
    assert sum(SHARE_OF_RISK.values()) == pytest.approx(1)


def noise_but_for(n_found):
    """Scores in which the first speakers are always found."""
    draw = np.random.default_rng(0)
    return lambda one, other: draw.normal() + 20.0 * (one == other < n_found)
