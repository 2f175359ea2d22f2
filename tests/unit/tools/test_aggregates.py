"""What leaves the house of secret speakers: numbers of many, none of few, and all of it logged."""

import json
import subprocess
import sys

import pytest

from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    read_rows,
    write_manifest,
    write_speakers,
    write_trials,
)
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.tools.aggregates import choose, let_out

EER = "eer_percent"


@pytest.fixture
def results(tmp_path):
    """A run of twelve women and nine men, with a measure of utility of all of them."""
    folder = tmp_path / "results"
    make_list(folder, "f", [f"w{n:02d}" for n in range(12)])
    make_list(folder, "m", [f"m{n:02d}" for n in range(9)])
    manifest = folder / "audio" / "secret" / "trial" / "original" / "manifest.tsv"
    manifest.parent.mkdir(parents=True)
    people = [f"w{n:02d}" for n in range(12)] + [f"m{n:02d}" for n in range(9)]
    audio = folder / "x.flac"
    write_manifest(manifest, [Utterance(f"{name}-1", name, "-", audio, 1.0) for name in people])
    numbers = [number("f", EER, "12.3456789"), number("m", EER, "23.4")]
    numbers += [number("f", "worst_case_log10", "1.25"), number("-", "dnsmos_overall", "2.71828")]
    write_metrics(folder / "metrics.tsv", numbers)
    write_json(folder / "provenance.json", {})
    return folder


def make_list(folder, name, speakers):
    trials = folder / "trials" / "secret" / f"{name}.tsv"
    trials.parent.mkdir(parents=True, exist_ok=True)
    pairs = [(one, f"{one}-1") for one in speakers]
    listed = [Trial(one, trial, "target") for one, trial in pairs]
    # Somebody who is only ever an impostor has no target trial, and is not counted.
    listed.append(Trial(speakers[0], "guest-1", "nontarget"))
    write_trials(trials, listed)
    speaker_of = {one: one for one in speakers} | {trial: one for one, trial in pairs}
    write_speakers(trials.with_name(f"{name}.speakers.tsv"), speaker_of | {"guest-1": "guest"})


def number(trials, metric, value):
    attacker = ("-", "-", "-") if trials == "-" else ("ecapa", "cosine", "pp")
    return Number("secret", trials, "team1", *attacker, metric, value, "1.11111", "undefined")


def released(results, tmp_path, **options):
    release = choose(results, **options)
    smallest = options.get("smallest", 10)
    audit = tmp_path / "audit.jsonl"
    let_out(release, tmp_path / "out", audit, smallest=smallest, results=results)
    return release


def test_numbers_of_ten_speakers_leave_and_those_of_nine_stay(results):
    release = choose(results)
    assert {(one.trials, one.metric) for one in release.numbers} == {
        ("f", EER),
        ("-", "dnsmos_overall"),
    }
    reasons = {(one.trials, one.metric): one.why for one in release.withheld}
    assert reasons[("m", EER)] == "a group of fewer than 10 speakers"
    assert reasons[("f", "worst_case_log10")] == "a few speakers can decide it"


def test_only_speakers_with_target_trials_are_counted(results):
    assert len(choose(results, smallest=12).numbers) == 2
    assert [one.trials for one in choose(results, smallest=13).numbers] == ["-"]


def test_numbers_leave_with_the_digits_of_the_page(results):
    eer = next(one for one in choose(results).numbers if one.metric == EER)
    assert (eer.value, eer.ci_low, eer.ci_high) == ("12.3", "1.1", "undefined")


def test_whose_speakers_nobody_knows_stays(results):
    for path in (results / "trials" / "secret").iterdir():
        path.unlink()
    assert {one.trials for one in choose(results).numbers} == {"-"}


def test_the_log_has_who_and_what_and_its_lines_hang_together(results, tmp_path):
    released(results, tmp_path)
    released(results, tmp_path)
    lines = (tmp_path / "audit.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    assert first["numbers"] == 2 and first["withheld"] == 2
    assert first["anonymisers"] == ["team1"]
    assert [group["trials"] for group in first["groups"]] == ["-", "f"]
    rows = read_rows(tmp_path / "out" / "aggregates.tsv", list(Number._fields))
    left = [row["metric"] for _, row in rows]
    assert sorted(left) == ["dnsmos_overall", EER]

    (tmp_path / "audit.jsonl").write_text(lines[0].replace("team1", "team2") + "\n" + lines[1])
    with pytest.raises(BadInput, match=r"audit.jsonl:2: the line before it was changed"):
        released(results, tmp_path)
    (tmp_path / "audit.jsonl").write_text("[]\n")
    with pytest.raises(BadInput, match=r"audit.jsonl:1: not a line of the audit log"):
        released(results, tmp_path)


@pytest.mark.parametrize(("n_more", "may"), [(0, True), (1, False), (9, False), (10, True)])
def test_two_releases_never_differ_by_a_few_speakers(results, tmp_path, n_more, may):
    released(results, tmp_path)
    women = [f"w{n:02d}" for n in range(12 + n_more)]
    make_list(results, "f", women)
    manifest = results / "audio/secret/trial/original/manifest.tsv"
    manifest.unlink()  # utility is not what is tried here
    if may:
        released(results, tmp_path)
        return
    with pytest.raises(BadInput, match=f"differ by {n_more} speaker"):
        released(results, tmp_path)
    assert len((tmp_path / "audit.jsonl").read_text().splitlines()) == 1


def test_lists_of_one_release_do_not_differ_by_a_few_speakers(results, tmp_path):
    make_list(results, "m", [f"w{n:02d}" for n in range(11)])
    with pytest.raises(BadInput, match="secret f and secret m differ by 1 speaker"):
        released(results, tmp_path)
    assert not (tmp_path / "out" / "aggregates.tsv").exists()


def test_nothing_of_a_small_house_leaves(results, tmp_path):
    with pytest.raises(BadInput, match="nothing may leave"):
        released(results, tmp_path, smallest=50)


def test_the_command_says_what_leaves_and_what_stays(results, tmp_path):
    words = ["--results", results, "--output", tmp_path / "out", "--audit", tmp_path / "a.jsonl"]
    command = [sys.executable, SCRIPTS / "release_aggregates.py", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "2 numbers may leave" in ended.stdout and "2 numbers stay inside" in ended.stdout
    assert "w00" not in (tmp_path / "out" / "aggregates.tsv").read_text()
    ended = subprocess.run([*command, "--smallest", "1"], capture_output=True, text=True)
    assert ended.returncode == 2
