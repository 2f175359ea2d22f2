"""The job extract_features."""

import functools
from collections.abc import Mapping

from tqdm import tqdm

from voiceprivacy.attack.extractors import style
from voiceprivacy.attack.extractors import words as wording
from voiceprivacy.errors import counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.manifests import Utterance, read_manifest, read_transcripts
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_one, say
from voiceprivacy.vocabulary import ENGLISH


def extract_features(
    *,
    manifest: str,
    f0: bool = False,
    codebook: str | None = None,
    transcripts: str | None = None,
    recogniser: str | None = None,
    language: str = ENGLISH,
    timing: bool = False,
    contour: bool = False,
    background: bool = False,
    encoder: str | None = None,
    words: bool = False,
    training_transcripts: str | None = None,
    dictionary: str | None = None,
    embeddings: str,
) -> None:
    """Extract a feature of every utterance that is no voice's embedding: see the options.

    Parameters
    ----------
    manifest : TSV: utterance speaker gender path duration_s
    f0 : histogram of the fundamental frequency
    codebook : histogram of vector-quantised frames; npz of train_units.py
    transcripts : linguistic style of what was said; TSV: utterance text
    recogniser : which words Whisper hears: base, or a folder of CTranslate2
    language : that Whisper listens for, as ISO 639 has it
    timing : histogram of pauses, stretches and syllables
    contour : histogram of the range and the slopes of F0
    background : spectrum and depth of the pauses
    encoder : folder of a self-supervised encoder, as in train_units.py; of words one of sentences
    words : with --transcripts: which words, instead of style
    training_transcripts : TSV of other speakers, whose inverse document frequencies weigh words
    dictionary : in LIWC's .dic format (default: our own list of function words)
    embeddings : npz to write: ids, embeddings
    """
    features = {"f0": f0, "timing": timing, "contour": contour, "background": background}
    require_one(codebook=codebook, transcripts=transcripts, recogniser=recogniser, **features)
    utterances = read_manifest(manifest)
    if recogniser:
        said = heard(utterances, recogniser, language=language)
        extracted = of_words(utterances, said, encoder=encoder, others=training_transcripts)
    elif transcripts and words:
        said = read_transcripts(transcripts)
        with naming(transcripts):
            extracted = of_words(utterances, said, encoder=encoder, others=training_transcripts)
    elif transcripts:
        known = style.read_dictionary(dictionary) if dictionary else style.function_words()
        with naming(transcripts):
            extracted = style.embed(utterances, read_transcripts(transcripts), known)
    else:
        name = next((name for name, is_wanted in features.items() if is_wanted), "codebook")
        extracted = of_speech(utterances, name, codebook=codebook, encoder=encoder)
    write_embeddings(embeddings, extracted)
    n_utterances, dimensions = extracted.embeddings.shape
    say(f"{counted(n_utterances, 'utterance')}, {counted(dimensions, 'number')} each: {embeddings}")


def heard(utterances: list[Utterance], recogniser: str, *, language: str) -> dict[str, str]:
    """What Whisper hears in every utterance: {utterance: text}. It is written nowhere."""
    # Not in the environment of transcripts.
    from voiceprivacy.models.whisper import Whisper

    network = Whisper(recogniser, language=language)
    progress = tqdm(utterances, unit="utterance", mininterval=1.0)
    return {line.utterance: network.hear(*audio.read(line.path)).text for line in progress}


def of_words(
    utterances: list[Utterance],
    said: Mapping[str, str],
    *,
    encoder: str | None,
    others: str | None,
) -> Embeddings:
    """Vectors of words and pieces of words, or of an encoder of sentences."""
    vector: wording.Vector = wording.hashed
    if encoder:
        vector = wording.sentence_encoder(encoder)
    elif others:
        with naming(others):
            weight = wording.frequency_weight(read_transcripts(others))
        vector = functools.partial(wording.hashed, weight=weight)
    return wording.embed(utterances, said, vector)


def of_speech(
    utterances: list[Utterance], name: str, *, codebook: str | None, encoder: str | None
) -> Embeddings:
    """Histograms of F0, of its contour, of units, of durations or of what is behind them."""
    # Seconds to import, and not in the environment of transcripts.
    from voiceprivacy.attack.extractors import background, contour, histograms, timing
    from voiceprivacy.models.encoders import Encoder

    if codebook:
        frames = Encoder(encoder) if encoder else None
        feature = histograms.unit_histogram(histograms.read_codebook(codebook), frames)
    else:
        feature = {
            "f0": histograms.f0_histogram,
            "timing": timing.timing_histogram,
            "contour": contour.contour_histogram,
            "background": background.background_histogram,
        }[name]
    return histograms.embed_each(utterances, feature)


if __name__ == "__main__":
    run(extract_features)
