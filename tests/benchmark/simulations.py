"""Simulated speakers whose true numbers are known: scores with effects of speakers, embeddings."""

import numpy as np
from scipy.special import ndtr

from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.scores import calibration, samples

SCALE = 1.5  # scores are LLRs times this: miscalibrated, so that Cllr and min Cllr differ


def simulated_scores(size, separations, draw):
    """Every speaker against all utterances: SpeakerTrials of two anonymisers on the same speakers.

    Both classes have variance 1, of it: target trials 0.36 of the speaker; nontarget trials 0.2 of
    each speaker, 0.09 of the pair. Half of every effect is common to both anonymisers. At a
    separation of 0 target trials have the effects of nontarget trials: no evidence at all.
    """
    n_speakers, n_utterances = size
    enrolment = np.repeat(np.arange(n_speakers), n_speakers * n_utterances)
    trial = np.tile(np.repeat(np.arange(n_speakers), n_utterances), n_speakers)
    target = enrolment == trial
    common = effects(enrolment, trial, target & (max(separations) > 0), n_speakers, draw)
    names = np.array([f"{n_speakers}-{index:03d}" for index in range(n_speakers)])
    for separation in separations:
        own = effects(enrolment, trial, target & (separation > 0), n_speakers, draw)
        scores = np.where(target, 0.5, -0.5) * separation + np.sqrt(0.5) * (common + own)
        order = np.argsort(scores)
        parts = (SCALE * separation * scores if separation else scores, target, enrolment, trial)
        yield samples.SpeakerTrials(names, *(part[order] for part in parts))


def effects(enrolment, trial, target, n_speakers, draw):
    of_target, of_enrolment, of_trial = (
        draw.normal(size=n_speakers) * size for size in (0.6, 0.2**0.5, 0.2**0.5)
    )
    of_pair = 0.3 * draw.normal(size=(n_speakers, n_speakers))
    noise = draw.normal(size=len(target))
    between = of_enrolment[enrolment] + of_trial[trial] + of_pair[enrolment, trial]
    between += np.sqrt(0.51) * noise
    return np.where(target, of_target[enrolment] + 0.8 * noise, between)


def true_numbers(separation):
    """Of equal-variance Gaussian LLRs: EER = Phi(-d'/2), the others by the trapezoidal rule."""
    x = np.linspace(-15, 15, 300_001)
    density = np.exp(-((x - separation / 2) ** 2) / 2) / np.sqrt(2 * np.pi)
    llrs = separation * x

    def mean(values):
        return np.trapezoid(values * density, x)  # nontargets mirror the targets

    eer = 100 * ndtr(-separation / 2)
    cllr, cllr_min = (mean(np.logaddexp(0, -scale * llrs)) / np.log(2) for scale in (SCALE, 1))
    costs = 0.01 * ndtr(x - separation / 2) + 0.99 * ndtr(-x - separation / 2)
    return {
        **dict.fromkeys(("eer_percent", "eer_rocch_percent", "eer_speechbrain_percent"), eer),
        "cllr_bit": cllr,
        "cllr_min_bit": cllr_min,
        "cllr_cal_bit": cllr - cllr_min,
        "min_dcf": costs.min() / 0.01,
        "dece_bit": mean(calibration._gain(llrs)) / np.log(2),
        "linkability": mean(np.maximum(0, np.tanh(llrs / 2))),
    }


def simulated_matrices(size, draw, *, pairs=True, dimensions=6):
    """ScoreMatrix of OO, OP and PP, and of OP's templates; two thirds of a voice are hidden."""
    n_speakers, n_utterances = size
    speaker = np.repeat(np.arange(n_speakers), n_utterances)
    voice, disguise = draw.normal(size=(2, n_speakers, dimensions))
    original = voice[speaker] + draw.normal(size=(len(speaker), dimensions))
    hidden = (voice + 1.4 * disguise)[speaker] / 1.72
    protected = hidden + draw.normal(size=(len(speaker), dimensions))
    template = voice + draw.normal(size=voice.shape) / 2
    names = np.array([f"{n_speakers}-{index:03d}" for index in range(n_speakers)])
    utterances = np.arange(len(speaker)).astype(str)
    enrolled = np.char.add("e", np.arange(n_speakers).astype(str))
    ids = (utterances, enrolled, names[speaker], names)
    templates = ScoreMatrix(*ids, protected @ template.T, utterances, enrolled)
    if not pairs:
        return {}, templates
    matrices, speech = {}, {"o": original, "p": protected}
    for name in ("oo", "op", "pp"):
        scores = speech[name[0]] @ speech[name[1]].T
        ids = (utterances, utterances, names[speaker], names[speaker])
        matrices[name] = ScoreMatrix(*ids, scores, utterances, utterances)
    return matrices, templates
