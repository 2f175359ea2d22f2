"""What figures are drawn from: curves read back from their files, and the same for their tables.

Conventions
-----------
* A picture and the table below it read the same file by one function.
* ``codes`` are {speaker: code} where speakers are not to be named, else empty. Then codes also
  decide the order, of which that of the ids would tell whose they are.
"""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.inout.typed_tables import limits_of, read_labelled
from voiceprivacy.privacy.rows import Animal, Disclosure, Exposure, LawPoint
from voiceprivacy.report.mailed import NAMED, Codes, code_of, coded
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import Shown, shown, shown_number
from voiceprivacy.vocabulary import (
    ABSENT,
    GALLERY_SECONDS,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    UNDEFINED,
    Attack,
)

Arrays = dict[str, NDArray]  # {column: array (P,)}
Numbers = dict[str, dict[str, Any]]  # {condition, or anonymiser/condition: {metric: value}}
Matrices = dict[str, np.ma.MaskedArray]  # {oo, op, pp: masked array (S, S)}

# Curves of scores and of ranks

CALIBRATIONS = ("train", "test", "linear", "isotonic", "isotonic_interpolated", "default")
PROFILES = ["prior_log_odds", "ece_bit", "ece_default_bit"]
RANKS = ["rank", "p", "gamma"]
MOST_BARS = 60  # histograms of more ranks are points on logarithmic axes


def read_curves(path: FilePath, columns: Sequence[str]) -> dict[str, Arrays]:
    """Read a curves TSV (label and number ``columns``).

    Returns
    -------
    {label: {column: array (P,)}} : in the file's order
    """
    curves: dict[str, list[list[float]]] = {}
    for line, row in read_rows(path, ["label", *columns]):
        values = [number(row[column], path, line) for column in columns]
        curves.setdefault(row["label"], []).append(values)
    if not curves:
        raise BadInput(f"{path}: holds no curve")
    return {
        label: dict(zip(columns, np.array(values).T, strict=True))
        for label, values in curves.items()
    }


def read_systems(
    *,
    anonymisers: Sequence[str],
    curves: Sequence[FilePath],
    metrics: Sequence[FilePath],
    columns: Sequence[str],
    needs: Sequence[str] = (),
) -> tuple[dict[str, Arrays], Numbers]:
    """Read curves and metrics of several anonymisers, one file of each per anonymiser.

    Parameters
    ----------
    columns : of the curves
    needs : names of the metrics that are shown

    Returns
    -------
    {anonymiser/condition: {column: array}}, {anonymiser/condition: numbers} : in the order of the
        arguments, numbers as ``read_numbers`` gives them

    Raises
    ------
    BadInput : not one file per anonymiser, or a curve without metrics or without one of ``needs``
    """
    require_one_each(anonymisers=anonymisers, curves=curves, metrics=metrics)
    curve_of, metrics_of = {}, {}
    for anonymiser, curve_path, metrics_path in zip(anonymisers, curves, metrics, strict=True):
        numbers = read_numbers(metrics_path)
        for label, curve in read_curves(curve_path, columns).items():
            if label not in numbers:
                raise BadInput(
                    f"{metrics_path}: has no metrics of '{label}', which {curve_path} draws:"
                    " write both files by one command with --label"
                )
            if missing := [name for name in needs if name not in numbers[label]]:
                raise BadInput(
                    f"{metrics_path}: '{label}' has no {missing[0]}: are they metrics of another"
                    " command?"
                )
            curve_of[f"{anonymiser}/{label}"] = curve
            metrics_of[f"{anonymiser}/{label}"] = numbers[label]
    return curve_of, metrics_of


def require_one_each(**files: Sequence[FilePath]) -> None:
    """Refuse (BadInput) options, by their names, that do not hold a value for each anonymiser."""
    if len({len(values) for values in files.values()}) > 1:
        counts = [f"{len(values)} {name}" for name, values in files.items()]
        raise BadInput(f"{listed(counts)}: give one of each")


def read_numbers(path: FilePath) -> Numbers:
    """Read the numbers of a metrics file: {condition: {metric: value}}.

    Among them ``shown`` is {metric: Shown} of those that have an interval in the file beside it,
    if there is one. That may be left over from an earlier run: an interval counts if it is written
    with the very number of the metrics file.
    """
    beside = Path(path).with_suffix(".intervals.json")
    intervals = read_json(beside) if beside.exists() else {}
    numbers = {}
    for condition, values in foreign.mapping(read_json(path), str(path)).items():
        if isinstance(values, dict):
            with foreign.not_ours(beside):
                with_limits = {
                    name: shown(one["value"], (one["ci_low"], one["ci_high"]), one.get("unbiased"))
                    for name, one in intervals.get(condition, {}).items()
                    if one["value"] == values.get(name) and one["ci_low"] is not None
                }
            numbers[condition] = values | {"shown": with_limits}
    return numbers


