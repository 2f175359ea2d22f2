"""Embeddings: equal to SpeechBrain's own, the same whatever else happens, and clear refusals."""

import multiprocessing
import os
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from speechbrain.inference.speaker import EncoderClassifier
from support import needs
from support.models import RATE, Evil, tone, write_tones
from support.trained import changed

from voiceprivacy.attack.extractors import networks, one_by_one
from voiceprivacy.attack.extractors.networks import Extractor, Preparation, embed_manifest
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.models.devices import single_thread

ASV = os.environ.get("VOICEPRIVACY_ASV")
SPEECH = os.environ.get("VOICEPRIVACY_SPEECH")
needs_model = needs.data("VOICEPRIVACY_ASV")
needs_speech = needs.data("VOICEPRIVACY_SPEECH")


def by_speechbrain(folder, samples, savedir, **options):
    """What SpeechBrain's own loader and encode_batch give (seeded: its x-vector adds noise)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = EncoderClassifier.from_hparams(str(folder), savedir=str(savedir), **options)
    torch.manual_seed(0)
    with torch.inference_mode(), single_thread():
        return classifier.encode_batch(torch.from_numpy(samples)).flatten().numpy()


def assert_equal_in_float32(embedding, expected):
    """Equal to 1e-6 of the largest value: a step of float32, which processors round differently."""
    np.testing.assert_allclose(embedding, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["ecapa", "xvector"])
def test_an_embedding_equals_encode_batch(kind, request, tmp_path):
    folder = request.getfixturevalue(kind)
    extractor = Extractor(folder)
    for index in range(3):
        samples = tone(1, index)
        own = {"overrides": {"pretrained_path": str(folder)}}
        expected = by_speechbrain(folder, samples, tmp_path / str(index), **own)
        assert extractor.embed(samples).dtype == np.float32
        assert_equal_in_float32(extractor.embed(samples), expected)


@needs_model
@needs_speech
def test_an_embedding_of_real_speech_equals_encode_batch(tmp_path):
    path = min(Path(SPEECH).glob("test-other/*/*/*.flac"))
    samples, _ = audio.read(path)
    expected = by_speechbrain(Path(ASV).absolute(), samples, tmp_path)
    assert_equal_in_float32(Extractor(ASV).embed(samples), expected)


@pytest.mark.parametrize(("kind", "threads"), [("ecapa", 1), ("xvector", 2)])
def test_order_and_processes_change_no_bit(kind, threads, request, tones):
    folder, utterances = request.getfixturevalue(kind), read_manifest(tones)[:9]
    one = embed_manifest(utterances, folder=folder, threads=1)
    several = embed_manifest(utterances[::-1], folder=folder, threads=threads)
    assert one.ids.tolist() == [utterance.utterance for utterance in utterances]
    np.testing.assert_array_equal(several.ids, one.ids[::-1])
    np.testing.assert_array_equal(several.embeddings, one.embeddings[::-1])


def test_what_was_embedded_before_and_the_random_state_change_nothing(xvector):
    extractor = Extractor(xvector)
    first = extractor.embed(tone(0, 0))
    torch.manual_seed(77)
    extractor.embed(tone(3, 1))
    state = torch.get_rng_state()
    np.testing.assert_array_equal(extractor.embed(tone(0, 0)), first)
    assert torch.equal(torch.get_rng_state(), state)


def test_an_utterance_at_another_rate_is_refused_by_name(ecapa, tmp_path):
    manifest = write_tones(tmp_path, speakers=1, utterances=1, rate=8000)
    with pytest.raises(BadInput, match=r"s0-0\.flac: utterance 's0-0' has 8000 Hz, .* 16000 Hz"):
        embed_manifest(read_manifest(manifest), folder=ecapa)


@pytest.mark.parametrize(("kind", "shortest"), [("ecapa", 3920), ("xvector", 2640)])
def test_an_utterance_that_is_too_short_is_refused_by_name(kind, shortest, request, tmp_path):
    extractor = Extractor(request.getfixturevalue(kind))
    assert extractor.shortest == shortest  # frames of 25 ms every 10 ms: 23 or 15 of them
    assert np.isfinite(extractor.embed(tone(0, 0)[:shortest])).all()
    manifest = write_tones(tmp_path, speakers=1, utterances=1, seconds=(shortest - 1) / RATE)
    with pytest.raises(BadInput, match=r"utterance 's0-0' lasts 0\.\d+ s, the model needs"):
        embed_manifest(read_manifest(manifest), folder=extractor.folder)


def test_nothing_is_waited_for_when_the_work_is_interrupted_while_it_is_handed_out(ecapa, tones):
    class Interrupted(list):
        def __iter__(self):
            yield from self[:20]  # a few more than wait for the processes
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_manifest(Interrupted(2 * read_manifest(tones)), folder=ecapa, threads=2)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("compute_features:", "other:", "has no field 'compute_features'"),
        ("sentence\n    std_norm: False\n\nembed", "global\n\nembed", "must be sentence"),
        ("lin_neurons: 10", "lin_neurons: 11", "not the weights of the model"),
        ("n_mels: !ref <n_mels>", "n_mels: [1]", "cannot build"),
    ],
)
def test_a_model_of_another_kind_is_refused(ecapa, tmp_path, old, new, reason):
    folder = shutil.copytree(ecapa, tmp_path / "model")
    changed(folder / "hyperparams.yaml", old, new)
    with pytest.raises(BadInput, match=reason):
        Extractor(folder)


@pytest.mark.parametrize("weights", [Evil("touch ran"), {"blocks": 3}])
def test_weights_that_are_none_are_refused_and_run_nothing(ecapa, tmp_path, in_tmp_path, weights):
    shutil.copytree(ecapa, tmp_path / "model")
    torch.save(weights, tmp_path / "model" / "embedding_model.ckpt")
    with pytest.raises(BadInput, match=r"embedding_model\.ckpt: not the weights of the model"):
        Extractor(tmp_path / "model")
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: none here")
@pytest.mark.parametrize("kind", ["ecapa", "xvector"])
def test_a_gpu_gives_the_same_embeddings(kind, request):
    extractors = [Extractor(request.getfixturevalue(kind), device=name) for name in ("cuda", "cpu")]
    on_gpu, on_cpu = (extractor.embed(tone(0, 0)) for extractor in extractors)
    np.testing.assert_allclose(on_gpu, on_cpu, rtol=1e-3, atol=1e-4 * np.abs(on_cpu).max())


@pytest.mark.parametrize("kind", ["ecapa", "xvector"])
def test_batches_keep_the_order_and_the_embeddings(kind, request, tones, monkeypatch):
    monkeypatch.setattr(one_by_one, "READ_AHEAD", 6)
    folder, utterances = request.getfixturevalue(kind), read_manifest(tones)[:9]
    embeddings = dict(one_by_one.in_batches(Extractor(folder), utterances, 2))
    expected = embed_manifest(utterances, folder=folder).embeddings
    assert sorted(embeddings) == list(range(len(utterances)))
    batched = np.stack([embeddings[index] for index in sorted(embeddings)])
    np.testing.assert_allclose(batched, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_preparation_changes_what_is_embedded_and_leaves_too_little_to_refuse(ecapa, tmp_path):
    silence = np.zeros(RATE // 4, dtype=np.float32)
    audio.write(tmp_path / "padded.flac", np.concatenate([silence, tone(0, 0), silence]), RATE)
    padded = Utterance("padded", "s", "f", tmp_path / "padded.flac", 1.3)
    samples, _ = audio.read(padded.path)
    trimming, plain = Extractor(ecapa, preparation=Preparation(trim=True)), Extractor(ecapa)
    embedding = trimming.embed_utterance(padded)
    np.testing.assert_array_equal(embedding, plain.embed(networks.trimmed(samples, RATE)))
    assert not np.allclose(embedding, plain.embed_utterance(padded), rtol=0.1)
    audio.write(tmp_path / "short.flac", np.concatenate([silence, tone(0, 0)[:800], silence]), RATE)
    with pytest.raises(BadInput, match=r"'short' holds speech of 0\.\d+ s, the model needs"):
        trimming.embed_utterance(Utterance("short", "s", "f", tmp_path / "short.flac", 2.0))


@pytest.mark.filterwarnings("ignore")
def test_a_trusted_folder_is_loaded_by_speechbrain_with_the_weights_that_lie_there(ecapa, tmp_path):
    assert "speechbrain/spkrec-ecapa-voxceleb" in (ecapa / "hyperparams.yaml").read_text()
    trusted = networks.TrustedExtractor(ecapa)
    assert trusted.sample_rate == 16000
    assert_equal_in_float32(trusted.embed(tone(0, 0)), Extractor(ecapa).embed(tone(0, 0)))
    audio.write(tmp_path / "short.wav", tone(0, 0)[:400], 16000)
    short = Utterance("short", "s", "f", tmp_path / "short.wav", 0.025)
    for embed in (trusted.embed_utterance, lambda one: [*one_by_one.in_batches(trusted, [one], 1)]):
        with pytest.raises(BadInput, match=r"^\S+short\.wav: .* cannot embed 400 samples"):
            embed(short)


@pytest.mark.filterwarnings("ignore")
def test_code_in_a_folder_runs_only_where_it_is_trusted(ecapa, tmp_path):
    folder, touched = shutil.copytree(ecapa, tmp_path / "ecapa"), tmp_path / "touched"
    code = f"side_effect: !apply:os.mkdir [{touched}]\nn_mels:"
    changed(folder / "hyperparams.yaml", "n_mels:", code)
    Extractor(folder).embed(tone(0, 0))
    assert not touched.exists()
    networks.TrustedExtractor(folder)
    assert touched.exists()


@pytest.mark.filterwarnings("ignore")
def test_a_trusted_folder_that_is_none_is_named(tmp_path):
    with pytest.raises(BadInput, match="nowhere: not found"):
        networks.TrustedExtractor(tmp_path / "nowhere")
    (tmp_path / "hyperparams.yaml").write_text("a: 1\n", encoding="utf-8")
    with pytest.raises(BadInput, match="SpeechBrain cannot load it"):
        networks.TrustedExtractor(tmp_path)


TONE = (0.3 * np.sin(np.arange(RATE) * 0.2)).astype(np.float32)
QUIET = np.full(RATE // 2, 1e-6, dtype=np.float32)
TWO_TONES = np.concatenate([QUIET, TONE, QUIET, TONE, QUIET])


def level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)))


@pytest.mark.parametrize("gain", [0.01, 1.0, 3.0])
def test_speech_comes_to_the_same_level_whatever_its_gain_and_its_pauses(gain):
    heard = networks.at_level(gain * np.concatenate([QUIET, TONE, QUIET]), RATE)
    assert level_db(heard[RATE // 2 + 400 : RATE]) == pytest.approx(-26, abs=0.1)


def test_silence_at_both_ends_is_cut_and_a_pause_inside_by_voice_activity_only():
    assert len(networks.trimmed(TWO_TONES, RATE)) == pytest.approx(2.5 * RATE, abs=0.05 * RATE)
    kept = networks.active(TWO_TONES, RATE)
    assert len(kept) == pytest.approx(2 * RATE, abs=0.2 * RATE)
    assert level_db(kept) == pytest.approx(level_db(TONE), abs=1)


def prepared(samples, **how):
    return networks.prepared(np.float32(samples), RATE, Preparation(**how))


@pytest.mark.parametrize("n_samples", [RATE, 10, 0])
def test_silence_and_crumbs_stay_finite(n_samples):
    everything = prepared(np.zeros(n_samples), loudness=True, trim=True, vad=True)
    assert np.isfinite(everything).all()
    assert len(everything) <= n_samples


def test_the_challenge_of_2024_sets_the_peak_to_1_and_cuts_zeros_at_both_ends():
    samples = np.float32([0, 0, 0.1, -0.25, 0, 0.05, 0])
    done = prepared(samples, challenge="vpc2024")
    np.testing.assert_array_equal(done, np.float32([0.4, -1, 0, 0.2]))
    assert done.dtype == np.float32
    assert not len(prepared(np.zeros(9), challenge="vpc2024"))
    # -30 LUFS before are a gain, which the peak undoes.
    np.testing.assert_allclose(prepared(3 * samples, challenge="vpc2024"), done, rtol=1e-6)
