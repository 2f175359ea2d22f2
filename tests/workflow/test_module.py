"""The workflow as a part of another one, with and without a prefix for its files."""

import re

import pytest
import yaml
from support.runs import B2, ROOT, snakemake

LARGER = f"""
configfile: "larger.yaml"


module voiceprivacy:
    snakefile:
        "{ROOT}/workflow/Snakefile"
    config:
        config["evaluation"]
PREFIX

use rule * from voiceprivacy as voiceprivacy_*


rule sum_up:
    default_target: True
    input:
        "RESULTS/metrics.tsv",
        "RESULTS/verdict.json",
        "RESULTS/report/index.html",
    output:
        "sizes.txt",
    shell:
        "wc -c {{input}} > {{output}}"
"""
SAME = ("metrics.tsv", "verdict.json", "report/tables/comparison.tsv")
# Every kind of path that an input function or a parameter names, and people's own files.
WIDE = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 6}},
        "gallery": {
            "synthetic": {"speakers": 4, "utterances": 4, "first_speaker": 4},
            "gender": "mixed",
            "protocol": {"rank_sampling": {"observations": 4, "test": [1], "template": [1]}},
        },
        "others": {
            "synthetic": {"speakers": 4, "utterances": 3, "first_speaker": 8},
            "use": "train",
        },
        "clean": {
            "librispeech": {"root": "speech", "subsets": ["test-clean"], "download": True},
            "use": "utility",
        },
    },
    "anonymisers": {
        "b2": {"command": B2, "runs": 2, "shards": 2},
        "mine": {"function": "mine.py:protect"},
    },
    "extractors": {
        "fetched": {"model": "speechbrain/ecapa", "revision": "0123456789"},
        "own": {
            "train": {"corpus": "others", "speech": "anonymised", "anonymisers": ["mine"]},
            "recipe": "ecapa_vpc2024",
            "start": "fetched",
        },
        "deep": {
            "train": {"corpus": "others"},
            "recipe": "ecapa_ssl",
            "encoder": {"model": "microsoft/wavlm-base", "revision": "0123456789"},
        },
        "units": {"units": {"corpus": "others"}},
        "words": {"words": {"corpus": "others"}},
    },
    "backends": {
        "cosine": {"type": "cosine", "extractors": ["fetched", "own", "deep", "units", "words"]},
        "plda": {"type": "plda", "train": {"corpus": "others"}, "extractors": ["fetched"]},
    },
    "attacks": {"team": {"scores": "team/{anonymiser}_{condition}.tsv", "speakers": "map.tsv"}},
    "utility": {
        "own": {"command": "python measure.py", "better": "higher"},
        "wer": {
            "type": "recogniser",
            "definition": "vpc2024",
            "model": "openai/whisper-tiny",
            "revision": "0123456789",
        },
    },
    "expected": "expected.tsv",
    "report": {"tags": "tags.yaml"},
    "semi_informed": False,
}
FILES = ["mine.py", "measure.py", "map.tsv", "expected.tsv", "tags.yaml"]
FILES += ["team/original_oo.tsv", "team/b2_op.tsv", "team/mine_op.tsv"]


def write_larger(folder, evaluation, prefix=""):
    """Write the other workflow, which keeps our results in a folder ``prefix``; say where."""
    results = f"{prefix}/results" if prefix else "results"
    said = f'    prefix:\n        "{prefix}"\n' if prefix else ""
    (folder / "larger.yaml").write_text(yaml.safe_dump({"evaluation": evaluation, "other": 1}))
    (folder / "Snakefile").write_text(LARGER.replace("PREFIX", said).replace("RESULTS", results))
    (folder / "voiceprivacy.py").write_text("raise SystemExit(__file__)\n")
    return folder / results


@pytest.mark.parametrize(
    "prefix",
    [pytest.param("", marks=pytest.mark.nightly), pytest.param("vp", marks=pytest.mark.long)],
)
def test_a_module_of_another_workflow_makes_the_same_numbers(same_folder, undisturbed, prefix):
    evaluation = yaml.safe_load((same_folder / "config.yaml").read_text())
    results = write_larger(same_folder, evaluation, prefix)
    done = snakemake(same_folder, "--cores", "2", snakefile=same_folder / "Snakefile")
    assert done.returncode == 0, done.stderr
    assert (same_folder / "sizes.txt").exists()
    assert (same_folder / "results").exists() == (prefix == "")
    for name in SAME:
        assert (results / name).read_bytes() == (undisturbed / "results" / name).read_bytes()
    again = snakemake(same_folder, "--cores", "2", snakefile=same_folder / "Snakefile")
    assert again.returncode == 0 and "Nothing to be done" in again.stderr


def test_a_prefix_stands_before_all_of_a_run_and_nothing_else(tmp_path):
    """Rules hold patterns, Python asks for paths: where they differ, an input has no rule."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    write_larger(tmp_path, WIDE, "vp")
    targets = ["voiceprivacy_all", "voiceprivacy_paper"]
    done = snakemake(tmp_path, "-n", "-p", *targets, snakefile=tmp_path / "Snakefile")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("vp/results/") > 1000
    assert re.findall(r"(?<!vp/)\bresults/\S*", done.stdout) == []
    assert re.findall(r"vp/(?!results\b)\S*|\S*vp/results\S*vp/results\S*", done.stdout) == []
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {
        ".snakemake",
        "team",
        "vp",
    }
