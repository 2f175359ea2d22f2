"""The verdict on page and terminal: what the file says, in its order, with what it left out."""

import pytest
import yaml
from support import verdict_schema, verdicts

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.verdict.evidence import RATES
from voiceprivacy.privacy.verdict.levels import LEVELS
from voiceprivacy.privacy.verdict.means import READINGS_OF_MEANS as READINGS
from voiceprivacy.privacy.verdict.trust import KNOWLEDGE
from voiceprivacy.privacy.verdict.verdict import EFFORTS
from voiceprivacy.report import verdict_words
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.terminal import WIDTH, summary, verdict_lines
from voiceprivacy.report.verdict import (
    NOT_GIVEN,
    NOT_ORDERED,
    OLDER,
    no_verdict,
    read_verdict,
    split_sentences,
)
from voiceprivacy.vocabulary import CONDITIONS, DASH, NO_BREAK


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        write_json(tmp_path / "verdict.json", content)
        return read_verdict(tmp_path / "verdict.json", **options)

    return read


@pytest.fixture
def usual(read):
    [judged] = read(verdicts.usual()).sets
    return judged


def cell(judged, system, name):
    [row] = [row for row in judged.rows if row.system == system]
    [position] = [index for index, column in enumerate(judged.columns) if column.name == name]
    return row.cells[position]


def test_the_words_are_those_of_the_room_that_judges():
    levels = set(verdict_words.LEVELS) - {verdict_words.CONTROL, verdict_words.UNPROTECTED}
    assert levels == set(LEVELS)
    assert tuple(verdict_words.KNOWLEDGE) == KNOWLEDGE
    assert tuple(verdict_words.EFFORTS) == EFFORTS
    assert set(verdict_words.READ_SHORT) == set(READINGS)
    assert set(verdict_words.READINGS) == set(READINGS) - {"ascending"}


def test_the_schema_knows_the_same_words():
    schema = yaml.safe_load(verdict_schema.SCHEMA.read_text(encoding="utf-8"))["$defs"]
    assert schema["judged"]["properties"]["level"]["enum"] == [*LEVELS, None]
    assert schema["knowledge"]["enum"] == list(KNOWLEDGE)
    assert [*KNOWLEDGE, schema["tried"]["anyOf"][1]["const"]] == list(EFFORTS)
    assert schema["attack"]["properties"]["reading"]["enum"] == list(READINGS)
    conditions = list(CONDITIONS)
    assert schema["attack"]["properties"]["condition"]["enum"] == conditions
    assert set(schema["numbers"]["properties"]) >= {*RATES} - {"eer_percent"}
    assert verdict_schema.faults(verdicts.usual()) == []


def test_levels_are_explained_with_the_thresholds_of_the_run(read):
    content = verdicts.usual()
    content["thresholds"] |= {"nothing_percent": 2, "reduced_percent": 30}
    levels = read(content).levels
    assert levels["reduced"] == ("reduced", "Shown: less than 30 % of the evidence is left.")
    assert "less than 2 %" in levels["none_left"][1]


def test_unprotected_speech_is_first_then_the_layers_then_silence_and_controls(usual):
    assert [(row.system, row.level) for row in usual.rows] == [
        ("original", "unprotected"),
        ("b2r", "little_reduced"),
        ("b2", "not_shown"),
        ("broken", "cannot_say"),
        ("noise", "control"),
    ]
    assert [row.system for row in usual.rows if row.first_of_layer] == ["b2", "broken", "noise"]
    words = [row.level_words for row in usual.rows]
    assert words == ["", "little reduced", "not shown to be reduced", "cannot say", "control"]


def test_systems_of_one_layer_stand_in_no_order_and_without_a_line(read):
    systems = {"b2": verdicts.system(), "b2r": verdicts.system()}
    [judged] = read(verdicts.verdict({"demo": verdicts.set_of(systems, [["b2", "b2r"]])})).sets
    assert not any(row.first_of_layer for row in judged.rows)


def test_a_number_has_its_limits_and_the_attack_that_reaches_it(usual):
    left = cell(usual, "b2r", "evidence_left_percent")
    assert (left.text, left.interval) == ("52", "[26, 62]")
    assert left.title == "ecapa + cosine, PP, lazy-informed" and left.notes == []
    errors = cell(usual, "b2r", "eer_folded_percent")
    assert (errors.text, errors.interval) == ("26.4", "[13.6, 39.6]")
    assert errors.notes == ["by ecapa + plda, OP"], "not the attack of the row"
    assert cell(usual, "original", "evidence_left_percent").text == "100"


