"""Numbers that others published, shown beside those of a run (``expected`` judges them).

Conventions
-----------
* Published numbers are shown beside one's own where set and system are the same.
* A set is one of the challenges' if its Kaldi directories have their names (libri_test_enrolls and
  libri_test_trials_f), nothing of it is left out or cut, and its trials are as many as published.
  A list of its own file is none of them, nor is one with trials that are drawn here.
* Of 2026, rates are shown with a run by the plan that they were published under (``plan`` of the
  config, june or september), and beside no other. How many trials the mixed lists of September have
  is not known here; a list of as many as June's is none of them.
* A system is a published one by what it does: McAdams of 2020 with the same alpha, level and draw,
  or of 2024 with the same alpha for every utterance.
  Speech that was made elsewhere is one if the config says so (``published: B1a``). Names of entries
  mean nothing.
* Attackers trained on original speech stand beside their like, and those trained on protected
  speech beside theirs. The published attacker is another one all the same: x-vectors and PLDA of
  Kaldi in 2020 and 2022, ECAPA-TDNN in 2024, ecapa_ssl in 2026.
* Equal error rates of 2020 and 2022 are Kaldi's, those of 2024 and 2026 SpeechBrain's: each stands
  beside one's own of the same definition.
* Scores that somebody else made are not compared: their attacker is not known.
* Word errors and recalls of emotions stand beside published ones of the same definition (vpc2024 or
  vpc2026), of whole sets. Nothing was published that closed-text WER could stand beside.
* A row of these has the measure's name as its extractor, and the definition as its attacker.

References: workflow/resources/published/README.md.
"""

import argparse
import math
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from voiceprivacy import corpus_kinds, kinds
from voiceprivacy.catalogue import COLUMNS, METRICS
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import number_in, read_table
from voiceprivacy.inout.typed_tables import Numeral, typed_rows, write_typed
from voiceprivacy.report.figures import by_release
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.releases import one_release
from voiceprivacy.report.uncertainty import Shown, interval_text, shown_number
from voiceprivacy.vocabulary import (
    ABSENT,
    CHOSEN_BY,
    GIVEN,
    MCADAMS,
    ORIGINAL,
    PLANS_OF_2026,
    RESOURCES,
    TRAINED_ON,
    TrialList,
    attacker_name,
    name_parts,
)

NUMBERS = RESOURCES / "published" / "numbers.tsv"
NUMBERS_COLUMNS = ["set", "system", "condition", "metric", "value", "attacker", "source"]
UTILITY = RESOURCES / "published" / "utility.tsv"
UTILITY_COLUMNS = ["data", "system", "metric", "definition", "value", "source"]
COUNTS = RESOURCES / "published_counts.tsv"
COUNTED = {"n_target": "target_trials", "n_nontarget": "nontarget_trials"}
COMMAND = "anonymise_mcadams.py"
UNPROTECTED = "unprotected"
ALPHAS = {(0.8,): "B2", (0.7, 0.9): "B2r", (0.5, 0.9): "B2_2022"}
ALPHAS_OF_2024 = {(0.5, 0.9): "B2_2024"}  # for every utterance, in the variant of that year
SYSTEMS = {
    "B1": "B1 (2020)",
    "B1a": "B1.a (2022)",
    "B1b": "B1.b (2022)",
    "B2": "B2 (McAdams)",
    "B2r": "B2r (McAdams)",
    "B2_2022": "B2 of 2022 (McAdams)",
    "B1b_2024": "B1.b of 2024 (a pseudo-speaker for every utterance)",
    "B2_2024": "B2 of 2024 and 2026 (McAdams, drawn for every utterance)",
    "B3": "B3 (2024, 2026)",
    "B4": "B4 (2024, 2026)",
    "B5": "B5 (2024, 2026)",
    "B6": "B6 (2024)",
    "BM1": "BM1 (2026, track 2)",
    "BM2": "BM2 (2026, track 2)",
    "BM3": "BM3 (2026, track 2)",
    UNPROTECTED: "Original speech",
}
# Lists of September have names of their own in the tables; directories of both are called alike.
MIXED, JUNE, SEPTEMBER = "_trials_mixed", "june", "september"
HEARD_BY = {
    ("wer_percent", "vpc2024"): "speechbrain/asr-wav2vec2-librispeech",
    ("wer_percent", "vpc2026"): "openai/whisper-large-v3",
    ("uar_percent", "vpc2024"): "five wav2vec 2.0 classifiers of SpeechBrain's",
    ("uar_percent", "vpc2026"): "emotion2vec/emotion2vec_plus_large",
}
# In the order of the page: the columns of the comparison, then the others.
SHOWN = [*COLUMNS, *(metric for metric in METRICS.values() if not metric.column)]


