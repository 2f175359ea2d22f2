"""Sections of the page: corpora in numbers by hand, utility, and two runs of an anonymiser."""

import itertools

import pytest
from support.calls import flags, succeeds
from support.utilities import measured

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import enrolments, manifests, tables, trial_lists
from voiceprivacy.report import described_corpora, sessions
from voiceprivacy.report.measured import Utility, read_utility
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.utility_tables import utility_section
from voiceprivacy.vocabulary import MINUS


@pytest.fixture
def results(tmp_path):
    """Two women and a man, of whom one woman and the man enrol."""
    people = {"anna": "f", "dora": "f", "emil": "m"}
    for part in ("enrolment", "trial"):
        spoken = [
            manifests.Utterance(f"{one}-{part}", one, sex, "/a.wav", 1800)
            for one, sex in people.items()
        ]
        manifests.write_manifest(tmp_path / "audio/demo" / part / "original/manifest.tsv", spoken)
    trials = []
    for enrolled, tried in itertools.product(("anna", "emil"), ("anna", "dora")):
        label = "target" if enrolled == tried else "nontarget"
        trials.append(trial_lists.Trial(enrolled, f"{tried}-trial", label))
    trial_lists.write_trials(tmp_path / "trials/demo/all.tsv", trials)
    enrolled = {name: [f"{name}-enrolment"] for name in ("anna", "emil")}
    enrolments.write_enrolments(tmp_path / "trials/demo/all.enrolments.tsv", enrolled)
    return tmp_path


def test_speakers_hours_and_lists_are_described_by_what_they_have_or_lack(results):
    described = described_corpora.describe_speech(
        results / "audio/demo/trial/original/manifest.tsv"
    )
    assert described[:7] == ("demo", "trial", 2, 1, 0, 3, 1.5)
    lists = [
        results / "trials/demo/all.tsv",
        results / "audio/demo/enrolment/original/manifest.tsv",
    ]
    assert described_corpora.describe_list(*lists) == ("demo", "all", 1, 1, 0, 2, 1, 3)
    enrolled = {"anna": ["lost"], "emil": ["emil-enrolment"]}
    enrolments.write_enrolments(results / "trials/demo/all.enrolments.tsv", enrolled)
    with pytest.raises(BadInput, match=r"all\.enrolments\.tsv: utterance 'lost' is not in"):
        described_corpora.describe_list(*lists)


def test_what_names_of_files_show_is_described(tmp_path):
    path = tmp_path / "demo" / "trial" / "original" / "manifest.tsv"
    for name, speaker, shown in (
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
    ):
        manifests.write_manifest(path, [manifests.Utterance(name, speaker, "f", "a.wav", 1.0)])
        assert described_corpora.describe_speech(path).names_show == shown, name


def test_the_command_writes_what_the_report_reads(results):
    audio = results / "audio/demo"
    manifests = [audio / part / "original/manifest.tsv" for part in ("enrolment", "trial")]
    outputs = {"speech": results / "speech.tsv", "lists": results / "lists.tsv"}
    inputs = flags(manifests=manifests, trials=results / "trials/demo/all.tsv")
    shown = succeeds("describe_corpora", *inputs, *flags(**outputs))
    assert "demo" in shown and "1.50 h" in shown and "3 nontarget trials" in shown
    rows = [("oddity", "wav.scp", 7, "is silent", "a recording is silent")]
    rows.append(("oddity", "trial list f", "-", "is small", "-"))
    tables.write_table(results / "checks/demo.tsv", tables.FINDINGS, rows)
    corpora = described_corpora.read_corpora(*outputs.values(), [results / "checks/demo.tsv"])
    assert [part.part for part in corpora.speech] == ["enrolment", "trial"]
    assert [(trials.target, trials.nontarget) for trials in corpora.lists] == [(1, 3)]
    codes = [corpora.findings, described_corpora.unnamed(corpora).findings]
    assert [[finding[1:3] for finding in findings["demo"]] for findings in codes] == [
        [("wav.scp:7", "is silent"), ("trial list f", "is small")],
        [("-", "a recording is silent"), ("-", "-")],
    ]


