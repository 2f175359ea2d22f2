"""Training an extractor: it learns, repeatably; SpeechBrain loads it; and what is refused."""

import itertools
import shutil
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from speechbrain.inference.speaker import EncoderClassifier
from support.calls import flags, succeeds
from support.models import shortened, tone, write_tones
from support.trained import FILES, changed, curve, weights

from voiceprivacy.attack.backends.backends import cosine
from voiceprivacy.attack.extractors.networks import Extractor, embed_manifest
from voiceprivacy.attack.held_out import HeldOut, Spoken, judged, trials_of
from voiceprivacy.attack.training import brain, training
from voiceprivacy.attack.training.batches import Pieces, validation_pieces
from voiceprivacy.attack.training.brain import SpeakerBrain
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import Utterance, read_manifest, write_manifest
from voiceprivacy.vocabulary import RESOURCES, UNDEFINED


def loaded_by_speechbrain(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EncoderClassifier.from_hparams(source=str(folder), savedir=f"{folder}_links")


def test_a_trained_extractor_tells_its_speakers_apart(train, tones, tmp_path, capsys):
    folder = train(tmp_path / "model")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["1", "2"]
    losses = [float(loss) for loss in curve(folder, "loss")]
    assert losses[-1] < losses[0]
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "recipe.yaml"]
    embeddings = embed_manifest(read_manifest(tones), folder=folder).embeddings
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    same = np.equal.outer(np.arange(16) // 4, np.arange(16) // 4)
    assert (unit @ unit.T)[same].mean() > (unit @ unit.T)[~same].mean()
    findings = HeldOut(**read_json(folder / "held_out.json"))
    assert findings == HeldOut(4, 0, 0, UNDEFINED, UNDEFINED, findings.reason)
    assert "validation_speakers" in findings.reason, "nobody was held out"
    state = loaded_by_speechbrain(folder).mods.embedding_model.state_dict()
    ours = Extractor(folder).model.state_dict()
    assert all((state[name] == ours[name]).all() for name in ours)


@pytest.mark.parametrize("seed", [1, 2])
def test_seeds_decide_and_the_order_of_the_manifest_does_not(train, whole, tones, tmp_path, seed):
    made = train(tmp_path / "model", read_manifest(tones)[::-1], seed=seed)
    assert (weights(made) == weights(whole)) == (seed == 1)


def test_a_failure_leaves_checkpoints_and_no_folder(train, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_save", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(tmp_path / "out" / "model")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["model.checkpoints"]


def test_somebody_elses_folder_is_left_alone(train, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(BadInput, match=r"mine: holds other files \(thesis\.txt\)"):
        train(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("number_of_epochs: 2", "epochs: 2", "number_of_epochs is 'None', expected a whole"),
        ("number_of_epochs: 2", "number_of_epochs: 2\npatience: 0", "patience is '0', expected"),
        ("number_of_epochs: 2", "number_of_epochs: 2.5", "number_of_epochs is '2.5', expected"),
        ("noise_share: 1", "reverberation_s: [0, 1]", "0.05 s or more"),
        ("crop_s: 0.5", "crop_s: 0.5\nvalidation_speakers: 3", "besides the 3 held out"),
        ("snr_db: [20, 50]", "snr_db: [10]", "snr_db is .* the lowest and the highest"),
        ("opt_class: !name:torch.optim.Adam", "opt_class: !name:os.system", "os.system"),
        ("compute_cost:", "cost:", "has no field 'compute_cost'"),
    ],
)
def test_a_recipe_that_is_none_is_refused(train, recipe, tmp_path, old, new, reason):
    changed(recipe, old, new)
    with pytest.raises(BadInput, match=reason):
        train(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_speech_at_another_rate_is_refused(train, tmp_path):
    manifest = write_tones(tmp_path / "speech", speakers=2, utterances=1, rate=8000)
    with pytest.raises(BadInput, match=r"s0-0\.flac: has 8000 Hz, the recipe is for 16000 Hz"):
        train(tmp_path / "model", read_manifest(manifest))


HOLDS_OUT = "number_of_epochs: 3\nvalidation_speakers: 2\nvalidation_s: 0.2"


def held_out_of(folder):
    return set((folder / "held_out_speakers.txt").read_text(encoding="utf-8").split())


def test_the_epoch_with_the_lowest_eer_is_kept(train, recipe, tones, tmp_path, monkeypatch):
    changed(recipe, "number_of_epochs: 2", f"{HOLDS_OUT}\npatience: 2")
    told_eers, saved = iter([9.0, 5.0, 7.0]), {}
    monkeypatch.setattr(brain, "cosine_eer_percent", lambda *arguments: next(told_eers))
    end = SpeakerBrain._end_epoch

    def end_epoch(self, epoch, *, eer_percent):
        state = self.modules.embedding_model.state_dict()
        saved[epoch] = {name: weights.clone() for name, weights in state.items()}
        end(self, epoch, eer_percent=eer_percent)

    monkeypatch.setattr(SpeakerBrain, "_end_epoch", end_epoch)
    folder = train(tmp_path / "model")
    assert curve(folder, "held_out_eer_percent") == ["9", "5", "7"]
    kept = Extractor(folder)
    state = kept.model.state_dict()
    assert all((state[name] == saved[2][name]).all() for name in state)
    held_out = held_out_of(folder)
    assert len(held_out) == 2
    findings = HeldOut(**read_json(folder / "held_out.json"))
    assert findings[:2] == (2, 2) and findings.reason == ""
    spoken = [one for one in read_manifest(tones) if one.speaker in held_out]
    pieces = validation_pieces(spoken, piece_s=0.2, sample_rate=16000)
    heard = [audio.read_piece(one.path, start=start, length=3200) for one, start in pieces]
    embeddings = np.stack([kept.embed(samples) for samples in heard])
    rows = Spoken.heard(embeddings, [one for one, _ in pieces])
    expected = judged([trials_of(rows, cosine)], n_training_speakers=2)
    assert findings.eer_percent == pytest.approx(expected.eer_percent)


def test_training_stops_when_the_eer_does_not_fall(train, recipe, tmp_path, monkeypatch):
    changed(recipe, "number_of_epochs: 2", f"{HOLDS_OUT}\npatience: 1")
    told_eers = iter([9.0, 9.0])
    monkeypatch.setattr(brain, "cosine_eer_percent", lambda *arguments: next(told_eers))
    assert len(curve(train(tmp_path / "model"), "epoch")) == 2


def test_after_its_last_epoch_a_schedule_of_rates_keeps_the_last_rate(train, recipe, tmp_path):
    changed(recipe, "number_of_epochs: 2", "number_of_epochs: 3")
    changed(recipe, "epoch_count: !ref <number_of_epochs>", "epoch_count: 2")
    rates = curve(train(tmp_path / "model"), "learning_rate")
    assert rates == ["0.002", "0.0001", "0.0001"]


def test_pieces_that_were_cut_before_are_judged_as_one_recording():
    """Of each speaker three pieces of x enrol, and y is tried against both."""
    names = itertools.product("ab", ("x_seg000", "x_seg001", "x_seg002", "y"))
    pieces = [(Utterance(who + name, who, "f", None, 4.0), 0) for who, name in names]
    embeddings = np.random.default_rng(0).normal(size=(8, 3))
    brain = SimpleNamespace(embed=lambda validation: embeddings)
    findings = training._findings(brain, SimpleNamespace(pieces=pieces), n_speakers=9)
    assert findings.n_trials == 2 * 2


def test_speakers_held_out_are_never_heard(train, recipe, tmp_path, monkeypatch):
    changed(recipe, "number_of_epochs: 2", HOLDS_OUT)
    heard, piece = set(), Pieces._piece

    def told_piece(self, row, *drawn):
        heard.add(self.utterances[row].speaker)
        return piece(self, row, *drawn)

    monkeypatch.setattr(Pieces, "_piece", told_piece)
    held_out = held_out_of(train(tmp_path / "model"))
    assert held_out.isdisjoint(heard)
    assert held_out | heard == {"s0", "s1", "s2", "s3"}


def test_fine_tuning_starts_from_the_given_weights(train, whole, recipe, tones, tmp_path):
    changed(recipe, "lr: 0.002", "lr: 0.000000000001")
    changed(recipe, "lr_final: 0.0001", "lr_final: 0.000000000001")
    folder = train(tmp_path / "tuned", read_manifest(tones)[:8], seed=2, start=whole)
    first, tuned = (dict(Extractor(made).model.named_parameters()) for made in (whole, folder))
    assert all(np.allclose(first[name].detach(), tuned[name].detach(), atol=1e-6) for name in first)


def test_a_classifier_that_does_not_fit_is_said(train, whole, recipe, tones, tmp_path, capsys):
    changed(recipe, "number_of_epochs: 2", "number_of_epochs: 1")
    start = shutil.copytree(whole, tmp_path / "start")
    train(tmp_path / "tuned", start=start)
    assert "from scratch" not in capsys.readouterr().out
    train(tmp_path / "fewer", read_manifest(tones)[:12], start=start)
    assert "is for other speakers or layers" in capsys.readouterr().out
    (start / "classifier.ckpt").unlink()
    train(tmp_path / "bare", start=start)
    assert "classifier.ckpt: not found" in capsys.readouterr().out
    (start / "classifier.ckpt").write_bytes((whole / "classifier.ckpt").read_bytes()[:100])
    with pytest.raises(BadInput, match=r"classifier.ckpt: not the weights of a classifier"):
        train(tmp_path / "cut", start=start)


def test_fine_tuning_another_architecture_is_refused(train, ecapa, tmp_path):
    with pytest.raises(BadInput, match="not the weights of the recipe's model"):
        train(tmp_path / "model", start=ecapa)


SHORT = {"number_of_epochs": 1, "batch_size": 8, "crop_s": 0.4, "validation_speakers": 0}
SIZES = {"ecapa_small": "channels", "ecapa_vpc2024": "channels", "xvector": "tdnn_channels"}


@pytest.mark.parametrize("name", SIZES)
def test_a_shipped_recipe_trains_and_speechbrain_loads_the_folder(name, train, tmp_path):
    size = {SIZES[name]: [16, 16, 16, 16, 48], "emb_dim": 16}
    recipe = shortened(name, tmp_path / "recipe.yaml", **SHORT, **size)
    folder = train(tmp_path / "model", recipe=recipe)
    loaded_by_speechbrain(folder)
    Extractor(folder).embed(tone(0, 0))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize(
    ("computer", "reason"),
    [(("cuda", 1, "fp32"), "torch sees no GPU"), (("cpu", 1, "fp16"), "needs a GPU")],
)
def test_a_gpu_that_is_not_there_is_refused(train, tmp_path, computer, reason):
    with pytest.raises(BadInput, match=reason):
        train(tmp_path / "model", computer=training.Computer(*computer))


def test_mixed_precision_trains_too(train, recipe, tmp_path):
    changed(recipe, "number_of_epochs: 2", "number_of_epochs: 1")
    folder = train(tmp_path / "model", computer=training.Computer("cpu", 1, "bf16"))
    assert np.isfinite(Extractor(folder).embed(tone(0, 0))).all()


def test_the_second_stage_can_start_from_the_shipped_attacker(tones, tmp_path):
    """By the very command of its card."""
    shipped = RESOURCES / "ecapa_small"
    recipe, few = tmp_path / "recipe.yaml", tmp_path / "few.tsv"
    shortened("ecapa_small_tune", recipe, **SHORT)
    write_manifest(few, read_manifest(tones)[::3])
    given = {"manifest": few, "recipe": recipe, "folder": tmp_path / "tuned", "start": shipped}
    assert "trained:" in succeeds("train_extractor", *flags(**given, seed=0))
    own, tuned = (Extractor(made).model.state_dict() for made in (shipped, tmp_path / "tuned"))
    assert own.keys() == tuned.keys()
