"""Nothing but BadInput leaves configs, the API and commands, whatever stands in a value's place.

A seeded sample of all cases is tried in every change, and all of them in the night.
"""

import contextlib
import copy
import importlib
import inspect
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from support.calls import here
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
