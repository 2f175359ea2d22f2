"""Tiny random SpeechBrain folders and tones, in the layouts of the published models."""

import os
import re

import torch
from hyperpyyaml import load_hyperpyyaml

from voiceprivacy import seeds
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.vocabulary import RESOURCES

RATE = 16000
FEATURES = """
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>

mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
"""
PUBLISHED = """
n_mels: 12
pretrained_path: speechbrain/spkrec-{name}-voxceleb
out_n_neurons: 5
emb_dim: 10
{features}
{model}
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    classifier: !ref <classifier>

label_encoder: !new:speechbrain.dataio.encoder.CategoricalEncoder

pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        embedding_model: !ref <embedding_model>
        classifier: !ref <classifier>
    paths:
        embedding_model: !ref <pretrained_path>/embedding_model.ckpt
        classifier: !ref <pretrained_path>/classifier.ckpt
"""
ECAPA = """\
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels>
    channels: [16, 16, 16, 16, 48]
    kernel_sizes: [5, 3, 3, 3, 1]
    dilations: [1, 2, 3, 4, 1]
    attention_channels: 8
    lin_neurons: 10

classifier: !new:speechbrain.lobes.models.ECAPA_TDNN.Classifier
    input_size: 10
    out_neurons: !ref <out_n_neurons>

mean_var_norm_emb: !new:speechbrain.processing.features.InputNormalization
    norm_type: global
    std_norm: False
"""
XVECTOR = """\
embedding_model: !new:speechbrain.lobes.models.Xvector.Xvector
    in_channels: !ref <n_mels>
    activation: !name:torch.nn.LeakyReLU
    tdnn_blocks: 5
    tdnn_channels: [16, 16, 16, 16, 24]
    tdnn_kernel_sizes: [5, 3, 3, 1, 1]
    tdnn_dilations: [1, 2, 3, 1, 1]
    lin_neurons: !ref <emb_dim>

classifier: !new:speechbrain.lobes.models.Xvector.Classifier
    input_shape: [null, null, !ref <emb_dim>]
    activation: !name:torch.nn.LeakyReLU
    lin_blocks: 1
    lin_neurons: !ref <emb_dim>
    out_neurons: !ref <out_n_neurons>
"""


def ecapa(folder):
    return _save(folder, PUBLISHED.format(name="ecapa", features=FEATURES, model=ECAPA))


def xvector(folder, *, until="\0"):
    """Write a tiny x-vector folder, whose settings end before a text; returns the folder."""
    settings = PUBLISHED.format(name="xvect", features=FEATURES, model=XVECTOR)
    _save(folder, settings)
    (folder / "hyperparams.yaml").write_text(settings.partition(until)[0], encoding="utf-8")
    return folder


def _save(folder, settings):
    folder.mkdir(parents=True)
    (folder / "hyperparams.yaml").write_text(settings, encoding="utf-8")
    made = load_hyperpyyaml(settings.partition("label_encoder")[0])
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in made["embedding_model"].parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 4)
    for name in ("embedding_model", "classifier"):
        torch.save(made[name].state_dict(), folder / f"{name}.ckpt")
    return folder


def write_tones(folder, *, speakers, utterances, seconds=0.8, rate=RATE):
    """Write noisy tones, one pitch a speaker; returns the manifest's path."""
    listed = []
    for speaker in range(speakers):
        for index in range(utterances):
            name = f"s{speaker}-{index}"
            path = folder / f"{name}.flac"
            audio.write(path, tone(speaker, index, seconds=seconds, rate=rate), rate)
            listed.append(Utterance(name, f"s{speaker}", "f", path, seconds))
    write_manifest(folder / "manifest.tsv", listed)
    return folder / "manifest.tsv"


