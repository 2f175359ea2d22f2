"""Recognisers and classifiers: what each library makes of a folder; folders that are none."""

import numpy as np
import pytest
import torch
import transformers
from speechbrain.inference.ASR import EncoderASR
from speechbrain.integrations.huggingface.wav2vec2 import Wav2Vec2
from speechbrain.nnet.pooling import StatisticsPooling
from support import listeners as tiny

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.utility.kinds import emotion
from voiceprivacy.utility.kinds.recogniser import transcribe
from voiceprivacy.utility.listeners import classifier, recogniser

CPU = torch.device("cpu")


def waves(*seconds, seed=0):
    generator = np.random.default_rng(seed)
    return [generator.normal(0, 0.1, int(16000 * one)).astype(np.float32) for one in seconds]


def test_a_speechbrain_recogniser_hears_what_its_library_hears(tmp_path):
    folder = tiny.write_speechbrain_recogniser(tmp_path / "asr")
    library = EncoderASR.from_hparams(source=str(folder), savedir=str(tmp_path / "saved"))
    ours = recogniser(folder, device=CPU)
    for batch in (waves(1.5), waves(2, 1.4, 0.6)):
        padded = torch.nn.utils.rnn.pad_sequence(list(map(torch.from_numpy, batch)), True)
        shares = torch.tensor([len(one) for one in batch]) / padded.shape[1]
        expected, _ = library.transcribe_batch(padded, shares)
        heard = ours.transcribe(batch)
        assert heard == expected and all(heard)
    alone = [ours.transcribe([wave])[0] for wave in batch]
    assert alone != heard, "padding reaches into words: the size of a batch is a part of it"


def test_a_speechbrain_classifier_is_a_mean_over_frames_and_a_linear_layer(tmp_path):
    folder = tiny.write_speechbrain_classifier(tmp_path / "ser")
    source = str(tmp_path / "ser_encoder")
    wav2vec2 = Wav2Vec2(source, save_path=source, output_norm=True, freeze=True).eval()
    head = torch.load(folder / "model.ckpt")["0.w.weight"]
    ours = classifier(folder, device=CPU)
    for wave in waves(0.5, 1, 1.5):
        with torch.no_grad():
            frames = wav2vec2(torch.from_numpy(wave)[None])
            mean = StatisticsPooling(return_std=False)(frames)[0, 0]
        # The library's mean has a little noise: up to 9e-5 in each dimension.
        assert torch.allclose(ours.scores(wave), head @ mean, atol=1e-3)
        assert ours.classify(wave) == ["ang", "hap", "neu", "sad"][int((head @ mean).argmax())]


def test_weights_of_older_versions_have_other_names(tmp_path):
    folder = tiny.write_speechbrain_recogniser(tmp_path / "asr")
    before = recogniser(folder, device=CPU).transcribe(waves(1))
    weights, old = torch.load(folder / "wav2vec2.ckpt"), {}
    for name, tensor in weights.items():
        if "masked_spec_embed" not in name:
            layer = name.replace("parametrizations.weight.original0", "weight_g")
            old[layer.replace("parametrizations.weight.original1", "weight_v")] = tensor
    assert len(old.keys() - weights.keys()) == 2
    torch.save(old, folder / "wav2vec2.ckpt")
    assert recogniser(folder, device=CPU).transcribe(waves(1)) == before


def test_a_ctc_network_of_the_hub_hears_what_transformers_hears(tmp_path):
    folder = tiny.write_hub_ctc(tmp_path / "ctc")
    pipe = transformers.pipeline("automatic-speech-recognition", str(folder))
    (wave,) = waves(1.5)
    assert recogniser(folder, device=CPU).transcribe([wave]) == [pipe(wave.copy())["text"]]
    assert len(recogniser(folder, device=CPU).transcribe(waves(1, 0.7, 0.5))) == 3


def test_an_utterance_that_is_too_short_to_be_heard_is_named(tmp_path):
    short = Utterance("u", "s", "f", tmp_path / "u.wav", 0.00625)
    audio.write(short.path, *waves(short.duration_s), 16000)
    asr = recogniser(tiny.write_hub_ctc(tmp_path / "ctc"), device=CPU)
    ser = str(tiny.write_speechbrain_classifier(tmp_path / "ser"))
    definition, labels = emotion.DEFINITIONS["vpc2026"], emotion.Labels("", {}, {})
    for hear in (
        lambda: transcribe(asr, [short], batch=2),
        lambda: emotion.classified([short], ser, labels, definition, device="cpu"),
    ):
        with pytest.raises(BadInput, match=r"u\.wav: utterance 'u' cannot be \S+ \(RuntimeError"):
            hear()


def test_whisper_is_told_the_language_and_gets_chunks_of_what_is_long(tmp_path):
    folder = tiny.write_whisper(tmp_path / "whisper")
    listener = recogniser(folder, device=CPU, language="de")
    assert all(isinstance(text, str) for text in listener.transcribe(waves(1)))
    calls = []
    listener.pipe = lambda *_, **options: calls.append(options) or {"text": "so"}
    assert listener.transcribe(waves(1, 31)) == ["so", "so"]
    told = {"generate_kwargs": {"language": "de", "task": "transcribe"}}
    assert calls == [told, {**told, "chunk_length_s": 30, "stride_length_s": 5}]
    with pytest.raises(BadInput, match="recognises many languages"):
        recogniser(folder, device=CPU)
    with pytest.raises(BadInput, match="language xx"):
        recogniser(folder, device=CPU, language="xx").transcribe(waves(1))


