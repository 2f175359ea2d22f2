"""The tables of papers: a whole challenge, Noe et al. (CSL 2022), and Backstrom et al. (2025).

Conventions
-----------
* A set is a trial list of a corpus; where there are several attackers, each has its own rows.
* What was not measured (C_ECE of an anonymiser without a second run) is a dash.
* Intervals stand in brackets where there are some, and as {metric}_ci_low and {metric}_ci_high in
  TSV. A number outside of its own is shown without its bias, with the definition's beside it; TSV
  has the definition's.
* pandas arranges metrics.tsv. It is imported when a table of a run is made: tables of score files
  need numpy and scipy alone.
* Tables II and III of Backstrom et al. have a column for every feature (here: extractor and
  back-end) and hold for one corpus, gallery and system. N and log2 N stand in them: galleries of
  different N cannot be compared.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import RANK_LOSSES, Metric
from voiceprivacy.catalogue.shown import mark_of, marks_explained, shown
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import NEEDED, Shown, Table, floats, latex, short, write_text
from voiceprivacy.vocabulary import (
    ABSENT,
    CONDITIONS,
    GALLERY_SECONDS,
    ORIGINAL,
    UNDEFINED,
    attacker_name,
)

Numbers = Iterable[Number]
Frame = Any  # of pandas
Row = dict[str, str]  # {name of a column: text}
Form = Callable[[float], str] | None  # how a number is written; None for words

# Whose numbers a row of a challenge's table has, and Tables II and III of Backstrom et al.
ATTACKED = ["corpus", "trials", "extractor", "backend", "anonymiser"]
RankKey = tuple[str, ...]
RANKED = ["corpus", "trials", "anonymiser", "condition"]
FIRST = {  # what comes first in a column, where that is not by the alphabet
    "anonymiser": {ORIGINAL: ""},
    "condition": {condition: str(index) for index, condition in enumerate(CONDITIONS)},
}
LIMITS = ("ci_low", "ci_high")
OF_MARKS, WORDS = ("eer_percent", "n_target"), (ABSENT, UNDEFINED)
WITHOUT_BIAS = "unbiased"  # of no table: beside a value and its limits, for what is shown
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

OF_SCORES = {  # columns of tables of score files, with headings that are not the catalogue's
    "zebra": {
        "dece_bit": "",
        "worst_case_log10": r"worst case [$\log_{10}$]",
        "worst_case_floor_log10": "floor",
        "worst_case_ceiling_log10": "ceiling",
        "tag": "",
        "tag_ceiling": "highest tag of this list",
    },
    "verification": {
        "eer_percent": "",
        "cllr_bit": "",
        "cllr_min_bit": "",
        "cllr_cal_bit": "$C_{llr}^{cal}$",
        "min_dcf": "min DCF",
        "linkability": "",
        "n_target": "targets",
        "n_nontarget": "nontargets",
    },
}

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


# A whole challenge, and Tables 2 to 4 of Noe et al.


def of_scores(metrics: Mapping[str, Mapping[str, Any]], family: str = "zebra") -> Table:
    """A table of score files: {label: {metric: value}}, and METRIC_ci_low and so on where known."""
    headings = OF_SCORES[family]
    columns = [Shown("System", lambda row: row["label"])]
    columns += [_column(name, heading) for name, heading in headings.items()]
    names = ["label", *_with_limits(headings, WITHOUT_BIAS)]
    absent = dict.fromkeys(names, ABSENT)
    rows = [{**absent, "label": label, **values} for label, values in metrics.items()]
    known = [name for name in names if any(row[name] != ABSENT for row in rows)]
    kept = [name for name in known if not name.endswith(WITHOUT_BIAS)]
    caption = f"Metrics of each score file ({family})."
    return Table(kept, columns, rows, caption=caption, label=f"tab:{family}")


def every_condition(numbers: Numbers) -> Table:
    """All systems under all conditions."""
    *others, null, worst, tag = CHALLENGE_METRICS
    lines = _lines(numbers)
    columns = [
        Shown("Set", _set_of(lines)),
        Shown("System", lambda row: row["anonymiser"]),
        Shown("", lambda row: row["condition"].upper()),
        *map(_column, [*others, worst, tag, null]),
    ]
    return Table(
        [*ATTACKED, "condition", *_with_limits(CHALLENGE_METRICS)], columns, _rows(_wide(lines))
    )


def table_2(numbers: Numbers) -> Table:
    """De-identification, voice distinctiveness and ZEBRA of every anonymiser.

    Beside the name of the set stand D_ECE, worst case and tag of unprotected speech.
    """
    # Two columns join several numbers, so that they are no plain metrics.
    lines = _lines(numbers)
    set_of = _set_of(lines)

    def set_and_original(row: Row) -> str:
        texts = [_text(row[f"oo_{name}"], _form(METRICS[name])) for name in UNPROTECTED_METRICS]
        return f"{set_of(row)} ({', '.join(texts)})"

    def dece_and_cece(row: Row) -> str:
        values = [_with_interval(row, name, short) for name in ("dece_bit", "cece_linear_bit")]
        # Without a second run D_ECE stands alone.
        return "/".join(value for value in values if value != ABSENT) or ABSENT

    names = ["deid_percent", "gvd_db", "dece_bit", "cece_linear_bit", "worst_case_log10", "tag"]
    columns = [
        Shown("Set", set_and_original),
        Shown("System", lambda row: row["anonymiser"]),
        *map(_column, names[:2]),
        Shown("$D_{ECE}$/$C_{ECE}$ [bit]", dece_and_cece),
        *map(_column, names[4:]),
    ]
    of_original = [f"oo_{name}" for name in UNPROTECTED_METRICS]
    return Table(
        [*ATTACKED, *_with_limits(names), *of_original], columns, _by_measures(lines, names)
    )


def table_3(numbers: Numbers) -> Table:
    """De-identification by three measures, in percent: 100 = full, 0 = none."""
    return _of_three(numbers, ["deid_percent", "dece_op_oo_percent", "cllr_min_op_oo_percent"])


def table_4(numbers: Numbers) -> Table:
    """Gain of voice distinctiveness by three measures, in dB: 0 = voices as distinct as before."""
    return _of_three(numbers, ["gvd_db", "gain_dece_db", "gain_cllr_min_db"])


def explained(table: Table, notes: Sequence[str] = ()) -> Table:
    """The table with notes below it, and with what daggers in it mean."""
    cells = ["".join(map(column.text, table.rows)) for column in table.columns]
    return table._replace(notes=[*notes, *marks_explained(cells)])


TABLES = {"challenge": every_condition, "2": table_2, "3": table_3, "4": table_4}


def _of_three(numbers: Numbers, names: list[str]) -> Table:
    lines = _lines(numbers)
    titles = [Shown("Set", _set_of(lines)), Shown("System", lambda row: row["anonymiser"])]
    rows = _by_measures(lines, names)
    return Table([*ATTACKED, *_with_limits(names)], [*titles, *map(_column, names)], rows)


def _by_measures(lines: Frame, names: list[str]) -> list[Row]:
    """A row for every anonymiser, with each metric under the condition of PAPER_CONDITIONS.

    It also has the numbers of unprotected speech: oo_METRIC.
    """
    is_original = lines["anonymiser"] == ORIGINAL
    protected, original = lines[~is_original], lines[is_original & (lines["condition"] == "oo")]
    if protected.empty:
        raise BadInput(
            "the metrics have no anonymiser: this table compares protected speech with the original"
        )
    shown = protected[protected["metric"].map(PAPER_CONDITIONS) == protected["condition"]]
    table = protected[ATTACKED].drop_duplicates()
    table = table.merge(_pivoted(shown, ATTACKED, names), how="left", on=ATTACKED)
    table = table.merge(_of_marks(protected), how="left", on=ATTACKED)
    beside = _pivoted(original, ATTACKED[:-1], UNPROTECTED_METRICS).add_prefix("oo_")
    table = table.merge(beside, how="left", on=ATTACKED[:-1])
    return _rows(table.sort_values(ATTACKED))


def _lines(numbers: Numbers) -> Frame:
    """The numbers of attacks as text, a line for each."""
    import pandas

    attacks = [number for number in numbers if ABSENT not in number.key]  # not those of utility
    return pandas.DataFrame(attacks, columns=Number._fields)


def _pivoted(lines: Frame, index: Sequence[str], names: Iterable[str]) -> Frame:
    """A row for each key, with a column for each metric, for its limits and without its bias."""
    values = ["value", *LIMITS, WITHOUT_BIAS]
    wide = lines.pivot(index=index, columns="metric", values=values)
    wide.columns = [name if kind == "value" else f"{name}_{kind}" for kind, name in wide.columns]
    return wide.reindex(columns=_with_limits(names, WITHOUT_BIAS))


def _of_marks(lines: Frame) -> Frame:
    """What tells which intervals of OP are too short: its error rate and number of targets."""
    of_op = lines[(lines["condition"] == "op") & lines["metric"].isin(OF_MARKS)]
    return of_op.pivot(index=ATTACKED, columns="metric", values="value").reindex(columns=OF_MARKS)


def _wide(lines: Frame) -> Frame:
    """A row for each system and condition, with all metrics; `original` first in each set."""
    wide = _pivoted(lines, [*ATTACKED, "condition"], METRICS).reset_index()
    return wide.sort_values(
        by=[*ATTACKED, "condition"], key=lambda column: column.replace(FIRST.get(column.name, {}))
    )


def _rows(frame: Frame) -> list[Row]:
    return frame.astype(object).fillna(ABSENT).to_dict("records")


def _column(name: str, heading: str = "") -> Shown:
    """A metric as a column; its heading is that of the catalogue where none is given."""
    form = _form(METRICS[name])
    return Shown(heading or METRICS[name].heading, lambda row: _with_interval(row, name, form))


def _form(metric: Metric) -> Form:
    """How a paper writes the numbers of a metric; None for tags, which may look like numbers."""
    if metric.title == "tag":
        return None
    if not metric.unit and metric.digits == 0:  # a count
        return "{:.0f}".format
    if metric.family in ("zebra", "calibration"):  # of small disclosures the order of magnitude
        return short
    return "{:.2f}".format if metric.unit.endswith(("%", "dB")) else "{:.3f}".format


def _with_interval(row: Row, name: str, form: Form) -> str:
    text = _text(row[name], form)
    low, high, unbiased = (row.get(f"{name}_{end}", ABSENT) for end in (*LIMITS, WITHOUT_BIAS))
    if form is None or ABSENT in (low, high):
        return text
    if UNDEFINED in (row[name], low, high):
        return f"{text} [{_text(low, form)}, {_text(high, form)}]"
    corrected = None if unbiased == ABSENT else float(unbiased)
    number = shown(float(row[name]), (float(low), float(high)), corrected)
    known = {key: float(row[key]) for key in OF_MARKS if row.get(key, ABSENT) not in WORDS}
    values = known | {name: float(row[name])}
    return number.text(form, mark_of(name, values, has_interval=True))


def _with_limits(names: Iterable[str], *others: str) -> list[str]:
    """Names of columns, each number with those of its limits and of what else is known of it."""
    columns = []
    for name in names:
        columns.append(name)
        if name != "tag":  # a letter has no interval
            columns += [f"{name}_{end}" for end in (*LIMITS, *others)]
    return columns


def _text(value: str, form: Form) -> str:
    if form is None:
        return value
    try:
        return form(float(value))
    except ValueError:  # undefined, or a dash
        return value


def _set_of(lines: Frame) -> Callable[[Row], str]:
    """What names the set of a row, and its attacker where there are several."""
    several = len(lines[["extractor", "backend"]].drop_duplicates()) > 1

    def set_of(row: Row) -> str:
        attacker = f", {attacker_name(row['extractor'], row['backend'])}" if several else ""
        return f"{row['corpus']}_{row['trials']}{attacker}"

    return set_of


# Tables II and III of Backstrom et al.


def write_ranks(path: FilePath, numbers: Numbers) -> None:
    """Write Tables II and III for every corpus, gallery and system.

    TSV is in full precision, LaTeX (the ending tex) rounded with one tabular for each.

    Raises
    ------
    BadInput : another ending
    """
    lines = _lines(numbers)
    features = list(dict.fromkeys(lines["extractor"] + "+" + lines["backend"]))
    tables = _rank_tables(_rows(_wide(lines)), features)
    kind = Path(path).suffix
    if kind == ".tex":
        write_text(path, _rank_latex(features, tables))
    elif kind == ".tsv":
        columns = [*RANKED, "table", "part", "metric", *features, BOUND]
        rows: list[list[str]] = []
        for ranked, lines in tables.items():
            rows += [[*ranked, *line] for line in lines]
        write_table(path, columns, rows)
    else:
        raise BadInput(f"{path}: cannot write this kind of table; end the name in tsv or tex")


def _feature(row: Row) -> str:
    return f"{row['extractor']}+{row['backend']}"  # no spaces: it names a column of TSV


def _rank_latex(features: Iterable[str], tables: Mapping[RankKey, list[list[str]]]) -> str:
    text = [NEEDED]
    heads = [["", "", *map(latex, features), "sum"]]
    for ranked, lines in tables.items():
        blocks: list[list[list[str]]] = []
        for (_, part), block in itertools.groupby(lines, key=lambda line: tuple(line[:2])):
            rows = [
                [metric, *(_text(text, "{:.3g}".format) for text in texts)]
                for _, _, metric, *texts in block
            ]
            # The name of a part stands once.
            names = [part, *[""] * (len(rows) - 1)]
            blocks.append(
                [[*map(latex, (name, *row))] for name, row in zip(names, rows, strict=True)]
            )
        text += floats(
            heads=heads,
            blocks=blocks,
            n_names=2,
            caption=latex(f"Ranks: {', '.join(ranked)}."),
            notes=[f"sum: {latex(BOUND)}"],
            ruled=True,
        )
    return "\n".join(text) + "\n"


def _rank_tables(wide: Iterable[Row], features: Sequence[str]) -> dict[RankKey, list[list[str]]]:
    """Lines (table, part, metric, a text for each feature, the bound) of everything ranked."""
    ranked: dict[RankKey, dict[str, Row]] = {}
    for row in wide:
        # Systems that were tried but not ranked (lists of trials) have no such table.
        if row["n_templates"] != ABSENT:
            key = tuple(row[name] for name in RANKED)
            ranked.setdefault(key, {})[_feature(row)] = row
    nothing: Row = defaultdict(lambda: ABSENT)
    tables = {}
    for key in sorted(ranked, key=lambda key: (*key[:2], key[2] != ORIGINAL, *key[2:])):
        lines = []
        for table, rows in (("II", TABLE_II), ("III", TABLE_III)):
            for part, metric in rows:
                texts = [_rank_text(ranked[key].get(name, nothing), metric) for name in features]
                lines.append([table, part, metric, *texts, _bound(metric, ranked[key].values())])
        tables[key] = lines
    return tables


def _rank_text(row: Row, name: str) -> str:
    """A number of a feature; what does not speak for a speaker is the rest to 100 %."""
    if not name.endswith("_negative_percent"):
        return row[name]
    positive = row[name.replace("negative", "positive")]
    return positive if positive in (ABSENT, UNDEFINED) else str(100 - float(positive))


def _bound(name: str, rows: Iterable[Row]) -> str:
    """What all features disclose together at most: their bits add up to no more than log2 N.

    One feature counts for each extractor: different back-ends read the same embeddings. Of these
    it is the one that discloses most, as an attacker would choose.
    """
    if name != "disclosure_bit":
        return ABSENT
    best: dict[str, float] = {}
    for row in rows:
        best[row["extractor"]] = max(best.get(row["extractor"], 0.0), float(row[name]))
    return str(min(sum(best.values()), max(float(row["log2_n_templates_bit"]) for row in rows)))
