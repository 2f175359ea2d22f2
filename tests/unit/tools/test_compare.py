"""Two folders of results in one report: what is common, what stands apart, which pairs are."""

import csv

import pytest
from support import verdicts
from support.calls import call
from support.result_folders import EER, LISTS, write_results, write_what_else_a_page_shows

from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.verdict import NOT_ORDERED, OLDER
from voiceprivacy.tools.merging import merge, read_results


def both(tmp_path, **second):
    folders = write_results(tmp_path / "a"), write_results(tmp_path / "b", **second)
    return [read_results(name, folder) for name, folder in zip("ab", folders, strict=True)]


def compare(tmp_path, *arguments):
    return call("compare", "a", "b", *arguments, cwd=tmp_path)


def places(metrics):
    return {
        (number.corpus, number.trials, number.anonymiser, number.extractor) for number in metrics
    }


def test_common_sets_have_the_original_once_and_anonymisers_with_whose_they_are(tmp_path):
    merged = merge(both(tmp_path, eer=EER | {"oo": 2.05, "op": 35.0}, anonymisers=("b2", "mine")))
    assert {attack[2] for attack in places(merged.metrics)} == {
        "original",
        "b2@a",
        "b2@b",
        "mine@b",
    }
    assert {attack[0] for attack in places(merged.metrics)} == {"demo"}
    assert len(
        [attack for attack in merged.common if attack[1] in LISTS and attack[2] == "ecapa"]
    ) == 2 and merged.alone == {"a": {}, "b": {}}
    assert len(merged.metrics) == len({metric[:7] for metric in merged.metrics})


def test_a_list_of_one_run_only_stands_apart_and_is_named(tmp_path):
    merged = merge(both(tmp_path, lists={"f": LISTS["f"]}))
    places_of_m = [("demo", "m", "-", "-"), ("demo", "m", "ecapa", "cosine")]
    assert merged.alone == {"a": dict.fromkeys(places_of_m, "only here"), "b": {}}
    assert ("demo@a", "m", "original", "ecapa") in places(merged.metrics)


def test_a_list_with_other_trials_stands_apart(tmp_path):
    merged = merge(both(tmp_path, n_target=5))
    assert not merged.common
    assert (
        merged.alone["b"]["demo", "f", "ecapa", "cosine"]
        == "n_target of unprotected speech is 4 and 5"
    )
    assert {attack[0] for attack in places(merged.metrics)} == {"demo@a", "demo@b"}


def test_attackers_of_one_run_only_stand_beside_each_other_on_a_common_list_and_are_named(tmp_path):
    merged = merge(both(tmp_path, attackers=(("xvector", "plda"),)))
    assert {attack[0] for attack in places(merged.metrics)} == {"demo"}
    assert {attack[2] for attack in places(merged.metrics) if attack[3] == "xvector"} == {
        "original",
        "b2@b",
    }
    assert merged.alone["b"]["demo", "f", "xvector", "plda"] == "only here"


def test_a_list_with_other_trials_stands_apart_for_all_attackers(tmp_path):
    merged = merge(both(tmp_path, attackers=(("xvector", "plda"),), n_target=5))
    assert {attack[0] for attack in places(merged.metrics)} == {"demo@a", "demo@b"}


def test_an_attacker_whose_numbers_of_unprotected_speech_differ_stands_apart(tmp_path):
    merged = merge(both(tmp_path, eer=EER | {"oo": 4.0}))
    assert {attack[2] for attack in merged.common} == {"-"}
    assert {attack[3] for attack in places(merged.metrics)} == {"ecapa@a", "ecapa@b", "-"}
    assert (
        "eer_percent of unprotected speech is 2 and 4"
        in merged.alone["a"]["demo", "m", "ecapa", "cosine"]
    )


