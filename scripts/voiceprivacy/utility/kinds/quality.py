"""Quality of speech: DNSMOS, and ESTOI where protected speech has the timing of the original.

Conventions
-----------
* DNSMOS foretells how listeners would rate noise suppression (ITU-T P.835): the speech, the
  background and the whole, on the scale of opinions from 1 to 5. It hears one recording alone. Here
  it is the network of the package speechmos 0.0.1.1. Only the weights are read: the package itself
  imports librosa.
* The network hears 9.01 s. Longer speech is heard in windows that begin every second, and the mean
  of them is taken. Shorter speech is doubled until it is long enough, as the package does.
* Before they pool, the network's convolutions see four frames to each side. So windows share what
  lies further from their ends: it is computed once, though nine windows hear it.
* ESTOI foretells how much is understood, from -1 to 1, by comparing protected and original speech
  frame by frame. 1 is the original. So it exists only where both last equally long: to within one
  of its frames (25.6 ms), by which the longer one is cut. It is by pystoi 0.4.1.
* Speech of another sample rate is brought to 16 kHz.

References
----------
Reddy, Gopal and Cutler, DNSMOS P.835: A non-intrusive perceptual objective speech quality metric to
evaluate noise suppressors, ICASSP 2022.
Jensen and Taal, An algorithm for predicting the intelligibility of speech masked by modulated noise
maskers, IEEE/ACM Transactions on Audio, Speech, and Language Processing 24, 2016 (ESTOI).
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.placeholders import folder_of_package
from voiceprivacy.kinds import MeasuredMetric, MeasureKind
from voiceprivacy.utility.rows import Measured
from voiceprivacy.vocabulary import UNDEFINED

WEIGHTS = "dnsmos_models/sig_bak_ovr.onnx"  # in the package
SAMPLE_RATE = 16000
WINDOW_S = 9.01  # what the network hears; a new window begins every second
HOP = 160  # samples from one of the network's frames to the next; a frame has two hops
N_FRAMES = 900  # of a window
SECOND = SAMPLE_RATE // HOP  # frames
MARGIN = 4  # frames: what lies further from the end of a window does not depend on it
# From the network's outputs (speech, background, overall) to opinions, as the package has it.
POLYNOMIALS = {
    "dnsmos_speech": (-0.08397278, 1.22083953, 0.0052439),
    "dnsmos_background": (-0.13166888, 1.60915514, -0.39604546),
    "dnsmos_overall": (-0.06766283, 1.11546468, 0.04602535),
}
ESTOI = "estoi"
KIND = MeasureKind(
    described="of every run where its packages are",
    packages=("onnx", "onnxruntime", "speechmos", "pystoi"),
    metrics=(
        MeasuredMetric(
            "dnsmos_overall",
            "DNSMOS, overall",
            "MOS",
            "Opinion of the whole that a network foretells, from 1 to 5.",
            digits=2,
            headline=True,
        ),
        MeasuredMetric(
            "dnsmos_speech",
            "DNSMOS, speech",
            "MOS",
            "Opinion of the speech alone that a network foretells, from 1 to 5.",
            digits=2,
        ),
        MeasuredMetric(
            "dnsmos_background",
            "DNSMOS, background",
            "MOS",
            "Opinion of the background that a network foretells: 5 = quiet.",
            digits=2,
        ),
        MeasuredMetric(
            ESTOI,
            "ESTOI",
            "",
            "How alike protected and original speech are frame by frame: 1 = the same.",
            low=-1,
            high=1,
            digits=2,
        ),
    ),
    said={"dnsmos_overall": "DNSMOS [@dnsmos]", ESTOI: "ESTOI [@estoi]"},
    better="higher",
    group="quality",
    by_frames=(ESTOI,),
    together=True,
    seconds=(0, 0.8),
    entry="quality",
    # The interval is as wide with two of a speaker: opinions differ by speaker (as load.md says).
    entry_options={"utterances": 2, "sample": 10},
)
WHY_UNDEFINED = "not as long as the original, or too little speech"
FRAME = 410  # samples: one frame of ESTOI, 256 samples at 10 kHz
DIGITS = 6  # ESTOI adds noise of 1e-16 to what it divides by

Samples = NDArray[np.float32]


class Dnsmos:
    """The network of DNSMOS in two parts: ``convolve``, of frames, and ``judge``, of a window."""

    def __init__(self) -> None:
        """Load the weights; BadInput where the package is not there."""
        folder = folder_of_package("speechmos")
        if folder is None:
            raise BadInput(
                "utility: quality needs the Python package speechmos, which is not installed here:"
                " make .venv/installed, or start snakemake with --sdm conda"
            )
        import onnx  # here: where the package is not there, it is named above

        model = onnx.load(folder / WEIGHTS)
        nodes = list(model.graph.node)
        operators = [node.op_type for node in nodes]
        framed, pooled = operators.index("Concat"), operators.index("MaxPool")
        self.convolve = _part(model, nodes[framed:pooled])
        self.judge = _part(model, nodes[pooled:])

    def opinions(self, samples: Samples) -> dict[str, float]:
        """Opinions of samples (N,) at 16 kHz by metric, N > 0."""
        while len(samples) < WINDOW_S * SAMPLE_RATE:
            samples = np.append(samples, samples)
        hops = samples[: len(samples) // HOP * HOP].reshape(-1, HOP)
        begins = [SECOND * second for second in starts(len(samples))]
        raw = [self.judge(window)[0] for window in self._convolved(hops, begins)]
        of_windows = np.array(raw, dtype=float).T
        return {
            metric: round(float(np.polyval(polynomial, values).mean()), DIGITS)
            for (metric, polynomial), values in zip(POLYNOMIALS.items(), of_windows, strict=True)
        }

    def _convolved(self, hops, begins):
        """Yield windows (1, 32, N_FRAMES, 161) that begin at these frames."""

        def convolved(first, stop):
            return self.convolve(hops[None, first:stop], hops[None, first + 1 : stop + 1])

        last = begins[-1] + N_FRAMES
        blocks: dict[int, Any] = {}  # by the first frame; the next window needs all but one again
        for begin in begins:
            end = begin + N_FRAMES
            for first in range(begin, end, SECOND):
                if first not in blocks:
                    stop = min(first + SECOND + 2 * MARGIN, last)
                    blocks[first] = convolved(first, stop)[:, :, MARGIN:-MARGIN]
            shared = [blocks[first] for first in range(begin, end, SECOND)]
            blocks.pop(begin)
            yield np.concatenate(
                [
                    convolved(begin, begin + 2 * MARGIN)[:, :, :MARGIN],
                    np.concatenate(shared, axis=2)[:, :, : N_FRAMES - 2 * MARGIN],
                    convolved(end - 2 * MARGIN, end)[:, :, MARGIN:],
                ],
                axis=2,
            )


def starts(length: int) -> list[int]:
    """In seconds, where the windows of so many samples begin; at least WINDOW_S of them.

    The package counts so, and leaves out what rounding makes one sample too short.
    """
    begins = range(int(length // SAMPLE_RATE - WINDOW_S) + 1)
    window = int(WINDOW_S * SAMPLE_RATE)
    ends = [int((begin + WINDOW_S) * SAMPLE_RATE) for begin in begins]
    return [
        begin
        for begin, end in zip(begins, ends, strict=True)
        if end - begin * SAMPLE_RATE == window and end <= length
    ]


def _part(model, nodes):
    """What these nodes of a network do, as a function of the arrays that come from others."""
    from onnx import TensorProto, helper

    from voiceprivacy.models import onnx_network

    known = {array.name: array for array in model.graph.initializer}
    made = set(chain.from_iterable(node.output for node in nodes))
    used = dict.fromkeys(chain.from_iterable(node.input for node in nodes))
    given = [name for name in used if name not in made and name not in known]
    tensors = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        for name in (*given, nodes[-1].output[0])
    ]
    weights = [known[name] for name in used if name in known]
    graph = helper.make_graph(nodes, "part", tensors[:-1], tensors[-1:], weights)
    opset, version = model.opset_import, model.ir_version
    part = helper.make_model(graph, opset_imports=opset, ir_version=version)
    session = onnx_network.session(part.SerializeToString())
    return lambda *arrays: session.run(None, dict(zip(given, arrays, strict=True)))[0]


def estoi(original: Samples, protected: Samples) -> float | str:
    """ESTOI of protected samples (N,) at 16 kHz; undefined without the timing of the original (M,).

    It is undefined, too, of less than half a second of speech, silence left out. Silence instead of
    speech has 0.
    """
    import pystoi

    if abs(len(original) - len(protected)) > FRAME or not original.any():
        return UNDEFINED
    if not protected.any():
        return 0.0
    length = min(len(original), len(protected))
    np.random.seed(0)  # pystoi draws from this one
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # too few frames, and divisions by zero
        try:
            value = pystoi.stoi(
                original[:length].astype(float),
                protected[:length].astype(float),
                SAMPLE_RATE,
                extended=True,
            )
        except (RuntimeWarning, ValueError):  # of samples too few for one frame
            return UNDEFINED
    return round(float(value), DIGITS) if np.isfinite(value) else UNDEFINED


def measure(original: Sequence[Utterance], protected: Sequence[Utterance]) -> Iterator[Measured]:
    """Yield DNSMOS and ESTOI of every protected utterance."""
    from tqdm import tqdm

    network = Dnsmos()
    progress = tqdm(protected, unit="utterance", mininterval=1.0)
    for before, after in zip(original, progress, strict=True):
        samples = read(after.path)
        values = {**network.opinions(samples), ESTOI: estoi(read(before.path), samples)}
        for metric, value in values.items():
            yield Measured(after.utterance, metric, value)


def read(path: FilePath) -> Samples:
    """Samples (N,) float32 of a recording at 16 kHz."""
    from scipy.signal import resample_poly

    from voiceprivacy.inout import audio

    samples, rate = audio.read(path)
    if rate == SAMPLE_RATE:
        return samples.astype(np.float32)
    common = gcd(rate, SAMPLE_RATE)
    return resample_poly(samples, SAMPLE_RATE // common, rate // common).astype(np.float32)
