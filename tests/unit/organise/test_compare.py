"""Two folders of results in one report: what is common, what stands apart, which pairs are."""

import csv

import pytest
from support import verdicts
from support.calls import here
from support.result_folders import EER, LISTS, write_results

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.organise.comparing import merge
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.verdict import NOT_ORDERED, OLDER

TEXT = "eer_percent of unprotected speech"


def both(tmp_path, **second):
    folders = write_results(tmp_path / "a"), write_results(tmp_path / "b", **second)
    return [FinishedRun(folder, name) for name, folder in zip("ab", folders, strict=True)]


def compare(tmp_path, *arguments, output="both"):
    return here("compare", "a", "b", "--output", output, *arguments, cwd=tmp_path)


def places(metrics):
    return {tuple(number)[:4] for number in metrics}  # corpus, trials, anonymiser, extractor


@pytest.mark.parametrize(
    ("second", "lists", "systems", "extractors", "apart"),
    [
        (
            {"eer": EER | {"oo": 2.05, "op": 35.0}, "anonymisers": ("b2", "mine")},
            *(LISTS, {"original", "b2@a", "b2@b", "mine@b"}, {"ecapa", "-"}, []),
        ),
        (
            {"attackers": (("xvector", "plda"),)},
            *(LISTS, {"original", "b2@a", "b2@b"}, {"ecapa@a", "xvector@b", "-"}),
            [
                ("demo/f/ecapa/cosine", "only here", "-"),
                ("demo/f/xvector/plda", "-", "only here"),
                ("demo/m/ecapa/cosine", "only here", "-"),
                ("demo/m/xvector/plda", "-", "only here"),
            ],
        ),
        (
            {"lists": {"f": LISTS["f"]}},
            *({"f"}, {"original", "b2@a", "b2@b"}, {"ecapa", "-"}),
            [("demo/m: left out", "only here", "-")],
        ),
        (
            {"eer": EER | {"oo": 4.0}},
            *(LISTS, {"original", "b2@a", "b2@b"}, {"ecapa@a", "ecapa@b", "-"}),
            [
                (f"demo/{listed}/ecapa/cosine", *(f"{TEXT} is {rate}" for rate in ("2.0", "4.0")))
                for listed in LISTS
            ],
        ),
    ],
)
def test_what_both_runs_have_keeps_its_name_and_what_stands_apart_is_named_with_the_reason(
    tmp_path, second, lists, systems, extractors, apart
):
    merged = merge(both(tmp_path, **second))
    of_all = [set(names) for names in zip(*places(merged.metrics), strict=True)]
    assert of_all == [{"demo"}, {*lists, "-"}, systems, extractors]
    assert len(merged.metrics) == len({number.key for number in merged.metrics})
    assert [tuple(one) for one in merged.apart] == apart


def test_runs_without_a_common_list_are_refused_with_the_reason(tmp_path):
    with pytest.raises(BadInput, match="demo/f: n_target of unprotected speech is 4"):
        merge(both(tmp_path, n_target=5))


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_command_writes_one_report_with_pairs_across_runs_and_what_differs(tmp_path):
    both(tmp_path, eer=EER | {"pp": 22.0}, version="2")
    finished = compare(tmp_path, "--name", "ours", "theirs")
    assert finished.returncode == 0, finished.stderr
    assert "2 sets are the same in ours and theirs" in finished.stdout
    assert "differs: version: 1 | 2" in finished.stdout
    compared = rows(tmp_path / "both/comparisons/demo/mean/ecapa/cosine.tsv")
    pairs = {row["condition"]: row for row in compared if row["anonymiser_a"] == "b2@ours"}
    assert pairs["pp"]["anonymiser_b"] == "b2@theirs"
    assert pairs["pp"]["verdict"] == "B is better" and float(
        pairs["pp"]["difference"]
    ) == pytest.approx(-12)
    page = (tmp_path / "both/report/index.html").read_text()
    assert page.count(OLDER) == 2 and NOT_ORDERED in page
    assert "pitch correlation" in page and "b2@theirs" in page and "The two runs differ in:" in page
    assert read_metrics(tmp_path / "both/metrics.tsv")
    provenance = read_json(tmp_path / "both/provenance.json")
    assert (
        "version" not in provenance and ["version", "1", "2"] in provenance["differences"]["rows"]
    )


def test_each_run_keeps_its_own_verdict_and_systems_of_both_are_not_ordered(tmp_path):
    both(tmp_path)
    write_json(tmp_path / "a" / "verdict.json", verdicts.usual())
    finished = compare(tmp_path, "--name", "ours", "theirs")
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "both/report/index.html").read_text()
    assert page.index("ours") < page.index("inconclusive") < page.index(OLDER)
    assert NOT_ORDERED in page and "protects" not in page
    assert 'data-system="b2r@ours"' in page, "hidden with the numbers of the same system"


def test_runs_that_drew_other_speakers_are_not_compared_in_pairs(tmp_path):
    both(tmp_path, seed=7)
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert "pairs across runs are not compared for demo/ecapa/cosine" in finished.stdout
    folder = tmp_path / "both/comparisons/demo/mean/ecapa"
    assert rows(folder / "cosine.tsv") == []
    systems = {row["anonymiser"] for row in rows(folder / "cosine.systems.tsv")}
    assert systems == {"original", "b2@a", "b2@b"}


def test_averages_over_corpora_have_intervals(tmp_path):
    challenge = {"demo": {"f": 0.5}, "other": {"m": 0.5}}
    of_both = {"corpora": ("demo", "other"), "eer": EER | {"pp": 25.0}}
    both(tmp_path, **of_both, averages={"challenge": challenge, "elsewhere": {"third": {"f": 1}}})
    write_results(tmp_path / "a", **of_both, averages={"challenge": challenge})
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    folder = tmp_path / "both" / "comparisons" / "over-corpora"
    assert {path.name for path in folder.iterdir()} == {"challenge", "all-lists"}
    intervals = {}
    for row in rows(folder / "challenge" / "ecapa" / "cosine.systems.tsv"):
        if row["metric"] == "eer_percent":
            intervals[row["condition"], row["anonymiser"]] = row
    protected = {(condition, who) for condition in ("op", "pp") for who in ("b2@a", "b2@b")}
    assert set(intervals) == {("oo", "original"), *protected}
    own = intervals["pp", "b2@a"]
    assert float(own["ci_low"]) < float(own["value"]) == 25.0


def test_an_average_of_which_a_list_is_left_out_is_not_shown(tmp_path):
    """Lists of demo differ, so only those of other are common."""
    weights = {"challenge": {"demo": {"f": 0.5}, "other": {"m": 0.5}}}
    write_results(tmp_path / "a", corpora=("demo", "other"), averages=weights)
    write_results(tmp_path / "b", corpora=("other",), averages=weights)
    finished = compare(tmp_path)
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "both/report/index.html").read_text()
    assert "demo/f: left out" in page and '<option value="challenge">' not in page


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
    page = (tmp_path / "both/report/index.html").read_text()
    page = page.partition("<script>")[0]
    secrets = ("anna", "data:audio/mpeg,", "0.7512", "918273", "carola")
    assert [one for one in (*secrets, "alphas", "INTERNAL") if one in page] == []


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
