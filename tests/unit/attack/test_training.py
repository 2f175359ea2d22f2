"""Training an extractor: it learns, repeatably; SpeechBrain loads it; and what is refused."""

import re
import warnings

import numpy as np
import pytest
import torch
from speechbrain.inference.speaker import EncoderClassifier
from support.models import tone, write_tones
from support.trained import FILES, changed, curve, weights

from voiceprivacy.attack.backends.backends import cosine
from voiceprivacy.attack.extractors.networks import Extractor, embed_manifest
from voiceprivacy.attack.held_out import Spoken, judged, trials_of
from voiceprivacy.attack.training import brain, training
from voiceprivacy.attack.training.batches import Pieces, validation_pieces
from voiceprivacy.attack.training.brain import SpeakerBrain
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import RESOURCES, BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.vocabulary import UNDEFINED, HeldOut


def test_a_trained_extractor_tells_its_speakers_apart_and_speechbrain_loads_it(
    recipe, tones, tmp_path, capsys
):
    utterances = read_manifest(tones)
    training.train(utterances, recipe=recipe, folder=tmp_path / "model", seed=1)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [
        "1",
        "2",
        "3",
        "4",
    ]
    losses = [float(loss) for loss in curve(tmp_path / "model", "loss")]
    assert losses[-1] < losses[0]
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "recipe.yaml"]
    embeddings = embed_manifest(utterances, folder=tmp_path / "model").embeddings
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    same = np.equal.outer(np.arange(16) // 4, np.arange(16) // 4)
    assert (unit @ unit.T)[same].mean() > (unit @ unit.T)[~same].mean()
    findings = HeldOut(**read_json(tmp_path / "model" / "held_out.json"))
    assert findings == HeldOut(4, 0, 0, UNDEFINED, UNDEFINED, findings.reason)
    assert "validation_speakers" in findings.reason, "nobody was held out"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = EncoderClassifier.from_hparams(
            source=str(tmp_path / "model"), savedir=str(tmp_path / "links")
        )
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


def test_a_failure_leaves_checkpoints_and_no_folder(recipe, tones, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_save", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        training.train(
            read_manifest(tones), recipe=recipe, folder=tmp_path / "out" / "model", seed=1
        )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["model.checkpoints"]


def test_somebody_elses_folder_is_left_alone(recipe, tones, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(BadInput, match=r"mine: holds other files \(thesis\.txt\)"):
        training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "mine", seed=1)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "number_of_epochs: 4",
            "epochs: 4",
            "number_of_epochs is 'None', expected a positive number",
        ),
        ("noise_share: 1", "reverberation_s: [0, 1]", "expected 0.05 s or more"),
        (
            "crop_s: 0.5",
            "crop_s: 0.5\nvalidation_speakers: 3",
            "two training speakers besides the 3 held out",
        ),
        ("snr_db: [20, 50]", "snr_db: [10]", "expected the lowest and the highest value"),
        ("opt_class: !name:torch.optim.Adam", "opt_class: !name:os.system", "os.system"),
        ("compute_cost:", "cost:", "has no field 'compute_cost'"),
    ],
)
def test_a_recipe_that_is_none_is_refused(recipe, tones, tmp_path, old, new, reason):
    with pytest.raises(BadInput, match=reason):
        training.train(
            read_manifest(tones),
            recipe=changed(recipe, old, new),
            folder=tmp_path / "model",
            seed=1,
        )
    assert not (tmp_path / "model").exists()


def test_speech_at_another_rate_is_refused(recipe, tmp_path):
    manifest = write_tones(tmp_path / "speech", speakers=2, utterances=1, rate=8000)
    with pytest.raises(BadInput, match=r"s0-0\.flac: has 8000 Hz, the recipe is for 16000 Hz"):
        training.train(read_manifest(manifest), recipe=recipe, folder=tmp_path / "model", seed=1)


def test_the_epoch_with_the_lowest_eer_of_held_out_speakers_is_kept(
    recipe, tones, tmp_path, monkeypatch
):
    changed(
        recipe,
        "sample_rate: 16000",
        "validation_speakers: 2\nvalidation_s: 0.2\npatience: 2\nsample_rate: 16000",
    )
    told_eers, saved = iter([9.0, 5.0, 7.0, 6.0]), {}
    monkeypatch.setattr(brain, "cosine_eer_percent", lambda *arguments: next(told_eers))
    end = SpeakerBrain._end_epoch

    def end_epoch(self, epoch, *, eer_percent):
        saved[epoch] = {
            name: weights.clone()
            for name, weights in self.modules.embedding_model.state_dict().items()
        }
        end(self, epoch, eer_percent=eer_percent)

    monkeypatch.setattr(SpeakerBrain, "_end_epoch", end_epoch)
    training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1)
    assert curve(tmp_path / "model", "held_out_eer_percent") == ["9.00", "5.00", "7.00", "6.00"]
    state = Extractor(tmp_path / "model").model.state_dict()
    assert all((state[name] == saved[2][name]).all() for name in state)
    held_out = (tmp_path / "model" / "held_out_speakers.txt").read_text(encoding="utf-8").split()
    assert len(held_out) == 2
    assert set(held_out) < {"s0", "s1", "s2", "s3"}
    findings = HeldOut(**read_json(tmp_path / "model" / "held_out.json"))
    assert findings[:2] == (2, 2) and findings.reason == ""
    spoken = [one for one in read_manifest(tones) if one.speaker in held_out]
    kept = Extractor(tmp_path / "model")
    pieces = validation_pieces(spoken, piece_s=0.2, sample_rate=16000)
    heard = [audio.read_piece(one.path, start=start, length=3200) for one, start in pieces]
    rows = Spoken(
        np.stack([kept.embed(samples) for samples in heard]),
        [one.utterance for one, _ in pieces],
        [one.speaker for one, _ in pieces],
        [one.gender for one, _ in pieces],
    )
    expected = judged([trials_of(rows, cosine)], n_training_speakers=2)
    assert findings.eer_percent == pytest.approx(expected.eer_percent)


