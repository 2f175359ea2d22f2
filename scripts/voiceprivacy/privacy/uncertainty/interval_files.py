"""How the assess_ commands take, write and show intervals.

Beside OUT.json they write OUT.intervals.json (label -> metric -> Interval) and OUT.bootstrap.npz (label/metric -> array
of B replicates, NaN where undefined); without --label there is no label in either. Of score files the npz also has
left_out/label/metric (S,), the metric without each speaker, left_out/label/speakers (S,), and left_out/label/n_speakers
(), how many of them have target trials: what ratios are made of.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.files import BadInput, counted, naming, write_json
from voiceprivacy.inout.tables import read_scored_trials, read_speakers
from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.privacy.scores import trials
from voiceprivacy.privacy.uncertainty import jackknife
from voiceprivacy.privacy.uncertainty.bootstrap import (
    FEWEST_SPEAKERS,
    intervals,
    leave_one_out,
    resample_ranks,
    resample_runs,
    resample_scores,
)
from voiceprivacy.running.command import flat_unless_labelled, require_at_least


class Resampled(NamedTuple):
    """Replicates {metric: array (B,)}, the number of speakers that were resampled, and numbers without each of them."""

    replicates: dict
    n_speakers: int
    left_out: dict | None = None


def add_arguments(parser, *, with_speakers=False):
    """Add --bootstrap and --seed, and --speakers where score files do not say who speaks."""
    if with_speakers:
        parser.add_argument(
            "--speakers", help="TSV: id speaker, of enrolments and trials; adds intervals"
        )
    default = 1000 if with_speakers else 0
    parser.add_argument(
        "--bootstrap",
        type=int,
        default=default,
        help=f"replicates of intervals (default {default})",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws of speakers (default 0)")


def speaker_trials(path, arguments, *, key=None):
    """SpeakerTrials of a score file (``key`` of Kaldi scores); None without --speakers or without replicates."""
    require_at_least(0, bootstrap=arguments.bootstrap)
    if not arguments.speakers or not arguments.bootstrap:
        return None
    with naming(path):
        return trials.arrange(read_scored_trials(path, key=key), read_speakers(arguments.speakers))


def of_scores(of, measure, arguments):
    """Resampled of SpeakerTrials by the metrics of ``measure``."""
    replicates = resample_scores(of, measure, n_replicates=arguments.bootstrap, seed=arguments.seed)
    n_speakers = trials.n_speakers(of)
    left_out = leave_one_out(of, measure) | {
        "speakers": of.speakers,
        "n_speakers": np.array(n_speakers),
    }
    return Resampled(replicates, n_speakers, left_out)


def of_runs(train, test, measure, arguments):
    """Resampled of the SpeakerTrials of two runs by the metrics of ``measure``."""
    replicates = resample_runs(
        train, test, measure, n_replicates=arguments.bootstrap, seed=arguments.seed
    )
    return Resampled(replicates, min(map(trials.n_speakers, (train, test))))


def of_ranks(matrix, arguments):
    """Resampled of a ScoreMatrix of test utterances against templates."""
    options = {"n_replicates": arguments.bootstrap, "seed": arguments.seed, "ties": arguments.ties}
    found = (ranks.true_ranks(matrix), matrix.row_speakers)
    replicates = resample_ranks(*found, **options)
    replicates |= jackknife.resample_rank_models(*found, fit=arguments.fit, **options)
    return Resampled(replicates, len(np.unique(matrix.row_speakers)))


def write_similarity_intervals(arguments, metrics, matrices):
    """Write the siblings of a similarity file from {condition: ScoreMatrix}; nothing without --bootstrap."""
    require_at_least(0, bootstrap=arguments.bootstrap)
    if not arguments.bootstrap:
        return
    options = {"pairs": arguments.pairs, "definition": arguments.definition}
    found = jackknife.resample_similarities(
        matrices, **options, n_replicates=arguments.bootstrap, seed=arguments.seed
    )
    n_speakers = len(np.unique(matrices["oo"].row_speakers))
    resampled = {name: Resampled(of, n_speakers) for name, of in found.items()}
    write_intervals(
        arguments.metrics,
        {name: metrics | metrics[name] for name in matrices},
        resampled,
        list(matrices),
    )


class LeftOut(NamedTuple):
    """A metric of score files under oo, op and pp: {condition: array (S,)} without each of the ``speakers`` (S,),
    {condition: array (B,)} in replicates, and the smallest number of speakers with target trials.
    """

    speakers: np.ndarray
    numbers: dict
    replicates: dict
    n_speakers: int


def read_left_out(original, protected, metric):
    """A metric of score files (LeftOut) from the siblings of the metrics files of original and protected speech.

    Raises
    ------
    BadInput : no such sibling, or other speakers in one of them
    """
    found = LeftOut(None, {}, {}, np.inf)
    for path, conditions in ((original, ["oo"]), (protected, ["op", "pp"])):
        path = Path(path).with_suffix(".bootstrap.npz")
        names = [
            f"left_out/{condition}/{name}"
            for condition in conditions
            for name in ("speakers", "n_speakers", metric)
        ]
        arrays = read_npz(path, [*names, *(f"{condition}/{metric}" for condition in conditions)])
        for condition in conditions:
            speakers, n_speakers, numbers = (
                arrays[f"left_out/{condition}/{name}"]
                for name in ("speakers", "n_speakers", metric)
            )
            if found.speakers is not None and not np.array_equal(speakers, found.speakers):
                raise BadInput(f"{path}: the speakers of {condition} are not those of {original}")
            found.numbers[condition], found.replicates[condition] = (
                numbers,
                arrays[f"{condition}/{metric}"],
            )
            found = found._replace(
                speakers=speakers, n_speakers=int(min(found.n_speakers, n_speakers))
            )
    return found


def write_normalised_intervals(path, metrics, replicates, n_speakers):
    """Write the siblings of a normalised file: percentages under op, gains under pp.

    Returns
    -------
    {metric: value, or text with the interval} to be printed
    """
    ending = {"op": "_percent", "pp": "_db"}
    of = {
        condition: {name: values for name, values in replicates.items() if name.endswith(end)}
        for condition, end in ending.items()
    }
    resampled = {condition: Resampled(values, n_speakers) for condition, values in of.items()}
    values = {condition: {name: metrics[name] for name in names} for condition, names in of.items()}
    shown = write_intervals(path, values, resampled, list(ending))
    return shown["op"] | shown["pp"]


def write_intervals(path, metrics, resampled, labels):
    """Write the siblings of the metrics file ``path`` for {label: {metric: value}} and {label: Resampled}.

    Returns
    -------
    {label: {metric: value, or text with the interval}} to be printed
    """
    found = {
        label: _with_headline(
            intervals(metrics[label], of.replicates, n_speakers=of.n_speakers), metrics[label]
        )
        for label, of in resampled.items()
    }
    for label, of in resampled.items():
        if of.n_speakers < FEWEST_SPEAKERS:
            print(
                f"note: {label}: no intervals with {counted(of.n_speakers, 'speaker')}, it takes {FEWEST_SPEAKERS}",
                file=sys.stderr,
            )
    if found:
        flat = labels is None and len(found) == 1
        arrays = {
            name if flat else f"{label}/{name}": values
            for label, of in resampled.items()
            for name, values in of.replicates.items()
        }
        arrays |= {
            f"left_out/{name}" if flat else f"left_out/{label}/{name}": values
            for label, of in resampled.items()
            for name, values in (of.left_out or {}).items()
        }
        write_json(Path(path).with_suffix(".intervals.json"), flat_unless_labelled(found, labels))
        write_npz(Path(path).with_suffix(".bootstrap.npz"), arrays)
    return {
        label: {name: _shown(value, found.get(label, {}).get(name)) for name, value in of.items()}
        for label, of in metrics.items()
    }


def _with_headline(found, metrics):
    """Intervals with that of the headline of ranks, which is the mean disclosure of the histogram or of the model."""
    headline = metrics.get("disclosure_bit")
    names = ("mean_disclosure_bit", "model_mean_disclosure_bit")
    of = [found[name] for name in names if name in found and metrics[name] == headline]
    return found | {"disclosure_bit": of[0]} if of else found


def _shown(value, interval):
    if interval is None or isinstance(interval["ci_low"], str):
        return value
    return f"{value:.6g} [{interval['ci_low']:.4g}, {interval['ci_high']:.4g}]"