def test_the_command_writes_one_report_with_pairs_across_runs_and_what_differs(tmp_path):
    both(tmp_path, eer=EER | {"pp": 22.0}, version="2")
    finished = compare(tmp_path, "--name", "ours", "theirs", "--output", "both")
    assert finished.returncode == 0, finished.stderr
    assert "2 sets are the same in ours and theirs" in finished.stdout
    assert "differs: version: 1 | 2" in finished.stdout
    with open(tmp_path / "both/comparisons/demo/mean/ecapa/cosine.tsv", newline="") as file:
        pairs = {
            row["condition"]: row
            for row in csv.DictReader(file, delimiter="\t")
            if row["anonymiser_a"] == "b2@ours"
        }
    assert pairs["pp"]["anonymiser_b"] == "b2@theirs"
    assert pairs["pp"]["verdict"] == "B is better" and float(
        pairs["pp"]["difference"]
    ) == pytest.approx(-12)
    with open(tmp_path / "both/comparisons/utility/demo.tsv", newline="") as file:
        [kept] = csv.DictReader(file, delimiter="\t")
    assert (kept["anonymiser_a"], kept["anonymiser_b"]) == ("b2@ours", "b2@theirs")
    assert (kept["metric"], kept["difference"]) == ("pitch_correlation", "0.0")
    with open(tmp_path / "both/comparisons/demo/mean/strongest.tsv", newline="") as file:
        strongest = {
            (row["anonymiser_a"], row["anonymiser_b"]): row
            for row in csv.DictReader(file, delimiter="\t")
        }
    assert {pair: float(row["difference"]) for pair, row in strongest.items()} == {
        ("b2@ours", "original"): 8,
        ("b2@theirs", "original"): 20,
        ("b2@ours", "b2@theirs"): -12,
    }
    assert {row["verdict"] for row in strongest.values()} == {"A is better", "B is better"}
    assert finished.stdout.count(OLDER) == 2 and NOT_ORDERED in finished.stdout
    page = (tmp_path / "both/report/index.html").read_text()
    assert "pitch correlation" in page and "b2@theirs" in page and "The two runs differ in:" in page
    assert read_metrics(tmp_path / "both/metrics.tsv")
    assert read_json(tmp_path / "both/provenance.json")["version"] == "ours: 1; theirs: 2"


def test_each_run_keeps_its_own_verdict_and_systems_of_both_are_not_ordered(tmp_path):
    both(tmp_path)
    write_json(tmp_path / "a" / "verdict.json", verdicts.usual())
    finished = compare(tmp_path, "--name", "ours", "theirs", "--output", "both")
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "both/report/index.html").read_text()
    for text in (finished.stdout, page):
        assert text.index("ours") < text.index("inconclusive") < text.index(OLDER)
        assert NOT_ORDERED in text and "protects" not in text
    assert 'data-system="b2r@ours"' in page, "hidden with the numbers of the same system"


def test_runs_that_drew_other_speakers_are_not_compared_in_pairs(tmp_path):
    both(tmp_path, seed=7)
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert "pairs across runs are not compared for demo/ecapa/cosine" in finished.stdout
    with open(tmp_path / "comparison/comparisons/demo/mean/ecapa/cosine.tsv", newline="") as file:
        assert list(csv.DictReader(file, delimiter="\t")) == []
    with open(
        tmp_path / "comparison/comparisons/demo/mean/ecapa/cosine.systems.tsv", newline=""
    ) as file:
        systems = {row["anonymiser"] for row in csv.DictReader(file, delimiter="\t")}
    assert systems == {"original", "b2@a", "b2@b"}
    assert not list((tmp_path / "comparison/comparisons").rglob("strongest.tsv"))
    assert not (tmp_path / "comparison/comparisons/utility").exists()


def systems_of(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {
        (row["condition"], row["anonymiser"]): row for row in rows if row["metric"] == "eer_percent"
    }


def test_averages_over_corpora_have_intervals(tmp_path):
    challenge = {"demo": {"f": 0.5}, "other": {"m": 0.5}}
    of_both = {"corpora": ("demo", "other"), "eer": EER | {"pp": 25.0}}
    both(tmp_path, **of_both, averages={"challenge": challenge, "elsewhere": {"third": {"f": 1}}})
    write_results(tmp_path / "a", **of_both, averages={"challenge": challenge})
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    folder = tmp_path / "comparison" / "comparisons" / "over-corpora"
    assert {path.name for path in folder.iterdir()} == {"challenge", "all-lists"}
    intervals = systems_of(folder / "challenge" / "ecapa" / "cosine.systems.tsv")
    assert set(intervals) == {
        ("oo", "original"),
        *((condition, who) for condition in ("op", "pp") for who in ("b2@a", "b2@b")),
    }
    assert (
        float(intervals["pp", "b2@a"]["ci_low"]) < float(intervals["pp", "b2@a"]["value"]) == 25.0
    )


def test_an_average_of_which_a_list_stands_apart_is_of_the_run_that_has_it(tmp_path):
    """Lists of demo differ, so only those of other are common; demo is called demo@a and demo@b."""
    weights = {"challenge": {"demo": {"f": 0.5}, "other": {"m": 0.5}}}
    write_results(tmp_path / "a", corpora=("demo", "other"), averages=weights)
    write_results(tmp_path / "b", corpora=("other",), averages=weights)
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "comparison/report/index.html").read_text()
    assert "demo@a" in page and '<option value="challenge">' not in page


