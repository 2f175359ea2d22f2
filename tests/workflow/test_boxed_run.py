"""The tiny run whose programs all run in boxes: the same numbers as without."""

import pytest
import yaml
from support import needs
from support.runs import HEAR, succeeded, voiceprivacy, write_tiny_run

from voiceprivacy.running import boxes


@pytest.mark.long
def test_programs_in_boxes_give_the_numbers_that_they_give_without(tmp_path, tiny_run):
    needs.program_or_skip("bubblewrap", boxes.why_not)
    path = write_tiny_run(tmp_path)
    (tmp_path / "hear.py").write_text(f"{HEAR}open('weights.txt').read()\n")
    (tmp_path / "weights.txt").touch()
    config = yaml.safe_load(path.read_text())
    config["extractors"]["spectra"] |= {"inputs": ["hear.py"], "reads": ["weights.txt"]}
    config["utility"]["length"]["mem_mb"] = 900
    for section in ("anonymisers", "extractors"):
        for program in config[section].values():
            program["sandbox"] = True
    config["utility"]["length"]["sandbox"] = True
    path.write_text(yaml.safe_dump(config))
    words = ("--cores", "2", "--configfile", "config.yaml", "--seed-file", "secret")
    succeeded(voiceprivacy(tmp_path, "run", "results/metrics.tsv", *words))
    results = tmp_path / "results"
    assert (results / "metrics.tsv").read_bytes() == (tiny_run / "results/metrics.tsv").read_bytes()
    kinds = ("anonymise_*/**/*.log", "extract_embeddings/**/*.log", "measure_utility/**/length.log")
    logs = [log for kind in kinds for log in results.glob(f"logs/{kind}")]
    assert len(logs) >= 2 + 4 + 2
    for log in logs:
        memory_mb = {"length": 900, "spectra": 8000}.get(log.stem, 4000)
        assert f"box: {memory_mb} MB of memory for each process" in log.read_text()
    assert "box: " not in "".join(log.read_text() for log in tiny_run.glob("results/logs/**/*.log"))
    for folder in results.glob("audio/tiny/*/*/"):
        assert {path.name for path in folder.rglob(".*")} <= {".snakemake_timestamp"}
