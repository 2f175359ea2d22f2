"""WavLM and the attacker of 2026 in their authors' layouts, with small random weights, and a plain
forward pass through these weights, step by step, without any class of ours or of transformers."""

import math

import torch
from torch.nn import functional

from voiceprivacy.attack.extractors.ecapa_ssl import EcapaSSL

CFG = {
    "extractor_mode": "layer_norm",
    "encoder_layers": 3,
    "encoder_embed_dim": 16,
    "encoder_ffn_embed_dim": 24,
    "encoder_attention_heads": 2,
    "activation_fn": "gelu",
    "layer_norm_first": True,
    "conv_feature_layers": "[(12,10,5)] + [(12,3,4)] * 2 + [(12,2,4)]",
    "conv_bias": False,
    "normalize": True,
    "conv_pos": 6,
    "conv_pos_groups": 2,
    "relative_position_embedding": True,
    "num_buckets": 8,
    "max_distance": 20,
    "gru_rel_pos": True,
    "dropout": 0.0,
}
LAYERS = [(12, 10, 5), (12, 3, 4), (12, 3, 4), (12, 2, 4)]  # a frame for 320 samples


SIZES = {"channels": [16, 16, 16, 16, 48], "attention_channels": 8, "se_channels": 8}


def organisers(folder, *, prefix="", inside=False, **cfg):
    """Write a small folder of the organisers' layout; its weights under their names."""
    generator = torch.Generator().manual_seed(4)
    torch.manual_seed(4)
    network = EcapaSSL(24, 16, 3, **SIZES, lin_neurons=10).state_dict()
    theirs = {}
    for name, tensor in network.items():
        if "num_batches" not in name:  # a counter
            spread = torch.randn(tensor.shape, generator=generator) / 4
            tensor = spread.abs() + 0.5 if "running_var" in name else spread
        name = name.removeprefix("ecapa.").replace("encoder_blocks", "blocks_features")
        theirs[name.replace("layer_weights", "weighted_sum.layer_weights")] = tensor
    heard = wavlm_tensors(generator)
    folder.mkdir(parents=True)
    named = {f"{prefix}{name}": tensor for name, tensor in theirs.items()}
    torch.save({"state_dict": named} if inside else named, folder / "embedding_model.ckpt")
    torch.save({"cfg": CFG | cfg, "model": heard}, folder / "WavLM-Large.pt")
    return theirs, heard