def shown_of(metrics: Mapping[str, Any], name: str) -> Shown:
    """One of the metrics that ``read_systems`` reads, as it is shown."""
    return metrics.get("shown", {}).get(name) or Shown(metrics[name])


# Ranks of single speakers, and disclosure by length

DISCLOSURES = ["label", *Disclosure._fields]
GALLERY = re.compile(r"(?P<gender>f|m|mixed)_t(?P<test>\d+)_d(?P<template>\d+)")
OF_LENGTHS = ("disclosure_bit", "n_templates", *GALLERY_SECONDS)
EXAMPLES = ["label", "speaker", "rank", "p", "gamma"]
LENGTH_AXIS = "mean length of a test, below it T"
LONG_S = 10  # from here on seconds are whole, as people read them
BOUNDS = {"bound T": 1.0, "bound √T": 0.5}  # composition and advanced composition: powers of T


class LengthPoint(NamedTuple):
    """Disclosure in a sampled gallery, and how long its tests and templates last on average."""

    bits: Shown
    test_s: float
    template_s: float


# {template length: {test length: point}}, lengths in observations
ByLength = Mapping[int, Mapping[int, LengthPoint]]


class SpeakerBits(NamedTuple):
    """Mean rank disclosure of a speaker: of the own model, and of one of all speakers."""

    own: float
    shrunken: Shown


def read_disclosures(path: FilePath, codes: Codes = NAMED) -> dict[str, dict[str, SpeakerBits]]:
    """Read the rank disclosure of every speaker: {label: {speaker: bits}}."""
    disclosures = {}
    for label, rows in read_labelled(Disclosure, path).items():
        of_label = {}
        for row in rows:
            limits = (row.shrunken_low_bit, row.shrunken_high_bit)
            shrunken = shown(row.shrunken_disclosure_bit, limits)
            of_label[row.speaker] = SpeakerBits(row.model_mean_disclosure_bit, shrunken)
        disclosures[label] = coded(of_label, codes)
    if not disclosures:
        raise BadInput(f"{path}: lists no speaker")
    return disclosures


def read_examples(
    path: FilePath, codes: Codes = NAMED
) -> tuple[str, dict[str, tuple[NDArray, NDArray]]]:
    """Read the ranks of example speakers under the first label.

    Returns
    -------
    label, {speaker: (p (N,), gamma (N,))} : rank histogram and fitted model
    """
    examples: dict[str, dict[str, list[list[float]]]] = {}
    for line, row in read_rows(path, EXAMPLES):
        shares = [number(row[name], path, line) for name in ("p", "gamma")]
        examples.setdefault(row["label"], {}).setdefault(row["speaker"], []).append(shares)
    if not examples:
        raise BadInput(f"{path}: lists no speaker")
    label, speakers = next(iter(examples.items()))
    ranks = {name: np.array(shares).T for name, shares in speakers.items()}
    return label, coded({name: (p, gamma) for name, (p, gamma) in ranks.items()}, codes)


def by_length(numbers: Iterable[Number], attack: Attack) -> tuple[dict[str, ByLength], int]:
    """Headline disclosure of sampled galleries, and how long their tests and templates last.

    Parameters
    ----------
    numbers : of metrics.tsv
    attack : whose ``trials`` are the gender of the galleries

    Returns
    -------
    {system: ByLength}, int : and the number of templates

    Raises
    ------
    BadInput : there are none, or of different sizes, or nothing says how long their speech lasts
    """
    galleries: dict[tuple[str, int, int], dict[str, Number]] = {}
    for line in numbers:
        gallery = GALLERY.fullmatch(line.trials)
        if not gallery:  # a trial list, or a gallery of all speakers
            continue
        if attack == (line.corpus, gallery["gender"], line.extractor, line.backend):
            system = f"{line.anonymiser}/{line.condition}"
            key = (system, int(gallery["template"]), int(gallery["test"]))
            galleries.setdefault(key, {})[line.metric] = line
    disclosures: dict[str, Any] = {}
    # Unprotected speech first, the others by name.
    for key in sorted(galleries, key=lambda key: (not key[0].startswith(ORIGINAL), key)):
        system, template, test = key
        by_test = disclosures.setdefault(system, {}).setdefault(template, {})
        by_test[test] = _length_point(galleries[key])
    sizes = {int(metrics["n_templates"].value) for metrics in galleries.values()}
    # With more templates a rank can disclose more: galleries of several sizes have no one scale.
    if len(sizes) != 1:
        raise BadInput(f"no sampled galleries of equal size of {' '.join(attack)} in the metrics")
    return disclosures, sizes.pop()