def test_an_attack_that_reads_scores_in_another_way_says_so(read):
    other = verdicts.PP | {"reading": "descending"}
    attacks = verdicts.numbers()["attacks"] | {"dece_bit": other}
    systems = {"b2": verdicts.system(attacks=attacks)}
    [judged] = read(verdicts.verdict({"demo": verdicts.set_of(systems, [["b2"]])})).sets
    disclosure = cell(judged, "b2", "dece_bit")
    assert disclosure.notes == ["chance gives 0.04", "by low scores"]
    assert disclosure.title.endswith("low scores are taken for the same speaker")


def test_a_number_that_a_list_cannot_show_says_why(usual):
    rate = cell(usual, "b2r", "tpr_at_fpr_0.01_percent")
    assert rate.text == "16.0" and rate.notes == [f"at 0.1{NO_BREAK}%: list too short"]
    errors = cell(usual, "broken", "eer_folded_percent")
    assert (errors.text, errors.interval, errors.notes) == (DASH, "", [])
    [row] = [row for row in usual.rows if row.system == "broken"]
    assert row.detail == "no attack can be trusted (constant scores)"


def test_of_what_nothing_can_be_said_no_evidence_is_shown(read):
    systems = {"b2": verdicts.system("cannot_say", silence="there are too few speakers (4)")}
    [judged] = read(verdicts.verdict({"demo": verdicts.set_of(systems, [])})).sets
    assert cell(judged, "b2", "evidence_left_percent").text == DASH
    assert cell(judged, "b2", "eer_folded_percent").text == "26.4"


def test_an_interval_as_wide_as_the_scale_is_called_too_few_speakers(read):
    systems = {"b2": verdicts.system(eer_folded_percent=[26.4, 0.5, 50.0])}
    [judged] = read(verdicts.verdict({"demo": verdicts.set_of(systems, [["b2"]])})).sets
    assert "too few speakers to tell" in cell(judged, "b2", "eer_folded_percent").notes


def test_exposed_speakers_beyond_chance_are_named_at_their_share(usual):
    exposed = cell(usual, "b2r", "exposed_speakers_percent")
    assert exposed.notes == ["more than chance, 1 named"] and exposed.title.endswith("named: anna")


def test_refused_attacks_and_warnings_are_told_once(usual):
    assert usual.refused == [("ecapa/plda (pp) on broken", "constant scores")]
    assert usual.sentences[0] == verdicts.NO_SEMI
    assert usual.warnings == [verdicts.NO_LINKAGE], "the other warning is a sentence already"


def test_effort_says_what_was_not_tried_on_how_much_speech_and_how_strong_attackers_are(read):
    [judged] = read(verdicts.usual(), hours={"train": "5.3"}).sets
    assert [kind for kind, _ in judged.effort.not_tried] == ["semi-informed", "linkage", "fused"]
    assert judged.effort.training == [
        ("ecapa + plda", "backend: train (original speech, 5.3 hours)")
    ]
    assert judged.effort.strength == [("ecapa + cosine", "8.6 [4.2, 12.9] %")]


def test_small_lines_have_the_numbers_of_larger_galleries(read):
    more = {
        "identification_of_20_percent": [40.0, 30.0, 50.0],
        "identification_of_100_percent": "undefined",
        "singling_out_of_20_percent": [45.0, 35.0, 55.0],
    }
    reasons = {"identification_of_100_percent": "too few speakers: 24"}
    systems = {"b2": verdicts.system(**more, reasons=reasons)}
    [judged] = read(verdicts.verdict({"demo": verdicts.set_of(systems, [["b2"]])})).sets
    assert cell(judged, "b2", "identification_of_20_percent").notes == [
        "among 100: too few speakers",
        "singled out: 45 [35, 55]",
    ]


