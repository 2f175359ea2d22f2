"""The tables of a whole challenge: every system on every set, and Tables 2 to 4 of Noe et al., CSL 2022.

A set is a trial list of a corpus; where there are several attackers, every one has its own rows. What was not measured
(C_ECE of an anonymiser without a second run) is a dash. Intervals stand in brackets where there are some, and as
{metric}_ci_low and {metric}_ci_high in TSV.
"""

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.typeset import Shown, Table
from voiceprivacy.report.words import short
from voiceprivacy.vocabulary import ORIGINAL

PLACE = ["corpus", "trials", "extractor", "backend", "anonymiser"]
MISSING = "-"
CONDITIONS = ("oo", "op", "pp", "p0p1")
LIMITS = ("ci_low", "ci_high")
OF_CONDITION = [
    *(
        "eer_percent",
        "cllr_bit",
        "cllr_min_bit",
        "linkability",
        "dece_bit",
        "dece_null95_bit",
        "worst_case_log10",
    ),
    "tag",
]
OF_PAPER = {  # metric -> condition that it stands under
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


def of_scores(metrics):
    """ZEBRA's table of score files: {label: {metric: value}} as a Table."""
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
    rows = [
        {"label": label} | {name: values[name] for name in names}
        for label, values in metrics.items()
    ]
    return Table(["label", *names], columns, rows)


def every_condition(metrics):
    """All systems under all conditions, from a list of Number."""
    names = [*PLACE, "condition", *_with_limits(OF_CONDITION)]
    columns = [
        Shown("Set", _set_of(metrics)),
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
    return Table(names, columns, [row for row in _rows(metrics) if row["condition"]])


def table_2(metrics):
    """De-identification, voice distinctiveness and ZEBRA of every anonymiser; (D_ECE, worst case, tag) of the set."""
    place = _set_of(metrics)

    def of_set(row):
        values = [_text(row[f"oo_{name}"], short) for name in ("dece_bit", "worst_case_log10")]
        return f"{place(row)} ({', '.join([*values, row['oo_tag']])})"

    def dece_and_cece(row):
        values = [_with_interval(row, name, short) for name in ("dece_bit", "cece_linear_bit")]
        return "/".join(value for value in values if value != MISSING) or MISSING

    columns = [
        Shown("Set", of_set),
        Shown("System", lambda row: row["anonymiser"]),
        _column("deid_percent"),
        _column("gvd_db"),
        Shown("$D_{ECE}$/$C_{ECE}$ [bit]", dece_and_cece),
        _column("worst_case_log10"),
        _column("tag"),
    ]
    names = ["deid_percent", "gvd_db", "dece_bit", "cece_linear_bit", "worst_case_log10", "tag"]
    of_set_names = ["oo_dece_bit", "oo_worst_case_log10", "oo_tag"]
    return Table([*PLACE, *_with_limits(names), *of_set_names], columns, _protected(metrics))


def table_3(metrics):
    """De-identification by three measures, in percent: 100 = full, 0 = none."""
    names = ["deid_percent", "dece_op_oo_percent", "cllr_min_op_oo_percent"]
    return _comparison(metrics, names)


def table_4(metrics):
    """Gain of voice distinctiveness by three measures, in dB: 0 = voices as distinct as before."""
    names = ["gvd_db", "gain_dece_db", "gain_cllr_min_db"]
    return _comparison(metrics, names)


TABLES = {"challenge": every_condition, "2": table_2, "3": table_3, "4": table_4}


def _comparison(metrics, names):
    columns = [Shown("Set", _set_of(metrics)), Shown("System", lambda row: row["anonymiser"])]
    columns += [_column(name) for name in names]
    return Table([*PLACE, *_with_limits(names)], columns, _protected(metrics))


def _column(name, heading=None):
    """A metric as a column; its heading is that of the catalogue where none is given."""
    form = _form(METRICS[name])
    return Shown(heading or METRICS[name].heading, lambda row: _with_interval(row, name, form))


def _form(metric):
    """How a paper writes the numbers of a metric: a function of the number."""
    if metric.title == "tag":
        return str
    if metric.family in ("zebra", "calibration"):  # of small disclosures the order of magnitude
        return short
    return "{:.2f}".format if metric.unit.endswith(("%", "dB")) else "{:.3f}".format


def _with_interval(row, name, form):
    text, (low, high) = (
        _text(row[name], form),
        [row.get(f"{name}_{limit}", MISSING) for limit in LIMITS],
    )
    return (
        f"{text} [{_text(low, form)}, {_text(high, form)}]" if MISSING not in (low, high) else text
    )


def _with_limits(names):
    """Names of columns, each number with those of its limits."""
    return [
        column
        for name in names
        for column in (name, *(f"{name}_{limit}" for limit in LIMITS if name != "tag"))
    ]


def _text(value, form):
    try:
        return form(float(value)) if form is not str else str(value)
    except ValueError:  # undefined, or a dash
        return value


def _set_of(metrics):
    several = (
        len({(metric.extractor, metric.backend) for metric in metrics} - {(MISSING, MISSING)}) > 1
    )
    return lambda row: (
        f"{row['corpus']}_{row['trials']}"
        + (f", {row['extractor']} + {row['backend']}" if several else "")
    )


def _values(metrics):
    """{place with anonymiser: {condition: {metric: text}}}, sets in order, `original` first in each."""
    values = {}
    for metric in metrics:
        place = tuple(getattr(metric, name) for name in PLACE)
        of_condition = values.setdefault(place, {}).setdefault(metric.condition, {})
        of_condition[metric.metric] = metric.value
        of_condition |= {f"{metric.metric}_{limit}": getattr(metric, limit) for limit in LIMITS}
    return dict(
        sorted(values.items(), key=lambda item: (item[0][:4], item[0][4] != ORIGINAL, item[0][4]))
    )


def _rows(metrics):
    return [
        dict(zip(PLACE, place, strict=True))
        | {"condition": condition}
        | {name: of[condition].get(name, MISSING) for name in _with_limits(OF_CONDITION)}
        for place, of in _values(metrics).items()
        for condition in CONDITIONS
        if condition in of
    ]


def _protected(metrics):
    values, rows = _values(metrics), []
    for place, of in values.items():
        if place[4] == ORIGINAL or MISSING in place:  # utility is nobody's attack
            continue
        unprotected = values.get((*place[:4], ORIGINAL), {}).get("oo", {})
        row = dict(zip(PLACE, place, strict=True))
        row |= {
            column: of.get(condition, {}).get(column, MISSING)
            for name, condition in OF_PAPER.items()
            for column in _with_limits([name])
        }
        row |= {
            f"oo_{name}": unprotected.get(name, MISSING)
            for name in ("dece_bit", "worst_case_log10", "tag")
        }
        rows.append(row)
    if not rows:
        raise BadInput(
            "the metrics have no anonymiser: this table compares protected speech with the original"
        )
    return rows
