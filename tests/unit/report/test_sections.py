"""Sections of the page: corpora in numbers by hand, utility, and two runs of an anonymiser."""

import itertools

import pytest
from support.calls import flags, succeeds

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
from voiceprivacy.report import sections
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import MINUS


@pytest.fixture
def results(tmp_path):
    """Two women and a man, of whom one woman and the man enrol."""
    people = {"anna": "f", "dora": "f", "emil": "m"}
    for part in ("enrolment", "trial"):
        spoken = [
            Utterance(f"{one}-{part}", one, sex, "/a.wav", 1800) for one, sex in people.items()
        ]
        write_manifest(tmp_path / "audio/demo" / part / "original/manifest.tsv", spoken)
    trials = []
    for enrolled, tried in itertools.product(("anna", "emil"), ("anna", "dora")):
        label = "target" if enrolled == tried else "nontarget"
        trials.append(Trial(enrolled, f"{tried}-trial", label))
    write_trials(tmp_path / "trials/demo/all.tsv", trials)
    enrolled = {name: [f"{name}-enrolment"] for name in ("anna", "emil")}
    write_enrolments(tmp_path / "trials/demo/all.enrolments.tsv", enrolled)
    return tmp_path


def described_list(results):
    manifest = results / "audio/demo/enrolment/original/manifest.tsv"
    return sections.describe_list(results / "trials/demo/all.tsv", manifest)


def test_speakers_hours_and_lists_are_described_by_what_they_have_or_lack(results):
    described = sections.describe_speech(results / "audio/demo/trial/original/manifest.tsv")
    counts = {"women": 2, "men": 1, "of_unknown_gender": 0, "utterances": 3, "hours": 1.5}
    assert described == sections.PartOfCorpus(
        "demo", "trial", **counts, names_show=described.names_show
    )
    people = {"women": 1, "men": 1, "of_unknown_gender": 0}
    trials = {"trial_utterances": 2, "target": 1, "nontarget": 3}
    assert described_list(results) == sections.DescribedList("demo", "all", **people, **trials)
    enrolled = {"anna": ["lost"], "emil": ["emil-enrolment"]}
    write_enrolments(results / "trials/demo/all.enrolments.tsv", enrolled)
    with pytest.raises(BadInput, match=r"all\.enrolments\.tsv: utterance 'lost' is not in"):
        described_list(results)


@pytest.mark.parametrize(
    ("name", "speaker", "shown"),
    [
        ("anna-f-01", "anna", "speaker and the sex"),
        ("F_0017", "x9", "sex"),
        ("BIO01F", "x9", "sex"),
        ("x9_0017", "x9", "speaker"),
        ("0017-m", "x9", "-"),
        ("utt_21", "1", "-"),
        ("x90_0017", "x9", "-"),
        ("ANNAUTT_001", "anna", "speaker"),
        ("utt_01", "1", "speaker"),
        ("take2x9", "x9", "speaker"),
    ],
)
def test_what_names_of_files_show_is_described(tmp_path, name, speaker, shown):
    path = tmp_path / "demo" / "trial" / "original" / "manifest.tsv"
    path.parent.mkdir(parents=True)
    write_manifest(path, [Utterance(name, speaker, "f", "a.wav", 1.0)])
    assert sections.describe_speech(path).names_show == shown


def test_the_command_writes_what_the_report_reads(results):
    audio = results / "audio/demo"
    manifests = [audio / part / "original/manifest.tsv" for part in ("enrolment", "trial")]
    outputs = {"speech": results / "speech.tsv", "lists": results / "lists.tsv"}
    inputs = flags(manifests=manifests, trials=results / "trials/demo/all.tsv")
    shown = succeeds("describe_corpora", *inputs, *flags(**outputs))
    assert "demo" in shown and "1.50 h" in shown and "3 nontarget trials" in shown
    rows = [("oddity", "wav.scp", 7, "is silent", "a recording is silent")]
    rows.append(("oddity", "trial list f", "-", "is small", "-"))
    write_table(results / "checks/demo.tsv", FINDINGS, rows)
    corpora = sections.read_corpora(*outputs.values(), [results / "checks/demo.tsv"])
    assert [part.part for part in corpora.speech] == ["enrolment", "trial"]
    assert [(trials.target, trials.nontarget) for trials in corpora.lists] == [(1, 3)]
    said = [finding[1:3] for finding in corpora.findings["demo"]]
    assert said == [("wav.scp:7", "is silent"), ("trial list f", "is small")]
    shown = sections.unnamed(corpora).findings["demo"]
    assert [finding[1:3] for finding in shown] == [("-", "a recording is silent"), ("-", "-")]


