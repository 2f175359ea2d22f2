"""The same run again, elsewhere, in boxes, in another workflow, edited; pictures, tables, words."""

import os
import re
import shutil

import pytest
import yaml
from support import calls, intervals_shown, needs, runs

from voiceprivacy import seeds
from voiceprivacy.running import boxes


def test_the_same_command_again_has_nothing_to_do_and_says_what_was_found(own_run):
    for path in own_run.glob("data/**/*"):
        os.utime(path)
    words = ("--cores", "all", "--configfile", "config.yaml")
    finished = runs.succeeded(runs.voiceprivacy(own_run, "run", *words))
    assert "Nothing to be done" in finished.stderr + finished.stdout
    page = own_run / "results" / "report" / "index.html"
    assert finished.stdout.splitlines()[-2:] == ["tiny: mine not protected", f"Report: {page}"]


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    """Results of the tiny run with another system, more shards, one core, and another order."""
    folder = tmp_path_factory.mktemp("larger")
    config = runs.write_tiny_run(folder)
    sections = yaml.safe_load(config.read_text())
    b2r = {"command": runs.B2R, "runs": 2, "shards": 2}
    sections["anonymisers"] = {"b2r": b2r, "mine": sections["anonymisers"]["mine"] | {"shards": 2}}
    sections["utility"] = dict(reversed(sections["utility"].items()))
    sections["report"] = {}
    config.write_text(yaml.safe_dump(dict(reversed(sections.items())), sort_keys=False))
    words = ["results/metrics.tsv", "--cores", "1", "--configfile", config, "--seed-file", "secret"]
    runs.succeeded(runs.voiceprivacy(folder, "run", *words, PYTHONHASHSEED="1"))
    return folder / "results"


def test_numbers_depend_on_no_cores_shards_folder_hash_seed_order_or_other_system(tiny_run, larger):
    own, others = (
        [line for line in path.read_text().splitlines() if "\tb2r\t" not in line]
        for path in (tiny_run / "results" / "metrics.tsv", larger / "metrics.tsv")
    )
    assert own == others
    table = runs.rows(larger / "metrics.tsv")
    scored = {row["condition"] for row in table if row["anonymiser"] == "b2r"}
    assert scored == {"-", "op", "pp", "p0p1", "rr"}
    # Score matrices are temporary, but for those that all anonymisers are compared with.
    kept = {path.parts[-4] for path in larger.glob("pairs/**/*.npz")}
    assert kept == {"original"}


def test_the_attacker_does_not_hold_the_users_draw_and_nobody_that_of_a_public_seed(larger):
    draws = [("enrolment", "b2r"), ("trial", "b2r"), ("trial", "b2r_run1")]
    alphas_of_draws = [
        {row["speaker"]: float(row["alpha"]) for row in runs.rows(path)}
        for path in (larger / f"audio/tiny/{one}/{name}/manifest.alphas.tsv" for one, name in draws)
    ]
    for speaker in runs.SPEAKERS:
        alphas = {alphas[speaker] for alphas in alphas_of_draws}
        public = seeds.generator(0, "alpha", "speaker", speaker).uniform(0.7, 0.9)
        assert len(alphas - {public}) == len(draws)
        assert all(0.7 <= alpha <= 0.9 for alpha in alphas)


@pytest.mark.long
def test_a_module_of_another_workflow_makes_the_same_numbers(same_folder, tiny_run):
    evaluation = yaml.safe_load((same_folder / "config.yaml").read_text())
    results = runs.write_larger(same_folder, evaluation, "vp")
    words = ("--cores", "2")
    runs.succeeded(runs.snakemake(same_folder, *words, snakefile=same_folder / "Snakefile"))
    assert (same_folder / "sizes.txt").exists() and not (same_folder / "results").exists()
    for name in ("metrics.tsv", "verdict.json", "report/tables/comparison.tsv"):
        assert (results / name).read_bytes() == (tiny_run / "results" / name).read_bytes()
    again = runs.snakemake(same_folder, *words, snakefile=same_folder / "Snakefile")
    assert again.returncode == 0 and "Nothing to be done" in again.stderr


@pytest.mark.long
def test_programs_in_boxes_give_the_numbers_that_they_give_without(tmp_path, tiny_run):
    needs.program_or_skip("bubblewrap", boxes.why_not)
    path = runs.write_tiny_run(tmp_path)
    (tmp_path / "hear.py").write_text(f"{runs.HEAR}open('weights.txt').read()\n")
    (tmp_path / "weights.txt").touch()
    config = yaml.safe_load(path.read_text())
    config["extractors"]["spectra"] |= {"inputs": ["hear.py"], "reads": ["weights.txt"]}
    config["utility"]["length"]["mem_mb"] = 900
    for section in ("anonymisers", "extractors"):
        for program in config[section].values():
            program["sandbox"] = True
    config["utility"]["length"]["sandbox"] = True
    path.write_text(yaml.safe_dump(config))
    words = ("--cores", "2", "--configfile", "config.yaml", "--seed-file", "secret")
    runs.succeeded(runs.voiceprivacy(tmp_path, "run", "results/metrics.tsv", *words))
    results = tmp_path / "results"
    assert (results / "metrics.tsv").read_bytes() == (tiny_run / "results/metrics.tsv").read_bytes()
    kinds = ("anonymise_*/**/*.log", "extract_embeddings/**/*.log", "measure_utility/**/length.log")
    logs = [log for kind in kinds for log in results.glob(f"logs/{kind}")]
    assert len(logs) >= 2 + 4 + 2
    for log in logs:
        memory_mb = {"length": 900, "spectra": 8000}.get(log.stem, 4000)
        assert f"box: {memory_mb} MB of memory for each process" in log.read_text()
    assert "box: " not in "".join(log.read_text() for log in tiny_run.glob("results/logs/**/*.log"))
    for folder in results.glob("audio/tiny/*/*/"):
        assert {path.name for path in folder.rglob(".*")} <= {".snakemake_timestamp"}


