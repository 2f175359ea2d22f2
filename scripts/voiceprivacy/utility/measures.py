"""Measures of utility: functions that are shipped, and commands of others, which are checked.

Conventions
-----------
* A shipped one is a module of kinds, with the name of its kind. ``measure(original, protected,
  **options)`` gets lists of the same utterances in the same order. It yields every protected
  utterance once for each of its metrics. WHY_UNDEFINED, where there is one, says in the log why
  values are undefined. ``check(names, **options)``, where there is one, raises BadInput if tables
  that it reads are wrong, or lack one of the utterances. Its row KIND is what other rooms know of
  it (voiceprivacy.kinds).
* A command is called as ``<command> --manifest PROTECTED.tsv --original ORIGINAL.tsv --output
  OUT.tsv``, with absolute paths also in the manifests. It writes a TSV (utterance metric value),
  with every utterance of the manifest once for each of its metrics.
* A value is a finite number, or ``undefined`` (a word error rate of no words).
"""

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypedDict

from voiceprivacy import seeds
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import FilePath, naming
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.placeholders import expand, ours
from voiceprivacy.inout.tables import number_in, read_rows
from voiceprivacy.inout.writing import remove_leftovers, scratch_folder
from voiceprivacy.kinds import MEASURES, module_of
from voiceprivacy.running import programs
from voiceprivacy.running.command import say
from voiceprivacy.utility.rows import COLUMNS, Measured
from voiceprivacy.vocabulary import UNDEFINED

METRIC_NAME = re.compile("[a-z][a-z0-9_]*")
MOST_NAMED = 10  # utterances that an error names
NO_LIMITS: Mapping[str, Any] = MappingProxyType({})


class Asked(TypedDict, total=False):
    """A measure that a job is asked for: a command, or a type with its options, and limits.

    ``undefined`` are metrics that say nothing of this speech.
    """

    command: str
    type: str
    options: dict[str, Any]
    undefined: list[str]
    seed: int
    utterances: int
    sample: int
    minutes: float


def drawn(
    utterances: Sequence[Utterance], limits: Mapping[str, Any] = NO_LIMITS, *, seed: int = 0
) -> list[Utterance]:
    """Draw the utterances that are measured, in their order; all where there are no limits.

    They depend on the seed, on names and on how long the original lasts, so they are the same of
    all anonymisers. Fewer are among more.

    Parameters
    ----------
    utterances : of the original
    limits : {limit: number}: ``utterances`` of each speaker, ``sample`` utterances of each sex, and
        ``minutes`` all together, but for the first; each speaker once before any speaker twice
    """
    order: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for line in utterances:
        rank = seeds.derive(seed, "measured", line.utterance)
        order.setdefault((line.gender, line.speaker), []).append((rank, line.utterance))
    of_sex: dict[str, list[tuple[int, int, str]]] = {}
    for (gender, speaker), names in order.items():
        rank = seeds.derive(seed, "measured speaker", speaker)
        for turn, (_, name) in enumerate(sorted(names)[: limits.get("utterances")]):
            of_sex.setdefault(gender, []).append((turn, rank, name))
    of_sexes = [sorted(turns)[: limits.get("sample")] for turns in of_sex.values()]
    chosen = [name for *_, name in sorted(chain.from_iterable(of_sexes))]
    if "minutes" in limits:
        lasting_s = {line.utterance: line.duration_s for line in utterances}
        ends_s = list(accumulate(lasting_s[name] for name in chosen))
        chosen = chosen[: max(1, bisect_right(ends_s, 60 * limits["minutes"]))]
    kept = set(chosen)
    return [line for line in utterances if line.utterance in kept]