def test_training_stops_when_the_eer_does_not_fall_any_more(recipe, tones, tmp_path, monkeypatch):
    changed(
        recipe,
        "sample_rate: 16000",
        "validation_speakers: 2\nvalidation_s: 0.2\npatience: 1\nsample_rate: 16000",
    )
    told_eers = iter([9.0, 9.0])
    monkeypatch.setattr(brain, "cosine_eer_percent", lambda *arguments: next(told_eers))
    training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1)
    assert len(curve(tmp_path / "model", "epoch")) == 2


def test_speakers_held_out_are_never_heard(recipe, tones, tmp_path, monkeypatch):
    changed(
        recipe,
        "sample_rate: 16000",
        "validation_speakers: 2\nvalidation_s: 0.2\nsample_rate: 16000",
    )
    heard = set()
    monkeypatch.setattr(Pieces, "_piece", piece_told(Pieces._piece, heard))
    training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1)
    held_out = set(
        (tmp_path / "model" / "held_out_speakers.txt").read_text(encoding="utf-8").split()
    )
    assert held_out.isdisjoint(heard)
    assert held_out | heard == {"s0", "s1", "s2", "s3"}


def piece_told(piece, heard):
    def told_piece(self, row, *drawn):
        heard.add(self.utterances[row].speaker)
        return piece(self, row, *drawn)

    return told_piece


def test_fine_tuning_starts_from_the_given_weights(recipe, tones, tmp_path):
    utterances = read_manifest(tones)
    training.train(utterances, recipe=recipe, folder=tmp_path / "first", seed=1)
    still = changed(recipe, "lr: 0.002", "lr: 0.000000000001")
    changed(still, "lr_final: 0.0001", "lr_final: 0.000000000001")
    training.train(
        utterances[:8], recipe=still, folder=tmp_path / "tuned", seed=2, start=tmp_path / "first"
    )
    first, tuned = (
        dict(Extractor(tmp_path / name).model.named_parameters()) for name in ("first", "tuned")
    )
    assert all(np.allclose(first[name].detach(), tuned[name].detach(), atol=1e-6) for name in first)


def test_fine_tuning_another_architecture_is_refused(recipe, tones, ecapa, tmp_path):
    with pytest.raises(BadInput, match="not the weights of the recipe's model"):
        training.train(
            read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1, start=ecapa
        )


@pytest.mark.parametrize("name", ["ecapa_small", "ecapa_vpc2024", "xvector"])
def test_a_shipped_recipe_trains_and_speechbrain_loads_the_folder(name, tones, tmp_path):
    recipe = tmp_path / "recipe.yaml"
    text = (RESOURCES / "recipes" / f"{name}.yaml").read_text(encoding="utf-8")
    for field, value in {
        "number_of_epochs": 1,
        "batch_size": 8,
        "crop_s": 0.4,
        "validation_speakers": 0,
    }.items():
        text = re.sub(rf"^{field}: \S+", f"{field}: {value}", text, flags=re.MULTILINE)
    for old, new in {"512": "16", "1536": "48", "1500": "24", "128": "16", "384": "48"}.items():
        text = re.sub(rf"\b{old}\b", new, text)
    recipe.write_text(text, encoding="utf-8")
    training.train(read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        EncoderClassifier.from_hparams(
            source=str(tmp_path / "model"), savedir=str(tmp_path / "links")
        )
    Extractor(tmp_path / "model").embed(tone(0, 0))


def test_a_gpu_that_is_not_there_and_fp16_without_one_are_refused(recipe, tones, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    for computer, reason in [
        (("cuda", 1, "fp32"), "torch sees no GPU"),
        (("cpu", 1, "fp16"), "needs a GPU"),
    ]:
        with pytest.raises(BadInput, match=reason):
            training.train(
                read_manifest(tones),
                recipe=recipe,
                folder=tmp_path / "model",
                seed=1,
                computer=training.Computer(*computer),
            )


def test_mixed_precision_trains_too(recipe, tones, tmp_path):
    changed(recipe, "number_of_epochs: 4", "number_of_epochs: 1")
    computer = training.Computer("cpu", 1, "bf16")
    training.train(
        read_manifest(tones), recipe=recipe, folder=tmp_path / "model", seed=1, computer=computer
    )
    assert np.isfinite(Extractor(tmp_path / "model").embed(tone(0, 0))).all()
