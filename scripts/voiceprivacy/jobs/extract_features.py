"""Extract a feature of every utterance that is no voice's embedding: see the options."""

import argparse
import functools

from voiceprivacy.attack.extractors import style, words
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.files import counted, naming
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifest", required=True, help="TSV: utterance speaker gender path duration_s"
    )
    feature = parser.add_mutually_exclusive_group(required=True)
    feature.add_argument("--f0", action="store_true", help="histogram of the fundamental frequency")
    feature.add_argument(
        "--codebook", help="histogram of vector-quantised frames; npz of train_units.py"
    )
    feature.add_argument(
        "--transcripts", help="linguistic style of what was said; TSV: utterance text"
    )
    feature.add_argument(
        "--timing", action="store_true", help="histogram of pauses, stretches and syllables"
    )
    feature.add_argument(
        "--contour", action="store_true", help="histogram of the range and the slopes of F0"
    )
    feature.add_argument(
        "--background", action="store_true", help="spectrum and depth of the pauses"
    )
    parser.add_argument(
        "--encoder",
        help="folder of a self-supervised encoder, as in train_units.py; with --words of sentences",
    )
    parser.add_argument(
        "--words", action="store_true", help="with --transcripts: which words, instead of style"
    )
    parser.add_argument(
        "--training-transcripts",
        help="with --words: TSV of other speakers, whose inverse document frequencies weigh words",
    )
    parser.add_argument(
        "--dictionary", help="in LIWC's .dic format; default: our own list of function words"
    )
    parser.add_argument("--embeddings", required=True, help="npz to write: ids, embeddings")
    arguments = parser.parse_args()

    embeddings = of_transcripts(arguments) if arguments.transcripts else of_speech(arguments)
    write_embeddings(arguments.embeddings, embeddings)
    n_utterances, dimensions = embeddings.embeddings.shape
    say(
        f"{counted(n_utterances, 'utterance')}, {counted(dimensions, 'number')} each: "
        f"{arguments.embeddings}"
    )


def of_transcripts(arguments: argparse.Namespace) -> Embeddings:
    """Style of what was said, or the words."""
    if arguments.words:
        return of_words(arguments)
    if arguments.dictionary:
        dictionary = style.read_dictionary(arguments.dictionary)
    else:
        dictionary = style.function_words()
    with naming(arguments.transcripts):
        return style.embed(
            read_manifest(arguments.manifest),
            style.read_transcripts(arguments.transcripts),
            dictionary,
        )


def of_words(arguments: argparse.Namespace) -> Embeddings:
    """Vectors of words and pieces of words, or of an encoder of sentences."""
    vector: words.Vector = words.hashed
    if arguments.encoder:
        vector = words.sentence_encoder(arguments.encoder)
    elif arguments.training_transcripts:
        with naming(arguments.training_transcripts):
            others = style.read_transcripts(arguments.training_transcripts)
            weight = words.frequency_weight(others)
        vector = functools.partial(words.hashed, weight=weight)
    with naming(arguments.transcripts):
        transcripts = style.read_transcripts(arguments.transcripts)
        return words.embed(read_manifest(arguments.manifest), transcripts, vector)


def of_speech(arguments: argparse.Namespace) -> Embeddings:
    """Histograms of F0, of its contour, of units, of durations or of what is behind them."""
    # Seconds to import, and not in the environment of transcripts.
    from voiceprivacy.attack.extractors import background, contour, histograms, timing
    from voiceprivacy.models.encoders import Encoder

    feature: histograms.Feature = histograms.f0_histogram
    if arguments.timing:
        feature = timing.timing_histogram
    if arguments.contour:
        feature = contour.contour_histogram
    if arguments.background:
        feature = background.background_histogram
    if arguments.codebook:
        encoder = Encoder(arguments.encoder) if arguments.encoder else None
        feature = histograms.unit_histogram(histograms.read_codebook(arguments.codebook), encoder)
    return histograms.embed_each(read_manifest(arguments.manifest), feature)


if __name__ == "__main__":
    run(main)