class Published(NamedTuple):
    """A published number beside one's own; numbers as text in full precision.

    ``set`` names the corpus, too, where several of a run are of it, and the list where several of a
    corpus are. ``value`` is that by definition, which alone can be compared; ``unbiased`` is it
    without its bias.
    """

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
    unbiased: Numeral = ABSENT


class PublishedCell(NamedTuple):
    """A number of one's own, its interval, and the published numbers, as text.

    ``by_definition`` is one's own number where ``own`` is another one, within the interval.
    """

    own: str
    interval: str
    by_definition: str
    published: str


class PublishedTable(NamedTuple):
    """One system under one attacker of one's own.

    ``rows`` are [(set, condition, cells)]; None stands where nothing is published. ``note`` says
    how the published numbers came about.
    """

    system: str
    anonymiser: str
    own_attacker: str
    attacker: str
    note: str
    sources: list[str]
    columns: list[str]
    rows: list[tuple[str, str, list[PublishedCell | None]]]


def published_system(anonymiser: Mapping[str, Any]) -> str | None:
    """Which published system an anonymiser is; None if it is none or that is not known.

    Parameters
    ----------
    anonymiser : its entry in the config
    """
    if "published" in anonymiser:
        return anonymiser["published"]
    if anonymiser.get("function") == MCADAMS:
        arguments = []
    else:
        try:
            words = shlex.split(anonymiser.get("command", ""))
        except ValueError:
            return None
        # ``python SCRIPT OPTIONS`` in any spelling: what stands before it does not matter.
        scripts = [index for index, word in enumerate(words) if Path(word).name == COMMAND]
        if not scripts:
            return None
        arguments = words[scripts[0] + 1 :]
    options = _mcadams_options(arguments + _flags(anonymiser.get("options") or {}))
    if options is None:
        return None
    alpha = tuple(dict.fromkeys(options.alpha))
    if options.variant == "vpc2024" and options.level == "utterance":
        return ALPHAS_OF_2024.get(alpha)  # whichever way the coefficients are drawn
    if (options.variant, options.draw) != ("vpc2020", "ours"):
        return None
    # A constant alpha is the same for a speaker, an utterance and a corpus.
    return ALPHAS.get(alpha) if len(alpha) == 1 or options.level == "speaker" else None


def published_sets(corpus: Mapping[str, Any]) -> dict[str, str]:
    """Which published sets the trial lists of a corpus have the names of: {list: set}.

    Parameters
    ----------
    corpus : its entry in the config
    """
    given = corpus.get("protocol", {}).get("given", {})
    enrolled, tried = (corpus_kinds.data_sets(corpus, part) for part in ("enrolment", "trial"))
    if enrolled == tried or _is_cut(corpus):
        return {}
    prefix = enrolled[0].removesuffix("_enrolls")
    known = {row["set"] for row in read_table(NUMBERS, NUMBERS_COLUMNS)}
    sets = {}
    for trials, one in given.items():
        name = Path(corpus_kinds.whole_directory(one) or "").name
        if name in known and name.startswith(f"{prefix}_trials_"):
            sets[trials] = name
    return sets


class PublishedBy(TypedDict):
    """The sections of a config that say what published numbers are of."""

    corpora: dict[str, Any]
    anonymisers: dict[str, Any]
    backends: dict[str, Any]
    utility: dict[str, Any] | None


def beside(numbers: Sequence[Number], config: Mapping[str, Any]) -> list[Published]:
    """Published numbers of the same sets and systems beside those of a run.

    Parameters
    ----------
    config : completed
    """
    published = _read_published(config.get("plan"))
    sets, systems = _sets(numbers, config), _systems(config)
    corpora = config.get("corpora", {}).items()
    data = {TrialList(name, ABSENT): _data_of(name, corpus, sets) for name, corpus in corpora}
    labels = _labels(sets) | _labels(data)
    measures = {
        f"{name}_percent": (name, options)
        for name, options in (config.get("utility") or {}).items()
        if options and _is_as_published(options)
    }
    backends = config.get("backends", {}).items()
    of_several = [  # that learnt from several systems, or elsewhere, as no published attacker did
        name
        for name, one in backends
        if "model" in one or isinstance(one.get("train", {}).get("speech"), list)
    ]
    rows = []
    for line in numbers:
        system, own = systems.get(line.anonymiser, ""), line
        listed = TrialList(line.corpus, line.trials)
        if line.trials == ABSENT and line.metric in measures:
            name, options = measures[line.metric]
            own = line._replace(
                extractor=name, metric=kinds.measure_kinds()[options["type"]].published
            )
            subject, attacker = data.get(listed, ""), options["definition"]
        else:
            subject, attacker = sets.get(listed, ""), _trained_on(line)
            # Unprotected speech was published under attackers trained on original speech only.
            is_of_neither = line.backend == GIVEN or name_parts(line.backend)[0] in of_several
            if is_of_neither or (system == UNPROTECTED and attacker == "protected"):
                continue
        bias_free = ABSENT if line.unbiased is None else str(line.unbiased)
        # Several papers can have published the same number: a line for each.
        for value, source in published.get(
            (subject, system, own.condition, own.metric, attacker), []
        ):
            row = (labels[listed], system, *own[2:10], value, attacker, source, bias_free)
            rows.append(Published(*row))
    return sorted(rows)


