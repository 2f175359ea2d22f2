"""Every summary of a verdict says what verdict.json says: states, numbers, limits, counts."""

import functools
import math
import re

import pytest
from support import utilities
from support.calls import succeeds
from support.heldout_lists import judge_at_once, score_table
from support.pages import Page

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.organise import statement
from voiceprivacy.plan import configuration
from voiceprivacy.privacy.verdict.run_scores import Judged
from voiceprivacy.privacy.verdict.verdict import MEASURES, Known, verdict_of
from voiceprivacy.provenance.record import provenance
from voiceprivacy.report.plane import read_planes
from voiceprivacy.report.terminal import MORE, verdict_lines
from voiceprivacy.report.verdict import judged_of, read_verdict
from voiceprivacy.report.verdict_words import LAW, OPEN_PERCENT, RIGHT, STATES, WHOSE
from voiceprivacy.vocabulary import DASH

UNPROTECTED = {"original net/cosine oo": 6, "original net/cosine rr": 6}
WORLDS = {  # {set: distances of targets by "SYSTEM ATTACKER CONDITION", speakers, recordings}
    "found": ({"x net/cosine rr": 3, "x net/cosine op": 0.5, "y net/cosine op": 1}, 40, 2),
    "empty": ({"x net/cosine op": 0, "x net/cosine rr": 0, "z net/cosine pp": 3}, 41, 2),
    "lists": ({"x net/cosine op": 2}, 40, 2),
    "small": ({"x net/cosine op": 2, "y net/cosine op": 0.7, "z net/cosine op": 1}, 5, 3),
}
ROW = re.compile(r'<tr data-system="(\w+)".*?</tr>', re.DOTALL)

at_once = pytest.fixture(judge_at_once, autouse=True)


@functools.cache
def judged(world):
    distances, n_speakers, n_recordings = WORLDS[world]
    table = score_table({**UNPROTECTED, **distances}, n_speakers, n_recordings)
    if world == "lists":  # another one of few speakers, whose limits are wide
        few = score_table({**UNPROTECTED, **distances}, 12, n_recordings, seed=1)
        table.scores["few"] = few.scores["all"]
    evidence, recognised = {}, {}
    known = Known(learnt={"x": 100}, leaks={})
    facts = verdict_of(table, known=known, evidence=evidence, recognised=recognised)
    return Judged(table, facts | {"of_text": {}}, evidence, recognised, {"x": 100})


def squeezed(html):
    return " ".join(" ".join(Page(html).text).split()).replace("\N{NO-BREAK SPACE}", " ")


def cell(limits, unit=" %"):
    """A number as every table of the verdict has it."""
    if limits is None:
        return DASH
    value, low, high = (max(number, 0) for number in limits)
    return f"{value:.0f}{unit} [{math.floor(low)}, {math.ceil(high)}]"


@pytest.fixture(params=[("found", "empty"), ("lists",), ("small",)], ids="+".join)
def sets(request):
    return {name: judged(name) for name in request.param}


@pytest.fixture
def file(sets, tmp_path):
    path = tmp_path / "results" / "verdict.json"
    path.parent.mkdir()
    facts = {name: own.facts for name, own in sets.items()}
    write_json(path, {"format": 1, "sets": facts})
    return path


def test_page_and_terminal_have_the_states_numbers_limits_and_counts_of_the_file(sets, file):
    page = file.parent / "privacy.html"
    succeeds("write_first_page", "--verdict", file, "--page", page)
    html = page.read_text()
    verdict = read_verdict(file)
    text, lines = squeezed(html), " ".join(" ".join(verdict_lines(verdict)).split())
    assert verdict.answer in text and verdict.answer in lines
    rows = [(match[1], squeezed(match[0])) for match in ROW.finditer(html)]
    for own in sets.values():
        facts = own.facts
        systems = {"original": facts["unprotected"], **facts["systems"]}
        first, second = rows[: len(systems)], rows[len(systems) : 2 * len(systems)]
        rows = rows[2 * len(systems) :]
        assert [name for name, _ in first] == [name for name, _ in second]
        for (name, answer), (_, law) in zip(first, second, strict=True):
            words = "" if name == "original" else STATES[systems[name]["state"]][0]
            assert words in answer and cell(systems[name][RIGHT.key]) in answer
            cells = re.findall(rf"\d+ % \[.*?\]|{DASH}", law)
            assert cells == [cell(systems[name][column.key]) for column in LAW]
            assert f"{words.upper()} {cell(systems[name][RIGHT.key], '')}".strip() in lines
            counted = systems[name]["exposed"]
            said = f"{counted['persons']} of {counted['of']} speakers"
            assert said in text and (said in lines or MORE in lines)
    assert rows == []


def test_sentences_have_the_limits_that_decide_and_deny_no_other_one(sets):
    for name, own in sets.items():
        why = judged_of(name, own.facts).notes.why
        for system, facts in own.facts["systems"].items():
            of_system = [sentence for sentence in why if re.search(rf"\b{system}\b.*:", sentence)]
            if facts["exposed"]["beyond_chance"]:
                assert not any(WHOSE in sentence for sentence in of_system)
            decides = f"{math.floor(max(facts['tested_percent'][1], 0))}"
            shown = facts["evidence_percent"][1]
            is_by_one = "one_recording" in facts["by"]
            if is_by_one or shown >= OPEN_PERCENT:
                numbers = " ".join(of_system)
                assert re.search(rf"\b{decides} (and|%)", numbers), (decides, numbers)


def test_the_statement_has_the_answer_states_limits_and_systems_of_the_page(
    sets, file, monkeypatch
):
    config = configuration.check({"anonymisers": {"x": {"command": "x", "runs": 2}}})
    made_from = provenance(config=config, files=[], results=file.parent) | {"jobs": {}}
    write_json(file.parent / "provenance.json", made_from)
    monkeypatch.setattr(statement, "judge", lambda plan, scores: sets.items())
    if any(own.facts["systems"]["x"]["exposed"]["of"] < 40 for own in sets.values()):
        with pytest.raises(BadInput):
            statement.statement_of(file.parent)
        return
    _, page = statement.write_statement(statement.statement_of(file.parent), file.parent)
    text = squeezed(re.sub("<style>.*?</style>", "", page.read_text(), flags=re.DOTALL))
    assert read_verdict(file).answer in text and "x_run1" not in text
    for name, own in sets.items():
        assert f"{name}: net + cosine yes" in text or len(sets) == 1
        for system, facts in own.facts["systems"].items():
            called = f"{name}: {system}" if len(sets) > 1 else system
            evidence = own.evidence[system].items()
            highest = [
                max((one.high() for (by, _), one in evidence if by == measure), default=None)
                for measure in MEASURES
            ]
            assert highest == [facts[column.key] and facts[column.key][2] for column in LAW]
            limits = [DASH if one is None else f"{math.ceil(10 * one) / 10} %" for one in highest]
            row = " ".join([rf"{called} {STATES[facts['state']][0]} [\d.]+ %", *limits])
            assert re.search(row, text), (row, text)


def test_the_picture_has_the_evidence_of_the_table(sets, file):
    metrics = file.parent / "metrics" / "utility" / "one.tsv"
    percents = {"original": 4.0, "x": 9.0, "y": 8.0}
    utilities.write(metrics, utilities.means("one", "own_wer_percent", percents))
    for name, own in sets.items():
        facts = {"original": own.facts["unprotected"], **own.facts["systems"]}
        for plane in read_planes(file, metrics, name):
            for system, point in plane.points.items():
                shown = [point.evidence.value, *point.evidence.limits]
                assert cell(shown) == cell(facts[system]["evidence_percent"])
