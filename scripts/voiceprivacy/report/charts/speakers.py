"""Speakers at risk: what each speaker's speech gives away, and whose rank gives away how much."""

import numpy as np

from voiceprivacy.report.charts.chart import (
    GROUND,
    INK,
    chart,
    label,
    level,
    line,
    of_system,
    points,
    rounded,
    tall,
)
from voiceprivacy.report.colours import dash
from voiceprivacy.vocabulary import DASH, MINUS, PROTECTED_CONDITIONS

NO_PRIVACY_BIT = 1 / (2 * np.log(2))
MEASURES = {
    "dece_bit": "D_ECE [bit]",
    "worst_case_log10": "worst case [log10]",
    "deid_percent": "de-identification [%]",
}


def exposures(*, found, metric, colour):
    """Bars of OP (hatched) and PP for every speaker, and a line for OO; the most exposed speaker first.

    Parameters
    ----------
    found : {condition: {speaker: {n_target, dece_bit, worst_case_log10, deid_percent}}}, None where undefined
    metric : one of MEASURES
    colour : of the anonymiser
    """
    speakers = most_exposed_first(found)
    names = [label(speaker) for speaker in speakers]
    traces = []
    for condition in (condition for condition in PROTECTED_CONDITIONS if condition in found):
        values = [rounded(found[condition].get(speaker, {}).get(metric)) for speaker in speakers]
        if any(value is not None for value in values):
            traces.append(_bars(names, values, condition, metric, colour))
    values = [rounded(found.get("oo", {}).get(speaker, {}).get(metric)) for speaker in speakers]
    if any(value is not None for value in values):
        look = {"symbol": "line-ew-open", "size": 14, "colour": INK}
        hover = f"%{{x}}, unprotected<br>{MEASURES[metric]} %{{y:.3g}}"
        traces.append(points(names, values, "OO (unprotected)", hover=hover, **look))
    title = "speaker, the most exposed first" if metric == [*MEASURES][-1] else ""
    x = {"title": title, "type": "category", "tickfont": {"size": 9}}
    lines = [level("y", NO_PRIVACY_BIT)] if metric == "dece_bit" else []
    return chart(
        traces, x=x, y={"title": MEASURES[metric]}, height=260, barmode="group", shapes=lines
    )


def most_exposed_first(found):
    """Speakers by the larger D_ECE of OP and PP, descending."""
    attacks = [condition for condition in PROTECTED_CONDITIONS if condition in found] or list(found)

    def exposure(speaker):
        values = [found[condition].get(speaker, {}).get("dece_bit") for condition in attacks]
        return max((value for value in values if value is not None), default=-np.inf)

    names = {name for condition in attacks for name in found[condition]}
    return sorted(names, key=lambda name: (-exposure(name), name))


def table(found):
    """The same as a table of text: titles, and a row for every speaker, the most exposed first."""
    conditions = [condition for condition in ("oo", *PROTECTED_CONDITIONS) if condition in found]
    columns = [(condition, metric) for metric in MEASURES for condition in conditions]
    columns = [
        (of, metric)
        for of, metric in columns
        if any(row[metric] is not None for row in found[of].values())
    ]
    titles = [
        "speaker",
        *(f"{condition.upper()} {MEASURES[metric]}" for condition, metric in columns),
    ]
    rows = []
    for speaker in most_exposed_first(found):
        values = [found[condition].get(speaker, {}).get(metric) for condition, metric in columns]
        rows.append(
            [
                speaker,
                *(
                    DASH if value is None else f"{value:.3g}".replace("-", MINUS)
                    for value in values
                ),
            ]
        )
    return titles, rows


def disclosures(*, found, colours):
    """Rank disclosure of every speaker as a rising line for each system.

    Parameters
    ----------
    found : {(anonymiser, condition): {speaker: bit}}
    colours : {anonymiser: colour}
    """
    traces = []
    for (anonymiser, condition), of in found.items():
        speakers = sorted(of, key=lambda speaker: (of[speaker], speaker))
        share = 100 * np.arange(1, len(speakers) + 1) / len(speakers)
        name = f"{anonymiser} {condition.upper()}"
        look = {"colour": colours[anonymiser], "dash": dash(colours, anonymiser, condition)}
        trace = line([of[speaker] for speaker in speakers], share, name, **look)
        trace |= {"mode": "lines+markers", "text": [label(speaker) for speaker in speakers]}
        hover = "%{text}: %{x:.2f} bit<br>%{y:.0f} % of the speakers give away no more"
        traces.append(
            of_system(trace, anonymiser)
            | {"hovertemplate": f"{label(name)}<br>{hover}<extra></extra>"}
        )
    x, y = {"title": "rank disclosure of a speaker [bit]"}, {"title": "speakers with no more [%]"}
    return chart(traces, x=x, y={**y, "range": [0, 103]}, height=tall(400, traces))


def _bars(names, values, condition, metric, colour):
    pattern = (
        {"shape": "/", "fgcolor": colour, "bgcolor": GROUND, "size": 6} if condition == "op" else {}
    )
    return {
        "type": "bar",
        "x": names,
        "y": values,
        "name": condition.upper(),
        "legendgroup": condition,
        "marker": {"color": colour, "pattern": pattern, "line": {"color": colour, "width": 1}},
        "hovertemplate": f"%{{x}}, {condition.upper()}<br>{MEASURES[metric]} %{{y:.3g}}<extra></extra>",
    }
