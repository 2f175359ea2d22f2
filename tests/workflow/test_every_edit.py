"""Edits of every kind of file of a run: a second run equals a fresh one, byte for byte."""

import os
import shutil

import pytest
import soundfile
import yaml
from support import apptainer
from support.installed import install
from support.runs import MEASURE, WITHOUT_MEASURES, finish, make_kaldi_directory, write_submission

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
from gains import one

def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return one.GAIN * samples
"""
GAIN = "GAIN = 0.5\n"
LOUDER = """
def louder(samples, sample_rate, *, utterance, speaker, seed):
    return 0.75 * samples
"""
OFFERS = "louder = louder:louder"
SCORES = "enrolment\ttrial\tlabel\tscore\n"
TARGETS = ["results/metrics.tsv", "results/verdict.json"]
CONFIG = {
    "corpora": {"tiny": {"kaldi": "data/tiny"}},
    "anonymisers": {
        "team": {"audio": "team"},
        "mine": {"function": "mine.py:anonymise"},
        "nac": {"command": "python nac.py --gain-file gain.txt"},
        "theirs": {"container": "image.sif", "command": "/opt/anonymise --strength 3"},
        "louder": {"package": "louder"},
    },
    "extractors": {"random": {"model": "model"}},
    "backends": {"cosine": {"type": "cosine"}},
    "attacks": {"team7": {"scores": "team7/{anonymiser}_{condition}.tsv"}},
    "utility": WITHOUT_MEASURES | {"length": {"command": "python measure.py"}},
    "report": {"bootstrap": 0, "inference": False, "tags": "tags.yaml"},
}


def write_run(folder, model_folder):
    make_kaldi_directory(folder / "data" / "tiny", utterances=3, enrolled=1)
    write_submission(folder / "team", folder / "data" / "tiny" / "wav")
    shutil.copytree(model_folder, folder / "model")
    (folder / "mine.py").write_text(FUNCTION)
    (folder / "gains").mkdir()
    (folder / "gains" / "one.py").write_text(GAIN)
    (folder / "nac.py").write_text(COMMAND)
    (folder / "gain.txt").write_text("0.5\n")
    (folder / "measure.py").write_text(MEASURE)
    (folder / "image.sif").write_text(apptainer.COPIER)
    apptainer.install(folder / "bin", folder / "told.json")
    install(folder / "site", "louder", LOUDER, offers=OFFERS)
    (folder / "team7").mkdir()
    for name, best in (("original_oo", 2.5), ("b2_op", 1.5)):
        lines = [f"a\tb{n}\ttarget\t{best + n}\na\tc{n}\tnontarget\t{n}\n" for n in range(4)]
        (folder / "team7" / f"{name}.tsv").write_text(SCORES + "".join(lines))
    tags = "A: {from_log10: 0, meaning: low}\nB: {from_log10: 1, meaning: high}\n"
    (folder / "tags.yaml").write_text(tags)
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))


def run(folder):
    """The numbers and the verdict of a folder, as bytes."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    finish(folder, *TARGETS, PATH=path, PYTHONPATH=str(folder / "site"))
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


def rebuild(image):
    """The program in the image takes anna's first recording for all of hers."""
    one_for_all = "case $name in anna-*) path=${first:=$path} ;; esac"
    image.write_text(image.read_text().replace("    cp ", f"    {one_for_all}\n    cp ", 1))


def install_another(site):
    """Of the same name and version: only what the installer wrote of its files says so."""
    shutil.rmtree(site)
    install(site, "louder", LOUDER.replace("0.75", "0.1"), offers=OFFERS)


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
    ("mine.py", replace("* samples", "* samples[::-1]")),
    ("gains/one.py", replace("0.5", "0.25")),
    ("nac.py", replace("[::-1]", "")),
    ("gain.txt", replace("0.5", "0.125")),
    ("image.sif", rebuild),
    ("site", install_another),
    ("measure.py", replace("kept, sep", "2 * kept, sep")),
    ("model/hyperparams.yaml", lambda path: path.write_text(path.read_text() + "\n# note\n")),
    ("team7/b2_op.tsv", replace("1.5", "0.75")),
    ("tags.yaml", replace("from_log10: 1", "from_log10: 2")),
]


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(4))
def test_a_run_after_edits_equals_a_fresh_one(finished, tmp_path, number):
    """One folder is edited and run again and again; each time its results are those of a copy."""
    for name, edit in EDITS[number::4]:
        edit(finished / name)
    for path in finished.rglob("*.wav"):
        os.utime(path)
    own = shutil.ignore_patterns("results", ".snakemake")
    fresh = shutil.copytree(finished, tmp_path / "fresh", ignore=own, symlinks=True)
    assert run(finished) == run(fresh)
