"""The planted leak: its size, where it goes, and who finds it."""

import numpy as np
import pytest
from support.calls import flags, succeeds
from support.leak_sets import found_in

from voiceprivacy.attack.leak_control import (
    CORRELATION,
    N_DIRECTIONS,
    PLANTED_PERCENT,
    deviation_of,
    leak_for,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.enrolments import write_enrolments
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.trial_lists import write_trials
from voiceprivacy.privacy.verdict.evidence import PERCENT, gain
from voiceprivacy.vocabulary import LABELS

SPREAD = np.geomspace(0.01, 10, 16)


def speech(n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n, len(SPREAD))) * SPREAD


@pytest.mark.parametrize("n_enrolling", [1, 2, 10])
def test_who_knows_the_directions_finds_thirty_percent(n_enrolling):
    draw = np.random.default_rng(0)
    shape, deviation = (20_000, N_DIRECTIONS), deviation_of(n_enrolling)
    shift, other, heard, enrolled = (draw.normal(size=shape) for _ in range(4))
    enrolled = deviation * shift + enrolled / np.sqrt(n_enrolling)
    enrolled /= np.sqrt(deviation**2 + 1 / n_enrolling)
    gains = 0.0
    for tried, sign in ((shift, 1), (other, -1)):
        trial = (deviation * tried + heard) / np.sqrt(deviation**2 + 1)
        square = CORRELATION**2
        squares = square * (enrolled**2 + trial**2) - 2 * CORRELATION * enrolled * trial
        llrs = -(squares / (1 - square) + np.log(1 - square)).sum(axis=1) / 2
        gains += gain(sign * llrs).mean()
    assert PERCENT * gains == pytest.approx(PLANTED_PERCENT, abs=1)


def test_a_leak_lies_where_little_varies_and_moves_all_recordings_of_a_person_alike():
    leak = leak_for(speech(), speech(seed=1), enrolling=2)
    names = ["a", "b", "a"]
    moved = leak.planted(np.zeros((3, 16)), names)
    assert (moved[0] == moved[2]).all()
    assert (moved[0] != moved[1]).any()
    assert (leak.planted(np.zeros((2, 16)), names[1:]) == moved[1:]).all()
    assert np.abs(moved[:, -2:]).max() < 0.1 * np.abs(moved).max()


def test_embeddings_that_do_not_vary_enough_are_refused():
    with pytest.raises(BadInput, match="7 directions"):
        leak_for(speech(8), speech(), enrolling=1)


@pytest.mark.parametrize(("kind", "is_found"), [("recipe", True), ("permuted", False)])
def test_the_recipe_finds_it_and_permuted_speakers_do_not(kind, is_found):
    assert (found_in(kind, 120, 30, 0.1, seed=0, dimensions=48).low() > 2) == is_found


def listed(folder, draw):
    """Files of 20 training persons, and of 8 whom a list compares; rows and trials in any order."""
    folder.mkdir()
    files = {}
    for part, n_persons, n_each in (("train", 20, 3), ("enrolment", 8, 1), ("trial", 8, 2)):
        names = [f"{part}{row}" for row in range(n_persons * n_each)]
        rows = draw.permutation(len(names))
        files[part] = folder / f"{part}.npz"
        ids = np.array(names)[rows]
        write_embeddings(files[part], Embeddings(ids, speech(len(names))[rows].astype("f4")))
        whose = "learnt" if part == "train" else "tried"
        persons = [f"{whose}{row // n_each}" for row in range(len(names))]
        spoken = [
            Utterance(name, person, "f", f"{name}.wav", 1.0)
            for name, person in zip(names, persons, strict=True)
        ]
        files[f"{part}_manifest"] = folder / f"{part}.tsv"
        write_manifest(files[f"{part}_manifest"], spoken)
    write_enrolments(
        folder / "enrolments.tsv", {f"e{row}": [f"enrolment{row}"] for row in range(8)}
    )
    trials = [
        (f"e{pair % 8}", f"trial{pair // 8}", LABELS[int(pair % 8 != pair // 16)])
        for pair in draw.permutation(8 * 16).tolist()
    ]
    write_trials(folder / "f.tsv", trials)
    given = {"embeddings": files.pop("train"), "manifest": files.pop("train_manifest"), **files}
    lists = {"trials": folder / "f.tsv", "enrolments": folder / "enrolments.tsv"}
    return given | lists | {"evidence": folder / "evidence.json"}


def planted(shrinkage=0.1, **options):
    succeeds("plant_leak", *flags(**options, shrinkage=shrinkage))
    return read_json(options["evidence"])


def test_the_order_of_files_changes_nothing_and_a_rotation_is_not_tried(tmp_path):
    files = [listed(tmp_path / str(seed), np.random.default_rng(seed)) for seed in range(2)]
    one, other = (planted(**own)["lists"]["f"] for own in files)
    assert one == pytest.approx(other, rel=1e-3)
    assert planted(**files[0], type="procrustes")["lists"] == {}
