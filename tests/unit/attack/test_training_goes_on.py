"""A killed training goes on to the same weights; one of other speech, recipe or start does not."""

import itertools
import os
import shutil
from pathlib import Path

import pytest
from speechbrain.utils import checkpoints
from support.trained import changed, curve, weights

from voiceprivacy.attack.training.batches import Pieces
from voiceprivacy.attack.training.brain import History, SpeakerBrain
from voiceprivacy.inout.manifests import read_manifest


@pytest.fixture
def kill(train, monkeypatch):
    """Train, and be killed where a method that is put in its place says so."""

    def kill(folder, put, *where, **options):
        with monkeypatch.context() as patch:
            getattr(patch, put)(*where)
            with pytest.raises(KeyboardInterrupt):
                train(folder, **options)

    return kill


START = SpeakerBrain.on_stage_start


def start_but_the_last_epoch(self, stage, epoch=None):
    if epoch == self.schedule.number_of_epochs:
        raise KeyboardInterrupt
    START(self, stage, epoch)


IN_LAST_EPOCH = ("setattr", SpeakerBrain, "on_stage_start", start_but_the_last_epoch)


@pytest.fixture
def heard(monkeypatch):
    """The epochs of which pieces are heard."""
    epochs, get = set(), Pieces.__getitem__

    def item(self, piece):
        epochs.add(piece[0])
        return get(self, piece)

    monkeypatch.setattr(Pieces, "__getitem__", item)
    return epochs


def assert_same(one, other):
    assert weights(one) == weights(other)
    assert curve(one, "loss") == curve(other, "loss")


def test_a_killed_training_goes_on_to_the_same_weights(train, kill, heard, whole, tmp_path):
    kill(tmp_path / "killed", *IN_LAST_EPOCH)
    assert not (tmp_path / "killed").exists()
    heard.clear()
    assert_same(train(tmp_path / "killed"), whole)
    assert heard == {2}


def test_a_half_removed_older_checkpoint_is_left_out(train, kill, whole, tmp_path):
    """As after a kill in the moment when SpeechBrain removes it."""
    kill(tmp_path / "killed", *IN_LAST_EPOCH)
    (checkpoint,) = tmp_path.glob("killed.checkpoints/*/CKPT+*")
    older = checkpoint.with_name("CKPT+older")
    older.mkdir()
    text = (checkpoint / "CKPT.yaml").read_text()
    (older / "CKPT.yaml").write_text(text.replace("unixtime: ", "unixtime: 1 # "))
    assert_same(train(tmp_path / "killed"), whole)


def test_a_half_saved_checkpoint_is_left_out(train, kill, whole, tmp_path):
    calls = itertools.count(1)

    def write(history, path):
        if next(calls) == 2:
            raise KeyboardInterrupt
        history.write(path)

    kill(tmp_path / "killed", "setitem", checkpoints.DEFAULT_SAVE_HOOKS, History, write)
    (half,) = tmp_path.glob("killed.checkpoints/*.unfinished/CKPT*")
    assert (half / "CKPT.yaml").exists() and not (half / "history.ckpt").exists()
    assert_same(train(tmp_path / "killed"), whole)


def test_a_training_killed_while_it_cleaned_up_is_repeated(train, kill, recipe, tmp_path):
    changed(recipe, "number_of_epochs: 2", "number_of_epochs: 1")
    remove = shutil.rmtree

    def remove_some(folder, **options):
        if Path(folder).suffix != ".checkpoints":
            return remove(folder, **options)
        for path in list(Path(folder).rglob("history.ckpt")):
            path.unlink()
        raise KeyboardInterrupt

    kill(tmp_path / "model", "setattr", shutil, "rmtree", remove_some)
    first = weights(tmp_path / "model")
    (tmp_path / f".model.{'0' * 32}").mkdir()  # of one that was killed while it wrote the folder
    assert weights(train(tmp_path / "model")) == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "recipe.yaml"]


@pytest.mark.parametrize(
    "other", ["recipe", "tones/s0-0.flac", "start/embedding_model.ckpt", "start/classifier.ckpt"]
)
def test_other_input_begins_anew(train, kill, heard, whole, recipe, tones, tmp_path, other):
    """Speech of the same names and lengths: as after a change of the anonymiser under attack."""
    shutil.copytree(tones.parent, tmp_path / "tones")
    utterances = read_manifest(tmp_path / "tones" / tones.name)
    options = {"utterances": utterances, "start": shutil.copytree(whole, tmp_path / "start")}
    kill(tmp_path / "model", *IN_LAST_EPOCH, **options)
    if other == "recipe":
        changed(recipe, "lr: 0.002", "lr: 0.001")
    else:
        os.utime(tmp_path / other, ns=(0, 0))
    heard.clear()
    train(tmp_path / "model", **options)
    assert heard == {1, 2}
    assert not (tmp_path / "model.checkpoints").exists()
