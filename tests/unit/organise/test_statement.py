"""A statement: its facts by hand, each kind of tampering is named, and its pages say what is so."""

import copy
import re
from types import SimpleNamespace

import numpy as np
import pytest
from support import verdicts
from support.browser import Reader, browser, needs_browser
from support.calls import here, refused, succeeds

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.organise import statement
from voiceprivacy.plan import configuration
from voiceprivacy.privacy.verdict.recognised import Recognised, Right
from voiceprivacy.privacy.verdict.run_scores import Judged
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.provenance.record import provenance
from voiceprivacy.vocabulary import DASH

N_PERSONS = 40
CONFIG = {
    "seed": 31337,
    "anonymisers": {
        "b2": {"function": "{resources}/plugins/reversed.py:anonymise", "options": {}},
        "copy": {"function": "{resources}/plugins/reversed.py:anonymise", "control": True},
    },
}
ONE, ALL, LINKAGE = "one_recording", "all_recordings", "linkage"
DROPPED = "dropped"
LEAK = {"leak": "leak_20", "recordings": 16, "evidence_percent": None, "found": False}


def evidence(persons, high, low=0.0):
    return SimpleNamespace(persons=persons, high=lambda: high, low=lambda: low)


def judged(n_persons=N_PERSONS, state="open"):
    """Two lists, on one of which all recordings of a person were not measured."""
    persons = [f"person{number:02}" for number in range(n_persons)]
    women, men = persons[::2], persons[1::2]
    recordings = {f"{one}-{number}": one for one in persons for number in (1, 2)}
    scores = ScoreTable(recordings)
    for name, own in (("demo/f", women), ("demo/m", men)):
        trials = {(recordings[one], one): 0.5 for one in recordings if recordings[one] in own}
        systems = ("original", "b2", "reversed", "copy", "noise")
        scores.scores[name] = {system: {("ecapa/cosine", "op"): trials} for system in systems}
    of_original = {
        (ONE, "demo/f"): evidence(women, 90.0, 61.5),
        (ONE, "demo/m"): evidence(men, 90.0, 72.0),
    }
    of_b2 = {
        (ONE, "demo/f"): evidence(women, 3.0),
        (ONE, "demo/m"): evidence(men, 9.04),
        (ALL, "demo/f"): evidence(women, 12.0),
        (LINKAGE, "demo/f"): evidence(women, 1.5),
        (LINKAGE, "demo/m"): evidence(men, 1.25),
    }
    known = {"original": of_original, "b2": of_b2, "reversed": {}}
    systems = {"b2": verdicts.system(state), "reversed": verdicts.not_measured()}
    systems |= {"copy": verdicts.system("open"), "noise": verdicts.system("unclear")}
    leaks = {"system": "b2", "reason": None, "tried": [LEAK]}
    said = {"original": {"state": "open", "right_of_20_percent": None, "evidence_percent": None}}
    facts = verdicts.set_of(systems, controls=["copy", "noise"], leaks=leaks, of_text=said)
    facts["unprotected_at_least_percent"] = 61.5
    right = Right(np.full(40, 0.05), np.full(40, 2), True)
    first = {"b2": dict.fromkeys(scores.scores, Recognised(right, right)), "reversed": {}}
    return Judged(scores, facts, known, first, {"b2": 104})


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Results of a run with speech, and what its scores are judged to be."""
    folder = tmp_path / "results"
    for name in ("scores/op.tsv", "audio/demo/trial/b2/wav/0/a.flac"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(name)
    be_judged(monkeypatch, folder, judged())
    record(folder)
    return folder


def record(folder, config=CONFIG):
    made_from = provenance(config=configuration.check(config), files=[], results=folder)
    made_from |= {"git_commit": "0123abc", "git_state": "clean"}
    wall_s = {"extract_embeddings": 5000.0, "train_backend": 400.0, "plot": 9e9}
    made_from["jobs"] = {name: {"wall_s": seconds} for name, seconds in wall_s.items()}
    write_json(folder / "provenance.json", made_from)


def be_judged(monkeypatch, folder, own):
    monkeypatch.setattr(statement, "judge", lambda plan, scores: [("demo", own)])
    write_json(folder / "verdict.json", verdicts.verdict({"demo": own.facts}))


@pytest.fixture
def facts(results):
    return statement.statement_of(results)


def test_limits_counts_and_controls_are_those_of_the_run_and_no_person_path_or_seed_is_in_it(
    facts, results
):
    own = facts["sets"]["demo"]["systems"]["b2"]
    assert own["at_most_percent"] == {ONE: 9.04, ALL: None, LINKAGE: 1.5}
    assert own["right_of_20_at_most_percent"] == pytest.approx(16.92, abs=0.01)
    assert facts["sets"]["demo"]["unprotected_at_least"] == 61.5
    assert (own["recordings"], own["persons"], own["persons_tried"]) == (80, 40, 40)
    assert own["persons_learnt_from"] == 104
    assert facts["sets"]["demo"]["systems"]["reversed"]["persons"] == 0
    assert facts["attack_wall_s"] == 5400.0, "the plot is no attack"
    assert {"version", "git_commit", "created", "thresholds", "versions", "expires"} < {*facts}
    assert {*facts["sha256"]} == {"config", "code", "inputs", "lists", "scores", "provenance"}
    assert {"attacks", "leaks", "not_tried", "made_up", "of_text"} < {*facts["sets"]["demo"]}
    assert facts["sets"]["demo"]["controls"] == {"copy": True, "noise": False}
    assert set(facts["sets"]["demo"]["systems"]) == {"b2", "reversed"}
    text = str(facts)
    assert "person0" not in text and str(results.parent) not in text and "31337" not in text


def test_fewer_than_40_persons_and_a_verdict_that_its_scores_do_not_give_are_refused(
    results, monkeypatch
):
    for n_persons in (0, 39):
        be_judged(monkeypatch, results, judged(n_persons))
        with pytest.raises(BadInput, match=rf"^{results}: {n_persons} persons were evaluated"):
            statement.statement_of(results)
    write_json(results / "verdict.json", verdicts.verdict({"demo": judged(state="low").facts}))
    with pytest.raises(BadInput, match=r"verdict\.json: b2 is judged otherwise by its scores"):
        statement.statement_of(results)


def test_a_hash_does_not_give_a_seed_away_and_notices_all_else(results, facts):
    record(results, CONFIG | {"seed": 7})
    assert statement.statement_of(results)["sha256"]["config"] == facts["sha256"]["config"]
    record(results, CONFIG | {"verdict": {"open_percent": 11}})
    assert statement.statement_of(results)["sha256"]["config"] != facts["sha256"]["config"]


def tampered(facts, path, value):
    """A copy of the facts with another one at a.b.c, or without it; a member of a list is a key."""
    changed = copy.deepcopy(facts)
    *above, last = path
    inner = changed
    for key in above:
        inner = inner[key]
    if isinstance(inner, list):
        inner.remove(last)
    elif value is DROPPED:
        del inner[last]
    else:
        inner[last] = value
    return changed


B2 = ("sets", "demo", "systems", "b2")


def facts_in(facts, above=()):
    """(path, value) of all that is stated; what a list has are keys of it."""
    for key, value in facts.items():
        yield (*above, key), value
        if isinstance(value, dict):
            yield from facts_in(value, (*above, key))
        elif isinstance(value, list):
            yield from (((*above, key, member), value) for member in value if str(member) == member)


def another(value):
    """Another value, of a number one that is hardly other."""
    if isinstance(value, bool) or not value:
        return not value
    return value * (1 - 1e-8) if isinstance(value, float | int) else f"{value}0"


def test_whatever_is_changed_dropped_or_added_is_named(results, facts, tmp_path):
    tampering = [(("more",), "invented"), (("sets", "demo", "controls", "more"), True)]
    for path, value in facts_in(facts):
        tampering.append((path, DROPPED))
        if not isinstance(value, dict | list):
            tampering.append((path, another(value)))
    assert len(tampering) > 120
    for path, value in tampering:
        lines = list(statement.differences(tampered(facts, path, value), facts))
        assert [line.split(": ")[0] for line in lines] == [".".join(path)], lines
    write_json(tmp_path / "statement.json", tampered(facts, (*B2, "persons"), 400))
    [line] = statement.untrue(tmp_path / "statement.json", results)
    assert line.split(": ")[1] == ".".join((*B2, "persons"))


def test_a_leak_that_was_found_by_nothing_but_a_statement_is_named(results, facts, tmp_path):
    facts["sets"]["demo"]["leaks"]["tried"][0]["found"] = True
    write_json(tmp_path / "statement.json", facts)
    lines = list(statement.untrue(tmp_path / "statement.json", results))
    assert lines and all(": sets.demo.leaks.tried." in line for line in lines)


def test_a_true_statement_is_said_to_be_so_with_its_hash(results, tmp_path):
    statement.write_statement(statement.statement_of(results, 3), tmp_path)
    rounded = read_json(tmp_path / "statement.json")
    rounded["sets"]["demo"]["systems"]["b2"]["at_most_percent"][ONE] *= 1 + 1e-12
    write_json(tmp_path / "statement.json", rounded)
    first, second = succeeds("verify", tmp_path / "statement.json", results).splitlines()
    assert re.fullmatch(r".*: every fact is as .* has it; SHA-256 [0-9a-f]{64}", first)
    assert second.endswith("all files are as the run has made them")


def test_an_edited_file_is_named_and_its_hash_if_listed_again(results, tmp_path):
    file = tmp_path / "statement.json"
    for name, fact in (
        ("scores/op.tsv", "sha256.scores"),
        ("audio/demo/trial/b2/wav/0/a.flac", "sets.demo.systems.b2.sha256"),
    ):
        record(results)
        statement.write_statement(statement.statement_of(results), tmp_path)
        (results / name).write_text("edited")
        said = here("verify", file, results)
        assert said.returncode == 2 and f"{results / name}: differs from what" in said.stdout
        record(results)
        said = here("verify", file, results)
        assert said.returncode == 2 and not said.stderr
        named = [line.split(": ")[1] for line in said.stdout.splitlines()]
        assert sorted(named) == sorted([fact, "sha256.provenance"])


def test_what_is_no_statement_is_refused_in_a_line(results, tmp_path):
    for text in ("[]", "{}", "{", '{"declared": 3}', '{"declared": {}}'):
        (tmp_path / "statement.json").write_text(text)
        said = refused("verify", tmp_path / "statement.json", results)
        assert said.count("\n") == 1
        assert said.startswith(f"error: {tmp_path / 'statement.json'}")


def test_the_command_writes_beside_the_page_or_where_one_says(results, tmp_path):
    for words, folder in (((), results / "report"), (("--output", tmp_path / "x"), tmp_path / "x")):
        said = succeeds("statement", results, "--earlier", "2", *words)
        assert said == f"{folder}/statement.json\n{folder}/statement.html\n"
        assert read_json(folder / "statement.json")["declared"] == {"earlier_releases": 2}
    succeeds("verify", results)  # it is no output of the run


def test_a_count_below_zero_is_refused():
    assert "--earlier -1" in refused("statement", "--earlier", "-1")


# The page.


def page_of(facts, folder):
    statement.write_statement(facts, folder)
    page = (folder / "statement.html").read_text(encoding="utf-8")
    assert "<script" not in page and "http" not in page
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL))


def test_the_page_rounds_upper_limits_up_and_says_what_was_not_measured(facts, tmp_path):
    page = page_of(facts, tmp_path)
    assert f"b2 not protected 17.0 % 9.1 % {DASH} 1.5 %" in page
    assert "at least 61 % of the evidence" in page and "1.5 hours" in page
    assert "reversed: inconclusive, because a list has fewer than 4 speakers" in page
    assert "not protected: copy . Not found: noise ." in page
    assert "in five of b2 had been left unprotected, this evaluation would not" in page
    assert "an attacker trained on this speech" in page


def test_the_page_says_how_many_earlier_releases_were_counted(facts, tmp_path):
    counts = {None: "No earlier", 0: "no earlier release .", 1: "1 earlier", 4: "4 earlier"}
    for earlier, words in counts.items():
        declared = tampered(facts, ("declared", "earlier_releases"), earlier)
        assert words in page_of(declared, tmp_path)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("sets", "demo", "unprotected_at_least"), None, "was not attacked."),
        (("sets", "demo", "unprotected_at_least"), -3.0, "find nothing for certain"),
        (("sets", "demo", "unprotected_at_least"), 49.9, "attackers are too weak"),
        (("sets", "demo", "controls"), {}, "No controls"),
        (("sets", "demo", "not_tried"), [], "All kinds of attacks"),
        (("sets", "demo", "made_up"), True, "synthetic"),
        (("sets", "demo", "of_text", "original", "state"), "low", "It was not shown to give"),
        (("sets", "demo", "attacks"), ["asv/given op"], "effort is not known"),
        ((*B2, "sha256"), None, "of b2, reversed none"),
        (("git_state",), "unknown", "not say exactly which code"),
        (("thresholds", "low_percent"), 40, "at most 40 %"),
    ],
)
def test_no_sentence_is_false_of_another_run(facts, tmp_path, path, value, words):
    assert words not in page_of(facts, tmp_path)
    assert words in page_of(tampered(facts, path, value), tmp_path)


@needs_browser
def test_it_prints_on_two_sheets_of_a4(facts, tmp_path):
    own = facts["sets"]["demo"]
    for name in ("one_system", "another_system", "a_third_system"):
        own["systems"][name] = own["systems"]["reversed"]
    attackers = ("ecapa_of_speechbrain/semi_on_another_system", "resemblyzer/a_trained_plda")
    own["attacks"] += [f"{one} {condition}" for one in attackers for condition in ("oo", "rr")]
    page_of(facts, tmp_path)
    with browser() as chromium:
        reader = Reader(chromium, tmp_path / "statement.html", width=658)  # 174 mm
        pdf = reader.page.pdf(prefer_css_page_size=True)
        reader.page.emulate_media(media="print")
        boxes = "[...document.querySelectorAll('body *')].map((e) => e.getBoundingClientRect()"
        right = f"{boxes}.right)"
        assert max(reader.page.evaluate(right)) <= 658.5 and reader.errors == []
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
    assert re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ", pdf)[0].startswith(b"59")
