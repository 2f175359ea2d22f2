"""Nothing but BadInput leaves configs, the API, commands and jobs, whatever a value is.

A seeded sample of all cases is tried in every change, and all of them in the night.
"""

import contextlib
import copy
import importlib
import inspect
import json
import shutil
import warnings
from itertools import chain, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from support.calls import flags, here
from support.runs import ROOT

from voiceprivacy import api
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.placeholders import variables_in
from voiceprivacy.plan import configuration
from voiceprivacy.tools.commands import COMMANDS

SAMPLE = 16  # configs, which are read from a file; ten times as many calls
TEXTS = [*("", ".", "..", "/", "~", "a b", "ü", "{", "{x}", "{resources}", "x" * 300, "*", "-x")]
TEXTS += ["~/x", "a/../..", "original", "command", "1", "1e-4", "'", "\u202e", "${HOME}", "\0"]
NUMBERS = [0, 1, -1, 0.0, 1e3, 2**31, 2**63, 10**30, 1e300, 1e-300, float("nan")]
CONFIGS = sorted(ROOT.glob("config/*.yaml"))


def edges(value):
    """What stands in the place of a value of a config."""
    match value:
        case bool():
            return [not value, None, 0, 1.0, "true"]
        case int() | float():
            return [float(value), *NUMBERS, str(value), None, True, [value]]
        case str():
            return [*TEXTS, None, 0, 1.5, True, [], [value], {}]
        case list():
            return [[], value + value, value[:1], None, {}, *value[:1]]
        case dict():
            return [{}, None, [], "x", 0, {1: 2, None: 3}]
    return [0, "x", [], {}]


def leaves(value, keys=()):
    """All values in a value, with the keys that lead to them."""
    yield keys, value
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from leaves(inner, (*keys, key))


def changed(config, keys, value):
    """A copy of a config with another value."""
    config = copy.deepcopy(config)
    *above, last = keys
    inner = config
    for key in above:
        inner = inner[key]
    inner[last] = value
    return config


def sample_of(cases, size):
    """Some of the cases, the same in each call."""
    draw = np.random.default_rng(size)
    return [cases[number] for number in draw.choice(len(cases), size, replace=False)]


def configs_with_odd_values(paths):
    cases = []
    for path in paths:
        config = configuration.read(path)
        for keys, value in leaves(config):
            cases += [(config, keys, edge) for edge in edges(value) if keys]
    return cases


@pytest.fixture
def with_variables(monkeypatch, in_tmp_path):
    for path in CONFIGS:
        for name in variables_in(configuration.read(path)):
            monkeypatch.setenv(name, "somewhere")


def check(config):
    """What validate does with a config before it looks at speech; its problems."""
    problems = []
    with contextlib.suppress(BadInput):
        problems = configuration.problems(config)
        configuration.usable_corpora(config, problems)
        configuration.check(config)
    return problems


def test_some_configs_with_odd_values(with_variables):
    """As a file, in which each mistake has its line."""
    path = Path("c.yaml")
    for config, keys, value in sample_of(configs_with_odd_values(sample_of(CONFIGS, 4)), SAMPLE):
        path.write_text(yaml.safe_dump(changed(config, keys, value), sort_keys=False))
        with contextlib.suppress(BadInput):
            for problem in check(configuration.read(path)):
                assert "\n" not in " ".join(map(str, configuration.located(problem, [path])))


@pytest.mark.nightly
@pytest.mark.parametrize("path", CONFIGS, ids=[path.stem for path in CONFIGS])
def test_all_configs_with_odd_values(with_variables, path):
    for config, keys, value in configs_with_odd_values([path]):
        check(changed(config, keys, value))


# The API.

