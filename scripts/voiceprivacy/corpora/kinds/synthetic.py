"""A corpus of synthetic speakers: English sentences spoken by espeak-ng, repeatable bit for bit.

Speaker k is the same voice in every corpus, and utterance i of speaker k the same speech; even speakers are women, odd
ones men. Voices differ in accent, formants, pitch, intonation range, roughness and rate; an utterance differs a little
from its speaker's voice, as it does for people.
"""

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import espeakng_loader
import numpy as np

from voiceprivacy.corpora.kinds import espeak
from voiceprivacy.corpora.listing import Listed
from voiceprivacy.inout import audio, seeds, tables
from voiceprivacy.inout.files import BadInput

# What the synthetic speakers say: short English statements, about 40 million different ones, from a small grammar.

_WHO = (
    """
the old captain|my younger sister|our neighbour|the village doctor|a tall stranger|the head gardener|her best friend
the night nurse|two tired hikers|the new teacher|a shy little girl|the bus driver|his uncle George|every farmer
the chief engineer|a group of children|the quiet librarian|their grandmother|the young painter|some brave sailors
the judge|a famous singer|the shop owner|my cousin Laura|three young boys|the forest ranger|an honest merchant
the whole family|the piano player|our guide|a hungry fox|the tailor|both visitors|the queen|that clever pilot
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_DID = (
    """
found|carried|painted|sold|borrowed|followed|described|watched|repaired|forgot|moved|discovered|bought|photographed
measured|cleaned|hid|showed us|brought back|wrapped up|asked about|drew|lost|examined|dreamed of|opened|kept
noticed|picked up|talked about
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_WHICH = (
    """
a blue|the heavy|an ancient|the broken|a cheap|the largest|a shiny|the wooden|one rusty|a beautiful|the yellow|an empty
a strange|the second|a very small|the missing|an orange|the frozen|a valuable|the usual|his own|a thick|the square
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_WHAT = (
    """
lantern|boat|violin|basket|mirror|bridge|carriage|teapot|letter|garden chair|pocket watch|jacket|map|wheel|suitcase
telescope|ladder|cupboard|bicycle|photograph|umbrella|sugar bowl|newspaper|drum|shovel|kitchen table|treasure|feather
cheese|bottle|machine|ring|church bell|pair of shoes|jar of honey|loaf of bread
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_WHEN = (
    """
before sunrise|near the river|on Thursday|behind the station|after the storm|in the museum|last winter|at the market
under the stairs|during lunch|for the first time|by the harbour|in early spring|on the way home|without any help
across the valley|at half past seven|just in time|with great care|in the afternoon|beside the fire|this morning
outside the theatre|a year ago|while it rained|far from the city|between two trees|on a cold evening
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


LONGEST = 54  # characters


def sentence(generator):
    """Draw a sentence of five to twelve words (two to four seconds); a time or place only where LONGEST allows it.

    Parameters
    ----------
    generator : numpy.random.Generator
    """
    statement, when = (_draw(parts, generator) for parts in ((_WHO, _DID, _WHICH, _WHAT), (_WHEN,)))
    full = f"{statement} {when}"
    text = full if len(full) < LONGEST else statement
    return text[0].upper() + text[1:] + "."


def _draw(parts, generator):
    return " ".join(choices[generator.integers(len(choices))] for choices in parts)


ACCENTS = {
    "en-us": "phonemes en-us\ndictrules 3 6",
    "en-gb": "phonemes en",
    "en-gb-x-rp": "phonemes en-rp",
    "en-gb-x-gbclan": "phonemes en-n",
    "en-gb-scotland": "phonemes en-sc\ndictrules 2 5 6 7",
}
# mean and standard deviation over speakers: formants in % of espeak-ng's own voice (a man's), pitch in Hz
FORMANTS = {"f": (114, 5.0), "m": (96, 5.0)}
PITCH = {"f": (205, 24), "m": (112, 18)}
RANGE = (0.35, 0.10)  # width of the intonation relative to the pitch
WORDS_PER_MINUTE = (168, 16)
WITHIN_SPEAKER = {
    "formants": 0.006,
    "pitch": 0.03,
    "range": 0.1,
    "rate": 0.05,
}  # standard deviations over utterances
BATCH = 25


class Voice(NamedTuple):
    """How a speaker sounds: accent, formant frequencies and heights in %, pitch in Hz, range, rate."""

    accent: str
    formants: np.ndarray
    heights: np.ndarray
    pitch_hz: float
    range: float
    roughness: int
    words_per_minute: float


def list_utterances(options, findings):
    """List the utterances of speakers first_speaker to first_speaker + speakers - 1.

    Parameters
    ----------
    options : dict
        speakers, utterances (a speaker), first_speaker (default 0).
    """
    first = options.get("first_speaker", 0)
    return [
        Listed(
            f"s{number:05d}-{index:04d}",
            f"s{number:05d}",
            "fm"[number % 2],
            "",
            None,
            "synthetic",
            "-",
        )
        for number in range(first, first + options["speakers"])
        for index in range(options["utterances"])
    ]


def provide_audio(utterances, *, audio_dir, sample_rate, threads):
    """Speak utterances into audio_dir as FLAC.

    Yields
    ------
    tables.Utterance : in the order of ``utterances``
    """
    batches = [utterances[start : start + BATCH] for start in range(0, len(utterances), BATCH)]
    with ThreadPoolExecutor(threads) as pool:
        for spoken in pool.map(lambda batch: _speak(batch, Path(audio_dir), sample_rate), batches):
            yield from spoken


def voice(speaker, gender):
    """The voice of a speaker, drawn from its id alone."""
    generator = seeds.generator(0, "voice", speaker)
    scale = _normal(generator, *FORMANTS[gender])
    return Voice(
        accent=sorted(ACCENTS)[generator.integers(len(ACCENTS))],
        formants=scale * generator.normal(1, 0.06, 5),
        heights=generator.uniform(60, 130, 5),
        pitch_hz=_normal(generator, *PITCH[gender]),
        range=_normal(generator, *RANGE),
        roughness=int(generator.integers(4)),
        words_per_minute=_normal(generator, *WORDS_PER_MINUTE),
    )


def job(utterance):
    """What espeak.py has to say for an utterance, drawn from its id and its speaker's alone."""
    generator = seeds.generator(0, "utterance", utterance.utterance)
    text = sentence(generator)
    of_speaker = voice(utterance.speaker, utterance.gender)
    formants, pitch, width, rate = (
        generator.normal(1, spread) for spread in WITHIN_SPEAKER.values()
    )
    of_utterance = of_speaker._replace(
        formants=of_speaker.formants * formants,
        pitch_hz=of_speaker.pitch_hz * pitch,
        range=of_speaker.range * width,
    )
    return {
        "name": utterance.utterance,
        "voice": _voice_file(of_utterance),
        "words_per_minute": round(of_speaker.words_per_minute * rate),
        "text": text,
    }


def _normal(generator, mean, deviation):
    """A normal draw, at most two standard deviations from the mean."""
    return mean + deviation * np.clip(generator.normal(), -2, 2)


def _voice_file(voice):
    """espeak-ng's description of a voice: formant number, frequency, height and width in %; pitch from and to in Hz."""
    lines = [f"language {voice.accent}", ACCENTS[voice.accent], f"roughness {voice.roughness}"]
    lines += [
        f"formant {number} {round(frequency)} {round(height)} 100"
        for number, (frequency, height) in enumerate(
            zip(voice.formants, voice.heights, strict=True), start=1
        )
    ]
    low, high = voice.pitch_hz * (1 - voice.range / 2), voice.pitch_hz * (1 + voice.range / 2)
    return "\n".join([*lines, f"pitch {round(low)} {round(high)}", ""])


def _speak(utterances, audio_dir, sample_rate):
    with tempfile.TemporaryDirectory() as folder:
        _run_espeak([job(utterance) for utterance in utterances], folder)
        return [_keep(utterance, folder, audio_dir, sample_rate) for utterance in utterances]


def _run_espeak(jobs, folder):
    """Speak jobs into NAME.wav of a folder."""
    program = [sys.executable, "-I", "-S", espeak.__file__]
    (Path(folder) / "data").symlink_to(
        espeakng_loader.get_data_path()
    )  # espeak-ng takes at most 160 characters
    library = [espeakng_loader.get_library_path(), "data"]
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run(
        [*program, *library], input=lines, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BadInput(f"espeak-ng failed: {' '.join(done.stderr.split())}")


def _keep(utterance, folder, audio_dir, sample_rate):
    samples, spoken_rate = audio.read(Path(folder) / f"{utterance.utterance}.wav")
    samples = audio.resample(samples, source_rate=spoken_rate, target_rate=sample_rate)
    path = audio_dir / f"{utterance.utterance}.flac"
    audio.write(path, samples, sample_rate)
    return tables.Utterance(*utterance[:3], path, len(samples) / sample_rate)
