"""A finished run against its provenance.json: what was changed, lost or added is named."""

import json

import pytest
from support.calls import here, refused, succeeds

from voiceprivacy.errors import BadInput
from voiceprivacy.provenance.record import provenance
from voiceprivacy.provenance.verify import changes, refuse_changed, refuse_public_seed

FILES = ["metrics.tsv", "scores/tiny/op.tsv", "audio/tiny/trial/b2/wav/0/a.flac", "verdict.json"]
OTHERS = ["logs/rule.log", "benchmarks/rule/x.txt", "report/index.html", "sources/a.sha256"]
OTHERS += ["pairs/tiny/op.npz", "format", "plan.json", "scores/.op.123.tsv"]


@pytest.fixture
def results(tmp_path):
    """Results of a run as it has left them, and a model that it used."""
    folder = tmp_path / "results"
    for name in [*FILES, *OTHERS]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "benchmarks/rule/x.txt").unlink()
    (tmp_path / "model.ckpt").write_text("weights")
    record = provenance(config={}, files=[], results=folder)
    assert sorted(record["outputs"]) == sorted(FILES)
    hashes = provenance(config={}, files=[tmp_path / "model.ckpt"])["sha256"]
    record["sha256"] = {"model.ckpt": hashes[str(tmp_path / "model.ckpt")]}
    (folder / "provenance.json").write_text(json.dumps(record))
    return folder


def test_untouched_results_are_said_to_be_so_wherever_they_lie(results, tmp_path):
    for name in OTHERS:
        (results / name).write_text("of another time")
    assert succeeds("verify", results).startswith(f"{results}: all files are")
    results.rename(tmp_path / "elsewhere")
    assert not list(changes(tmp_path / "elsewhere"))


@pytest.mark.parametrize("name", FILES)
def test_a_changed_a_lost_and_an_added_file_are_named(results, name):
    path = results / name
    path.write_text(f"{name[:-1]}x")
    record = results / "provenance.json"
    assert list(changes(results)) == [f"{path}: differs from what {record} lists"]
    path.rename(path.with_name("other"))
    added = f"{path.with_name('other')}: is not listed in {record}"
    assert sorted(changes(results)) == sorted([f"{path}: is missing", added])
    with pytest.raises(BadInput, match=rf"voiceprivacy verify {results} lists all that differs"):
        refuse_changed(results)
    said = here("verify", results)
    assert said.returncode == 2 and f"{path}: is missing\n" in said.stdout


def change(results, field, **values):
    path = results / "provenance.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {field: content[field] | values}))


def test_speech_with_a_seed_of_the_config_is_refused(results):
    anonymisers = {"b2r": {"command": "python b2r.py"}, "team": {"audio": "submission"}}
    change(results, "config", anonymisers=anonymisers)
    refuse_public_seed(results, ["b2r", "b2r_run1"])
    change(results, "config", seed=0)
    refuse_public_seed(results, ["team", "team_run1", "original"])
    for name in ("b2r", "b2r_run1"):
        with pytest.raises(BadInput, match=f"the seed of '{name}' .*--public-seed"):
            refuse_public_seed(results, [name])


def test_publish_asks_before_it_gives_such_speech_away_and_takes_no_changed_one(results, tmp_path):
    change(results, "config", anonymisers={"b2": {"command": "python b2.py"}}, seed=0)
    manifest = results / "audio/tiny/trial/b2/manifest.tsv"
    words = ("--manifest", manifest, "--audio-dir", tmp_path / "out", "--key", tmp_path / "key.tsv")
    assert "give --public-seed" in refused("publish_audio", *words)
    allowed = refused("publish_audio", *words, "--public-seed")
    assert "manifest.tsv: not found" in allowed  # the next thing that is looked at
    manifest.write_text("added")
    assert "manifest.tsv: is not listed" in refused("publish_audio", *words, "--public-seed")


def test_an_edited_input_is_named_a_lost_one_not_and_no_name_leads_out_of_the_results(
    results, tmp_path
):
    (tmp_path / "model.ckpt").write_text("others")
    (line,) = changes(results)
    assert line.startswith("model.ckpt: differs") and line.endswith("an input of the run")
    (tmp_path / "model.ckpt").unlink()
    assert not list(changes(results))
    change(results, "outputs", **{"../model.ckpt": "0" * 64})
    assert list(changes(results)) == [f"{results}/../model.ckpt: is missing"]


@pytest.mark.parametrize("text", ["{}", '{"sha256": {}}'])
def test_results_of_an_older_version_are_refused(results, text):
    (results / "provenance.json").write_text(text)
    with pytest.raises(BadInput, match=r"provenance\.json: lists no outputs"):
        refuse_changed(results)
    (results / "provenance.json").unlink()
    assert "provenance.json: not found" in refused("verify", results)


@pytest.mark.parametrize(
    "words",
    ["export_result --repository r --laboratory l --revision 1", "export_challenge --suffix _b2"],
)
def test_what_reads_results_refuses_changed_ones(results, tmp_path, words):
    (results / "metrics.tsv").unlink()
    said = refused(*words.split(), "--results", results, cwd=tmp_path)
    assert f"{results}/metrics.tsv: is missing; voiceprivacy verify" in said