def test_a_classifier_of_the_hub_says_what_transformers_says(tmp_path):
    folder = tiny.write_hub_classifier(tmp_path / "ser")
    pipe = transformers.pipeline("audio-classification", str(folder))
    listener = classifier(folder, device=CPU)
    for wave in waves(0.5, 1, 1.5):
        assert listener.classify(wave) == pipe(wave.copy(), top_k=1)[0]["label"]


def test_the_last_checkpoint_of_a_training_is_taken(tmp_path):
    for seed in (1, 2):
        tiny.write_speechbrain_classifier(tmp_path / f"fold_1/CKPT+2024-0{seed}", seed=seed)
    wave = waves(1)[0]
    taken = classifier(tmp_path / "fold_1", device=CPU)
    last = classifier(tmp_path / "fold_1/CKPT+2024-02", device=CPU)
    assert torch.equal(taken.output.w.weight, last.output.w.weight)
    assert taken.classify(wave) == last.classify(wave)


def edited(folder, old, new):
    path = folder / "hyperparams.yaml"
    path.write_text(path.read_text().replace(old, new))


def lacking(folder, name):
    (folder / name).unlink()


SPOILED = {
    "source": (lambda f: edited(f, "wav2vec2_hub: ", "wav2vec2_hub: x"), "shape"),
    "beam": (lambda f: edited(f, "ctc_greedy_decode", "S2S"), "expected greedy"),
    "code": (lambda f: edited(f, "VanillaNN.VanillaNN", "os.system"), "enc"),
    "tokenizer": (lambda f: lacking(f, "tokenizer.ckpt"), "tokenizer.ckpt: not found"),
    "garbled": (lambda f: (f / "tokenizer.ckpt").write_text("???"), "is no tokenizer"),
    "weights": (lambda f: lacking(f, "asr.ckpt"), "asr.ckpt: not found"),
    "changed": (
        lambda f: (f / "SHA256SUMS").write_text(f"{'0' * 64}  asr.ckpt\n"),
        "asr.ckpt: is not the file that SHA256SUMS names",
    ),
    "changed, as sha256sum -b lists it": (
        lambda f: (f / "SHA256SUMS").write_text(f"{'0' * 64} *asr.ckpt\n"),
        "asr.ckpt: is not the file that SHA256SUMS names",
    ),
    "others": (
        lambda f: (f / "asr.ckpt").write_bytes((f / "wav2vec2.ckpt").read_bytes()),
        "asr.ckpt",
    ),
    "neither": (lambda f: lacking(f, "hyperparams.yaml"), "neither hyperparams.yaml nor config"),
}


@pytest.mark.parametrize("fault", SPOILED)
def test_what_is_wrong_with_a_speechbrain_folder_is_named(tmp_path, fault):
    folder = tiny.write_speechbrain_recogniser(tmp_path / "asr")
    spoil, words = SPOILED[fault]
    spoil(folder)
    with pytest.raises(BadInput, match=words):
        recogniser(folder, device=CPU)


def test_a_network_with_more_labels_than_its_list_is_named(tmp_path):
    few = "'x' => 99\n================\n'starting_index' => 0\n"
    folder = tiny.write_speechbrain_classifier(tmp_path / "ser")
    (folder / "label_encoder.txt").write_text(few)
    with pytest.raises(BadInput, match=r"label_encoder\.txt: has no label \d"):
        classifier(folder, device=CPU).classify(waves(1)[0])
    folder = tiny.write_speechbrain_recogniser(tmp_path / "asr")
    (folder / "tokenizer.ckpt").write_text(few)
    with pytest.raises(BadInput, match=r"tokenizer\.ckpt: has no label \d"):
        recogniser(folder, device=CPU).transcribe(waves(1.5))


def test_what_is_wrong_with_a_folder_of_the_hub_is_named(tmp_path):
    folder = tiny.write_hub_classifier(tmp_path / "ser")
    with pytest.raises(BadInput, match="not found"):
        recogniser(tmp_path / "none", device=CPU)
    with pytest.raises(BadInput, match="'bert' is no classifier of audio"):
        transformers.BertConfig().save_pretrained(tmp_path / "bert")
        classifier(tmp_path / "bert", device=CPU)
    prepares = folder / "preprocessor_config.json"
    prepares.write_text(prepares.read_text().replace("16000", "8000"))
    with pytest.raises(BadInput, match="listens at 8000 Hz"):
        classifier(folder, device=CPU)
    with pytest.raises(BadInput, match="AutoFeatureExtractor cannot read it"):
        prepares.unlink()
        classifier(folder, device=CPU)
    transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(**tiny.ENCODER)).save_pretrained(folder)
    with pytest.raises(BadInput, match="has no weights"):
        classifier(folder, device=CPU)
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(BadInput, match="cannot read it"):
        classifier(folder, device=CPU)
