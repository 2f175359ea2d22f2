"""A corpus of synthetic speakers: English sentences spoken by espeak-ng, repeatable bit for bit.

Speaker k is the same voice in every corpus, and utterance i of speaker k the same speech. Even
speakers are women, odd ones men. Voices differ in accent, formants, pitch, intonation range,
roughness and rate. An utterance differs a little from its speaker's voice, as it does for people.
"""

import functools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy import seeds
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpus_kinds import CorpusKind
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import manifests
from voiceprivacy.running import pools
from voiceprivacy.running.espeak_jobs import require_espeak, run_espeak


def _phrases(text):
    """The phrases between | and line ends."""
    return text.strip().replace("\n", "|").split("|")


# What the speakers say: short English statements, about 40 million different ones. The order of the
# words decides what every utterance says: whoever changes it changes all synthetic speech.

WHO = _phrases("""
the old captain|my younger sister|our neighbour|the village doctor|a tall stranger
the head gardener|her best friend|the night nurse|two tired hikers|the new teacher
a shy little girl|the bus driver|his uncle George|every farmer|the chief engineer
a group of children|the quiet librarian|their grandmother|the young painter|some brave sailors
the judge|a famous singer|the shop owner|my cousin Laura|three young boys|the forest ranger
an honest merchant|the whole family|the piano player|our guide|a hungry fox|the tailor
both visitors|the queen|that clever pilot
""")

DID = _phrases("""
found|carried|painted|sold|borrowed|followed|described|watched|repaired|forgot|moved|discovered
bought|photographed|measured|cleaned|hid|showed us|brought back|wrapped up|asked about|drew|lost
examined|dreamed of|opened|kept|noticed|picked up|talked about
""")

WHICH = _phrases("""
a blue|the heavy|an ancient|the broken|a cheap|the largest|a shiny|the wooden|one rusty
a beautiful|the yellow|an empty|a strange|the second|a very small|the missing|an orange
the frozen|a valuable|the usual|his own|a thick|the square
""")

OBJECTS = _phrases("""
lantern|boat|violin|basket|mirror|bridge|carriage|teapot|letter|garden chair|pocket watch|jacket
map|wheel|suitcase|telescope|ladder|cupboard|bicycle|photograph|umbrella|sugar bowl|newspaper
drum|shovel|kitchen table|treasure|feather|cheese|bottle|machine|ring|church bell|pair of shoes
jar of honey|loaf of bread
""")

WHEN = _phrases("""
before sunrise|near the river|on Thursday|behind the station|after the storm|in the museum
last winter|at the market|under the stairs|during lunch|for the first time|by the harbour
in early spring|on the way home|without any help|across the valley|at half past seven
just in time|with great care|in the afternoon|beside the fire|this morning|outside the theatre
a year ago|while it rained|far from the city|between two trees|on a cold evening
""")

LONGEST = 54  # characters

# How the speakers sound.
ACCENTS = {
    "en-us": "phonemes en-us\ndictrules 3 6",
    "en-gb": "phonemes en",
    "en-gb-x-rp": "phonemes en-rp",
    "en-gb-x-gbclan": "phonemes en-n",
    "en-gb-scotland": "phonemes en-sc\ndictrules 2 5 6 7",
}
# Mean and standard deviation over speakers: formants in % of espeak-ng's own voice (a man's),
# pitch in Hz.
FORMANTS = {"f": (114, 5.0), "m": (96, 5.0)}
PITCH = {"f": (205, 24), "m": (112, 18)}
RANGE = (0.35, 0.10)  # width of the intonation relative to the pitch
WORDS_PER_MINUTE = (168, 16)
# Standard deviations over the utterances of a speaker, relative to the voice; drawn in this order.
WITHIN_SPEAKER = {"formants": 0.006, "pitch": 0.03, "range": 0.1, "rate": 0.05}

BATCH = 25  # utterances that one process of espeak.py speaks


def _numbers_of_speakers(options: dict[str, Any]) -> range:
    first = options["first_speaker"]
    return range(first, first + options["speakers"])


KIND = CorpusKind(
    schema="""
        description: >-
          English sentences spoken by espeak-ng; speaker k is the same voice in every corpus.
        type: object
        additionalProperties: false
        required: [speakers, utterances]
        properties:
          speakers:
            description: How many, women and men in turn.
            type: integer
            minimum: 1
          utterances:
            description: Of each speaker.
            type: integer
            minimum: 1
          first_speaker:
            description: Number of the first; corpora of a run have different speakers.
            type: integer
            minimum: 0
            default: 0
    """,
    cited="speech of synthetic speakers by eSpeak NG",
    files=lambda _: iter(()),
    transcribed_by="the sentences that are spoken",
    numbers_of_speakers=_numbers_of_speakers,
    is_made_up=True,
    is_written_again=True,
)


class Voice(NamedTuple):
    """How a speaker sounds.

    ``formants`` (5,) are frequencies and ``heights`` (5,) amplitudes in %, ``range`` is relative to
    the pitch.
    """

    accent: str
    formants: NDArray[np.float64]
    heights: NDArray[np.float64]
    pitch_hz: float
    range: float
    roughness: int
    words_per_minute: float


