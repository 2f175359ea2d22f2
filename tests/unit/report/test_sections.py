"""Sections of the page: corpora in numbers by hand, utility, and two runs of an anonymiser."""

import itertools
from pathlib import Path

import pytest
from support.calls import call, flags

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import (
    FINDINGS,
    Trial,
    Utterance,
    write_enrolments,
    write_manifest,
    write_table,
    write_trials,
)
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.sections import (
    SESSION_TITLES,
    DescribedList,
    PartOfCorpus,
    Utility,
    describe_list,
    describe_speech,
    read_corpora,
    read_utility,
    sessions,
    unnamed,
    utility_section,
)
from voiceprivacy.vocabulary import MINUS


@pytest.fixture
def results(tmp_path):
    """Two women and a man, of whom one woman and the man enrol."""
    people = [("anna", "f"), ("dora", "f"), ("emil", "m")]
    for part in ("enrolment", "trial"):
        utterances = [
            Utterance(f"{name}-{part}", name, gender, Path("/a.wav"), 1800)
            for name, gender in people
        ]
        write_manifest(tmp_path / "audio/demo" / part / "original/manifest.tsv", utterances)
    trials = []
    for enrolled, tried in itertools.product(("anna", "emil"), ("anna", "dora")):
        label = "target" if enrolled == tried else "nontarget"
        trials.append(Trial(enrolled, f"{tried}-trial", label))
    write_trials(tmp_path / "trials/demo/all.tsv", trials)
    write_enrolments(
        tmp_path / "trials/demo/all.enrolments.tsv",
        {name: [f"{name}-enrolment"] for name in ("anna", "emil")},
    )
    return tmp_path


def test_speakers_are_counted_by_gender_and_hours_are_summed(results):
    described = describe_speech(results / "audio/demo/trial/original/manifest.tsv")
    counts = {"women": 2, "men": 1, "of_unknown_gender": 0, "utterances": 3, "hours": 1.5}
    assert described == PartOfCorpus("demo", "trial", **counts, names_show=described.names_show)


@pytest.mark.parametrize(
    ("name", "speaker", "shown"),
    [
        ("anna-f-01", "anna", "speaker and the sex"),
        ("F_0017", "x9", "sex"),
        ("BIO01F", "x9", "sex"),
        ("x9_0017", "x9", "speaker"),
        ("0017-m", "x9", "-"),
    ],
)
def test_what_names_of_files_show_is_described(tmp_path, name, speaker, shown):
    path = tmp_path / "demo" / "trial" / "original" / "manifest.tsv"
    path.parent.mkdir(parents=True)
    write_manifest(path, [Utterance(name, speaker, "f", "a.wav", 1.0)])
    assert describe_speech(path).names_show == shown


def test_a_list_is_described_by_those_who_enrol_and_by_its_trials(results):
    described = describe_list(
        results / "trials/demo/all.tsv", results / "audio/demo/enrolment/original/manifest.tsv"
    )
    expected = DescribedList(
        "demo",
        "all",
        women=1,
        men=1,
        of_unknown_gender=0,
        trial_utterances=2,
        target=1,
        nontarget=3,
    )
    assert described == expected


def test_an_enrolment_that_the_manifest_lacks_is_named(results):
    write_enrolments(
        results / "trials/demo/all.enrolments.tsv", {"anna": ["lost"], "emil": ["emil-enrolment"]}
    )
    with pytest.raises(BadInput, match=r"all\.enrolments\.tsv: utterance 'lost' is not in"):
        describe_list(
            results / "trials/demo/all.tsv", results / "audio/demo/enrolment/original/manifest.tsv"
        )


def test_the_command_writes_what_the_report_reads(results):
    manifests = [
        results / f"audio/demo/{part}/original/manifest.tsv" for part in ("enrolment", "trial")
    ]
    outputs = {"speech": results / "speech.tsv", "lists": results / "lists.tsv"}
    arguments = ["--manifests", *manifests, "--trials", results / "trials/demo/all.tsv"]
    shown = call("describe_corpora", *arguments, *flags(**outputs)).stdout
    assert "demo" in shown and "1.50 h" in shown and "3 nontarget trials" in shown
    rows = [("oddity", "wav.scp", 7, "is silent", "a recording is silent")]
    rows.append(("oddity", "trial list f", "-", "is small", "-"))
    write_table(results / "checks/demo.tsv", FINDINGS, rows)
    corpora = read_corpora(*outputs.values(), [results / "checks/demo.tsv"])
    assert [part.part for part in corpora.speech] == ["enrolment", "trial"]
    assert [(trials.target, trials.nontarget) for trials in corpora.lists] == [(1, 3)]
    assert [finding[:3] for finding in corpora.findings["demo"]] == [
        ("oddity", "wav.scp:7", "is silent"),
        ("oddity", "trial list f", "is small"),
    ]
    shown = unnamed(corpora).findings["demo"]
    assert [finding[1:3] for finding in shown] == [("-", "a recording is silent"), ("-", "-")]


