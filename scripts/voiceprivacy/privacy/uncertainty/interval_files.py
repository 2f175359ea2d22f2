"""Files of intervals, written beside the numbers of a command or of a run, and read again.

Beside OUT.json lie OUT.intervals.json (label -> metric -> Interval) and OUT.bootstrap.npz
(label/metric -> array of B replicates, NaN where undefined). Without labels there is no label in
either. Of score files the npz also has what ratios are made of:

* left_out/label/metric (S,): the metric without each speaker
* left_out/label/speakers (S,): their names
* left_out/label/n_speakers (): how many of them have target trials

A run has them at FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.intervals.json, and the labels
are conditions.
"""

import itertools
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.catalogue import shown_once
from voiceprivacy.catalogue.shown import mark_of, marks_explained, shown
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.writing import remove_earlier
from voiceprivacy.privacy import Floats, Metrics, Number
from voiceprivacy.privacy.scores.samples import Sample, SpeakerTrials, n_speakers
from voiceprivacy.privacy.uncertainty.bootstrap import (
    intervals,
    leave_one_out,
    resample_runs,
    resample_scores,
)
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS
from voiceprivacy.running.command import print_table, require_replicates, say
from voiceprivacy.vocabulary import FEWEST_REPLICATES, FEWEST_SPEAKERS, TrialList

INTERVALS, REPLICATES = ".intervals.json", ".bootstrap.npz"
HEADLINE = "disclosure_bit"  # of ranks: one of two other metrics, without replicates of its own
Labelled = dict[str, Metrics]  # {label: {metric: value}}


class Draws(NamedTuple):
    """How often speakers are drawn anew (0: no intervals), and the seed of the draws."""

    n_replicates: int
    seed: int

    @classmethod
    def of(cls, bootstrap: int, seed: int) -> "Draws":
        """The draws that a command is asked for by --bootstrap and --seed.

        Raises
        ------
        BadInput : less than no replicates
        """
        require_replicates(bootstrap)
        return cls(bootstrap, seed)


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
        shared = ("speakers", "n_speakers")  # of the numbers without each speaker
        return Resampled(
            {name: drawn for name, drawn in self.replicates.items() if name in metrics},
            self.n_speakers,
            {
                name: values
                for name, values in self.left_out.items()
                if name in metrics or name in shared
            },
        )


class System(NamedTuple):
    """An anonymiser under one attacker."""

    anonymiser: str
    extractor: str
    backend: str


class Estimate(NamedTuple):
    """The number of a system, its replicates (B,), and the number of speakers that were
    resampled."""

    value: Number
    replicates: Floats
    n_speakers: int


class Key(NamedTuple):
    """What systems are compared by."""

    condition: str
    metric: str


def resampled_trials(
    trials: SpeakerTrials, measure: Callable[[Sample], Metrics], draws: Draws
) -> Resampled:
    """Resample the metrics of ``measure`` (see bootstrap.resample_scores)."""
    replicates = resample_scores(trials, measure, **draws._asdict(), corrections=CORRECTIONS)
    # Speakers without targets make nontargets only: they do not count for the width of intervals.
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


def write_intervals(
    path: FilePath | None,
    metrics: Mapping[str, Mapping[str, Any]],
    resampled: Mapping[str, Resampled],
    labels: Sequence[str] | None,
    eers: Mapping[str, float] | None = None,
) -> Labelled:
    """Write the siblings of a metrics file; remove an earlier call's if nothing was resampled.

    Parameters
    ----------
    path : path of the metrics file; None where none is written
    metrics : {label: {metric: value}}
    resampled : {label: Resampled}
    labels : the labels of --label; None if there were none
    eers : {label: EER in percent}, where the metrics have none: it tells which intervals are short

    Returns
    -------
    {label: {metric: value, or text with the interval}} to be printed
    """
    limits = {}
    for label, drawn in resampled.items():
        own = intervals(
            metrics[label],
            drawn.replicates,
            n_speakers=drawn.n_speakers,
            corrections=CORRECTIONS,
        )
        limits[label] = own | _headline(own, metrics[label])
        n_replicates = max(map(len, drawn.replicates.values()), default=FEWEST_REPLICATES)
        for kind, number, fewest in (
            ("speaker", drawn.n_speakers, FEWEST_SPEAKERS),
            ("replicate", n_replicates, FEWEST_REPLICATES),
        ):
            if number < fewest:
                lacking = f"no intervals with {counted(number, kind)}, it takes {fewest}"
                say(f"note: {label}: {lacking}", file=sys.stderr)
    if path:
        siblings = [Path(path).with_suffix(ending) for ending in (INTERVALS, REPLICATES)]
        for sibling in siblings:  # an earlier call's are of other numbers
            remove_earlier(sibling)
        # A command that was given no map of speakers writes neither.
        if limits:
            write_json(siblings[0], flat_unless_labelled(limits, labels))
            flat = labels is None and len(limits) == 1
            write_npz(siblings[1], _arrays(resampled, flat=flat), compressed=True)
    shown: Labelled = {}
    for label, values in metrics.items():
        own, eer_percent = limits.get(label, {}), (eers or {}).get(label)
        shown[label] = {name: _shown(name, values, own.get(name), eer_percent) for name in values}
    return shown


