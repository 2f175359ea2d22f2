"""The pages of a listening test: sounds under codes, a question, and nothing that answers it.

Conventions
-----------
* A screen is a reference and one or more recordings that are judged beside it.
* Sounds are the first seconds of recordings in Opus, at one level of their active speech.
* A recording that is heard beside itself is not the same bytes twice.
* The order on the page is that of the codes, which are random; the page shuffles it for each
  listener. It asks no network for anything and sends nothing: answers are downloaded as a file.

References
----------
ITU-T P.56, Objective measurement of active speech level.
ITU-T P.810, Modulated noise reference unit (MNRU), whose noise is the low anchor.
"""

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.files import SCRIPTS, BadInput, whole_folder_or_absent
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.listen import data_url, opus
from voiceprivacy.tools.listening_test import (
    ANCHOR,
    PAIRS,
    SHIFTED,
    SIGNS,
    Drawn,
    Item,
    Speech,
    Wanted,
    draw_test,
    read_speech,
)
from voiceprivacy.vocabulary import ORIGINAL

TEMPLATES = SCRIPTS.parent / "workflow" / "report"
HANDED_OUT, KEY, LISTENERS = "hand_out", "key.json", "listeners.tsv"

LEVEL_DB = -26.0  # of active speech below full scale
ACTIVE_DB = 30.0  # frames less than this below the loudest one are speech
HIGHEST_PEAK = 0.99
FRAME_S, FADE_S = 0.02, 0.01
COPY_DB = -0.4  # which nobody hears
NOISE_DB = 5.0  # Q of P.810: speech above the noise that goes with it
SHIFT = (3, 4)  # as many samples instead of so many: a third higher and faster


class Question(NamedTuple):
    """What is asked on every screen, and the words of the scale from its lowest number on."""

    title: str
    text: str
    lowest: int
    highest: int
    words: tuple[str, ...]


GOOD = ("bad", "poor", "fair", "good", "excellent")
QUESTIONS = {
    PAIRS: Question(
        "Is it the same person?",
        "Listen to A and to B. Does one person speak in both? A computer may have changed the"
        " voices. Then judge who spoke before that. Guess where you cannot know.",
        1,
        6,
        (
            "surely two people",
            "probably two people",
            "perhaps two people",
            "perhaps one person",
            "probably one person",
            "surely one person",
        ),
    ),
    "quality": Question(
        "How good does it sound?",
        "Rate each recording from 0 to 100 beside the reference, which is 100. One of them is as"
        " good as the reference. A voice may have been changed on purpose. So do not rate whose"
        " voice it is, but how clean and natural it sounds.",
        0,
        100,
        GOOD,
    ),
    "clarity": Question(
        "How easily is it understood?",
        "Rate each recording from 0 to 100 beside the reference, which is 100. One of them is as"
        " clear as the reference. A voice may have been changed on purpose. So do not rate the"
        " voice, but how easily every word can be understood.",
        0,
        100,
        GOOD,
    ),
}


def write_test(wanted: Wanted, folder: Path) -> Drawn:
    """Write a test: pages to hand out, the key, and the codes of listeners.

    Raises
    ------
    BadInput : the folder is there already, the run has no such speech or too few people, or a
        recording is damaged
    """
    if folder.exists():
        raise BadInput(f"{folder}: is there already; answers may need its key: name another folder")
    speech = read_speech(wanted)
    drawn = draw_test(wanted, speech)
    sounds = Sounds(speech, wanted.seconds)
    volume = sounds.encoded(*sounds.read("trial", ORIGINAL, drawn.volume))
    with whole_folder_or_absent(folder) as temporary:
        (temporary / HANDED_OUT).mkdir()
        for page in range(1, wanted.pages + 1):
            own = [item for item in drawn.items if item.page == page]
            data = {"test": drawn.key["test"], "page": page, "volume": volume}
            html = rendered(wanted, data | {"screens": sounds.screens(own)})
            path = temporary / HANDED_OUT / f"page_{page}.html"
            path.write_text(html, encoding="utf-8")
        write_json(temporary / KEY, drawn.key)
        os.chmod(temporary / KEY, 0o600)
        rows = [(code, f"page_{page}.html") for code, page in drawn.key["listeners"].items()]
        write_table(temporary / LISTENERS, ["listener", "page"], rows)
    return drawn


