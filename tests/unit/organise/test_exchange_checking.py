"""A repository that two laboratories fill: forged numbers, lists and labels are told with lines."""

import gzip
import json
import shutil
import time
from functools import partial

import pytest
from support.calls import here
from support.exchange import PROTOCOL, write_protocol, write_repository, write_result, write_system

from voiceprivacy.errors import BadInput
from voiceprivacy.jobs.check_result import below
from voiceprivacy.organise import checking
from voiceprivacy.organise.checking import Changes, checked, differences
from voiceprivacy.organise.recomputed import read_listed
from voiceprivacy.organise.records import read_repository

X_ONE = f"results/x/2026/{PROTOCOL}/one@1"
X_TWO = f"results/x/2026/{PROTOCOL}/two@1"
LISTS = f"protocols/{PROTOCOL}.trials.gz"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_repository(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def repository(whole, tmp_path):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return tmp_path


def findings(folder, changed=None, **options):
    changes = None
    if changed is not None:
        gone = [name for name in changed if not (folder / name).exists()]
        changes = Changes([], [name for name in changed if name not in gone], gone)
    return checked(folder, changes=changes, **options)[1]


def change(path, text, other):
    """Replace a text that stands once in a file; the line it stands in."""
    packed = path.suffix == ".gz"
    content = gzip.decompress(path.read_bytes()).decode() if packed else path.read_text()
    assert content.count(text) == 1, text
    line = content[: content.index(text)].count("\n") + 1
    content = content.replace(text, other)
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    return line


def require(folder, *words):
    told = findings(folder)
    assert any(all(word in finding for word in words) for finding in told), told


def test_what_two_laboratories_measured_is_without_findings(repository):
    assert findings(repository) == []
    results = read_repository(repository).results.values()
    assert {result["laboratory"] for result in results} == {"Laboratory A", "Laboratory B"}


def test_a_replication_is_without_findings_even_with_the_same_scores(repository):
    replicate(repository, "Laboratory B")
    for ending in (".json", ".scores.gz"):
        copy = repository / f"{X_TWO}@lab_c{ending}"
        shutil.copy(repository / f"{X_TWO}{ending}", copy)
    named = '"laboratory": "Laboratory C", "replication": "lab_c"'
    change(repository / f"{X_TWO}@lab_c.json", '"laboratory": "Laboratory B"', named)
    assert findings(repository) == []


def test_a_forged_number_and_a_forged_interval_are_refused_with_the_line(repository):
    content = (repository / f"{X_ONE}.json").read_text()
    for field, true in json.loads(content)["conditions"]["op"]["cllr_bit"].items():
        (repository / f"{X_ONE}.json").write_text(content)
        line = change(repository / f"{X_ONE}.json", repr(true), repr(true + 1e-6))
        forged = f"conditions.op.cllr_bit.{field}: is {true + 1e-6!r}, and {true!r} from the scores"
        assert findings(repository) == [f"{repository}/{X_ONE}.json:{line}: {forged}"]
    # A change that concerns others computes nothing of this again.
    assert findings(repository, changed=[f"{X_TWO}.json"]) == []
    assert len(findings(repository, changed=[f"{X_ONE}.scores.gz"])) == 1
    assert len(findings(repository, changed=[f"protocols/{PROTOCOL}.json"])) == 1


def test_a_swapped_label_is_refused_with_the_line(repository):
    scores = repository / f"{X_ONE}.scores.gz"
    line = change(scores, "op\ts1\ts1-1\ttarget", "op\ts1\ts1-1\tnontarget")
    labelled = "trial 's1 s1-1' of op is labelled nontarget, and target in"
    require(repository, f"{scores}:{line}: {labelled}")


def test_a_changed_list_is_refused_with_the_line_of_its_hash(whole, repository):
    protocol = repository / "protocols" / f"{PROTOCOL}.json"
    write_system(repository, "z")
    trial = "trials\ts1\ts1-1\ttarget"
    for text, other, field in (
        (trial, "trials\ts1\ts1-1\tnontarget", "sha256.trials"),
        (f"{trial}\ts1\ts1\n", "", "counts.target"),
    ):
        shutil.copy(whole / LISTS, repository / LISTS)
        change(repository / LISTS, text, other)
        key = f'"{field.partition(".")[2]}"'
        lines = [line.strip().startswith(key) for line in protocol.read_text().splitlines()]
        require(repository, f"{protocol}:{lines.index(True) + 1}: {field} is")
        # Nor is it read where a contribution concerns others.
        assert findings(repository, changed=["systems/z/2026/system.json"]) == []


def test_a_list_that_is_changed_with_its_hash_no_longer_has_these_scores(repository):
    change(repository / LISTS, "trials\ts1\ts1-1\ttarget\ts1\ts1\n", "")
    own, path = read_listed(repository / LISTS), repository / f"protocols/{PROTOCOL}.json"
    edit(path, lambda values: values.update(sha256=own.hashes(), counts=own.counts()))
    told = findings(repository)
    assert sum("trial 's1 s1-1' of oo is not in" in finding for finding in told) == 3, told


def test_scores_that_were_edited_are_refused(repository):
    scores = repository / f"{X_ONE}.scores.gz"
    line = gzip.decompress(scores.read_bytes()).decode().splitlines()[1]
    change(scores, line, line.replace(line.split("\t")[-1], "99.0"))
    require(repository, f"{X_ONE}.json", ": scores: the SHA-256")
    require(repository, "from the scores")


def copy_to_y(folder):
    for ending in (".json", ".scores.gz"):
        copy = folder / f"results/y/2026/{PROTOCOL}/two@1{ending}"
        shutil.copy(folder / f"{X_TWO}{ending}", copy)
    change(folder / f"results/y/2026/{PROTOCOL}/two@1.json", '"system": "x"', '"system": "y"')


def replicate(folder, laboratory, attacker="one"):
    replication = {"laboratory": laboratory, "strength": 0.5, "replication": "again"}
    write_result(folder, "x", attacker, **replication)


def find_less_in_unprotected_speech(folder):
    def worse(values):
        values["conditions"]["oo"]["eer_percent"]["value"] += 0.2

    edit(folder / f"{X_ONE}.json", worse)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / LISTS).unlink(), "cannot be checked without"),
        (lambda folder: (folder / f"{X_ONE}.scores.gz").unlink(), "tier B needs one@1.scores.gz"),
        (lambda folder: (folder / f"{X_ONE}.json").unlink(), "one@1.json is missing beside it"),
        (lambda folder: shutil.rmtree(folder / "attackers/one"), "there is no attackers/one/1/"),
        (lambda folder: shutil.rmtree(folder / "systems/x"), "system: there is no systems/x/2026/"),
        (lambda folder: (folder / "results/notes.txt").write_text("x"), "is no record"),
        (lambda folder: (folder / "systems/x/s.scores.gz").write_text("x"), "s.scores.gz: is no"),
        (lambda folder: (folder / f"{X_ONE}.scores.gz").write_bytes(b"\x1f\x8b\x08"), "unpacked"),
        (lambda folder: change(folder / f"{X_ONE}.json", ": 20", ": 21"), "from the scores"),
        (lambda folder: replicate(folder, "Laboratory A"), "no other laboratory has a result"),
        (lambda folder: replicate(folder, "Laboratory A", "three"), "no other laboratory has"),
        (copy_to_y, f"are those of {X_TWO}.json, too"),
        (find_less_in_unprotected_speech, "another attacker, or other speech"),
    ],
)
def test_what_is_missing_damaged_or_of_others_is_said(repository, spoil, said):
    spoil(repository)
    require(repository, said)


