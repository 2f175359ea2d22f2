"""The tables of papers: a whole challenge, Noe et al. (CSL 2022), and Backstrom et al. (2025).

Conventions
-----------
* A set is a trial list of a corpus; where there are several attackers, each has its own rows.
* What was not measured (C_ECE of an anonymiser without a second run) is a dash.
* Intervals stand in brackets where there are some, and as {metric}_ci_low and {metric}_ci_high in
  TSV. A number outside of its own is shown without its bias, with the definition's beside it; TSV
  has the definition's.
* Tables II and III of Backstrom et al. have a column for every feature (here: extractor and
  back-end) and hold for one corpus, gallery and system. N and log2 N stand in them: galleries of
  different N cannot be compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import RANK_LOSSES, Metric
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import Shown, Table, latex, short, tabulars, write_text
from voiceprivacy.report.uncertainty import shown
from voiceprivacy.vocabulary import (
    ABSENT,
    CONDITIONS,
    GALLERY_SECONDS,
    ORIGINAL,
    UNDEFINED,
    NumberKey,
    attacker_name,
)

Unbiased = Mapping[NumberKey, float]

LIMITS = ("ci_low", "ci_high")
WITHOUT_BIAS = "unbiased"  # of no file: beside a value and its limits, for what is shown
NO_BIAS_KNOWN: Unbiased = MappingProxyType({})
CHALLENGE_METRICS = [
    "eer_percent",
    "cllr_bit",
    "cllr_min_bit",
    "linkability",
    "dece_bit",
    "dece_null95_bit",
    "worst_case_log10",
    "tag",
]
PAPER_CONDITIONS = {  # metric -> condition that Noe et al. show it under
    "deid_percent": "op",
    "gvd_db": "pp",
    "dece_bit": "op",
    "cece_linear_bit": "op",
    "worst_case_log10": "op",
    "tag": "op",
    "dece_op_oo_percent": "op",
    "cllr_min_op_oo_percent": "op",
    "gain_dece_db": "pp",
    "gain_cllr_min_db": "pp",
}
UNPROTECTED_METRICS = ("dece_bit", "worst_case_log10", "tag")  # stand beside the set's name

STATISTICS = (
    "mean_disclosure_bit",
    "identification_rate_percent",
    "max_disclosure_bit",
    "std_disclosure_bit",
    "rank_spread_percent",
)
TABLE_II = [
    ("gallery", "n_templates"),
    ("gallery", "log2_n_templates_bit"),
    ("gallery", "n_utterances"),
    *(("gallery", name) for name in GALLERY_SECONDS),
    *(("histogram", name) for name in STATISTICS),
    *(("model", f"model_{name}") for name in STATISTICS),
    ("headline", "disclosure_bit"),
    ("match and other", "match_positive_percent"),
    ("match and other", "match_negative_percent"),
    ("match and other", "other_positive_percent"),
    ("match and other", "other_negative_percent"),
    ("baseline", "gallery_eer_percent"),
]
TABLE_III = [
    *(("kl", f"kl_{loss}_bit") for loss in RANK_LOSSES),
    *(("rank1_match", f"rank1_match_{loss}_bit") for loss in RANK_LOSSES),
]
BOUND = "sum over independent features (upper bound)"


class Attacked(NamedTuple):
    """Whose numbers a row of a challenge's table has: one system under one attacker."""

    corpus: str
    trials: str
    extractor: str
    backend: str
    anonymiser: str


class Ranked(NamedTuple):
    """Whose numbers Tables II and III of Backstrom et al. have: one system, by all features."""

    corpus: str
    trials: str
    anonymiser: str
    condition: str


class RankLine(NamedTuple):
    """One line of Table II or III: a metric, its text for each feature, and at last the bound."""

    table: str
    part: str
    metric: str
    texts: list[str]


# A whole challenge, and Tables 2 to 4 of Noe et al.


def of_scores(metrics: Mapping[str, Mapping[str, Any]]) -> Table:
    """ZEBRA's table of score files: {label: {metric: value}}."""
    names = [
        "dece_bit",
        "worst_case_log10",
        "worst_case_floor_log10",
        "worst_case_ceiling_log10",
        "tag",
        "tag_ceiling",
    ]
    columns = [
        Shown("System", lambda row: row["label"]),
        _column("dece_bit"),
        _column("worst_case_log10", r"worst case [$\log_{10}$]"),
        _column("worst_case_floor_log10", "floor"),
        _column("worst_case_ceiling_log10", "ceiling"),
        _column("tag"),
        _column("tag_ceiling", "highest tag of this list"),
    ]
    rows = [{"label": label, **values} for label, values in metrics.items()]
    return Table(["label", *names], columns, rows)