NAMES = [f"s{number}" for number in range(4)]
TRIED = {f"{name}-{number}": name for name in NAMES for number in (1, 2)}
RNG = np.random.default_rng(0)
PAIRS = [(one, other) for one in NAMES for other in TRIED]
TRIALS = {
    "enrolment": [one for one, _ in PAIRS],
    "trial": [other for _, other in PAIRS],
    "label": ["target" if TRIED[other] == one else "nontarget" for one, other in PAIRS],
    "score": RNG.normal(size=len(PAIRS)).tolist(),
}
SPEAKERS = TRIED | {name: name for name in NAMES}
SCORES = {"target": [1.0, 2.0, 3.0], "nontarget": [0.0, 1.5]}
SQUARE = RNG.normal(size=(8, 8))
CALLS = [
    (api.verification, {"trials": TRIALS, "speakers": SPEAKERS, "n_replicates": 2, "seed": 0}),
    (api.verification, SCORES | {"p_target": 0.1}),
    (api.verification, {"scores": [1.0, 2.0, 0.0], "labels": [1, 0, 0]}),
    (api.zebra, {"trials": TRIALS, "speakers": SPEAKERS, "n_replicates": 2, "seed": 0}),
    (api.calibration, {"train": SCORES, "test": SCORES, "laplace": True}),
    (
        api.ranks,
        {"scores": SQUARE[:, :4], "test_speakers": [*TRIED.values()], "template_speakers": NAMES}
        | {"fit": "auto", "ties": "shared"},
    ),
    (
        api.similarity,
        {"oo": SQUARE, "op": SQUARE, "pp": SQUARE, "speakers": [*TRIED.values()]}
        | {"definition": "geometric", "pairs": "all"},
    ),
    (
        api.trial_scores,
        {"trials": TRIALS, "enrolment": dict(zip(NAMES, SQUARE, strict=False))}
        | {"trial": dict(zip(TRIED, SQUARE, strict=True)), "backend": "cosine", "protected": ()}
        | {"enrolments": {name: [name] for name in NAMES}},
    ),
    (
        api.verdict,
        {"attacks": {"original": {"oo": TRIALS}, "b2": {"op": TRIALS}}, "speakers": SPEAKERS}
        | {"thresholds": {"open_percent": 10}},
    ),
    (api.plot, {"shown": {"a": TRIALS}, "picture": "det"}),
]
EDGES = [None, 0, -1, 1.5, True, "", "x", b"x", 2**70, 10**400, float("nan"), float("inf"), object]
EDGES += [[], [[]], [None], ["a"], [1], [1.0, float("nan")], {}, {"a": 1}, {1: 2}, (1, 2)]
EDGES += [np.array([]), np.zeros((2, 2)), np.zeros(3, complex), pd.DataFrame(), pd.Series([1, 2])]


def calls_with_odd_values():
    cases = []
    for function, arguments in CALLS:
        for keys, value in leaves(arguments):
            first = all(key in (0, "s0", "s0-1") for key in keys[2:] if key not in TRIALS)
            if keys and len(keys) < 5 and first and not isinstance(value, np.ndarray):
                cases += [(function, arguments, keys, edge) for edge in EDGES]
    return cases


def call(function, arguments, keys, value):
    with warnings.catch_warnings(), contextlib.suppress(BadInput):
        warnings.simplefilter("ignore")
        function(**changed(arguments, keys, value))


def test_some_calls_with_odd_values():
    for case in sample_of(calls_with_odd_values(), 10 * SAMPLE):
        call(*case)


@pytest.mark.nightly
def test_all_calls_with_odd_values():
    for case in calls_with_odd_values():
        call(*case)


# Commands: every file that they are given is one that they do not need.

FILES = {
    "empty": b"",
    "text.tsv": b"hello world\n",
    "binary": bytes(range(256)),
    "object.json": b"{}",
    "list.json": b"[]",
    "number.json": b"1",
    "nested.json": b'{"sets": {"a": 1}, "config": [], "a": {"b": null}}',
    "config.yaml": b"a: [1]\n",
    "weights.ckpt": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "scores.tsv": b"enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t1\n",
}
UNTRIED = {"run", "fetch_models", "reproduce"}  # they start a run, or fetch from elsewhere
JOBS = sorted({command.job for command in COMMANDS.values()} - UNTRIED)


def words_of(job, file, text):
    """The words that a command requires, and the words of each option that it may have."""
    function = getattr(importlib.import_module(f"voiceprivacy.jobs.{job}"), job)
    required, optional = [], []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = str(parameter.annotation)
        numbers = ["1"] if "int" in hint or "float" in hint else [text]
        value = [file] if "Path" in hint else [] if hint == "<class 'bool'>" else numbers
        is_flag = parameter.kind is parameter.KEYWORD_ONLY
        words = [*([f"--{name.replace('_', '-')}"] if is_flag else []), *value]
        if parameter.default is parameter.empty:
            required += words
        else:
            optional.append(words)
    return required, optional


def commands_with_odd_values():
    cases = []
    for job in JOBS:
        for file in (*FILES, "folder", "gone"):
            for text in ("", "x", "a=b") if file == "empty" else ("x",):
                required, optional = words_of(job, file, text)
                cases += [(job, required), *((job, [*required, *words]) for words in optional)]
    return cases


