"""Results that somebody else handed on: every field of every file is refused or harmless text."""

import copy
import functools
import json
import os
import re

import pytest
from support import verdicts
from support.calls import here
from support.result_folders import FULL_PROVENANCE, write_state

from voiceprivacy.errors import BadInput, shown
from voiceprivacy.inout import foreign
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import read_table, write_table
from voiceprivacy.report.contents import Contents, read_contents, write_contents
from voiceprivacy.report.figures import Subject, figure
from voiceprivacy.report.metrics import COLUMNS, read_metrics
from voiceprivacy.tools import changes

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


@pytest.fixture
def pair(tmp_path):
    """Folders of results of two teams; the second is hostile."""
    verdict = verdicts.usual()
    # All that can be has a text: names of persons, speech, steps.
    (judged,) = verdict["sets"].values()
    judged["systems"]["b2"]["exposed"]["named"] = ["anna"]
    heard = {"code": "heard", "attack": "ecapa/cosine", "speech": ["LibriSpeech test-other"]}
    judged["warnings"].append(heard)
    for name in ("ours", "theirs"):
        folder = write_state(tmp_path / name, percent=len(name))
        write_json(folder / "verdict.json", verdict)
        record = read_json(folder / "provenance.json")
        write_json(folder / "provenance.json", record | FULL_PROVENANCE)
    return tmp_path


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
    *path, last = keys[:-1] if is_key else keys
    for key in path:
        inner = inner[key]
    if is_key:
        inner[str(payload)] = inner.pop(last)
    else:
        inner[last] = payload
    return content


@pytest.mark.parametrize("file", ["provenance.json", "verdict.json", "evidence.json"])
@pytest.mark.parametrize(("number", "payload"), list(enumerate(PAYLOADS.values())), ids=PAYLOADS)
def test_every_value_of_a_json_file_is_refused_or_harmless(
    pair, monkeypatch, file, number, payload
):
    """Every value gets five of the payloads, and its neighbours the others."""
    monkeypatch.setattr(changes, "read_metrics", functools.cache(read_metrics))  # they stay
    path = pair / "theirs" / file
    whole = read_json(path)
    for keys in list(places(whole))[number % KINDS :: KINDS]:
        path.write_text(json.dumps(changed(whole, keys, payload)))
        try:
            with foreign.not_ours("theirs"):  # as compare does it
                lines = list(map(shown, changes.change_lines(pair / "ours", pair / "theirs")))
        except BadInput as error:
            assert "\n" not in str(error) and len(str(error)) < 4100
            continue
        assert not any(bad in line for line in lines for bad in (*TERMINAL, "\n"))


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_of_metrics_is_refused(pair, column):
    path = pair / "theirs/metrics.tsv"
    rows = read_table(path, list(COLUMNS))
    for name, payload in PAYLOADS.items():
        if not isinstance(payload, str) or name == "newline":
            continue
        write_table(path, COLUMNS, [(rows[0] | {column: payload}).values()])
        with pytest.raises(BadInput) as error:
            read_metrics(path)
        said = str(error.value)
        assert len(said) < 4100 and not any(bad in said for bad in TERMINAL)


# Files and folders.


WAYS = {
    "a link": lambda secret, path: path.symlink_to(secret),
    "a second name": os.link,
    "a pipe": lambda _, path: os.mkfifo(path),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("file", ["metrics.tsv", "verdict.json"])
def test_a_link_to_a_file_of_this_machine_is_refused(pair, file, way):
    secret, path = pair / "secret", pair / "theirs" / file
    path.rename(secret)
    WAYS[way](secret, path)
    finished = here("compare", pair / "ours", pair / "theirs")
    assert finished.returncode == 2 and finished.stdout == ""
    assert re.search(r"link|second name|plain file|pipe", finished.stderr)


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
    whole = read_json(path)
    for keys in places(whole):
        if len(keys) != 1:
            continue
        write_json(path, changed(whole, keys, PAYLOADS["newline"]))
        output = pair / f"c_{keys[0]}.yaml"
        finished = here("reproduce", path, "--config", output)
        assert finished.returncode in (1, 2) and "mistake" not in finished.stderr
        assert not output.exists() or "\nb: !!" not in output.read_text()