def every_condition(numbers: Sequence[Number], unbiased: Unbiased = NO_BIAS_KNOWN) -> Table:
    """All systems under all conditions."""
    names = [*Attacked._fields, "condition", *_with_limits(CHALLENGE_METRICS)]
    columns = [
        Shown("Set", _set_of(numbers)),
        Shown("System", lambda row: row["anonymiser"]),
        Shown("", lambda row: row["condition"].upper()),
        _column("eer_percent"),
        _column("cllr_bit"),
        _column("cllr_min_bit"),
        _column("linkability"),
        _column("dece_bit"),
        _column("worst_case_log10"),
        _column("tag"),
        _column("dece_null95_bit"),
    ]
    rows = []
    for attacked, conditions in _values(numbers, unbiased).items():
        for condition in CONDITIONS:
            if condition in conditions:
                absent = dict.fromkeys(_with_limits(CHALLENGE_METRICS), ABSENT)
                row = absent | conditions[condition]
                rows.append(attacked._asdict() | {"condition": condition} | row)
    return Table(names, columns, rows)


def table_2(numbers: Sequence[Number], unbiased: Unbiased = NO_BIAS_KNOWN) -> Table:
    """De-identification, voice distinctiveness and ZEBRA of every anonymiser.

    Beside the name of the set stand D_ECE, worst case and tag of unprotected speech.
    """
    # Two columns join several numbers, so that they are no plain metrics.
    set_of = _set_of(numbers)

    def set_and_original(row: dict[str, str]) -> str:
        texts = [_text(row[f"oo_{name}"], _form(METRICS[name])) for name in UNPROTECTED_METRICS]
        return f"{set_of(row)} ({', '.join(texts)})"

    def dece_and_cece(row: dict[str, str]) -> str:
        values = [_with_interval(row, name, short) for name in ("dece_bit", "cece_linear_bit")]
        # Without a second run D_ECE stands alone.
        return "/".join(value for value in values if value != ABSENT) or ABSENT

    columns = [
        Shown("Set", set_and_original),
        Shown("System", lambda row: row["anonymiser"]),
        _column("deid_percent"),
        _column("gvd_db"),
        Shown("$D_{ECE}$/$C_{ECE}$ [bit]", dece_and_cece),
        _column("worst_case_log10"),
        _column("tag"),
    ]
    names = ["deid_percent", "gvd_db", "dece_bit", "cece_linear_bit", "worst_case_log10", "tag"]
    original_names = [f"oo_{name}" for name in UNPROTECTED_METRICS]
    all_names = [*Attacked._fields, *_with_limits(names), *original_names]
    return Table(all_names, columns, _protected(numbers, unbiased))


def table_3(numbers: Sequence[Number], unbiased: Unbiased = NO_BIAS_KNOWN) -> Table:
    """De-identification by three measures, in percent: 100 = full, 0 = none."""
    names = ["deid_percent", "dece_op_oo_percent", "cllr_min_op_oo_percent"]
    return _by_measures(numbers, unbiased, names)


def table_4(numbers: Sequence[Number], unbiased: Unbiased = NO_BIAS_KNOWN) -> Table:
    """Gain of voice distinctiveness by three measures, in dB: 0 = voices as distinct as before."""
    return _by_measures(numbers, unbiased, ["gvd_db", "gain_dece_db", "gain_cllr_min_db"])


TABLES = {"challenge": every_condition, "2": table_2, "3": table_3, "4": table_4}


def _by_measures(numbers: Sequence[Number], unbiased: Unbiased, names: list[str]) -> Table:
    columns = [
        Shown("Set", _set_of(numbers)),
        Shown("System", lambda row: row["anonymiser"]),
        *map(_column, names),
    ]
    return Table([*Attacked._fields, *_with_limits(names)], columns, _protected(numbers, unbiased))


def _column(name: str, heading: str = "") -> Shown:
    """A metric as a column; its heading is that of the catalogue where none is given."""
    form = _form(METRICS[name])
    return Shown(heading or METRICS[name].heading, lambda row: _with_interval(row, name, form))


def _form(metric: Metric) -> Callable[[float], str] | None:
    """How a paper writes the numbers of a metric; None for tags, which may look like numbers."""
    if metric.title == "tag":
        return None
    if metric.family in ("zebra", "calibration"):  # of small disclosures the order of magnitude
        return short
    return "{:.2f}".format if metric.unit.endswith(("%", "dB")) else "{:.3f}".format


