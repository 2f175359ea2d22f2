"""Draw a figure for papers as svg, pdf or png: one kind from its files, or those of a run."""

import argparse
import re
from pathlib import Path
from typing import Any

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from voiceprivacy.errors import BadInput
from voiceprivacy.layout import Layout
from voiceprivacy.privacy.scores.profiles import PROFILES
from voiceprivacy.privacy.scores.score_files import read_checked
from voiceprivacy.report.contents import by_job, read_contents
from voiceprivacy.report.curves import ORDERS
from voiceprivacy.report.figures import (
    COLOURS,
    GALLERY,
    KINDS,
    LIST,
    ON_REQUEST,
    PICTURES,
    REQUEST,
    drawer,
)
from voiceprivacy.report.mailed import codes_of
from voiceprivacy.report.plots import drawing, systems
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs
from voiceprivacy.vocabulary import HISTOGRAMS

OF_SCORES = """
ece: empirical cross-entropy (actual, minimum, default); bayes_error: APE plot; det, roc: error
trade-off with convex hull; normalised_bayes_error: the APE plot divided by the default; tippett:
shares of trials above an LLR; scores, llrs: histograms; calibration: empirical calibration plot.
Where LLRs are wanted, scores are taken at their word as natural logarithms. For ZEBRA's own
picture: voiceprivacy assess zebra --plot.
"""
FILES = {  # flag: what its files are, where a kind names none of a run
    "curves": "TSV of voiceprivacy assess --curves, or below curves in a run",
    "scores": "TSV: enrolment trial label score; or Kaldi scores",
    "manifests": "of the trial speech of each set",
    "embeddings": "NPZ: one histogram an utterance",
}
SETTINGS: dict[str, dict[str, Any]] = {  # flag: how argparse takes it
    "anonymisers": {"nargs": "+", "required": True, "help": "in the order of the files"},
    "systems": {"nargs": "+", "required": True, "help": "original and anonymisers, as the files"},
    "sets": {"nargs": "+", "required": True, "help": "the panels; files of all sets of a system"},
    "palette": {"nargs": "*", "default": [], "help": "all anonymisers, for the colours"},
    "order": {"choices": ORDERS, "default": "gender", "help": "of the speakers; default: gender"},
    "title": {"default": "", "help": "title above the picture"},
    "colour": {"type": to_hex, "default": COLOURS[0], "help": "of the bars, such as #0072B2"},
    "corpus": {"required": True, "help": "a corpus of the run"},
    "gender": {"required": True, "help": "speakers of the galleries: f, m or mixed"},
    "extractor": {"required": True, "help": "of the attacker"},
    "backend": {"required": True, "help": "of the attacker"},
    "feature": {"required": True, "choices": HISTOGRAMS, "help": "what bins are"},
    "label": {"nargs": "+", "help": "a name for each score file"},
    "trials": {"help": "key of Kaldi scores, or the trial list of ours"},
    "picture": {"required": True, "choices": PROFILES, "help": "see below"},
}


def plot() -> None:
    """Draw what the words of the command line name."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    planned = commands.add_parser("planned", help="all pictures of a job of a run")
    planned.add_argument("--plan", required=True, help="results/plan.json")
    planned.add_argument("--job", required=True, help="CORPUS/TRIALS/EXTRACTOR/BACKEND, or run")
    for kind in (*KINDS.values(), *ON_REQUEST.values()):
        epilog = OF_SCORES if kind.name == "scores" else None
        _add_flags(commands.add_parser(kind.name, help=kind.title, epilog=epilog), kind)
    arguments = vars(parser.parse_args())

    name = arguments.pop("kind")
    if name == "planned":
        draw_job(**arguments)
    else:
        figures = arguments.pop("figures")
        wanted = drawing.wanted_inches(arguments.pop("columns"), arguments.pop("width"))
        draw = draw_scores if name == "scores" else drawer(name)
        drawing.save_each(draw(**arguments), figures, wanted)


def _add_flags(parser, kind):
    several = kind.per in (LIST, GALLERY, REQUEST)
    if kind.of_systems:
        parser.add_argument("--anonymisers", metavar="NAME", **SETTINGS["anonymisers"])
    for flag in kind.files:
        path = re.sub(r"\{.*\}", "…", kind.files[flag])
        words = f"in a run: results/{path}" if path else FILES[flag]
        file = {"nargs": "+" if several else None, "metavar": "FILE", "help": words}
        parser.add_argument(f"--{flag}", required=True, **file)
    for flag in (*kind.settings, *drawing.WIDTHS):
        parser.add_argument(f"--{flag}", **(SETTINGS | drawing.WIDTHS)[flag])
    words = f"the same picture as {', '.join(PICTURES)}"
    parser.add_argument("--figures", "--plot", nargs="+", required=True, metavar="FILE", help=words)


def draw_scores(
    *, scores: list[str], picture: str, label: list[str] | None, trials: str | None
) -> Figure:
    """One conventional picture of score files, ours or Kaldi's (``trials`` is the key of these)."""
    curves = {}
    for name, path in label_inputs(scores, label).items():
        curves[name] = PROFILES[picture](**read_checked(path, key=trials).classes)
    return systems.conventional_picture(picture, curves)


def draw_job(*, plan: str, job: str) -> None:
    """All pictures of a list and attacker of a run, or of what is not of one."""
    contents, results = read_contents(plan), Path(plan).parent
    jobs = by_job(contents.figures)
    if job not in jobs:
        raise BadInput(f"--job {job}: {plan} has {', '.join(jobs) or 'no figure'}")
    for figure in jobs[job]:
        arguments = dict(figure.arguments)
        if KINDS[figure.kind].of_people and figure.corpus not in contents.named:
            arguments["codes"] = codes_of(figure.corpus, results)
        picture = drawer(figure.kind)(**arguments)
        drawing.save_each(picture, figure.pictures(Layout(results)).values())


if __name__ == "__main__":
    run(plot)