def call_measure(
    kind: str,
    original: Sequence[Utterance],
    protected: Sequence[Utterance],
    options: Mapping[str, Any],
    *,
    undefined: Collection[str] = (),
) -> list[Measured]:
    """Measure speech by a kind of measure that is shipped; say in the log what is undefined.

    Options may have {scripts}, {resources} and variables, ${NAME}. Metrics that are named as
    ``undefined`` are so of all speech.

    Returns
    -------
    list of Measured : by metric, and in the order of ``protected``
    """
    module = module_of(kind, MEASURES)
    filled = {key: ours(value) for key, value in expand(dict(options)).items()}
    values_of: dict[str, list[Measured]] = defaultdict(list)
    with naming(kind):
        for line in module.measure(original, protected, **filled):
            says_nothing = line.value == UNDEFINED or line.metric in undefined
            value = UNDEFINED if says_nothing else float(line.value)
            values_of[line.metric].append(line._replace(value=value))
    for metric, lines in values_of.items():
        if metric in undefined:
            say(f"{metric} is undefined: the lengths of this speech are free")
        elif without := [line.utterance for line in lines if line.value == UNDEFINED]:
            several = f"{counted(len(without), 'utterance')}, such as '{without[0]}'"
            say(f"{metric} is undefined of {several}: {module.WHY_UNDEFINED}")
    return list(chain.from_iterable(values_of[metric] for metric in sorted(values_of)))


def run_measure(
    command: str,
    original: Sequence[Utterance],
    protected: Sequence[Utterance],
    *,
    threads: int,
    output: FilePath,
    runtime: float | None = None,
    sandbox: dict[str, Any] | None = None,
) -> list[Measured]:
    """Run somebody's measure, and check what it wrote.

    Parameters
    ----------
    command, threads, sandbox : as of ``voiceprivacy.running.programs.call``
    original, protected : lists of Utterance
        All protected ones must be measured.
    output : path
        What is made of it: the command works in a folder beside it.
    runtime : float, optional
        Minutes after which the command is ended.

    Raises
    ------
    BadInput : the command cannot be started, fails, writes nothing, or its table is no good
    """
    remove_leftovers(output)
    with scratch_folder(Path(output).absolute()) as folder:
        written, speech = folder / "output.tsv", {"manifest": protected, "original": original}
        programs.call(command, speech, written, threads=threads, minutes=runtime, sandbox=sandbox)
        names = [utterance.utterance for utterance in protected]
        try:
            return read_measured(written, names)
        except BadInput as error:  # a person knows the file as --output of the command
            reason = str(error).replace(str(written), "--output")
            raise BadInput(f"command '{command}': {reason}") from None


def read_measured(path: FilePath, utterances: Sequence[str]) -> list[Measured]:
    """Read a table of measures (TSV: utterance metric value).

    Returns
    -------
    list of Measured : by metric, and in the order of ``utterances``

    Raises
    ------
    BadInput : an utterance is missing, unknown or occurs twice, a value or the name of a metric is
        none
    """
    values_of: dict[str, dict[str, float | str]] = {}
    for line, row in read_rows(path, COLUMNS):
        metric, utterance = row["metric"], row["utterance"]
        if not METRIC_NAME.fullmatch(metric):
            raise BadInput(f"{path}:{line}: metric '{metric}' is not small letters, digits and _")
        values = values_of.setdefault(metric, {})
        if utterance in values:
            raise BadInput(f"{path}:{line}: {metric} of utterance '{utterance}' occurs twice")
        value = number_in(row["value"])
        is_number = math.isfinite(value)
        if not is_number and row["value"] != UNDEFINED:
            wrong = f"'{row['value']}', neither a finite number nor the word {UNDEFINED}"
            raise BadInput(f"{path}:{line}: {metric} of utterance '{utterance}' is {wrong}")
        values[utterance] = value if is_number else UNDEFINED
    if not values_of:
        raise BadInput(f"{path}: holds no measures")
    measured: list[Measured] = []
    for metric, values in sorted(values_of.items()):  # whatever order the command wrote
        if missing := [name for name in utterances if name not in values]:
            share = f"{len(missing)} of {len(utterances)} utterances is missing"
            raise BadInput(f"{path}: {metric} of {share}: {', '.join(missing[:MOST_NAMED])}")
        if unknown := sorted(values.keys() - set(utterances)):
            other = f"'{unknown[0]}', an utterance that is not in the manifest"
            raise BadInput(f"{path}: {metric} of {other}")
        measured += [Measured(name, metric, values[name]) for name in utterances]
    return measured