def _length_point(metrics):
    missing = [name for name in OF_LENGTHS if name not in metrics]
    if missing:
        of_any = next(iter(metrics.values()))
        raise BadInput(
            f"the metrics of {of_any.corpus} {of_any.trials} have no {' and no '.join(missing)}:"
            " measure its ranks again, with this version"
        )
    bits = metrics["disclosure_bit"]
    test_s, template_s = (float(metrics[name].value) for name in GALLERY_SECONDS)
    return LengthPoint(shown_number(bits), test_s, template_s)


def seconds_of_tests(by_length: ByLength) -> dict[int, float]:
    """How long tests last on average: {observations: seconds}, the shortest first."""
    seconds: dict[int, float] = {}
    for by_test in by_length.values():
        seconds |= {test: point.test_s for test, point in by_test.items()}
    return dict(sorted(seconds.items()))


def template_words(template: int, by_test: Mapping[int, LengthPoint]) -> str:
    """What a line of one length of templates is called."""
    lasts = fmean(point.template_s for point in by_test.values())
    return f"template {template} ({seconds_text(lasts)})"


def seconds_text(seconds: float) -> str:
    """Seconds as they stand at an axis.

    >>> seconds_text(3.54), seconds_text(35.4)
    ('3.5 s', '35 s')
    """
    return f"{seconds:.1f} s" if seconds < LONG_S else f"{seconds:.0f} s"


def composition_bounds(
    disclosures: ByLength, most_bit: float
) -> dict[str, tuple[NDArray, NDArray]]:
    """What the composition theorems allow: growth with T, or with its square root.

    Both start at the shortest test of the shortest template; nothing exceeds log2 N. T counts
    observations, and tests of T last T times as long as tests of one (see rank_sampling).

    Parameters
    ----------
    disclosures : ByLength
    most_bit : log2 N of the gallery

    Returns
    -------
    {name: (seconds of a test (50,), bits (50,))}
    """
    # What the theorems bound is what T observations disclose, given what one does.
    shortest_template = disclosures[min(disclosures)]
    start = shortest_template[min(shortest_template)]
    tests = list(seconds_of_tests(disclosures))
    growth = np.linspace(1, tests[-1] / tests[0], 50)
    bounds = {}
    for name, power in BOUNDS.items():
        bits = np.minimum(start.bits.value * growth**power, most_bit)
        bounds[name] = (growth * start.test_s, bits)
    return bounds


# The criteria of data-protection law

LAW = ["label", *LawPoint._fields]
CRITERIA = {"linkability": "linked to the speaker", "singling_out": "singled out"}  # the axis
ASCENDING = "ascending"  # the reading that needs no words
MOST_OVER_LENGTHS = 20  # speakers
BESIDE, WIDEST = 0.025, 0.5  # of a step of the axis: from one system to the next, and all


def read_law(path: FilePath) -> dict[str, list[LawPoint]]:
    """Read the curves of each condition in its strongest reading, the last that it has.

    Empty where a list has too few speakers for any point.
    """
    return {
        label: [point for point in points if point.reading == points[-1].reading]
        for label, points in read_labelled(LawPoint, path).items()
    }


def shown_share(point: LawPoint) -> Shown:
    """The share of a point, as it is shown."""
    return shown(point.value, limits_of(point.ci_low, point.ci_high))


def beside_each_other(n_systems: int) -> list[float]:
    """Shifts around 0 that keep intervals of several systems apart, in steps of an axis."""
    step = min(BESIDE, WIDEST / max(1, n_systems))
    return [step * (index - (n_systems - 1) / 2) for index in range(n_systems)]


def speakers_over_lengths(points: Iterable[LawPoint], criterion: str) -> int:
    """Among how many speakers curves over lengths are drawn; 0 where nothing was measured.

    It is the largest number, up to 20, of those with which most lengths were measured.
    """
    lengths: dict[int, set[str]] = {}
    for point in points:
        if point.criterion == criterion and point.n_speakers <= MOST_OVER_LENGTHS:
            lengths.setdefault(point.n_speakers, set()).add(str(point.length))
    return max(lengths, key=lambda size: (len(lengths[size]), size), default=0)


