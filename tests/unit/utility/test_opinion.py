"""Opinions by a network that is named: a TorchScript file, an ONNX file, DistillMOS's package."""

import hashlib
import sys
import types

import numpy as np
import onnx
import pytest
import torch
from onnx import helper
from support.sounds import RATE, recording

from voiceprivacy.inout.manifests import write_manifest
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.vocabulary import RESOURCES

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


class Loudest(torch.nn.Module):
    """Says 1 plus four times the highest sample."""

    def forward(self, samples):
        return 1 + 4 * samples.max(dim=1).values


@pytest.fixture
def opinions(tmp_path, in_tmp_path, monkeypatch):
    """Call the plug-in on two recordings that last 9.01 s."""
    monkeypatch.syspath_prepend(RESOURCES / "plugins")
    import opinion

    monkeypatch.setitem(sys.modules, "torchaudio", None)  # so that it is as now afterwards
    del sys.modules["torchaudio"]

    def call(*options, rate=RATE, seconds=9.01):
        levels = {"a": 0.25, "b": 0.5}
        n_samples = round(seconds * rate)
        lines = [recording(tmp_path, name, np.full(n_samples, levels[name]), rate) for name in "ab"]
        write_manifest(tmp_path / "m.tsv", lines)
        files = ["--manifest", tmp_path / "m.tsv", "--output", tmp_path / "out.tsv"]
        monkeypatch.setattr(sys, "argv", ["opinion.py", *map(str, [*options, *files])])
        opinion.main()
        return read_measured(tmp_path / "out.tsv", ["a", "b"])

    return call


def test_a_torchscript_file_is_called_with_samples_and_names_the_metric(opinions, tmp_path):
    torch.jit.script(Loudest()).save(str(tmp_path / "UTMOS.pt"))
    lines = opinions("--model", tmp_path / "UTMOS.pt")
    assert [line.metric for line in lines] == ["utmos_mos"] * 2
    assert [line.value for line in lines] == pytest.approx([2, 3], abs=1e-3)
    named = opinions("--model", tmp_path / "UTMOS.pt", "--metric", "mine")
    assert {line.metric for line in named} == {"mine"}


def test_an_onnx_file_is_called_by_the_name_of_its_input(opinions, tmp_path):
    given, said = (
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("heard", [1, None]), ("said", [1]))
    )
    highest = helper.make_node("ReduceMax", ["heard"], ["said"], axes=[1], keepdims=0)
    opset = {"opset_imports": [helper.make_opsetid("", 13)], "ir_version": 8}
    model = helper.make_model(helper.make_graph([highest], "highest", [given], [said]), **opset)
    onnx.save(model, tmp_path / "mine.onnx")
    lines = opinions("--model", tmp_path / "mine.onnx", "--metric", "raw")
    assert [line.value for line in lines] == pytest.approx([0.25, 0.5], abs=1e-3)


def test_distillmos_is_imported_without_torchaudio(opinions, monkeypatch):
    package = types.SimpleNamespace(ConvTransformerSQAModel=Loudest)
    monkeypatch.setitem(sys.modules, "distillmos", package)
    assert [line.metric for line in opinions("--model", "distillmos")] == ["distillmos_mos"] * 2


def test_utmos_comes_from_the_hub_at_its_revision_and_is_checked(opinions, tmp_path, monkeypatch):
    weights = tmp_path / "fetched.pt"
    torch.jit.script(Loudest()).save(str(weights))
    asked = []

    def hf_hub_download(repository, name, revision):
        asked.append((repository, name, revision))
        return str(weights)

    hub = types.SimpleNamespace(hf_hub_download=hf_hub_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    lines = opinions("--model", "utmos", "--revision", "abc", "--sha256", digest)
    assert [line.metric for line in lines] == ["utmos_mos"] * 2
    assert asked == [("Blinorot/UTMOS-PyTorch", "utmos_scripted.pt", "abc")]
    with pytest.raises(SystemExit, match="has SHA-256"):
        opinions("--model", "utmos", "--revision", "abc", "--sha256", "0" * 64)
    with pytest.raises(SystemExit, match="needs --revision"):
        opinions("--model", "utmos")


@pytest.fixture
def nisqa(tmp_path, monkeypatch):
    """torchmetrics, whose NISQA fetches weights when it is called first; it judges up to 10 s."""
    weights = tmp_path / ".torchmetrics" / "NISQA" / "nisqa.tar"
    monkeypatch.setenv("HOME", str(tmp_path))

    def judge(samples, rate):
        weights.parent.mkdir(parents=True, exist_ok=True)
        weights.write_bytes(b"weights")
        if samples.shape[-1] > 10 * rate:
            raise RuntimeError("too long")
        return torch.stack([samples.amax(dim=-1) + number for number in range(5)], dim=-1)

    package = types.SimpleNamespace(non_intrusive_speech_quality_assessment=judge)
    monkeypatch.setitem(sys.modules, "torchmetrics", types.ModuleType("torchmetrics"))
    for name, module in (
        ("functional", types.ModuleType("functional")),
        ("functional.audio", types.SimpleNamespace(nisqa=package)),
        ("functional.audio.nisqa", package),
    ):
        monkeypatch.setitem(sys.modules, f"torchmetrics.{name}", module)
    return weights


def test_nisqa_is_the_first_of_its_five_numbers_and_its_weights_are_checked(opinions, nisqa):
    lines = opinions("--model", "nisqa", "--sha256", hashlib.sha256(b"weights").hexdigest())
    assert [line.metric for line in lines] == ["nisqa_mos"] * 2
    assert [line.value for line in lines] == pytest.approx([0.25, 0.5], abs=1e-3)
    with pytest.raises(SystemExit, match=r"nisqa\.tar: has SHA-256"):
        opinions("--model", "nisqa", "--sha256", "0" * 64)


def test_what_a_network_cannot_judge_is_undefined_and_named(opinions, nisqa, capsys):
    lines = opinions("--model", "nisqa", rate=RATE, seconds=11)
    assert {line.value for line in lines} == {"undefined"}
    assert "a.wav: undefined: too long" in capsys.readouterr().err


def test_a_number_that_is_none_is_undefined(opinions, monkeypatch):
    broken = {"forward": lambda self, samples: samples.sum() * torch.nan}
    package = types.SimpleNamespace(ConvTransformerSQAModel=type("Broken", (Loudest,), broken))
    monkeypatch.setitem(sys.modules, "distillmos", package)
    assert {line.value for line in opinions("--model", "distillmos")} == {"undefined"}


def test_another_sample_rate_is_refused(opinions, tmp_path):
    torch.jit.script(Loudest()).save(str(tmp_path / "mine.pt"))
    with pytest.raises(SystemExit, match="has 8000 Hz"):
        opinions("--model", tmp_path / "mine.pt", rate=8000)
