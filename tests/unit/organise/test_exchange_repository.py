"""Records: what is written is read again, and what others wrote is refused at its line."""

import gzip
import json
import re
from types import SimpleNamespace

import pytest
from support.exchange import PROTOCOL, UNSAID, write_protocol

from voiceprivacy.errors import BadInput
from voiceprivacy.organise import exporting, records
from voiceprivacy.organise.exporting import Names, export
from voiceprivacy.vocabulary import Attack

PUBLISHED = {
    "system": "b2",
    "revision": "2020",
    "protocol": "libri_f",
    "attacker": "ecapa",
    "attacker_revision": "1",
    "tier": "A",
    "laboratory": "the organisers",
    "date": "2020",
    "source": "Table 1",
    "conditions": {
        "oo": {"eer_percent": records.Number(7.7, 7.0, 8.5)},
        "op": {
            "worst_case_log10": records.Number(float("inf")),
            "linkability": records.Number(None, not_reported="not in the paper"),
        },
    },
    "utility": [{"metric": "wer_percent", "value": UNSAID, "low": None, "high": None}],
    "format": 1,
}
PATH = "results/b2/2020/libri_f/ecapa@1.json"


def test_what_is_written_is_read_again_and_keys_are_sorted_for_git(tmp_path):
    written = {
        "system": {"name": "b2", "revision": "2020", "title": "B2", "code": UNSAID, "format": 1},
        "attacker": {"name": "e", "revision": "1", "title": "E", "weights": UNSAID, "format": 1},
        "protocol": {"name": "libri_f", "title": "L", "public": False, "format": 1},
        "result": PUBLISHED,
    }
    paths = [records.write_record(tmp_path, kind, record) for kind, record in written.items()]
    assert paths[-1] == tmp_path / PATH == tmp_path / records.path_of(PUBLISHED)
    of_kinds = []
    for path, record in zip(paths, written.values(), strict=True):
        of_kinds.append({path.relative_to(tmp_path).as_posix(): record})
        text = path.read_text()
        assert text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n"
    assert records.read_repository(tmp_path) == records.Repository(tmp_path, *of_kinds)


def test_a_record_of_another_form_is_refused_with_file_and_line(tmp_path):
    path = records.write_record(tmp_path, "result", PUBLISHED)
    content = path.read_text()
    for text, other, said in (
        ('"format": 1', '"format": 2', ": format: 1 was expected"),
        ('"format": 1', '"format": 1,\n "seed": 4', ":1: Additional properties .*'seed'"),
        ('"tier": "A"', '"tier": "C"', ": tier: 'C' is not one of"),
        ('"system": "b2"', '"system": "b3"', ": system: 'b3', and the path says 'b2'"),
        ('"value": 7.7', '"value": "7.7"', ":6: conditions.oo.eer_percent: .*not valid"),
        ('"value": 7.7', '"value": NaN', "not a number that is allowed here"),
        ('"op": {', '"everything": {', ": conditions: 'everything' is not one of"),
        ('"tier": "A"', '"tier": "A",\n "tier": "B"', "'tier' occurs twice"),
        ('"Table 1"', '"Table\\n1"', ": source: .*not valid"),
        ('"Table 1"', '"Table 1\\n"', ": source: .*not valid"),
        ('"tier": "A",', '"tier" "A",', ":[0-9]+: not JSON"),
    ):
        assert content.count(text) == 1
        path.write_text(content.replace(text, other))
        with pytest.raises(BadInput, match=f"ecapa@1.json.*{said}"):
            records.read_repository(tmp_path)


def test_nothing_is_written_that_nobody_could_read(tmp_path):
    for changed, said in (
        ({"laboratory": "A\nB"}, r"ecapa@1\.json.*laboratory"),
        ({"revision": "V1"}, r"b2/V1/.*cannot be"),
        ({"attacker_revision": ""}, r"ecapa@\.json: cannot be"),
    ):
        with pytest.raises(BadInput, match=said):
            records.write_record(tmp_path, "result", PUBLISHED | changed)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.fixture
def run():
    attack = Attack("tiny", "all", "ecapa_on_b2", "mix_without_b2")
    return SimpleNamespace(folder="results", config={}, attacks=lambda: [(attack, "b2")])


def test_another_name_of_what_the_run_has_not_is_refused(run, tmp_path):
    """Else it would be exported under the name of the config."""
    for kind, has in (("systems", "b2"), ("protocols", "tiny/all"), ("attackers", "ecapa/mix")):
        names = Names("A", "1", **{kind: {"B2": "x"}})
        with pytest.raises(BadInput, match=f"^--{kind[:-1]}-name B2=...: results has {has}$"):
            export(run, tmp_path, names)
    with pytest.raises(BadInput, match=r"no attack of nix on .* attackers: ecapa/mix;"):
        export(run, tmp_path, Names("A", "1"), attacker="nix")


