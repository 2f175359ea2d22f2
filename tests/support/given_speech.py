"""Folders of made-up speech, and what a run takes of the config that is written for them."""

import shutil
import unicodedata

import numpy as np
import soundfile
import yaml

from voiceprivacy.anonymise import plugins
from voiceprivacy.corpora import checks, parts, recordings
from voiceprivacy.inout import audio
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools.new_config import write_config

RATE = 16000
NAMES = ("Jörg Müller", "anna", "Anna", "bob [x]", "original")


def sound(text, seconds=0.5, rate=RATE):
    draw = np.random.default_rng(list(text.encode()))
    return draw.normal(scale=0.1, size=round(seconds * rate))


def write(path, samples, rate=RATE, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, rate, **options)


def tree(root, form="{name}/take {number}.wav", *, names=NAMES, rate=RATE, **options):
    for name in names:
        for number in range(5):
            path = root / form.format(name=name, number=number)
            samples = sound(f"{unicodedata.normalize('NFC', name)} {number}", rate=rate)
            write(path, samples, rate, **options)
    return root


def taken(folder, run):
    """What a run takes of a new run's config: {utterance: original and protected samples}."""
    written = write_config(folder / "my.yaml", run)
    plan = Plan(configuration.check(yaml.safe_load(written[0].read_text())))
    (corpus,) = plan.speech.evaluated
    source, protocol = plan.speech.source(corpus), plan.speech.protocol(corpus)
    examination = checks.examine_entry(corpus, plan.speech.corpora)
    assert examination.findings.errors() == []
    heard = {}
    for part in ("enrolment", "trial"):
        listed = parts.list_part(source, protocol, part)
        made = {"audio_dir": folder / "made" / part, "sample_rate": RATE, "threads": 1}
        provided = recordings.provide_part(source, listed, **made)
        utterances = [utterance for pieces in provided for utterance in pieces]
        for name in plan.speech.anonymisers:
            scratch = folder / "scratch" / part / name
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(parents=True)
            system = plan.speech.anonymiser_call(name, corpus, part)
            paths = plugins.protect(system, utterances, seed=0, threads=1, scratch=scratch)
            assert paths.keys() == {utterance.utterance for utterance in utterances}
            for one in utterances:
                protected, _ = audio.read(paths[one.utterance])
                heard[one.utterance] = (audio.read(one.path)[0], protected)
    return heard


def same(one, other):
    """Whether two recordings are one, but for 16 bits."""
    return len(one) == len(other) and np.abs(one - other).max() < 2 / 32768
