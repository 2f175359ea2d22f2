"""The job measure_closed_text."""

from itertools import chain

from tqdm import tqdm

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, read_rows, write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.utility.closed_text import measure
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.vocabulary import UNDEFINED


def measure_closed_text(
    *,
    manifest: str,
    original: str | None = None,
    transcripts: str,
    output: str,
) -> None:
    """Measure closed-text word errors: which words a recogniser that knows the sentences finds.

    Parameters
    ----------
    manifest : TSV of the speech to measure
    original : TSV of the original speech; it is not needed
    transcripts : TSV of what is said: utterance text
    output : TSV to write: utterance metric value
    """
    rows = read_rows(transcripts, ["utterance", "text"])
    texts = {row["utterance"]: row["text"] for _, row in rows}
    utterances = read_manifest(manifest)
    errors = measure(utterances, texts)
    measured = list(tqdm(errors, total=len(utterances), unit="utterance", mininterval=1.0))
    write_table(output, COLUMNS, chain.from_iterable(measured))
    n_undefined = sum(lines[0].value == UNDEFINED for lines in measured)
    left_out = f"{n_undefined} without words in the transcripts"
    say(f"{counted(len(measured), 'utterance')}, {left_out}: {output}")


if __name__ == "__main__":
    run(measure_closed_text)
