"""The job measure_utility."""

from pathlib import Path

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running import boxes, programs
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_as_many, require_at_least, say
from voiceprivacy.utility.measures import Asked, call_measure, drawn, run_measure
from voiceprivacy.utility.rows import COLUMNS


def measure_utility(
    *,
    measures: list[Asked],
    manifest: Path,
    original: Path,
    output: list[Path],
    threads: int = 1,
    runtime: float | None = None,
    memory: int = boxes.MEMORY_MB,
    sandbox: dict | None = None,
) -> None:
    """Measure the utility of protected speech, by functions that are shipped or by a command.

    Parameters
    ----------
    measures : JSON: of each its command, or its type and options; metrics that are undefined of
        this speech; where it hears some utterances only, which (see utility.measures.drawn) and
        seed
    manifest : TSV of the protected speech
    original : TSV of the original speech
    output : TSV to write for each measure: utterance metric value
    threads : what {threads} in a command is
    runtime : minutes after which a command is ended (default: none)
    memory : MB that each process in a box may use
    sandbox : run a command in a box; as JSON what its entry says of it: reads, mem_mb, gpu
    """
    require_at_least(1, threads=threads)
    require_as_many(measures=measures, output=output)
    everything = {line.utterance: line for line in read_manifest(manifest)}
    originals = {line.utterance: line for line in read_manifest(original)}
    if unknown := everything.keys() - originals.keys():
        raise BadInput(f"{original}: has no utterance '{min(unknown)}', which {manifest} lists")
    for asked, path in zip(measures, output, strict=True):
        unprotected = drawn(
            [originals[name] for name in everything], asked, seed=asked.get("seed", 0)
        )
        protected = [everything[line.utterance] for line in unprotected]
        if "command" in asked:
            measured = run_measure(
                asked["command"],
                unprotected,
                protected,
                threads=threads,
                output=path,
                runtime=runtime,
                sandbox=programs.sandbox_of(sandbox, memory),
            )
        else:
            kind, options = asked.get("type", ""), asked.get("options", {})
            says_nothing = asked.get("undefined", ())
            measured = call_measure(kind, unprotected, protected, options, undefined=says_nothing)
        write_table(path, COLUMNS, measured)
        metrics = sorted({line.metric for line in measured})
        say(f"{counted(len(protected), 'utterance')}, {', '.join(metrics)}: {path}")


if __name__ == "__main__":
    run(measure_utility)
