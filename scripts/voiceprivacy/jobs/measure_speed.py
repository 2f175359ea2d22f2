"""The job measure_speed."""

from pathlib import Path

from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.tables import read_table
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.layout import Layout
from voiceprivacy.plan.rows import Protecting
from voiceprivacy.provenance.benchmarks import COLUMNS, processor_s
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.utility.rows import Speed
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, UNDEFINED

STREAMING = {True: "yes", False: "no", None: ABSENT}


def measure_speed(
    *,
    anonymisers: list[Protecting],
    results: Path,
    speeds: str,
) -> None:
    """How long each anonymiser takes for a second of speech, by what a run measured of its jobs.

    Seconds are those of the processor, or those that pass where an anonymiser takes a GPU. Starting
    a job and checking what it made are among them.

    Parameters
    ----------
    anonymisers : JSON: fields of each (Protecting)
    results : folder of the run
    speeds : TSV to write, a line for each anonymiser
    """
    lasts: dict[str, float] = {}  # the trials of each corpus
    lines = []
    for one in anonymisers:
        if one.corpus not in lasts:
            manifest = Layout(results).speech(one.corpus, "trial", ORIGINAL)
            lasts[one.corpus] = sum(line.duration_s for line in read_manifest(manifest))
        lines.append(speed(one, lasts[one.corpus], results))
        say(f"{one.corpus} {one.anonymiser}: {lines[-1].real_time_factor}")
    write_typed(speeds, Speed, lines)


def speed(one: Protecting, speech_s: float, results: Path) -> Speed:
    """Seconds of all draws that were measured whole, and the trials as often as they were drawn."""
    seconds, n_draws = 0.0, 0
    for benchmarks in one.benchmarks:
        paths = [results / "benchmarks" / benchmark for benchmark in benchmarks]
        if all(path.exists() for path in paths):
            seconds += sum(job_s(path, one.device) for path in paths)
            n_draws += 1
    latency = latency_ms(one, results / "audio")
    known = seconds > 0 and speech_s > 0  # too short a job has no processor time
    return Speed(
        one.corpus,
        one.anonymiser,
        one.device,
        round(seconds, 2),
        round(n_draws * speech_s, 2),
        round(seconds / (n_draws * speech_s), 6) if known else UNDEFINED,
        STREAMING[one.streaming if latency == ABSENT else one.streaming is not False],
        latency,
    )


def latency_ms(one: Protecting, audio: Path) -> float | str:
    """The longest latency of all its draws and shards; ABSENT where no chunks were tried."""
    latencies: list[float] = []
    for pattern in one.latencies:
        latencies += [read_json(path)["latency_ms"] for path in audio.glob(pattern)]
    return max(latencies, default=ABSENT)


def job_s(path: Path, device: str) -> float:
    """Seconds of a job on its device."""
    rows = read_table(path, COLUMNS)
    return sum(float(row["s"]) if device == "gpu" else processor_s(row) for row in rows)


if __name__ == "__main__":
    run(measure_speed)
