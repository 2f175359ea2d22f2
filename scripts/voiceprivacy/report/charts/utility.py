"""Privacy against utility: an anonymiser that hides the speaker should leave the rest of the speech usable."""

from voiceprivacy.catalogue import EER
from voiceprivacy.report.charts.attacks import drawable
from voiceprivacy.report.charts.chart import chart, errors, label, level, of_system, points, rounded
from voiceprivacy.report.comparison import strongest_attacks
from voiceprivacy.report.utility import titled
from voiceprivacy.vocabulary import ABSENT

GUESSING_PERCENT = 50


def scatters(systems, metrics, colours):
    """EER under the strongest attack against every measure of utility: {corpus: [(title, chart)]}.

    Parameters
    ----------
    systems : list of System; metrics : list of Number, those of utility over whole corpora
    colours : {anonymiser: colour}
    """
    strongest, found = strongest_attacks(systems), {}
    for metric in metrics:
        whole = (metric.trials, metric.extractor, metric.condition) == (ABSENT,) * 3
        system = strongest.get((metric.corpus, metric.anonymiser))
        if whole and system and _is_number(metric.value) and drawable(system.mean["eer_percent"]):
            found.setdefault(metric.corpus, {}).setdefault(metric.metric, {})[metric.anonymiser] = (
                system,
                metric,
            )
    return {
        corpus: [
            (titled(name), _scatter(name, of, colours)) for name, of in measures.items()
        ]
        for corpus, measures in found.items()
    }


def _scatter(name, found, colours):
    title = titled(name)
    traces = [
        _point(title, *found[anonymiser], colours[anonymiser])
        for anonymiser in colours
        if anonymiser in found
    ]
    y = {"title": "EER [%], ↑ more privacy", "rangemode": "tozero"}
    return chart(
        traces, x={"title": label(title)}, y=y, height=400, shapes=[level("y", GUESSING_PERCENT)]
    )


def _point(title, system, metric, colour):
    value, eer = float(metric.value), system.mean["eer_percent"]
    limits = (float(metric.ci_low), float(metric.ci_high)) if _is_number(metric.ci_low) else None
    interval = system.intervals[system.mean_label].get("eer_percent")
    lines = [
        label(system.anonymiser),
        f"{label(title)} {value:.3g}{_text(limits, '{:.3g}'.format)}",
    ]
    lines.append(
        f"EER {EER.text(eer)} %{_text(interval, EER.text)}, {system.attack}, {label(system.attacker)}"
    )
    look = {"colour": colour, "size": 11, "hover": "%{text}"}
    trace = points(
        [rounded(value)], [rounded(eer)], system.anonymiser, texts=["<br>".join(lines)], **look
    )
    bars = {"error_x": errors([value], [limits]), "error_y": errors([eer], [interval])}
    return of_system(trace, system.anonymiser) | {
        axis: of | {"color": colour} for axis, of in bars.items()
    }


def _text(limits, form):
    return f" [{form(limits[0])}, {form(limits[1])}]" if limits else ""


def _is_number(text):
    try:
        return drawable(float(text))
    except ValueError:
        return False
