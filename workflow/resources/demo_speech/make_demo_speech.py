"""Make the speech of the demo: synthetic speakers by Kokoro, as they are and protected by Piper.

    PYTHONPATH=scripts python workflow/resources/demo_speech/make_demo_speech.py SCRATCH

It needs ``make neural``, pyworld (envs/requirements-world.txt) and one core, about one second for a
second of speech. SCRATCH keeps what Kokoro says: a run that was stopped goes on, and what comes
after Kokoro can be changed without it. No run of the workflow calls this file.

Conventions
-----------
* A speaker is a number; even ones are women. A style of Kokoro has two halves, timbre and melody.
  Each is a mixture of voices with fixed weights, which sum to one; a few are negative.
* WORLD changes pitch and formants. Both factors follow an additive recurrence (of the plastic
  number), which spreads speakers evenly.
* Utterances differ a little from their speaker's voice, as they do for people.
* Protected speech is what ``stt_tts_piper`` makes of the file that is kept.
"""

import sys
from pathlib import Path

import numpy as np
import soundfile

from voiceprivacy.anonymise.functions.stt_tts import stt_tts_piper
from voiceprivacy.anonymise.functions.world import spoken_anew
from voiceprivacy.corpora.kinds.synthetic import sentence
from voiceprivacy.inout import audio
from voiceprivacy.models.voices import KOKORO_ESPEAK, KOKORO_PHONEMES, KOKORO_RATE, Kokoro
from voiceprivacy.models.voices import pieces_of as phonemes_of

HERE = Path(__file__).parent
# Corpus of the demo, and folder: its speakers, and the utterances of each.
CORPORA = {"demo": (range(40), 5), "demo_train": (range(40, 80), 3)}
WOMEN, MAN = 4, 4  # voices of women come first; the number of the man's
HALF = 128  # of a style: timbre before it, melody behind
# Largest change of pitch in semitones; factors of formants: the middle, and how far from it.
CHANGES = {"f": (5.0, 1.0, 0.22), "m": (7.0, 1.06, 0.3)}
STEPS = (0.7548776662, 0.5698402910)  # of the recurrence, for pitch and formants
WITHIN_SPEAKER = {"pitch": 0.02, "formants": 0.006}  # standard deviations, relative
SAMPLE_RATE, PEAK = 16000, 0.7
COMPRESSION = 0.93  # of Opus, as libsndfile counts: about 20 kbit/s


def main(scratch: Path) -> None:
    """Speak what is not in the scratch folder yet, and write all speech and its transcripts."""
    scratch.mkdir(exist_ok=True)
    reader = Kokoro("kokoro")
    for corpus, (speakers, utterances) in CORPORA.items():
        lines = ["utterance\ttext"]
        for number in speakers:
            timbre, melody, speed = voice(number)
            factors = np.random.default_rng(number)
            for index in range(utterances):
                text = said(number, index)
                spoken = scratch / f"{number:02d}-{index}.wav"
                if not spoken.exists():
                    soundfile.write(spoken, speak(reader, text, timbre, melody, speed), KOKORO_RATE)
                original = HERE / corpus / file_of(number, index)
                keep(original, in_the_voice_of(number, spoken, factors))
                keep(HERE / "stt_tts_piper" / corpus / file_of(number, index), protected(original))
                lines.append(f"{name_of(number, index)}\t{text}")
        (HERE / corpus / "transcripts.tsv").write_text("\n".join([*lines, ""]), encoding="utf-8")


def said(number: int, index: int) -> str:
    """The sentence of a speaker's utterance."""
    return sentence(np.random.default_rng(number * 100 + index))


def name_of(number: int, index: int) -> str:
    """The id of an utterance."""
    return f"s{number:02d}-{index}"


def gender_of(number: int) -> str:
    """f or m."""
    return "fm"[number % 2]


def file_of(number: int, index: int) -> Path:
    """Where an utterance lies below the folder of its part."""
    return Path(gender_of(number), f"s{number:02d}", f"{name_of(number, index)}.opus")


def voice(number: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights of the voices for timbre (5,) and melody (5,), and the speed."""
    draw = np.random.default_rng(1000 + number)
    timbre, melody = np.zeros(WOMEN + 1), np.zeros(WOMEN + 1)
    if number % 2:
        women = draw.choice(WOMEN, 1 + draw.integers(2), replace=False)
        for weights, low, high in ((timbre, 0.55, 1.2), (melody, 0.3, 1.0)):
            weights[MAN] = draw.uniform(low, high)
            weights[women] = draw.dirichlet(np.ones(len(women))) * (1 - weights[MAN])
    else:
        women = draw.choice(WOMEN, 2 + draw.integers(2), replace=False)
        shares = draw.dirichlet(np.ones(len(women)))
        timbre[women] = 1.5 * shares - 0.5 / len(women)  # further apart than mixtures are
        melody[women] = draw.dirichlet(np.ones(len(women)))
    return timbre, melody, draw.uniform(0.95, 1.2)


def speak(
    reader: Kokoro, text: str, timbre: np.ndarray, melody: np.ndarray, speed: float
) -> np.ndarray:
    """Samples (N,) of a short sentence."""
    (phonemes,) = phonemes_of(text, KOKORO_ESPEAK)
    for sign, own in KOKORO_PHONEMES.items():
        phonemes = phonemes.replace(sign, own)
    tokens = [reader.numbers[sign] for sign in phonemes if sign in reader.numbers]
    styles = np.stack([table[len(tokens), 0] for table in reader.styles.values()])
    style = np.concatenate([timbre @ styles[:, :HALF], melody @ styles[:, HALF:]])
    inputs = {
        "tokens": np.array([[0, *tokens, 0]], np.int64),
        "style": style[None].astype(np.float32),
        "speed": np.array([speed], np.float32),
    }
    return reader.session.run(None, inputs)[0].ravel()


def in_the_voice_of(number: int, spoken: Path, factors: np.random.Generator) -> np.ndarray:
    """What Kokoro said, with the pitch and the formants of its speaker: samples (N,)."""
    samples, rate = audio.read(spoken)
    samples = audio.resample(samples, source_rate=rate, target_rate=SAMPLE_RATE).astype(float)
    order = number // 2  # among the women, or the men
    semitones, middle, width = CHANGES[gender_of(number)]
    higher, longer = (2 * (order * step % 1) - 1 for step in STEPS)
    pitch, formants = 2 ** (semitones / 12 * higher), middle + width * longer
    pitch, formants = (
        factor * factors.normal(1, deviation)
        for factor, deviation in zip((pitch, formants), WITHIN_SPEAKER.values(), strict=True)
    )
    return spoken_anew(samples, SAMPLE_RATE, pitch=pitch, formants=formants)


def protected(original: Path) -> np.ndarray:
    """What Piper says of it: samples (N,)."""
    samples, rate = audio.read(original)
    return stt_tts_piper(samples, rate, utterance=original.stem, speaker="-", seed=0)


def keep(path: Path, samples: np.ndarray) -> None:
    """Write samples (N,) as Opus."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = {"format": "OGG", "subtype": "OPUS", "compression_level": COMPRESSION}
    soundfile.write(path, PEAK * samples / np.abs(samples).max(), SAMPLE_RATE, **kind)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
