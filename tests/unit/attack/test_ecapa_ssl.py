"""The attacker of 2026: exact shapes, gradients, alignment of frames, training, and its folder.

The encoder is a tiny WavLM of random weights, in the hub's layout: the hub cannot be reached here.
"""

import importlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from support import microsoft, models, needs, trained

from voiceprivacy.attack.extractors.ecapa_ssl import EcapaSSL, FrozenEncoder, aligned
from voiceprivacy.attack.extractors.networks import LISTENING, Extractor, embed_manifest
from voiceprivacy.attack.training import batches, training
from voiceprivacy.attack.training.batches import Draw
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.models.folders import Hyperparameters
from voiceprivacy.vocabulary import RESOURCES

SPEECH = os.environ.get("VOICEPRIVACY_SPEECH")
SIZES = {"channels": [16, 16, 16, 16, 48], "attention_channels": 8, "se_channels": 8}
LISTENS = {"encoder_size": 16, "encoder_layers": 2}
TRAINS = {"number_of_epochs": 2, "batch_size": 4, "validation_speakers": 0, "step_size": 2}
PIECES = {"n_mels": 24, "emb_dim": 16, "crop_s": 0.5, "encoder_s": 0.7}


def small(path, **fields):
    """Write the shipped recipe with a small model and further values; the path."""
    return models.shortened("ecapa_ssl", path, **SIZES | LISTENS | TRAINS | PIECES | fields)


@pytest.fixture(scope="module")
def wavlm(tmp_path_factory):
    return models.hub_encoder(tmp_path_factory.mktemp("hub") / "wavlm", "wavlm", normalises=True)


@pytest.fixture
def recipe(tmp_path):
    return small(tmp_path / "ecapa_ssl.yaml")


@pytest.fixture
def model():
    torch.manual_seed(0)
    return EcapaSSL(24, 16, 2, **SIZES, lin_neurons=10).eval()


def test_the_shipped_recipe_has_the_published_shapes():
    settings = Hyperparameters(RESOURCES / "recipes" / "ecapa_ssl.yaml")
    with torch.device("meta"):  # which computes shapes only
        built = settings.section("embedding_model", classes=[LISTENING]).build().eval()
        # 3 s of filter banks, 10 s of WavLM-Large.
        embeddings = built(torch.randn(2, 301, 80), torch.randn(2, 24, 499, 1024))
    assert embeddings.shape == (2, 1, 192)
    assert len(built.layer_weights) == 24 and len(built.encoder_blocks) == 4
    assert built.ecapa.blocks[0].conv.conv.weight.shape == (1024, 80, 5)
    of_blocks = []
    for block in [*built.ecapa.blocks[1:], *built.encoder_blocks]:
        first, inner = block.tdnn1, block.res2net_block.blocks[0].conv.conv
        sizes = (first.conv.conv.weight.shape, inner.kernel_size, inner.dilation)
        of_blocks.append((*sizes, first.dropout.p))
    later = [((1024, 1024, 1), (3,), (dilation,), 0.3) for dilation in (2, 3, 4)]
    assert of_blocks == [*later, ((1024, 1024, 1), (5,), (1,), 0.3), *later]
    assert built.ecapa.mfa.conv.conv.weight.shape == (3072, 3072, 1)
    assert built.ecapa.fc.conv.weight.shape == (192, 2 * 3072, 1)
    optimiser = settings.section("opt_class", classes=["torch.optim.AdamW"], deferred=True)
    assert optimiser.fields == {"lr": 0.01, "weight_decay": 0.01}
    annealing = {"base_lr": 1e-8, "max_lr": 0.01, "step_size": 65000}
    assert settings.get("lr_annealing").fields == annealing


def test_fewer_frames_are_repeated_as_a_whole_and_more_are_averaged_in_runs():
    frames = torch.arange(6.0)[None, None]
    assert aligned(frames[:, :, :3], 7)[0, 0].tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert aligned(frames, 3)[0, 0].tolist() == [0.5, 2.5, 4.5]
    assert aligned(frames, 4)[0, 0].tolist() == [0, 1, 2.5, 4.5]  # longer runs behind
    assert aligned(frames, 6)[0, 0].tolist() == frames[0, 0].tolist()