def rendered(wanted: Wanted, data: Mapping[str, Any]) -> str:
    """A page as HTML: its script and its style are the only ones that it lets run."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    question = QUESTIONS[wanted.kind]
    return environment.get_template("listening_test.html.j2").render(
        question=question,
        is_pair=wanted.kind == PAIRS,
        introduction=wanted.introduction,
        n_screens=len(data["screens"]),
        data={**data, "lowest": question.lowest, "highest": question.highest, "signs": SIGNS},
        hashes={kind: _digest(environment, f"listening_test.{kind}") for kind in ("js", "css")},
    )


def _digest(environment, name):
    """What the page's own rules call a script or a style that it includes."""
    text = environment.get_template(name).render()
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


class Sounds:
    """The sounds of a test, cut and at one level."""

    def __init__(self, speech: Speech, seconds: float) -> None:
        self.parts = {"enrolment": speech.enrolment or speech.trial, "trial": speech.trial}
        self.seconds = seconds

    def screens(self, items: Iterable[Item]) -> list[dict[str, Any]]:
        """What a page holds of each screen."""
        by_screen: dict[int, list[Item]] = {}
        for item in sorted(items):  # by code
            by_screen.setdefault(item.screen, []).append(item)
        screens = []
        for first, *others in by_screen.values():
            recordings = [
                {"code": item.code, "sound": self._sound(item)} for item in (first, *others)
            ]
            screens.append({"reference": self._reference(first), "recordings": recordings})
        return screens

    def read(self, part: str, system: str, utterance: str) -> tuple[NDArray, int]:
        """The beginning of a recording at the level of all, and its rate."""
        samples, rate = audio.read(self.parts[part][system][utterance].path)
        return levelled(samples[: round(self.seconds * rate)], rate), rate

    def encoded(self, samples: NDArray, rate: int) -> str:
        """Samples as a data URL."""
        return data_url(opus(samples, rate), "audio/ogg; codecs=opus")

    def _reference(self, item):
        part = "trial" if item.enrolment == item.trial else "enrolment"
        system = item.system if item.condition == "pp" else ORIGINAL
        return self.encoded(*self.read(part, system, item.enrolment))

    def _sound(self, item):
        system = ORIGINAL if item.system in (ANCHOR, SHIFTED) else item.system
        samples, rate = self.read("trial", system, item.trial)
        if item.system == ANCHOR:
            samples = levelled(noisy(samples, item.trial), rate)
        elif item.system == SHIFTED:
            samples = resample_poly(samples, *SHIFT)
        elif item.enrolment == item.trial:
            samples = samples * 10 ** (COPY_DB / 20)
        return self.encoded(samples, rate)


def levelled(samples: NDArray, rate: int) -> NDArray:
    """Samples (N,) whose active speech has LEVEL_DB, faded in and out; no peak is cut off."""
    length = round(FRAME_S * rate)
    n_frames = max(1, len(samples) // length)
    power = np.array([float(frame @ frame) for frame in np.array_split(samples, n_frames)])
    power = power * n_frames / len(samples)
    active = power[power > power.max() / 10 ** (ACTIVE_DB / 10)]
    gain = 10 ** (LEVEL_DB / 20) / np.sqrt(active.mean()) if len(active) else 1.0
    gain = min(gain, HIGHEST_PEAK / max(np.abs(samples).max(), 1e-9))
    fade = np.linspace(0, 1, round(FADE_S * rate))
    faded = samples * gain
    n_faded = min(len(fade), len(samples))
    faded[:n_faded] *= fade[:n_faded]
    faded[len(samples) - n_faded :] *= fade[:n_faded][::-1]
    return faded


def noisy(samples: NDArray, name: str) -> NDArray:
    """Speech (N,) with the noise of an MNRU, which is as loud as the speech is at each moment."""
    noise = seeds.generator(0, "anchor", name).standard_normal(len(samples))
    return samples * (1 + 10 ** (-NOISE_DB / 20) * noise)
