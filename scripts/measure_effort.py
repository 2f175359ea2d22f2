"""What each attack on a list found, and what it took: processor time, training, enrolment."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from voiceprivacy.inout.files import naming
from voiceprivacy.inout.tables import (
    mean_seconds,
    read_enrolments,
    read_manifest,
    read_table,
    write_table,
)
from voiceprivacy.plan.effort import FOLDER, Effort, efforts
from voiceprivacy.plan.plan import Plan
from voiceprivacy.provenance.record import COLUMNS, measured
from voiceprivacy.report.effort import Finding, findings_of
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.command import add_json, run, say
from voiceprivacy.vocabulary import EffortPoint, TrialList


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--config", required=True, help="the completed config as JSON")
    parser.add_argument("--corpus", required=True, help="of the list")
    parser.add_argument("--trials", required=True, help="the list")
    parser.add_argument("--metrics", required=True, help="metrics.tsv of the run")
    parser.add_argument("--enrolments", required=True, help="TSV of the list: enrolment utterance")
    parser.add_argument("--manifest", required=True, help="TSV of the enrolment part, original")
    parser.add_argument("--efforts", required=True, help="TSV to write, a line for each attack")
    arguments = parser.parse_args()

    trial_list = TrialList(arguments.corpus, arguments.trials)
    evidence = findings_of(read_metrics(arguments.metrics), trial_list)
    enrolled_s = enrolment_s(arguments.enrolments, arguments.manifest)
    points = []
    for effort in efforts(Plan(arguments.config), trial_list):
        attacker = (effort.attack.extractor, effort.attack.backend)
        finding = evidence.get((effort.anonymiser, *attacker, effort.condition))
        if finding:
            points.append(point(effort, finding, enrolled_s))
    write_table(arguments.efforts, EffortPoint._fields, points)
    say(f"{len(points)} attacks on {arguments.corpus} {arguments.trials}")


def point(effort: Effort, finding: Finding, enrolled_s: float) -> EffortPoint:
    """What an attack found, beside what it took."""
    return EffortPoint(
        effort.anonymiser,
        effort.condition,
        effort.attack.extractor,
        effort.attack.backend,
        *finding,
        cpu_s(effort.benchmarks),
        training_h(effort.training),
        enrolled_s if effort.enrols else 0.0,
    )


def cpu_s(patterns: Iterable[str]) -> float:
    """Processor time of all jobs whose benchmarks are there, in seconds."""
    total = 0.0
    for pattern in patterns:
        for path in sorted(Path(FOLDER).glob(pattern)):
            rows = read_table(path, COLUMNS, checked=False)  # Snakemake's own
            total += sum(measured(row["cpu_time"]) for row in rows)
    return round(total, 1)


def training_h(manifests: Iterable[str]) -> float:
    """Hours of speech that is learnt from."""
    seconds = 0.0
    for path in manifests:
        seconds += sum(utterance.duration_s for utterance in read_manifest(path))
    return round(seconds / 3600, 4)


def enrolment_s(enrolments: str, manifest: str) -> float:
    """Mean seconds of speech behind an enrolment."""
    enrolled, utterances = read_enrolments(enrolments), read_manifest(manifest)
    with naming(manifest):
        return round(mean_seconds(enrolled.values(), utterances), 1)


if __name__ == "__main__":
    run(main)
