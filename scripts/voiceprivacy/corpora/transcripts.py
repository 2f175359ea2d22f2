"""What is said in a corpus: LibriSpeech's .trans.txt, a Kaldi directory's text, or the sentences of synthetic speakers.

A kind of corpus without transcripts is refused.
"""

from pathlib import Path

from voiceprivacy.corpora.kinds import kaldi
from voiceprivacy.corpora.kinds.synthetic import job
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.inout.files import BadInput, read_lines


def read_transcripts(source):
    """Transcripts of a corpus.

    Parameters
    ----------
    source : dict {kind: options}, as listing.py has it

    Returns
    -------
    dict {utterance: text}

    Raises
    ------
    BadInput : this kind of corpus has none, or a file of them is missing
    """
    for kind, read in READERS.items():
        if kind in source:
            return read(source)
    raise BadInput(f"this corpus has no transcripts: style needs one of {', '.join(READERS)}")


def _of_librispeech(source):
    options = source["librispeech"]
    texts = {}
    for subset in options["subsets"]:
        files = sorted(Path(options["root"], subset).glob("*/*/*.trans.txt"))
        if not files:
            raise BadInput(f"{Path(options['root'], subset)}: has no speaker/chapter/*.trans.txt")
        for path in files:
            for line, text in enumerate(read_lines(path), start=1):
                utterance, _, words = text.partition(" ")
                if utterance in texts:
                    raise BadInput(f"{path}:{line}: utterance '{utterance}' occurs twice")
                texts[utterance] = words
    return texts


def _of_kaldi(source):
    texts, findings = {}, Findings()
    for directory in kaldi.data_directories(source["kaldi"]):
        path = Path(directory, "text")
        texts |= {
            utterance: words for utterance, (_, words) in kaldi.read_text(path, findings).items()
        }
    findings.refuse_errors()
    return texts


def _of_synthetic(source):
    return {
        utterance.utterance: job(utterance)["text"]
        for utterance in list_utterances(source, Findings())
    }


READERS = {"librispeech": _of_librispeech, "kaldi": _of_kaldi, "synthetic": _of_synthetic}