def measured(anonymiser, metric, value, trials="-", better="lower", low="-", high="-", undefined=0):
    numbers = (value, low, high, 9, undefined, 3)
    return sections.Utility("demo", trials, anonymiser, "asr", metric, *numbers, better)


PITCH = measured("b2", "pitch_correlation", "0.5", better="higher", low="0.4", high="0.6")


def test_a_measure_is_a_line_of_metrics_without_attacker(tmp_path):
    write_table(tmp_path / "demo.tsv", sections.Utility._fields, [PITCH])
    (line,) = sections.read_utility([tmp_path / "demo.tsv"])
    assert line == PITCH
    limits = ("pitch_correlation", "0.5", "0.4", "0.6")
    assert line.metric_line[:10] == ("demo", "-", "b2", "-", "-", "-", *limits)


def test_the_page_says_that_words_were_not_measured_and_why_until_they_are():
    assert "only the pitch was measured" in sections.utility_section([PITCH]).note
    assert "no utility was measured" in sections.utility_section([]).note
    others = [measured("b2", name, "0.5") for name in ("voice_consistency", "estoi")]
    several = sections.utility_section([PITCH, *others]).note
    assert "only the pitch, voice and quality were measured" in several
    section = sections.utility_section([PITCH], {"words": "no transcripts were given (how)"})
    assert " was not measured: no transcripts were given (how)." in section.note
    assert section.missing == [("Words", "no transcripts were given (how)")]
    # Of one corpus of two they were measured: it is told which one lacks them.
    some = sections.utility_section(
        [PITCH, measured("b2", "wer", "0.2")], {"words": "y: no transcripts"}
    )
    assert some.note == "" and some.missing == [("Words", "y: no transcripts")]


def test_a_table_has_the_original_first_dashes_and_lists_below_the_mean():
    lines = [PITCH, measured("b2", "wer", "12.5"), measured("original", "wer", "undefined")]
    (table,) = sections.utility_section(lines).tables
    assert [column[:4] for column in table.columns] == [
        ("pitch correlation", "", "↑", "Pitch"),
        ("wer", "", "↓", "Measures of your own"),
    ]
    assert [column.heard for column in table.columns] == ["9 utterances", "9 utterances"]
    other = measured("b2@two", "wer", "0.2")._replace(n_utterances=4)
    (beside,) = sections.utility_section([measured("b2@one", "wer", "0.2"), other]).tables
    assert beside.columns[0].heard == ""
    assert table.groups == [("Pitch", 1), ("Measures of your own", 1)]
    assert [(name, [cell and cell.text for cell in cells]) for name, cells in table.rows] == [
        ("original", [None, "undefined"]),
        ("b2", ["0.50", "12.50"]),
    ]
    assert table.rows[1][1][0].interval == "[0.40, 0.60]"
    lines = [measured("b2", "wer", "0.2", undefined=2)]
    lines.append(measured("b2", "wer", "0.01", trials="f", undefined=2))
    lines.append(measured("b2", "wer", "-3.5", trials="m"))
    (table,) = sections.utility_section(lines).tables
    ((_, (cell,)),) = table.rows
    assert cell.lists == [("f", "0.010"), ("m", f"{MINUS}3.50")]
    assert cell.n_undefined == 2


def metric(condition, name, value, *limits):
    return Number("demo", "f", "b2r", "ecapa", "cosine", condition, name, value, *limits)


def test_numbers_of_two_runs_stand_with_their_intervals_if_there_are_any():
    numbers = [metric("p0p1", "eer_percent", "30.04", "14.31", "46.4"), metric("p0p1", "tag", "B")]
    numbers.append(metric("op", "cece_linear_bit", "0.0778", "-0.028", "0.1778"))
    numbers += [metric("op", "eer_percent", "1.0"), metric("p0p1", "worst_case_log10", "inf")]
    [row] = sections.sessions(numbers)
    cells = dict(zip(sections.SESSION_TITLES, row.cells, strict=True))
    assert (cells["EER [%]"], cells["tag"]) == ("30.0 [14.3, 46.4]", "B")
    assert cells["C_ECE linear [bit]"] == "0.078 [\N{MINUS SIGN}0.028, 0.178]"
    assert cells["C_ECE isotonic [bit]"] == cells["linkability"] == "\N{EN DASH}"
    assert cells["worst case [log10]"] == "\N{INFINITY}"
    [row] = sections.sessions([metric("p0p1", "eer_percent", "30.04", "-", "-")])
    assert row.cells[0] == "30.0"
    assert sections.sessions([metric("op", "eer_percent", "30.04")]) == [], "of one run alone"
