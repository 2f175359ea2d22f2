"""Two folders of results in one report: what is common, what stands apart, which pairs are."""

import csv

import pytest
from support import verdicts
from support.calls import call
from support.result_folders import EER, LISTS, write_results

from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.organise.comparing import merge
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.verdict import NOT_ORDERED, OLDER
from voiceprivacy.vocabulary import Attack


def both(tmp_path, **second):
    folders = write_results(tmp_path / "a"), write_results(tmp_path / "b", **second)
    return [FinishedRun(folder, name) for name, folder in zip("ab", folders, strict=True)]


def compare(tmp_path, *arguments):
    return call("compare", "a", "b", *arguments, cwd=tmp_path)


def places(metrics):
    return {tuple(number)[:4] for number in metrics}  # corpus, trials, anonymiser, extractor


@pytest.mark.parametrize(
    ("second", "corpora", "systems", "extractors"),
    [
        (
            {"eer": EER | {"oo": 2.05, "op": 35.0}, "anonymisers": ("b2", "mine")},
            *({"demo"}, {"original", "b2@a", "b2@b", "mine@b"}, {"ecapa", "-"}),
        ),
        (
            {"attackers": (("xvector", "plda"),)},
            *({"demo"}, {"original", "b2@a", "b2@b"}, {"ecapa", "xvector", "-"}),
        ),
        (
            {"attackers": (("xvector", "plda"),), "n_target": 5},
            *({"demo@a", "demo@b"}, {"original", "b2@a", "b2@b"}, {"ecapa", "xvector", "-"}),
        ),
        (
            {"eer": EER | {"oo": 4.0}},
            *({"demo"}, {"original", "b2@a", "b2@b"}, {"ecapa@a", "ecapa@b", "-"}),
        ),
    ],
)
def test_what_both_runs_have_keeps_its_name_and_anonymisers_say_whose_they_are(
    tmp_path, second, corpora, systems, extractors
):
    merged = merge(both(tmp_path, **second))
    of_all = [set(names) for names in zip(*places(merged.metrics), strict=True)]
    assert of_all == [corpora, set(LISTS) | {"-"}, systems, extractors]
    assert len(merged.metrics) == len({number.key for number in merged.metrics})


@pytest.mark.parametrize(
    ("second", "run", "attack", "why"),
    [
        ({"lists": {"f": LISTS["f"]}}, "a", ("m", "ecapa", "cosine"), "only here"),
        ({"attackers": (("xvector", "plda"),)}, "b", ("f", "xvector", "plda"), "only here"),
        (
            {"n_target": 5},
            "b",
            ("f", "ecapa", "cosine"),
            "n_target of unprotected speech is 4 and 5",
        ),
        (
            {"eer": EER | {"oo": 4.0}},
            *("a", ("m", "ecapa", "cosine")),
            "eer_percent of unprotected speech is 2 and 4: another attacker, or other speech",
        ),
    ],
)
def test_what_one_run_has_alone_or_otherwise_stands_apart_with_the_reason(
    tmp_path, second, run, attack, why
):
    merged = merge(both(tmp_path, **second))
    attack = Attack("demo", *attack)
    assert merged.alone[run][attack] == why
    assert attack not in merged.common


