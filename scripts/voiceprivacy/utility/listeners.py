"""Networks of others that listen: what is said (recognisers), and how it is said (classifiers).

Conventions
-----------
* A network is a folder of one of two kinds. Nothing in it runs as code, and nothing is fetched.
* A folder of SpeechBrain, with hyperparams.yaml: wav2vec 2.0 and a network on top of it. A
  recogniser has the fields ``wav2vec2``, ``enc``, ``ctc_lin``, ``tokenizer`` and
  ``decoding_function`` (greedy CTC) and the files wav2vec2.ckpt, asr.ckpt and tokenizer.ckpt, as
  speechbrain/asr-wav2vec2-librispeech. A classifier has ``wav2vec2`` and ``output_mlp``, and
  wav2vec2.ckpt, model.ckpt and label_encoder.txt, as
  speechbrain/emotion-recognition-wav2vec2-IEMOCAP: its frames are averaged.
* Their wav2vec 2.0 is a model of the hub, of which only the shape is needed: that of ARCHITECTURES
  by its name, or of the config.json in the folder that is named instead.
* A folder of the Hugging Face hub, with config.json: whatever transformers loads for CTC, for
  sequence to sequence, or for classifying audio. All weights have to be there.
* Speech is brought to the rate of the network, 16 kHz. Utterances that are recognised together are
  padded with zeros, which can change words: SpeechBrain's wav2vec 2.0 normalises over the batch's
  length. Sequence-to-sequence networks hear one at a time. Whisper is told the language, and gets
  chunks of 30 s that overlap by 5 s where an utterance is longer than 30 s. Beams and the longest
  text are those of transformers' pipeline.
* A GPU computes Whisper with 16 bits, as the challenge does, and all others with 32.

References
----------
Baevski et al., wav2vec 2.0, NeurIPS 2020. Radford et al., Whisper, ICML 2023. Ravanelli et al.,
SpeechBrain, 2021.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn.functional import layer_norm

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import CHECKSUMS, sha256_of
from voiceprivacy.inout.files import read_lines
from voiceprivacy.models import Floats, encoders
from voiceprivacy.models.encoders import HUB_PREPARATION, HUB_SETTINGS
from voiceprivacy.models.folders import (
    SETTINGS,
    Hyperparameters,
    load_weights,
    refusing,
)

SAMPLE_RATE = 16000
CHUNK_S, STRIDE_S = 30, 5
LABELS = "label_encoder.txt"
CHECKPOINTS = "CKPT*"  # below a folder of a SpeechBrain training; the last is taken

WAV2VEC2 = ("HuggingFaceWav2Vec2", "Wav2Vec2")  # the class's name in older and newer versions
NETWORKS = [
    "speechbrain.lobes.models.VanillaNN.VanillaNN",
    "speechbrain.nnet.containers.Sequential",
]
LINEAR = ["speechbrain.nnet.linear.Linear"]
BASE: dict[str, Any] = {"model_type": "wav2vec2"}  # the shape that transformers has by default
LARGE: dict[str, Any] = {
    "model_type": "wav2vec2",
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
    "conv_bias": True,
    "feat_extract_norm": "layer",
    "do_stable_layer_norm": True,
}
# All of them normalise the wave.
ARCHITECTURES = {
    "facebook/wav2vec2-base": BASE,
    "facebook/wav2vec2-base-960h": BASE,
    "facebook/wav2vec2-large-lv60": LARGE,
    "facebook/wav2vec2-large-960h-lv60": LARGE,
    "facebook/wav2vec2-large-960h-lv60-self": LARGE,
}


class Recogniser(Protocol):
    """What turns samples into words."""

    def transcribe(self, batch: Sequence[Floats]) -> list[str]:
        """What is heard in utterances (N,) float32 at 16 kHz that are recognised together."""


class Classifier(Protocol):
    """What turns samples into a label."""

    def classify(self, samples: Floats) -> str:
        """The likeliest label of samples (N,) float32 at 16 kHz."""


def recogniser(folder: Path, *, device: torch.device, language: str | None = None) -> Recogniser:
    """Load a recogniser; BadInput says what is wrong with its folder."""
    folder = _checked(folder)
    if (folder / SETTINGS).exists():
        return SpeechBrainRecogniser(folder, device)
    settings = _part("AutoConfig", folder)
    if _is_of(settings, "MODEL_FOR_CTC_MAPPING"):
        return HubCTC(folder, device)
    if _is_of(settings, "MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING"):
        return HubSequence(folder, settings, device, language)
    raise BadInput(f"{folder / HUB_SETTINGS}: '{settings.model_type}' is no recogniser of speech")


def classifier(folder: Path, *, device: torch.device) -> Classifier:
    """Load a classifier; BadInput says what is wrong with its folder."""
    folder = _checked(folder)
    if (folder / SETTINGS).exists():
        return SpeechBrainClassifier(folder, device)
    settings = _part("AutoConfig", folder)
    if _is_of(settings, "MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING"):
        return HubClassifier(folder, settings, device)
    raise BadInput(f"{folder / HUB_SETTINGS}: '{settings.model_type}' is no classifier of audio")


def _checked(folder):
    """The folder itself, or the last checkpoint of a training below it."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: not found (a folder with {SETTINGS} or {HUB_SETTINGS})")
    if (folder / CHECKSUMS).exists():
        _refuse_changed(folder)
    if (folder / SETTINGS).exists() or (folder / HUB_SETTINGS).exists():
        return folder
    checkpoints = [path.parent for path in sorted(folder.glob(f"{CHECKPOINTS}/{SETTINGS}"))]
    if not checkpoints:
        raise BadInput(f"{folder}: has neither {SETTINGS} nor {HUB_SETTINGS}")
    return checkpoints[-1]


