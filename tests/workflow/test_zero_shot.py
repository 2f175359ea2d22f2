"""vpc --zero-shot on small directories of 2026: the organisers' layout, protected speech alone."""

import shutil

import pytest
from support import microsoft, models
from support.runs import voiceprivacy
from support.trees import write_lines

from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings

pytestmark = pytest.mark.slow
GENDERS = {"anna": "f", "berta": "f", "david": "m", "emil": "m"}


def write_set(data, name, kind, count):
    """A data directory and its protected version; the utterances {name: speaker}."""
    spoken = {f"{who}-{kind}{n}": who for who in GENDERS for n in range(count)}
    for suffix in ("", "_mine"):
        folder = data / f"{name}{suffix}"
        for number, one in enumerate(spoken):
            samples = models.tone(number, len(suffix), seconds=0.9)
            audio.write(folder / "wav" / f"{one}.wav", samples, 16000)
    folder = data / name
    write_lines(folder / "utt2spk", [f"{one} {who}" for one, who in spoken.items()])
    write_lines(folder / "spk2gender", [f"{who} {gender}" for who, gender in GENDERS.items()])
    write_lines(folder / "wav.scp", [f"{one} {folder}/wav/{one}.wav" for one in spoken])
    return spoken


def test_only_protected_speech_is_embedded_and_the_rates_lie_as_the_challenge_s(tmp_path):
    data = tmp_path / "data"
    write_set(data, "libri_test_enrolls", "e", 2)
    tried = write_set(data, "libri_test_trials_mixed", "t", 2)
    own = [(who, one) for who in GENDERS for one in tried if GENDERS[tried[one]] == GENDERS[who]]
    lines = [f"{who} {one} {'target' if tried[one] == who else 'nontarget'}" for who, one in own]
    write_lines(
        data / "libri_test_trials_mixed" / "trials",
        [f"{who} {one} nontarget" for who, one in own] + lines,
    )
    microsoft.organisers(tmp_path / "attacker")
    words = ["vpc", "--year", "2026", "--data", "data", "--suffix", "_mine", "--zero-shot"]
    finished = voiceprivacy(tmp_path, *words, "--attacker", "attacker", "--cores", "2")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.index("estimate: ") < finished.stdout.index(
        "plan: september 2026, zero-shot"
    )
    results = tmp_path / "results"
    embedded = {
        path.relative_to(results / "embeddings").parts[:3] for path in results.rglob("*.npz")
    }
    assert embedded == {("libri_test", part, "mine") for part in ("enrolment", "trial")}
    assert not (results / "metrics.tsv").exists()
    below = results / "exp" / "asv_orig" / "libri_test_enrolls_mine-libri_test_trials_mixed_mine"
    scores = (below / "scores").read_text().splitlines()
    # Of each utterance two of the other gender: as many as it has nontargets, one, on average.
    assert len(scores) == len(own) + len(tried)
    rate = 100 * float((below / "EER").read_text())
    table = (results / "exp" / "asv_orig" / "results_mine.csv").read_text().splitlines()
    assert table[1] == f"0,libri,test,mixed,anon,anon,{round(rate, 3)}"
    again = voiceprivacy(
        tmp_path, *words, "--attacker", "attacker", "--plan", "june", "--overwrite"
    )
    assert "plan: june 2026, zero-shot" in again.stdout
    assert len((below / "scores").read_text().splitlines()) == len(own)
    assert read_embeddings(next(results.rglob("*.npz"))).embeddings.shape[1] == 10
    shutil.rmtree(results)