# Tables with a line for every speaker: the zoo, and who is at risk

ZOO = ["label", *Animal._fields]
ZOO_TITLES = {
    "oo": "OO: originals",
    "op": "OP: original enrols, protected tried",
    "pp": "PP: protected",
}
EXPOSURES = ["label", *Exposure._fields, "deid_percent"]
MEASURES = {  # of exposure, and what they are called at axes and in tables
    "dece_bit": METRICS["dece_bit"].label,
    "worst_case_log10": METRICS["worst_case_log10"].label,
    "deid_percent": "de-identification [%]",
}
MARGIN = 0.08  # of the range of means, on both sides
WORDS = ("corner", "animal", "doddington")  # columns that hold no numbers


def read_speakers(
    path: FilePath, columns: list[str], codes: Codes = NAMED
) -> dict[str, dict[str, dict]]:
    """Read a table with a line for every condition and speaker.

    Parameters
    ----------
    path : TSV with these columns, label and speaker first
    columns : ZOO or EXPOSURES
    codes : of the speakers

    Returns
    -------
    {label: {speaker: {column: value}}} : numbers where they are some, None where undefined, else
        the words

    Raises
    ------
    BadInput : a speaker occurs twice, or nothing is there
    """
    speakers: dict[str, dict[str, dict]] = {}
    for line, row in read_rows(path, columns):
        label, speaker = row.pop("label"), row.pop("speaker")
        of_label = speakers.setdefault(label, {})
        if speaker in of_label:
            raise BadInput(f"{path}:{line}: {label} {speaker} occurs twice")
        of_label[speaker] = {
            column: _value(column, text, path, line) for column, text in row.items()
        }
    if not speakers:
        raise BadInput(f"{path}: lists no speaker")
    return {label: coded(of_label, codes) for label, of_label in speakers.items()}


def span_of_means(zoo: Mapping[str, Mapping[str, dict]], mean: str) -> tuple[float, float]:
    """The range of a mean LLR over all conditions and 0, no evidence, with a margin.

    Parameters
    ----------
    zoo : {condition: {speaker: {mean: float, None where undefined}}}
    mean : its column

    Returns
    -------
    (low, high)
    """
    means = [0.0]
    for speakers in zoo.values():
        means += [animal[mean] for animal in speakers.values() if animal[mean] is not None]
    width = MARGIN * (max(means) - min(means)) or 1.0  # all means 0: an axis needs a length
    return min(means) - width, max(means) + width


def most_exposed_first(measured: Mapping[str, Mapping[str, dict]]) -> list[str]:
    """Speakers by the larger D_ECE of OP and PP, descending.

    Parameters
    ----------
    measured : {condition: {speaker: {dece_bit: float, None where undefined}}}
    """
    attacks = [condition for condition in PROTECTED_CONDITIONS if condition in measured]
    attacks = attacks or list(measured)  # a table of unprotected speech alone

    def exposure(speaker):
        # A speaker can be missing under one attack, or undefined: such a one stands last.
        values = [measured[condition].get(speaker, {}).get("dece_bit") for condition in attacks]
        return max((value for value in values if value is not None), default=-np.inf)

    speakers = set().union(*(measured[condition] for condition in attacks))
    return sorted(speakers, key=lambda name: (-exposure(name), name))


def _value(column, text, path, line):
    if column in WORDS:
        return text
    return None if text in (UNDEFINED, ABSENT) else number(text, path, line)


# Similarity matrices

MATRICES = ("oo", "op", "pp")
SIMILARITIES = ["matrix", "row_speaker", "column_speaker", "similarity"]
ORDERS = ("gender", "similarity")  # in which speakers can stand


def read_matrices(
    path: FilePath, manifest: FilePath, *, order: str = "gender", codes: Codes = NAMED
) -> tuple[list[str], Matrices]:
    """Read the similarity matrices of one anonymiser, and put the speakers in order.

    Parameters
    ----------
    path : TSV as of read_similarities
    manifest : of the trial speech, which knows the speakers' genders
    order : one of ORDERS
    codes : of the speakers
    """
    genders = {utterance.speaker: utterance.gender for utterance in read_manifest(manifest)}
    return arrange(*read_similarities(path, genders=genders, codes=codes), order)


