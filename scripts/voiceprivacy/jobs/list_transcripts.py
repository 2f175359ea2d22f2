"""List what is said in every utterance of one part of a corpus."""

import argparse

from voiceprivacy.corpora.listing import read_transcripts
from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.running.command import add_json, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--source", required=True, help='JSON {"kind": options}, as in the config')
    parser.add_argument("--manifest", required=True, help="manifest of the part")
    parser.add_argument("--transcripts", required=True, help="TSV to write: utterance text")
    arguments = parser.parse_args()

    texts = read_transcripts(arguments.source)
    names = [utterance.utterance for utterance in read_manifest(arguments.manifest)]
    # Of an utterance that was never transcribed there is no line, and no style.
    rows = [(name, " ".join(texts[name].split())) for name in names if name in texts]
    write_table(arguments.transcripts, ["utterance", "text"], rows)
    say(f"{counted(len(rows), 'transcript')} of {counted(len(names), 'utterance')}")


if __name__ == "__main__":
    run(main)