PITCH = measured("b2", "pitch_correlation", 0.5, 0.4, 0.6, better="higher")


def test_a_measure_is_a_line_of_metrics_without_attacker(tmp_path):
    tables.write_table(tmp_path / "demo.tsv", Utility._fields, [PITCH])
    (line,) = read_utility([tmp_path / "demo.tsv"])
    assert line == PITCH
    limits = ("pitch_correlation", "0.5", "0.4", "0.6")
    assert line.metric_line[:10] == ("demo", "-", "b2", "-", "-", "-", *limits)


def test_what_was_not_measured_is_named_with_the_reason():
    assert "only the pitch was" in utility_section([PITCH]).note
    assert "no utility was" in utility_section([]).note
    section = utility_section([PITCH], {"words": "no transcripts (how)"})
    assert "no transcripts (how)" in section.note
    assert section.missing == [("Words", "no transcripts (how)")]
    others = [measured("b2", name, "0.5") for name in ("voice_consistency", "estoi")]
    assert "only the pitch, voice and quality" in utility_section([PITCH, *others]).note
    # Of one corpus of two they were measured: it is told which one lacks them.
    some = utility_section([PITCH, measured("b2", "wer", "0.2")], {"words": "y: none"})
    assert some.note == "" and some.missing == [("Words", "y: none")]


def test_a_table_has_the_original_first_dashes_and_lists_below_the_mean():
    lines = [PITCH, measured("b2", "wer", "12.5"), measured("original", "wer", "undefined")]
    (table,) = utility_section(lines).tables
    assert [(*column[:4], column.heard) for column in table.columns] == [
        ("pitch correlation", "", "↑", "Pitch", "9 utterances"),
        ("wer", "", "↓", "Measures of your own", "9 utterances"),
    ]
    assert table.groups == [("Pitch", 1), ("Measures of your own", 1)]
    assert [(name, [cell and cell.text for cell in cells]) for name, cells in table.rows] == [
        ("original", [None, "undefined"]),
        ("b2", ["0.50", "12.50"]),
    ]
    assert table.rows[1][1][0].interval == "[0.40, 0.60]"
    other = measured("b2@two", "wer", "0.2")._replace(n_utterances=4)
    (beside,) = utility_section([measured("b2@one", "wer", "0.2"), other]).tables
    assert beside.columns[0].heard == ""
    lists = {"-": ("0.2", 2), "f": ("0.01", 2), "m": ("-3.5", 0)}
    lines = [
        measured("b2", "wer", value, trials=one, n_undefined=n) for one, (value, n) in lists.items()
    ]
    (table,) = utility_section(lines).tables
    ((_, (cell,)),) = table.rows
    assert cell.lists == [("f", "0.010"), ("m", f"{MINUS}3.50")] and cell.n_undefined == 2


def metric(condition, name, value, *limits):
    return Number("demo", "f", "b2r", "ecapa", "cosine", condition, name, value, *limits)


def test_numbers_of_two_runs_stand_with_their_intervals_if_there_are_any():
    numbers = [
        metric("p0p1", "eer_percent", "30.04", "14.31", "46.4"),
        metric("p0p1", "tag", "B"),
        metric("p0p1", "worst_case_log10", "inf"),
        metric("op", "cece_linear_bit", "0.0778", "-0.028", "0.1778"),
        metric("op", "eer_percent", "1.0"),
    ]
    [row] = sessions.sessions(numbers)
    cells = dict(zip(sessions.SESSION_TITLES, row.cells, strict=True))
    assert (cells["EER [%]"], cells["tag"]) == ("30.0 [14.3, 46.4]", "B")
    assert cells["C_ECE linear [bit]"] == f"0.078 [{MINUS}0.028, 0.178]"
    assert cells["C_ECE isotonic [bit]"] == cells["linkability"] == "\N{EN DASH}"
    assert cells["worst case [log10]"] == "\N{INFINITY}"
    [row] = sessions.sessions([metric("p0p1", "eer_percent", "30.04", "-", "-")])
    assert row.cells[0] == "30.0"
    assert sessions.sessions([metric("op", "eer_percent", "30.04")]) == [], "of one run alone"