def test_snakemakes_own_report_needs_no_network(own_run):
    nowhere = "http://127.0.0.1:9"
    words = ["--report", own_run / "report.html", "--configfile", own_run / "config.yaml"]
    runs.succeeded(runs.snakemake(own_run, *words, http_proxy=nowhere, https_proxy=nowhere))
    page = (own_run / "report.html").read_text()
    assert all(text in page for text in ("Voice similarity", "ZEBRA", "dark diagonal"))


def test_no_value_stands_outside_of_its_interval_on_page_terminal_and_tables(tiny_run, tmp_path):
    report = tiny_run / "results" / "report"
    page = intervals_shown.of_page((report / "index.html").read_text())
    assert len(page) > 50
    # As the end of a run recommends.
    text = calls.succeeds("main", "show", by=calls.call, cwd=tiny_run)
    assert "No verdict" not in text
    terminal = intervals_shown.of_terminal(text.splitlines())
    # A quantity is one number, with one interval, wherever it is read.
    assert len(terminal) > 10 and {one[:3] for one in terminal} <= {one[:3] for one in page}
    shown = [*page, *terminal]
    shown += intervals_shown.of_latex((report / "tables" / "comparison.tex").read_text())
    for table in ("challenge", "2", "3", "4"):
        path = tmp_path / f"{table}.tex"
        words = calls.flags(metrics=tiny_run / "results" / "metrics.tsv", table=table, output=path)
        calls.succeeds("write_tables", *words)
        shown += intervals_shown.of_latex(path.read_text())
    assert [one.words for one in shown if not one.is_inside] == []


def test_after_an_edit_the_end_of_the_run_says_what_has_changed(own_run):
    config = yaml.safe_load((own_run / "config.yaml").read_text())
    config["anonymisers"]["mine"]["options"]["gain"] = 5
    (own_run / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    (own_run / "mine.py").write_text(runs.GAIN.replace("**3", ""))
    before = (own_run / "results" / "evidence.json").read_bytes()
    words = ("--cores", "2", "--configfile", "config.yaml")
    finished = runs.succeeded(runs.voiceprivacy(own_run, "run", *words))
    assert (own_run / "results/previous/evidence.json").read_bytes() == before
    lines = finished.stdout.splitlines()
    changed = lines[[line.startswith("Since the last run (%") for line in lines].index(True) + 1 :]
    assert changed[0].split() == ["right", "of", "20", "singling", "out", "difference"]
    assert re.fullmatch(r"mine  \d+ -> \d+ .* \[[+-]\d+, [+-]\d+\]  .*", changed[1])
    assert changed[2:4] == [
        "Config    anonymisers.mine.options.gain 10 -> 5",
        "Code      files of anonymisers.mine",
    ]
    told = calls.succeeds("compare", "results/previous", "results", cwd=own_run).splitlines()
    assert told[0].startswith("From results/previous to results (%") and told[1:] == changed[:4]
    told = calls.succeeds("compare", "results", "results", cwd=own_run).splitlines()
    assert told[1:] == ["Nothing has changed."]
    assert "as the run has made them" in calls.succeeds("verify", own_run / "results")


EDITS = [  # a file, its words, other words
    ("data/tiny/spk2gender", "anna f", "anna m"),
    ("data/tiny/trials", "anna anna-4 target\n", ""),
    ("mine.py", "**3", ""),
    ("hear.py", "4096", "2048"),
    ("measure.py", "kept, sep", "2 * kept, sep"),
]


@pytest.mark.nightly
def test_a_run_after_edits_equals_a_fresh_one(own_run, tmp_path):
    wav = own_run / "data" / "tiny" / "wav"
    shutil.copy(wav / "emil-1.wav", wav / "copy")
    os.replace(wav / "copy", wav / "anna-2.wav")
    for name, old, new in EDITS:
        text = (own_run / name).read_text()
        assert old in text
        (own_run / name).write_text(text.replace(old, new))
    own = shutil.ignore_patterns("results", ".snakemake")
    fresh = shutil.copytree(own_run, tmp_path / "fresh", ignore=own)
    words = ("--cores", "2", "--configfile", "config.yaml", "--seed-file", "secret")
    for folder in (own_run, fresh):
        runs.succeeded(runs.voiceprivacy(folder, "run", *words))
    for name in ("results/metrics.tsv", "results/verdict.json"):
        assert (own_run / name).read_bytes() == (fresh / name).read_bytes()


@pytest.mark.nightly
def test_the_target_paper_makes_every_picture_and_table(own_run):
    runs.finish(own_run, "paper")
    paper = own_run / "results" / "paper"
    of_all = [f"all_{kind}/spectra/cosine" for kind in ("matrices", "profiles")]
    pictures = ("ece", "bayes_error", "normalised_bayes_error", "det", "roc", "tippett", "scores")
    of_list = [f"{name}/tiny/all/spectra/cosine" for name in (*pictures, "llrs", "calibration")]
    for name in (*of_all, *of_list):
        assert (paper / f"{name}.pdf").stat().st_size > 500
    for table in ("challenge", "2", "3", "4"):
        assert runs.rows(paper / "tables" / f"{table}.tsv")