def test_layers_are_summed_with_weights_of_a_softmax(model):
    layers = torch.randn(3, 2, 5, 16)
    assert torch.allclose(model.summed(layers), layers.mean(dim=1).transpose(1, 2), atol=1e-6)
    with torch.no_grad():
        model.layer_weights.copy_(torch.tensor([0.0, np.log(3.0)]))
    expected = 0.25 * layers[:, 0] + 0.75 * layers[:, 1]
    assert torch.allclose(model.summed(layers), expected.transpose(1, 2), atol=1e-6)


def test_both_branches_are_stacked_multiplied_and_pooled(model):
    """The same by SpeechBrain's blocks, one after the other."""
    frames, layers = torch.randn(2, 40, 24), torch.randn(2, 2, 19, 16)
    ecapa, heard, encoded = model.ecapa, [frames.transpose(1, 2)], [model.summed(layers)]
    for own, others in zip(ecapa.blocks, model.encoder_blocks, strict=True):
        heard.append(own(heard[-1]))
        encoded.append(others(encoded[-1]))
    first, second = torch.cat(heard[2:], dim=1), torch.cat(encoded[2:], dim=1)
    assert first.shape == (2, 48, 40) and second.shape == (2, 48, 19)
    together = first * torch.cat([second, second, second], dim=2)[:, :, :40]
    expected = ecapa.fc(ecapa.asp_bn(ecapa.asp(ecapa.mfa(together)))).transpose(1, 2)
    assert torch.allclose(model(frames, layers), expected, atol=1e-6)


