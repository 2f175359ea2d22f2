"""Numbers in tables of people and of other runs: what is none, and what no metric can be."""

import re
from pathlib import Path

import pytest
from support.readers import READERS, result_of
from support.spoilers import NO_NUMBERS

from voiceprivacy.inout.files import BadInput

NAN = ("nan", "NaN", "-nan", "")
# Of each table, a field that holds a number.
FIELDS = {
    "speech/manifest.tsv": "0.3",
    "scores.tsv": r"(?<=target\t)[-\d.]+",
    "scores.txt": r"(?<=anna-2 )[-\d.]+",
    "words.dic": r"(?<=go\*\t)2",
    result_of("metrics.tsv"): r"(?<=eer_percent\t)2.0",
}


@pytest.fixture
def spoilt(read_world, monkeypatch):
    """Puts a text in the place of a number of a table; the table is good again afterwards."""
    monkeypatch.chdir(read_world)
    whole = {}

    def change(name, pattern, text):
        path = Path(name)
        whole[path] = content = whole.get(path) or path.read_text()
        match = re.search(pattern, content)
        path.write_text(content[: match.start()] + text + content[match.end() :])
        return content[: match.start()].count("\n") + 1

    yield change
    for path, content in whole.items():
        path.write_text(content)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("text", [*NO_NUMBERS, *NAN], ids=lambda text: ascii(text[:8]))
def test_what_is_no_number_or_only_to_python_is_refused_with_its_line(spoilt, name, text):
    line = spoilt(name, FIELDS[name], text)
    with pytest.raises(BadInput, match=f"^{re.escape(name)}:{line}: ") as error:
        READERS[name](Path(name))
    assert "\n" not in str(error.value) and len(str(error.value)) < 1000


@pytest.mark.parametrize("text", ["-5", "5000", "100.1", "inf", "-inf", "1e300"])
@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("expected.tsv", r"(?<=\t)11.5"),
        (result_of("metrics.tsv"), r"(?<=eer_percent\t)2.0"),
        (result_of("metrics.tsv"), r"(?<=eer_percent\t2.0\t)1.0"),
        (result_of("metrics.tsv"), r"(?<=eer_percent\t2.0\t1.0\t)40.0"),
    ],
)
def test_an_eer_that_is_no_share_is_refused(spoilt, name, pattern, text):
    line = spoilt(name, pattern, text)
    where = f"^{re.escape(name)}:{line}: .*'{text}'"
    with pytest.raises(BadInput, match=f"{where} is no eer_percent, which is between 0 and 100"):
        READERS[name](Path(name))


@pytest.mark.parametrize("text", ["inf", "-1"])
def test_a_tolerance_that_lets_everything_or_nothing_pass_is_refused(spoilt, text):
    spoilt("expected.tsv", r"(?<=\t)0.5(?=\t)", text)
    with pytest.raises(BadInput, match=r"^expected\.tsv:2: the tolerance"):
        READERS["expected.tsv"](Path("expected.tsv"))