def measured(anonymiser, metric, value, trials="-", better="lower", low="-", high="-", undefined=0):
    return Utility(
        "demo", trials, anonymiser, "asr", metric, value, low, high, 9, undefined, 3, better
    )


PITCH = measured("b2", "pitch_correlation", "0.5", better="higher", low="0.4", high="0.6")


def test_a_measure_is_a_line_of_metrics_without_attacker(tmp_path):
    write_table(tmp_path / "demo.tsv", Utility._fields, [PITCH])
    (line,) = read_utility([tmp_path / "demo.tsv"])
    assert line == PITCH
    assert line.metric_line[:10] == (
        "demo",
        "-",
        "b2",
        "-",
        "-",
        "-",
        "pitch_correlation",
        "0.5",
        "0.4",
        "0.6",
    )


def test_the_page_says_that_words_were_not_measured_until_they_are():
    assert "only the pitch was measured" in utility_section([PITCH]).note
    assert "no utility was measured" in utility_section([]).note
    others = [measured("b2", name, "0.5") for name in ("voice_consistency", "estoi")]
    several = utility_section([PITCH, *others]).note
    assert "only the pitch, voice and quality were measured" in several
    assert utility_section([PITCH, measured("b2", "wer", "0.2")]).note == ""


def test_why_words_were_not_measured_is_a_fact_of_the_run():
    why = {"words": "no transcripts were given (how)"}
    section = utility_section([PITCH], why)
    assert section.note.startswith(
        "Whether words are still understood was not measured: no transcripts were given (how)."
    )
    assert section.missing == [("Words", "no transcripts were given (how)")]
    # Of one corpus of two they were measured: it is told which one lacks them.
    some = utility_section([PITCH, measured("b2", "wer", "0.2")], {"words": "y: no transcripts"})
    assert some.note == "" and some.missing == [("Words", "y: no transcripts")]


def test_a_table_has_the_original_first_and_a_dash_where_nothing_was_measured():
    (table,) = utility_section(
        [PITCH, measured("b2", "wer", "12.5"), measured("original", "wer", "undefined")]
    ).tables
    assert [column[:4] for column in table.columns] == [
        ("pitch correlation", "", "↑", "Pitch"),
        ("wer", "", "↓", "Measures of your own"),
    ]
    assert [column.heard for column in table.columns] == ["9 utterances", "9 utterances"]
    other = measured("b2@two", "wer", "0.2")._replace(n_utterances=4)
    (beside,) = utility_section([measured("b2@one", "wer", "0.2"), other]).tables
    assert beside.columns[0].heard == ""
    assert table.groups == [("Pitch", 1), ("Measures of your own", 1)]
    assert [(name, [cell and cell.text for cell in cells]) for name, cells in table.rows] == [
        ("original", [None, "undefined"]),
        ("b2", ["0.50", "12.50"]),
    ]
    assert table.rows[1][1][0].interval == "[0.40, 0.60]"


def test_lists_stand_below_the_mean_where_there_are_several():
    lists = [
        measured("b2", "wer", "0.01", trials="f", undefined=2),
        measured("b2", "wer", "-3.5", trials="m"),
    ]
    (table,) = utility_section([measured("b2", "wer", "0.2", undefined=2), *lists]).tables
    ((_, (cell,)),) = table.rows
    assert cell.lists == [("f", "0.010"), ("m", f"{MINUS}3.50")]
    assert cell.n_undefined == 2


def metric(condition, name, value, *limits):
    return Number("demo", "f", "b2r", "ecapa", "cosine", condition, name, value, *limits)


def test_numbers_of_two_runs_stand_with_their_intervals():
    numbers = [metric("p0p1", "eer_percent", "30.04", "14.31", "46.4"), metric("p0p1", "tag", "B")]
    numbers += [
        metric("op", "cece_linear_bit", "0.0778", "-0.028", "0.1778"),
        metric("op", "eer_percent", "1.0"),
    ]
    [row] = sessions(numbers)
    cells = dict(zip(SESSION_TITLES, row.cells, strict=True))
    assert (cells["EER [%]"], cells["tag"]) == ("30.0 [14.3, 46.4]", "B")
    assert cells["C_ECE linear [bit]"] == "0.078 [\N{MINUS SIGN}0.028, 0.178]"
    assert cells["C_ECE isotonic [bit]"] == cells["linkability"] == "\N{EN DASH}"


def test_intervals_that_do_not_exist_are_left_out():
    [row] = sessions([metric("p0p1", "eer_percent", "30.04", "-", "-")])
    assert row.cells[0] == "30.0"


def test_an_anonymiser_with_one_run_is_not_listed():
    assert sessions([metric("op", "eer_percent", "30.04")]) == []
