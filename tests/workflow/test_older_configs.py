"""Configs of version 0.1 still run: the shipped ones, and one that has each kind of entry."""

import contextlib
import re
from collections import Counter
from pathlib import Path

import pytest
from support.runs import ROOT, make_kaldi_directory, snakemake, succeeded, write_larger

from voiceprivacy import config_schema
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import contents_of

OLDER = sorted((ROOT / "tests" / "data" / "configs_of_0.1").glob("*.yaml"))
TRAIN = {"train": {"corpus": "read", "speech": "anonymised"}}
EACH_KIND = {
    "corpora": {
        "spoken": {"synthetic": {"speakers": 4, "utterances": 4}, "protocol": {"all_pairs": {}}},
        "tiny": {"kaldi": "data/tiny", "gender": "separate", "on_bad_audio": "exclude"},
        "official": {
            "kaldi": {"enrolment": "data/tiny", "trial": ["data/tiny"], "root": "data"},
            "protocol": {
                "given": {"f": "data/tiny", "m": {"directory": "data/tiny", "gender": "m"}}
            },
        },
        "mics": {"vctk": {"root": "vctk"}, "protocol": {"enrol_trial": {"lists": ["f_common"]}}},
        "tree": {"folder": {"root": "data", "pattern": "{speaker}/{utterance}.wav"}},
        "cut": {
            "librispeech": {"root": "libri", "subsets": ["a"]},
            "segments": {"seconds": [3, 5]},
            "protocol": {"rank_sampling": {"observations": 6, "test": [1, 2]}},
        },
        "fetched": {"librispeech": {"root": "new", "subsets": ["b"], "download": True}},
        "acted": {"iemocap": {"root": "iemocap"}},
        "read": {"librispeech": {"root": "libri", "subsets": ["a"]}, "use": "train"},
    },
    "anonymisers": {
        "b2": {
            "command": "python b2.py",
            "runs": 2,
            "draws": 2,
            "shards": 2,
            "inputs": ["mine.py"],
        },
        "mine": {"function": "mine.py:protect", "options": {"strength": 3}},
        "team": {"audio": "data/tiny", "resample": True},
        "installed": {"package": "theirs", "env": "speechbrain"},
    },
    "extractors": {
        "folder": {"model": "model", "vad": True},
        "hub": {"model": "speechbrain/ecapa", "revision": "0123456789"},
        "plugin": {"command": "python mine.py"},
        "packaged": {"package": "resemblyzer"},
        "ready": {"embeddings": "e/{corpus}_{part}_{anonymiser}.npz"},
        "informed": {**TRAIN, "recipe": "ecapa_small", "start": "hub"},
        "listening": {**TRAIN, "recipe": "ecapa_ssl", "encoder": "wavlm"},
        "pitch": {"f0": {}},
        "sounds": {"units": {"corpus": "read"}},
        "when": {"timing": {}},
        "moves": {"contour": {}},
        "where": {"background": {}},
    },
    "backends": {
        "cosine": {"type": "cosine"},
        "plda": {"type": "plda", "extractors": ["folder"], **TRAIN},
        "trained": {"type": "speechbrain_plda", "extractors": ["hub"], "train": {"corpus": "read"}},
        "js": {"type": "jensen_shannon"},
        "rotated": {"type": "procrustes", "extractors": ["ready"], **TRAIN},
    },
    "attacks": {"team7": {"scores": "team7/{anonymiser}_{condition}.tsv", "speakers": "map.tsv"}},
    "utility": {
        "wer": {"command": "python mine.py", "better": "lower"},
        "heard": {
            "type": "recogniser",
            "definition": "vpc2024",
            "model": "openai/whisper-tiny",
            "revision": "0123456789",
        },
    },
    "expected": "expected.tsv",
    "report": {
        "controls": True,
        "tags": "tags.yaml",
        "averages": {"both": {"tiny": {"all_f": 1}, "mics": {"f_common": 2}}},
    },
}


# They read transcripts, and of pieces nobody knows what is said.
EXTRACTORS_OF_WORDS = {"words": {"style": {}}, "said": {"words": {"corpus": "read"}}}


