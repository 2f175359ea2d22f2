"""What others published about the same set and the same system, beside one's own numbers.

Conventions
-----------
* A set is one of the challenges' twelve if its Kaldi directories have their names (libri_test_enrolls and
  libri_test_trials_f), nothing of it is left out or cut, and its trials are as many as published.
* A system is a published one by what it does: McAdams of 2020 with the same alpha, level and draw. Speech that was made
  elsewhere is one if the config says so (``published: B1a``). Names of entries mean nothing.
* Attackers trained on original speech stand beside their like, and those trained on protected speech beside theirs.
  The published attacker is another one all the same: x-vectors and PLDA of Kaldi.
* Scores that somebody else made are not compared: their attacker is not known.

References: workflow/resources/published/README.md.
"""

import argparse
import shlex
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.catalogue import COLUMNS, METRICS
from voiceprivacy.inout.files import RESOURCES
from voiceprivacy.inout.tables import number, read_rows, read_table, write_table
from voiceprivacy.vocabulary import GIVEN, INFINITY, MINUS, ORIGINAL, TRAINED_ON, UNDEFINED

NUMBERS = RESOURCES / "published" / "numbers.tsv"
COUNTS = RESOURCES / "published_counts.tsv"
MCADAMS = "anonymise_mcadams.py"
UNPROTECTED = "unprotected"
ALPHAS = {(0.8,): "B2", (0.7, 0.9): "B2r", (0.5, 0.9): "B2_2022"}
WORDS = {
    "B1": "B1 (2020)",
    "B1a": "B1.a (2022)",
    "B1b": "B1.b (2022)",
    "B2": "B2 (McAdams, alpha 0.8)",
    "B2r": "B2r (McAdams, alpha from U(0.7, 0.9))",
    "B2_2022": "B2 of 2022 (McAdams, alpha from U(0.5, 0.9))",
    UNPROTECTED: "Original speech",
}
# In the order of the page: the columns of the comparison, then the others.
SHOWN = [
    *COLUMNS,
    *(metric for metric in METRICS.values() if not metric.column),
]


class Published(NamedTuple):
    """A published number beside one's own; numbers as text in full precision."""

    set: str
    system: str
    anonymiser: str
    extractor: str
    backend: str
    condition: str
    metric: str
    value: str
    ci_low: str
    ci_high: str
    published: str
    attacker: str
    source: str


class PublishedTable(NamedTuple):
    """One system under one attacker of one's own: columns and rows [(set, condition, [(own, interval, published)])]."""

    system: str
    anonymiser: str
    own_attacker: str
    attacker: str
    sources: list
    columns: list
    rows: list


def published_system(entry):
    """Which published system an anonymiser's entry in the config is; None if it is none or that is not known."""
    if "published" in entry:
        return entry["published"]
    try:
        words = shlex.split(entry.get("command", ""))
    except ValueError:
        return None
    scripts = [at for at, word in enumerate(words) if Path(word).name == MCADAMS]
    if not scripts:
        return None
    given = _mcadams_options([*words[scripts[0] + 1 :], *_flags(entry.get("options") or {})])
    if given is None or (given.variant, given.draw) != ("vpc2020", "ours"):
        return None
    alpha = tuple(dict.fromkeys(given.alpha))
    return ALPHAS.get(alpha) if len(alpha) == 1 or given.level == "speaker" else None


def published_sets(corpus):
    """Which published sets the trial lists of a corpus (its entry in the config) have the names of: {list: set}."""
    kaldi, given = corpus.get("kaldi"), corpus.get("protocol", {}).get("given", {})
    if (
        not isinstance(kaldi, dict)
        or "enrolment" not in kaldi
        or corpus.keys() & {"limit", "segments"}
    ):
        return {}
    prefix = Path(kaldi["enrolment"]).name.removesuffix("_enrolls")
    names = {
        trials: Path(folder).name for trials, folder in given.items() if isinstance(folder, str)
    }
    known = {row["set"] for row in read_table(NUMBERS, _columns())}
    return {
        trials: name
        for trials, name in names.items()
        if name in known and name.startswith(f"{prefix}_trials_")
    }


