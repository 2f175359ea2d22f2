"""The job measure_pitch."""

from tqdm import tqdm

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.pitch import measure
from voiceprivacy.vocabulary import UNDEFINED


def measure_pitch(
    *,
    manifest: str,
    original: str,
    output: str,
) -> None:
    """Measure how much of the intonation is left: how pitches of protected and original correlate.

    Parameters
    ----------
    manifest : TSV of the protected speech
    original : TSV of the original speech
    output : TSV to write: utterance metric value
    """
    unprotected, protected = read_manifest(original), read_manifest(manifest)
    progress = tqdm(
        measure(unprotected, protected), total=len(protected), unit="utterance", mininterval=1.0
    )
    measured = list(progress)
    write_table(output, COLUMNS, measured)
    n_undefined = sum(line.value == UNDEFINED for line in measured)
    utterances = counted(len(measured), "utterance")
    say(f"{utterances}, {n_undefined} without enough voice in the original: {output}")


if __name__ == "__main__":
    run(measure_pitch)
