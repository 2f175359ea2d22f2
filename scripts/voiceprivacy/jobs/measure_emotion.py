"""Measure whether emotions are still heard: labels of a classifier, against those that are true."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import Utterance, read_manifest, write_table
from voiceprivacy.running.command import run, say
from voiceprivacy.utility.emotion import (
    DEFINITIONS,
    LEFT_OUT,
    MERGED,
    Definition,
    Labels,
    emotion,
    measure,
    read_labels,
    read_predictions,
)
from voiceprivacy.utility.measures import COLUMNS

FOLD = "{fold}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="of the measure: its metrics begin with it")
    parser.add_argument("--manifest", required=True, help="TSV of the speech")
    parser.add_argument("--original", help="TSV of the original speech; not looked at")
    parser.add_argument("--labels", required=True, help="TSV: utterance label, perhaps fold")
    parser.add_argument("--model", help=f"folder of a classifier, or of several with {FOLD}")
    parser.add_argument("--predictions", help="TSV instead: utterance label, perhaps fold")
    parser.add_argument("--definition", required=True, choices=DEFINITIONS)
    parser.add_argument(
        "--excited",
        default=MERGED,
        choices=[MERGED, LEFT_OUT],
        help=f"what excited speech counts as (default {MERGED}, as the challenges have it)",
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--output", required=True, help="TSV to write: utterance metric value")
    arguments = parser.parse_args()
    if (arguments.model is None) == (arguments.predictions is None):
        raise BadInput("give --model or --predictions")

    definition = DEFINITIONS[arguments.definition]
    true = read_labels(arguments.labels, definition, excited=arguments.excited)
    utterances = read_manifest(arguments.manifest)
    names = [utterance.utterance for utterance in utterances]
    if arguments.predictions:
        heard = read_predictions(arguments.predictions, definition, true)
    else:
        labelled = [line for line in utterances if line.utterance in true.emotions]
        heard = classified(labelled, arguments.model, true, definition, device=arguments.device)
    measured = list(measure(arguments.name, names, true=true, heard=heard, definition=definition))
    write_table(arguments.output, COLUMNS, measured)
    n_without = len(set(names) - true.emotions.keys())
    say(f"{counted(len(names), 'utterance')}, {n_without} without a label: {arguments.output}")


def classified(
    utterances: Iterable[Utterance],
    model: str,
    true: Labels,
    definition: Definition,
    *,
    device: str,
) -> Labels:
    """What a classifier hears in utterances, or that of the fold of each."""
    # Seconds to import, and of no use to a table of predictions.
    from voiceprivacy.inout import audio
    from voiceprivacy.models.devices import torch_device
    from voiceprivacy.utility.listeners import SAMPLE_RATE, Classifier, classifier

    heard = Labels(model, {}, true.folds)
    listeners: dict[str, Classifier] = {}
    for utterance in tqdm(list(utterances), unit="utterance", mininterval=1.0):
        folder = model
        if FOLD in model:
            folder = model.replace(FOLD, str(true.fold(utterance.utterance)))
        if folder not in listeners:
            listeners[folder] = classifier(Path(folder), device=torch_device(device))
        wave, rate = audio.read(utterance.path)
        samples = audio.resample(wave, source_rate=rate, target_rate=SAMPLE_RATE)
        label = listeners[folder].classify(samples)
        known = emotion(label, definition.mapped)
        if known is None:
            raise BadInput(f"{folder}: hears '{label}', which the definition does not know")
        heard.emotions[utterance.utterance] = known
    return heard


if __name__ == "__main__":
    run(main)
