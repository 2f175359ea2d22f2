"""One whole run on a tiny Kaldi directory with three kinds of plug-ins: all that it writes."""

import json
import re
import shutil
from itertools import product

import numpy as np
import pytest
import soundfile
import yaml
from support import calls, intervals_shown
from support.runs import (
    B2R,
    MEASURE,
    ROOT,
    SPEAKERS,
    finish,
    make_kaldi_directory,
    rows,
    snakemake,
    write_config,
)

FUNCTION = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed, gain):
    return gain * samples[::-1]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory, model_folder):
    folder = tmp_path_factory.mktemp("run")
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model_folder, folder / "model")
    (folder / "mine.py").write_text(FUNCTION)
    for path in sorted((folder / "data" / "tiny" / "wav").glob("*.wav")):
        samples, sample_rate = soundfile.read(path)
        (folder / "submission" / "wav").mkdir(parents=True, exist_ok=True)
        soundfile.write(
            folder / "submission" / "wav" / path.name, samples**3 * 20, sample_rate, subtype="FLOAT"
        )
    anonymisers = {
        "b2r": {"command": B2R, "runs": 2, "shards": 2},
        "mine": {"function": "mine.py:anonymise", "options": {"gain": 0.5}},
        "team42": {"audio": "submission"},
    }
    (folder / "measure.py").write_text(MEASURE)
    shutil.copy(ROOT / "envs/evaluate.yaml", folder / "my_env.yaml")
    utility = {
        "length": {"command": "python measure.py", "inputs": ["measure.py"], "env": "my_env.yaml"},
        "quality": {"type": "quality", "utterances": 1},
    }
    kept = {"keep_matrices": True}
    write_config(folder, anonymisers=anonymisers, report=kept, utility=utility)
    finish(folder)
    return folder


@pytest.fixture(scope="module")
def table(run):
    return rows(run / "results" / "metrics.tsv")


@pytest.fixture(scope="module")
def page(run):
    return (run / "results" / "report" / "index.html").read_text()


def test_the_files_of_the_run_are_those_that_its_provenance_lists(run):
    said = calls.succeeds("verify", run / "results")
    assert said == f"{run}/results: all files are as the run has made them\n"
    listed = json.loads((run / "results/provenance.json").read_text())["outputs"]
    made = [*run.glob("results/scores/**/*.tsv"), *run.glob("results/audio/**/*.flac")]
    made += [*run.glob("results/embeddings/**/*.npz"), *run.glob("results/metrics/**/*.json")]
    assert not (run / "results" / "secret_seed").exists()  # the config has a seed
    assert {str(path.relative_to(run / "results")) for path in made} <= listed.keys()
    assert {"metrics.tsv", "verdict.json", "trials/tiny/all.tsv"} <= listed.keys()


def test_the_same_command_again_has_nothing_to_do_and_says_what_was_found(run):
    finished = calls.call("run", "--cores", "all", "--configfile", run / "config.yaml", cwd=run)
    assert finished.returncode == 0
    assert "Nothing to be done" in finished.stderr + finished.stdout
    states, page = finished.stdout.splitlines()[-2:]
    assert re.fullmatch(r"tiny: .*\bmine\b.* inconclusive", states)
    assert page == f"Report: {run / 'results' / 'report' / 'index.html'}"


def test_original_is_scored_once_and_every_anonymiser_under_all_attacks(run, table):
    scored = {(row["anonymiser"], row["condition"]) for row in table if row["extractor"] != "-"}
    attacks = set(product(("b2r", "mine", "team42"), ("op", "pp", "rr")))
    original = {("original", "oo"), ("original", "rr")}
    assert scored == {*original, ("b2r", "p0p1"), *attacks}
    assert len(list((run / "results" / "scores").rglob("oo.tsv"))) == 1


def test_utility_is_measured_of_every_anonymiser_and_by_plug_ins_of_the_original_too(
    run, table, page
):
    utility = [row for row in table if row["extractor"] == "-"]
    assert {row["trials"] for row in utility} == {"-", "all"}
    value = {
        (row["anonymiser"], row["metric"]): float(row["value"])
        for row in utility
        if row["trials"] == "-" and row["value"] != "undefined"
    }
    everybody = ("original", "b2r", "mine", "team42")
    assert [value[name, "length_kept"] for name in everybody] == [1, 1, 1, 1]
    assert value["b2r", "pitch_correlation"] > value["mine", "pitch_correlation"]
    assert ("original", "pitch_correlation") not in value
    assert value["original", "estoi"] == 1 > value["b2r", "estoi"] > 0
    assert all(1 < value[name, "dnsmos_overall"] < 5 for name in everybody)
    assert all(-1 <= value[name, "voice_consistency"] <= 1 for name in everybody)
    assert not [name for name, metric in value if metric == "sex_kept_percent"]  # too few speakers
    speeds = {row["anonymiser"]: row for row in rows(run / "results/report/tables/speed.tsv")}
    assert list(speeds) == ["b2r", "mine", "team42"]
    assert float(speeds["b2r"]["speech_s"]) > 0  # a fast job has no processor time
    assert speeds["team42"]["real_time_factor"] == "undefined"
    assert 'id="utility"' in page and "was not measured" not in page


