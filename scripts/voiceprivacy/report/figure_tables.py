"""The numbers of a figure as a table below it: what its picture shows, in text that can be sorted.

The function that is named like a kind of figure reads its files; other kinds have no table.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.catalogue.metric import WITHOUT_SECOND_RUN
from voiceprivacy.report.atlas import (
    NAMES,
    bits,
    by_system,
    channels_of,
    disclosures,
    left_percent,
    read_atlas,
    read_together,
    sets_shown,
)
from voiceprivacy.report.curves import (
    EXPOSURES,
    MEASURES,
    PROFILES,
    ZOO,
    most_exposed_first,
    read_curves,
    read_disclosures,
    read_speakers,
)
from voiceprivacy.report.exposure import read_exposed
from voiceprivacy.report.figures import Figure, draws_in, palette_of
from voiceprivacy.report.mailed import NAMED, Codes
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.plane import PlanePoint, read_planes
from voiceprivacy.report.typeset import short
from voiceprivacy.report.uncertainty import shown_number, within_zero_evidence
from voiceprivacy.vocabulary import (
    DASH,
    GAIN,
    GAP,
    MINUS,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    TOGETHER,
    NumberKey,
)

Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # titles, rows
NO_TABLE: Table = ((), ())

MOST_EXPOSED = 10  # speakers of a system in the table


class Run(NamedTuple):
    """What all figures of a page share.

    ``metrics`` is {key with an empty metric: {metric: Number}}, ``colours`` {anonymiser: colour} in
    the order of the page, ``order`` that of speakers in matrices. ``codes`` are {corpus: {speaker:
    code}} of corpora whose speakers are not named.
    """

    metrics: dict[NumberKey, dict[str, Number]]
    colours: dict[str, str]
    order: str = "gender"
    codes: Mapping[str, Codes] = {}

    def name(self, anonymiser: str, condition: str) -> str:
        """What a system is called: anonymiser, perhaps which draw of it, and condition."""
        return f"{draws_in(self.colours)[anonymiser].words} {condition.upper()}"


def run_of(metrics: Iterable[Number], provenance: dict) -> Run:
    """What the figures of a run share, from its numbers and its provenance."""
    metrics = list(metrics)
    of_systems: dict[NumberKey, dict[str, Number]] = {}
    for metric in metrics:
        of_systems.setdefault(metric.key._replace(metric=""), {})[metric.metric] = metric
    order = provenance.get("config", {}).get("report", {}).get("speaker_order", "gender")
    return Run(of_systems, palette_of(provenance, metrics), order)


def table_of(figure: Figure, run: Run) -> Table:
    """The table of a figure; without rows where it has none."""
    return TABLES[figure.kind](figure, run) if figure.kind in TABLES else NO_TABLE


def zebra(figure: Figure, run: Run) -> Table:
    """What the profiles of all systems disclose."""
    rows = []
    for anonymiser, path in figure.by_system("curves", order=run.colours).items():
        for condition in read_curves(path, PROFILES):
            metrics = run.metrics.get(figure.system(anonymiser, condition), {})
            if condition in WITHOUT_SECOND_RUN and "dece_bit" in metrics:
                rows.append((run.name(anonymiser, condition), *_evidence(metrics, run)))
    return ("system", "D_ECE [bit], 95 % interval", "worst case [log10]", "tag"), rows


def _evidence(metrics, run):
    numbers = {name: _value(metric.value) for name, metric in metrics.items()}
    zero = ", no more than zero evidence" if within_zero_evidence(numbers) else ""
    worst = numbers["worst_case_log10"]  # a word where it is undefined
    return (
        shown_number(metrics["dece_bit"]).text(short) + zero,
        worst if isinstance(worst, str) else short(worst),
        str(numbers["tag"]),
    )


def _value(text):
    try:
        return float(text)
    except ValueError:
        return text


def zoo(figure: Figure, run: Run) -> Table:
    """Mean LLRs and animals of all speakers.

    An animal in brackets is one that chance may have put into its corner.
    """
    animals = read_speakers(figure.arguments["zoo"], ZOO, run.codes.get(figure.corpus, NAMED))
    titles = ["speaker"]
    for condition in animals:
        titles += [f"{condition.upper()} {column}" for column in ("target", "impostor", "animal")]
    rows = []
    for speaker in sorted(set().union(*animals.values())):
        row = [speaker]
        for of_condition in animals.values():
            row += _zoo_cells(of_condition.get(speaker))
        rows.append(row)
    return titles, rows


def _zoo_cells(animal):
    if animal is None:
        return [DASH] * 3
    means = (animal["mean_target_llr"], animal["mean_impostor_llr"])
    name = animal["animal"].replace("-", DASH)
    # A corner whose animals the test does not name holds no more speakers than chance puts there.
    if animal["animal"] == "-" and animal["corner"] != "-":
        name = f"({animal['corner']})"
    return [*(_number(mean, ".2f") for mean in means), name]


def speakers(figure: Figure, run: Run) -> Table:
    """What each speaker gives away, the most exposed first."""
    codes = run.codes.get(figure.corpus, NAMED)
    measured = read_speakers(figure.arguments["speakers"], EXPOSURES, codes)
    columns = []
    for metric in MEASURES:
        for condition in ("oo", *PROTECTED_CONDITIONS):
            of_speakers = measured.get(condition, {}).values()
            if any(numbers[metric] is not None for numbers in of_speakers):
                columns.append((condition, metric))
    titles = [f"{condition.upper()} {MEASURES[metric]}" for condition, metric in columns]
    rows = []
    for speaker in most_exposed_first(measured):
        values = [measured[condition].get(speaker, {}).get(metric) for condition, metric in columns]
        rows.append([speaker, *(_number(value, ".3g") for value in values)])
    return ["speaker", *titles], rows


def _number(value, form):
    return DASH if value is None else f"{value:{form}}".replace("-", MINUS)


def rank_speakers(figure: Figure, run: Run) -> Table:
    """The speakers of each system whose ranks disclose most."""
    rows = []
    for anonymiser, path in figure.by_system("speakers", order=run.colours).items():
        codes = run.codes.get(figure.corpus, NAMED)
        for condition, by_name in read_disclosures(path, codes).items():
            metrics = run.metrics.get(figure.system(anonymiser, condition), {})
            if condition in WITHOUT_SECOND_RUN and "n_templates" in metrics:
                exposed = sorted(by_name, key=lambda name: (-by_name[name].shrunken.value, name))
                for name in exposed[:MOST_EXPOSED]:
                    text = by_name[name].shrunken.text("{:.2f}".format)
                    rows.append((run.name(anonymiser, condition), name, text))
    # No counts: whoever has the corpus could tell a code by how much the speaker says.
    return ("system", "speaker", "disclosure [bit]"), rows


def atlas(figure: Figure, run: Run) -> Table:
    """A row for each system and condition, a column for each channel."""
    points = read_atlas(figure.arguments["curves"])
    channels = channels_of(points)
    titles = ("system", *(f"{NAMES[channel]} [bit]" for channel in channels))
    rows = []
    for (anonymiser, condition), by_channel in by_system(points).items():
        cells = [_cell(by_channel.get(channel), points) for channel in channels]
        rows.append((run.name(anonymiser, condition), *cells))
    return titles, rows


def _cell(point, points):
    if point is None:
        return ""
    text = bits(point).text("{:.2f}".format)
    left = left_percent(point, points)
    if point.anonymiser == ORIGINAL or left is None:
        return text
    return f"{text}, {left:.0f} % left"


def channels(figure: Figure, run: Run) -> Table:
    """A row for each system and condition: all together, what each channel adds, the gap."""
    points = read_together(figure.arguments["curves"])
    if not points:
        return NO_TABLE
    channels = sets_shown(points)[-1]
    titles = (
        "system",
        "all together [bit]",
        *(f"{NAMES[channel]} adds [bit]" for channel in channels),
        "sum less together [bit]",
    )
    rows = []
    for (anonymiser, condition), by_set in disclosures(points).items():
        own = [point for point in points if point[:2] == (anonymiser, condition)]
        gains = {point.channels: point for point in own if point.measure == GAIN}
        (gap,) = (point for point in own if point.measure == GAP)
        everything = by_set[tuple(gap.channels.split(TOGETHER))]
        cells = [everything, *map(gains.get, channels), gap]
        rows.append((run.name(anonymiser, condition), *map(_text, cells)))
    return titles, rows


def _text(point):
    if point is None:
        return ""
    # z: no sign of a zero, which -0.001 is when it is shown.
    return bits(point).text("{:z.2f}".format).replace("-", MINUS)


def exposed(figure: Figure, run: Run) -> Table:
    """Who is exposed, and by what."""
    codes = run.codes.get(figure.corpus, NAMED)
    rows = []
    for system, each in read_exposed(figure.arguments["curves"], codes).items():
        for speaker, by_channel in each.bits.items():
            channel = each.strongest(speaker)
            text = by_channel[channel].text("{:.2f}".format)
            rows.append((run.name(*system), speaker, NAMES[channel], text))
    return ("system", "speaker", "by", "disclosure [bit]"), rows


def plane(figure: Figure, run: Run) -> Table:
    """Evidence and every measure of utility of all systems."""
    planes = read_planes(figure.arguments["verdict"], figure.arguments["metrics"], figure.corpus)
    points: dict[str, PlanePoint] = {}
    for one in planes:
        points |= one.points
    rows = []
    for system, point in points.items():
        utility = [one.utility_text(system) if system in one.points else DASH for one in planes]
        rows.append((system, point.evidence.text("{:.0f}".format), *utility))
    return ("system", "evidence [%]", *(one.row.label for one in planes)), rows


TABLES: Mapping[str, Callable[[Figure, Any], Table]] = {
    "atlas": atlas,
    "channels": channels,
    "exposed": exposed,
    "plane": plane,
    "rank_speakers": rank_speakers,
    "speakers": speakers,
    "zebra": zebra,
    "zoo": zoo,
}
