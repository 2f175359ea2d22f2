"""Something to listen to: a few utterances, unprotected and by every anonymiser, with spectrograms.

Conventions
-----------
* Which utterances is drawn from the seed and their ids, of different speakers as long as there are
  some.
* A clip is the first five seconds. The spectrograms of one utterance have one scale: its loudest
  unprotected point.
* Sound is MP3, which every browser plays, the same bytes every time.
* Where speakers are not to be named, protected speech alone is played, and ids are codes. A version
  that is its original for an ear is left out (audio.NEARLY_THE_SAME).
"""

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy import seeds
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio, foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.report.mailed import NAMED, Codes, code_of
from voiceprivacy.vocabulary import ORIGINAL

LONGEST_S = 5.0
DATA = "[;,][A-Za-z0-9+/=;,]*"  # of an address that holds what it leads to


class Clip(NamedTuple):
    """One version of an utterance: who protected it, and sound and picture as data URLs."""

    anonymiser: str
    sound: str
    picture: str


class Example(NamedTuple):
    """One utterance of a trial list and all its versions, the original first if it may be heard.

    ``cut`` if a version goes on after its clip. ``utterance`` and ``speaker`` are ids or codes.
    """

    corpus: str
    trials: str
    utterance: str
    speaker: str
    gender: str
    cut: bool
    clips: list[Clip]


def write_examples(path: FilePath, examples: Iterable[Example]) -> None:
    """Write them as JSON: what embed_audio hands to the page."""
    rows = []
    for example in examples:
        rows.append(example._asdict() | {"clips": [clip._asdict() for clip in example.clips]})
    write_json(path, {"examples": rows})


def read_examples(paths: Iterable[FilePath]) -> list[Example]:
    """Read what write_examples wrote."""
    examples = []
    for path in paths:
        with foreign.not_ours(path):
            for row in read_json(path)["examples"]:
                clips = [_clip(clip, path) for clip in row["clips"]]
                for field in ("corpus", "trials"):
                    foreign.name(row[field], f"{path}: {field}")
                for field in ("utterance", "speaker", "gender"):
                    foreign.line(row[field], f"{path}: {field}", most=500)
                examples.append(Example(**row | {"clips": clips}))
    return examples


def _clip(fields, path):
    """A clip whose addresses are data: a page that plays it asks nobody for anything."""
    clip = Clip(**fields)
    foreign.name(clip.anonymiser, f"{path}: anonymiser")
    foreign.like(clip.sound, f"data:audio/mpeg{DATA}", f"{path}: sound")
    foreign.like(clip.picture, f"data:image/webp{DATA}", f"{path}: picture")
    return clip


# Which utterances, and their clips


def choose(utterances: Sequence[Utterance], *, count: int, seed: int) -> list[Utterance]:
    """Draw ``count`` utterances, or all where there are fewer."""
    drawn = sorted(
        utterances, key=lambda one: (seeds.derive(seed, "listen", one.utterance), one.utterance)
    )
    # One utterance of everybody before anybody's second.
    first_of: dict[str, Utterance] = {}
    for utterance in drawn:
        first_of.setdefault(utterance.speaker, utterance)
    firsts = list(first_of.values())
    others = [utterance for utterance in drawn if first_of[utterance.speaker] is not utterance]
    return [*firsts, *others][:count]


def examples(
    corpus: str,
    lists: Mapping[str, set[str]],
    versions: Mapping[str, Sequence[Utterance]],
    *,
    count: int,
    seed: int,
    codes: Codes = NAMED,
) -> list[Example]:
    """Clips of a few utterances of every trial list.

    Parameters
    ----------
    corpus : its name
    lists : {trial list: ids of its utterances}
    versions : {anonymiser: utterances}, the original's among them
    count : of each list
    seed : from which they are drawn
    codes : of the speakers, where they are not to be named

    Raises
    ------
    BadInput : there is no original, or an anonymiser lacks an utterance
    """
    if ORIGINAL not in versions:
        raise BadInput(f"--label: no manifest is called {ORIGINAL}")
    paths = {}
    for name, utterances in versions.items():
        paths[name] = {utterance.utterance: utterance.path for utterance in utterances}
    order = [ORIGINAL, *(name for name in versions if name != ORIGINAL)]
    chosen = []
    for trials, ids in lists.items():
        tried = [utterance for utterance in versions[ORIGINAL] if utterance.utterance in ids]
        for k, utterance in enumerate(choose(tried, count=count, seed=seed), start=1):
            for name in order:
                if utterance.utterance not in paths[name]:
                    raise BadInput(f"the manifest of {name} lacks '{utterance.utterance}'")
            speech = {name: audio.read(paths[name][utterance.utterance]) for name in order}
            if codes:
                speech = _protected(speech)
            example = Example(
                corpus,
                trials,
                f"utterance {k}" if codes else utterance.utterance,
                code_of(utterance.speaker, codes),
                utterance.gender,
                cut=any(len(samples) > LONGEST_S * rate for samples, rate in speech.values()),
                clips=_clips(speech) if speech else [],
            )
            chosen.append(example)
    return chosen