def test_scores_and_lists_of_a_corpus_that_is_not_public_are_refused(repository):
    change(repository / f"protocols/{PROTOCOL}.json", '"public": true', '"public": false')
    told = findings(repository)
    assert f"{repository}/{LISTS}: the corpus is not public: remove its lists" in told
    assert sum("is not public: remove the scores" in finding for finding in told) == 3


def test_numbers_without_scores_are_tier_a_and_may_stand(tmp_path):
    write_repository(tmp_path)
    write_protocol(tmp_path, public=False)
    (tmp_path / LISTS).unlink()
    for path in tmp_path.rglob("*.scores.gz"):
        path.unlink()
    for system, attacker in (("x", "one"), ("x", "two"), ("y", "one")):
        write_result(tmp_path, system, attacker, laboratory="A", strength=1.0, tier="A")
    assert findings(tmp_path) == []


def test_numbers_that_no_metric_can_have_are_refused_whatever_the_tier(tmp_path):
    write_repository(tmp_path)
    path = write_result(tmp_path, "x", "one", laboratory="A", strength=1.0, tier="A")
    path.with_name("one@1.scores.gz").unlink()

    def forge(values):
        numbers = values["conditions"]["op"]
        numbers["eer_percent"]["value"], numbers["n_target"]["value"] = 101.0, 13.0
        numbers["my_own"] = {"value": 1.0, "low": None, "high": None}
        numbers["cllr_bit"] = {"value": 0.5, "low": 0.6, "high": 0.4}
        errors = {"low": None, "high": None, "definition": "vpc2024", "model": None, "value": -3}
        values["utility"] = [errors | {"metric": name} for name in ("wer_percent", "my_measure")]

    edit(path, forge)
    told = "\n".join(findings(tmp_path))
    assert "conditions.op.eer_percent: eer_percent: '101.0' is no" in told
    assert "conditions.op.n_target: is 13.0, and the protocol has 12" in told
    assert "conditions.op.my_own: is no metric" in told
    assert "conditions.op.cllr_bit: has its lower limit above" in told
    assert "utility.0: wer_percent: '-3.0' is no" in told and "my_measure" not in told


def edit(path, change):
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values, indent=1).replace('"DIGITS"', "1" * 400))