def _refuse_changed(folder):
    """Refuse a folder of which a file is not the one that its list of checksums names."""
    for line in read_lines(folder / CHECKSUMS):
        digest, _, name = line.partition(" ")
        path = folder / name.lstrip(" *")  # sha256sum -b writes a * before it
        if name and (not path.is_file() or sha256_of(path) != digest):
            raise BadInput(f"{path}: is not the file that {CHECKSUMS} names: fetch it again")


# Folders of SpeechBrain.


class SpeechBrainWav2Vec2(torch.nn.Module):
    """wav2vec 2.0 as SpeechBrain's ``Wav2Vec2`` computes it, with the names of its weights."""

    def __init__(self, settings: Hyperparameters, path: Path) -> None:
        """Build the network of the field wav2vec2 and load its weights."""
        super().__init__()
        class_, fields = settings.described("wav2vec2")
        if class_.rpartition(".")[2] not in WAV2VEC2:
            raise BadInput(f"{settings.path}: wav2vec2 is '{class_}', expected a {WAV2VEC2[1]}")
        source, self.output_norm = str(fields.get("source")), fields.get("output_norm", False)
        self.normalises = True
        if source in ARCHITECTURES:
            self.model = encoders.network_of(Path(settings.path), ARCHITECTURES[source])
        elif (Path(source) / HUB_SETTINGS).exists():
            self.normalises = encoders.normalises(Path(source) / HUB_PREPARATION)
            self.model = encoders.network_of(Path(source) / HUB_SETTINGS)
        else:
            raise BadInput(
                f"{settings.path}: wav2vec2: the shape of '{source}' is not known here: write the"
                f" folder of a copy of its {HUB_SETTINGS} and {HUB_PREPARATION}"
            )
        self.model.config.apply_spec_augment = False
        load_weights(self, path, may_lack=encoders.TRAINING_ONLY)

    def forward(self, waves: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """Frames (B, F, D) of waves (B, N), whose lengths (B,) are shares of N."""
        from speechbrain.dataio.dataio import length_to_mask

        mask = None
        if lengths is not None:
            mask = length_to_mask(torch.round(lengths * waves.shape[1])).bool()
        if self.normalises:
            waves = layer_norm(waves, waves.shape[1:])
        frames = self.model(waves, attention_mask=mask).last_hidden_state
        return layer_norm(frames, frames.shape[1:]) if self.output_norm else frames


class SpeechBrainRecogniser:
    """wav2vec 2.0 with CTC; greedy, as EncoderASR has it."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        settings = Hyperparameters(folder / SETTINGS)
        self.device = device
        self.wav2vec2 = SpeechBrainWav2Vec2(settings, folder / "wav2vec2.ckpt")
        self.enc = settings.section("enc", classes=NETWORKS).build()
        self.ctc_lin = settings.section("ctc_lin", classes=LINEAR).build()
        load_weights(torch.nn.ModuleList([self.enc, self.ctc_lin]), folder / "asr.ckpt")
        decoding, fields = settings.described("decoding_function")
        if not decoding.endswith("ctc_greedy_decode"):
            raise BadInput(f"{settings.path}: decoding_function is '{decoding}', expected greedy")
        self.blank = fields.get("blank_id", -1)
        self.letters = _letters(settings, folder / "tokenizer.ckpt")
        for module in (self.wav2vec2, self.enc, self.ctc_lin):
            module.to(device).eval()

    def transcribe(self, batch: Sequence[Floats]) -> list[str]:
        """See Recogniser."""
        from speechbrain.decoders.ctc import ctc_greedy_decode

        waves = torch.nn.utils.rnn.pad_sequence([_wave(one) for one in batch], batch_first=True)
        shares = torch.tensor([len(one) for one in batch]) / waves.shape[1]
        waves, shares = waves.to(self.device), shares.to(self.device)
        with torch.inference_mode():
            frames = self.ctc_lin(self.enc(self.wav2vec2(waves, shares)))
            decoded = ctc_greedy_decode(frames.log_softmax(-1), shares, blank_id=self.blank)
        return [self.letters(indices) for indices in decoded]


def _letters(settings, path):
    """A function that turns the indices of a tokenizer into a text."""
    class_, _ = settings.described("tokenizer")
    if not path.is_file():
        raise BadInput(f"{path}: not found")
    with refusing(f"{path}: is no tokenizer"):
        if class_.endswith("SentencePieceProcessor"):
            import sentencepiece  # comes with SpeechBrain

            pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
            return pieces.decode_ids
        labels = _labels(path)
    return lambda indices: "".join(_label(labels, index, path) for index in indices)


def _labels(path):
    """What a file of SpeechBrain's CategoricalEncoder says: {index: label}."""
    from speechbrain.dataio.encoder import CategoricalEncoder

    return CategoricalEncoder._load_literal(path)[1]


def _label(labels, index, path):
    """A label of those that a file has; BadInput where the network has more of them."""
    if index not in labels:
        raise BadInput(f"{path}: has no label {index}, which the network next to it gives")
    return str(labels[index])


class SpeechBrainClassifier:
    """wav2vec 2.0, the mean over its frames, and a linear layer; one utterance at a time."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        settings = Hyperparameters(folder / SETTINGS)
        self.device = device
        self.wav2vec2 = SpeechBrainWav2Vec2(settings, folder / "wav2vec2.ckpt")
        self.output = settings.section("output_mlp", classes=LINEAR).build()
        load_weights(torch.nn.ModuleList([self.output]), folder / "model.ckpt")
        listed = folder / LABELS  # of a training, it lies beside the checkpoints
        self.listed = listed if listed.exists() else folder.parent / LABELS
        if not self.listed.exists():
            raise BadInput(f"{listed}: not found")
        with refusing(f"{self.listed}: is no list of labels"):
            self.labels = _labels(self.listed)
        for module in (self.wav2vec2, self.output):
            module.to(device).eval()

    def scores(self, samples: Floats) -> torch.Tensor:
        """Scores (L,) of the labels."""
        with torch.inference_mode():
            frames = self.wav2vec2(_wave(samples)[None].to(self.device))
            return self.output(frames.mean(dim=1))[0]

    def classify(self, samples: Floats) -> str:
        """See Classifier."""
        return _label(self.labels, int(self.scores(samples).argmax()), self.listed)


# Folders of the hub.


class HubCTC:
    """Any network for CTC; greedy."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        self.device = device
        self.model = _loaded("AutoModelForCTC", folder).to(device).eval()
        self.prepare = _feature_extractor(folder)
        self.tokenizer = _part("AutoTokenizer", folder)

    def transcribe(self, batch: Sequence[Floats]) -> list[str]:
        """See Recogniser."""
        inputs = self.prepare(
            [np.asarray(samples, np.float32) for samples in batch],
            sampling_rate=SAMPLE_RATE,
            padding=True,
            return_tensors="pt",
        )
        with torch.inference_mode():
            scores = self.model(**inputs.to(self.device)).logits
        return self.tokenizer.batch_decode(scores.argmax(dim=-1))


class HubSequence:
    """Whisper, or any other network from sequence to sequence, through transformers' pipeline."""

    def __init__(
        self, folder: Path, settings: Any, device: torch.device, language: str | None
    ) -> None:
        is_whisper = settings.model_type == "whisper"
        half = is_whisper and device.type == "cuda"
        model = _loaded("AutoModelForSpeechSeq2Seq", folder).to(device).eval()
        model = model.half() if half else model
        self.options: dict[str, Any] = {}
        if is_whisper and getattr(model.generation_config, "is_multilingual", False):
            if language is None:
                raise BadInput(
                    f"{folder}: recognises many languages: name one, such as language: en"
                )
            self.options = {"language": language, "task": "transcribe"}
        self.chunks = {"chunk_length_s": CHUNK_S, "stride_length_s": STRIDE_S}
        self.is_whisper, self.language = is_whisper, language
        self.pipe = encoders.hub_library().pipeline(
            "automatic-speech-recognition",
            model=model,
            tokenizer=_part("AutoTokenizer", folder),
            feature_extractor=_feature_extractor(folder),
            dtype=torch.float16 if half else torch.float32,
            device=device,
            ignore_warning=True,
        )

    def transcribe(self, batch: Sequence[Floats]) -> list[str]:
        """See Recogniser; each utterance is heard alone."""
        return [self._heard(samples) for samples in batch]

    def _heard(self, samples: Floats) -> str:
        is_long = len(samples) > CHUNK_S * SAMPLE_RATE
        chunks = self.chunks if self.is_whisper and is_long else {}
        inputs = {"raw": np.asarray(samples, np.float32), "sampling_rate": SAMPLE_RATE}
        try:
            return self.pipe(inputs, generate_kwargs=dict(self.options), **chunks)["text"]
        except ValueError as error:
            if self.options and "anguage" in str(error):
                raise BadInput(f"language {self.language}: {error}") from None
            raise


class HubClassifier:
    """Any network that classifies audio; one utterance at a time."""

    def __init__(self, folder: Path, settings: Any, device: torch.device) -> None:
        self.device = device
        self.model = _loaded("AutoModelForAudioClassification", folder).to(device).eval()
        self.prepare = _feature_extractor(folder)
        self.labels = settings.id2label

    def classify(self, samples: Floats) -> str:
        """See Classifier."""
        inputs = self.prepare(
            np.asarray(samples, np.float32), sampling_rate=SAMPLE_RATE, return_tensors="pt"
        )
        with torch.inference_mode():
            scores = self.model(**inputs.to(self.device)).logits
        return str(self.labels[int(scores[0].argmax())])


def _is_of(settings, mapping):
    return type(settings) in getattr(encoders.hub_library(), mapping)


def _part(name, folder, **options):
    """What a class of transformers reads from a folder; BadInput where it cannot."""
    class_ = getattr(encoders.hub_library(), name)
    with refusing(f"{folder}: {name} cannot read it"):
        return class_.from_pretrained(folder, local_files_only=True, **options)


def _feature_extractor(folder):
    """What prepares waves for a network; BadInput where it is made for another rate than ours."""
    prepare = _part("AutoFeatureExtractor", folder)
    if (rate := getattr(prepare, "sampling_rate", SAMPLE_RATE)) != SAMPLE_RATE:
        raise BadInput(f"{folder}: listens at {rate} Hz, expected {SAMPLE_RATE}")
    return prepare


def _loaded(name, folder):
    """A network with its weights, in 32 bits; BadInput where some are missing or do not fit."""
    model, loaded = _part(name, folder, output_loading_info=True, dtype=torch.float32)
    unfit = sorted(set(loaded["missing_keys"]) | {str(key) for key in loaded["mismatched_keys"]})
    unfit = [key for key in unfit if not key.endswith(encoders.TRAINING_ONLY)]
    if unfit:
        raise BadInput(f"{folder}: has no weights {unfit[0]}, which its {HUB_SETTINGS} asks for")
    return model


def _wave(samples):
    return torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))
