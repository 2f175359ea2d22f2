"""The charts that stand for a picture: read what the picture draws, and draw it for the page.

Conventions
-----------
* A drawing function takes the place of a picture and a Run, and returns what is Drawn.
* Curves lie where the workflow puts them: RESULTS/curves/FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.tsv.
"""

import math
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.tables import number, read_manifest, read_rows
from voiceprivacy.report.charts import (
    alphas,
    distinctiveness,
    evidence,
    rank_lengths,
    ranks,
    similarity,
    speakers,
    training,
    zoo,
)
from voiceprivacy.report.colours import palette_of
from voiceprivacy.report.curves import (
    EXPOSURES,
    ZOO,
    read_curve,
    read_curves,
    read_similarities,
    read_speakers,
    span_of_means,
)
from voiceprivacy.report.leaderboard import arrange
from voiceprivacy.report.rank_tables import by_length
from voiceprivacy.report.uncertainty import metric_limits, within_zero_evidence
from voiceprivacy.vocabulary import ORIGINAL, UNDEFINED

PROFILES = ["prior_log_odds", "ece_bit", "ece_default_bit"]
CALIBRATIONS = ("train", "test", "linear", "isotonic", "isotonic_interpolated", "default")
DISCLOSURES = [
    *(
        "label",
        "speaker",
        "n_utterances",
        "identification_rate_percent",
        "mean_rank",
        "model_mean_disclosure_bit",
    ),
    *("model_alpha", "model_beta"),
]


class Place(NamedTuple):
    """What a picture is of; what does not apply is empty."""

    kind: str
    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str


class Run(NamedTuple):
    """Where curves and speech lie, {first six fields of a Number: {metric: Number}}, {anonymiser: colour}, and in which
    order speakers stand.
    """

    results: Path
    metrics: dict
    colours: dict
    order: str


class Drawn(NamedTuple):
    """Charts [(title, chart)], the tables that they show, and a table for the page: (titles, rows), or nothing."""

    charts: list
    sources: list
    table: tuple = ()


NOTHING = Drawn([], [])


def run_of(results, *, metrics, provenance):
    """Gather what charts are drawn from: a results folder, a list of Number and the provenance of the run."""
    by_system = {}
    for metric in metrics:
        by_system.setdefault(metric[:6], {})[metric.metric] = metric
    order = provenance.get("config", {}).get("report", {}).get("speaker_order", "gender")
    return Run(Path(results), by_system, palette_of(provenance, metrics), order)


def draw(place, run):
    """What stands on the page for a picture (Drawn); nothing for kinds without charts."""
    return DRAWN[place.kind](place, run) if place.kind in DRAWN else NOTHING


def draw_alphas(run, corpora):
    """What the McAdams anonymisers drew for the trials of some corpora: {corpus: (chart, {anonymiser: table})}."""
    found = {}
    for corpus in corpora:
        folder = run.results / "audio" / corpus / "trial"
        tables = {name: folder / name / "manifest.alphas.tsv" for name in run.colours}
        tables = {name: table for name, table in tables.items() if table.is_file()}
        if tables:
            drawn = {name: _alphas(table) for name, table in tables.items()}
            found[corpus] = (alphas.drawn(alphas=drawn, colours=run.colours), tables)
    return found


def _alphas(path):
    """{alpha: [speakers]} of a table of coefficients."""
    found = {}
    for line, row in read_rows(path, ["utterance", "speaker", "alpha"]):
        speakers = found.setdefault(number(row["alpha"], path, line), [])
        if row["speaker"] not in speakers:
            speakers.append(row["speaker"])
    return found


def _curves(run, family, place, anonymiser):
    attacker = f"{place.extractor}/{place.backend}"
    return (
        run.results
        / "curves"
        / family
        / place.corpus
        / place.trials
        / anonymiser
        / f"{attacker}.tsv"
    )


def _systems(place, run, metric):
    """{anonymiser: [condition]} of the systems at a place that have a metric, unprotected speech first."""
    found = {}
    for (corpus, trials, anonymiser, extractor, backend, condition), of in run.metrics.items():
        here = (corpus, trials, extractor, backend) == (
            place.corpus,
            place.trials,
            place.extractor,
            place.backend,
        )
        if here and metric in of and condition in ("oo", "op", "pp"):
            found.setdefault(anonymiser, []).append(condition)
    names = [name for name in run.colours if name in found]
    return {name: sorted(found[name]) for name in names}


def _metrics(place, run, anonymiser, condition):
    of = run.metrics[
        place.corpus, place.trials, anonymiser, place.extractor, place.backend, condition
    ]
    return {name: _value(metric) for name, metric in of.items()}


def _value(metric):
    try:
        return float(metric.value)
    except ValueError:
        return metric.value


def _zebra(place, run):
    curves, metrics, tables = {}, {}, []
    for anonymiser in _systems(place, run, "dece_bit"):
        tables.append(_curves(run, "zebra", place, anonymiser))
        for condition, curve in read_curves(tables[-1], PROFILES).items():
            if condition in ("oo", "op", "pp"):
                curves[anonymiser, condition] = curve
                metrics[anonymiser, condition] = _evidence(place, run, anonymiser, condition)
    return Drawn(
        [("", evidence.profiles(curves=curves, metrics=metrics, colours=run.colours))], tables
    )


def _evidence(place, run, anonymiser, condition):
    """The numbers of a system, with the interval of D_ECE, and whether that is no more than zero evidence."""
    of = _metrics(place, run, anonymiser, condition)
    metric = run.metrics[
        place.corpus, place.trials, anonymiser, place.extractor, place.backend, condition
    ]["dece_bit"]
    return of | {"dece_limits": metric_limits(metric), "zero_evidence": within_zero_evidence(of)}