def make_what_is_named(config):
    """Make each file and folder that a config names and that is not there, empty."""
    for named in Plan(defaults.complete(configuration.expand(config))).named:
        path = Path(named.path)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch() if path.suffix or named.keys[-1] == "speakers" else path.mkdir()


@pytest.mark.parametrize("config", OLDER, ids=lambda path: path.stem)
def test_a_config_of_an_older_version_plans(tmp_path, in_tmp_path, monkeypatch, config):
    variables = set(re.findall(r"\$\{(\w+)\}", config.read_text()))
    for name in variables:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    make_what_is_named(configuration.read(config))
    assert contents_of(Plan(configuration.check(configuration.read(config))))


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """The folder of another workflow that plans most kinds below vp, and what it says."""
    folder = tmp_path_factory.mktemp("larger")
    make_kaldi_directory(folder / "data" / "tiny")
    (folder / "team7").mkdir()
    for name in ("original_oo", "b2_op", "b2_pp"):
        (folder / "team7" / f"{name}.tsv").touch()
    corpora = {name: EACH_KIND["corpora"][name] for name in ("tiny", "cut", "fetched", "read")}
    report = {"tags": "tags.yaml"}
    config = EACH_KIND | {"corpora": corpora, "report": report}
    with contextlib.chdir(folder):
        make_what_is_named(EACH_KIND)
        assert contents_of(Plan(configuration.check(EACH_KIND)))
    write_larger(folder, config, "vp")
    targets = ["voiceprivacy_all", "voiceprivacy_paper"]
    planned = succeeded(snakemake(folder, "-n", "-p", *targets, snakefile=folder / "Snakefile"))
    return folder, planned.stdout


def test_a_prefix_stands_before_all_of_a_run_and_nothing_else(planned):
    """Rules hold patterns, Python asks for paths: where they differ, an input has no rule."""
    folder, said = planned
    assert said.count("vp/results/") > 1000
    assert re.findall(r"(?<!vp/)\bresults/\S*", said) == []
    assert re.findall(r"vp/(?!results\b)\S*|\S*vp/results\S*vp/results\S*", said) == []
    assert not (folder / "results").exists()


def test_each_part_of_each_system_is_embedded_by_one_job(planned):
    """Second runs, draws, linkage, galleries, and back-ends that learn on both kinds of speech."""
    jobs = re.findall(
        r"^rule voiceprivacy_extract_embeddings\w*:\n    input: (.*)\n    output: (.*)$",
        planned[1],
        flags=re.MULTILINE,
    )
    speech, made = Counter(), Counter()
    for inputs, outputs in jobs:
        files = [path for path in outputs.split(", ") if path.endswith(".npz")]
        made.update(files)
        extractor = files[0].rpartition("/")[2]
        manifests = [path for path in inputs.split(", ") if path.endswith("manifest.tsv")]
        speech.update((path, extractor) for path in manifests)
    assert set(made.values()) == set(speech.values()) == {1}
    assert len(made) == len(speech)
    systems = {path.split("/")[-2] for path, _ in speech}
    assert systems >= {"original", "mine", "b2", "b2_run1", "b2_draw2"}


def test_that_config_has_each_kind_that_the_schema_knows():
    definitions = config_schema.schema()["$defs"]
    sections = {"corpus": "corpora", "anonymiser": "anonymisers", "extractor": "extractors"}
    for name, section in sections.items():
        required = [tuple(branch["required"]) for branch in definitions[name]["oneOf"]]
        others = EXTRACTORS_OF_WORDS if name == "extractor" else {}
        tried = [options.keys() for options in (EACH_KIND[section] | others).values()]
        assert [keys for keys in required if not any(set(keys) <= {*one} for one in tried)] == []
    types = {backend["type"] for backend in EACH_KIND["backends"].values()}
    assert types == set(definitions["backend"]["properties"]["type"]["enum"])
    protocols = definitions["corpus"]["properties"]["protocol"]["properties"]
    chosen = [list(corpus.get("protocol", {})) for corpus in EACH_KIND["corpora"].values()]
    assert {name for names in chosen for name in names} == set(protocols)
