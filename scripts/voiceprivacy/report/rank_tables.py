"""Rank disclosure read back for pictures: of every speaker, of three examples, by length."""

import re

import numpy as np

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.uncertainty import metric_limits
from voiceprivacy.vocabulary import ORIGINAL

SPEAKERS = [
    "label",
    "speaker",
    "n_utterances",
    "identification_rate_percent",
    "mean_rank",
    "model_mean_disclosure_bit",
    "model_alpha",
    "model_beta",
]
EXAMPLES = ["label", "speaker", "rank", "p", "gamma"]
GALLERY = re.compile(r"(?P<gender>f|m|mixed)_t(?P<test>\d+)_d(?P<template>\d+)")


def read_disclosures(paths):
    """Read the mean disclosure of every speaker: {anonymiser/label: array (S,)}.

    Parameters
    ----------
    paths : {anonymiser: TSV of assess_ranks.py --speakers}
    """
    found = {}
    for anonymiser, path in paths.items():
        for line, row in read_rows(path, SPEAKERS):
            bits = number(row["model_mean_disclosure_bit"], path, line)
            found.setdefault(f"{anonymiser}/{row['label']}", []).append(bits)
    if not found:
        raise BadInput(f"{next(iter(paths.values()))}: lists no speaker")
    return {system: np.array(bits) for system, bits in found.items()}


def read_examples(path):
    """Read the ranks of example speakers under the first label: label, {speaker: (p (N,), gamma (N,))}."""
    found = {}
    for line, row in read_rows(path, EXAMPLES):
        of_speaker = found.setdefault(row["label"], {}).setdefault(row["speaker"], ([], []))
        for values, name in zip(of_speaker, ("p", "gamma"), strict=True):
            values.append(number(row[name], path, line))
    if not found:
        raise BadInput(f"{path}: lists no speaker")
    label, speakers = next(iter(found.items()))
    return label, {speaker: tuple(map(np.array, of)) for speaker, of in speakers.items()}


def by_length(metrics, place):
    """Headline disclosure of sampled galleries, as pictures need it.

    Parameters
    ----------
    metrics : list of report.metrics.Metric
    place : (corpus, gender, extractor, backend)

    Returns
    -------
    {system: {template: {test: (bits, interval)}}}, int : lengths in observations, interval (low, high) or None; the
        number of templates
    """
    corpus, gender, *attacker = place
    found, sizes = {}, set()
    for metric in metrics:
        gallery = GALLERY.fullmatch(metric.trials)
        if metric.corpus != corpus or [metric.extractor, metric.backend] != attacker or not gallery:
            continue
        if gallery["gender"] == gender and metric.metric == "disclosure_bit":
            of_system = found.setdefault(f"{metric.anonymiser}/{metric.condition}", {})
            of_template = of_system.setdefault(int(gallery["template"]), {})
            of_template[int(gallery["test"])] = (float(metric.value), metric_limits(metric))
        elif gallery["gender"] == gender and metric.metric == "n_templates":
            sizes.add(int(metric.value))
    if not found or len(sizes) != 1:
        raise BadInput(f"no sampled galleries of equal size of {' '.join(place)} in the metrics")
    return dict(
        sorted(found.items(), key=lambda item: (not item[0].startswith(ORIGINAL), item[0]))
    ), sizes.pop()
