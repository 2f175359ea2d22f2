"""The example of an adaptive attacker: McAdams is undone, and the best version is taken."""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.calls import flags
from support.sounds import recording

from voiceprivacy.anonymise.functions import mcadams
from voiceprivacy.inout import enrolments, manifests, trial_lists
from voiceprivacy.inout.scored_trials import read_scored_trials

PROGRAM = Path("workflow/resources/plugins/search_alpha.py").absolute()
RATE = 16000


@pytest.fixture
def plugin(monkeypatch):
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
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


def test_the_best_version_is_taken_of_scores_by_cosine(plugin, tones, ecapa, tmp_path, monkeypatch):
    """In a run whose two systems are the same speech."""
    speech, lists = (tmp_path / "results" / kind / "c" for kind in ("audio", "trials"))
    speakers = ("s0", "s1")
    names = [f"{speaker}-{number}" for speaker in speakers for number in (0, 1)]
    spoken = [line for line in manifests.read_manifest(tones) if line.utterance in names]
    for folder in ("enrolment/original", "trial/original", "trial/b2"):
        manifests.write_manifest(speech / folder / "manifest.tsv", spoken)
    enrolments.write_enrolments(
        lists / "f.enrolments.tsv", {name: [f"{name}-0"] for name in speakers}
    )
    trials = [
        (one, other, "target" if other.startswith(one) else "nontarget")
        for one, other in itertools.product(speakers, names)
    ]
    trial_lists.write_trials(lists / "f.tsv", trials)

    def searched(*grid):
        words = flags(results=tmp_path / "results", corpus="c", trials="f", anonymisers="b2")
        words += flags(model=ecapa, scores=tmp_path / "search", grid=list(grid))
        monkeypatch.setattr(sys, "argv", [PROGRAM.name, *words])
        plugin.main()
        names = {path.name for path in (tmp_path / "search").rglob("*.tsv")}
        assert names == {"oo.tsv", "op.tsv"}
        return read_scored_trials(tmp_path / "search" / "c" / "f" / "b2" / "op.tsv").scores

    plain, undone, best = searched(1.0), searched(0.8), searched(0.8, 1.0, 0.8)
    assert plain.max() == pytest.approx(1), "of an utterance and itself"
    assert (best - undone).max() > 1e-5, "neither the first nor the last version"
    np.testing.assert_allclose(best, np.maximum(plain, undone), atol=1e-6)


def test_it_is_a_program(tmp_path):
    subprocess.run([sys.executable, PROGRAM, "--help"], cwd=tmp_path, check=True)
