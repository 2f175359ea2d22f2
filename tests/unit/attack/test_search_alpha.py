"""The example of an adaptive attacker: McAdams is undone, and the best version is taken."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.sounds import recording

from voiceprivacy.anonymise.functions import mcadams
from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.inout.tables import (
    read_manifest,
    write_enrolments,
    write_manifest,
    write_trials,
)

PLUGINS = Path("workflow/resources/plugins").absolute()
RATE = 16000


@pytest.fixture
def plugin(monkeypatch):
    monkeypatch.syspath_prepend(str(PLUGINS))
    import search_alpha

    return search_alpha


def envelope_db(samples):
    """Mean level of 40 bands of 200 Hz, without the overall level: where the formants are."""
    frames = samples[: len(samples) // 320 * 320].reshape(-1, 320) * np.hanning(320)
    power = (np.abs(np.fft.rfft(frames, axis=1)) ** 2).mean(axis=0)
    level = 10 * np.log10(power[:160].reshape(40, 4).mean(axis=1) + 1e-9)
    return level - level.mean()


@pytest.mark.parametrize("alpha", [0.7, 0.8, 0.9])
def test_undoing_the_right_alpha_brings_the_formants_back(plugin, tmp_path, alpha):
    """They are 7 to 20 dB off as they are, and 1 to 3 dB afterwards."""
    with np.load("tests/data/mcadams/espeak2.npz") as file:
        original = file["in_int16"] / 32768
    protected = mcadams.to_int16(mcadams.anonymise(original, RATE, alpha=alpha))
    utterance = recording(tmp_path, "u", protected / 32768)
    wanted = envelope_db(original)
    distances = {}
    for tried in (1.0, alpha, alpha - 0.1, alpha - 0.2):
        distances[tried] = np.abs(envelope_db(plugin.undone(utterance, tried)) - wanted).mean()
    own = distances.pop(alpha)
    assert own < 0.3 * min(distances.values())


@pytest.fixture
def results(tones, tmp_path):
    """The files of a run that the plug-in reads: two systems of the same speech."""
    speech = tmp_path / "results" / "audio" / "c"
    utterances = read_manifest(tones)
    for part, system in (("enrolment", "original"), ("trial", "original"), ("trial", "b2")):
        (speech / part / system).mkdir(parents=True)
        write_manifest(speech / part / system / "manifest.tsv", utterances)
    lists = tmp_path / "results" / "trials" / "c"
    lists.mkdir(parents=True)
    speakers = sorted({utterance.speaker for utterance in utterances})
    write_enrolments(lists / "f.enrolments.tsv", {name: [f"{name}-0"] for name in speakers})
    trials = [
        (one, f"{other}-{number}", "target" if one == other else "nontarget")
        for one in speakers
        for other in speakers
        for number in (1, 2)
    ]
    write_trials(lists / "f.tsv", trials)
    return tmp_path / "results"


def searched(results, ecapa, folder, *grid):
    """Scores of the plug-in under OP, as it is called."""
    words = ["--results", results, "--corpus", "c", "--trials", "f", "--anonymisers", "b2"]
    words += ["--model", ecapa, "--scores", folder, "--grid", *grid]
    command = [sys.executable, PLUGINS / "search_alpha.py", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.rglob("*.tsv")} == {"oo.tsv", "op.tsv"}
    return read_scored_trials(folder / "c" / "f" / "b2" / "op.tsv").scores


def test_the_best_version_is_taken_of_scores_by_cosine(results, ecapa, plugin, tmp_path):
    best = searched(results, ecapa, tmp_path / "best", 0.8, 1.0, 0.8)
    manifest = results / "audio" / "c" / "trial" / "b2" / "manifest.tsv"
    extractor = plugin.networks.Extractor(ecapa)
    trials = plugin.tables.read_trials(results / "trials" / "c" / "f.tsv")
    enrolments = backends.read_enrolments(results / "trials" / "c" / "f.enrolments.tsv")
    enrolled, undone = (plugin.gallery_of(extractor, manifest, alpha) for alpha in (1.0, 0.8))
    plain, other = (
        backends.score_trials(
            backends.cosine, trials, enrolment=enrolled, trial=tried, enrolments=enrolments
        )
        for tried in (enrolled, undone)
    )
    expected = np.maximum(plain, other)
    assert (expected - other).max() > 1e-5, "neither the first nor the last version"
    by_label = [
        expected[[trial.label == label for trial in trials]] for label in ("target", "nontarget")
    ]
    np.testing.assert_allclose(best, np.concatenate(by_label), atol=1e-6)