@pytest.mark.parametrize(
    ("backend", "said"),
    [("mix", None), ("mix_on_b2", "of the system"), ("mix_without_b2", "none: .* other systems")],
)
def test_whether_an_attacker_learns_from_the_attacked_system_is_said(run, backend, said):
    run.provenance = {"config": {}}
    attack = Attack("tiny", "all", "ecapa", backend)
    record = exporting._attacker_of(run, Names("A", "1"), attack)
    assert record["name"] == "ecapa_mix"
    assert re.search(said, record["adaptation"]) if said else record["adaptation"] is None


def test_a_wrong_revision_leaves_no_file(run, tmp_path, monkeypatch):
    known = {"_listed_of": None, "_protocol_of": {"name": "p"}}
    known["_attacker_of"] = {"name": "ecapa", "revision": "1"}
    for name, value in known.items():
        monkeypatch.setattr(exporting, name, lambda *_, value=value, **__: value)
    with pytest.raises(BadInput, match=r"systems/b2/v 1/system\.json: cannot be"):
        export(run, tmp_path, Names("A", "v 1"))
    assert not list(tmp_path.iterdir())


def test_another_laboratory_has_a_file_of_its_own_beside_the_result(tmp_path):
    records.write_record(tmp_path, "result", PUBLISHED)
    assert exporting._replication(PUBLISHED, tmp_path) == {}  # one's own is replaced
    for laboratory, name in (("Lab-B", "lab_b"), ("3M", "laboratory_3m")):
        other = PUBLISHED | {"laboratory": laboratory}
        assert exporting._replication(other, tmp_path) == {"replication": name}
        path = records.write_record(tmp_path, "replication", other | {"replication": name})
        assert path == tmp_path / PATH.replace("@1.json", f"@1@{name}.json")
        assert exporting._replication(other, tmp_path) == {"replication": name}
    with pytest.raises(BadInput, match=r"ecapa@1@lab_b\.json: is of Lab-B:"):
        exporting._replication(PUBLISHED | {"laboratory": "LAB b"}, tmp_path)
    assert len(records.read_repository(tmp_path).results) == 3
    path = tmp_path / PATH
    path.write_text(path.read_text().replace('"revision"', '"replication": "x",\n "revision"'))
    with pytest.raises(BadInput, match=r"ecapa@1\.json:[0-9]+: replication"):
        records.read_repository(tmp_path)


def test_controls_are_exported_by_their_name_only(run, tmp_path, monkeypatch):
    [(attack, b2)] = run.attacks()
    run.config = {"anonymisers": {"b2": {}, "reversed": {"control": True}}}
    run.attacks = lambda: [(attack, b2), (attack, "reversed")]
    monkeypatch.setattr(exporting, "_export_one", lambda *arguments, **_: arguments[4])
    assert export(run, tmp_path, Names("A", "1")) == ["b2"]
    assert export(run, tmp_path, Names("A", "1"), anonymiser="reversed") == ["reversed"]


def test_links_and_files_elsewhere_are_refused(tmp_path):
    path = records.write_record(tmp_path, "result", PUBLISHED)
    link = path.with_name("two@1.json")
    link.symlink_to(path)
    with pytest.raises(BadInput, match="is a link"):
        records.read_repository(tmp_path)
    link.unlink()
    path.rename(path.with_name("Ecapa.json"))
    with pytest.raises(BadInput, match="is no record"):
        records.read_repository(tmp_path)
    with pytest.raises(BadInput, match="no record below systems, attackers, protocols, results"):
        records.read_repository(path.parent)  # such as the results of a run


def test_lists_are_packed_as_no_version_of_python_packs_them_otherwise(tmp_path):
    """gzip.compress of 3.11 names the system in byte 9 of the header, that of 3.13 does not."""
    write_protocol(tmp_path)
    packed = (tmp_path / "protocols" / f"{PROTOCOL}.trials.gz").read_bytes()
    assert packed[:10].hex() == "1f8b08" + "00" * 5 + "02ff"
    assert gzip.decompress(packed).startswith(b"list\tenrolment\ttrial\tlabel\t")


def test_an_attacker_counts_who_finds_somebody_in_unprotected_speech():
    def with_evidence(value):
        numbers = {"dece_bit": records.Number(value), "dece_null95_bit": records.Number(0.1)}
        return PUBLISHED | {"conditions": {"oo": numbers}}

    assert records.distrust(PUBLISHED) is None  # not reported: it costs nothing
    assert records.distrust(with_evidence(0.2)) is None
    assert "unprotected" in records.distrust(with_evidence(0.1))
    refused = PUBLISHED | {"controls": {"refused": "constant scores"}}
    assert records.distrust(refused) == "constant scores"


def test_data_that_an_attacker_learnt_from_is_flagged():
    protocol = {"data": ["LibriSpeech test-clean", "VCTK"]}
    assert records.overlap({"training_data": ["VoxCeleb 1", "vctk"]}, protocol) == ["VCTK"]
    assert records.overlap({"training_data": UNSAID}, protocol) == records.overlap({}, {}) == []