def command(job, words):
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    Path("folder").mkdir()
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    refused_or_done(job, words)


def refused_or_done(job, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ended = here(job, *words)
    assert ended.returncode in (0, 1, 2), (job, words, ended.stderr)
    assert "mistake of this program" not in ended.stderr, (job, words, ended.stderr)


def test_some_commands_with_odd_values(in_tmp_path):
    for case in sample_of(commands_with_odd_values(), SAMPLE // 2):
        command(*case)


@pytest.mark.nightly
def test_all_commands_with_odd_values(in_tmp_path):
    for case in commands_with_odd_values():
        command(*case)


# Jobs: each option of a call is odd in its turn. Entries of configs are checked before a job gets
# them, so of those only the shape is odd; all else that is JSON is odd at every leaf.

MANIFEST, OF_CORPUS = "speech/manifest.tsv", "audio/demo/trial/original/manifest.tsv"
GIVEN = {"source": {"kaldi": "data"}, "protocol": {"given": {"all": "data"}}}
LISTED = {"speakers": ["speakers.tsv"], "of_text": {}, "attackers": {"a/cosine": {"b2": ["op"]}}}
JUDGED = {"controls": [], "shows_names": False, "leaks": {}, "releases": {}, "learnt": {}}
JUDGED |= {"not_tried": [], "warnings": [], "lists": {"f": LISTED}}
JUDGED |= {"checks": [], "only_wide_band": ["b2"], "ready": {"a/cosine": "gone.npz"}}
PROTECTING = ["demo", "b2", "cpu", [["gone.tsv"]], None, ["gone*.json"]]
PATTERN = {"root": "libri/dev", "pattern": "{speaker}/100/{utterance}.flac"}
ATTACKED = "theirs/metrics/verification/demo/f/{}/ecapa/cosine.intervals.json"
VALUES = GIVEN | {  # of options, by their name, and of some jobs by that of the job, too
    **dict.fromkeys(["manifest", "original", "shards", "manifests"], MANIFEST),
    **dict.fromkeys(["enrolment_manifest", "trial_manifest"], MANIFEST),
    **{f"{job}.manifests": OF_CORPUS for job in ("compare_sounds", "describe_corpora")},
    **{f"list_trials.{part}": MANIFEST for part in ("enrolment", "trial")},
    **{
        f"{job}.{part}": f"{part}.npz"
        for job, part in product(("plant_leak", "score_samples"), ("enrolment", "trial"))
    },
    "enrolment": ["original=enrolment.npz", "run0=enrolment.npz"],
    "trial": ["original=trial.npz", "run0=trial.npz"],
    **{f"{job}.embeddings": "embeddings" for job in ("assess_inference", "measure_voices")},
    "embeddings": "enrolment.npz",
    "trials": "trials.tsv",
    "enrolments": "enrolments.tsv",
    "scores": "scores.tsv",
    "assess_matrices.scores": ["scores.tsv"] * 3,
    "write_verdict.scores": "scores",
    "pairs": ["oo.npz"] * 3,
    "given": "scores.tsv",
    "samples": "samples.tsv",
    "metrics": "theirs/metrics.tsv",
    "folder": "theirs/metrics",
    "intervals": [ATTACKED.format(system) for system in ("b2", "original")],
    "verdict": "theirs/verdict.json",
    "provenance": "theirs/provenance.json",
    "expected": "expected.tsv",
    "assess_utility.measures": "utility/demo/trial/b2/mine.tsv",
    "measures": [{"type": "pitch_correlation", "options": {}}],
    "output": "out/original/voices.tsv",
    "config": {"corpora": {}, "anonymisers": {}, "utility": {}},
    "anonymiser": {"audio": "submission"},
    "anonymisers": [PROTECTING],
    "list_samples.options": {"observations": 4, "delta": "separated"},
    "heard": [["b2", "op", "pitch", "op", "-", "ecapa", "cosine"]],
    "evaluated": {"demo": GIVEN},
    "training": {"other": {"folder": PATTERN}},
    "learnt": {"other": 1},
    "least": {"other": [1, 1]},
    "plan": "plan.json",
    "assess_inference.plan": {"demo": {"ecapa": ["original"]}},
    "write_verdict.plan": {"thresholds": {"open_percent": 10}, "sets": {"demo": JUDGED}},
    "recipe": "hyperparams.yaml",
    "ready": "enrolment.npz",
    "transcripts": "transcripts.tsv",
    "dictionary": "words.dic",
}
VALUES |= {"corpus": "demo", "extractor": "ecapa", "gender": "f", "part": "trial", "table": "2"}
VALUES |= {"kind": "librispeech", "address": "gone", "audio": "audio", "backend": "cosine"}
VALUES |= {"label": "original"}
OF_CONFIGS = {*GIVEN, "anonymiser", "evaluated", "training"}
ODD_NUMBERS = ["", "x", "0", "-1", "nan", "1e400", "1.5", str(10**30)]
ODD_WORDS = ["", "..", "a=b", "{x}", "x" * 300, "a/b/c", "original=empty", "folder", *FILES]
ODD_WORDS += ["gone", "empty/x", "trial.npz", "oo.npz", MANIFEST]
ODD_JSON = ["{", "{}", "[]", "null", "1", "[{}]", "[[]]", '{"a": 1}', '{"a": {}}', '{"a": []}']
INTERNAL = {path.stem for path in (ROOT / "scripts/voiceprivacy/jobs").glob("[a-z]*.py")}
SLOW = {"anonymise_mcadams", "train_units", "embed_audio"}  # for each call
INTERNAL -= {*JOBS, *UNTRIED, "fetch_model", "main"}  # fetch_model asks elsewhere


def odd_texts(name, hint, value):
    """What stands in the place of a value of an option: of JSON and numbers, or of a word."""
    if isinstance(value, dict) or (isinstance(value, list) and not isinstance(value[0], str)):
        inner = [(keys, edge) for keys, _ in leaves(value) for edge in (None, -1, "x", [], {})]
        odd = [
            json.dumps(changed(value, *one)) for one in inner if one[0] and name not in OF_CONFIGS
        ]
        return [*ODD_JSON, *odd]
    return ODD_NUMBERS if "int" in hint or "float" in hint else ODD_WORDS


def calls_of_jobs(jobs):
    """(job, words) of calls, each with an odd value: of options that jobs need, and of others."""
    calls = []
    for job in sorted(jobs):
        function = getattr(importlib.import_module(f"voiceprivacy.jobs.{job}"), job)
        given, odd = {}, []
        for name, parameter in inspect.signature(function).parameters.items():
            flag, hint = f"--{name.replace('_', '-')}", str(parameter.annotation)
            value = VALUES.get(f"{job}.{name}", VALUES.get(name, f"out.{name}"))
            if parameter.default is parameter.empty or f"{job}.{name}" in VALUES:
                given |= {flag: flags(**{name: 1 if hint == "<class 'int'>" else value})}
            texts = odd_texts(name, hint, value)
            odd += [{flag: [flag, *words]} for words in ([], *([text] for text in texts))]
        calls += [(job, [*chain.from_iterable((given | one).values())]) for one in ({}, *odd)]
    return calls


@pytest.fixture
def job_files(read_world, tmp_path, monkeypatch):
    """What jobs read, besides what readers do."""
    shutil.copytree(read_world, tmp_path / "world")
    monkeypatch.chdir(tmp_path / "world")
    Path("folder").mkdir()
    texts: dict = {"plan.json": '{"figures": []}'}
    listed = Path(MANIFEST).read_text().replace("../data", str(Path("data").absolute()))
    names = [line.split("\t")[0] for line in listed.splitlines()[1:]]
    texts |= {f"audio/demo/{part}/original/manifest.tsv": listed for part in ("enrolment", "trial")}
    texts["utility/demo/trial/b2/mine.tsv"] = "\n".join(
        ["utterance\tmetric\tvalue", *(f"{name}\twer\t1" for name in names), ""]
    )
    for path in ("demo/f", "scores/demo/f/b2/a/cosine/op", "scores/demo/f/original/a/cosine/oo"):
        texts[f"{path}.tsv"] = Path("scores.tsv" if "cosine" in path else "trials.tsv").read_text()
    for name, text in (texts | FILES).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    for part in ("enrolment", "trial"):
        path = Path(f"embeddings/demo/{part}/original/ecapa.npz")
        path.parent.mkdir(parents=True)
        shutil.copy(f"{part}.npz", path)


def test_some_jobs_with_odd_values(job_files):
    jobs = sample_of(sorted(INTERNAL - SLOW), SAMPLE // 4)
    for job, words in sample_of(calls_of_jobs(jobs), SAMPLE):
        refused_or_done(job, words)


@pytest.mark.nightly
@pytest.mark.parametrize("job", sorted(INTERNAL))
def test_all_jobs_with_odd_values(job_files, job):
    for one, words in calls_of_jobs([job]):
        refused_or_done(one, words)