def _labels(names: Mapping[TrialList, str]) -> dict[TrialList, str]:
    """What lists are called: their published names, and what tells those of one name apart."""
    n_lists = Counter(names.values())
    n_lists_of_corpus = Counter((one.corpus, name) for one, name in names.items())
    labels = {}
    for one, name in names.items():
        where = one.corpus
        if n_lists_of_corpus[one.corpus, name] > 1:
            where += f", {one.trials}"
        labels[one] = f"{name} ({where})" if n_lists[name] > 1 else name
    return labels


def published_data(corpus: Mapping[str, Any]) -> str | None:
    """Which published data all trials of a corpus are by their names; None if none or cut.

    Parameters
    ----------
    corpus : its entry in the config
    """
    enrolled, tried = (corpus_kinds.data_sets(corpus, part) for part in ("enrolment", "trial"))
    lists = corpus.get("protocol", {}).get("given", {}).values()
    has_own_list = any("list" in one or "cross_gender" in one for one in lists)
    if not tried or has_own_list or _is_cut(corpus):
        return None
    if enrolled != tried:
        prefix = enrolled[0].removesuffix("_enrolls")
        whole = [[f"{prefix}_trials_f", f"{prefix}_trials_m"], [f"{prefix}_trials_mixed"]]
        return prefix if sorted(tried) in whole else None
    return tried[0].lower().replace("emodata_track2", "emodata")


def _is_cut(corpus):
    """Whether a corpus may have fewer or other utterances than its directories."""
    is_part = corpus.keys() & {"limit", "segments", "exclude", "left_out"}
    return bool(is_part) or corpus.get("on_bad_audio") == "exclude"


def _is_as_published(measure):
    """Whether a measure counts as the challenges did: every utterance, and excited is happy."""
    kind = kinds.measure_kinds().get(measure.get("type", ""))
    is_whole = kind and kind.published and not measure.keys() & set(CHOSEN_BY)
    return is_whole and measure.get("excited", "happy") == "happy"


def _data_of(name, corpus, sets):
    """The published data that a corpus is, "" if none; lists of known sizes have as many trials."""
    known = published_sets(corpus)
    has_all = all(TrialList(name, trials) in sets for trials in known)
    return (published_data(corpus) if has_all else None) or ""


def write_published(path: FilePath, rows: Iterable[Published]) -> None:
    """Write what ``beside`` found."""
    write_typed(path, Published, rows)


def read_published(path: FilePath) -> list[Published]:
    """Read what write_published wrote in the same run."""
    return [row for _, row in typed_rows(Published, path)]


def tables_of(rows: Iterable[Published]) -> list[PublishedTable]:
    """Arrange published numbers as the page shows them."""
    groups = by_release(list(rows), "system", "extractor", "backend", "attacker")
    return [_table(group) for group in groups.values()]


def _table(group: Sequence[Published]) -> PublishedTable:
    """The table of one system under one attacker."""
    first = group[0]
    names = {row.metric for row in group}
    metrics = [metric for metric in SHOWN if metric.name in names]
    rows = []
    for name, condition in dict.fromkeys((row.set, row.condition) for row in group):
        of_set = [row for row in group if (row.set, row.condition) == (name, condition)]
        cells = []
        for metric in metrics:
            cells.append(_cell(metric, [row for row in of_set if row.metric == metric.name]))
        rows.append((name, condition, cells))
    of_utility = first.backend == ABSENT
    own = first.extractor if of_utility else attacker_name(first.extractor, first.backend)
    return PublishedTable(
        system=SYSTEMS[first.system],
        anonymiser=min((row.anonymiser for row in group), key=len),  # not one of its further draws
        own_attacker=own,
        attacker=first.attacker,
        note=_note(group),
        sources=sorted({row.source for row in group}),
        columns=[_heading(metric) for metric in metrics],
        rows=rows,
    )


def _note(group: Sequence[Published]) -> str:
    row = group[0]
    if row.backend == ABSENT:
        heard_by = HEARD_BY.get((row.metric, row.attacker), "another network")
        return f"Published by the same definition ({row.attacker}), heard by {heard_by}"
    speech = "original speech" if row.attacker == "original" else "speech that the system protected"
    plan = _plan_of(row.source)
    return f"Published attacker trained on {speech}{f', by {PLANS_OF_2026[plan]}' if plan else ''}"


