"""A whole run whose programs all run in boxes: the same numbers as without."""

import pytest
from support import needs
from support.runs import MEASURE, WITHOUT_MEASURES, finish, make_kaldi_directory, write_config

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
    small = {"mem_mb": 900, **box}
    write_config(
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
        utility=WITHOUT_MEASURES | {"length": {"command": "python measure.py", **small}},
    )
    finish(folder, "results/metrics.tsv")
    return folder / "results"


@pytest.mark.long
def test_programs_in_boxes_give_the_numbers_that_they_give_without(tmp_path):
    needs.program_or_skip("bubblewrap", boxes.why_not)
    with_boxes = run(tmp_path / "with", sandbox=True)
    without = run(tmp_path / "without", sandbox=False)
    assert (with_boxes / "metrics.tsv").read_bytes() == (without / "metrics.tsv").read_bytes()
    kinds = ("anonymise_*/**/*.log", "extract_embeddings/**/*.log", "measure_utility/**/length.log")
    logs = [log for kind in kinds for log in with_boxes.glob(f"logs/{kind}")]
    assert len(logs) > 8
    for log in logs:
        memory_mb = {"length": 900, "spectrum": 8000}.get(log.stem, 4000)
        assert f"box: {memory_mb} MB of memory for each process" in log.read_text()
    assert "box: " not in "".join(log.read_text() for log in without.glob("logs/**/*.log"))
    for folder in with_boxes.glob("audio/tiny/*/*/"):
        assert {path.name for path in folder.rglob(".*")} <= {".snakemake_timestamp"}
