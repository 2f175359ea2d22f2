"""The job measure_utility."""

from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.running import boxes, programs
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, say
from voiceprivacy.utility.measures import run_measure


def measure_utility(
    *,
    command: list[str],
    manifest: Path,
    original: Path,
    output: list[Path],
    threads: int = 1,
    utterances: list[int] | None = None,
    seed: int = 0,
    runtime: float | None = None,
    memory: int = boxes.MEMORY_MB,
    sandbox: dict | None = None,
) -> None:
    """Measure the utility of protected speech by commands, and check what they wrote.

    Several commands are called one after another; each has an --output, in the same order.

    Parameters
    ----------
    command : called as <command> --manifest IN.tsv --original ORIGINAL.tsv --output OUT.tsv
    manifest : TSV of the protected speech
    original : TSV of the original speech
    output : TSV to write: utterance metric value
    threads : what {threads} in the command is
    utterances : at most so many of each speaker, by each command (default, and 0: all)
    seed : by which they are drawn
    runtime : minutes after which the program is ended (default: none)
    memory : MB that each process in a box may use
    sandbox : run the command in a box; as JSON what its entry says of it: reads, mem_mb, gpu
    """
    numbers = utterances or [0] * len(command)
    require_at_least(1, threads=threads)
    require_at_least(0, utterances=min(numbers))
    if not len(command) == len(output) == len(numbers):
        raise BadInput("each --command needs an --output and, if one has, --utterances")
    box = programs.sandbox_of(sandbox, memory)
    for program, path, at_most in zip(command, output, numbers, strict=True):
        measured = run_measure(
            program,
            manifest=manifest,
            original=original,
            threads=threads,
            output=path,
            utterances=at_most or None,
            seed=seed,
            runtime=runtime,
            sandbox=box,
        )
        ids = {line.utterance for line in measured}
        metrics = sorted({line.metric for line in measured})
        say(f"{len(ids)} utterances, {', '.join(metrics)}: {path}")


if __name__ == "__main__":
    run(measure_utility)
