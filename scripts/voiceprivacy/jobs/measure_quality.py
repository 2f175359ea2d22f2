"""The job measure_quality."""

from tqdm import tqdm

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.quality import ESTOI, POLYNOMIALS, measure
from voiceprivacy.vocabulary import UNDEFINED


def measure_quality(
    *,
    manifest: str,
    original: str,
    output: str,
) -> None:
    """Measure the quality of speech: DNSMOS, and ESTOI where it lasts as long as the original.

    Parameters
    ----------
    manifest : TSV of the protected speech
    original : TSV of the original speech
    output : TSV to write: utterance metric value
    """
    unprotected, protected = read_manifest(original), read_manifest(manifest)
    n_values = len(protected) * (len(POLYNOMIALS) + 1)
    measured = list(tqdm(measure(unprotected, protected), total=n_values, mininterval=1.0))
    write_table(output, COLUMNS, measured)
    undefined = [line for line in measured if line.metric == ESTOI and line.value == UNDEFINED]
    say(f"{counted(len(protected), 'utterance')}: {output}")
    if undefined:
        lines = f"{counted(len(undefined), 'utterance')}, such as '{undefined[0].utterance}'"
        say(f"ESTOI is undefined of {lines}: not as long as the original, or too little speech")


if __name__ == "__main__":
    run(measure_quality)
