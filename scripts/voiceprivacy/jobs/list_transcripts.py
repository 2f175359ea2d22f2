"""The job list_transcripts."""

from voiceprivacy.corpora.listing import read_transcripts
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.manifests import TRANSCRIPTS, read_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def list_transcripts(
    *,
    source: dict,
    manifest: str,
    transcripts: str,
) -> None:
    """List what is said in every utterance of one part of a corpus.

    Parameters
    ----------
    source : JSON {"kind": options}, as in the config
    manifest : manifest of the part
    transcripts : TSV to write: utterance text
    """
    texts = read_transcripts(source)
    names = [utterance.utterance for utterance in read_manifest(manifest)]
    # Of an utterance that was never transcribed there is no line, and no style.
    rows = [(name, " ".join(texts[name].split())) for name in names if name in texts]
    if names and not rows:
        raise BadInput(f"{manifest}: no utterance has a transcript, such as '{names[0]}'")
    write_table(transcripts, TRANSCRIPTS, rows)
    say(f"{counted(len(rows), 'transcript')} of {counted(len(names), 'utterance')}")


if __name__ == "__main__":
    run(list_transcripts)
