"""Tiny random recognisers and classifiers, in the layouts of the published ones."""

import json

import torch
import transformers
from speechbrain.dataio.encoder import CategoricalEncoder, CTCTextEncoder
from speechbrain.lobes.models.VanillaNN import VanillaNN
from speechbrain.nnet.linear import Linear
from tokenizers.pre_tokenizers import ByteLevel

from voiceprivacy.vocabulary import EMOTIONS

LETTERS = ["<blank>", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "'", " "]
WIDTH = 16
ENCODER = {
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "conv_dim": (8, 8),
    "conv_kernel": (10, 8),
    "conv_stride": (160, 2),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 4,
    "num_conv_pos_embedding_groups": 2,
    "feat_extract_norm": "layer",
    "do_stable_layer_norm": True,
}
RECOGNISER = """
wav2vec2_hub: {encoder}
activation: !name:torch.nn.LeakyReLU
enc: !new:speechbrain.lobes.models.VanillaNN.VanillaNN
    input_shape: [null, null, {width}]
    activation: !ref <activation>
    dnn_blocks: 2
    dnn_neurons: 12
wav2vec2: !new:speechbrain.integrations.huggingface.wav2vec2.Wav2Vec2
    source: !ref <wav2vec2_hub>
    output_norm: True
    freeze: True
    save_path: {encoder}
ctc_lin: !new:speechbrain.nnet.linear.Linear
    input_size: 12
    n_neurons: {n_letters}
log_softmax: !new:speechbrain.nnet.activations.Softmax
    apply_log: True
asr_model: !new:torch.nn.ModuleList
    - [!ref <enc>, !ref <ctc_lin>]
tokenizer: !new:speechbrain.dataio.encoder.CTCTextEncoder
encoder: !new:speechbrain.nnet.containers.LengthsCapableSequential
    wav2vec2: !ref <wav2vec2>
    enc: !ref <enc>
    ctc_lin: !ref <ctc_lin>
    log_softmax: !ref <log_softmax>
modules:
    encoder: !ref <encoder>
decoding_function: !name:speechbrain.decoders.ctc_greedy_decode
    blank_id: 0
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        wav2vec2: !ref <wav2vec2>
        asr: !ref <asr_model>
        tokenizer: !ref <tokenizer>
"""
CLASSIFIER = """
wav2vec2: !new:speechbrain.lobes.models.huggingface_wav2vec.HuggingFaceWav2Vec2
    source: {encoder}
    output_norm: True
    freeze: False
    save_path: wav2vec2_checkpoints
avg_pool: !new:speechbrain.nnet.pooling.StatisticsPooling
    return_std: False
output_mlp: !new:speechbrain.nnet.linear.Linear
    input_size: {width}
    n_neurons: 4
    bias: False
label_encoder: !new:speechbrain.dataio.encoder.CategoricalEncoder
"""


def _write_speechbrain(folder, seed, settings):
    """Settings and wav2vec 2.0 of a folder; the encoder that it names is a folder beside it."""
    encoder = folder.parent / f"{folder.name}_encoder"
    torch.manual_seed(seed)
    model = transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(**ENCODER)).eval()
    model.save_pretrained(encoder)
    transformers.Wav2Vec2FeatureExtractor(do_normalize=True).save_pretrained(encoder)
    weights = model.state_dict()
    folder.mkdir(parents=True)
    fields = {"encoder": encoder, "width": WIDTH, "n_letters": len(LETTERS)}
    (folder / "hyperparams.yaml").write_text(settings.format(**fields))
    named = {f"model.{name}": tensor for name, tensor in weights.items()}
    torch.save(named, folder / "wav2vec2.ckpt")


