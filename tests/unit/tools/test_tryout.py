"""Programs and functions of a config are tried before a run: mistakes stand at their lines."""

from itertools import product

import numpy as np
import pytest
import yaml
from support.plans import voices
from support.sounds import RATE

from voiceprivacy.corpora import checks
from voiceprivacy.inout import audio
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools import tryout

DIES = "print('my last words', flush=True); import os; os._exit(3)"
RETURN = "return samples[::-1]"
GOOD = f"def anonymise(samples, rate, *, utterance, speaker, seed):\n    {RETURN}\n"


@pytest.fixture
def tried(tmp_path, in_tmp_path):
    """Try an anonymiser's entry, whose function has a text; returns the findings."""
    for speaker in "ab":
        for number in range(4):
            samples = np.concatenate([np.zeros(RATE), 0.1 * np.sin(np.arange(RATE)), [0.0]])
            audio.write(tmp_path / f"speech/{speaker}/{speaker}{number}.wav", samples, RATE)

    def run(text=GOOD, call=True, **fields):
        (tmp_path / "mine.py").write_text(text)
        spoken = {"folder": {"root": "speech", "pattern": "{speaker}/{utterance}.wav"}}
        spoken["protocol"] = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["mixed"]}}
        spoken["sample_rate"] = RATE
        anonymisers = {"mine": fields or {"function": "mine.py:anonymise"}}
        config = {"corpora": {"x": spoken}, "anonymisers": anonymisers}
        (tmp_path / "my.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        return tryout.findings_of(["my.yaml"], Plan(configuration.check(config)), call=call)

    return run


def test_without_the_wish_no_function_is_imported(tried, tmp_path):
    assert tried("open('imported', 'w')\n", call=False) == []
    assert not (tmp_path / "imported").exists()
    assert len(tried("open('imported', 'w')\n")) == 1 and (tmp_path / "imported").exists()


LOUDEST = "assert abs(samples).mean() > 0.05 and len(samples) == rate"


@pytest.mark.parametrize(
    "text", [GOOD.replace(RETURN, f"{LOUDEST}; {RETURN}"), f"import torchaudio\n{GOOD}"]
)
def test_a_function_that_works_on_the_loudest_second_is_nothing_to_report(tried, text):
    assert tried(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import librosaa\n", "mine.py: cannot be imported: ModuleNotFoundError"),
        ("def anonymise(samples\n", "mine.py: cannot be imported: SyntaxError"),
        (GOOD.replace("anonymise", "anonymize"), "mine.py: has no function 'anonymise'"),
        ("def anonymise(samples, rate): pass\n", "it is called with (samples, sample_rate, *, utt"),
        (GOOD.replace("return", ""), "not None (is a 'return' missing?)"),
        (GOOD.replace("[::-1]", " * 0"), "is silent, the original is not"),
        (GOOD.replace(RETURN, "raise ValueError('no')"), "ValueError: no (mine.py, line 2)"),
        (GOOD.replace(RETURN, DIES), "ended with exit code 3: my last words"),
    ],
)
def test_a_function_that_cannot_work_is_named_with_its_line(tried, text, words):
    (finding,) = tried(text)
    assert (finding.level, finding.file, finding.line) == ("error", "my.yaml", 14)
    assert "anonymisers.mine: called on one second of speech: " in str(finding)
    assert words in str(finding)


def test_a_function_that_draws_without_the_seed_is_noted(tried):
    drawn = "import numpy as np\n" + GOOD.replace("[::-1]", " + np.random.{}.normal(0, 0.1, rate)")
    (finding,) = tried(drawn.format("default_rng()"))
    assert finding.level == "oddity" and "again, with the same seed, it makes other" in str(finding)
    assert tried(drawn.format("default_rng(seed)")) == []


def test_where_it_has_an_environment_of_its_own_a_failure_here_is_an_oddity(tried, tmp_path):
    (tmp_path / "own.yaml").write_text("dependencies: []\n")
    (finding,) = tried("import librosaa\n", function="mine.py:anonymise", env="own.yaml")
    assert finding.level == "oddity" and "not in its environment own.yaml" in str(finding)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("pyhton mine.py", "pyhton: no such program"),
        ("python elsewhere.py --most 3", "elsewhere.py: not found"),
        ("./run.sh", "./run.sh: no such program"),
        ("python mine.py", None),
        ("python -m mine", None),
        ("python {resources}/plugins/copy_speech.py", None),
        ("sh -c 'python elsewhere.py'", None),  # what a shell does, nobody knows
    ],
)
def test_a_program_that_is_not_there_is_named_with_its_line(tried, command, words):
    findings = [str(finding) for finding in tried(command=command)]
    assert findings == ([f"my.yaml:14: anonymisers.mine.command: {words}"] if words else [])


def test_a_recipe_of_ones_own_is_read_before_speech_is_protected(tmp_path):
    recipe = tmp_path / "mine.yaml"
    recipe.write_text("number_of_epochs: three\n")
    config = {
        "corpora": {"x": voices(4, 4), "t": voices(4, 4, first=9, use="train")},
        "extractors": {"mine": {"train": {"corpus": "t"}, "recipe": str(recipe)}},
    }
    (finding,) = tryout.wrong_recipes(Plan(configuration.check(config)))
    assert str(finding).startswith(f"{recipe}: number_of_epochs is 'three'")


def test_recordings_that_an_attacker_cannot_take_are_known_before(tmp_path, in_tmp_path):
    rng = np.random.default_rng(0)
    for speaker, number in product("ab", range(4)):
        seconds = 0.03 if (speaker, number) == ("a", 1) else 0.2 if speaker == "a" else 0.3
        samples = rng.normal(0, 0.1, round(seconds * 16000))
        audio.write(tmp_path / f"speech/{speaker}/{speaker}{number}.wav", samples, 16000)
    spoken = {"folder": {"root": "speech", "pattern": "{speaker}/{utterance}.wav"}}
    spoken |= {"gender": "mixed", "protocol": {"enrol_trial": {"enrolment_utterances": 1}}}
    learning = {"train": {"corpus": "t", "speech": "original"}, "recipe": "ecapa_small"}
    extractors = {
        "ecapa": {"model": "{resources}/ecapa_small"},
        "mine": learning,
        "dvector": {"package": "dvector"},
        "pitch": {"f0": {}},
    }
    corpora = {"x": spoken, "t": voices(4, 4, first=9, use="train")}
    backends = {"cosine": {"type": "cosine"}, "js": {"type": "jensen_shannon"}}
    backends["p"] = {"type": "plda", "train": {"corpus": "t"}, "extractors": ["dvector"]}
    config = {"corpora": corpora, "extractors": extractors, "backends": backends}
    config = configuration.check(config | {"semi_informed": False})
    examined = {"x": checks.examine_entry("x", config["corpora"])}
    examined["t"] = examined["x"]._replace(shortest={"t1": 0.03})
    said = [str(finding) for finding in tryout.too_short(Plan(config), examined)]
    assert [line.partition(" shorter ")[0] for line in said] == [
        "corpus x: 4 recordings are",
        "corpus x: 4 recordings are",
        "corpus x: 1 recording is",
        "corpus t: 1 recording is",
    ]
    assert "extractor 'mine' needs: exclude: [a0, a1, a2, a3]" in said[1]
