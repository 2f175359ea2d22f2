"""A whole run whose programs all run in boxes: the same numbers as without."""

import os

import pytest
from support import apptainer, needs
from support.runs import WITHOUT_MEASURES, make_kaldi_directory, snakemake, write_config

from voiceprivacy.running import boxes

B2 = "python {scripts}/anonymise_mcadams.py --alpha 0.7 0.9 --level speaker --threads {threads}"
FUNCTION = """
from beside import reverse


def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return reverse(samples)
"""
EXTRACTOR = """
import csv, sys
import numpy as np, soundfile

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
factor = float(open("extractor/factor.txt").read()) * float(open("weights.txt").read())
rows = list(csv.DictReader(open(given["--manifest"]), delimiter="\\t"))
spectra = [np.abs(np.fft.rfft(soundfile.read(row["path"])[0], 16000))[:4000] for row in rows]
embeddings = factor * np.array([spectrum.reshape(40, 100).sum(axis=1) for spectrum in spectra])
np.savez(given["--embeddings"], ids=np.array([row["utterance"] for row in rows]),
         embeddings=embeddings)
"""
MEASURE = """
import csv, sys

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
read = lambda path: list(csv.DictReader(open(path), delimiter="\\t"))
lengths = {row["utterance"]: float(row["duration_s"]) for row in read(given["--original"])}
with open(given["--output"], "w") as output:
    print("utterance", "metric", "value", sep="\\t", file=output)
    for row in read(given["--manifest"]):
        kept = float(row["duration_s"]) / lengths[row["utterance"]]
        print(row["utterance"], "length_kept", kept, sep="\\t", file=output)
"""
FILES = {
    "mine/function.py": FUNCTION,
    "mine/beside.py": "def reverse(samples):\n    return samples[::-1]\n",
    "extractor/run.py": EXTRACTOR,
    "extractor/factor.txt": "0.5",
    "weights.txt": "3",
    "measure.py": MEASURE,
}


def run(folder, *, sandbox):
    make_kaldi_directory(folder / "data" / "tiny")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    box = {"sandbox": sandbox}
    config = write_config(
        folder,
        anonymisers={
            "b2": {"command": B2, **box},
            "mine": {"function": "mine/function.py:anonymise", **box},
        },
        extractors={
            "spectrum": {
                "command": "python extractor/run.py",
                "inputs": ["extractor/run.py", "extractor/factor.txt"],
                "reads": ["weights.txt"],
                "env": "evaluate",
                **box,
            }
        },
        backends={"cosine": {"type": "cosine"}},
        report={"bootstrap": 0, "listen": 0, "inference": False},
        utility=WITHOUT_MEASURES
        | {"length": {"command": "python measure.py", "mem_mb": 900, **box}},
    )
    words = ("results/metrics.tsv", "--cores", "2", "--configfile", config)
    finished = snakemake(folder, *words)
    assert finished.returncode == 0, finished.stderr
    return folder / "results"


@pytest.fixture
def needs_boxes():
    needs.program_or_skip("bubblewrap", boxes.why_not)


@pytest.mark.long
def test_programs_in_boxes_give_the_numbers_that_they_give_without(tmp_path, needs_boxes):
    with_boxes = run(tmp_path / "with", sandbox=True)
    without = run(tmp_path / "without", sandbox=False)
    assert (with_boxes / "metrics.tsv").read_bytes() == (without / "metrics.tsv").read_bytes()
    logs = [
        *with_boxes.glob("logs/anonymise_*/**/*.log"),
        *with_boxes.glob("logs/extract_embeddings/**/*.log"),
        *with_boxes.glob("logs/measure_utility/**/length.log"),
    ]
    assert len(logs) > 8
    for log in logs:
        memory_mb = {"length": 900, "spectrum": 8000}.get(log.stem, 4000)
        assert f"box: {memory_mb} MB of memory for each process" in log.read_text()
    assert "box: " not in "".join(log.read_text() for log in without.glob("logs/**/*.log"))
    for folder in with_boxes.glob("audio/tiny/*/*/"):
        assert {path.name for path in folder.rglob(".*")} <= {".snakemake_timestamp"}


@pytest.mark.nightly
def test_an_anonymiser_in_a_container_is_run_again_when_its_image_changes(tmp_path):
    make_kaldi_directory(tmp_path / "data" / "tiny")
    apptainer.install(tmp_path / "bin", tmp_path / "told.json")
    image = tmp_path / "image.sif"
    image.write_text(apptainer.COPIER)
    contained = {"container": "image.sif", "command": "/opt/anonymise --strength 3"}
    config = write_config(tmp_path, anonymisers={"theirs": contained}, extractors={}, backends={})
    speech = "results/audio/tiny/trial/theirs/manifest.tsv"
    words = (speech, "--cores", "2", "--configfile", config)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    finished = snakemake(tmp_path, *words, PATH=path)
    assert finished.returncode == 0, finished.stderr
    (log,) = tmp_path.glob("results/logs/anonymise_part/**/*.log")
    assert "image 7, strength 3" in log.read_text()
    again = snakemake(tmp_path, *words, PATH=path)
    assert "Nothing to be done" in again.stderr

    image.write_text(apptainer.COPIER.replace("image 7", "image 8"))
    finished = snakemake(tmp_path, *words, PATH=path)
    assert finished.returncode == 0, finished.stderr
    assert "image 8, strength 3" in log.read_text()
