"""A page that is mailed: codes that cannot be turned back, and a config that gives nothing away."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy import config_schema
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report import mailed
from voiceprivacy.report.curves import SIMILARITIES, ZOO, read_matrices, read_speakers

NAMES = st.sets(st.text(min_size=1, max_size=8), min_size=1, max_size=30)
SECRET = "qzsecretqz"


@given(speakers=NAMES, key=st.binary(min_size=32, max_size=32))
def test_every_speaker_has_a_code_of_his_own(speakers, key):
    codes = mailed.codes(speakers, corpus="a", key=key)
    assert codes.keys() == speakers and len(set(codes.values())) == len(speakers)
    assert list(codes.values()) == sorted(codes.values())


def test_another_key_and_another_corpus_give_another_order():
    speakers = [f"{k:04d}" for k in range(50)]
    codes = mailed.codes(speakers, corpus="a", key=b"1" * 32)
    assert codes == mailed.codes(reversed(speakers), corpus="a", key=b"1" * 32)
    for corpus, key in (("a", b"2" * 32), ("b", b"1" * 32)):
        assert codes != mailed.codes(speakers, corpus=corpus, key=key)
    assert [codes[name] for name in speakers] != sorted(codes.values())


def test_the_key_is_drawn_once_and_only_its_owner_reads_it(tmp_path):
    first = mailed.key_in(tmp_path / "a")
    assert first == mailed.key_in(tmp_path / "a") != mailed.key_in(tmp_path / "b")
    assert (tmp_path / "a" / mailed.KEY).stat().st_mode & 0o077 == 0
    assert [path.name for path in (tmp_path / "a").iterdir()] == [mailed.KEY]
    (tmp_path / "a" / mailed.KEY).write_text("0\n")
    with pytest.raises(BadInput, match="holds no secret"):
        mailed.key_in(tmp_path / "a")


def test_rows_stand_in_the_order_of_codes_and_not_of_ids(tmp_path):
    speakers = ["a", "b", "c"]
    codes = {"a": "speaker 03", "b": "speaker 01", "c": "speaker 02"}
    utterances = [Utterance(f"u{name}", name, "f", "u", 1.0) for name in speakers]
    write_manifest(tmp_path / "manifest.tsv", utterances)
    rows = [(*cell, 0.5) for cell in itertools.product(("oo", "op", "pp"), speakers, speakers)]
    write_table(tmp_path / "s.tsv", SIMILARITIES, rows)
    names, _ = read_matrices(tmp_path / "s.tsv", tmp_path / "manifest.tsv", codes=codes)
    assert names == sorted(codes.values())
    rows = [["op", name, *["1"] * (len(ZOO) - 2)] for name in speakers]
    write_table(tmp_path / "z.tsv", ZOO, rows)
    assert list(read_speakers(tmp_path / "z.tsv", ZOO, codes)["op"]) == sorted(codes.values())
    with pytest.raises(BadInput, match="'c' is not in the manifests"):
        read_speakers(tmp_path / "z.tsv", ZOO, {"a": "x", "b": "y"})


def test_whatever_text_stands_anywhere_in_a_config_is_left_out():
    """Every text of the schema, one after the other, and every key with free names."""
    schema = config_schema.schema()
    config = {}
    for section, described in schema["properties"].items():
        kind = described.get("additionalProperties")
        config[section] = _filled(described, schema, section)
        if isinstance(kind, dict):
            kind = schema["$defs"].get(str(kind.get("$ref", "")).rpartition("/")[2], kind)
            fields = kind.get("properties", {})
            filled = {field: _filled(fields[field], schema, field) for field in fields}
            config[section] = {"entry": filled}
    text = json.dumps(config)
    assert text.count(SECRET) > 40 and "918273" in text
    shown = json.dumps(mailed.reduced({"config": config, "seeds": {"seed": 918273}}))
    assert SECRET not in shown and "918273" not in shown
    assert '"use": "train"' not in shown or "entry" in shown


def _filled(described, schema, key):
    """A value of a schema with the secret wherever it takes a text, 918273 wherever a seed."""
    if "$ref" in described:
        described = schema["$defs"][described["$ref"].rpartition("/")[2]]
    fields, kinds = described.get("properties", {}), described.get("type", "string")
    if fields or ("object" in kinds and "string" not in kinds):
        free = {} if fields else {"free": f"{SECRET} --alpha 0.7", "list": [SECRET]}
        return {name: _filled(inner, schema, name) for name, inner in fields.items()} | free
    if "string" in kinds:
        return f"/home/{SECRET}/x"
    if "array" in kinds:
        return [SECRET, f"{SECRET}/a"]
    return 918273 if key == "seed" else 1


def test_what_says_nothing_of_people_and_machines_is_kept():
    kept = {
        "corpora": {"libri": {"librispeech": {"subsets": ["test-clean"]}, "use": "train"}},
        "extractors": {"e": {"model": "speechbrain/spkrec-ecapa", "revision": "0f99f2d"}},
        "anonymisers": {"b2": {"runs": 2, "control": False}},
        "backends": {"mix": {"train": {"corpus": "libri", "speech": ["original", "others", "b2"]}}},
        "seed_of": 1,
        "report": {"averages": {"challenge": {"libri": {"f": 0.5}}}, "bootstrap": 1000},
    }
    assert mailed.reduced_config(kept) == kept


def test_of_paths_the_name_is_left():
    hashes = {"results/trials/a/f.tsv": "1", "/home/carola/model.ckpt": "2", "../x/y.ckpt": "3"}
    shown = mailed.reduced({"sha256": hashes})["sha256"]
    assert shown == {"results/trials/a/f.tsv": "1", "model.ckpt": "2", "y.ckpt": "3"}
