"""What a run of config/zoo.yaml shows: a table and a picture, for the guide and for README.

    python tests/nightly/zoo.py --results .zoo/results --picture .zoo/zoo.png

Numbers come from verdict.json and report/tables/speed.tsv of the run, and from nowhere else. So
make zoo asks for these two files only: a run without its page.
--page PAGE.md replaces the table between the two marks of that page.
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report import plane as planes
from voiceprivacy.report.plots import plane as plots
from voiceprivacy.report.plots import style
from voiceprivacy.report.sections import read_speeds
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import ORIGINAL, UNDEFINED

CORPUS = "test_other"
VERDICT, SPEEDS = "verdict.json", "report/tables/speed.tsv"
BEGIN, END = "<!-- zoo: begin -->\n", "<!-- zoo: end -->\n"
MEASURES = {
    "closed_text_wer_percent": ("wrong words [%]", "{:.0f}"),
    "dnsmos_overall": ("quality", "{:.1f}"),
    "pitch_correlation": ("intonation", "{:.2f}"),
}
TITLES = (
    "name",
    "evidence left [%]",
    "strongest attack",
    *(title for title, _ in MEASURES.values()),
    "speed",
)
README_INCHES, DOTS = (8.0, 5.2), 110


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="results/ of the run")
    parser.add_argument("--picture", type=Path, required=True, help="PNG to write")
    parser.add_argument("--page", type=Path, help="Markdown whose table is replaced")
    arguments = parser.parse_args()

    verdict = arguments.results / VERDICT
    speeds = {
        speed.anonymiser: speed.real_time_factor
        for speed in read_speeds(arguments.results / SPEEDS)
        if speed.corpus == CORPUS
    }
    rows = table(verdict, speeds)
    if arguments.page:
        page = with_table(arguments.page.read_text(encoding="utf-8"), rows, arguments.page)
        with whole_or_absent(arguments.page) as temporary:
            temporary.write_text(page, encoding="utf-8")
    for line in rows.splitlines():
        say(line)
    draw(verdict, arguments.picture)
    say(f"wrote {arguments.picture}")


def table(verdict: Path, speeds: dict[str, str]) -> str:
    """The table as Markdown: unprotected speech, then who leaves the least evidence first."""
    fields = read_json(verdict)["sets"].get(CORPUS, {"utility": {"measures": {}}})
    measured = fields["utility"]["measures"]
    if lacking := [name for name in MEASURES if name not in measured]:
        raise BadInput(f"{verdict}: no {' '.join(lacking)}; is it of config/zoo.yaml?")
    evidence = {name: one["evidence_left_percent"] for name, one in fields["systems"].items()}
    least = sorted(evidence, key=lambda name: (evidence[name] == UNDEFINED, evidence[name]))
    rows = []
    for system in (ORIGINAL, *least):
        cells = [f"`{system}`", "100", ""]
        if system != ORIGINAL:
            left = with_limits(evidence[system], "{:.0f}") or "cannot say"
            cells[1:] = left, attack_words(fields, system)
        for metric, (_, form) in MEASURES.items():
            numbers = measured[metric]["systems"].get(system, {"value": UNDEFINED})
            cells.append(with_limits(numbers["value"], form))
        cells.append(speed_words(speeds.get(system, UNDEFINED)))
        rows.append(cells)
    head = [list(TITLES), ["---"] * len(TITLES)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in head + rows)


def with_limits(numbers, form):
    """A number with its interval, if it has one; nothing where there is none."""
    if UNDEFINED in numbers:
        return ""
    value, low, high = map(form.format, numbers)
    return f"{value} [{low}, {high}]" if low != high else value


def attack_words(fields, system):
    """The strongest attack as back-end and condition."""
    attack = fields["systems"][system]["attack"]
    if attack is None:
        return ""
    backend = attack["backend"].partition("_on_")[0]
    return f"{backend}, {attack['condition'].upper()}"


def speed_words(factor):
    """Seconds of speech in a second of a processor."""
    return "" if factor == UNDEFINED else f"{1 / float(factor):.0f}"


def with_table(page: str, table: str, path: Path) -> str:
    """The page with this table between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BadInput(f"{path}: lacks the marks {BEGIN.strip()} and {END.strip()}")
    return f"{before}{begin}\n{table}\n{end}{after}"


def draw(verdict: Path, path: Path) -> None:
    """Evidence left against wrong words, as wide as README is shown."""
    [plane] = [
        plane
        for plane in planes.read_planes(verdict, CORPUS)
        if plane.metric == next(iter(MEASURES))
    ]
    figure, axes = style.figure(*README_INCHES, 1, 1, squeeze=False)
    systems = [name for name in plane.points if name != ORIGINAL]
    plots.draw_plane(axes[0][0], plane, systems)
    axes[0][0].set(ylabel=plots.upwards(plane.evidence_axis))
    with whole_or_absent(path) as temporary:
        figure.savefig(temporary, format="png", dpi=DOTS, metadata={"Software": None})


if __name__ == "__main__":
    run(main)