def test_utility_of_the_corpus_is_a_column_and_there_are_at_most_seven(read):
    key = ("demo", "-", "b2r", "-", "-", "-")
    measured = [
        Number(*key, "pitch_correlation", "0.9", "0.8", "0.95"),
        Number(*key, "wer_percent", "12.5", "10", "15"),
    ]
    [judged] = read(verdicts.usual(), numbers=measured).sets
    assert judged.columns[-1].name == "wer_percent", "whether words are kept says more than pitch"
    assert cell(judged, "b2r", "wer_percent").text == "12.5"
    assert cell(judged, "b2", "wer_percent").text == DASH
    content = verdicts.usual()
    for system in content["sets"]["demo"]["systems"].values():
        system["identification_of_20_percent"] = [40.0, 30.0, 50.0]
    [judged] = read(content, numbers=measured).sets
    assert len(judged.columns) == 6, "the seventh is the system with its level"


def test_sentences_are_split_where_they_end():
    text = "With b2, 8.6 % [1.2, 3.4] are left. b2 leaves less than b3. Nothing more."
    assert split_sentences(text) == [
        "With b2, 8.6 % [1.2, 3.4] are left.",
        "b2 leaves less than b3.",
        "Nothing more.",
    ]


def test_what_was_not_learnt_is_told_apart_from_what_is_said_of_systems(usual):
    assert usual.unlearnt == [verdicts.NO_SEMI]
    assert usual.at_length == ["With b2r, 52 % [26, 62] of the evidence is left."]
    assert usual.unlearnt + usual.at_length == usual.sentences, "nothing is lost"


def test_corpora_that_disagree_about_a_pair_are_told_first(read):
    sets = {name: verdicts.usual()["sets"]["demo"] for name in ("average", "one", "two")}
    assert read(verdicts.verdict(sets)).sets[0].warnings == [verdicts.NO_LINKAGE]
    sets["two"]["better"] = [["b2", "b2r"]]
    verdict = read(verdicts.verdict(sets))
    assert verdict.sets[0].warnings == [
        "Corpora disagree: b2 leaves less evidence than b2r on two, and more on average and one.",
        verdicts.NO_LINKAGE,
    ]
    assert verdict.sets[1].warnings == [verdicts.NO_LINKAGE]


@pytest.mark.parametrize(
    "change",
    [{"systems": {"b2": {}}}, {"order": None}, {"untrusted": None}, {"verdict": None}],
)
def test_a_file_that_is_no_verdict_is_named(read, change):
    fields = verdicts.usual()["sets"]["demo"] | change
    with pytest.raises(BadInput, match=r"verdict\.json: not a verdict of this version"):
        read(verdicts.verdict({"demo": fields}))


def test_a_level_that_does_not_exist_is_named(read):
    fields = verdicts.set_of({"b2": verdicts.system("perfect")}, [["b2"]])
    with pytest.raises(BadInput, match="level perfect"):
        read(verdicts.verdict({"demo": fields}))


def test_the_terminal_has_the_sentences_a_short_table_and_what_does_not_count(read, systems):
    lines = summary(systems, verdicts=[read(verdicts.usual())])
    assert max(map(len, lines)) <= WIDTH
    text = "\n".join(lines)
    assert verdicts.NO_SEMI in text and verdicts.NO_LINKAGE in text
    assert text.count(verdicts.NO_SEMI) == 1
    [row] = [line for line in lines if line.startswith("b2r") and "little" in line]
    assert row.split("  ")[0] == "b2r" and "52 [26, 62]" in row and "26.4 [13.6, 39.6]" in row
    assert "Not counted: ecapa/plda (pp) on broken (constant scores)." in lines


def test_a_run_without_a_verdict_says_so(systems):
    assert NOT_GIVEN in summary(systems)
    assert OLDER in summary(systems, verdicts=[no_verdict(OLDER)])


def test_two_runs_keep_their_verdicts_and_are_not_ordered(read):
    lines = verdict_lines([read(verdicts.usual(), name="ours"), no_verdict(OLDER, "theirs")])
    assert "== ours ==" in lines and lines.index("== theirs ==") < lines.index(OLDER)
    assert lines[-1] == NOT_ORDERED


def test_the_floor_is_the_smallest_error_without_a_voice(read):
    content = verdicts.usual()
    assert read(content).sets[0].floor is None
    errors = {"a/js": [41.0, 30.0, 50.0], "b/cosine": [34.3, 26.2, 46.4], "c/js": "undefined"}
    [fields] = content["sets"].values()
    fields["floors"] = {
        name: {"feature": "words", "eer_folded_percent": percent}
        for name, percent in errors.items()
    }
    assert read(content).sets[0].floor == 34.3