def test_runs_with_the_same_lists_and_attackers_have_nothing_alone(tmp_path):
    merged = merge(both(tmp_path))
    assert merged.alone == {"a": {}, "b": {}}
    assert {one.trials for one in merged.common if one.extractor == "ecapa"} == set(LISTS)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_command_writes_one_report_with_pairs_across_runs_and_what_differs(tmp_path):
    both(tmp_path, eer=EER | {"pp": 22.0}, version="2")
    finished = compare(tmp_path, "--name", "ours", "theirs", "--output", "both")
    assert finished.returncode == 0, finished.stderr
    assert "2 sets are the same in ours and theirs" in finished.stdout
    assert "differs: version: 1 | 2" in finished.stdout
    compared = rows(tmp_path / "both/comparisons/demo/mean/ecapa/cosine.tsv")
    pairs = {row["condition"]: row for row in compared if row["anonymiser_a"] == "b2@ours"}
    assert pairs["pp"]["anonymiser_b"] == "b2@theirs"
    assert pairs["pp"]["verdict"] == "B is better" and float(
        pairs["pp"]["difference"]
    ) == pytest.approx(-12)
    [kept] = rows(tmp_path / "both/comparisons/utility/demo.tsv")
    assert (kept["anonymiser_a"], kept["anonymiser_b"]) == ("b2@ours", "b2@theirs")
    assert (kept["metric"], kept["difference"]) == ("pitch_correlation", "0.0")
    strongest = {}
    for row in rows(tmp_path / "both/comparisons/demo/mean/strongest.tsv"):
        strongest[row["anonymiser_a"], row["anonymiser_b"]] = row
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
    folder = tmp_path / "comparison/comparisons/demo/mean/ecapa"
    assert rows(folder / "cosine.tsv") == []
    systems = {row["anonymiser"] for row in rows(folder / "cosine.systems.tsv")}
    assert systems == {"original", "b2@a", "b2@b"}
    assert not list((tmp_path / "comparison/comparisons").rglob("strongest.tsv"))
    assert not (tmp_path / "comparison/comparisons/utility").exists()


def test_averages_over_corpora_have_intervals(tmp_path):
    challenge = {"demo": {"f": 0.5}, "other": {"m": 0.5}}
    of_both = {"corpora": ("demo", "other"), "eer": EER | {"pp": 25.0}}
    both(tmp_path, **of_both, averages={"challenge": challenge, "elsewhere": {"third": {"f": 1}}})
    write_results(tmp_path / "a", **of_both, averages={"challenge": challenge})
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    folder = tmp_path / "comparison" / "comparisons" / "over-corpora"
    assert {path.name for path in folder.iterdir()} == {"challenge", "all-lists"}
    intervals = {}
    for row in rows(folder / "challenge" / "ecapa" / "cosine.systems.tsv"):
        if row["metric"] == "eer_percent":
            intervals[row["condition"], row["anonymiser"]] = row
    protected = {(condition, who) for condition in ("op", "pp") for who in ("b2@a", "b2@b")}
    assert set(intervals) == {("oo", "original"), *protected}
    own = intervals["pp", "b2@a"]
    assert float(own["ci_low"]) < float(own["value"]) == 25.0


def test_an_average_of_which_a_list_stands_apart_is_of_the_run_that_has_it(tmp_path):
    """Lists of demo differ, so only those of other are common; demo is called demo@a and demo@b."""
    weights = {"challenge": {"demo": {"f": 0.5}, "other": {"m": 0.5}}}
    write_results(tmp_path / "a", corpora=("demo", "other"), averages=weights)
    write_results(tmp_path / "b", corpora=("other",), averages=weights)
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "comparison/report/index.html").read_text()
    assert "demo@a" in page and '<option value="challenge">' not in page


def test_a_page_that_is_mailed_names_nobody(tmp_path):
    """One of the runs was internal; its corpus is not synthetic in both."""
    for results in both(tmp_path, seed=918273):
        part = results.folder / "audio" / "demo" / "trial" / "b2"
        rows = [("u1", "anna", 0.7512345)]
        write_table(part / "manifest.alphas.tsv", ["utterance", "speaker", "alpha"], rows)
    config = read_json(tmp_path / "b/provenance.json")
    config["config"]["corpora"] = {"demo": {"kaldi": "/home/carola/data"}}
    write_json(tmp_path / "b/provenance.json", config)
    assert compare(tmp_path).returncode == 0
    page = (tmp_path / "comparison/report/index.html").read_text()
    page = page.partition("<script>")[0]
    secrets = ("anna", "data:audio/mpeg,", "0.7512", "918273", "carola")
    assert [one for one in (*secrets, "alphas", "INTERNAL") if one in page] == []
    assert compare(tmp_path, "--internal", "--output", "inside").returncode == 0
    assert "INTERNAL" in (tmp_path / "inside/report/index.html").read_text()


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