def test_every_system_can_be_heard_that_is_not_its_original(page):
    """``mine`` is the original at another gain; an internal page plays it: test_mailed_page."""
    assert page.count("<audio controls") == page.count("data:image/webp") == 2 * 2
    assert {*re.findall(r"<figcaption>(original|b2r|mine|team42)<", page)} == {"b2r", "team42"}


def test_numbers_have_intervals_and_anonymisers_are_compared(run, table, page):
    limits = {
        row["metric"]: (row["ci_low"], row["ci_high"])
        for row in table
        if row["anonymiser"] == "mine"
    }
    metrics = ("eer_percent", "cllr_min_bit", "dece_bit", "deid_percent", "gvd_db")
    for metric in (*metrics, "mean_disclosure_bit"):
        assert float(limits[metric][0]) <= float(limits[metric][1])
    assert limits["tag"] == limits["worst_case_log10"] == ("-", "-")
    pairs = rows(run / "results/comparisons/tiny/all/random/cosine.tsv")
    compared = {
        (row["anonymiser_a"], row["anonymiser_b"])
        for row in pairs
        if row["metric"] == "eer_percent"
    }
    assert compared == {("b2r", "mine"), ("b2r", "team42"), ("mine", "team42")}
    assert "% intervals" in page


def test_every_anonymiser_is_held_against_unprotected_speech_under_its_strongest_attack(run, table):
    pairs = rows(run / "results/comparisons/tiny/all/strongest.tsv")
    held = {row["anonymiser_a"]: row for row in pairs if row["anonymiser_b"] == "original"}
    assert held.keys() == {"b2r", "mine", "team42"} and len(pairs) == 3 + 3
    attacks = [
        (row["anonymiser"], float(row["value"]))
        for row in table
        if row["metric"] == "eer_percent" and row["condition"] in ("oo", "op", "pp")
    ]
    for name, row in held.items():
        value = min(eer for system, eer in attacks if system == name)
        unprotected = min(eer for system, eer in attacks if system == "original")
        assert (float(row["value_a"]), float(row["value_b"])) == (value, unprotected)
        assert float(row["difference"]) == pytest.approx(value - unprotected)
        assert (row["verdict"] == "cannot be told apart") == (
            float(row["ci_low"]) <= 0 <= float(row["ci_high"])
        )