def test_the_page_has_the_corpora_and_plays_both_versions_of_an_utterance(tmp_path):
    for results in both(tmp_path):
        write_what_else_a_page_shows(results.folder)
    finished = compare(tmp_path, "--internal")
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "comparison/report/index.html").read_text()
    assert [page.count(f'aria-label="u1, {name}"') for name in ("original", "b2@a", "b2@b")] == [
        1,
        1,
        1,
    ]
    assert page.count("<td>trial</td>") == 1 and page.count("said of b2") == 1


def test_coefficients_that_a_second_run_drew_are_not_shown(tmp_path):
    for results in both(tmp_path):
        for anonymiser in ("b2", "b2_run1"):
            part = results.folder / "audio" / "demo" / "trial" / anonymiser
            rows = [("u1", "anna", 0.75), ("u2", "berta", 0.85)]
            write_table(part / "manifest.alphas.tsv", ["utterance", "speaker", "alpha"], rows)
    finished = compare(tmp_path, "--internal")
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "comparison/report/index.html").read_text()
    assert "b2%40a/manifest.alphas.tsv" in page and "b2_run1" not in page


def test_a_page_that_is_mailed_names_nobody_and_plays_no_original(tmp_path):
    """One of the runs was internal; its corpus is not synthetic in both."""
    for results in both(tmp_path, seed=918273):
        write_what_else_a_page_shows(results.folder, utterance="utter1")
        part = results.folder / "audio" / "demo" / "trial" / "b2"
        rows = [("u1", "anna", 0.7512345)]
        write_table(part / "manifest.alphas.tsv", ["utterance", "speaker", "alpha"], rows)
    config = read_json(tmp_path / "b/provenance.json")
    config["config"]["corpora"] = {"demo": {"kaldi": "/home/carola/data"}}
    write_json(tmp_path / "b/provenance.json", config)
    assert compare(tmp_path).returncode == 0
    page = (tmp_path / "comparison/report/index.html").read_text()
    page = page.partition("<script>")[0]
    secrets = (
        "anna",
        "utter1",
        "said of b2",
        "data:audio/ogg,",
        "0.7512",
        "918273",
        "carola",
        "alphas",
    )
    assert [secret for secret in secrets if secret in page] == []
    internal = "INTERNAL"
    assert internal not in page
    assert compare(tmp_path, "--internal", "--output", "inside").returncode == 0
    assert internal in (tmp_path / "inside/report/index.html").read_text()


def test_other_utterances_of_two_runs_are_played_after_each_other(tmp_path):
    for results, utterance in zip(both(tmp_path), ("u1", "u2"), strict=True):
        write_what_else_a_page_shows(results.folder, utterance=utterance)
    assert compare(tmp_path).returncode == 0
    page = (tmp_path / "comparison/report/index.html").read_text()
    names = ("u1, original", "u1, b2@a", "u1, b2@b", "u2, original", "u2, b2@b")
    assert [page.count(f'aria-label="{name}"') for name in names] == [1, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--name", "x", "x"], "--name: both are called 'x'"),
        (["--name", "x/y", "z"], "--name x/y: letters"),
        (["--output", "a"], "a: holds other files"),
    ],
)
def test_mistakes_are_one_line(tmp_path, arguments, words):
    both(tmp_path)
    finished = compare(tmp_path, *arguments)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1 and words in finished.stderr
    assert (tmp_path / "a" / "metrics.tsv").exists()


def test_a_folder_without_results_is_one_line(tmp_path):
    (tmp_path / "a").mkdir()
    finished = compare(tmp_path)
    assert finished.returncode == 2 and finished.stderr == "error: a/metrics.tsv: not found\n"
