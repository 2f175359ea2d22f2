"""Utility measures of others, a word error rate for instance: called as a command, checked, and written as a table.

Conventions
-----------
A measure is called as ``<command> --manifest PROTECTED.tsv --original ORIGINAL.tsv --output OUT.tsv``, with absolute
paths also in the manifests, and writes a TSV (utterance metric value): every utterance of the manifest once for each of
its metrics. A value is a finite number, or ``undefined`` (a word error rate of no words).
"""

import math
import re
from pathlib import Path

from voiceprivacy.inout.files import BadInput, scratch_folder
from voiceprivacy.inout.tables import read_manifest, read_rows, write_manifest, write_table
from voiceprivacy.running import programs
from voiceprivacy.vocabulary import UNDEFINED

COLUMNS = ["utterance", "metric", "value"]
METRIC_NAME = re.compile("[a-z][a-z0-9_]*")


def run_measure(command, *, manifest, original, threads, output, runtime=None, sandbox=False):
    """Run somebody's measure and write what it found to ``output``: list of (utterance, metric, value).

    Parameters
    ----------
    command : str
        {scripts}, {resources} and {threads} are filled in; no shell is involved.
    manifest, original : path
        Manifests of the protected speech, every utterance of which must be measured, and of the original.
    threads : int
    output : path
    runtime : float, optional
        Minutes after which the command is ended.
    sandbox : bool
        Run it in a box of voiceprivacy.running.box.

    Raises
    ------
    BadInput : the command cannot be started, fails, writes nothing, or its table is no good (read_measured)
    """
    name = f"command '{command}'"
    protected = read_manifest(manifest)
    with scratch_folder(Path(output).absolute()) as folder:
        manifests, made = (folder / "manifest.tsv", folder / "original.tsv"), folder / "output.tsv"
        for path, utterances in zip(manifests, (protected, read_manifest(original)), strict=True):
            write_manifest(path, utterances)
        contract = dict(
            zip(("--manifest", "--original", "--output"), (*manifests, made), strict=True)
        )
        words = programs.words_of(command, threads=threads)
        words += [str(word) for argument in contract.items() for word in argument]
        programs.run(
            words, name=name, threads=threads, minutes=runtime, writable=folder if sandbox else None
        )
        if not made.exists():
            raise BadInput(f"{name} wrote no --output")
        try:
            measured = read_measured(made, [of.utterance for of in protected])
        except BadInput as error:
            raise BadInput(f"{name}: {str(error).replace(str(made), '--output')}") from None
    write_table(output, COLUMNS, measured)
    return measured


def read_measured(path, utterances):
    """Read a table of measures (TSV: utterance metric value).

    Parameters
    ----------
    path : path
    utterances : list of str

    Returns
    -------
    list of (utterance, metric, value), by metric and in the order of ``utterances``; value a float or "undefined"

    Raises
    ------
    BadInput : an utterance is missing, unknown or occurs twice, a value or the name of a metric is none
    """
    found = {}
    for line, row in read_rows(path, COLUMNS):
        if not METRIC_NAME.fullmatch(row["metric"]):
            raise BadInput(
                f"{path}:{line}: metric '{row['metric']}' is not small letters, digits and _"
            )
        if row["utterance"] in found.setdefault(row["metric"], {}):
            raise BadInput(
                f"{path}:{line}: {row['metric']} of utterance '{row['utterance']}' occurs twice"
            )
        found[row["metric"]][row["utterance"]] = _value(row, path, line)
    if not found:
        raise BadInput(f"{path}: holds no measures")
    for metric, values in sorted(found.items()):
        if missing := [name for name in utterances if name not in values]:
            first = ", ".join(missing[:10])
            raise BadInput(
                f"{path}: {metric} of {len(missing)} of {len(utterances)} utterances is missing: {first}"
            )
        if unknown := sorted(values.keys() - set(utterances)):
            raise BadInput(
                f"{path}: {metric} of '{unknown[0]}', an utterance that is not in the manifest"
            )
    return [
        (name, metric, values[name])
        for metric, values in sorted(found.items())
        for name in utterances
    ]


def _value(row, path, line):
    if row["value"] == UNDEFINED:
        return UNDEFINED
    try:
        value = float(row["value"])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        what = f"{row['metric']} of utterance '{row['utterance']}' is '{row['value']}'"
        raise BadInput(f"{path}:{line}: {what}, neither a finite number nor the word {UNDEFINED}")
    return value
