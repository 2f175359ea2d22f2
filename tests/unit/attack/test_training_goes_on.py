"""A killed training goes on to the same weights; one of other speech, recipe or start does not."""

import itertools
import os
import shutil
from pathlib import Path

import pytest
from speechbrain.utils import checkpoints
from support.trained import changed, curve, killed_in_epoch, weights

from voiceprivacy.attack.training import training
from voiceprivacy.attack.training.batches import Pieces
from voiceprivacy.attack.training.brain import History, SpeakerBrain
from voiceprivacy.inout.tables import read_manifest


def test_a_training_that_was_killed_goes_on_to_the_same_weights(
    recipe, tones, tmp_path, monkeypatch
):
    utterances = read_manifest(tones)
    training.train(utterances, recipe=recipe, folder=tmp_path / "whole", seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(SpeakerBrain, "on_stage_start", killed_in_epoch(3))
        with pytest.raises(KeyboardInterrupt):
            training.train(utterances, recipe=recipe, folder=tmp_path / "killed", seed=1)
    assert not (tmp_path / "killed").exists()
    heard = []
    monkeypatch.setattr(Pieces, "__getitem__", told(Pieces.__getitem__, heard))
    training.train(utterances, recipe=recipe, folder=tmp_path / "killed", seed=1)
    assert {epoch for epoch, _ in heard} == {3, 4}
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    assert curve(tmp_path / "killed", "loss") == curve(tmp_path / "whole", "loss")


def test_a_training_that_was_killed_while_it_saved_goes_on_from_the_epoch_before(
    recipe, tones, tmp_path, monkeypatch
):
    utterances = read_manifest(tones)
    training.train(utterances, recipe=recipe, folder=tmp_path / "whole", seed=1)
    with monkeypatch.context() as patch:
        patch.setitem(
            checkpoints.DEFAULT_SAVE_HOOKS, History, killed_in_its_third_call(History.write)
        )
        with pytest.raises(KeyboardInterrupt):
            training.train(utterances, recipe=recipe, folder=tmp_path / "killed", seed=1)
    half = list(tmp_path.glob("killed.checkpoints/*.unfinished/CKPT*"))
    assert (
        len(half) == 1
        and (half[0] / "CKPT.yaml").exists()
        and not (half[0] / "history.ckpt").exists()
    )
    training.train(utterances, recipe=recipe, folder=tmp_path / "killed", seed=1)
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    assert curve(tmp_path / "killed", "loss") == curve(tmp_path / "whole", "loss")


def test_a_training_that_was_killed_while_it_cleaned_up_can_be_repeated(
    recipe, tones, tmp_path, monkeypatch
):
    utterances, remove = read_manifest(tones), shutil.rmtree

    def remove_some(folder, **options):
        if Path(folder).suffix != ".checkpoints":
            return remove(folder, **options)
        for path in list(Path(folder).rglob("history.ckpt")):
            path.unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", remove_some)
        with pytest.raises(KeyboardInterrupt):
            training.train(utterances, recipe=recipe, folder=tmp_path / "model", seed=1)
    first = weights(tmp_path / "model")
    (tmp_path / f".model.{'0' * 32}").mkdir()  # of one that was killed while it wrote the folder
    training.train(utterances, recipe=recipe, folder=tmp_path / "model", seed=1)
    assert weights(tmp_path / "model") == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "recipe.yaml"]


def killed_in_its_third_call(save):
    calls = itertools.count(1)

    def write(self, path):
        if next(calls) == 3:
            raise KeyboardInterrupt
        save(self, path)

    return write


def told(get, heard):
    def item(self, piece):
        heard.append(piece)
        return get(self, piece)

    return item


def test_another_recipe_does_not_go_on_from_the_checkpoints_of_this_one(
    recipe, tones, tmp_path, monkeypatch
):
    utterances = read_manifest(tones)
    with monkeypatch.context() as patch:
        patch.setattr(SpeakerBrain, "on_stage_start", killed_in_epoch(3))
        with pytest.raises(KeyboardInterrupt):
            training.train(utterances, recipe=recipe, folder=tmp_path / "model", seed=1)
    heard = []
    monkeypatch.setattr(Pieces, "__getitem__", told(Pieces.__getitem__, heard))
    training.train(
        utterances,
        recipe=changed(recipe, "lr: 0.002", "lr: 0.001"),
        folder=tmp_path / "model",
        seed=1,
    )
    assert {epoch for epoch, _ in heard} == {1, 2, 3, 4}
    assert not (tmp_path / "model.checkpoints").exists()


@pytest.mark.parametrize(
    "changed_file", ["tones/s0-0.flac", "start/embedding_model.ckpt", "start/classifier.ckpt"]
)
def test_other_speech_or_another_start_does_not_go_on_from_the_checkpoints(
    recipe, tones, tmp_path, monkeypatch, changed_file
):
    """Of the same names and lengths: as after a change of the anonymiser under attack."""
    shutil.copytree(tones.parent, tmp_path / "tones")
    utterances = read_manifest(tmp_path / "tones" / tones.name)
    training.train(utterances, recipe=recipe, folder=tmp_path / "start", seed=2)
    arguments = {
        "recipe": recipe,
        "folder": tmp_path / "model",
        "seed": 1,
        "start": tmp_path / "start",
    }
    with monkeypatch.context() as patch:
        patch.setattr(SpeakerBrain, "on_stage_start", killed_in_epoch(3))
        with pytest.raises(KeyboardInterrupt):
            training.train(utterances, **arguments)
    os.utime(tmp_path / changed_file, ns=(0, 0))
    heard = []
    monkeypatch.setattr(Pieces, "__getitem__", told(Pieces.__getitem__, heard))
    training.train(utterances, **arguments)
    assert {epoch for epoch, _ in heard} == {1, 2, 3, 4}
