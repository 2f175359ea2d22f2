"""Tiny random SpeechBrain folders and tones, in the layouts of the published models."""

import torch
from speechbrain.lobes.models import ECAPA_TDNN, Xvector
from speechbrain.lobes.models import wav2vec as wav2vec_2
from speechbrain.lobes.models.transformer import Transformer

from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.files import RESOURCES
from voiceprivacy.inout.tables import Utterance, write_manifest

RATE = 16000
FEATURES = """
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>

mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
"""
PRETRAINER = """\
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        embedding_model: !ref <embedding_model>
        classifier: !ref <classifier>
    paths:
        embedding_model: !ref <pretrained_path>/embedding_model.ckpt
        classifier: !ref <pretrained_path>/classifier.ckpt
"""
PUBLISHED_ECAPA = f"""
n_mels: 12
pretrained_path: speechbrain/spkrec-ecapa-voxceleb
out_n_neurons: 5
{FEATURES}
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

modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    mean_var_norm_emb: !ref <mean_var_norm_emb>
    classifier: !ref <classifier>

label_encoder: !new:speechbrain.dataio.encoder.CategoricalEncoder

{PRETRAINER}"""
PUBLISHED_XVECTOR = f"""
n_mels: 12
pretrained_path: speechbrain/spkrec-xvect-voxceleb
out_n_neurons: 5
emb_dim: 10
{FEATURES}
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

modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    classifier: !ref <classifier>

{PRETRAINER}"""


def ecapa(folder):
    """Write a tiny ECAPA-TDNN folder; returns the folder."""
    model = ECAPA_TDNN.ECAPA_TDNN(
        12,
        channels=[16, 16, 16, 16, 48],
        attention_channels=8,
        lin_neurons=10,
        dilations=[1, 2, 3, 4, 1],
    )
    return _save(folder, PUBLISHED_ECAPA, model, ECAPA_TDNN.Classifier(10, out_neurons=5))


def xvector(folder):
    """Write a tiny x-vector folder; returns the folder."""
    model = Xvector.Xvector(in_channels=12, tdnn_channels=[16, 16, 16, 16, 24], lin_neurons=10)
    classifier = Xvector.Classifier([None, None, 10], lin_neurons=10, out_neurons=5)
    return _save(folder, PUBLISHED_XVECTOR, model, classifier)


UNTRAINED = f"""\
n_mels: 24
{FEATURES}
embedding_model: !new:speechbrain.lobes.models.Xvector.Xvector
    activation: !name:torch.nn.LeakyReLU
"""


def untrained_xvector(folder):
    """Save a small x-vector of random weights with no more settings than an attacker needs."""
    fields = {
        "in_channels": 24,
        "tdnn_blocks": 5,
        "tdnn_channels": [32, 32, 32, 32, 64],
        "tdnn_kernel_sizes": [5, 3, 3, 1, 1],
        "tdnn_dilations": [1, 2, 3, 1, 1],
        "lin_neurons": 32,
    }
    torch.manual_seed(0)
    model = Xvector.Xvector(device="cpu", activation=torch.nn.LeakyReLU, **fields)
    torch.save(model.state_dict(), folder / "embedding_model.ckpt")
    lines = [f"    {name}: {value}" for name, value in fields.items()]
    (folder / "hyperparams.yaml").write_text(UNTRAINED + "\n".join(lines) + "\n")
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
    """Samples of one utterance: a tone with overtones in noise."""
    generator = seeds.generator(0, "tone", str(speaker), str(index))
    time = torch.arange(round(seconds * (1 + 0.05 * index) * rate)).numpy() / rate
    samples = sum(
        generator.normal(1, 0.2) * (k * 6.28 * (150 + 40 * speaker) * time % 6.28 - 3.14) / k
        for k in (1, 2)
    )
    return (0.05 * samples + 0.01 * generator.standard_normal(len(time))).astype("float32")


def settings_of(folder):
    """The text of a folder's hyperparameter file."""
    return (folder / "hyperparams.yaml").read_text(encoding="utf-8")


def _save(folder, settings, model, classifier):
    folder.mkdir(parents=True)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 4)
    (folder / "hyperparams.yaml").write_text(settings, encoding="utf-8")
    torch.save(model.state_dict(), folder / "embedding_model.ckpt")
    torch.save(classifier.state_dict(), folder / "classifier.ckpt")
    return folder


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
    extractor = wav2vec_2.W2VLatentExtractor([6, 6, 6], kernel_sizes=[11, 3, 3], strides=[5, 4, 4])
    transformer = Transformer.TransformerEncoder(
        num_layers=2, nhead=2, d_ffn=12, d_model=8, normalize_before=True, activation=torch.nn.GELU
    )
    encoder = wav2vec_2.EncoderWrapper(6, 8, transformer)
    (folder / "hyperparams.yaml").write_text(WAV2VEC, encoding="utf-8")
    torch.save(extractor.state_dict(), folder / "latent_extractor.ckpt")
    torch.save(encoder.state_dict(), folder / "latent_encoder.ckpt")
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
            parameter.copy_(
                noise / parameter[0].numel() ** 0.5
                if parameter.dim() > 1
                else parameter + noise / 10
            )
    network.save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor(do_normalize=normalises).save_pretrained(folder)
    return folder


SMALLER_RECIPE = {
    "number_of_epochs: ": "number_of_epochs: 4 #",
    "batch_size: ": "batch_size: 8 #",
    "crop_s: ": "crop_s: 0.5 #",
    "speeds: ": "speeds: [1.0, 1.1] #",
    "tdnn_channels: ": "tdnn_channels: [16, 16, 16, 16, 32] #",
    "emb_dim: ": "emb_dim: 16 #",
}


def small_recipe(path):
    """Write the shipped recipe xvector_small with a smaller model and four epochs; the path."""
    text = (RESOURCES / "recipes" / "xvector_small.yaml").read_text(encoding="utf-8")
    for old, new in SMALLER_RECIPE.items():
        assert f"\n{old}" in text or f"\n    {old}" in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    return path