def _heading(metric: Metric) -> str:
    return f"{metric.title}, {metric.unit}" if metric.unit else metric.title


def _cell(metric: Metric, rows: Sequence[Published]) -> PublishedCell | None:
    if not rows:
        return None
    # The same number of a draw can have been published in several papers.
    draws = {row.anonymiser: _own_number(row) for row in rows}
    number = one_release(list(draws.values()), metric.name)
    # Equal after rounding is shown once.
    published = dict.fromkeys(_text(row.published, metric) for row in rows)
    return PublishedCell(
        own=metric.text(number.value),
        interval=interval_text(metric, number.limits),
        by_definition=number.definition_text(metric.text),
        published=", ".join(published),
    )


def _own_number(row: Published) -> Shown:
    line = Number(row.set, ABSENT, *row[2:10])
    bias_free = None if row.unbiased == ABSENT else float(row.unbiased)
    return shown_number(line._replace(unbiased=bias_free))


def _text(value: str, metric: Metric) -> str:
    number = number_in(value)
    return value if math.isnan(number) else metric.text(number)


def _read_published(plan: str | None) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """What was published, rates of 2026 by a plan: {(set, system, condition, metric, attacker):
    [(value, source)]}.

    A run by no plan has no rates of 2026. Numbers of utility are measured alike by both plans, so
    it has those of both.
    """
    published: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for path, columns, key_columns in (
        (NUMBERS, NUMBERS_COLUMNS, ("set", "system", "condition", "metric", "attacker")),
        (UTILITY, UTILITY_COLUMNS, ("data", "system", "condition", "metric", "definition")),
    ):
        for row in read_table(path, columns):
            by = _plan_of(row["source"])
            if by not in (None, plan) and (plan or path == NUMBERS):
                continue
            # A number of utility has no condition.
            key = tuple(row.get(column, ABSENT) for column in key_columns)
            subject = key[0].removesuffix(f"_{SEPTEMBER}")
            published.setdefault((subject, *key[1:]), []).append((row["value"], row["source"]))
    return published


def _plan_of(source: str) -> str | None:
    """The plan of 2026 by which a result file was made; None for another year."""
    if "VPC2026" not in source:
        return None
    return SEPTEMBER if "September" in source else JUNE


def _trained_on(line: Number) -> str:
    """What an attacker was trained on: his name says so."""
    informed = TRAINED_ON in line.extractor or TRAINED_ON in line.backend
    return "protected" if informed else "original"


def _systems(config: Mapping[str, Any]) -> dict[str, str]:
    """The published system that each anonymiser of a run is, of those that are one."""
    systems = {ORIGINAL: UNPROTECTED}
    for name, anonymiser in config.get("anonymisers", {}).items():
        system = published_system(anonymiser)
        if system:
            systems[name] = system
    return systems


def _sets(numbers: Iterable[Number], config: Mapping[str, Any]) -> dict[TrialList, str]:
    """The published set that each trial list of a run is, of those with as many trials."""
    sizes = {
        (line.corpus, line.trials, COUNTED[line.metric]): float(line.value)
        for line in numbers
        if line.metric in COUNTED
    }
    counts = read_table(COUNTS, ["set", "what", "count"])
    sets = {}
    for corpus, settings in config.get("corpora", {}).items():
        for trials, name in published_sets(settings).items():
            is_mixed = name.endswith(MIXED)
            of_set = f"{name}_{JUNE}" if is_mixed else name
            known = {row["what"]: float(row["count"]) for row in counts if row["set"] == of_set}
            own = {kind: sizes.get((corpus, trials, kind)) for kind in COUNTED.values()}
            counted = [kind for kind in known.keys() & own.keys() if not is_mixed or own[kind]]
            differs = any(own[kind] != known[kind] for kind in counted)
            is_of_september = is_mixed and config.get("plan") == SEPTEMBER
            # A list of September is not counted here, but it is none of June's.
            if (differs or not counted) if is_of_september else not differs:
                sets[TrialList(corpus, trials)] = name
    return sets


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Options of an entry as the words that a command gets."""
    words = []
    for name, value in options.items():
        words += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
    return words


def _mcadams_options(words: Sequence[str]) -> argparse.Namespace | None:
    """Options of anonymise_mcadams: alpha, level, variant, draw; None if they are no such."""
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False)
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.8])
    parser.add_argument("--level", default="speaker")
    parser.add_argument("--variant", default="vpc2020")
    parser.add_argument("--draw", default="ours")
    try:
        return parser.parse_known_args(words)[0]
    except (argparse.ArgumentError, SystemExit):
        return None
