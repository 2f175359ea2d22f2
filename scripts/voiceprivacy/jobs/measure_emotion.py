"""The job measure_emotion."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from tqdm import tqdm

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import Utterance, read_manifest, write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
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


def measure_emotion(
    *,
    name: str,
    manifest: str,
    original: str | None = None,
    labels: str,
    model: str | None = None,
    predictions: str | None = None,
    definition: Annotated[str, DEFINITIONS],
    excited: Annotated[str, (MERGED, LEFT_OUT)] = MERGED,
    device: Literal["cpu", "cuda"] = "cpu",
    output: str,
) -> None:
    """Measure whether emotions are still heard: labels of a classifier, against the true ones.

    Parameters
    ----------
    name : of the measure: its metrics begin with it
    manifest : TSV of the speech
    original : TSV of the original speech; not looked at
    labels : TSV: utterance label, perhaps fold
    model : folder of a classifier, or of several with {fold}
    predictions : TSV instead: utterance label, perhaps fold
    definition : whose way of counting
    excited : what excited speech counts as; the challenges merge it
    device : where the classifier runs
    output : TSV to write: utterance metric value
    """
    if (model is None) == (predictions is None):
        raise BadInput("give --model or --predictions")
    defined = DEFINITIONS[definition]
    true = read_labels(labels, defined, excited=excited)
    utterances = read_manifest(manifest)
    names = [utterance.utterance for utterance in utterances]
    if predictions is not None:
        heard = read_predictions(predictions, defined, true)
    else:
        labelled = [line for line in utterances if line.utterance in true.emotions]
        heard = classified(labelled, str(model), true, defined, device=device)
    measured = list(measure(name, names, true=true, heard=heard, definition=defined))
    write_table(output, COLUMNS, measured)
    n_without = len(set(names) - true.emotions.keys())
    say(f"{counted(len(names), 'utterance')}, {n_without} without a label: {output}")


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
    run(measure_emotion)
