"""One whole run on a tiny Kaldi directory, with a secret seed: all that it writes, looked at."""

import json
import re
import stat
from itertools import product

import numpy as np
import pytest
import soundfile
from support import calls
from support.runs import SPEAKERS, rows

pytestmark = pytest.mark.everyday


@pytest.fixture(scope="module")
def table(tiny_run):
    return rows(tiny_run / "results" / "metrics.tsv")


@pytest.fixture(scope="module")
def page(tiny_run):
    return (tiny_run / "results" / "report" / "index.html").read_text()


def test_the_files_of_the_run_are_those_that_its_provenance_lists(tiny_run):
    results = tiny_run / "results"
    assert "as the run has made them" in calls.succeeds("verify", results)
    listed = json.loads((results / "provenance.json").read_text())["outputs"]
    kinds = ("scores/**/*.tsv", "audio/**/*.flac", "embeddings/**/*.npz", "metrics/**/*.json")
    made = [path for kind in kinds for path in results.glob(kind)]
    assert {str(path.relative_to(results)) for path in made} <= listed.keys()
    assert {"metrics.tsv", "verdict.json", "trials/tiny/all.tsv"} <= listed.keys()


def test_original_is_scored_once_and_the_anonymiser_under_all_attacks(tiny_run, table):
    scored = {(row["anonymiser"], row["condition"]) for row in table if row["extractor"] != "-"}
    attacks = product(["mine"], ("op", "pp", "rr"))
    assert scored == {("original", "oo"), ("original", "rr"), *attacks}
    assert len(list((tiny_run / "results" / "scores").rglob("oo.tsv"))) == 1


def test_a_measure_of_ones_own_is_taken_of_every_anonymiser_and_of_the_original(table, page):
    utility = [row for row in table if row["extractor"] == "-"]
    assert {row["trials"] for row in utility} == {"-", "all"}
    value = {row["anonymiser"]: float(row["value"]) for row in utility if row["trials"] == "-"}
    assert value == {"original": 1, "mine": 1}
    assert 'id="utility"' in page and "was not measured" not in page


def test_protected_speech_can_be_heard(page):
    """What is the original still is not played: test_mailed_page."""
    assert page.count("<audio controls") == page.count("data:image/webp") == 2
    assert {*re.findall(r"<figcaption>(original|unprotected speech|mine)<", page)} == {"mine"}


def test_numbers_have_intervals(table, page):
    limits = {
        row["metric"]: (row["ci_low"], row["ci_high"])
        for row in table
        if row["anonymiser"] == "mine"
    }
    metrics = ("eer_percent", "cllr_min_bit", "dece_bit", "deid_percent", "gvd_db")
    for metric in (*metrics, "mean_disclosure_bit"):
        assert float(limits[metric][0]) <= float(limits[metric][1])
    assert limits["tag"] == limits["worst_case_log10"] == ("-", "-")
    assert "% intervals" in page


def test_the_anonymiser_is_held_against_unprotected_speech_by_its_strongest_attack(tiny_run, table):
    (held,) = rows(tiny_run / "results/comparisons/tiny/all/strongest.tsv")
    assert (held["anonymiser_a"], held["anonymiser_b"]) == ("mine", "original")
    value, unprotected = (
        min(
            float(row["value"])
            for row in table
            if (row["anonymiser"], row["metric"]) == (name, "eer_percent")
            and row["condition"] in ("oo", "op", "pp")
        )
        for name in ("mine", "original")
    )
    assert (float(held["value_a"]), float(held["value_b"])) == (value, unprotected)
    assert float(held["difference"]) == pytest.approx(value - unprotected)
    is_open = float(held["ci_low"]) <= 0 <= float(held["ci_high"])
    assert (held["verdict"] == "cannot be told apart") == is_open


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


def test_the_secret_lies_in_its_file_alone(tiny_run):
    secret = tiny_run / "results" / "secret_seed"
    assert secret.read_text().strip() == (tiny_run / "secret").read_text()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    numbers = set((tiny_run / "seen.txt").read_text().split()[1::2])
    assert len(numbers) == 2, "the attacker's draw is not the user's"
    assert all(int(number) >= 2**32 for number in numbers)
    hidden = [secret.read_bytes().strip(), *(number.encode() for number in numbers)]
    written = [path for root in ("results", ".snakemake") for path in (tiny_run / root).rglob("*")]
    holding = [
        path
        for path in (tiny_run / "said", *written)
        if path.is_file() and any(word in path.read_bytes() for word in hidden)
    ]
    assert holding == [secret]


def test_the_function_got_its_option(tiny_run):
    original, _ = soundfile.read(tiny_run / "data/tiny/wav/anna-3.wav")
    folder = tiny_run / "results/audio/tiny/trial/mine"
    paths = {row["utterance"]: row["path"] for row in rows(folder / "manifest.tsv")}
    samples, _ = soundfile.read(folder / paths["anna-3"])
    assert np.abs(samples - 10 * original**3).max() < 1e-4


def test_score_matrices_have_the_documented_arrays(tiny_run):
    attack = "tiny/all/mine/spectra/cosine/op.npz"
    with np.load(tiny_run / "results" / "pairs" / attack, allow_pickle=False) as pairs:
        assert pairs["scores"].shape == (3 * len(SPEAKERS), 3 * len(SPEAKERS))
        assert (pairs["rows"] == pairs["columns"]).all()
    with np.load(tiny_run / "results" / "templates" / attack, allow_pickle=False) as templates:
        assert templates["scores"].shape == (3 * len(SPEAKERS), len(SPEAKERS))
        assert set(templates["column_speakers"]) == set(SPEAKERS)
