"""Measure word errors: what a recogniser hears in speech, against what was said in it."""

import argparse
from pathlib import Path

from tqdm import tqdm

from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import Utterance, read_manifest, read_table, write_table
from voiceprivacy.models.devices import torch_device
from voiceprivacy.running.command import run, say
from voiceprivacy.utility.listeners import SAMPLE_RATE, Recogniser, recogniser
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.word_errors import DEFINITIONS, measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="of the measure: its metrics begin with it")
    parser.add_argument("--manifest", required=True, help="TSV of the speech")
    parser.add_argument("--original", help="TSV of the original speech; not looked at")
    parser.add_argument("--transcripts", required=True, help="TSV: utterance text")
    parser.add_argument("--model", required=True, type=Path, help="folder of a recogniser")
    parser.add_argument("--definition", required=True, choices=DEFINITIONS)
    parser.add_argument("--language", help="what Whisper is told to listen for, such as en")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--output", required=True, help="TSV to write: utterance metric value")
    arguments = parser.parse_args()

    utterances = read_manifest(arguments.manifest)
    texts = read_table(arguments.transcripts, ["utterance", "text"])
    transcripts = {row["utterance"]: row["text"] for row in texts}
    names = [utterance.utterance for utterance in utterances]
    if not transcripts.keys() & set(names):
        raise BadInput(f"{arguments.transcripts}: has a transcript of no utterance")
    definition = DEFINITIONS[arguments.definition]
    listener = recogniser(
        arguments.model, device=torch_device(arguments.device), language=arguments.language
    )
    heard = transcribe(listener, utterances, batch=definition.batch)
    measured = list(
        measure(arguments.name, names, transcripts=transcripts, heard=heard, definition=definition)
    )
    write_table(arguments.output, COLUMNS, measured)
    n_silent = sum(not text.strip() for text in heard.values())
    n_without = len(set(names) - transcripts.keys())
    say(
        f"{counted(len(names), 'utterance')}, {n_without} without a transcript,"
        f" nothing heard in {n_silent}: {arguments.output}"
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
    run(main)