def many_metrics(values, *, number, value):
    own = {"value": value, "low": None, "high": None}
    values["conditions"]["op"] = {f"metric_{index}": own for index in range(number)}


MANY = {f"p{index}": "1" for index in range(80_000)}


@pytest.mark.parametrize(
    ("change", "said", "most"),
    [
        (partial(many_metrics, number=2000, value=1.0), "has too many properties", 1),
        (lambda values: values.update(versions=MANY), "has too many properties", 1),
        (lambda values: values.update(draws=20_000), "draws: 20000 is greater", 1),
        (lambda values: values.update(draws="DIGITS"), "a number of 400 digits", 1),
        (partial(many_metrics, number=500, value=-1e9), "has more findings", 101),
    ],
)
def test_what_is_sent_is_bounded(repository, change, said, most):
    edit(repository / f"{X_ONE}.json", change)
    begin = time.process_time()
    told = findings(repository, changed=[f"{X_ONE}.json"])
    assert time.process_time() - begin < 10
    assert len(told) <= most and said in told[-1] and max(map(len, told)) < 1000


def test_a_check_ends_after_the_seconds_that_it_may_take(repository, monkeypatch):
    def work(repository):
        while True:
            pass

    monkeypatch.setattr(checking, "_check_copies", work)
    [told] = findings(repository, changed=[f"{X_ONE}.json"], seconds=0.5)
    assert told == f"{repository}: is not checked within 0.5 s (--seconds)"


def remove_x_one(folder):
    for ending in (".json", ".scores.gz"):
        (folder / f"{X_ONE}{ending}").unlink()


def test_what_is_gone_is_declared_with_a_reason(whole, repository):
    remove_x_one(repository)
    names = [f"{X_ONE}.json", f"{X_ONE}.scores.gz"]
    assert differences(whole, repository).removed == names
    undeclared = [f"{repository}/{name}: was removed: withdrawn.tsv must say so" for name in names]
    told = findings(repository, changed=names)
    assert [one.rpartition(",")[0] for one in told] == undeclared
    lines = [f"{name}\tspeech of another system\n" for name in names]
    (repository / "withdrawn.tsv").write_text("file\tbecause\n" + "".join(lines))
    assert findings(repository, changed=names) == []
    (repository / "withdrawn.tsv").write_text(f"file\tbecause\n{names[0]}\t \n{X_TWO}.json\tx\n")
    wrong = [f"{repository}/withdrawn.tsv:{line}: " for line in (2, 3)]
    told = findings(repository, changed=names)
    assert [one[: len(start)] for one, start in zip(told, wrong, strict=False)] == wrong


def test_what_is_declared_is_looked_for_among_the_files_of_the_repository_alone(repository):
    names = ["a" * 300, f"../{repository.name}"]  # no disk holds the first one
    (repository / "withdrawn.tsv").write_text("file\tbecause\n" + "\tx\n".join([*names, ""]))
    assert findings(repository) == []


def test_the_command_lists_what_is_new_changed_and_removed(whole, repository):
    remove_x_one(repository)
    edit(repository / f"{X_TWO}.json", lambda values: values.update(date="2026-11-24"))
    write_result(repository, "y", "two", laboratory="Laboratory A", strength=1.0)
    finished = here("check_result", repository, "--compared-with", whole)
    assert finished.returncode == 2 and "2 findings" in finished.stdout
    new = f"results/y/2026/{PROTOCOL}/two@1"
    listed = [f"new: {new}.json", f"new: {new}.scores.gz", f"changed: {X_TWO}.json"]
    listed += [f"removed: {X_ONE}.json", f"removed: {X_ONE}.scores.gz"]
    assert finished.stdout.splitlines()[:5] == listed


def test_whose_results_are_headlines_only_the_owner_says(whole, repository):
    (repository / "laboratories.tsv").write_text("laboratory\nLaboratory C\n")
    changed = differences(whole, repository).all
    told = f"{repository}/laboratories.tsv: is the owner's: no contribution changes it"
    assert findings(repository, changed=changed) == [told]
    assert checked(repository, changes=Changes([], [], []))[0].laboratories == {"Laboratory C"}


def test_a_removed_file_is_recognised_wherever_it_is_named_from(repository, monkeypatch):
    """The command gets names of changed files from git, as they are called there or here."""
    [kept, *_] = sorted((repository / "results").rglob("*.json"))
    name = kept.relative_to(repository).as_posix()
    kept.unlink()
    monkeypatch.chdir(repository.parent)
    for path in (name, f"{repository.name}/{name}", str(kept)):
        assert below(repository, path) == name
    for path, said in (("/elsewhere/x.json", "lies outside of"), ("", "expected the name")):
        with pytest.raises(BadInput, match=said):
            below(repository, path)


def test_many_broken_records_hide_none_that_others_refer_to(repository):
    for index in range(120):
        (repository / "attackers" / f"broken{index}.json").write_text("{")
    said = findings(repository)
    assert len(said) == 120 and all("/broken" in finding for finding in said)