def _with_interval(row: Mapping[str, str], name: str, form: Callable[[float], str] | None) -> str:
    text = _text(row[name], form)
    low, high = (row.get(f"{name}_{limit}", ABSENT) for limit in LIMITS)
    if form is None or ABSENT in (low, high):
        return text
    if UNDEFINED in (row[name], low, high):
        return f"{text} [{_text(low, form)}, {_text(high, form)}]"
    unbiased = row.get(f"{name}_{WITHOUT_BIAS}")
    corrected = None if unbiased is None else float(unbiased)
    return shown(float(row[name]), (float(low), float(high)), corrected).text(form)


def _with_limits(names: Iterable[str]) -> list[str]:
    """Names of columns, each number with those of its limits."""
    columns = []
    for name in names:
        columns.append(name)
        if name != "tag":  # a letter has no interval
            columns += [f"{name}_{limit}" for limit in LIMITS]
    return columns


def _text(value: str, form: Callable[[float], str] | None) -> str:
    if form is None:
        return value
    try:
        return form(float(value))
    except ValueError:  # undefined, or a dash
        return value


def _set_of(numbers: Iterable[Number]) -> Callable[[dict[str, str]], str]:
    """What names the set of a row, and its attacker where there are several."""
    attackers = {(number.extractor, number.backend) for number in numbers}
    several = len(attackers - {(ABSENT, ABSENT)}) > 1

    def set_of(row: dict[str, str]) -> str:
        attacker = f", {attacker_name(row['extractor'], row['backend'])}" if several else ""
        return f"{row['corpus']}_{row['trials']}{attacker}"

    return set_of


def _values(
    numbers: Iterable[Number], unbiased: Unbiased
) -> dict[Attacked, dict[str, dict[str, str]]]:
    """{condition: {metric: text}} of everything attacked, `original` first in each set."""
    values: dict[Attacked, dict[str, dict[str, str]]] = {}
    for number in numbers:
        attacked = Attacked(
            number.corpus, number.trials, number.extractor, number.backend, number.anonymiser
        )
        of_condition = values.setdefault(attacked, {}).setdefault(number.condition, {})
        of_condition[number.metric] = number.value
        of_condition[f"{number.metric}_ci_low"] = number.ci_low
        of_condition[f"{number.metric}_ci_high"] = number.ci_high
        if number.key in unbiased:
            of_condition[f"{number.metric}_{WITHOUT_BIAS}"] = str(unbiased[number.key])

    def order(attacked: Attacked) -> tuple[Any, ...]:
        unprotected = attacked.anonymiser == ORIGINAL
        # False comes before True: in each set the original stands first.
        return (*attacked._replace(anonymiser=""), not unprotected, attacked.anonymiser)

    return {attacked: values[attacked] for attacked in sorted(values, key=order)}


def _protected(numbers: Iterable[Number], unbiased: Unbiased) -> list[dict[str, str]]:
    """The rows of all anonymisers, with the numbers of unprotected speech."""
    values = _values(numbers, unbiased)
    rows = []
    for attacked, conditions in values.items():
        if attacked.anonymiser == ORIGINAL or ABSENT in attacked:  # utility is nobody's attack
            continue
        row = attacked._asdict()
        # A row joins the conditions that the paper shows each metric under.
        for name, condition in PAPER_CONDITIONS.items():
            of_condition = conditions.get(condition, {})
            for column in _with_limits([name]):
                row[column] = of_condition.get(column, ABSENT)
            without_bias = f"{name}_{WITHOUT_BIAS}"
            if without_bias in of_condition:
                row[without_bias] = of_condition[without_bias]
        unprotected = values.get(attacked._replace(anonymiser=ORIGINAL), {}).get("oo", {})
        for name in UNPROTECTED_METRICS:
            row[f"oo_{name}"] = unprotected.get(name, ABSENT)
        rows.append(row)
    if not rows:
        raise BadInput(
            "the metrics have no anonymiser: this table compares protected speech with the original"
        )
    return rows


# Tables II and III of Backstrom et al.