def wavlm_tensors(generator, *, dimensions=16):
    """Random tensors under Microsoft's names, of the sizes of CFG."""
    heads = CFG["encoder_attention_heads"]
    shapes = {"mask_emb": (dimensions,), "layer_norm.weight": (12,), "layer_norm.bias": (12,)}
    n_in = 1
    for index, (n_out, kernel, _) in enumerate(LAYERS):
        beginning = f"feature_extractor.conv_layers.{index}"
        shapes[f"{beginning}.0.weight"] = (n_out, n_in, kernel)
        shapes |= {f"{beginning}.2.1.{kind}": (n_out,) for kind in ("weight", "bias")}
        n_in = n_out
    if n_in != dimensions:
        shapes["post_extract_proj.weight"] = (dimensions, n_in)
        shapes["post_extract_proj.bias"] = (dimensions,)
    shapes["encoder.pos_conv.0.bias"] = (dimensions,)
    shapes["encoder.pos_conv.0.weight_g"] = (1, 1, CFG["conv_pos"])
    shapes["encoder.pos_conv.0.weight_v"] = (dimensions, dimensions // 2, CFG["conv_pos"])
    shapes |= {f"encoder.layer_norm.{kind}": (dimensions,) for kind in ("weight", "bias")}
    hidden = CFG["encoder_ffn_embed_dim"]
    for index in range(CFG["encoder_layers"]):
        layer = f"encoder.layers.{index}"
        for name in ("k", "v", "q", "out"):
            shapes[f"{layer}.self_attn.{name}_proj.weight"] = (dimensions, dimensions)
            shapes[f"{layer}.self_attn.{name}_proj.bias"] = (dimensions,)
        shapes[f"{layer}.self_attn.grep_linear.weight"] = (8, dimensions // heads)
        shapes[f"{layer}.self_attn.grep_linear.bias"] = (8,)
        shapes[f"{layer}.self_attn.grep_a"] = (1, heads, 1, 1)
        for name, size in (("fc1", (hidden, dimensions)), ("fc2", (dimensions, hidden))):
            shapes[f"{layer}.{name}.weight"], shapes[f"{layer}.{name}.bias"] = size, size[:1]
        for name in ("self_attn_layer_norm", "final_layer_norm"):
            shapes |= {f"{layer}.{name}.{kind}": (dimensions,) for kind in ("weight", "bias")}
    buckets = (CFG["num_buckets"], heads)
    shapes["encoder.layers.0.self_attn.relative_attention_bias.weight"] = buckets
    return {
        name: torch.randn(shape, generator=generator) * 0.3 + ("norm.weight" in name)
        for name, shape in shapes.items()
    }


def wavlm_layers(tensors, wave):
    """Outputs (L, T, D) of all layers for samples (N,): Chen et al., WavLM, sections 3 and 4."""
    heads, dimensions = CFG["encoder_attention_heads"], CFG["encoder_embed_dim"]

    def norm(x, name):
        return functional.layer_norm(
            x, x.shape[-1:], tensors[f"{name}.weight"], tensors[f"{name}.bias"]
        )

    def linear(x, name):
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    x = functional.layer_norm(wave, wave.shape)[None, None]
    for index, (_, _, stride) in enumerate(LAYERS):
        beginning = f"feature_extractor.conv_layers.{index}"
        x = functional.conv1d(x, tensors[f"{beginning}.0.weight"], stride=stride)
        x = functional.gelu(norm(x.transpose(1, 2), f"{beginning}.2.1")).transpose(1, 2)
    x = norm(x[0].T, "layer_norm")
    if "post_extract_proj.weight" in tensors:
        x = linear(x, "post_extract_proj")
    v, g = tensors["encoder.pos_conv.0.weight_v"], tensors["encoder.pos_conv.0.weight_g"]
    weight = g * v / v.pow(2).sum(dim=(0, 1), keepdim=True).sqrt()
    position = functional.conv1d(
        x.T[None], weight, tensors["encoder.pos_conv.0.bias"], padding=3, groups=2
    )[0, :, :-1]
    x = x + functional.gelu(position).T
    n = len(x)
    bias = tensors["encoder.layers.0.self_attn.relative_attention_bias.weight"]
    apart = [[bias[bucket(column - row)] for column in range(n)] for row in range(n)]
    bias = torch.stack([torch.stack(row) for row in apart]).permute(2, 0, 1)  # heads, n, n
    outputs = []
    for index in range(CFG["encoder_layers"]):
        layer = f"encoder.layers.{index}"
        own = f"{layer}.self_attn"
        y = norm(x, f"{own}_layer_norm")
        of_heads = y.reshape(n, heads, -1).transpose(0, 1)
        gates = linear(of_heads, f"{own}.grep_linear").reshape(heads, n, 2, 4).sum(dim=3).sigmoid()
        scale = tensors[f"{own}.grep_a"][0, :, :, 0]
        gate = gates[..., 0] * (gates[..., 1] * scale - 1) + 2
        q, k, v = (
            linear(y, f"{own}.{name}_proj").reshape(n, heads, -1).transpose(0, 1) for name in "qkv"
        )
        logits = q @ k.transpose(1, 2) / math.sqrt(dimensions // heads) + gate[..., None] * bias
        attended = (logits.softmax(dim=2) @ v).transpose(0, 1).reshape(n, dimensions)
        x = x + linear(attended, f"{own}.out_proj")
        y = functional.gelu(linear(norm(x, f"{layer}.final_layer_norm"), f"{layer}.fc1"))
        x = x + linear(y, f"{layer}.fc2")
        outputs.append(x)
    return torch.stack(outputs)


def bucket(distance):
    """The bucket of a distance: exact near by, logarithmic further away, of both directions."""
    half = CFG["num_buckets"] // 2
    exact, size = half // 2, abs(distance)
    if size >= exact:
        share = math.log(size / exact) / math.log(CFG["max_distance"] / exact)
        size = min(half - 1, exact + int(share * (half - exact)))
    return size + (half if distance > 0 else 0)
