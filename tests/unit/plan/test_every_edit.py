"""Every edit of every file that a config names is noticed, and nothing else is.

A model of the disk says what the files hold. After any edits, with and without looks in between,
the fingerprint of each source is another one if and only if its content is.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from voiceprivacy.plan import defaults, named_files, sources
from voiceprivacy.plan.plan import Plan

FOLDERS = ["data/mine", "speech/anna", "told", "team/trial", "network", "tool"]
FILES = [  # the table first
    *(f"data/mine/{table}" for table in ("wav.scp", "utt2spk", "spk2gender", "text", "trials")),
    *("speech/anna/1.wav", "speech/anna/2.flac", "told/anna-1.wav", "team/trial/anna-1.wav"),
    *("told.tsv", "sexes.tsv", "taken.txt", "labels.tsv", "map.tsv", "expected.tsv", "tags.yaml"),
    *(f"heard_{system}.tsv" for system in ("original", "mine", "team", "nac")),
    *(f"heard_swept_gain_{gain}.tsv" for gain in (1, 2)),
    *("mine.py", "nac.py", "nac.yaml", "swept.py", "recipe.yaml", "e.npz", "scores_b2_op.tsv"),
    *("network/hyperparams.yaml", "network/embedding_model.ckpt", "tool/code.c"),
]
TABLE = "anna-1 speech/anna/1.wav\nanna-2 flac -dcs speech/anna/2.flac |\n"
TOLD = {
    "root": "told",
    "pattern": "{speaker}-{utterance}.wav",
    "transcripts": "told.tsv",
    "speakers": "sexes.tsv",
    "list": "taken.txt",
}
CONFIG = {
    "corpora": {
        "mine": {"kaldi": "data/mine"},
        "tree": {"vctk": {"root": "speech"}},
        "told": {"folder": TOLD},
    },
    "anonymisers": {
        "mine": {"function": "mine.py:protect", "options": {"of": [{"weights": "nac.yaml"}]}},
        "team": {"audio": "team"},
        "nac": {"command": "python nac.py --config=nac.yaml", "inputs": ["tool"]},
        "swept": {"command": "python swept.py --gain {gain}", "sweep": {"gain": [1, 2]}},
    },
    "extractors": {
        "network": {"model": "network"},
        "ready": {"embeddings": "e.npz"},
        "own": {"train": {"corpus": "tree"}, "recipe": "recipe.yaml"},
    },
    "backends": {"cosine": {"type": "cosine"}},
    "attacks": {"others": {"scores": "scores_{anonymiser}_{condition}.tsv", "speakers": "map.tsv"}},
    "utility": {
        "wer": {"command": "sh -c 'python nac.py --fast'"},
        "moods": {
            "type": "emotion",
            "labels": "labels.tsv",
            "predictions": "heard_{anonymiser}.tsv",
            "corpora": ["told"],
        },
    },
    "expected": "expected.tsv",
    "report": {"tags": "tags.yaml"},
}
CONTENTS = st.binary(max_size=3)  # few, so that an edit is often undone by another


def make_world():
    for folder in FOLDERS:
        Path(folder).mkdir(parents=True)
    for name in FILES:
        Path(name).write_text(TABLE if name.endswith("wav.scp") else name)


def fingerprints(plan):
    named = plan.sources.named
    return {name: Path(plan.sources.file(*name.split("/"))[0]).read_text() for name in named}


def contents(plan):
    """{source: {path: what it holds}}, read from the disk by simple means."""
    held = {}
    for source, named in plan.sources.named.items():
        held[source] = {}
        for start in named:
            paths = [start.path]
            for folder, _, names in os.walk(start.path, followlinks=True):
                paths += [os.path.join(folder, name) for name in names]
            if start.path == "data/mine":
                paths += ["speech/anna/1.wav", "speech/anna/2.flac"]
            if start.without_texts:
                paths = [path for path in paths if path != "data/mine/text"]
            files = filter(os.path.isfile, paths)
            held[source] |= {path: Path(path).read_bytes() for path in files}
    return held


class Edits(RuleBasedStateMachine):
    """Edits in any order: the fingerprints follow the content, and a touch changes nothing."""

    @initialize()
    def start(self):
        self.home = os.getcwd()
        self.folder = tempfile.mkdtemp()
        os.chdir(self.folder)
        make_world()
        Path("extra").mkdir()
        self.before = None

    def teardown(self):
        os.chdir(self.home)
        shutil.rmtree(self.folder)

    @rule(name=st.sampled_from(FILES), content=CONTENTS, keep=st.booleans())
    def append(self, name, content, keep):
        """In place; with ``keep`` the old times of modification are written back."""
        status = os.stat(name)
        text = b"" if name.endswith("wav.scp") else content
        Path(name).write_bytes(Path(name).read_bytes() + text + b"\n")
        if keep:
            os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns))

    @rule(name=st.sampled_from(FILES[1:]))
    def change_a_byte(self, name):
        held = bytearray(Path(name).read_bytes() or b"x")
        held[-1] ^= 1
        status = os.stat(name)
        Path(name).write_bytes(held)
        os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns))

    @rule(name=st.sampled_from(FILES[1:]))
    def truncate(self, name):
        os.truncate(name, max(0, os.path.getsize(name) - 1))

    @rule(name=st.sampled_from(FILES), content=CONTENTS)
    def rename_over(self, name, content):
        held = Path(name).read_bytes()
        Path("new").write_bytes(held if name.endswith("wav.scp") else content)
        os.replace("new", name)

    @rule(one=st.sampled_from(FILES[1:]), other=st.sampled_from(FILES[1:]))
    def swap(self, one, other):
        if one != other:
            os.rename(one, "kept")
            os.rename(other, one)
            os.rename("kept", other)

    @rule(name=st.sampled_from(FILES), content=CONTENTS, number=st.integers(0, 1))
    def point_a_link_elsewhere(self, name, content, number):
        held = Path(name).read_bytes()
        target = Path(f"extra/{number}-{name.replace('/', '-')}")
        target.write_bytes(held if name.endswith("wav.scp") else content)
        os.remove(name)
        os.symlink(target.absolute(), name)

    @rule(folder=st.sampled_from(FOLDERS), content=CONTENTS, number=st.integers(0, 1))
    def add(self, folder, content, number):
        Path(folder, f"new{number}.wav").write_bytes(content)

    @rule(folder=st.sampled_from(FOLDERS), number=st.integers(0, 1))
    def remove(self, folder, number):
        Path(folder, f"new{number}.wav").unlink(missing_ok=True)

    @rule(name=st.sampled_from(FILES), when=st.integers(1, 10**9))
    def touch(self, name, when):
        os.utime(name, (when, when))

    @rule()
    def forget_what_is_known(self):
        """As where somebody removes .snakemake: the next look is the first one."""
        sources.CACHE.unlink(missing_ok=True)

    @rule()
    def look(self):
        """The fingerprints have changed where the content has, and nowhere else."""
        plan = Plan(defaults.complete(CONFIG))
        held = contents(plan)
        plan.sources.refresh()
        after = fingerprints(plan)
        if self.before:
            for source, (old_content, old) in self.before.items():
                assert (old != after[source]) == (old_content != held[source]), source
        self.before = {source: (held[source], after[source]) for source in after}


def test_the_config_names_all_files_of_the_model(in_tmp_path):
    make_world()
    plan = Plan(defaults.complete(CONFIG))
    assert not named_files.unusable(plan.named)
    assert "nac.yaml" in [one.path for one in plan.sources.named["anonymisers/mine"]]
    held = set().union(*contents(plan).values())
    assert {os.path.normpath(path) for path in held} == set(FILES)


class TestEdits(Edits.TestCase):
    settings = settings(max_examples=15, stateful_step_count=25, deadline=None)


@pytest.mark.nightly
class TestManyEdits(Edits.TestCase):
    settings = settings(max_examples=300, stateful_step_count=40, deadline=None)