def test_trial_counts_are_those_of_the_list(table):
    counts = {}
    for row in table:
        if row["metric"] in ("n_target", "n_nontarget"):
            kind = "pairs" if row["condition"] == "rr" else "trials"
            counts.setdefault((kind, row["metric"]), set()).add(int(row["value"]))
    speakers = len(SPEAKERS)
    tried = 3 * speakers  # utterances, three of each speaker
    assert counts == {
        ("trials", "n_target"): {tried},
        ("trials", "n_nontarget"): {tried * (speakers - 1)},
        ("pairs", "n_target"): {3 * speakers},  # three utterances have three pairs
        ("pairs", "n_nontarget"): {tried * (tried - 1) // 2 - 3 * speakers},
    }


def test_the_attacker_does_not_hold_the_users_draw(run):
    audio = run / "results" / "audio" / "tiny"
    draws = [("enrolment", "b2r"), ("trial", "b2r"), ("trial", "b2r_run1")]
    alphas_of_draws = [
        {row["speaker"]: row["alpha"] for row in rows(audio / part / name / "manifest.alphas.tsv")}
        for part, name in draws
    ]
    for speaker in SPEAKERS:
        assert len({alphas[speaker] for alphas in alphas_of_draws}) == len(draws)
    assert all(
        0.7 <= float(alpha) <= 0.9 for alphas in alphas_of_draws for alpha in alphas.values()
    )


def test_the_function_got_its_options_and_the_audio_was_taken_as_it_is(run):
    original, _ = soundfile.read(run / "data/tiny/wav/anna-3.wav")
    made = {"mine": 0.5 * original[::-1], "team42": original**3 * 20}
    for name, expected in made.items():
        folder = run / "results/audio/tiny/trial" / name
        paths = {row["utterance"]: row["path"] for row in rows(folder / "manifest.tsv")}
        samples, _ = soundfile.read(folder / paths["anna-3"])
        assert np.abs(samples - expected).max() < 1e-4


def test_score_matrices_have_the_documented_arrays(run):
    attack = "tiny/all/mine/random/cosine/op.npz"
    with np.load(run / "results" / "pairs" / attack, allow_pickle=False) as pairs:
        assert pairs["scores"].shape == (3 * len(SPEAKERS), 3 * len(SPEAKERS))
        assert (pairs["rows"] == pairs["columns"]).all()
    with np.load(run / "results" / "templates" / attack, allow_pickle=False) as templates:
        assert templates["scores"].shape == (3 * len(SPEAKERS), len(SPEAKERS))
        assert set(templates["column_speakers"]) == set(SPEAKERS)


def test_results_do_not_depend_on_cores_shards_folder_hash_seed_or_the_order_of_the_config(
    run, tmp_path
):
    for name in ("data", "model", "mine.py", "measure.py", "my_env.yaml", "submission"):
        (tmp_path / name).symlink_to(run / name)
    anonymisers = {
        "team42": {"audio": "submission"},
        "mine": {"function": "mine.py:anonymise", "options": {"gain": 0.5}, "shards": 2},
        "b2r": {"command": B2R, "runs": 2},
    }
    utility = yaml.safe_load((run / "config.yaml").read_text())["utility"]
    utility = dict(reversed(utility.items()))
    config = write_config(tmp_path, anonymisers=anonymisers, utility=utility)
    sections = yaml.safe_load(config.read_text())
    config.write_text(yaml.safe_dump(dict(reversed(sections.items())), sort_keys=False))
    one_core = ["--cores", "1", "--configfile", config]
    finished = snakemake(tmp_path, "results/metrics.tsv", *one_core, PYTHONHASHSEED="1")
    assert finished.returncode == 0, finished.stderr
    numbers, same = (folder / "results/metrics.tsv" for folder in (run, tmp_path))
    assert same.read_bytes() == numbers.read_bytes()
    # Score matrices are temporary, but for those that all anonymisers are compared with.
    kept = {path.parts[-4] for path in tmp_path.glob("results/pairs/**/*.npz")}
    assert kept == {"original"}


def test_snakemakes_own_report_needs_no_network(run):
    nowhere = "http://127.0.0.1:9"
    arguments = ["--report", run / "report.html", "--configfile", run / "config.yaml"]
    finished = snakemake(run, *arguments, http_proxy=nowhere, https_proxy=nowhere)
    assert finished.returncode == 0, finished.stderr
    page = (run / "report.html").read_text()
    assert all(text in page for text in ("Voice similarity", "ZEBRA", "dark diagonal"))


def test_no_value_stands_outside_of_its_interval_on_page_terminal_and_tables(run, page):
    report = run / "results" / "report"
    page = intervals_shown.of_page(page)
    assert len(page) > 100
    text = calls.succeeds("main", "show", by=calls.call, cwd=run)  # as the end of a run recommends
    assert "No verdict" not in text
    terminal = intervals_shown.of_terminal(text.splitlines())
    # A quantity is one number, with one interval, wherever it is read.
    assert len(terminal) > 10 and {one[:3] for one in terminal} <= {one[:3] for one in page}
    shown = [*page, *terminal]
    shown += intervals_shown.of_latex((report / "tables" / "comparison.tex").read_text())
    for table in ("challenge", "2", "3", "4"):
        path = report / f"{table}.tex"
        words = calls.flags(metrics=run / "results" / "metrics.tsv", table=table, output=path)
        calls.succeeds("write_tables", *words)
        shown += intervals_shown.of_latex(path.read_text())
    assert [one.words for one in shown if not one.is_inside] == []


def test_after_an_edit_the_end_of_the_run_says_what_has_changed(run):
    """The last test: it edits a function and its option."""
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["anonymisers"]["mine"]["options"]["gain"] = 0.25
    (run / "edited.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    (run / "mine.py").write_text(FUNCTION.replace("[::-1]", ""))
    before = (run / "results" / "evidence.json").read_bytes()
    words = ("--cores", "2", "--configfile", run / "edited.yaml")
    finished = calls.call("run", *words, cwd=run)
    assert finished.returncode == 0, finished.stderr
    assert (run / "results/previous/evidence.json").read_bytes() == before
    lines = finished.stdout.splitlines()
    changed = lines[[line.startswith("Since the last run (%") for line in lines].index(True) + 1 :]
    assert changed[0].split() == ["right", "of", "20", "singling", "out", "difference"]
    assert re.fullmatch(r"mine  \d+ -> \d+ .* \[[+-]\d+, [+-]\d+\]  .*", changed[1])
    assert changed[2:4] == [
        "Config    anonymisers.mine.options.gain 0.5 -> 0.25",
        "Code      files of anonymisers.mine",
    ]
    told = calls.succeeds("compare", "results/previous", "results", cwd=run).splitlines()
    assert told[0].startswith("From results/previous to results (%") and told[1:] == changed[:4]
    told = calls.succeeds("compare", "results", "results", cwd=run).splitlines()
    assert told[1:] == ["Nothing has changed."]
    said = calls.succeeds("verify", run / "results")
    assert said == f"{run}/results: all files are as the run has made them\n"
