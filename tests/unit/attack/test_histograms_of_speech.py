"""F0 of real speech: women speak higher than men.

VOICEPRIVACY_SPEECH is a LibriSpeech folder with test-other.
"""

import os
from pathlib import Path

import numpy as np
from support import needs

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.inout import audio

SPEECH = os.environ.get("VOICEPRIVACY_SPEECH")


@needs.data("VOICEPRIVACY_SPEECH")
def test_women_speak_higher_than_men():
    lines = (Path(SPEECH) / "SPEAKERS.TXT").read_text().splitlines()
    genders = {}
    for line in lines:
        if line[0].isdigit():
            speaker, gender, *_ = (field.strip() for field in line.split("|"))
            genders[speaker] = gender
    pitch = {"F": [], "M": []}
    for folder in sorted((Path(SPEECH) / "test-other").iterdir()):
        path = min(folder.rglob("*.flac"))
        periods = histograms.lags(*audio.read(path))
        pitch[genders[folder.name]].append(histograms.F0_SAMPLE_RATE / np.median(periods))
    assert len(pitch["F"]) >= 4 and len(pitch["M"]) >= 4
    assert 150 < np.median(pitch["F"]) < 260
    assert 80 < np.median(pitch["M"]) < 160