def read_similarities(
    path: FilePath, *, genders: Mapping[str, str], codes: Codes = NAMED
) -> tuple[list[str], Matrices]:
    """Read the similarity matrices of one anonymiser.

    Parameters
    ----------
    path : TSV: matrix row_speaker column_speaker similarity (a number or undefined)
        matrix is oo, op or pp.
    genders : {speaker: gender}
    codes : of the speakers

    Returns
    -------
    list of S speakers by gender and name or code, {oo, op, pp: masked array (S, S)} : undefined
        cells are masked

    Raises
    ------
    BadInput : a speaker without gender, a cell that is missing or occurs twice
    """
    cells: dict[tuple[str, ...], Any] = {}
    for line, row in read_rows(path, SIMILARITIES):
        cell = (row["matrix"], row["row_speaker"], row["column_speaker"])
        if cell[0] not in MATRICES:
            raise BadInput(f"{path}:{line}: matrix '{cell[0]}' is not one of {', '.join(MATRICES)}")
        if cell in cells:
            raise BadInput(f"{path}:{line}: {' '.join(cell)} occurs twice")
        text = row["similarity"]
        cells[cell] = np.ma.masked if text == UNDEFINED else number(text, path, line)
    speakers = sorted(set(itertools.chain.from_iterable(cell[1:] for cell in cells)))
    for speaker in speakers:
        if speaker not in genders:
            raise BadInput(f"{path}: speaker '{speaker}' is not in the manifest")
    speakers.sort(key=lambda speaker: (genders[speaker], code_of(speaker, codes)))
    n_speakers, index = len(speakers), {speaker: n for n, speaker in enumerate(speakers)}
    matrices = {matrix: np.ma.masked_all((n_speakers, n_speakers)) for matrix in MATRICES}
    for cell in itertools.product(MATRICES, speakers, speakers):
        if cell not in cells:
            raise BadInput(f"{path}: has no similarity of {' '.join(cell)}")
        matrix, row_speaker, column_speaker = cell
        matrices[matrix][index[row_speaker], index[column_speaker]] = cells[cell]
    return [code_of(speaker, codes) for speaker in speakers], matrices


def arrange(speakers: list[str], matrices: Matrices, order: str) -> tuple[list[str], Matrices]:
    """Sort speakers and matrices.

    Parameters
    ----------
    speakers : S names by gender and name
    matrices : {oo, op, pp: masked array (S, S)}
    order : "gender" (leaves them as they are) or "similarity"
        Speakers who sound alike in OO beside each other: the leaves of a hierarchical clustering
        with the smallest differences between neighbours.
    """
    if order == "gender" or len(speakers) < 3:  # two have no other neighbours
        return speakers, matrices
    leaves = _alike_beside_each_other(matrices["oo"])
    in_order = {name: values[np.ix_(leaves, leaves)] for name, values in matrices.items()}
    return [speakers[leaf] for leaf in leaves], in_order


def blocks(
    *, oo: np.ma.MaskedArray, op: np.ma.MaskedArray, pp: np.ma.MaskedArray
) -> np.ma.MaskedArray:
    """OO | OP above PO | PP as one masked array (2 S, 2 S); PO is the transpose of OP."""
    return np.ma.vstack([np.ma.hstack([oo, op]), np.ma.hstack([np.ma.transpose(op), pp])])


def _alike_beside_each_other(similarities):
    from scipy.cluster.hierarchy import leaves_list, linkage  # half a second: only where needed
    from scipy.spatial.distance import squareform

    values = similarities.filled(0.5)  # undefined: no evidence
    # Clustering wants symmetric distances that are 0 from everybody to himself. Similarities of
    # the original's enrolment and trial utterances are neither.
    distances = 1 - (values + values.T) / 2
    np.fill_diagonal(distances, 0)
    return leaves_list(linkage(squareform(distances), "average", optimal_ordering=True))


# The curve of a training

COLUMNS = ["epoch", "loss", "right_percent", "held_out_eer_percent", "learning_rate", "seconds"]
MOST_MARKED_EPOCHS = 60  # more epochs are a line without points


class Curve(NamedTuple):
    """Numbers of every epoch; ``held_out_eer_percent`` is empty where nobody was held out."""

    epoch: NDArray  # (E,)
    loss: NDArray  # (E,)
    held_out_eer_percent: NDArray  # (E,) or (0,)


def read_curve(path: FilePath) -> Curve:
    """Read training.tsv of a model."""
    numbers: dict[str, list[float]] = {name: [] for name in Curve._fields}
    for line, row in read_rows(path, COLUMNS):
        for name, values in numbers.items():
            if row[name] != ABSENT:
                values.append(number(row[name], path, line))
    if not numbers["epoch"]:
        raise BadInput(f"{path}: lists no epoch")
    return Curve(**{name: np.array(values) for name, values in numbers.items()})
