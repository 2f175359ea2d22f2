"""Any edit of any file of a run: a second run equals a fresh one, byte for byte."""

import os
import shutil

import pytest
import soundfile
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support.runs import make_kaldi_directory, snakemake

COMMAND = """
import argparse, csv, pathlib, soundfile
parser = argparse.ArgumentParser()
for name in ("manifest", "seed", "audio-dir", "output-manifest", "gain-file"):
    parser.add_argument(f"--{name}", type=pathlib.Path)
arguments = parser.parse_args()
gain = float(arguments.gain_file.read_text())
rows = list(csv.DictReader(open(arguments.manifest), delimiter="\\t"))
with open(arguments.output_manifest, "w") as out:
    print(*rows[0], sep="\\t", file=out)
    for row in rows:
        samples, rate = soundfile.read(arguments.manifest.parent / row["path"])
        row["path"] = arguments.audio_dir / (row["utterance"] + ".wav")
        soundfile.write(row["path"], gain * samples[::-1], rate)
        print(*row.values(), sep="\\t", file=out)
"""
FUNCTION = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return 0.5 * samples
"""
SCORES = "enrolment\ttrial\tlabel\tscore\n"
TARGETS = ["results/metrics.tsv", "results/verdict.json"]
CONFIG = {
    "corpora": {"tiny": {"kaldi": "data/tiny"}},
    "anonymisers": {
        "team": {"audio": "team"},
        "mine": {"function": "mine.py:anonymise"},
        "nac": {"command": "python nac.py --gain-file gain.txt"},
    },
    "extractors": {"timing": {"timing": {}}, "random": {"model": "model"}},
    "backends": {"cosine": {"type": "cosine"}},
    "attacks": {"team7": {"scores": "team7/{anonymiser}_{condition}.tsv"}},
    "report": {"bootstrap": 0, "tags": "tags.yaml"},
}


def write_run(folder, model_folder):
    make_kaldi_directory(folder / "data" / "tiny", utterances=3, enrolled=1)
    shutil.copytree(folder / "data" / "tiny" / "wav", folder / "team")
    shutil.copytree(model_folder, folder / "model")
    (folder / "mine.py").write_text(FUNCTION)
    (folder / "nac.py").write_text(COMMAND)
    (folder / "gain.txt").write_text("0.5\n")
    (folder / "team7").mkdir()
    for name, best in (("original_oo", 2.5), ("b2_op", 1.5)):
        lines = [f"a\tb{n}\ttarget\t{best + n}\na\tc{n}\tnontarget\t{n}\n" for n in range(4)]
        (folder / "team7" / f"{name}.tsv").write_text(SCORES + "".join(lines))
    tags = "A: {from_log10: 0, meaning: low}\nB: {from_log10: 1, meaning: high}\n"
    (folder / "tags.yaml").write_text(tags)
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))


def run(folder):
    """The numbers and the verdict of a folder, as bytes."""
    words = ("--cores", "2", "--configfile", folder / "config.yaml")
    made = snakemake(folder, *TARGETS, *words)
    assert made.returncode == 0, made.stderr
    return {name: (folder / name).read_bytes() for name in TARGETS}


@pytest.fixture(scope="module")
def finished(tmp_path_factory, model_folder):
    folder = tmp_path_factory.mktemp("edited")
    write_run(folder, model_folder)
    run(folder)
    return folder


# Edits.


def replace(old, new):
    def edit(path):
        path.write_text(path.read_text().replace(old, new))

    return edit


def other_recording(path):
    """Rename another recording's copy over this one."""
    shutil.copy(path.with_name("emil-1.wav"), path.with_name("copy"))
    os.replace(path.with_name("copy"), path)


def change_a_sample(path):
    held = bytearray(path.read_bytes())
    held[5001] ^= 64
    path.write_bytes(held)


def cut(path):
    """Its header says so: what is cut off badly is refused."""
    samples, rate = soundfile.read(path)
    soundfile.write(path, samples[: len(samples) - 800], rate)


def name_another(path):
    """The last line names a recording that lies elsewhere and says something else."""
    *lines, last = path.read_text().splitlines()
    other = path.with_name("other") / "emil-3.wav"
    other.parent.mkdir(exist_ok=True)
    shutil.copy(path.with_name("wav") / "emil-1.wav", other)
    path.write_text("\n".join([*lines, f"{last.split()[0]} {other}"]) + "\n")


def drop_a_line(path):
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def point_elsewhere(path):
    """A link to another folder with the same names takes its place."""
    if path.is_symlink():
        return
    path.rename(path.with_name("elsewhere"))
    change_a_sample(path.with_name("elsewhere") / "berta-2.wav")
    path.symlink_to("elsewhere")


EDITS = [
    ("data/tiny/wav/anna-2.wav", other_recording),
    ("data/tiny/wav/david-2.wav", change_a_sample),
    ("data/tiny/wav/clara-2.wav", cut),
    ("data/tiny/wav.scp", name_another),
    ("data/tiny/utt2spk", lambda path: path.write_text(path.read_text() + "\n")),
    ("data/tiny/spk2gender", replace("anna f", "anna m")),
    ("data/tiny/trials", drop_a_line),
    ("team/anna-2.wav", change_a_sample),
    ("team", point_elsewhere),
    ("mine.py", replace("0.5", "0.25")),
    ("nac.py", replace("[::-1]", "")),
    ("gain.txt", replace("0.5", "0.125")),
    ("model/hyperparams.yaml", lambda path: path.write_text(path.read_text() + "\n# note\n")),
    ("team7/b2_op.tsv", replace("1.5", "0.75")),
    ("tags.yaml", replace("from_log10: 1", "from_log10: 2")),
]


@pytest.mark.long
@pytest.mark.parametrize(
    "edits", [EDITS[:7], EDITS[7:]], ids=["of the corpus", "of systems, attackers and scores"]
)
def test_a_run_after_edits_equals_a_fresh_one(finished, tmp_path_factory, edits):
    """One folder is edited and run again and again; each time its results are those of a copy."""

    @settings(max_examples=2, deadline=None, database=None)
    @given(numbers=st.sets(st.integers(0, len(edits) - 1), min_size=3))
    def after(numbers):
        for number in sorted(numbers):
            name, edit = edits[number]
            edit(finished / name)
        for path in finished.rglob("*.wav"):
            os.utime(path)
        fresh = tmp_path_factory.mktemp("fresh") / "run"
        own = shutil.ignore_patterns("results", ".snakemake")
        shutil.copytree(finished, fresh, ignore=own, symlinks=True)
        assert run(finished) == run(fresh)
        shutil.rmtree(fresh)

    after()
