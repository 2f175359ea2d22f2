"""Every reader of foreign files, given long words and numbers that are none: errors have a place.

While a reader works, the process may take MEMORY more than it has. Nonsense is given to the same
readers by tests/nightly/fuzz.py.
"""

import contextlib
import re
import resource
import time
from pathlib import Path

import pytest
from support import readers
from support.readers import READERS, SECONDS, result_of
from support.spoilers import NO_NUMBERS

from voiceprivacy.corpora import checks
from voiceprivacy.errors import BadInput

MEMORY = 2**29


@contextlib.contextmanager
def limited_memory():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


LETTERS = (20_000, 10**6)
WORD = re.compile(rb"[^\s\",:\[\]{}]+")
TEXTS = [name for name in READERS if not name.endswith((".npz", ".wav", ".flac", ".zip", ".gz"))]


@contextlib.contextmanager
def restored(path):
    """The content of a file, which is as before afterwards."""
    good = path.read_bytes()
    try:
        yield good
    finally:
        path.write_bytes(good)


def with_long_words(good, count, letters):
    """Contents with a long word in the place of one of the first; and the line that has it."""
    for word in [*WORD.finditer(good)][:count]:
        line = good[: word.start()].count(b"\n") + 1
        yield good[: word.start()] + b"a" * letters + good[word.end() :], line


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_long_word_is_read_or_refused_shortly(read_world, monkeypatch, name, letters):
    """In each of the first words: ids, speakers, labels, numbers, paths, keys, columns."""
    monkeypatch.chdir(read_world)
    path, read = Path(name), READERS[name]
    with restored(path) as good:
        for content, _ in with_long_words(good, 6, letters):
            path.write_bytes(content)
            began = time.process_time()
            try:
                with limited_memory():
                    read(path)
            except BadInput as error:
                assert len(str(error)) <= 500
                assert path.name in str(error) or "scores.txt" in str(error)
                assert path.suffix != ".tsv" or re.search(r"\.tsv:\d+: |is missing", str(error))
            assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("data/")])
def test_findings_of_a_long_word_name_the_line(read_world, monkeypatch, name):
    monkeypatch.chdir(read_world)
    path = Path(name)
    with restored(path) as good:
        for content, line in with_long_words(good, 3, LETTERS[-1]):
            path.write_bytes(content)
            findings = checks.examine(readers.KALDI, readers.GIVEN, 16000).findings
            assert all(len(str(finding)) <= 500 for finding in findings)
            where = f"{path}:{line}: ", f"data/wav.scp:{line}: "  # of an id that others have, too
            refused = [str(finding) for finding in findings if str(finding).startswith(where)]
            assert refused or name in ("data/text", "data/spk2gender"), line


# Numbers in tables of people and of other runs: what is none, and what no metric can be.

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
    with contextlib.ExitStack() as tables:

        def change(name, pattern, text):
            path = Path(name)
            content = tables.enter_context(restored(path)).decode()
            match = re.search(pattern, content)
            path.write_text(content[: match.start()] + text + content[match.end() :])
            return content[: match.start()].count("\n") + 1

        yield change


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
