"""Rank disclosure read back for pictures and tables: of every speaker, of three examples, and of several features.

Conventions
-----------
* Table II and Table III of Backstrom et al., 2025, have a column for every feature (here: extractor and back-end) and
  hold for one corpus, gallery and system. N and log2 N stand in them: galleries of different N cannot be compared.
"""

import re

import numpy as np

from voiceprivacy.catalogue import RANK_LOSSES
from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.inout.tables import number, read_rows, write_table
from voiceprivacy.report.latex import latex
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
STATISTICS = (
    "mean_disclosure_bit",
    "identification_rate_percent",
    "max_disclosure_bit",
    "std_disclosure_bit",
)
SPREAD = "rank_spread_percent"
TABLE_2 = [
    *(("gallery", name) for name in ("n_templates", "log2_n_templates_bit", "n_utterances")),
    *(("histogram", name) for name in (*STATISTICS, SPREAD)),
    *(("model", f"model_{name}") for name in (*STATISTICS, SPREAD)),
    ("headline", "disclosure_bit"),
    ("match and other", "match_positive_percent"),
    ("match and other", "match_negative_percent"),
    ("match and other", "other_positive_percent"),
    ("match and other", "other_negative_percent"),
    ("baseline", "gallery_eer_percent"),
]
TABLE_3 = [(what, f"{what}_{loss}_bit") for what in ("kl", "rank1_match") for loss in RANK_LOSSES]
BOUND = "sum over independent features (upper bound)"
GALLERY = re.compile(r"(?P<gender>f|m|mixed)_t(?P<test>\d+)_d(?P<template>\d+)")
COLUMNS = ["corpus", "trials", "anonymiser", "condition", "table", "part", "metric"]


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


def write_tables(path, metrics):
    """Write Tables II and III for every corpus, gallery and system: one column for every feature.

    Parameters
    ----------
    path : TSV
    metrics : list of report.metrics.Metric
    """
    features, rows = _rows(metrics)
    write_table(
        path,
        [*COLUMNS, *features, BOUND],
        [(*place, *line) for place, lines in rows.items() for line in lines],
    )


def write_latex(path, metrics):
    """Write the same for LaTeX (needs the package booktabs), rounded, one tabular for every gallery and system."""
    features, rows = _rows(metrics)
    lines = []
    for place, of_place in rows.items():
        lines += [
            rf"\paragraph{{{latex(', '.join(place))}}}",
            rf"\begin{{tabular}}{{llr{'r' * len(features)}}}",
        ]
        lines += [r"\toprule", _latex_row(["", "", *features, BOUND])]
        parts = [(table, part) for table, part, *_ in of_place]
        for index, (table, part, name, *texts) in enumerate(of_place):
            first = not index or parts[index - 1] != (table, part)
            lines += [r"\midrule"] if first else []
            lines.append(_latex_row([part if first else "", name, *map(_rounded, texts)]))
        lines += [r"\bottomrule", r"\end{tabular}", ""]
    with whole_or_absent(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rows(metrics):
    """All features, and {place: [(table, part, metric, texts of the features, bound), ...]}."""
    places, features = _by_place(metrics)
    rows = {}
    for place, values in places.items():
        for table, lines in (("II", TABLE_2), ("III", TABLE_3)):
            for part, name in lines:
                texts = [_text(values.get(feature, {}), name) for feature in features]
                rows.setdefault(place, []).append((table, part, name, *texts, _bound(name, values)))
    return features, rows


def _by_place(metrics):
    """{(corpus, trials, anonymiser, condition): {feature: {metric: text}}} and all features."""
    places, features = {}, {}
    for metric in metrics:
        feature = f"{metric.extractor}+{metric.backend}"
        place = (metric.corpus, metric.trials, metric.anonymiser, metric.condition)
        places.setdefault(place, {}).setdefault(feature, {})[metric.metric] = metric.value
        features[feature] = None
    ranked = {
        place: {feature: of for feature, of in values.items() if "n_templates" in of}
        for place, values in places.items()
    }
    order = sorted((place for place, values in ranked.items() if values), key=_original_first)
    return {place: ranked[place] for place in order}, list(features)


def _original_first(place):
    corpus, trials, anonymiser, condition = place
    return corpus, trials, anonymiser != ORIGINAL, anonymiser, condition


def _text(values, name):
    if name.endswith("_negative_percent"):
        positive = values.get(name.replace("negative", "positive"), "-")
        return positive if positive in ("-", "undefined") else str(100 - float(positive))
    return values.get(name, "-")


def _bound(name, values):
    """Bits of independent features add up; they cannot exceed log2 N. One feature for each extractor."""
    if name != "disclosure_bit":
        return "-"
    best, most = {}, []
    for feature, of in values.items():
        extractor = feature.partition("+")[0]
        best[extractor] = max(best.get(extractor, 0.0), float(of[name]))
        most.append(float(of["log2_n_templates_bit"]))
    return str(min(sum(best.values()), max(most)))


def _latex_row(cells):
    return " & ".join(map(latex, cells)) + r" \\"


def _rounded(text):
    try:
        return f"{float(text):.3g}"
    except ValueError:
        return text
