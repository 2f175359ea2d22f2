"""Word errors of a network that listens (listeners), by a challenge's definition (word_errors)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.manifests import Utterance, read_transcripts
from voiceprivacy.kinds import MeasureKind
from voiceprivacy.running.command import say
from voiceprivacy.utility.rows import Measured
from voiceprivacy.utility.word_counts import rate_of_words
from voiceprivacy.utility.word_errors import DEFINITIONS, word_errors

if TYPE_CHECKING:
    from voiceprivacy.utility.listeners import Recogniser

KIND = MeasureKind(
    described="the word errors of a network, where nothing else is said of a model",
    schema="""
        language:
          description: What Whisper is told to listen for, such as en.
          type: string
          minLength: 2
    """,
    metrics=(
        rate_of_words(
            "wer_percent",
            "word error rate",
            "Word errors of the recogniser that the config names, over all words.",
        ),
    ),
    said={"wer_percent": "word errors of a recogniser"},
    published="wer_percent",
    better="lower",
    group="words",
    order_in_group=3,
    weight="{name}_words",
    statistic="rate",
    needs=("model", "definition"),
    fetched="recogniser",
    of_any_model=True,
    mem_mb=12000,
    threads=4,
    options=("name", "transcripts", "model", "definition", "language", "device"),
)

WHY_UNDEFINED = "without a transcript"


def measure(
    original: Sequence[Utterance],
    protected: Sequence[Utterance],
    *,
    name: str,
    transcripts: str,
    model: str,
    definition: str,
    language: str | None = None,
    device: str = "cpu",
) -> Iterator[Measured]:
    """Yield the word errors of every protected utterance, what was heard against what was said.

    Parameters
    ----------
    name : of the measure: its metrics begin with it
    transcripts : TSV: utterance text
    model : folder of a recogniser
    definition : whose way of counting
    language : what Whisper is told to listen for, such as en
    device : where the recogniser runs
    """
    from voiceprivacy.models.devices import torch_device
    from voiceprivacy.utility.listeners import recogniser

    known = read_transcripts(transcripts)
    names = [utterance.utterance for utterance in protected]
    if not known.keys() & set(names):
        raise BadInput(f"{transcripts}: has no transcript of these utterances")
    defined = DEFINITIONS[definition]
    listener = recogniser(Path(model), device=torch_device(device), language=language)
    heard = transcribe(listener, protected, batch=defined.batch)
    n_silent = sum(not text.strip() for text in heard.values())
    say(f"nothing heard in {n_silent} of {counted(len(names), 'utterance')}")
    yield from word_errors(name, names, transcripts=known, heard=heard, definition=defined)


def transcribe(
    listener: "Recogniser", utterances: Sequence[Utterance], *, batch: int
) -> dict[str, str]:
    """What is heard in utterances, the longest first, ``batch`` at once: {utterance: text}."""
    from tqdm import tqdm

    from voiceprivacy.inout import audio
    from voiceprivacy.models.folders import refusing
    from voiceprivacy.utility.listeners import SAMPLE_RATE

    longest_first = sorted(utterances, key=lambda utterance: -utterance.duration_s)
    heard: dict[str, str] = {}
    with tqdm(total=len(utterances), unit="utterance", mininterval=1.0) as progress:
        for start in range(0, len(utterances), batch):
            together = longest_first[start : start + batch]
            samples = []
            for utterance in together:
                wave, rate = audio.read(utterance.path)
                samples.append(audio.resample(wave, source_rate=rate, target_rate=SAMPLE_RATE))
            first = together[0]  # the longest: others are padded to its length
            message = f"{first.path}: utterance '{first.utterance}' cannot be recognised"
            with refusing(message, errors=RuntimeError):
                texts = listener.transcribe(samples)
            heard |= zip((utterance.utterance for utterance in together), texts, strict=True)
            progress.update(len(together))
    return heard