def list_utterances(options: dict[str, Any], findings: Findings) -> list[Listed]:
    """List the utterances of speakers first_speaker to first_speaker + speakers - 1.

    Parameters
    ----------
    options : dict
        speakers, utterances (a speaker), first_speaker (default 0).
    """
    try:
        require_espeak()
    except BadInput as error:
        findings.error("synthetic", "-", str(error))
    first = options.get("first_speaker", 0)
    utterances = []
    for number in range(first, first + options["speakers"]):
        speaker, gender = f"s{number:05d}", "fm"[number % 2]
        for index in range(options["utterances"]):
            name = f"{speaker}-{index:04d}"
            utterances.append(Listed(name, speaker, gender, "", None, "synthetic", "-"))
    return utterances


def read_transcripts(options: dict[str, Any]) -> dict[str, str]:
    """The sentences that are spoken: {utterance: text}."""
    utterances = list_utterances(options, Findings())
    return {utterance.utterance: job(utterance)["text"] for utterance in utterances}


def provide_audio(
    utterances: Sequence[Listed], *, audio_dir: Path, sample_rate: int, threads: int
) -> Iterator[manifests.Utterance]:
    """Speak utterances into audio_dir as FLAC.

    Yields
    ------
    manifests.Utterance : in the order of ``utterances``

    Raises
    ------
    BadInput : espeak-ng fails
    """
    # One process loads espeak-ng and speaks a batch.
    batches = [utterances[start : start + BATCH] for start in range(0, len(utterances), BATCH)]
    speak = functools.partial(_speak, audio_dir=Path(audio_dir), sample_rate=sample_rate)
    with pools.in_threads(speak, batches, threads=threads) as spoken_batches:
        for spoken in spoken_batches:
            yield from spoken


def voice(speaker: str, gender: str) -> Voice:
    """The voice of a speaker, drawn from its id alone."""
    generator = seeds.generator(0, "voice", speaker)  # seed 0: the same in every run
    scale = _normal(generator, *FORMANTS[gender])
    return Voice(  # the fields are drawn in this order
        accent=sorted(ACCENTS)[generator.integers(len(ACCENTS))],
        formants=scale * generator.normal(1, 0.06, 5),
        heights=generator.uniform(60, 130, 5),
        pitch_hz=_normal(generator, *PITCH[gender]),
        range=_normal(generator, *RANGE),
        roughness=int(generator.integers(4)),
        words_per_minute=_normal(generator, *WORDS_PER_MINUTE),
    )


def _normal(generator, mean, deviation):
    """A normal draw, at most two standard deviations from the mean."""
    return mean + deviation * np.clip(generator.normal(), -2, 2)


def job(utterance: Listed) -> dict[str, Any]:
    """What espeak.py has to say for an utterance, drawn from its id and its speaker's alone."""
    generator = seeds.generator(0, "utterance", utterance.utterance)
    text = sentence(generator)  # the order of the draws decides what is said
    usual = voice(utterance.speaker, utterance.gender)
    formants, pitch, width, rate = (
        generator.normal(1, spread) for spread in WITHIN_SPEAKER.values()
    )
    today = usual._replace(
        formants=usual.formants * formants,
        pitch_hz=usual.pitch_hz * pitch,
        range=usual.range * width,
    )
    return {
        "name": utterance.utterance,
        "voice": _voice_file(today),
        "words_per_minute": round(usual.words_per_minute * rate),
        "text": text,
    }


def sentence(generator: np.random.Generator) -> str:
    """Draw a sentence of five to twelve words (two to four seconds).

    It says when or where only if it stays shorter than LONGEST.
    """
    statement = " ".join(_draw(phrases, generator) for phrases in (WHO, DID, WHICH, OBJECTS))
    full = f"{statement} {_draw(WHEN, generator)}"
    text = full if len(full) < LONGEST else statement
    return text[0].upper() + text[1:] + "."


def _draw(phrases, generator):
    return phrases[generator.integers(len(phrases))]


def _voice_file(voice):
    """espeak-ng's description of a voice.

    A formant has a number, frequency, height and width in %; the pitch goes from and to, in Hz.
    """
    lines = [f"language {voice.accent}", ACCENTS[voice.accent], f"roughness {voice.roughness}"]
    formants = zip(voice.formants, voice.heights, strict=True)
    for number, (frequency, height) in enumerate(formants, start=1):
        lines.append(f"formant {number} {round(frequency)} {round(height)} 100")
    low, high = voice.pitch_hz * (1 - voice.range / 2), voice.pitch_hz * (1 + voice.range / 2)
    lines.append(f"pitch {round(low)} {round(high)}")
    return "\n".join(lines) + "\n"


def _speak(utterances, *, audio_dir, sample_rate):
    with tempfile.TemporaryDirectory() as folder:
        run_espeak([job(utterance) for utterance in utterances], Path(folder))
        return [_keep(utterance, Path(folder), audio_dir, sample_rate) for utterance in utterances]


def _keep(utterance, folder, audio_dir, sample_rate):
    """Keep what was spoken at the corpus's rate, and say so in a line of the manifest."""
    from voiceprivacy.inout import audio

    name, speaker, gender = utterance.utterance, utterance.speaker, utterance.gender
    samples, spoken_rate = audio.read(folder / f"{name}.wav")
    samples = audio.resample(samples, source_rate=spoken_rate, target_rate=sample_rate)
    path = audio_dir / f"{name}.flac"
    audio.write(path, samples, sample_rate)
    return manifests.Utterance(name, speaker, gender, path, len(samples) / sample_rate)
