"""A measure of quality by a network that is named: opinions of listeners, from 1 to 5.

DistillMOS brings its weights in its package:
    python3 -m venv mos && mos/bin/pip install torch==2.13.0 soundfile==0.14.0 numpy==2.4.6
    mos/bin/pip install --no-deps distillmos==0.9.1 xls-r-sqa==0.1.0
    utility:
      distillmos:
        command: "mos/bin/python {resources}/plugins/opinion.py --model distillmos"
        better: higher
        utterances: 10
        inputs: ["{resources}/plugins/opinion.py"]

Others (UTMOS, NISQA) are files: --model utmos.pt (TorchScript) or nisqa.onnx, with --metric
utmos_mos. The network gets samples (1, N), float32 at 16 kHz, and its first number is the opinion.

Stahl and Gamper, Distillation and pruning for scalable self-supervised representation-based speech
quality assessment, ICASSP 2025 (DistillMOS).
"""

import argparse
import csv
import math
import sys
import types
from pathlib import Path

import numpy as np
import soundfile

RATE = 16000


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="distillmos, FILE.pt or FILE.onnx")
    parser.add_argument("--metric", help="name of the number (default: that of the model, _mos)")
    parser.add_argument("--manifest", required=True, type=Path)
    parser.add_argument("--original", type=Path, help="is not heard")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()

    metric = arguments.metric or f"{Path(arguments.model).stem.lower()}_mos"
    network = network_of(arguments.model)
    with open(arguments.manifest, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    with open(arguments.output, "w", encoding="utf-8") as file:
        print("utterance", "metric", "value", sep="\t", file=file)
        for row in rows:
            print(row["utterance"], metric, opinion(network, row["path"]), sep="\t", file=file)


def network_of(model):
    """A function of samples (1, N) float32, whose first number is the opinion."""
    if model.endswith(".onnx"):
        import onnxruntime

        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return lambda samples: session.run(None, {name: samples})[0]

    import torch

    if model == "distillmos":
        # It is imported for the package's own command only, and wants libraries of CUDA.
        sys.modules.setdefault("torchaudio", types.ModuleType("torchaudio"))
        import distillmos

        network = distillmos.ConvTransformerSQAModel().eval()
    else:
        network = torch.jit.load(model, map_location="cpu").eval()

    def judge(samples):
        with torch.inference_mode():
            return network(torch.from_numpy(samples)).numpy()

    return judge


def opinion(network, path):
    """The opinion of one recording; undefined where it has no samples."""
    samples, rate = soundfile.read(path, dtype="float32")
    if rate != RATE:
        sys.exit(f"{path}: has {rate} Hz, the network is for {RATE} Hz")
    if not len(samples):
        return "undefined"
    value = float(np.asarray(network(samples[None])).ravel()[0])
    return value if math.isfinite(value) else "undefined"


if __name__ == "__main__":
    main()
