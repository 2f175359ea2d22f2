"""Results that somebody else handed on: every field of every file is refused or harmless text."""

import copy
import json
import os
import shutil

import pytest
from support import verdicts
from support.calls import here
from support.pages import Page
from support.result_folders import (
    FULL_PROVENANCE,
    write_results,
)

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput, shown
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import read_table
from voiceprivacy.organise.comparing import write_compared_page
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.provenance.record import read_provenance
from voiceprivacy.report.contents import Contents, read_contents, write_contents
from voiceprivacy.report.figures import Subject, figure
from voiceprivacy.report.metrics import COLUMNS, read_metrics

PAYLOADS = {
    "newline": "a\nb: !!python/object/apply:os.system [touch planted]",
    "upwards": "../../../planted",
    "absolute": "/tmp/planted",
    "script": "<script>alert(1)</script>",
    "handler": '"><img src=x onerror=alert(1)>',
    "tex": "\\write18{touch planted}\\input{/etc/passwd}",
    "cdata": "]]><script>alert(1)</script>",
    "escape": "\x1b[2J\x1b]0;title\x07",
    "c1": "\x9b2J",
    "turned": "\u202egnp.exe",
    "long": "A" * 10**6,
    "number": 17,
    "list": ["a"],
    "nothing": None,
}
KINDS = 3  # a third of the values gets a payload
TERMINAL = ("\x1b", "\x9b", "\u202e", "AAAA" * 1000)
BAD_BITS = ("<script>alert", "<img src=x", *TERMINAL)


@pytest.fixture
def pair(tmp_path):
    """Folders of results of two teams; the second is hostile."""
    for name in ("ours", "theirs"):
        folder = write_results(tmp_path / name)
        write_json(folder / "verdict.json", foreign_verdict())
    return tmp_path


def foreign_verdict():
    """The usual one, in which all that can be has a text: names of persons, speech, steps."""
    content = verdicts.usual()
    (judged,) = content["sets"].values()
    judged["systems"]["b2"]["exposed"]["named"] = ["anna"]
    judged["warnings"].append(
        {"code": "heard", "attack": "ecapa/cosine", "speech": ["LibriSpeech test-other"]}
    )
    return content


def compared(folder):
    """The lines and the page of a comparison, made in this process."""
    with foreign.not_ours("theirs"):
        both = [FinishedRun(folder / name, name) for name in ("ours", "theirs")]
        lines = write_compared_page(both, folder / "out")
    return lines, (folder / "out/report/index.html").read_text(encoding="utf-8")


def require_harmless(folder, lines, page):
    """Nothing lies elsewhere, nothing is markup, a script, a line of TeX or of a table."""
    page = page.partition("<script>")[0]
    parsed = Page(page)
    assert parsed.handlers == []
    for address in parsed.addresses:
        assert not address.startswith(("http", "//", "/", "javascript"))
    assert not any(bad in page for bad in BAD_BITS)
    assert not any(bad in shown(line) for line in lines for bad in TERMINAL)
    for path in (folder / "out").rglob("*"):
        assert not path.is_symlink()
        if path.suffix in (".tex", ".svg"):
            assert "write18" not in path.read_text()
        if path.suffix == ".tsv":
            assert len({line.count("\t") for line in path.read_text().splitlines()}) == 1, path
    assert not list(folder.parent.glob("**/planted"))


def places(value, keys=()):
    """The keys that lead to every value of a JSON file; to a key itself with None at the end."""
    yield keys
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*keys, key, None)
            yield from places(inner, (*keys, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*keys, index))


def changed(content, keys, payload):
    """A copy with a payload instead of a value, or of a key."""
    if not keys:
        return payload
    content = copy.deepcopy(content)
    inner, is_key = content, keys[-1] is None
    path = keys[:-1] if is_key else keys
    for key in path[:-1]:
        inner = inner[key]
    if is_key:
        inner[payload if isinstance(payload, str) else str(payload)] = inner.pop(path[-1])
    else:
        inner[path[-1]] = payload
    return content


JSON_FILES = ("provenance.json", "verdict.json")
INTERVALS = "metrics/verification/demo/f/b2/ecapa/cosine.intervals.json"


@pytest.mark.parametrize("file", [*JSON_FILES, INTERVALS])
def test_every_value_of_a_json_file_is_refused_or_harmless(pair, file):
    """One after the other is read; all that were accepted stand on one page each.

    Every value gets five of the payloads, and its neighbours the others.
    """
    path = pair / "theirs" / file
    whole = read_json(path)
    if file == "provenance.json":
        whole |= FULL_PROVENANCE
    for number, (name, payload) in enumerate(PAYLOADS.items()):
        for keys in list(places(whole))[number % KINDS :: KINDS]:
            write_json(path, changed(whole, keys, payload))
            try:
                read = _read(pair, file)
            except BadInput as error:
                assert "\n" not in str(error) and len(str(error)) < 4100
                continue
            text = json.dumps(read) if file == "provenance.json" else ""
            assert name not in ("escape", "c1", "turned") or PAYLOADS[name] not in text
    for number, name in enumerate(("script", "handler", "tex", "cdata", "upwards")):
        for keys in list(places(whole))[1 + number :: 61]:
            write_json(path, changed(whole, keys, PAYLOADS[name]))
            shutil.rmtree(pair / "out", ignore_errors=True)
            try:
                lines, page = compared(pair)
            except BadInput:
                continue
            require_harmless(pair, lines, page)


