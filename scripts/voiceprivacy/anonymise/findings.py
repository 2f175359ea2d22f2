"""What must hold for all protected speech: a broken anonymiser fails here, not as an odd EER."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import Utterance

SILENT = 1 / 32768  # nothing reaches one step of 16 bits
LENGTH_SHARE, LENGTH_S = 0.25, 0.25  # by how much the length may differ: the larger of the two
LENGTH_RULE = (
    f"lengths may differ by {LENGTH_SHARE:.0%}".replace("%", " %") + f" or {LENGTH_S} s,"
    " whichever is more; lengths: free in the anonymiser's entry allows any length"
)
UNLIKE = " s, the original "  # in what is said of a length
# Lengths that speech has whose samples are read at another rate than they were made for.
RATIOS = {1 / 3: "a third", 0.5: "half", 2.0: "twice", 3.0: "three times"}
RATIO_SLACK = 0.05
MOST_NAMED = 10  # utterances that an error names
EQUAL = 0.99999  # correlation of samples: what differs lies 47 dB below the speech


def finding(
    original: Utterance,
    path: Path | None,
    sample_rate: int | None,
    *,
    mixed_down: bool = False,
    free_length: bool = False,
) -> str | None:
    """Examine one protected file.

    Parameters
    ----------
    original : Utterance
    path : path or None
        The protected file; None where the anonymiser returned none.
    sample_rate : int or None, Hz
        What it must be; None where any will do.
    mixed_down : bool
        Whether it may have several channels, which are averaged.
    free_length : bool
        Whether it may be longer or shorter than the original.

    Returns
    -------
    str or None : what is wrong with it, without its path
    """
    if path is None:
        return "is missing"
    if not path.exists():
        return "not found (in a manifest, relative paths start at its folder)"
    try:
        channels, its_header = audio.read_channels(path, verify=True)
    except BadInput as error:
        return str(error).removeprefix(f"{path}: ")
    its_rate, samples = its_header.sample_rate, audio.averaged(channels)
    if its_header.channels != 1 and not mixed_down:
        return f"has {its_header.channels} channels instead of one"
    if fault := wrong_rate(its_rate, sample_rate):
        return fault
    if fault := audio.cancelled(channels, samples):
        return fault
    fault = unlike_length(len(samples) / its_rate, original.duration_s)
    if fault and not free_length:
        return fault
    if is_silent(samples) and not is_silent(audio.read(original.path)[0]):
        return "is silent, the original is not"
    return None


def wrong_rate(its_rate: int, sample_rate: int | None) -> str | None:
    """Why speech at a rate in Hz is refused; None where it is the right one, or any will do."""
    if sample_rate in (None, its_rate):
        return None
    return f"is sampled at {its_rate} Hz instead of {sample_rate} (resample: true converts it)"


def unlike_length(duration_s: float, original_s: float) -> str | None:
    """Why speech of this duration is no version of the original; None where it may be one."""
    if abs(duration_s - original_s) <= max(LENGTH_S, LENGTH_SHARE * original_s):
        return None
    fault = f"lasts {duration_s:.2f}{UNLIKE}{original_s:.2f} s"
    for ratio, name in RATIOS.items():
        expected_s = ratio * original_s
        if abs(duration_s - expected_s) < RATIO_SLACK * expected_s:
            return f"{fault}: {name} as long (does its header name another sample rate?)"
    return fault


def is_silent(samples: audio.Samples) -> bool:
    """Whether no sample (N,) survives 16 bits, or all are one constant."""
    return bool(np.ptp(samples) < 2 * SILENT)


def raise_findings(findings: Sequence[tuple[str, str]], *, n_utterances: int) -> None:
    """Refuse a shard as a whole if there are findings: pairs of utterance id and text."""
    if not findings:
        return
    first = "; ".join(f"'{utterance}' {text}" for utterance, text in findings[:MOST_NAMED])
    n_more = len(findings) - MOST_NAMED
    more = f"; and {n_more} more" if n_more > 0 else ""
    rule = f"{LENGTH_RULE}; " if any(UNLIKE in text for _, text in findings) else ""
    raise BadInput(
        f"{len(findings)} of {n_utterances} protected utterances are unusable: {first}{more}"
        f" ({rule}mend the anonymiser, or name them in 'exclude' of their corpus:"
        " they are left out for every anonymiser)"
    )


def check_all(
    utterances: Sequence[Utterance],
    protected: Mapping[str, Path],
    sample_rate: int | None,
    *,
    scratch: Path,
    mixed_down: bool,
    free_length: bool = False,
) -> None:
    """Refuse (BadInput) protected speech in which something is found.

    ``scratch`` is a folder that will be removed; ``mixed_down`` says that others made the speech,
    ``free_length`` that it may be longer or shorter than the original.
    """
    findings = []
    for original in tqdm(utterances, desc="check", unit="utterance", mininterval=1.0):
        path = protected.get(original.utterance)
        text = finding(original, path, sample_rate, mixed_down=mixed_down, free_length=free_length)
        if text and path:  # of a path in the scratch folder, which will be removed, only its end
            text = f"{path.absolute()}: {text}".removeprefix(f"{scratch.absolute()}/")
        if text:
            findings.append((original.utterance, text))
    if mixed_down and not findings:  # made elsewhere
        findings = _of_others(utterances, protected)
    raise_findings(findings, n_utterances=len(utterances))


def _of_others(
    utterances: Sequence[Utterance], protected: Mapping[str, Path]
) -> list[tuple[str, str]]:
    """Protected files that are another utterance's file or an original, byte for byte.

    An utterance's own original is recognised by its samples, too.
    """
    originals = {line.utterance: sha256_of(line.path) for line in utterances}
    original_of = {digest: name for name, digest in originals.items()}
    findings = []
    first: dict[str, str] = {}
    for line in utterances:
        name, own = line.utterance, originals[line.utterance]
        digest = sha256_of(protected[name])
        other = first.setdefault(digest, name)
        if originals[other] != own:
            findings.append((name, f"is the same file as that of '{other}'"))
        elif digest in original_of and digest != own:
            findings.append((name, f"is the original of '{original_of[digest]}'"))
        elif is_the_original(line.path, protected[name]):
            findings.append((name, "is its original: it is not protected"))
    return findings


def is_the_original(original: FilePath, protected: FilePath) -> bool:
    """Whether a file has the samples of an original, but for a gain and for steps of 16 bits."""
    n_samples, sums, products = 0, np.zeros(2), np.zeros((2, 2))
    for pieces in audio.side_by_side(original, protected):
        if len(pieces[0]) != len(pieces[1]):
            return False
        both = np.stack(pieces).astype(np.float64)
        n_samples += both.shape[1]
        sums += both.sum(axis=1)
        products += both @ both.T
    covariance = products - np.outer(sums, sums) / n_samples
    with np.errstate(invalid="ignore"):  # silence is like nothing
        return bool(abs(covariance[0, 1]) > EQUAL * np.sqrt(covariance[0, 0] * covariance[1, 1]))
