"""Networks in the format ONNX, computed by onnxruntime."""

from typing import Any


def session(network: bytes | str) -> Any:
    """onnxruntime's session of a network: its content, or its file. Forks cannot share one.

    One thread adds up in the same order whatever the machine has.
    """
    import onnxruntime  # not in every environment

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Without it, products of 8 bits overflow on processors without VNNI: other numbers.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