def write_speechbrain_recogniser(folder, seed=0):
    """As speechbrain/asr-wav2vec2-librispeech."""
    _write_speechbrain(folder, seed, RECOGNISER)
    enc = VanillaNN(input_shape=[None, None, WIDTH], dnn_blocks=2, dnn_neurons=12)
    head = Linear(input_size=12, n_neurons=len(LETTERS))
    with torch.no_grad():  # far from each other, so that letters are not all the same
        head.w.weight.mul_(20)
    torch.save(torch.nn.ModuleList([enc, head]).state_dict(), folder / "asr.ckpt")
    letters = CTCTextEncoder()
    letters.insert_blank("<blank>", index=0)
    letters.update_from_iterable(LETTERS[1:])
    letters.save(folder / "tokenizer.ckpt")
    return folder


def write_speechbrain_classifier(folder, seed=0):
    """As speechbrain/emotion-recognition-wav2vec2-IEMOCAP."""
    _write_speechbrain(folder, seed, CLASSIFIER)
    head = Linear(input_size=WIDTH, n_neurons=4, bias=False)
    torch.save(torch.nn.ModuleList([head]).state_dict(), folder / "model.ckpt")
    names = CategoricalEncoder()
    names.update_from_iterable([label[:3] for label in EMOTIONS])
    names.save(folder / "label_encoder.txt")
    return folder


def write_hub_ctc(folder):
    """As facebook/wav2vec2-base-960h."""
    torch.manual_seed(0)
    folder.mkdir(parents=True)
    vocabulary = ["<pad>", "<s>", "</s>", "<unk>", "|", *LETTERS[1:-1]]
    numbers = {letter: index for index, letter in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(numbers))
    transformers.Wav2Vec2CTCTokenizer(folder / "vocab.json").save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor(return_attention_mask=True).save_pretrained(folder)
    settings = transformers.Wav2Vec2Config(**ENCODER, vocab_size=len(vocabulary), pad_token_id=0)
    transformers.Wav2Vec2ForCTC(settings).save_pretrained(folder)
    return folder


def write_hub_classifier(folder):
    """As superb/wav2vec2-base-superb-er."""
    torch.manual_seed(0)
    named = {index: label[:3] for index, label in enumerate(EMOTIONS)}
    settings = transformers.Wav2Vec2Config(**ENCODER, num_labels=len(named), id2label=named)
    transformers.Wav2Vec2ForSequenceClassification(settings).save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor().save_pretrained(folder)
    return folder


def write_whisper(folder):
    """As openai/whisper-large-v3, with an alphabet of bytes and two languages."""
    torch.manual_seed(0)
    folder.mkdir(parents=True)
    letters = sorted(ByteLevel.alphabet())
    vocabulary = {one: at for at, one in enumerate(letters)}
    tokenizer = transformers.WhisperTokenizer(vocabulary, [])
    special = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>"]
    special += ["<|transcribe|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.save_pretrained(folder)
    number = tokenizer.convert_tokens_to_ids
    transformers.WhisperFeatureExtractor(feature_size=8).save_pretrained(folder)
    ids = dict.fromkeys(["eos_token_id", "pad_token_id", "bos_token_id"], number(special[0]))
    ids["decoder_start_token_id"] = number(special[1])
    sizes = {}
    for part in ("encoder", "decoder"):
        sizes |= {f"{part}_layers": 1, f"{part}_attention_heads": 2, f"{part}_ffn_dim": 16}
    settings = transformers.WhisperConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=8,
        d_model=WIDTH,
        max_target_positions=32,
        begin_suppress_tokens=None,
        suppress_tokens=None,
        **ids,
        **sizes,
    )
    model = transformers.WhisperForConditionalGeneration(settings)
    model.generation_config = transformers.GenerationConfig(
        max_length=32,
        is_multilingual=True,
        lang_to_id={language: number(language) for language in special[2:4]},
        task_to_id={"translate": number(special[4]), "transcribe": number(special[5])},
        no_timestamps_token_id=number(special[-1]),
        prev_sot_token_id=number(special[6]),
        begin_suppress_tokens=[number(special[0])],
        suppress_tokens=[number(name) for name in special[1:]],
        **ids,
    )
    model.save_pretrained(folder)
    return folder
