"""A command is made of a function: its signature says what is read, its docstring what is said."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.plan.rows import Heard, PlanOfVerdict
from voiceprivacy.running import adapter

FITS = {"ll": 1, "mse": 2}
ROW = Heard(*"abcdefg")


def job(
    results: Path = Path("results"),
    *,
    scores: list[str],
    out_dir: Path,
    source: dict | None = None,
    several: list[dict] | None = None,
    rows: list[Heard] | None = None,
    plan: PlanOfVerdict | None = None,
    weights: tuple[float, ...] = (0.8,),
    notes: Sequence[str] = (),
    ends: tuple[int, int] | None = None,
    fit: Annotated[str, FITS] = "ll",
    device: Literal["cpu", "cuda"] | None = None,
    fast: bool = False,
    bootstrap: int = 0,
) -> None:
    """Try all types.

    And say more.

    Parameters
    ----------
    results : folder
    scores : TSV: a list of which
        the text is long, 50 % of it
    out_dir : folder to make
    source : JSON {"kind": options}
    several : more of it
    rows : named tuples
    plan : a typed dictionary
    weights : numbers
    notes : to add
    ends : two
    fit : loss
    device : where
    fast : or slow
    bootstrap : replicates
    """


def read(*words):
    given = ["--scores", "a", "b", "--out-dir", "o", *words]
    return vars(adapter.parser_of(job).parse_args(given))


def test_what_is_not_given_has_the_default_of_the_function_as_the_help_says():
    given = {"scores": ["a", "b"], "out_dir": Path("o")}
    missing = dict.fromkeys(("source", "several", "rows", "plan", "ends", "device"))
    said = {"results": Path("results"), "fit": "ll", "fast": False, "bootstrap": 0}
    assert read() == given | missing | said  # weights and notes are left to the function
    said = " ".join(adapter.parser_of(job).format_help().split())
    assert "Try all types. And say more. " in said and "Parameters" not in said
    assert "TSV: a list of which the text is long, 50 % of it" in said
    for text in ("numbers (default: 0.8)", "replicates (default: 0)", "folder (default: results)"):
        assert text in said
    assert said.count("default") == 4


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["elsewhere"], "results", Path("elsewhere")),
        (["--scores", "c"], "scores", ["a", "b", "c"]),
        (["--source", '{"a": [1]}'], "source", {"a": [1]}),
        (["--source"], "source", {}),
        (["--several", '[{"a": 1}]'], "several", [{"a": 1}]),
        (["--rows", f"[{json.dumps(ROW)}]"], "rows", [ROW]),
        (["--rows", f"[{json.dumps(ROW._asdict())}]"], "rows", [ROW]),
        (["--weights", "0.7", "0.9"], "weights", [0.7, 0.9]),
        (["--notes"], "notes", []),
        (["--ends", "1", "2"], "ends", [1, 2]),
        (["--fit", "mse"], "fit", "mse"),
        (["--device", "cuda"], "device", "cuda"),
        (["--fast"], "fast", True),
        (["--bootstrap", "100"], "bootstrap", 100),
    ],
)
def test_words_are_read_by_the_types_of_the_signature(words, name, value):
    assert read(*words)[name] == value


@pytest.mark.parametrize(
    "words",
    [
        *("--fit other", "--bootstrap 1.5", "--weights", "--ends 1", "--results r"),
        *("--bootstrap 1_0", "--weights nan", "--weights 0_1.5", "--bootstrap 9223372036854775808"),
        *("--out-dir=", "--scores="),
    ],
)
def test_what_does_not_fit_the_signature_is_refused(words):
    with pytest.raises(SystemExit) as left:
        read(*words.split())
    assert left.value.code == 2


@pytest.mark.parametrize(
    ("flag", "text", "said"),
    [
        ("--source", "{", r"not JSON \(Expecting"),
        ("--source", "3", "expected {"),
        ("--several", "{}", r"expected \["),
        ("--several", "[{}, 1]", "1: expected {"),
        ("--rows", "[[]]", "0: expected {"),
        ("--rows", '[["a", "b", "c", "d", "e", "f", 1]]', "0: backend: expected a text"),
        ("--rows", json.dumps([ROW._asdict() | {"x": 1}]), "0: 'x' is none of anonymiser"),
        ("--plan", "{}", "'thresholds' is missing"),
        ("--plan", '{"thresholds": {"a": true}, "sets": {}}', "thresholds: a: expected a number"),
    ],
)
def test_an_option_that_is_not_its_json_is_named(flag, text, said):
    with pytest.raises(BadInput, match=f"^{flag}: {said}"):
        read(flag, text)
