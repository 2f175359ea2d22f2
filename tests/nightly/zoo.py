"""What a run of config/zoo.yaml shows: a table for docs/internals/measured.md, and a picture.

    python tests/nightly/zoo.py --speech LibriSpeech --pieces .zoo
    python tests/nightly/zoo.py --results .zoo/results --picture .zoo/zoo.png

The first call cuts recordings of train-clean-100 into pieces, as Kaldi directories: attacked, and
learnt, from which attackers learn. Numbers come from three files of the run: verdict.json,
metrics/utility/test_other.tsv and report/tables/speed.tsv. make zoo asks for these only: a run
without its page. --page PAGE.md replaces the table between the two marks of that page.
"""

import argparse
from pathlib import Path

import soundfile

from voiceprivacy.corpora.listing import Findings, Listed, list_utterances
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.report import plane as planes
from voiceprivacy.report.measured import read_utility
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.plots import plane as plots
from voiceprivacy.report.uncertainty import Shown, shown_number
from voiceprivacy.report.utility_tables import read_speeds
from voiceprivacy.report.verdict_words import STATES, UNPROTECTED, limits
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, UNDEFINED

CORPUS, SPOKEN = "pieces", "test_other"  # what is attacked, and what has transcripts
VERDICT, SPEEDS = "verdict.json", "report/tables/speed.tsv"
UTILITY = f"metrics/utility/{SPOKEN}.tsv"
SUBSET = "train-clean-100"
LEARNT_OF_A_SEX, ATTACKED_OF_A_SEX = 50, 63  # speakers; attackers learn from all others, too
N_PIECES, LEAST_S, MOST_S = 3, 3.0, 4.5
BEGIN, END = "<!-- zoo: begin -->\n", "<!-- zoo: end -->\n"
MEASURES = {
    "whisper_wer_percent": ("wrong words [%]", "{:.0f}"),
    "dnsmos_overall": ("quality", "{:.1f}"),
    "pitch_correlation": ("intonation", "{:.2f}"),
}
FACTS = {"right_of_20_percent": "right of 20 [%]", "evidence_percent": "evidence [%]"}
TITLES = (
    "name",
    "state",
    *FACTS.values(),
    *(title for title, _ in MEASURES.values()),
    "speed",
)
README_INCHES, DOTS = (8.0, 5.2), 110


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, help="LibriSpeech, to cut into pieces")
    parser.add_argument("--pieces", type=Path, help="folder to write their Kaldi directories to")
    parser.add_argument("--results", type=Path, help="results/ of the run")
    parser.add_argument("--picture", type=Path, help="PNG to write")
    parser.add_argument("--page", type=Path, help="Markdown whose table is replaced")
    arguments = parser.parse_args()
    if arguments.pieces:
        write_pieces(arguments.speech.resolve(), arguments.pieces)
        return

    rows = table(arguments.results)
    if arguments.page:
        page = with_table(arguments.page.read_text(encoding="utf-8"), rows, arguments.page)
        with whole_or_absent(arguments.page) as temporary:
            temporary.write_text(page, encoding="utf-8")
    for line in rows.splitlines():
        say(line)
    draw(arguments.results, arguments.picture)
    say(f"wrote {arguments.picture}")


def write_pieces(speech: Path, folder: Path) -> None:
    """Write Kaldi directories: pieces of speakers who are attacked, and of others to learn from.

    Every speaker has one recording. Those whose recording is short are learnt from, and so are
    the last ones.
    """
    source = {"librispeech": {"root": str(speech), "subsets": [SUBSET]}}
    of_gender: dict[str, list[tuple[bool, str, Listed]]] = {}
    for one in list_utterances(source, Findings()):
        is_long = soundfile.info(one.file).duration >= N_PIECES * LEAST_S
        of_gender.setdefault(one.gender, []).append((is_long, one.speaker, one))
    for utterances in of_gender.values():
        for n_before, (_, speaker, one) in enumerate(sorted(utterances)):
            is_attacked = 0 <= n_before - LEARNT_OF_A_SEX < ATTACKED_OF_A_SEX
            directory = folder / ("attacked" if is_attacked else "learnt")
            add_line(directory / "wav.scp", f"{one.utterance} {one.file}")
            add_line(directory / "spk2gender", f"{speaker} {one.gender}")
            seconds = soundfile.info(one.file).duration
            n_pieces = min(N_PIECES, max(1, int(seconds / LEAST_S)))
            for number in range(n_pieces):
                name, start = f"{one.utterance}-{number}", number * seconds / n_pieces
                end = start + min(MOST_S, seconds / n_pieces)
                add_line(directory / "segments", f"{name} {one.utterance} {start:.3f} {end:.3f}")
                add_line(directory / "utt2spk", f"{name} {speaker}")


def add_line(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def table(results: Path) -> str:
    """The table as Markdown: unprotected speech, then systems with the least evidence first."""
    sets = read_json(results / VERDICT)["sets"]
    measured: dict[str, dict[str, Shown]] = {}
    for line in read_utility([results / UTILITY]):
        if line.trials == ABSENT and line.value != UNDEFINED:
            systems = measured.setdefault(line.metric, {})
            systems[line.anonymiser] = shown_number(line.metric_line)
    if CORPUS not in sets or not MEASURES.keys() <= measured.keys():
        raise BadInput(f"{results}: lacks {CORPUS} or a measure; is it of config/zoo.yaml?")
    speeds = {
        speed.anonymiser: speed.real_time_factor
        for speed in read_speeds(results / SPEEDS)
        if speed.corpus == CORPUS
    }
    facts = sets[CORPUS]
    rows = [list(TITLES), ["---"] * len(TITLES)]
    last = float("inf")  # systems without any number
    evidence = {name: own["evidence_percent"] or [last] for name, own in facts["systems"].items()}
    order = sorted(evidence, key=lambda name: evidence[name][0])
    for system in (ORIGINAL, *order):
        own = facts["unprotected"] if system == ORIGINAL else facts["systems"][system]
        cells = [f"`{system}`", STATES[UNPROTECTED if system == ORIGINAL else own["state"]][0]]
        cells += [" ".join(limits(own[key])).strip() for key in FACTS]
        for metric, (_, form) in MEASURES.items():
            shown = measured[metric].get(system)
            cells.append(shown.text(form.format) if shown else "")
        factor = speeds.get(system, UNDEFINED)
        rows.append([*cells, "" if factor == UNDEFINED else f"{1 / float(factor):.0f}"])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def with_table(page: str, table: str, path: Path) -> str:
    """The page with this table between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BadInput(f"{path}: lacks the marks {BEGIN.strip()} and {END.strip()}")
    return f"{before}{begin}\n{table}\n{end}{after}"


def draw(results: Path, path: Path) -> None:
    """Evidence against wrong words, as wide as README is shown."""
    drawn = planes.read_planes(results / VERDICT, results / UTILITY, CORPUS)
    [plane] = [one for one in drawn if one.metric == next(iter(MEASURES))]
    figure, axes = drawing.figure(*README_INCHES, 1, 1, squeeze=False)
    systems = [name for name in plane.points if name != ORIGINAL]
    plots.draw_plane(axes[0][0], plane, systems)
    drawing.one_legend(axes[0][0].figure)
    axes[0][0].set(ylabel=planes.EVIDENCE_AXIS)
    with whole_or_absent(path) as temporary:
        figure.savefig(temporary, format="png", dpi=DOTS, metadata={"Software": None})


if __name__ == "__main__":
    run(main)
