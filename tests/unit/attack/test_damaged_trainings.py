"""What a training starts from and goes on from."""

import pytest
import torch
from support.models import small_recipe, write_tones
from support.trained import changed, curve, killed_in_epoch, weights

from voiceprivacy.attack.training import training
from voiceprivacy.attack.training.brain import SpeakerBrain
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest


@pytest.fixture(scope="module")
def utterances(tmp_path_factory):
    manifest = write_tones(tmp_path_factory.mktemp("tones"), speakers=4, utterances=2)
    return read_manifest(manifest)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    path = small_recipe(tmp_path_factory.mktemp("recipe") / "recipe.yaml")
    return changed(path, "number_of_epochs: 4 ", "number_of_epochs: 2 ")


@pytest.fixture
def results(tmp_path):
    """A folder of a run's results."""
    (tmp_path / "models").mkdir()
    return tmp_path


@pytest.fixture
def start(results, utterances, recipe):
    """A model that a run has trained."""
    folder = results / "models" / "start"
    training.train(utterances, recipe=recipe, folder=folder, seed=1)
    return folder


def cut(path):
    path.write_bytes(path.read_bytes()[:100])


# Where it starts.


def test_a_classifier_of_other_speakers_or_none_is_said(start, utterances, recipe, capsys):
    arguments = {"recipe": recipe, "seed": 2}
    training.train(utterances, folder=start.with_name("tuned"), start=start, **arguments)
    assert "from scratch" not in capsys.readouterr().out
    training.train(utterances[:6], folder=start.with_name("fewer"), start=start, **arguments)
    assert "is for other speakers or layers, so the classifier" in capsys.readouterr().out
    copy = start.parents[1] / ".elsewhere"  # people's own folder
    copy.mkdir()
    for name in ("hyperparams.yaml", "embedding_model.ckpt"):
        (copy / name).write_bytes((start / name).read_bytes())
    training.train(utterances, folder=start.with_name("bare"), start=copy, **arguments)
    assert "not found, so the classifier starts from scratch" in capsys.readouterr().out
    torch.save({"weight": torch.ones(2)}, copy / "classifier.ckpt")
    cut(copy / "classifier.ckpt")
    with pytest.raises(BadInput, match=r"classifier.ckpt: not the weights of a classifier"):
        training.train(utterances, folder=start.with_name("cut"), start=copy, **arguments)


# Where it goes on.


@pytest.fixture
def killed(results, utterances, recipe, monkeypatch):
    """Arguments of a training that was killed in its second epoch, and its checkpoint."""
    arguments = {"recipe": recipe, "folder": results / "models" / "plain", "seed": 1}
    with monkeypatch.context() as patch:
        patch.setattr(SpeakerBrain, "on_stage_start", killed_in_epoch(2))
        with pytest.raises(KeyboardInterrupt):
            training.train(utterances, **arguments)
    (checkpoint,) = results.glob("models/plain.checkpoints/*/CKPT+*")
    return arguments, checkpoint


def test_a_half_removed_older_checkpoint_is_left_out(killed, utterances, start):
    """As after a kill in the moment when SpeechBrain removes it."""
    arguments, checkpoint = killed
    older = checkpoint.with_name("CKPT+older")
    older.mkdir()
    text = (checkpoint / "CKPT.yaml").read_text()
    (older / "CKPT.yaml").write_text(text.replace("unixtime: ", "unixtime: 1 # "))
    training.train(utterances, **arguments)
    assert weights(arguments["folder"]) == weights(start)
    assert curve(arguments["folder"], "loss") == curve(start, "loss")
