"""The corpora of a run in numbers, by hand."""

from pathlib import Path

import pytest
from support.calls import call, flags

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    write_enrolments,
    write_manifest,
    write_table,
    write_trials,
)
from voiceprivacy.report.sections import (
    DescribedList,
    PartOfCorpus,
    describe_list,
    describe_speech,
    read_corpora,
)


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
    trials = [
        Trial(by, f"{of}-trial", "target" if by == of else "nontarget")
        for by in ("anna", "emil")
        for of in ("anna", "dora")
    ]
    write_trials(tmp_path / "trials/demo/all.tsv", trials)
    write_enrolments(
        tmp_path / "trials/demo/all.enrolments.tsv",
        {of: [f"{of}-enrolment"] for of in ("anna", "emil")},
    )
    return tmp_path


def test_speakers_are_counted_by_gender_and_hours_are_summed(results):
    described = describe_speech(results / "audio/demo/trial/original/manifest.tsv")
    assert described == PartOfCorpus(
        "demo", "trial", women=2, men=1, of_unknown_gender=0, utterances=3, hours=1.5
    )


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
    rows = [("oddity", "wav.scp", 7, "is silent"), ("oddity", "trial list f", "-", "is small")]
    write_table(results / "checks/demo.tsv", ["level", "file", "line", "what"], rows)
    corpora = read_corpora(*outputs.values(), [results / "checks/demo.tsv"])
    assert [of.part for of in corpora.speech] == ["enrolment", "trial"]
    assert [(of.target, of.nontarget) for of in corpora.lists] == [("1", "3")]
    assert corpora.findings == {
        "demo": [("oddity", "wav.scp:7", "is silent"), ("oddity", "trial list f", "is small")]
    }


def test_a_missing_manifest_is_one_clear_line(tmp_path):
    done = call(
        "describe_corpora",
        *flags(manifests="/no/a/b/manifest.tsv", speech=tmp_path / "s", lists=tmp_path / "l"),
    )
    assert (done.returncode, done.stderr) == (2, "error: /no/a/b/manifest.tsv: not found\n")
