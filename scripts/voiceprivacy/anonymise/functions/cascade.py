"""Light-weight anonymisation of 2021: simple changes of a voice in a row.

Kai et al. optimise the strengths of up to six modules for a high error of a speaker verifier and a
low one of a recogniser, on the training speech of one gender of LibriSpeech or VCTK.

Conventions
-----------
* The modules and their parameters, as the authors' program defines them:

  - ``resamp``: WSOLA at this speed, then resampled to the old length: pitch and formants are
    divided by it.
  - ``mcadams``: McAdams with this alpha (variant vpc2020), as loud as before (theirs has a peak of
    one, which no later module notices).
  - ``modspec``: log magnitudes are smoothed along time by a Butterworth filter of order 2, four
    times, with this cutoff (1 is half the frame rate); then as loud as before.
  - ``chorus``: the mean of the speech warped bilinearly by +c, by 0 and by -c.
  - ``clip``: samples are cut where their sizes' histogram of 1000 bins has reached this share; then
    as loud as before.
  - ``vtln``: all of the spectrum, harmonics too, is warped bilinearly.

* Spectra have windows of 128 ms every 32 ms (2048 samples at 16 kHz).
* The parameters are the published ones for LibriSpeech (the authors' repository, commit edb02c5).
  With three and more modules its files have modspec above 0.9 and mcadams below 0.3: outside the
  ranges in which they were searched (0.05 to 0.3, 0.7 to 1.3), and modspec of 1.08 cannot be
  run. The two values are exchanged there, and are exchanged back here.
* There is nothing random: the published parameters are those of a gender. Which gender, the authors
  know; here the pitch decides (women above 165 Hz). WSOLA's pieces are those of ``shifting.py``.

No sample was compared with the authors' program.

References
----------
Kai, Takamichi, Shiota, Kiya, Lightweight voice anonymization based on data-driven optimization of
cascaded voice modification modules, IEEE SLT 2021.
Kai, Takamichi, Shiota, Kiya, Lightweight and irreversible speech pseudonymization based on
data-driven optimization of cascaded voice modification modules, Computer Speech and Language 72,
2022.
"""

from collections.abc import Callable, Mapping

import numpy as np
from scipy import signal

from voiceprivacy.anonymise.functions import mcadams as published
from voiceprivacy.anonymise.functions.contract import Signal, as_loud, keeps_length, refuse_beyond
from voiceprivacy.anonymise.functions.retuning import pitch_track
from voiceprivacy.anonymise.functions.shifting import shifted, stretched_by_wsola
from voiceprivacy.anonymise.functions.spectra import (
    SMALLEST,
    Rows,
    Spectra,
    frames_of,
    samples_of,
    window_length,
)
from voiceprivacy.anonymise.functions.warping import bent, bilinear
from voiceprivacy.errors import BadInput

WINDOW_S = 0.128
BINS = 1000  # of the histogram
WOMEN_HZ = 165.0  # halfway, in semitones, between usual pitches of men and women
# In the order in which they are applied.
LIBRISPEECH: dict[str, dict[str, float]] = {
    "female": {"resamp": 1.154, "modspec": 0.289, "mcadams": 1.08, "chorus": 0.019, "clip": 0.628},
    "male": {"resamp": 0.858, "modspec": 0.284, "mcadams": 0.924, "chorus": 0.005, "clip": 0.7},
}


@keeps_length
def cascade(
    samples: Signal,
    sample_rate: int,
    *,
    utterance: str,
    speaker: str,
    seed: int,
    modules: Mapping[str, float] | None = None,
) -> Signal:
    """Apply the modules, one after the other.

    Parameters
    ----------
    modules : {name: parameter}, optional
        Which, in their order; default - those published for the gender that the pitch tells.
    """
    chosen = LIBRISPEECH[_gender(samples, sample_rate)] if modules is None else modules
    for name, parameter in chosen.items():
        if name not in MODULES:
            raise BadInput(f"modules: '{name}' is none of {', '.join(MODULES)}")
        samples = MODULES[name](samples, sample_rate, parameter)
    return samples


def _gender(samples: Signal, sample_rate: int) -> str:
    track = pitch_track(samples, sample_rate)
    return "female" if track.any() and np.median(track[track > 0]) > WOMEN_HZ else "male"


def resamp(samples: Signal, sample_rate: int, speed: float) -> Signal:
    """Divide all frequencies by ``speed``; the rhythm stays."""
    refuse_beyond("resamp", speed, 0.25, 4)
    return shifted(samples, sample_rate, 1 / speed, stretched_by_wsola)


def mcadams(samples: Signal, sample_rate: int, alpha: float) -> Signal:
    """McAdams as of 2020."""
    refuse_beyond("mcadams", alpha, 0, 10)
    changed = published.anonymise(samples, sample_rate, alpha=alpha, variant="vpc2020")
    return as_loud(changed, samples)


def modspec(samples: Signal, sample_rate: int, cutoff: float) -> Signal:
    """Smooth log magnitudes along time: what changes fast is lost."""
    refuse_beyond("modspec", cutoff, 0, 1)
    rows, phases = _logarithms_and_phases(_spectra(samples, sample_rate))
    numerator, denominator = signal.butter(2, cutoff)
    padding = min(9, len(rows) - 1)
    for _ in range(2):  # forwards and backwards, twice
        rows = signal.filtfilt(numerator, denominator, rows, axis=0, padlen=padding)
    return as_loud(samples_of(np.exp(np.minimum(rows, 20)) * phases, len(samples)), samples)


def vtln(samples: Signal, sample_rate: int, strength: float) -> Signal:
    """Warp the whole spectrum bilinearly; phases stay."""
    return samples_of(_warped(_spectra(samples, sample_rate), strength), len(samples))


def chorus(samples: Signal, sample_rate: int, strength: float) -> Signal:
    """The mean of the speech warped up, as it is, and warped down."""
    spectra = _spectra(samples, sample_rate)
    both = _warped(spectra, strength) + _warped(spectra, -strength)
    return samples_of((spectra + both) / 3, len(samples))


def clip(samples: Signal, sample_rate: int, share: float) -> Signal:
    """Cut sizes beyond the one that this share of the samples does not exceed."""
    refuse_beyond("clip", share, 0, 1.0001)
    counts, edges = np.histogram(np.abs(samples), BINS)
    reached = np.cumsum(counts) >= share * len(samples)
    # Where most samples are zeros (a padded file), the lowest bin alone has that share.
    threshold = edges[max(1, int(reached.argmax()))]
    return as_loud(np.clip(samples, -threshold, threshold), samples)


MODULES: dict[str, Callable[[Signal, int, float], Signal]] = {
    "vtln": vtln,
    "resamp": resamp,
    "mcadams": mcadams,
    "modspec": modspec,
    "clip": clip,
    "chorus": chorus,
}


def _spectra(samples: Signal, sample_rate: int) -> Spectra:
    return np.fft.rfft(frames_of(samples, window_length(sample_rate, WINDOW_S)))


def _logarithms_and_phases(spectra: Spectra) -> tuple[Rows, Spectra]:
    """Logarithms of magnitudes (F, bins), and what is left of the spectra without magnitudes."""
    magnitudes = np.abs(spectra)
    return np.log(magnitudes + SMALLEST), spectra / np.maximum(magnitudes, np.finfo(float).tiny)


def _warped(spectra: Spectra, strength: float) -> Spectra:
    rows, phases = _logarithms_and_phases(spectra)
    return np.exp(bent(rows, bilinear(strength))) * phases