def _calibration(place, run):
    table = _curves(run, "calibration", place, place.anonymiser)
    columns = ["prior_log_odds", *(f"ece_{name}_bit" for name in CALIBRATIONS)]
    colour = run.colours[place.anonymiser]
    charts = [
        (condition.upper(), evidence.calibrations(profiles=profiles, colour=colour))
        for condition, profiles in read_curves(table, columns).items()
    ]
    return Drawn(charts, [table])


def _similarity(place, run):
    table = _curves(run, "similarity", place, place.anonymiser)
    manifest = run.results / "audio" / place.corpus / "trial" / ORIGINAL / "manifest.tsv"
    genders = {utterance.speaker: utterance.gender for utterance in read_manifest(manifest)}
    names, matrices = arrange(*read_similarities(table, genders=genders), run.order)
    return Drawn([("", similarity.matrices(**matrices, speakers=names))], [table])


def _zoo(place, run):
    table = _curves(run, "zoo", place, place.anonymiser)
    found = read_speakers(table, ZOO)
    spans = [span_of_means(found, mean) for mean in ("mean_target_llr", "mean_impostor_llr")]
    charts = []
    for label, of in found.items():
        colour = run.colours[ORIGINAL if label == "oo" else place.anonymiser]
        charts.append((zoo.TITLES.get(label, label), zoo.zoo(of, colour=colour, spans=spans)))
    return Drawn(charts, [table], zoo.table(found))


def _speakers(place, run):
    table = _curves(run, "speakers", place, place.anonymiser)
    found = read_speakers(table, EXPOSURES)
    colour = run.colours[place.anonymiser]
    charts = [
        ("", speakers.exposures(found=found, metric=name, colour=colour))
        for name in speakers.MEASURES
    ]
    return Drawn(charts, [table], speakers.table(found))


def _ranks(place, run):
    charts, tables = [], []
    for anonymiser in _systems(place, run, "n_templates"):
        tables.append(_curves(run, "ranks", place, anonymiser))
        for condition, curve in read_curves(tables[-1], ["rank", "p", "gamma"]).items():
            if condition in ("oo", "op", "pp"):
                summary = _rank_summary(_metrics(place, run, anonymiser, condition))
                chart = ranks.histogram(
                    p=curve["p"], gamma=curve["gamma"], colour=run.colours[anonymiser]
                )
                chart["layout"]["meta"] = {"system": anonymiser}
                charts.append((f"{anonymiser} {condition.upper()}: {summary}", chart))
    return Drawn(charts, tables)


def _rank_summary(of):
    found = f"{of['identification_rate_percent']:.1f} % at rank 1 of {of['n_templates']:.0f}"
    return f"{found}, disclosure {of['mean_disclosure_bit']:.2f} bit"


def _rank_speakers(place, run):
    found, tables = {}, []
    for anonymiser in _systems(place, run, "n_templates"):
        tables.append(_curves(run, "rank_speakers", place, anonymiser))
        for line, row in read_rows(tables[-1], DISCLOSURES):
            bit = number(row["model_mean_disclosure_bit"], tables[-1], line)
            found.setdefault((anonymiser, row["label"]), {})[row["speaker"]] = bit
    found = {system: of for system, of in found.items() if system[1] in ("oo", "op", "pp")}
    return Drawn([("", speakers.disclosures(found=found, colours=run.colours))], tables)


def _distinctiveness(place, run):
    found = {}
    for (corpus, trials, anonymiser, extractor, backend, _), of in run.metrics.items():
        if (extractor, backend) == (place.extractor, place.backend):
            for metric in of.keys() & {"deid_percent", "gvd_db"}:
                if of[metric].value != UNDEFINED:
                    pair = (float(of[metric].value), metric_limits(of[metric]))
                    found.setdefault(anonymiser, {}).setdefault(f"{corpus} {trials}", {})[
                        metric
                    ] = pair
    found = {
        anonymiser: {name: of for name, of in sorted(found[anonymiser].items()) if len(of) == 2}
        for anonymiser in run.colours
        if anonymiser in found
    }
    chart = distinctiveness.distinctiveness(found=found, colours=run.colours)
    return Drawn([("", chart)], [run.results / "metrics.tsv"])


def _rank_lengths(place, run):
    """Of sampled galleries; their gender stands where the trial list does elsewhere."""
    of_corpus = [
        metric
        for of in run.metrics.values()
        for metric in of.values()
        if metric.corpus == place.corpus
    ]
    where = (place.corpus, place.trials, place.extractor, place.backend)
    found, n_templates = by_length(of_corpus, where)
    charts = []
    for system, of in found.items():
        anonymiser, condition = system.split("/")
        drawn = rank_lengths.lengths(of, most_bit=math.log2(n_templates))
        drawn["layout"]["meta"] = {"system": anonymiser}
        charts.append((f"{anonymiser} {condition.upper()}", drawn))
    return Drawn(charts, [run.results / "metrics.tsv"])


def _training(place, run):
    table = run.results / "models" / place.extractor / "training.tsv"
    curve = read_curve(table)
    charts = [("", training.losses(curve))]
    if len(curve.held_out_eer_percent):
        charts.append(("", training.held_out(curve)))
    return Drawn(charts, [table])


DRAWN = {
    "zebra": _zebra,
    "calibration": _calibration,
    "similarity": _similarity,
    "distinctiveness": _distinctiveness,
    "zoo": _zoo,
    "speakers": _speakers,
    "ranks": _ranks,
    "rank_speakers": _rank_speakers,
    "rank_lengths": _rank_lengths,
    "training": _training,
}
