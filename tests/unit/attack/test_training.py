"""Training an extractor: it learns, it is repeatable, SpeechBrain loads what it saves, and what it refuses."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from models import tone, write_tones
from speechbrain.inference.speaker import EncoderClassifier

from voiceprivacy.attack import training
from voiceprivacy.attack.extractors import Extractor, embed_manifest
from voiceprivacy.files import BadInput
from voiceprivacy.tables import read_manifest

RECIPE = Path("workflow/resources/recipes/xvector_small.yaml")
FILES = ["classifier.ckpt", "embedding_model.ckpt", "hyperparams.yaml"]
SMALLER = {
    "number_of_epochs: ": "number_of_epochs: 4 #",
    "batch_size: ": "batch_size: 8 #",
    "crop_s: ": "crop_s: 0.5 #",
    "speeds: ": "speeds: [1.0, 1.1] #",
    "tdnn_channels: ": "tdnn_channels: [16, 16, 16, 16, 32] #",
    "emb_dim: ": "emb_dim: 16 #",
}


@pytest.fixture
def recipe(tmp_path):
    """The shipped recipe with a smaller model and four epochs."""
    text = RECIPE.read_text(encoding="utf-8")
    for old, new in SMALLER.items():
        assert f"\n{old}" in text or f"\n    {old}" in text
        text = text.replace(old, new, 1)
    (tmp_path / "recipe.yaml").write_text(text, encoding="utf-8")
    return tmp_path / "recipe.yaml"


def weights(folder):
    return [(folder / name).read_bytes() for name in FILES]


def test_a_trained_extractor_tells_its_speakers_apart(recipe, tones, tmp_path, capsys):
    utterances = read_manifest(tones)
    training.train(utterances, recipe=recipe, folder=tmp_path / "model", seed=1)
    losses = [float(line.split()[3]) for line in capsys.readouterr().out.splitlines() if line.startswith("epoch")]
    assert len(losses) == 4
    assert losses[-1] < losses[0]
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == FILES
    embeddings = embed_manifest(utterances, folder=tmp_path / "model").embeddings
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    same = np.equal.outer(np.arange(16) // 4, np.arange(16) // 4)
    assert (unit @ unit.T)[same].mean() > (unit @ unit.T)[~same].mean()


def test_speechbrain_loads_what_is_saved(recipe, tones, tmp_path):
    training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = EncoderClassifier.from_hparams(source=str(tmp_path / "model"), savedir=str(tmp_path / "links"))
    state = classifier.mods.embedding_model.state_dict()
    ours = Extractor(tmp_path / "model").model.state_dict()
    assert all((state[name] == ours[name]).all() for name in ours)


def test_seeds_decide_and_the_order_of_the_manifest_does_not(recipe, tones, tmp_path):
    utterances = read_manifest(tones)
    training.train(utterances, recipe=recipe, folder=tmp_path / "a", seed=1)
    training.train(utterances[::-1], recipe=recipe, folder=tmp_path / "b", seed=1)
    training.train(utterances, recipe=recipe, folder=tmp_path / "c", seed=2)
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    assert weights(tmp_path / "a") != weights(tmp_path / "c")


def test_a_failure_leaves_no_folder(recipe, tones, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_save", lambda *of: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "out" / "model", seed=1)
    assert list((tmp_path / "out").iterdir()) == []


def test_somebody_elses_folder_is_left_alone(recipe, tones, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(BadInput, match=r"mine: holds other files \(thesis\.txt\)"):
        training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "mine", seed=1)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("number_of_epochs: 4", "epochs: 4", "number_of_epochs is 'None', expected a positive number"),
        ("speeds: [1.0, 1.1]", "speeds: fast", "speeds is 'fast', expected a list of numbers"),
        ("snr_db: [20, 50]", "snr_db: [10]", "expected the lowest and the highest level"),
        ("speeds: [1.0, 1.1]", "speeds: [10]", "expected numbers from 0.5 to 2"),
        ("opt_class: !name:torch.optim.Adam", "opt_class: !name:os.system", "os.system"),
        ("compute_cost:", "cost:", "has no field 'compute_cost'"),
    ],
)
def test_a_recipe_that_is_none_is_refused(recipe, tones, tmp_path, old, new, reason):
    text = recipe.read_text(encoding="utf-8")
    assert old in text
    recipe.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadInput, match=reason):
        training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1)
    assert not (tmp_path / "model").exists()


def test_one_speaker_is_refused(recipe, tones, tmp_path):
    with pytest.raises(BadInput, match="at least two training speakers"):
        training.train(read_manifest(tones)[:4], recipe=recipe, folder=tmp_path / "model", seed=1)


def test_speech_at_another_rate_is_refused(recipe, tmp_path):
    manifest = write_tones(tmp_path / "speech", speakers=2, utterances=1, rate=8000)
    with pytest.raises(BadInput, match=r"s0-0\.flac: has 8000 Hz, the recipe is for 16000 Hz"):
        training.train(read_manifest(manifest), recipe=recipe, folder=tmp_path / "model", seed=1)


def test_noise_has_the_level_that_is_asked_for():
    samples = tone(0, 0, seconds=5)
    noisy = training._noisy(samples, snr_db=20, generator=np.random.default_rng(0))
    snr = 10 * np.log10(np.mean(samples**2) / np.mean((noisy - samples) ** 2))
    assert snr == pytest.approx(20, abs=0.1)
