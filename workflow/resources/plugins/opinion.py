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

UTMOS needs torch and huggingface_hub: --model utmos --revision COMMIT of Blinorot/UTMOS-PyTorch.
NISQA needs torch, torchmetrics, librosa and requests: --model nisqa; its weights may not be used
commercially (CC BY-NC-SA 4.0). Both are fetched once into the home directory; with --sha256 other
weights are refused. Neither was run where this was written.

Others are files: --model FILE.pt (TorchScript) or FILE.onnx. The network gets samples (1, N),
float32 at 16 kHz, and its first number is the opinion.

Stahl and Gamper, Distillation and pruning for scalable self-supervised representation-based speech
quality assessment, ICASSP 2025 (DistillMOS).
"""

import argparse
import csv
import hashlib
import math
import sys
import types
from pathlib import Path

import numpy as np
import soundfile

RATE = 16000
UTMOS = "Blinorot/UTMOS-PyTorch", "utmos_scripted.pt"  # repository of the hub, TorchScript file
NISQA = Path("~/.torchmetrics/NISQA/nisqa.tar")  # where torchmetrics keeps its weights


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", required=True, help="distillmos, utmos, nisqa, FILE.pt or FILE.onnx"
    )
    parser.add_argument("--revision", help="with utmos: the commit of its repository")
    parser.add_argument("--sha256", help="that the file of weights must have")
    parser.add_argument("--metric", help="name of the number (default: that of the model, _mos)")
    parser.add_argument("--manifest", required=True, type=Path)
    parser.add_argument("--original", type=Path, help="is not heard")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()

    metric = arguments.metric or f"{Path(arguments.model).stem.lower()}_mos"
    network = network_of(arguments.model, arguments.revision, arguments.sha256)
    with open(arguments.manifest, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    with open(arguments.output, "w", encoding="utf-8") as file:
        print("utterance", "metric", "value", sep="\t", file=file)
        for row in rows:
            print(row["utterance"], metric, opinion(network, row["path"]), sep="\t", file=file)


def network_of(model, revision=None, sha256=None):
    """A function of samples (1, N) float32, whose first number is the opinion."""
    if model == "distillmos":
        return distillmos()
    if model == "nisqa":
        return nisqa(sha256)
    if model == "utmos":
        model = fetched_utmos(revision)
    refuse_other_weights(Path(model), sha256)
    return of_onnx(model) if model.endswith(".onnx") else of_torch(model)


def distillmos():
    """The network that its package brings."""
    # It is imported for the package's own command only, and wants libraries of CUDA.
    sys.modules.setdefault("torchaudio", types.ModuleType("torchaudio"))
    import distillmos

    return judged_by(distillmos.ConvTransformerSQAModel().eval())


def nisqa(sha256):
    """NISQA of torchmetrics, which fetches the weights when it is called first."""
    import torch
    from torchmetrics.functional.audio import nisqa as package

    judge = package.non_intrusive_speech_quality_assessment
    if not NISQA.expanduser().exists():
        judge(torch.linspace(-1, 1, RATE), RATE)  # of no interest: it fetches the weights
    refuse_other_weights(NISQA.expanduser(), sha256)
    return lambda samples: judge(torch.from_numpy(samples), RATE).numpy()


def fetched_utmos(revision):
    """The path of UTMOS's file, from the hub or as it was fetched before."""
    from huggingface_hub import hf_hub_download

    if revision is None:
        sys.exit("--model utmos: needs --revision, a commit of its repository, to stay the same")
    repository, name = UTMOS
    return hf_hub_download(repository, name, revision=revision)


def refuse_other_weights(path, sha256):
    """Leave if a file is not the one whose digest is given."""
    if sha256 is None:
        return
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != sha256:
        sys.exit(f"{path}: has SHA-256 {digest}, expected {sha256}")


def of_onnx(path):
    """A network of an ONNX file."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda samples: session.run(None, {name: samples})[0]


def of_torch(path):
    """A network of a TorchScript file."""
    import torch

    return judged_by(torch.jit.load(path, map_location="cpu").eval())


def judged_by(network):
    """A network of torch as a function of arrays."""
    import torch

    def judge(samples):
        with torch.inference_mode():
            return network(torch.from_numpy(samples)).numpy()

    return judge


def opinion(network, path):
    """The opinion of one recording; undefined where the network cannot judge it."""
    samples, rate = soundfile.read(path, dtype="float32")
    if rate != RATE:
        sys.exit(f"{path}: has {rate} Hz, the network is for {RATE} Hz")
    if not len(samples):
        return "undefined"
    try:
        value = float(np.asarray(network(samples[None])).ravel()[0])
    except RuntimeError as error:  # shorter or longer than the network can judge
        print(f"{path}: undefined: {error}", file=sys.stderr)
        return "undefined"
    return value if math.isfinite(value) else "undefined"


if __name__ == "__main__":
    main()
