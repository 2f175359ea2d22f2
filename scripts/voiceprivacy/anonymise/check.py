"""What must hold for every protected utterance, so that a broken anonymiser fails here and not as an odd EER."""

import numpy as np

from voiceprivacy import audio
from voiceprivacy.files import BadInput

SILENT = 1 / 32768  # nothing reaches one step of 16 bits
LENGTH_SHARE, LENGTH_S = 0.25, 0.25  # the length may differ by a quarter, or by a quarter of a second


def finding(original, path, sample_rate):
    """Examine one protected file.

    Parameters
    ----------
    original : voiceprivacy.tables.Utterance
    path : path or None
        The protected file; None where the anonymiser returned none.
    sample_rate : int or None, Hz
        What it must be; None where any will do.

    Returns
    -------
    str or None : what is wrong with it, without its path
    """
    if path is None:
        return "is missing"
    if not path.exists():
        return "not found (in a manifest, relative paths start at its folder)"
    try:
        samples, its_rate = audio.read(path)
        channels = audio.header(path).channels
    except BadInput as error:
        return str(error).removeprefix(f"{path}: ")
    if channels != 1:
        return f"has {channels} channels instead of one"
    if sample_rate and its_rate != sample_rate:
        return f"is sampled at {its_rate} Hz instead of {sample_rate} (resample: true converts it)"
    duration_s = len(samples) / its_rate
    if abs(duration_s - original.duration_s) > max(LENGTH_S, LENGTH_SHARE * original.duration_s):
        return f"lasts {duration_s:.2f} s, the original {original.duration_s:.2f} s"
    if is_silent(samples) and not is_silent(audio.read(original.path)[0]):
        return "is silent, the original is not"
    return None


def is_silent(samples):
    """Whether no sample (N,) survives 16 bits."""
    return bool(np.abs(samples).max() < SILENT)


def raise_findings(findings, *, n_utterances):
    """Refuse the whole if there are findings (pairs of utterance id and text): the first ten and their number."""
    if not findings:
        return
    first = "; ".join(f"'{utterance}' {text}" for utterance, text in findings[:10])
    more = f"; and {len(findings) - 10} more" if len(findings) > 10 else ""
    raise BadInput(
        f"{len(findings)} of {n_utterances} protected utterances are unusable: {first}{more}"
        " (mend the anonymiser, or name them in 'exclude' of their corpus: they are left out for every anonymiser)"
    )
