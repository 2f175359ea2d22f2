"""A tiny attacker, and a folder to run in."""

import pytest
from support.runs import make_kaldi_directory

HYPERPARAMETERS = """\
n_mels: 24
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.Xvector.Xvector
    activation: !name:torch.nn.LeakyReLU
"""


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """A SpeechBrain folder with a small x-vector of random weights."""
    import voiceprivacy.attack.torchaudio_loader  # noqa: F401

    import torch
    from speechbrain.lobes.models.Xvector import Xvector

    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    fields = {
        "in_channels": 24,
        "tdnn_blocks": 5,
        "tdnn_channels": [32, 32, 32, 32, 64],
        "tdnn_kernel_sizes": [5, 3, 3, 1, 1],
        "tdnn_dilations": [1, 2, 3, 1, 1],
        "lin_neurons": 32,
    }
    torch.save(
        Xvector(device="cpu", activation=torch.nn.LeakyReLU, **fields).state_dict(),
        folder / "embedding_model.ckpt",
    )
    lines = [f"    {name}: {value}" for name, value in fields.items()]
    (folder / "hyperparams.yaml").write_text(HYPERPARAMETERS + "\n".join(lines) + "\n")
    return folder


@pytest.fixture
def run_folder(tmp_path, model_folder):
    """A folder to run in: data/tiny and model lie there."""
    make_kaldi_directory(tmp_path / "data" / "tiny")
    (tmp_path / "model").symlink_to(model_folder)
    return tmp_path
