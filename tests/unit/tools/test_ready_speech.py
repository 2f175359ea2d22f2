"""Submissions are looked through before a run: what is missing is said for every team at once."""

import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.calls import here

from voiceprivacy.corpora import checks
from voiceprivacy.inout import audio
from voiceprivacy.plan import configuration
from voiceprivacy.tools import ready_speech

PATTERN = "{speaker}/{utterance}.wav"
SPEAKERS = ("f1", "f2", "m1", "m2")
CONFIG = {
    "corpora": {"speech": {"folder": {"root": "speech", "pattern": PATTERN}, "gender": "mixed"}},
    "anonymisers": {
        "one": {"audio": "submissions/one/{part}"},
        "two": {"audio": "submissions/two"},
    },
    "extractors": {"small": {"model": "{resources}/ecapa_small"}},
    "backends": {"cosine": {"type": "cosine"}},
}


def protect(source, folder, change=lambda samples: samples[::-1]):
    shutil.copytree(source, folder, dirs_exist_ok=True)
    for path in Path(folder).rglob("*.wav"):
        audio.write(path, change(audio.read(path)[0]), 16000)


@pytest.fixture(autouse=True)
def folders(tmp_path, in_tmp_path):
    for (index, speaker), number in product(enumerate(SPEAKERS), range(5)):
        samples = np.random.default_rng([index, number]).normal(0, 0.1, 4800)
        audio.write(tmp_path / "speech" / speaker / f"{speaker}_{number}.wav", samples, 16000)
    for folder in ("one/enrolment", "one/trial", "two"):
        protect("speech", f"submissions/{folder}")


def found(**changes):
    return [str(finding) for finding in findings(**changes)]


def findings(**changes):
    config = configuration.check(CONFIG | changes)
    examined = {name: checks.examine_entry(name, config["corpora"]) for name in config["corpora"]}
    return ready_speech.findings_of(config, examined)


def test_what_is_missing_is_counted_for_every_team_and_part(tmp_path):
    assert found() == []
    shutil.rmtree("submissions/two/m2")
    # Found by its stem.
    (tmp_path / "submissions/two/f1/f1_1.wav").rename("submissions/two/f2/f1_1.wav")
    for path in list(tmp_path.glob("submissions/one/trial/*/*")):
        path.unlink()
    of_one, *of_two = sorted(found())
    assert "submissions/one/trial: 8 of 8 utterances missing: " in of_one
    counts = [finding.split(" utterances")[0].split(": ")[1] for finding in of_two]
    assert sorted(counts) == ["2 of 8", "3 of 12"]
    assert all("(anonymiser 'two')" in finding and "m2_" in finding for finding in of_two)


def test_files_that_a_run_refuses_are_named_by_their_headers_and_a_look(tmp_path):
    one = tmp_path / "submissions/two/f1"
    noise = np.random.default_rng(1).normal(0, 0.1, (4800, 2))
    audio.write(one / "f1_0.wav", noise, 16000)
    for path in one.parent.glob("f2/*"):
        audio.write(path, noise[:, 0], 22050)
    audio.write(one / "f1_1.wav", noise[:2400, 0], 48000)
    for path in one.parent.glob("m1/*"):
        audio.write(path, np.zeros(20000) if path.stem == "m1_0" else np.zeros(4800), 16000)
    (one.parent / "m2" / "m2_0.wav").write_text("no audio")
    said = found()
    for words in ("at 22050 Hz instead of 16000", "at 48000 Hz", "silent, the orig", "cannot be r"):
        assert any(words in finding for finding in said), words
    [wrong] = [finding for finding in said if "lasts 1.25 s, the original 0.30 s" in finding]
    assert "25 %" in wrong and "lengths: free" in wrong
    free = CONFIG["anonymisers"]["two"] | {"lengths": "free"}
    assert not any("the original 0.30 s" in line for line in found(anonymisers={"two": free}))
    assert sum("1 recording has several channels" in finding for finding in said) == 1
    resampled = CONFIG["anonymisers"]["two"] | {"resample": True}
    assert not any(" Hz" in line for line in found(anonymisers={"two": resampled}))


def test_where_files_are_called_otherwise_it_says_how_and_of_corpora_that_are_measured_too(
    tmp_path,
):
    for path in [*tmp_path.glob("submissions/two/*/*")]:
        path.rename(path.with_name(f"{path.stem}_anon.wav"))
    measured = {"speech": CONFIG["corpora"]["speech"] | {"use": "utility"}}
    system = {"anonymisers": {"two": CONFIG["anonymisers"]["two"]}}
    [missing] = found(corpora=measured, **system)
    assert "20 of 20 utterances missing: f1_0, " in missing
    assert "20 audio files below submissions/two, of which 20 pair" in missing
    assert "such as f1/{utterance}_anon.wav" in missing
    shutil.rmtree("submissions/two")
    Path("submissions/two").mkdir()
    assert all("there is no audio below it" in finding for finding in found(**system))


def test_pieces_are_not_looked_for_and_two_files_are_an_error():
    shutil.copytree("submissions/two/f1", "submissions/two/again")
    segments = {"speech": CONFIG["corpora"]["speech"] | {"segments": {"seconds": 0.25}}}
    assert found(corpora=segments) == []
    for finding in found():
        assert "anonymiser two: utterance 'f1_" in finding and "has two files" in finding


def test_validate_says_so_and_estimates_nothing(tmp_path):
    shutil.rmtree("submissions/two/m2")
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(CONFIG))
    finished = here("validate", "--config", "c.yaml")
    assert finished.returncode == 2
    assert "  error    submissions/two: 3 of 12 utterances missing: m2_" in finished.stdout
    assert "estimate" not in finished.stdout and "\n2 errors, " in finished.stdout


def test_protected_training_speech_is_looked_for_where_an_attacker_learns_from_it(tmp_path):
    shutil.copytree("speech", "others")
    for path in [*(tmp_path / "others").glob("*/*")]:
        path.rename(path.with_name(f"x{path.name}"))
    protect("others", "submissions/one/train")
    shutil.rmtree("submissions/one/train/f1")
    others = {"folder": {"root": "others", "pattern": PATTERN}, "use": "train"}
    corpora = CONFIG["corpora"] | {"others": others}
    [missing] = found(corpora=corpora)
    assert missing.startswith("submissions/one/train: 5 of 20 utterances missing: xf1_0")
    assert found(corpora=corpora, semi_informed=False) == []


def test_a_submission_that_holds_originals_is_an_error_and_one_that_is_alike_is_noted(tmp_path):
    shutil.copytree("speech", "submissions/two", dirs_exist_ok=True)
    errors = findings()
    assert [one.level for one in errors] == ["error", "error"]  # enrolment and trial
    assert "8 of 8 recordings that were compared are the original" in errors[1].what
    assert all("(anonymiser 'two')" in one.what for one in errors)
    noise = np.random.default_rng(9).normal(0, 0.01, 4800)  # a tenth of the samples' level
    protect("speech", "submissions/two", lambda samples: samples + noise)
    assert [one.level for one in findings()] == ["oddity", "oddity"]


def test_one_file_under_many_names_is_an_error():
    one, _ = audio.read("submissions/two/f1/f1_0.wav")
    protect("speech", "submissions/two", lambda _: one)
    assert "11 of 12 recordings of two" in findings().errors()[0].what