def _protected(speech):
    """The versions of an utterance that give away more than protected speech does are left out."""
    original, rate = speech.pop(ORIGINAL)  # silence is not like itself
    protected = {}
    for name, (samples, own_rate) in speech.items():
        same_rate = audio.resample(samples, source_rate=own_rate, target_rate=rate)
        if not _is_original(same_rate, original, round(LONGEST_S * rate)):
            protected[name] = (samples, own_rate)
    return protected


def _is_original(samples, original, longest):
    """Whether speech, or the clip of it, is its original, forwards or backwards."""
    for own, other in ((samples, original), (samples[:longest], original[:longest])):
        # Whoever hears speech backwards can turn it round.
        for heard in (own, own[::-1], samples[::-1][:longest]):
            if audio.likeness(heard, other) > audio.NEARLY_THE_SAME:
                return True
    return False


def _clips(speech):
    """Clips of {anonymiser: (samples, rate)}, on one scale of time and level."""
    seconds = min(LONGEST_S, max(len(samples) / rate for samples, rate in speech.values()))
    cut, levels = {}, {}
    for name, (samples, rate) in speech.items():
        cut[name] = (samples[: round(LONGEST_S * rate)], rate)
        levels[name] = levels_db(*cut[name], seconds=seconds)
    # One scale for all versions: what an anonymiser makes louder looks louder.
    first = next(iter(levels))
    loudest = float(levels[first].max())
    clips = []
    for name, (samples, rate) in cut.items():
        sound = data_url(mp3(samples, rate), "audio/mpeg")
        picture = data_url(webp(levels[name], loudest_db=loudest), "image/webp")
        clips.append(Clip(name, sound, picture))
    return clips


def data_url(content: bytes, media_type: str) -> str:
    """Bytes as a data URL."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


# Small spectrograms: time to the right, frequency upwards, no axes

COLOURS = "magma"
WINDOW_S, STRIDE_S = 0.025, 0.01
HEIGHT = 128
HIGHEST_HZ = 8000
RANGE_DB = 70
LOWEST_DB = -120.0


def levels_db(samples: NDArray, sample_rate: int, *, seconds: float) -> NDArray:
    """Power of samples (N,) in dB, silence behind their end.

    Returns
    -------
    array (128, seconds / 10 ms) : rows from 0 to 8 kHz
    """
    from scipy.signal import ShortTimeFFT, get_window  # a second; the page reads clips only

    window = get_window("hann", round(WINDOW_S * sample_rate))
    stride = round(STRIDE_S * sample_rate)
    n_frames = max(1, round(seconds / STRIDE_S))
    padded = np.zeros(max(n_frames * stride, len(window)))  # of less there is no spectrum
    padded[: len(samples)] = samples[: len(padded)]
    n_points = max(1024, len(window))  # a short window has fewer bins than rows
    transform = ShortTimeFFT(window, stride, sample_rate, mfft=n_points, scale_to="magnitude")
    power = transform.spectrogram(padded, p0=0, p1=n_frames)
    frequencies = np.linspace(0, HIGHEST_HZ, HEIGHT, endpoint=False)
    bins = np.clip(np.rint(frequencies / transform.delta_f).astype(int), 0, len(power) - 1)
    levels = 10 * np.log10(np.maximum(power[bins], 1e-12))  # -120 dB instead of the log of 0
    levels[frequencies > sample_rate / 2] = LOWEST_DB  # that the speech cannot have
    return levels


def webp(levels: NDArray, *, loudest_db: float) -> bytes:
    """A WebP picture of levels (F, T) in dB, T x F pixels: black is 70 dB below ``loudest_db``."""
    from matplotlib.image import imsave  # the page reads clips and needs no matplotlib

    content = io.BytesIO()
    imsave(
        content,
        levels[::-1],  # the first row of a picture is its top
        cmap=COLOURS,
        format="webp",
        pil_kwargs={"quality": 75, "method": 6},
        vmin=loudest_db - RANGE_DB,
        vmax=loudest_db,
    )
    return content.getvalue()


RATES_HZ = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)  # that MP3 has
COMPRESSION = 0.9  # libsndfile's scale; about 35 kbit/s for speech


def mp3(samples: NDArray, sample_rate: int) -> bytes:
    """Encode samples (N,) in [-1, 1] as MP3; another rate than MP3 has becomes its next higher."""
    rate = next((rate for rate in RATES_HZ if rate >= sample_rate), RATES_HZ[-1])
    if rate != sample_rate:
        from scipy.signal import resample_poly

        divisor = np.gcd(rate, sample_rate)
        samples = resample_poly(samples, rate // divisor, sample_rate // divisor)
    return audio.mp3(samples, rate, compression=COMPRESSION, is_constant=False)
