"""The tables of a whole challenge: every system on every set, and Tables 2 to 4 of Noe et al., CSL 2022.

A set is a trial list of a corpus; where there are several attackers, every one has its own rows. What was not measured
(C_ECE of an anonymiser without a second run) is a dash. Intervals stand in brackets where there are some, and as
{metric}_ci_low and {metric}_ci_high in TSV.
"""

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.columns import short
from voiceprivacy.report.typeset import Shown, Table
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
        _shown(r"$D_{ECE}$ [bit]", "dece_bit", short),
        _shown(r"worst case [$\log_{10}$]", "worst_case_log10", short),
        _shown("floor", "worst_case_floor_log10", short),
        _shown("ceiling", "worst_case_ceiling_log10", short),
        _shown("Tag", "tag", str),
        _shown("highest tag of this list", "tag_ceiling", str),
    ]
    rows = [
        {"label": label} | {name: values[name] for name in names}
        for label, values in metrics.items()
    ]
    return Table(["label", *names], columns, rows)


def every_condition(metrics):
    """All systems under all conditions, from a list of Metric."""
    names = [*PLACE, "condition", *_with_limits(OF_CONDITION)]
    columns = [
        Shown("Set", _set_of(metrics)),
        Shown("System", lambda row: row["anonymiser"]),
        Shown("", lambda row: row["condition"].upper()),
        _shown(r"EER [%]", "eer_percent", _digits(2)),
        _shown(r"$C_{llr}$", "cllr_bit", _digits(3)),
        _shown(r"$C_{llr}^{min}$", "cllr_min_bit", _digits(3)),
        _shown("linkability", "linkability", _digits(3)),
        *_zebra("$D_{ECE}$ [bit]", lambda row: _with_interval(row, "dece_bit", short)),
        _shown("zero evidence up to", "dece_null95_bit", short),
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
        _shown("DeID [%]", "deid_percent", _digits(2)),
        _shown("$G_{VD}$ [dB]", "gvd_db", _digits(2)),
        *_zebra("$D_{ECE}$/$C_{ECE}$ [bit]", dece_and_cece),
    ]
    names = ["deid_percent", "gvd_db", "dece_bit", "cece_linear_bit", "worst_case_log10", "tag"]
    of_set_names = ["oo_dece_bit", "oo_worst_case_log10", "oo_tag"]
    return Table([*PLACE, *_with_limits(names), *of_set_names], columns, _protected(metrics))


def table_3(metrics):
    """De-identification by three measures, in percent: 100 = full, 0 = none."""
    titles = {
        "deid_percent": "DeID [%]",
        "dece_op_oo_percent": r"$D_{ECE}^{(OP/OO)}$ [%]",
        "cllr_min_op_oo_percent": r"$C_{llr}^{min(OP/OO)}$ [%]",
    }
    return _comparison(metrics, titles)


def table_4(metrics):
    """Gain of voice distinctiveness by three measures, in dB: 0 = voices as distinct as before."""
    titles = {
        "gvd_db": "$G_{VD}$ [dB]",
        "gain_dece_db": r"$G_{D_{ECE}}^{(PP/OO)}$ [dB]",
        "gain_cllr_min_db": r"$G_{C_{llr}}^{min(PP/OO)}$ [dB]",
    }
    return _comparison(metrics, titles)


TABLES = {"challenge": every_condition, "2": table_2, "3": table_3, "4": table_4}


def _comparison(metrics, titles):
    columns = [Shown("Set", _set_of(metrics)), Shown("System", lambda row: row["anonymiser"])]
    columns += [_shown(title, name, _digits(2)) for name, title in titles.items()]
    return Table([*PLACE, *_with_limits(titles)], columns, _protected(metrics))


def _zebra(title, text):
    return [
        Shown(title, text),
        _shown("$l_w$", "worst_case_log10", short),
        _shown("Tag", "tag", str),
    ]


def _shown(title, name, form):
    return Shown(title, lambda row: _with_interval(row, name, form))


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


def _digits(digits):
    return lambda value: f"{value:.{digits}f}"


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
