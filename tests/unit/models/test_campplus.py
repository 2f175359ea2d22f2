"""CAM++ of few random weights: nothing but an utterance changes its embedding."""

import numpy as np
import pytest
import torch

from voiceprivacy.models import campplus

SMALL = campplus.Sizes(
    bands=16, head=4, first=8, inner=6, growth=4, blocks=((2, 1), (3, 2)), embedding=5
)
FRAMES = 250  # of 10 ms: two segments of context, the second of which is shorter


@pytest.fixture(scope="module")
def network():
    """Random statistics too, so that a norm that were left out would change something."""
    torch.manual_seed(0)
    network = campplus.Network(SMALL)
    for name, values in network.named_buffers():
        if values.is_floating_point():
            values.copy_(torch.rand_like(values) + ("var" in name) / 2)
    return network.eval()


def embedded(network, frames):
    with torch.inference_mode():
        return network(frames)


def some_frames(count, length=FRAMES):
    return torch.randn(count, length, SMALL.bands, generator=torch.Generator().manual_seed(1))


def test_layers_bear_the_names_and_have_the_shapes_of_the_published_weights():
    state = campplus.Network().state_dict()
    assert len(state) == 937
    assert sum(values.numel() for values in state.values()) == 6_930_842
    masked = "xvector.block3.tdnnd16.cam_layer.linear_local.weight"
    assert state[masked].shape == (32, 128, 3)
    assert state["head.layer2.0.shortcut.0.weight"].shape == (32, 32, 1, 1)
    assert "xvector.dense.nonlinear.batchnorm.weight" not in state


@pytest.mark.parametrize("length", [3, 99, FRAMES])
def test_an_utterance_alone_has_the_embedding_that_it_has_among_others(network, length):
    frames = some_frames(3, length)
    together = embedded(network, frames)
    assert together.shape == (3, SMALL.embedding) and bool(together.isfinite().all())
    for frames_of_one, embedding in zip(frames, together, strict=True):
        alone = embedded(network, frames_of_one[None])[0]
        torch.testing.assert_close(alone, embedding, atol=1e-5, rtol=0)


def test_blocks_of_the_head_change_nothing(network, monkeypatch):
    whole = embedded(network, some_frames(1))
    monkeypatch.setattr(campplus, "BLOCK", 37)
    torch.testing.assert_close(embedded(network, some_frames(1)), whole, atol=1e-6, rtol=0)


def test_a_mask_knows_its_segment_and_the_whole_utterance(network):
    """Frames that change far away change a mask everywhere, within their own segment more."""
    masked = network.xvector["block1"].tdnnd1.cam_layer
    maps = torch.rand(1, SMALL.inner, 2 * campplus.SEGMENT)
    changed = maps.clone()
    changed[..., -10:] += 5
    with torch.inference_mode():
        far, near = (masked(changed) - masked(maps)).abs().amax(dim=1)[0, [0, -60]]
    assert 0 < far < near


def test_filter_banks_follow_speech_by_blocks_and_have_no_mean(monkeypatch):
    wave = torch.from_numpy(np.random.default_rng(0).normal(0, 0.1, 8000).astype(np.float32))
    whole = campplus.filter_banks(wave)
    assert whole.shape == (1 + (8000 - 400) // 160, 80)
    torch.testing.assert_close(whole.mean(dim=0), torch.zeros(80), atol=1e-5, rtol=0)
    monkeypatch.setattr(campplus, "BANKS", 7)
    torch.testing.assert_close(campplus.filter_banks(wave), whole)
    louder = campplus.filter_banks(wave * 2)
    torch.testing.assert_close(louder, whole, atol=1e-4, rtol=0)  # a gain is a mean