def write_ranks(path: str | Path, numbers: Iterable[Number]) -> None:
    """Write Tables II and III for every corpus, gallery and system.

    TSV is in full precision, LaTeX (the ending tex) rounded with one tabular for each.

    Raises
    ------
    BadInput : another ending
    """
    features, tables = _rank_tables(numbers)
    kind = Path(path).suffix
    if kind == ".tex":
        write_text(path, _rank_latex(features, tables))
    elif kind == ".tsv":
        rows: list[list[str]] = []
        for ranked, lines in tables.items():
            rows += [[*ranked, line.table, line.part, line.metric, *line.texts] for line in lines]
        columns = [*Ranked._fields, "table", "part", "metric", *features, BOUND]
        write_table(path, columns, rows)
    else:
        raise BadInput(f"{path}: cannot write this kind of table; end the name in tsv or tex")


def _rank_latex(features: list[str], tables: Mapping[Ranked, list[RankLine]]) -> str:
    text = []
    heads = [["", "", *map(latex, features), "sum"]]
    for ranked, lines in tables.items():
        text.append(rf"\paragraph{{{latex(', '.join(ranked))}}}\mbox{{}}\par")
        text.append(rf"sum: {latex(BOUND)}\par")
        blocks: list[list[list[str]]] = []
        before = None
        for line in lines:
            first = (line.table, line.part) != before  # the name of a part stands once
            if first:
                blocks.append([])
            cells = [line.part if first else "", line.metric, *map(_rounded, line.texts)]
            blocks[-1].append(list(map(latex, cells)))
            before = (line.table, line.part)
        text += tabulars(heads=heads, blocks=blocks, n_names=2, ruled=True)
    return "\n".join(text) + "\n"


def _rank_tables(numbers: Iterable[Number]) -> tuple[list[str], dict[Ranked, list[RankLine]]]:
    """All features, and the lines of both tables of everything that was ranked."""
    values, features = _by_feature(numbers)
    tables = {}
    for ranked, of_features in values.items():
        lines = []
        for table, rows in (("II", TABLE_II), ("III", TABLE_III)):
            for part, metric in rows:
                texts = [_rank_text(of_features.get(feature, {}), metric) for feature in features]
                lines.append(RankLine(table, part, metric, [*texts, _bound(metric, of_features)]))
        tables[ranked] = lines
    return features, tables


def _by_feature(
    numbers: Iterable[Number],
) -> tuple[dict[Ranked, dict[str, dict[str, str]]], list[str]]:
    """{feature: {metric: text}} of everything that was ranked, and all features."""
    values: dict[Ranked, dict[str, dict[str, str]]] = {}
    features: dict[str, None] = {}
    for number in numbers:
        if ABSENT in (number.extractor, number.backend):  # utility is nobody's attack
            continue
        feature = f"{number.extractor}+{number.backend}"  # no spaces: it names a column of TSV
        ranked = Ranked(number.corpus, number.trials, number.anonymiser, number.condition)
        values.setdefault(ranked, {}).setdefault(feature, {})[number.metric] = number.value
        features[feature] = None
    with_gallery = {}
    # Systems that were tried but not ranked (lists of trials, utility) have no such table.
    for ranked in sorted(values, key=_original_first):
        of_features = {
            feature: metrics
            for feature, metrics in values[ranked].items()
            if "n_templates" in metrics
        }
        if of_features:
            with_gallery[ranked] = of_features
    return with_gallery, list(features)


def _original_first(ranked: Ranked) -> tuple[Any, ...]:
    unprotected = ranked.anonymiser == ORIGINAL
    return ranked.corpus, ranked.trials, not unprotected, ranked.anonymiser, ranked.condition


def _rank_text(metrics: Mapping[str, str], name: str) -> str:
    """A number of a feature; what does not speak for a speaker is the rest to 100 %."""
    if not name.endswith("_negative_percent"):
        return metrics.get(name, ABSENT)
    positive = metrics.get(name.replace("negative", "positive"), ABSENT)
    return positive if positive in (ABSENT, UNDEFINED) else str(100 - float(positive))


def _bound(name: str, of_features: Mapping[str, Mapping[str, str]]) -> str:
    """What all features disclose together at most: their bits add up to no more than log2 N.

    One feature counts for each extractor: different back-ends read the same embeddings.
    """
    if name != "disclosure_bit":
        return ABSENT
    best: dict[str, float] = {}
    most = []
    for feature, metrics in of_features.items():
        extractor = feature.partition("+")[0]
        # Of its back-ends the one that discloses most, as an attacker would choose.
        best[extractor] = max(best.get(extractor, 0.0), float(metrics[name]))
        most.append(float(metrics["log2_n_templates_bit"]))
    return str(min(sum(best.values()), max(most)))


def _rounded(text: str) -> str:
    try:
        return f"{float(text):.3g}"
    except ValueError:
        return text