def tone(speaker, index, *, seconds=0.8, rate=RATE):
    generator = seeds.generator(0, "tone", str(speaker), str(index))
    time = torch.arange(round(seconds * (1 + 0.05 * index) * rate)).numpy() / rate
    samples = sum(
        generator.normal(1, 0.2) * (k * 6.28 * (150 + 40 * speaker) * time % 6.28 - 3.14) / k
        for k in (1, 2)
    )
    return (0.05 * samples + 0.01 * generator.standard_normal(len(time))).astype("float32")


class Evil:
    """Runs a command where it is unpickled."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


WAV2VEC = """
embedding_dim: 8
dropout: 0.1

optimizer: !name:torch.optim.AdamW
    lr: 0.0005

extractor: !new:speechbrain.lobes.models.wav2vec.W2VLatentExtractor
    kernel_sizes: [11, 3, 3]
    strides: [5, 4, 4]
    out_channels: [6, 6, 6]

encoder: !new:speechbrain.lobes.models.transformer.Transformer.TransformerEncoder
    d_model: !ref <embedding_dim>
    num_layers: 2
    nhead: 2
    d_ffn: 12
    dropout: !ref <dropout>
    layerdrop_prob: 0.05
    normalize_before: True
    activation: !name:torch.nn.GELU

encoder_wrapper: !new:speechbrain.lobes.models.wav2vec.EncoderWrapper
    in_dim: 6
    embedding_dim: !ref <embedding_dim>
    latent_encoder: !ref <encoder>
    dropout_encoder_input: 0.1

epoch_counter: !new:os.system
    command: touch ran
"""


def wav2vec(folder):
    """Write a tiny encoder in the layout of SpeechBrain's wav2vec 2.0 recipe; the folder."""
    folder.mkdir(parents=True)
    torch.manual_seed(1)
    made = load_hyperpyyaml(WAV2VEC.partition("epoch_counter")[0])
    (folder / "hyperparams.yaml").write_text(WAV2VEC, encoding="utf-8")
    torch.save(made["extractor"].state_dict(), folder / "latent_extractor.ckpt")
    torch.save(made["encoder_wrapper"].state_dict(), folder / "latent_encoder.ckpt")
    return folder


HUB_NAMES = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "wavlm": "WavLM"}
HUB_SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "conv_dim": [8, 8, 8],
    "conv_kernel": [11, 3, 3],
    "conv_stride": [5, 4, 4],
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
}


def hub_encoder(folder, kind, *, head="Model", normalises=False, **fields):
    """Save a tiny random encoder as the Hugging Face hub has it; returns the folder."""
    import transformers  # seconds

    torch.manual_seed(1)
    config = getattr(transformers, f"{HUB_NAMES[kind]}Config")(**HUB_SMALL | fields)
    network = getattr(transformers, f"{HUB_NAMES[kind]}{head}")(config)
    with torch.no_grad():
        for parameter in network.parameters():
            noise = torch.randn(parameter.shape)
            is_matrix = parameter.dim() > 1
            inputs = parameter[0].numel()
            parameter.copy_(noise / inputs**0.5 if is_matrix else parameter + noise / 10)
    network.save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor(do_normalize=normalises).save_pretrained(folder)
    return folder


def shortened(name, path, **fields):
    """Write a shipped recipe in which fields have other values; the path."""
    text = (RESOURCES / "recipes" / f"{name}.yaml").read_text(encoding="utf-8")
    for field, value in fields.items():
        pattern = rf"^( *{field}:) (?!!ref).*"
        text, count = re.subn(pattern, rf"\1 {value}", text, flags=re.MULTILINE)
        assert count == 1, field
    path.write_text(text, encoding="utf-8")
    return path


def small_recipe(path, number_of_epochs=4):
    """Write the shipped recipe xvector_small with a smaller model and a few epochs; the path."""
    size = {"tdnn_channels": [16, 16, 16, 16, 32], "emb_dim": 16, "speeds": [1.0, 1.1]}
    length = {"number_of_epochs": number_of_epochs, "batch_size": 8, "crop_s": 0.5}
    return shortened("xvector_small", path, **size, **length)
