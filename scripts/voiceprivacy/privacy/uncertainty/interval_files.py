"""Files of intervals: what the commands assess_... and the jobs of a run write beside their
numbers.

Beside OUT.json lie OUT.intervals.json (label -> metric -> Interval) and OUT.bootstrap.npz
(label/metric -> array of B replicates, NaN where undefined). Without labels there is no label in
either. Of score files the npz also has what ratios are made of:

* left_out/label/metric (S,): the metric without each speaker
* left_out/label/speakers (S,): their names
* left_out/label/n_speakers (): how many of them have target trials
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.files import BadInput, FilePath, counted, read_json, write_json
from voiceprivacy.privacy import Floats, Metrics, Names
from voiceprivacy.privacy.scores.trials import Sample, SpeakerTrials, n_speakers
from voiceprivacy.privacy.uncertainty import jackknife
from voiceprivacy.privacy.uncertainty.bootstrap import (
    FEWEST_SPEAKERS,
    intervals,
    leave_one_out,
    resample_runs,
    resample_scores,
)
from voiceprivacy.running.command import flat_unless_labelled, require_at_least

Labelled = dict[str, Metrics]  # {label: {metric: value}}


class Draws(NamedTuple):
    """How often speakers are drawn anew (0: no intervals), and the seed of the draws."""

    n_replicates: int
    seed: int

    @classmethod
    def of(cls, arguments: Any) -> "Draws":
        """The draws that a command is asked for by --bootstrap and --seed.

        Raises
        ------
        BadInput : less than no replicates
        """
        require_at_least(0, bootstrap=arguments.bootstrap)
        return cls(arguments.bootstrap, arguments.seed)


class Resampled(NamedTuple):
    """What intervals of some metrics are made of.

    Replicates {metric: array (B,)}, the number of speakers that were resampled, and the metrics
    without each of them {metric: array (S,)}.
    """

    replicates: Mapping[str, Floats]
    n_speakers: int
    left_out: Mapping[str, Any]

    def part(self, metrics: Mapping[str, Any]) -> "Resampled":
        """The part of it that some metrics have."""
        shared = ("speakers", "n_speakers")
        return Resampled(
            {name: drawn for name, drawn in self.replicates.items() if name in metrics},
            self.n_speakers,
            {
                name: values
                for name, values in self.left_out.items()
                if name in metrics or name in shared
            },
        )


class Proportion(NamedTuple):
    """The two metrics files that a normalised metric is made of, and the metric's name in them."""

    original: FilePath
    protected: FilePath
    metric: str

    def sides(self) -> list[tuple[Path, str]]:
        """(file, condition) in the order oo, op, pp."""
        original, protected = Path(self.original), Path(self.protected)
        return [(original, "oo"), (protected, "op"), (protected, "pp")]


class LeftOut(NamedTuple):
    """A metric of score files under oo, op and pp.

    {condition: array (S,)} without each of the ``speakers`` (S,), {condition: array (B,)} in
    replicates, and the smallest number of speakers with target trials.
    """

    speakers: Names
    numbers: dict[str, Floats]
    replicates: dict[str, Floats]
    n_speakers: int


def resampled_trials(
    trials: SpeakerTrials, measure: Callable[[Sample], Metrics], draws: Draws
) -> Resampled:
    """Resample the metrics of ``measure`` (see bootstrap.resample_scores)."""
    replicates = resample_scores(trials, measure, **draws._asdict())
    n_drawn = n_speakers(trials)
    left_out = leave_one_out(trials, measure)
    named = {"speakers": trials.speakers, "n_speakers": np.array(n_drawn)}
    return Resampled(replicates, n_drawn, left_out | named)


def resampled_runs(
    train: SpeakerTrials,
    test: SpeakerTrials,
    measure: Callable[[Sample, Sample], Metrics],
    draws: Draws,
) -> Resampled:
    """Resample the metrics of two runs of an anonymiser (see bootstrap.resample_runs)."""
    replicates = resample_runs(train, test, measure, **draws._asdict())
    return Resampled(replicates, min(n_speakers(train), n_speakers(test)), {})