def _read(pair, file):
    if file == "provenance.json":
        with foreign.not_ours(file):
            return read_provenance(pair / "theirs" / file)
    if "intervals" in file:
        return read_metrics(pair / "theirs/metrics.tsv")
    from voiceprivacy.report.verdict import read_verdict

    return read_verdict(pair / "theirs" / file)


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_of_metrics_is_refused(pair, column):
    path = pair / "theirs/metrics.tsv"
    rows = read_table(path, list(COLUMNS))
    for name, payload in PAYLOADS.items():
        if not isinstance(payload, str) or name == "newline":
            continue
        rows_now = [rows[0] | {column: payload}, *rows[1:]]
        lines = ["\t".join(COLUMNS), *("\t".join(row.values()) for row in rows_now)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with pytest.raises(BadInput) as error:
            read_metrics(path)
        said = str(error.value)
        assert len(said) < 4100 and not any(bad in said for bad in TERMINAL)


# Files and folders.


def a_link(path, target):
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def a_second_name(path, target):
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.link(target, path)


def a_pipe(path, target):
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


FILES = ["metrics.tsv", "verdict.json", INTERVALS]


@pytest.mark.parametrize("make", [a_link, a_second_name, a_pipe])
@pytest.mark.parametrize("file", FILES)
def test_a_link_to_a_file_of_this_machine_lands_nowhere(pair, file, make):
    secret = pair / "secret"
    path = pair / "theirs" / file
    content = path.read_bytes() if path.exists() else b"secret of this machine"
    secret.write_bytes(content)
    make(path, secret)
    with pytest.raises(BadInput, match=r"link|second name|plain file|pipe"):
        compared(pair)
    assert not (pair / "out").exists()


@pytest.mark.parametrize("file", FILES[2:])
def test_a_linked_folder_lands_nowhere(pair, file):
    path = pair / "theirs" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    elsewhere = pair / "elsewhere"
    path.parent.rename(elsewhere)
    path.parent.symlink_to(elsewhere)
    try:
        lines, page = compared(pair)
    except BadInput:
        return
    require_harmless(pair, lines, page)
    copied = [one.name for one in (pair / "out").rglob("*") if one.is_file()]
    assert path.name not in copied


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        ("svg", b"<svg><script>alert(1)</script></svg>"),
        ("svg", b"<svg onload='alert(1)'/>"),
        ("svg", b"<svg><a href='https://elsewhere.example/'/></svg>"),
        ("svg", b"<svg><style>@import url(https://elsewhere.example/a.css)</style></svg>"),
        ("svg", b"<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><svg>&a;</svg>"),
        ("pdf", b"%PDF-1.4 /OpenAction << /S /JavaScript >>"),
        ("png", b"root:x:0:0"),
        ("html", b"<script>alert(1)</script>"),
    ],
)
def test_a_picture_that_does_more_than_show_is_refused(tmp_path, ending, content):
    path = tmp_path / f"cosine.{ending}"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"more than show|is no "):
        foreign.harmless_picture(path)


@pytest.mark.parametrize(
    "name",
    ["a b.svg", "a\nb.svg", "-rf"],
)
def test_names_of_files_are_ours(pair, name):
    (pair / "theirs/metrics/verification" / name).write_bytes(b"<svg/>")
    with pytest.raises(BadInput, match="no name that a run gives"):
        compared(pair)


def test_a_plan_names_no_picture_elsewhere(tmp_path):
    drawn = figure("zebra", Subject("demo", "f", "", "ecapa", "cosine"), systems=["original"])
    for field in Subject._fields:
        for payload in ("../../planted", "/tmp/planted", "a\nb", "<b>"):
            bad = drawn._replace(**{field: payload})
            write_contents(tmp_path / "plan.json", Contents(figures=[bad]))
            with pytest.raises(BadInput, match="cannot be a name"):
                read_contents(tmp_path / "plan.json")


def test_a_config_of_somebody_else_stays_a_config(pair):
    """Every text of the provenance holds a line end and YAML's tags."""
    path = pair / "theirs/provenance.json"
    whole = read_json(path) | FULL_PROVENANCE
    for keys in places(whole):
        if len(keys) != 1:
            continue
        write_json(path, changed(whole, keys, PAYLOADS["newline"]))
        output = pair / f"c_{keys[0]}.yaml"
        finished = here("reproduce", path, "--config", output)
        assert finished.returncode in (1, 2) and "mistake" not in finished.stderr
        assert not output.exists() or "\nb: !!" not in output.read_text()