def with_limits(
    metrics: Mapping[str, Mapping[str, Any]], resampled: Mapping[str, Resampled]
) -> dict[str, dict[str, Any]]:
    """Metrics {label: {metric: value}}, with METRIC_ci_low and so on where they are known."""
    known = {}
    for label, values in metrics.items():
        known[label] = dict(values)
        if label in resampled:
            drawn = resampled[label]
            limits = intervals(
                values, drawn.replicates, n_speakers=drawn.n_speakers, corrections=CORRECTIONS
            )
            for name, interval in limits.items():
                for end in ("ci_low", "ci_high", "unbiased"):
                    if interval[end] is not None:
                        known[label][f"{name}_{end}"] = interval[end]
    return known


def flat_unless_labelled(metrics: Mapping[str, Any], labels: Sequence[str] | None) -> Any:
    """{label: {name: value}}, but {name: value} for a single input that was given no label."""
    return next(iter(metrics.values())) if labels is None and len(metrics) == 1 else metrics


def print_metrics(metrics: Mapping[str, Mapping[str, Any]]) -> None:
    """Print {label: {name: value}} as a table, a column for each label; - where it has no value."""
    names: dict[str, None] = {}  # in the order in which they first occur
    for values in map(shown_once, metrics.values()):
        names.update(dict.fromkeys(values))
    rows = [["", *metrics]]
    for name in names:
        rows.append([name, *(_text(values.get(name)) for values in metrics.values())])
    print_table(rows)
    for note in marks_explained(itertools.chain.from_iterable(rows)):
        say(*textwrap.wrap(note, 100))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def parts_of(path: Path, folder: Path) -> tuple[str, TrialList, System]:
    """Family of metrics, list and system of a file of intervals below ``folder``.

    Raises
    ------
    BadInput : a file in another place
    """
    try:
        family, corpus, trials, anonymiser, extractor, file = path.relative_to(folder).parts
    except ValueError:
        raise BadInput(
            f"{path}: expected FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND{INTERVALS}"
            f" below {folder}"
        ) from None
    system = System(anonymiser, extractor, file.removesuffix(INTERVALS))
    return family, TrialList(corpus, trials), system


def replicates_of(path: Path) -> Path:
    """The file of replicates beside a file of intervals."""
    return path.with_name(path.name.replace(INTERVALS, REPLICATES))


def read_estimates(path: Path, *, metric: str | None = None) -> dict[Key, Estimate]:
    """Read the numbers of a file of intervals, or those of one metric, with their replicates.

    The headline of ranks is left out: it stands under its own name, too.

    Raises
    ------
    BadInput : a number without replicates beside the file
    """
    limits: dict[Key, dict[str, Any]] = {}
    for condition, intervals_of in read_json(path).items():
        for name, interval in intervals_of.items():
            if name != HEADLINE and metric in (None, name):
                limits[Key(condition, name)] = interval
    replicates = read_npz(replicates_of(path), ["/".join(key) for key in limits])
    return {
        key: Estimate(interval["value"], replicates["/".join(key)], interval["n_speakers"])
        for key, interval in limits.items()
    }


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
    # Which of the two it is follows from the number of utterances (see ranks.assess).
    for name in ("mean_disclosure_bit", "model_mean_disclosure_bit"):
        if name in limits and metrics[name] == metrics.get(HEADLINE):
            return {HEADLINE: limits[name]}
    return {}


def _shown(name, values, interval, eer_percent):
    value = values[name]
    has_interval = interval is not None and interval["ci_low"] is not None
    mark = mark_of(name, values, has_interval=has_interval, eer_percent=eer_percent)
    if not has_interval:
        return f"{_text(value)}{mark}" if mark else value
    limits = (interval["ci_low"], interval["ci_high"])
    return shown(value, limits, interval["unbiased"]).text("{:.4g}".format, mark)