def write_normalised(
    path: FilePath, *, dece: Proportion, cllr_min: Proportion, draws: Draws
) -> Labelled:
    """Write how an anonymiser's metrics compare with those of original speech, with their
    intervals.

    Parameters
    ----------
    path : path
        JSON to write: {metric: value}, see jackknife.normalise. Its siblings have the percentages
        under op and the gains under pp.
    dece, cllr_min : Proportion
        Of dece_bit in files of ZEBRA, of cllr_min_bit in files of verification.
    draws : Draws

    Returns
    -------
    {"": {metric: value, or text with the interval}} to be printed

    Raises
    ------
    BadInput : a file lacks a metric, or has other speakers than another one
    """
    values = {"dece_bit": _read_values(dece), "cllr_min_bit": _read_values(cllr_min)}
    metrics = jackknife.normalise(**values)
    write_json(path, metrics)
    if not draws.n_replicates:
        return {"": metrics}
    left_out = {"dece_bit": _read_left_out(dece), "cllr_min_bit": _read_left_out(cllr_min)}
    replicates = jackknife.resample(
        metrics,
        dece_bit=left_out["dece_bit"].numbers,
        cllr_min_bit=left_out["cllr_min_bit"].numbers,
        speakers=left_out["dece_bit"].speakers,
        **draws._asdict(),
    )
    replicates |= jackknife.resample_gains(
        values, {name: numbers.replicates for name, numbers in left_out.items()}
    )
    resampled = Resampled(replicates, left_out["dece_bit"].n_speakers, {})
    by_condition = {
        "op": {name: value for name, value in metrics.items() if name.endswith("_percent")},
        "pp": {name: value for name, value in metrics.items() if name.endswith("_db")},
    }
    parts = {condition: resampled.part(numbers) for condition, numbers in by_condition.items()}
    shown = write_intervals(path, by_condition, parts, ["op", "pp"])
    return {"": shown["op"] | shown["pp"]}


def write_intervals(
    path: FilePath,
    metrics: Mapping[str, Mapping[str, Any]],
    resampled: Mapping[str, Resampled],
    labels: Sequence[str] | None,
) -> Labelled:
    """Write the siblings of a metrics file; none if nothing was resampled.

    Parameters
    ----------
    path : path of the metrics file
    metrics : {label: {metric: value}}
    resampled : {label: Resampled}
    labels : the labels of --label; None if there were none

    Returns
    -------
    {label: {metric: value, or text with the interval}} to be printed
    """
    limits = {}
    for label, drawn in resampled.items():
        own = intervals(metrics[label], drawn.replicates, n_speakers=drawn.n_speakers)
        limits[label] = own | _headline(own, metrics[label])
        if drawn.n_speakers < FEWEST_SPEAKERS:
            print(
                f"note: {label}: no intervals with {counted(drawn.n_speakers, 'speaker')},"
                f" it takes {FEWEST_SPEAKERS}",
                file=sys.stderr,
            )
    if limits:
        write_json(Path(path).with_suffix(".intervals.json"), flat_unless_labelled(limits, labels))
        flat = labels is None and len(limits) == 1
        write_npz(Path(path).with_suffix(".bootstrap.npz"), _arrays(resampled, flat=flat))
    shown: Labelled = {}
    for label, values in metrics.items():
        own = limits.get(label, {})
        shown[label] = {name: _shown(value, own.get(name)) for name, value in values.items()}
    return shown


def _read_values(proportion: Proportion) -> dict[str, float]:
    """A metric under each condition: {oo, op, pp: value}."""
    values = {}
    for path, condition in proportion.sides():
        try:
            values[condition] = read_json(path)[condition][proportion.metric]
        except (KeyError, TypeError):
            raise BadInput(f"{path}: has no {proportion.metric} under {condition}") from None
    return values


def _read_left_out(proportion: Proportion) -> LeftOut:
    """What the siblings of metrics files hold of a metric of score files."""
    metric = proportion.metric
    names: Names | None = None
    numbers, replicates, counts = {}, {}, []
    for file, condition in proportion.sides():
        path = file.with_suffix(".bootstrap.npz")
        folder = f"left_out/{condition}"
        keys = [f"{folder}/speakers", f"{folder}/n_speakers", f"{folder}/{metric}"]
        arrays = read_npz(path, [*keys, f"{condition}/{metric}"])
        if names is not None and not np.array_equal(arrays[f"{folder}/speakers"], names):
            raise BadInput(
                f"{path}: the speakers of {condition} are not those of {proportion.original}"
            )
        names = arrays[f"{folder}/speakers"]
        counts.append(int(arrays[f"{folder}/n_speakers"]))
        numbers[condition] = arrays[f"{folder}/{metric}"]
        replicates[condition] = arrays[f"{condition}/{metric}"]
    assert names is not None
    return LeftOut(names, numbers, replicates, min(counts))


def _arrays(resampled: Mapping[str, Resampled], *, flat: bool) -> dict[str, Any]:
    """Arrays of the file of replicates; without labels if it is ``flat``."""
    arrays = {}
    for label, drawn in resampled.items():
        for name, values in drawn.replicates.items():
            arrays[name if flat else f"{label}/{name}"] = values
    for label, drawn in resampled.items():
        for name, values in drawn.left_out.items():
            arrays[f"left_out/{name}" if flat else f"left_out/{label}/{name}"] = values
    return arrays


def _headline(limits: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The interval of the headline of ranks: the mean disclosure of the histogram or of the
    model."""
    for name in ("mean_disclosure_bit", "model_mean_disclosure_bit"):
        if name in limits and metrics[name] == metrics.get("disclosure_bit"):
            return {"disclosure_bit": limits[name]}
    return {}


def _shown(value, interval):
    if interval is None or isinstance(interval["ci_low"], str):
        return value
    return f"{value:.6g} [{interval['ci_low']:.4g}, {interval['ci_high']:.4g}]"
