"""WavLM in Microsoft's own layout: one file {cfg, model}, as the network that transformers has.

Conventions
-----------
* ``cfg`` holds plain values under the names of Microsoft's program, ``model`` the tensors. Nothing
  in a file runs as code. What ``cfg`` lacks has the default of that program.
* The list of convolutions is a text, such as ``[(512,10,5)] + [(512,3,2)] * 4``. It is read as
  tuples, sums and products, and never evaluated.
* The projection of features is missing where it would keep their number: it is the identity then.

References
----------
Chen et al., WavLM, JSTSP 2022, and the layout of the checkpoints that its authors published.
"""

import ast
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import read_unchanged
from voiceprivacy.models.encoders import TRAINING_ONLY, HubNetwork, network_of
from voiceprivacy.models.folders import refusing

CONVOLUTIONS = "[(512,10,5)] + [(512,3,2)] * 4 + [(512,2,2)] * 2"
MOST_CONVOLUTIONS = 100
# Fields of ``cfg``: what transformers calls them, and Microsoft's default.
FIELDS: dict[str, tuple[str, Any]] = {
    "encoder_layers": ("num_hidden_layers", 12),
    "encoder_embed_dim": ("hidden_size", 768),
    "encoder_ffn_embed_dim": ("intermediate_size", 3072),
    "encoder_attention_heads": ("num_attention_heads", 12),
    "activation_fn": ("hidden_act", "gelu"),
    "layer_norm_first": ("do_stable_layer_norm", False),
    "conv_bias": ("conv_bias", False),
    "conv_pos": ("num_conv_pos_embeddings", 128),
    "conv_pos_groups": ("num_conv_pos_embedding_groups", 16),
    "num_buckets": ("num_buckets", 320),
    "max_distance": ("max_bucket_distance", 1280),
}
NEEDED = ("relative_position_embedding", "gru_rel_pos")  # without them it is another network
NORMS = {"layer_norm": "layer", "default": "group"}  # extractor_mode
PROJECTION = "feature_projection.projection"
# The names of tensors, in this order: what one pattern has renamed, no other one finds.
NAMES = (
    (r"feature_extractor\.conv_layers\.(\d+)\.0\.", r"feature_extractor.conv_layers.\1.conv."),
    (
        r"feature_extractor\.conv_layers\.(\d+)\.2\.(?:1\.)?",
        r"feature_extractor.conv_layers.\1.layer_norm.",
    ),
    (r"layer_norm\.", "feature_projection.layer_norm."),
    (r"post_extract_proj\.", "feature_projection.projection."),
    (r"mask_emb", TRAINING_ONLY),
    (r"encoder\.pos_conv\.0\.", "encoder.pos_conv_embed.conv."),
    (r"encoder\.layers\.(\d+)\.self_attn_layer_norm\.", r"encoder.layers.\1.layer_norm."),
    (
        r"encoder\.layers\.(\d+)\.self_attn\.grep_linear\.",
        r"encoder.layers.\1.attention.gru_rel_pos_linear.",
    ),
    (
        r"encoder\.layers\.(\d+)\.self_attn\.grep_a",
        r"encoder.layers.\1.attention.gru_rel_pos_const",
    ),
    (
        r"encoder\.layers\.(\d+)\.self_attn\.relative_attention_bias\.",
        r"encoder.layers.\1.attention.rel_attn_embed.",
    ),
    (r"encoder\.layers\.(\d+)\.self_attn\.", r"encoder.layers.\1.attention."),
    (r"encoder\.layers\.(\d+)\.fc1\.", r"encoder.layers.\1.feed_forward.intermediate_dense."),
    (r"encoder\.layers\.(\d+)\.fc2\.", r"encoder.layers.\1.feed_forward.output_dense."),
)


class CheckpointNetwork(HubNetwork):
    """The network of a checkpoint: its frames and layers, as ``HubNetwork`` gives them."""

    def __init__(self, path: Path) -> None:
        """Load a file.

        Raises
        ------
        BadInput : it is no checkpoint of WavLM, or a tensor is missing, left over or of another
            shape
        """
        torch.nn.Module.__init__(self)
        described, tensors = _read(path)
        self.normalises = bool(described.get("normalize", False))
        self.model = network_of(path, _settings(path, described))
        self.kernels, self.strides = self.model.config.conv_kernel, self.model.config.conv_stride
        state = {_renamed(name): tensor for name, tensor in tensors.items()}
        projection = self.model.feature_projection.projection
        if f"{PROJECTION}.weight" not in state:
            state[f"{PROJECTION}.weight"] = torch.eye(*projection.weight.shape)
            state[f"{PROJECTION}.bias"] = torch.zeros(projection.bias.shape)
        state.setdefault(TRAINING_ONLY, torch.zeros(self.model.config.hidden_size))
        with refusing(f"{path}: not the weights of the network in its cfg"):
            self.model.load_state_dict(state)
        self.eval()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """``cfg`` and ``model`` of a checkpoint of WavLM."""
    with refusing(f"{path}: no checkpoint of WavLM"):
        content = io.BytesIO(read_unchanged(path))
        read = dict(torch.load(content, map_location="cpu", weights_only=True))
    described, tensors = read.get("cfg"), read.get("model")
    if not isinstance(described, dict) or not isinstance(tensors, dict):
        raise BadInput(f"{path}: no checkpoint of WavLM, which is {{cfg, model}}")
    for name in NEEDED:
        if not described.get(name):
            raise BadInput(f"{path}: cfg.{name} is off, and WavLM has it")
    return described, tensors


def _settings(path: Path, described: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``cfg`` as a config.json has them."""
    mode = described.get("extractor_mode", "default")
    if mode not in NORMS:
        raise BadInput(f"{path}: cfg.extractor_mode is '{mode}', expected {' or '.join(NORMS)}")
    layers = _convolutions(path, described.get("conv_feature_layers", CONVOLUTIONS))
    settings = {own: described.get(name, default) for name, (own, default) in FIELDS.items()}
    dimensions, kernels, strides = map(list, zip(*layers, strict=True))
    return settings | {
        "model_type": "wavlm",
        "feat_extract_norm": NORMS[mode],
        "conv_dim": dimensions,
        "conv_kernel": kernels,
        "conv_stride": strides,
        "num_feat_extract_layers": len(layers),
    }


def _convolutions(path: Path, text: object) -> list[tuple[int, int, int]]:
    """Channels, kernel and stride of each convolution in a text of Microsoft's."""
    wrong = BadInput(f"{path}: cfg.conv_feature_layers is no list of (channels, kernel, stride)")
    try:
        layers = _value(ast.parse(str(text), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise wrong from None
    if not layers or not isinstance(layers, list):
        raise wrong
    for layer in layers:
        if not isinstance(layer, tuple) or len(layer) != 3 or min(layer) < 1:
            raise wrong
    return layers


def _value(node: ast.expr) -> Any:
    """The value of whole numbers, tuples of them, lists, and their sums and repetitions."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Tuple) and all(isinstance(one, ast.Constant) for one in node.elts):
        return tuple(_value(one) for one in node.elts)
    if isinstance(node, ast.List):
        return [_value(one) for one in node.elts]
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
            return left + right
        is_repeated = isinstance(node.op, ast.Mult) and isinstance(left, list)
        if is_repeated and isinstance(right, int) and right <= MOST_CONVOLUTIONS:
            return left * right
    raise ValueError(ast.dump(node))


def _renamed(name: str) -> str:
    """What transformers calls a tensor; names that both have stay."""
    for pattern, own in NAMES:
        if re.match(pattern, name):
            return re.sub(pattern, own, name, count=1)
    return name