@pytest.mark.parametrize("normalises", [True, False])
def test_layers_are_those_of_speechbrains_wrapper(tmp_path, normalises):
    from speechbrain.integrations.huggingface.wavlm import WavLM

    folder = models.hub_encoder(tmp_path / "wavlm", "wavlm", normalises=normalises)
    options = {"save_path": str(tmp_path / "cache"), "freeze": True, "output_all_hiddens": True}
    wrapper = WavLM(source=str(folder), **options)
    waves = torch.from_numpy(np.stack([models.tone(0, 0), models.tone(1, 0)]))
    expected = wrapper(waves).transpose(0, 1)[:, 1:]  # the first is what enters the transformer
    encoder = FrozenEncoder(folder)
    layers = encoder.layers(waves)
    # What transformers gives last is normalised where the network normalises before its layers.
    if encoder.network.model.config.do_stable_layer_norm:
        layers[:, -1] = encoder.network.model.encoder.layer_norm(layers[:, -1])
    assert layers.shape == expected.shape == (2, 2, 1 + (waves.shape[1] - 61) // 80, 16)
    assert torch.allclose(layers, expected, atol=1e-5)


def test_the_encoder_gets_no_gradient_and_all_else_does(wavlm, model):
    encoder = FrozenEncoder(wavlm)
    encoder.check(model)
    waves = torch.from_numpy(models.tone(0, 0))[None].repeat(2, 1)
    model.train()
    model(torch.randn(2, 40, 24), encoder.layers(waves)).square().sum().backward()
    assert not encoder.network.training
    assert all(parameter.grad is None for parameter in encoder.network.parameters())
    assert not any(parameter.requires_grad for parameter in encoder.network.parameters())
    without = [name for name, weight in model.named_parameters() if weight.grad is None]
    assert without == []
    assert model.layer_weights.grad.abs().sum() > 0


def test_an_encoder_of_another_size_or_none_is_refused(wavlm, tmp_path, model):
    with pytest.raises(BadInput, match="2 layers of 16 channels, the model is made for 3 of 16"):
        FrozenEncoder(wavlm).check(EcapaSSL(24, 16, 3, **SIZES))
    with pytest.raises(BadInput, match=r"not found \(a folder with config\.json"):
        FrozenEncoder(tmp_path / "nothing")


def pieces(utterances, encoder_s):
    how = {"augmentation": batches.Augmentation([1.0], [0.1, 0.5], 0.0, [0, 20], 0.0)}
    how |= {"crop_s": 0.5, "encoder_s": encoder_s, "sample_rate": 16000}
    return batches.Pieces(utterances, **how, seed=3)


def test_the_encoder_hears_a_part_of_its_own_and_zeros_behind_a_short_file(tmp_path):
    for name, seconds in (("short", 0.6), ("long", 5.0)):
        noise = np.random.default_rng(0).uniform(0.1, 0.2, round(16000 * seconds))
        audio.write(tmp_path / f"{name}.flac", noise.astype("float32"), 16000)
    short = Utterance("a", "x", "f", tmp_path / "short.flac", 0.6)
    long = Utterance("b", "y", "f", tmp_path / "long.flac", 5.0)
    both = pieces([short, long], 2.0)
    samples, speaker, heard = both[Draw(1, 0)]
    assert (len(samples), speaker, len(heard)) == (8000, 0, 32000)
    assert (heard[:9600] > 0).all() and (heard[9600:] == 0).all()
    samples, speaker, heard = both[Draw(1, 1)]
    assert speaker == 1 and (heard > 0).all() and len(heard) == 32000
    starts = {both[Draw(epoch, 1)][2][0].item() for epoch in range(1, 6)}
    assert len(starts) == 5, "another part in each epoch"
    alone = pieces([short, long], 0.0)[Draw(1, 1)]
    assert len(alone) == 2 and (alone[0] == samples).all(), "the other piece stays as it is"


@pytest.fixture(scope="module")
def folder(wavlm, tones, tmp_path_factory):
    """A trained model; tests change nothing of it."""
    folder = tmp_path_factory.mktemp("trained") / "model"
    recipe = small(folder.with_name("ecapa_ssl.yaml"))
    training.train(read_manifest(tones)[:8], recipe=recipe, folder=folder, seed=1, encoder=wavlm)
    return folder


def test_a_trained_folder_is_complete_and_embeds_what_training_heard(folder, wavlm, tones):
    kept = {path.name for path in (folder / "encoder").iterdir()}
    assert kept == {"config.json", "preprocessor_config.json", "model.safetensors"}
    losses = [float(value) for value in trained.curve(folder, "loss")]
    assert len(losses) == 2 and np.isfinite(losses).all()
    extractor = Extractor(folder)
    samples = models.tone(2, 1)
    embedding = extractor.embed(samples)
    assert embedding.shape == (16,) and np.isfinite(embedding).all()
    waves = torch.from_numpy(samples)[None]
    frames = extractor.normalise(extractor.features(waves), torch.ones(1))
    with torch.no_grad():
        expected = extractor.model(frames, FrozenEncoder(wavlm).layers(waves))
    np.testing.assert_allclose(embedding, expected[0, 0].numpy(), atol=1e-5)
    both = extractor.embed_batch(np.stack([samples, samples]))
    np.testing.assert_allclose(both, np.stack([embedding, embedding]), atol=1e-4)
    embedded = embed_manifest(read_manifest(tones)[:4], folder=folder, threads=2)
    assert embedded.embeddings.shape == (4, 16)


def test_training_is_repeatable_and_begins_at_its_start(folder, recipe, wavlm, tones, tmp_path):
    utterances, second, tuned = read_manifest(tones)[:8], tmp_path / "second", tmp_path / "tuned"
    training.train(utterances, recipe=recipe, folder=second, seed=1, encoder=wavlm)
    assert trained.weights(folder) == trained.weights(second)
    training.train(utterances, recipe=recipe, folder=tuned, seed=1, start=folder)
    assert (tuned / "encoder" / "config.json").exists()
    losses = [float(trained.curve(made, "loss")[0]) for made in (folder, tuned)]
    assert losses[1] < losses[0]


def test_the_encoder_is_asked_for_where_it_is_needed_and_only_there(recipe, wavlm, tones, tmp_path):
    utterances = read_manifest(tones)
    with pytest.raises(BadInput, match="listens through an encoder: give --encoder"):
        training.train(utterances, recipe=recipe, folder=tmp_path / "model", seed=1)
    plain = models.small_recipe(tmp_path / "plain.yaml")
    with pytest.raises(BadInput, match="listens through no encoder"):
        training.train(utterances, recipe=plain, folder=tmp_path / "model", seed=1, encoder=wavlm)
    assert not (tmp_path / "model").exists()


def test_weights_of_the_encoder_are_no_part_of_the_models(folder, tmp_path):
    names = torch.load(folder / "embedding_model.ckpt", weights_only=True)
    assert {name.split(".")[0] for name in names} == {"ecapa", "encoder_blocks", "layer_weights"}
    copy = shutil.copytree(folder, tmp_path / "model")
    (copy / "encoder" / "config.json").unlink()
    with pytest.raises(BadInput, match=r"model/encoder: not found"):
        Extractor(copy)


AS_WAVLM_LARGE = {
    "conv_dim": [8] * 7,
    "conv_kernel": [10, 3, 3, 3, 3, 2, 2],
    "conv_stride": [5, 2, 2, 2, 2, 2, 2],
    "do_stable_layer_norm": True,
    "feat_extract_norm": "layer",
}


def of_speech(subset):
    """All utterances of a subset of LibriSpeech; their gender plays no part here."""
    paths = sorted(Path(SPEECH, subset).rglob("*.flac"))
    known = [(path.stem, path.name.split("-")[0], "-", path) for path in paths]
    return [Utterance(*line, audio.header(line[-1]).duration_s) for line in known]


@pytest.mark.nightly
@needs.data("VOICEPRIVACY_SPEECH")
def test_one_epoch_on_real_speech_tells_speakers_apart(tmp_path):
    """The recipe's lengths, loss and optimiser with a small model and a random encoder."""
    encoder = models.hub_encoder(tmp_path / "wavlm", "wavlm", normalises=True, **AS_WAVLM_LARGE)
    length = {"number_of_epochs": 1, "validation_speakers": 30, "step_size": 15}
    length |= {"crop_s": 3.0, "encoder_s": 10.0}
    size = {"n_mels": 40, "emb_dim": 64, "channels": [32, 32, 32, 32, 96]}
    recipe = small(tmp_path / "recipe.yaml", **length, **size)
    utterances = of_speech("train-clean-100")[::2]
    training.train(utterances, recipe=recipe, folder=tmp_path / "m", seed=0, encoder=encoder)
    assert len(trained.curve(tmp_path / "m", "loss")) == 1
    held_out = float(trained.curve(tmp_path / "m", "held_out_eer_percent")[0])
    tried = of_speech("test-other")
    embeddings = embed_manifest(tried, folder=tmp_path / "m", threads=2).embeddings
    speakers = np.array([utterance.speaker for utterance in tried])
    rows, columns = np.triu_indices(len(tried), 1)
    same = speakers[rows] == speakers[columns]
    eer = batches.cosine_eer_percent(embeddings, batches.Pairs(rows, columns, same))
    # Of 3 s and of whole files; 50 % is guessing. Nearly all of it is the filter banks' work.
    assert held_out < 45 and eer < 38, (held_out, eer)


# The organisers' folder.


def plain_embedding(theirs, heard, samples):
    """From the facts: filter banks without zeros at the ends, times layers of the whole."""
    from speechbrain.lobes.features import Fbank

    parts = importlib.import_module("speechbrain.lobes.models.ECAPA_TDNN")

    def of(module, name):
        own = {
            key[len(name) + 1 :]: one for key, one in theirs.items() if key.startswith(f"{name}.")
        }
        module.load_state_dict(own)
        return module.eval()

    def block(index, name, kernel, dilation):
        if name == "blocks" and index == 0:
            return of(parts.TDNNBlock(24, 16, 5, 1), "blocks.0")
        sizes = {"se_channels": 8, "kernel_size": kernel, "dilation": dilation}
        return of(parts.SERes2NetBlock(16, 16, **sizes), f"{name}.{index}")

    frames = Fbank(n_mels=24)(torch.from_numpy(np.trim_zeros(samples))[None])
    first = [(frames - frames.mean(dim=1, keepdim=True)).transpose(1, 2)]
    layers = microsoft.wavlm_layers(heard, torch.from_numpy(samples))
    weights = theirs["weighted_sum.layer_weights"].softmax(dim=0)
    second = [(weights[:, None, None] * layers).sum(dim=0).T[None]]
    for index, (kernel, dilation) in enumerate(((5, 1), (3, 2), (3, 3), (3, 4))):
        first.append(block(index, "blocks", kernel, dilation)(first[-1]))
        second.append(block(index, "blocks_features", kernel, dilation)(second[-1]))
    heard_frames, encoded = torch.cat(first[2:], dim=1), torch.cat(second[2:], dim=1)
    repeated = [encoded[:, :, index % encoded.shape[2]] for index in range(heard_frames.shape[2])]
    together = heard_frames * torch.stack(repeated, dim=2)
    pooled = of(parts.AttentiveStatisticsPooling(48, attention_channels=8), "asp")(
        of(parts.TDNNBlock(48, 48, 1, 1), "mfa")(together)
    )
    normal = of(parts.BatchNorm1d(input_size=96), "asp_bn")(pooled)
    return of(parts.Conv1d(in_channels=96, out_channels=10, kernel_size=1), "fc")(normal).flatten()


@pytest.mark.parametrize("prefix, inside", [("", False), ("module.", True)])
def test_the_organisers_folder_embeds_as_a_plain_forward_pass(tmp_path, prefix, inside):
    theirs, heard = microsoft.organisers(tmp_path / "attacker", prefix=prefix, inside=inside)
    samples = np.concatenate([np.zeros(333), models.tone(1, 0), np.zeros(20)]).astype("float32")
    with torch.no_grad():
        expected = plain_embedding(theirs, heard, samples).numpy()
    embedding = Extractor(tmp_path / "attacker").embed(samples)
    np.testing.assert_allclose(embedding, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
    with pytest.raises(BadInput, match="holds too little besides zeros"):
        Extractor(tmp_path / "attacker").embed(samples[:400])


@pytest.mark.parametrize(
    "cfg, match",
    [
        ({"gru_rel_pos": False}, "cfg.gru_rel_pos is off"),
        ({"conv_feature_layers": "__import__('os').getpid()"}, "cfg.conv_feature_layers"),
        ({"conv_feature_layers": "[(12,10,5)] * 10**9"}, "cfg.conv_feature_layers"),
        ({"encoder_layers": 2}, "not the weights of the network in its cfg"),
        ({"extractor_mode": "other"}, "cfg.extractor_mode is 'other'"),
    ],
)
def test_a_checkpoint_of_another_network_is_refused(tmp_path, cfg, match):
    microsoft.organisers(tmp_path / "attacker", **cfg)
    with pytest.raises(BadInput, match=match):
        FrozenEncoder(tmp_path / "attacker")


def test_training_may_start_from_the_organisers_folder(tmp_path, tones):
    microsoft.organisers(tmp_path / "attacker", prefix="module.")
    sizes = {"encoder_layers": 3, "emb_dim": 10, "number_of_epochs": 1}
    recipe, folder = small(tmp_path / "recipe.yaml", **sizes), tmp_path / "tuned"
    start = tmp_path / "attacker"
    training.train(read_manifest(tones)[:8], recipe=recipe, folder=folder, seed=1, start=start)
    assert [path.name for path in (folder / "encoder").iterdir()] == ["WavLM-Large.pt"]
    assert Extractor(folder).embed(models.tone(1, 1)).shape == (10,)
