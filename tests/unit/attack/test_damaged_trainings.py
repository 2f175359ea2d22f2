"""What a training starts from or goes on from is as it was saved: damage is refused, and named."""

import pytest
import torch
from support.models import small_recipe, write_tones
from support.trained import changed, curve, killed_in_epoch, weights

from voiceprivacy.attack.training import training
from voiceprivacy.attack.training.brain import SpeakerBrain
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.vocabulary import CHECKED_FORMAT, FORMAT_FILE


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
    (tmp_path / FORMAT_FILE).write_text(f"{CHECKED_FORMAT}\n")
    (tmp_path / "models").mkdir()
    return tmp_path


@pytest.fixture
def start(results, utterances, recipe):
    """A model that a run has trained."""
    folder = results / "models" / "start"
    training.train(utterances, recipe=recipe, folder=folder, seed=1)
    return folder


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:100])


# Where it starts.


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (damage, "is damaged, or was changed by hand"),
        (cut, "is damaged, or was changed by hand"),
        (lambda path: path.unlink(), "not found"),
        (lambda path: path.with_name("classifier.ckpt.sha256").unlink(), "checksum .* is missing"),
    ],
)
def test_a_start_with_a_spoilt_classifier_is_refused(start, utterances, recipe, spoil, reason):
    spoil(start / "classifier.ckpt")
    refused = {"recipe": recipe, "folder": start.with_name("tuned"), "seed": 2, "start": start}
    with pytest.raises(BadInput, match=rf"classifier.ckpt: .*{reason}") as error:
        training.train(utterances, **refused)
    assert f"remove {start / 'embedding_model.ckpt'} and run again" in str(error.value)
    assert not start.with_name("tuned").exists()


def test_a_classifier_of_other_speakers_or_none_is_said(start, utterances, recipe, capsys):
    arguments = {"recipe": recipe, "seed": 2}
    training.train(utterances, folder=start.with_name("tuned"), start=start, **arguments)
    assert "from scratch" not in capsys.readouterr().out
    training.train(utterances[:6], folder=start.with_name("fewer"), start=start, **arguments)
    assert "is for other speakers or layers, so the classifier" in capsys.readouterr().out
    copy = start.parents[1] / ".elsewhere"  # people's own folder, without checksums
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


@pytest.mark.parametrize("spoil", [damage, cut, lambda path: path.unlink()])
def test_a_training_does_not_go_on_from_a_damaged_checkpoint(killed, utterances, spoil):
    arguments, checkpoint = killed
    spoil(checkpoint / "classifier.ckpt")
    with pytest.raises(BadInput, match=r"classifier.ckpt: ") as error:
        training.train(utterances, **arguments)
    folder = f"{arguments['folder']}.checkpoints"
    assert f"remove {folder} and run again: it starts from scratch then" in str(error.value)


@pytest.mark.parametrize("name", ["CKPT.yaml", "history.ckpt", "optimizer.ckpt", "counter.ckpt"])
def test_every_file_of_a_checkpoint_is_compared(killed, utterances, name):
    arguments, checkpoint = killed
    damage(checkpoint / name)
    with pytest.raises(BadInput, match=rf"{name}: is damaged, or was changed by hand"):
        training.train(utterances, **arguments)


def test_a_checkpoint_without_its_list_is_refused(killed, utterances):
    arguments, checkpoint = killed
    (checkpoint / "SHA256SUMS").unlink()
    with pytest.raises(BadInput, match="is part of a checkpoint without a checksum"):
        training.train(utterances, **arguments)


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