def beside(metrics, config):
    """Published numbers of the same sets and systems beside those of a run.

    Parameters
    ----------
    metrics : list of Number
    config : dict, completed

    Returns
    -------
    list of Published
    """
    published = {}
    for line, row in read_rows(NUMBERS, _columns()):
        number(row["value"], NUMBERS, line)
        place = tuple(row[name] for name in ("set", "system", "condition", "metric", "attacker"))
        published.setdefault(place, []).append((row["value"], row["source"]))
    sets, systems = _sets(metrics, config), _systems(config)
    found = []
    for of in metrics:
        name, system = sets.get((of.corpus, of.trials)), systems.get(of.anonymiser)
        place = (name, system, of.condition, of.metric, _attacker(of))
        if of.backend != GIVEN and not (system == UNPROTECTED and place[-1] == "protected"):
            own = (name, system, of.anonymiser, of.extractor, of.backend, of.condition, of.metric)
            limits = (of.value, of.ci_low, of.ci_high)
            found += [
                Published(*own, *limits, value, place[-1], source)
                for value, source in published.get(place, [])
            ]
    return sorted(found)


def write_published(path, found):
    """Write a list of Published."""
    write_table(path, Published._fields, found)


def read_published(path):
    """Read what write_published wrote: list of Published."""
    return [Published(**row) for row in read_table(path, list(Published._fields))]


def tables_of(found):
    """Arrange a list of Published as the page shows it: list of PublishedTable."""
    groups = {}
    for of in found:
        groups.setdefault(
            (of.system, of.anonymiser, f"{of.extractor} + {of.backend}", of.attacker), []
        ).append(of)
    return [_table(key, of) for key, of in groups.items()]


def _table(key, of_group):
    system, anonymiser, own, attacker = key
    names = {of.metric for of in of_group}
    metrics = [metric for metric in SHOWN if metric.name in names]
    cells = {}
    for of in of_group:
        cells.setdefault((of.set, of.condition), {}).setdefault(of.metric, []).append(of)
    rows = [
        (name, condition, [_cell(of.get(metric.name, [])) for metric in metrics])
        for (name, condition), of in cells.items()
    ]
    sources = sorted({of.source for of in of_group})
    return PublishedTable(
        WORDS[system],
        anonymiser,
        own,
        attacker,
        sources,
        [_heading(metric) for metric in metrics],
        rows,
    )


def _heading(metric):
    return f"{metric.title}, {metric.unit}" if metric.unit else metric.title


def _cell(of_metric):
    """(own number, its interval, published numbers) as text; None where nothing is published."""
    if not of_metric:
        return None
    digits, of = METRICS[of_metric[0].metric].digits, of_metric[0]
    limits = (of.ci_low, of.ci_high)
    interval = (
        ""
        if {"-", UNDEFINED} & {*limits}
        else f"[{', '.join(_text(limit, digits) for limit in limits)}]"
    )
    return (
        _text(of.value, digits),
        interval,
        ", ".join(dict.fromkeys(_text(of.published, digits) for of in of_metric)),
    )


def _text(value, digits):
    try:
        return f"{float(value):.{digits}f}".replace("-", MINUS).replace("inf", INFINITY)
    except ValueError:
        return value


def _columns():
    return ["set", "system", "condition", "metric", "value", "attacker", "source"]


def _attacker(metric):
    """What an attacker was trained on: his name says so."""
    return (
        "protected"
        if any(TRAINED_ON in name for name in (metric.extractor, metric.backend))
        else "original"
    )


def _systems(config):
    named = {name: published_system(entry) for name, entry in config.get("anonymisers", {}).items()}
    return {ORIGINAL: UNPROTECTED} | {name: system for name, system in named.items() if system}


def _sets(metrics, config):
    """{(corpus, list): set} of the sets whose trials are as many as published."""
    counts = {
        (of.corpus, of.trials, of.metric): float(of.value)
        for of in metrics
        if of.metric in ("n_target", "n_nontarget")
    }
    known = {
        (row["set"], row["what"]): float(row["count"])
        for row in read_table(COUNTS, ["set", "what", "count"])
    }
    found = {}
    for corpus, entry in config.get("corpora", {}).items():
        for trials, name in published_sets(entry).items():
            expected = {
                what: known.get((name, f"{what[2:]}_trials"))
                for what in ("n_target", "n_nontarget")
            }
            if all(
                count is None or counts.get((corpus, trials, what)) == count
                for what, count in expected.items()
            ):
                found[corpus, trials] = name
    return found


def _flags(options):
    """Options of an entry as the words that a command gets."""
    words = []
    for name, value in options.items():
        words += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
    return words


def _mcadams_options(words):
    """The options of anonymise_mcadams (None if they are no such options): alpha level variant draw."""
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False, allow_abbrev=False)
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.8])
    parser.add_argument("--level", default="speaker")
    parser.add_argument("--variant", default="vpc2020")
    parser.add_argument("--draw", default="ours")
    try:
        return parser.parse_known_args(words)[0]
    except (argparse.ArgumentError, SystemExit):
        return None
