"""Hyperparameter files: what is read, and that nothing in one runs as code."""

import hashlib
from unittest.mock import Mock

import pytest
import torch

from voiceprivacy.errors import BadInput
from voiceprivacy.models import folders
from voiceprivacy.models.folders import Hyperparameters, load_weights
from voiceprivacy.vocabulary import SCRIPTS

FBANK = "speechbrain.lobes.features.Fbank"


def read(tmp_path, text, **placeholders):
    (tmp_path / "hyperparams.yaml").write_text(text, encoding="utf-8")
    settings = Hyperparameters(tmp_path / "hyperparams.yaml")
    settings.placeholders |= placeholders
    return settings


def test_references_are_followed_to_plain_values(tmp_path):
    settings = read(tmp_path, "n: 24\nm: !ref <n>\nlist: [1, !ref <m>, null, 2e-5, '2e-5']\n")
    # As HyperPyYAML reads the same file.
    assert settings.get("list") == [1, 24, None, 0.00002, "2e-5"]


def test_a_section_is_built_with_its_fields(tmp_path):
    settings = read(tmp_path, f"n: 24\nfeatures: !new:{FBANK}\n    n_mels: !ref <n>\n")
    features = settings.section("features", classes=[FBANK]).build()
    assert features(torch.zeros(1, 16000)).shape == (1, 101, 24)


def test_a_named_class_is_not_called(tmp_path):
    text = "act: !name:torch.nn.LeakyReLU\nopt: !name:torch.optim.Adam\n    lr: 0.5\n"
    settings = read(tmp_path, text)
    assert settings.get("act").build() is torch.nn.LeakyReLU
    assert settings.get("opt").build()([torch.zeros(1, requires_grad=True)]).defaults["lr"] == 0.5


def test_a_placeholder_is_supplied_or_missed(tmp_path):
    assert read(tmp_path, "a: !PLACEHOLDER\nb: !ref <a>\n", a=7).get("b") == 7
    with pytest.raises(BadInput, match=r"hyperparams\.yaml:1: b: is a placeholder"):
        read(tmp_path, "a: !PLACEHOLDER\nb: !ref <a>\n").get("b")


@pytest.mark.parametrize(
    "value",
    [
        "!new:os.system\n    command: touch {marker}",
        "!name:os.system\n    command: touch {marker}",
        "!apply:os.system [touch {marker}]",
        "!module:os",
        "!!python/object/apply:os.system [touch {marker}]",
        "!include:other.yaml",
    ],
)
def test_nothing_runs_as_code(tmp_path, value):
    marker = tmp_path / "ran"
    settings = read(tmp_path, f"compute_features: {value.format(marker=marker)}\n")
    with pytest.raises(BadInput, match="compute_features"):
        settings.section("compute_features", classes=[FBANK]).build()
    assert not marker.exists()


def test_a_section_that_nobody_asks_for_is_not_looked_at(tmp_path):
    assert read(tmp_path, "evil: !new:os.system\n    command: ls\nn: 3\n").get("n") == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- 1\n", r"is not a SpeechBrain hyperparameter file"),
        ("g: 1\n", r"has no field 'f'"),
        ("f: 3\n", r"f is '3', expected !new:speechbrain"),
        ("f: !new:torch.nn.ReLU\n", r"f is 'torch.nn.ReLU', expected"),
        ("f: !ref <g>\n", r"'!ref <g>' is not the name of a field"),
        ("n: 2\nf: !ref <n> * 2\n", r"is not the name of a field"),
        (f"f: !new:{FBANK}\n    n_mels: many\n", r"cannot build"),
        (f"f: !new:{FBANK}\n    colour: red\n", r"cannot build .*colour"),
        (f"f: !new:{FBANK} [3]\n", r"expected indented"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, reason):
    with pytest.raises(BadInput, match=reason):
        read(tmp_path, text).section("f", classes=[FBANK]).build()


@pytest.mark.parametrize("text", ["n: -1\n", "n: true\n", "m: 1\n", "n: [1]\n"])
def test_a_number_is_a_positive_number(tmp_path, text):
    with pytest.raises(BadInput, match="expected a positive number"):
        read(tmp_path, text).number("n")


@pytest.fixture
def listed(tmp_path):
    """Weights of a small layer, and the list of checksums beside them."""
    path = tmp_path / "embedding_model.ckpt"
    torch.save(torch.nn.Linear(2, 1).state_dict(), path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  other.ckpt\n{digest}  {path.name}\n\n")
    return path


@pytest.mark.parametrize("form", ["{}  {}", "{} *{}", "{}  ./{}", "{:>}  {}"])
def test_weights_are_those_that_the_list_beside_them_names(listed, form):
    digest = hashlib.sha256(listed.read_bytes()).hexdigest()
    if ">" in form:
        digest = digest.upper()
    listed.with_name("SHA256SUMS").write_text(form.format(digest, listed.name))
    load_weights(torch.nn.Linear(2, 1), listed)
    torch.save(torch.nn.Linear(2, 1).state_dict(), listed)  # as good, and not the same
    with pytest.raises(BadInput, match=r"embedding_model.ckpt: is not the file that .*SHA256SUMS"):
        load_weights(torch.nn.Linear(2, 1), listed)
    listed.with_name("SHA256SUMS").write_text(f"{'0' * 64}  other.ckpt\n")
    load_weights(torch.nn.Linear(2, 1), listed)


def test_settings_are_those_that_the_list_beside_them_names(tmp_path):
    read(tmp_path, "n: 24\n")
    digest = hashlib.sha256(b"n: 24\n").hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{digest}  hyperparams.yaml\n")
    read(tmp_path, "n: 24\n")
    with pytest.raises(BadInput, match=r"hyperparams.yaml: is not the file that .*SHA256SUMS"):
        read(tmp_path, "n: 25\n")


def test_the_shipped_weights_are_all_listed_as_they_are():
    folder = SCRIPTS.parent / "workflow/resources/ecapa_small"
    listed = dict(line.split()[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert {path.name for path in folder.glob("*.ckpt")} <= listed.keys()
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("cannot allocate memory")])
def test_weights_are_not_blamed_for_a_machine_without_memory(listed, monkeypatch, error):
    monkeypatch.setattr(torch, "load", Mock(side_effect=error))
    with pytest.raises(type(error)):
        load_weights(torch.nn.Linear(2, 1), listed)


def test_weights_that_are_all_zero_are_refused(tmp_path):
    layer = torch.nn.Linear(2, 1)
    zero = {name: torch.zeros_like(weights) for name, weights in layer.state_dict().items()}
    torch.save(zero, tmp_path / "zero.ckpt")
    with pytest.raises(BadInput, match=r"zero.ckpt: all weights are zero"):
        load_weights(layer, tmp_path / "zero.ckpt")


def test_references_to_references_do_not_grow_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "MOST_VALUES", 1000)
    lists = [f"r{k}: [!ref <r{k - 1}>, !ref <r{k - 1}>, !ref <r{k - 1}>]" for k in range(1, 21)]
    settings = read(tmp_path, "\n".join(["n: 24", "r0: [1, 1, 1]", *lists, "m: !ref <r20>"]))
    assert settings.get("n") == 24 and len(settings.get("r3")) == 3
    with pytest.raises(BadInput, match=r"hyperparams.yaml:\d+: m: refers to more than 1000"):
        settings.get("m")
