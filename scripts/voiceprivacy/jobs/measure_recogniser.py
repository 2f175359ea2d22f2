"""The job measure_recogniser."""

from pathlib import Path
from typing import Annotated, Literal

from tqdm import tqdm

from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import Utterance, read_manifest, read_table, write_table
from voiceprivacy.models.devices import torch_device
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.utility.listeners import SAMPLE_RATE, Recogniser, recogniser
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.word_errors import DEFINITIONS, measure


def measure_recogniser(
    *,
    name: str,
    manifest: str,
    original: str | None = None,
    transcripts: str,
    model: Path,
    definition: Annotated[str, DEFINITIONS],
    language: str | None = None,
    device: Literal["cpu", "cuda"] = "cpu",
    output: str,
) -> None:
    """Measure word errors: what a recogniser hears in speech, against what was said in it.

    Parameters
    ----------
    name : of the measure: its metrics begin with it
    manifest : TSV of the speech
    original : TSV of the original speech; not looked at
    transcripts : TSV: utterance text
    model : folder of a recogniser
    definition : whose way of counting
    language : what Whisper is told to listen for, such as en
    device : where the recogniser runs
    output : TSV to write: utterance metric value
    """
    utterances = read_manifest(manifest)
    texts = read_table(transcripts, ["utterance", "text"])
    known = {row["utterance"]: row["text"] for row in texts}
    names = [utterance.utterance for utterance in utterances]
    if not known.keys() & set(names):
        raise BadInput(f"{transcripts}: has no transcript of these utterances")
    defined = DEFINITIONS[definition]
    listener = recogniser(model, device=torch_device(device), language=language)
    heard = transcribe(listener, utterances, batch=defined.batch)
    measured = list(measure(name, names, transcripts=known, heard=heard, definition=defined))
    write_table(output, COLUMNS, measured)
    n_silent = sum(not text.strip() for text in heard.values())
    n_without = len(set(names) - known.keys())
    say(
        f"{counted(len(names), 'utterance')}, {n_without} without a transcript,"
        f" nothing heard in {n_silent}: {output}"
    )


def transcribe(listener: Recogniser, utterances: list[Utterance], *, batch: int) -> dict[str, str]:
    """What is heard in utterances, the longest first, ``batch`` at once: {utterance: text}."""
    longest_first = sorted(utterances, key=lambda utterance: -utterance.duration_s)
    heard: dict[str, str] = {}
    with tqdm(total=len(utterances), unit="utterance", mininterval=1.0) as progress:
        for start in range(0, len(utterances), batch):
            together = longest_first[start : start + batch]
            samples = []
            for utterance in together:
                wave, rate = audio.read(utterance.path)
                samples.append(audio.resample(wave, source_rate=rate, target_rate=SAMPLE_RATE))
            for utterance, text in zip(together, listener.transcribe(samples), strict=True):
                heard[utterance.utterance] = text
            progress.update(len(together))
    return heard


if __name__ == "__main__":
    run(measure_recogniser)
