"""The commands assess_verification, assess_zebra and assess_calibration as a person calls them."""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.calls import flags, here, refused, succeeds
from support.score_cases import DATA

from voiceprivacy.inout.enrolments import write_speakers
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import SCORES
from voiceprivacy.privacy.uncertainty.interval_files import (
    Resampled,
    print_metrics,
    write_intervals,
)
from voiceprivacy.vocabulary import DAGGER

ROOT = Path(__file__).parents[3]
KALDI, KEY = DATA / "zebra_cli" / "scores.txt", DATA / "zebra_cli" / "key.txt"


@pytest.fixture
def scores(tmp_path):
    def write(name, target, nontarget):
        rows = [("e", f"t{index}", "target", score) for index, score in enumerate(target)]
        rows += [("e", f"n{index}", "nontarget", score) for index, score in enumerate(nontarget)]
        write_table(tmp_path / name, SCORES, rows)
        return tmp_path / name

    return write


@pytest.fixture
def assessed(tmp_path):
    """Call a command: the metrics that it writes, and what it says."""

    def call(command, *words, **options):
        said = succeeds(command, *words, *flags(**options), "--metrics", tmp_path / "m.json")
        return read_json(tmp_path / "m.json"), said

    return call


def table(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_kaldi_scores_with_their_key(assessed):
    metrics, said = assessed("assess_zebra", scores=KALDI, trials=KEY)
    numbers = round(metrics["dece_bit"], 3), round(metrics["worst_case_log10"], 3), metrics["tag"]
    assert numbers == (0.427, 1.74, "B")
    assert (metrics["n_target"], metrics["n_nontarget"]) == (40, 440)
    assert "one wrong in 10 to 100" in said
    runs = flags(train=KALDI, test=KALDI, train_trials=KEY, test_trials=KEY)
    metrics, _ = assessed("assess_calibration", *runs, label="op")
    assert 0 < metrics["op"]["cece_linear_bit"] < 0.427


def test_a_score_file_is_assessed_without_a_file_to_write(scores, tmp_path):
    path = scores("s.tsv", [3, 1], [0, 2])
    for command, inputs in (
        ("assess_verification", flags(scores=path)),
        ("assess_zebra", flags(scores=path)),
        ("assess_calibration", flags(train=path, test=path)),
    ):
        said = succeeds(command, *inputs)
        assert succeeds(command, *inputs, "--metrics", tmp_path / "m.json") == said
        (tmp_path / "m.json").unlink()
    assert [file.name for file in tmp_path.iterdir()] == ["s.tsv"]


def test_verification_without_label_writes_flat_names_and_a_table(scores, assessed):
    metrics, said = assessed(
        "assess_verification", scores=scores("s.tsv", [3, 1], [0, 2]), p_target=0.5
    )
    assert (metrics["eer_percent"], metrics["min_dcf"]) == (50, 0.5)
    assert "eer_percent" in said


@pytest.mark.parametrize(("n_target", "is_marked"), [(19, True), (20, False)])
def test_linkability_of_a_single_bin_is_marked_and_explained(scores, assessed, n_target, is_marked):
    path = scores("s.tsv", range(n_target), range(30))
    metrics, said = assessed("assess_verification", scores=path)
    [line] = [line for line in said.splitlines() if line.startswith("linkability_vpc ")]
    assert line.endswith("‡") == is_marked and ("single bin" in said) == is_marked
    assert isinstance(metrics["linkability_vpc"], float)


def test_intervals_of_few_errors_are_marked_and_explained(tmp_path, capsys):
    errors = {"eer_percent": 4.0, "cllr_min_bit": 0.2, "cllr_bit": 0.3}
    numbers = {"few": errors | {"n_target": 120}, "enough": errors | {"n_target": 130}}
    drawn = {name: np.linspace(0, 1, 200) for name in ("cllr_min_bit", "cllr_bit")}
    resampled = {label: Resampled(drawn, 20, {}) for label in numbers}
    shown = write_intervals(None, numbers, resampled, ["few", "enough"])
    marked = {
        (label, name)
        for label in shown
        for name in shown[label]
        if DAGGER in f"{shown[label][name]}"
    }
    assert marked == {("few", "cllr_min_bit")}
    print_metrics(shown)
    assert capsys.readouterr().out.count(DAGGER) == 2
    without = {"few": {"dece_bit": 0.4, "n_target": 120}}
    drawn = {"few": Resampled({"dece_bit": np.linspace(0, 1, 200)}, 20, {})}
    assert DAGGER in write_intervals(None, without, drawn, ["few"], {"few": 4.0})["few"]["dece_bit"]
    assert DAGGER not in write_intervals(None, without, drawn, ["few"])["few"]["dece_bit"]


def test_many_ties_between_the_classes_are_warned_of(scores):
    done = here("assess_verification", "--scores", scores("s.tsv", [1, 1], [1]))
    assert done.returncode == 0 and "100 % of the trials have a score" in done.stderr
    assert here("assess_verification", "--scores", scores("s.tsv", [3, 1], [0, 2])).stderr == ""


def test_curves_hold_the_profile_of_every_label(scores, assessed, tmp_path):
    paths = [scores("op.tsv", [1], [0]), scores("pp.tsv", [1], [1])]
    assessed("assess_zebra", scores=paths, label=["op", "pp"], curves=tmp_path / "c.tsv")
    header, *rows = table(tmp_path / "c.tsv")
    assert header == ["label", "prior_log_odds", "ece_bit", "ece_default_bit"]
    assert [row[0] for row in rows] == ["op"] * 201 + ["pp"] * 201
    numbers = np.array([row[1:] for row in rows], dtype=float).reshape(2, 201, 3)
    assert numbers[:, [0, -1], 0].tolist() == [[-10, 10], [-10, 10]]
    np.testing.assert_allclose(numbers[0, 100], [0, 0, 1])
    np.testing.assert_allclose(numbers[1, :, 1], numbers[1, :, 2])


def test_calibration_trained_on_one_run_and_tested_on_another(scores, assessed):
    train, test = scores("run0.tsv", [0, 1, 1, 1], [0, 0, 0, 1]), scores("run1.tsv", [0, 1], [0, 1])
    metrics, _ = assessed("assess_calibration", train=train, test=test)
    ways = ("linear", "isotonic", "isotonic_interpolated")
    of_runs = ("cllr_{}_bit", "dece_{}_bit", "worst_case_{}_log10", "tag_{}")
    assert metrics.keys() == {
        *(f"{kind}_{way}_bit" for kind, way in itertools.product(("cece", "cllr"), ways)),
        *(name.format(run) for name, run in itertools.product(of_runs, ("train", "test"))),
    }
    assert all(metrics[f"cece_{way}_bit"] < 0 and metrics[f"cllr_{way}_bit"] > 1 for way in ways)


@pytest.fixture
def calibrated(tmp_path, assessed):
    """Metrics of two runs of known speakers, with intervals and curves beside them."""
    draw = np.random.default_rng(0)
    paths = [tmp_path / "run0.tsv", tmp_path / "run1.tsv"]
    speakers = [f"s{index}" for index in range(6)]
    for path in paths:
        rows = []
        for one, other, index in itertools.product(speakers, speakers, "01"):
            label = "target" if one == other else "nontarget"
            rows.append((one, f"{other}-{index}", label, draw.normal(one == other)))
        write_table(path, SCORES, rows)
    names = [*speakers, *(f"{name}-{index}" for name, index in itertools.product(speakers, "01"))]
    write_speakers(tmp_path / "speakers.tsv", {name: name[:2] for name in names})
    words = flags(train=paths[0], test=paths[1], speakers=tmp_path / "speakers.tsv", label="op")
    words += flags(curves=tmp_path / "c.tsv", bootstrap=40)
    return assessed("assess_calibration", *words)[0]["op"]


def test_calibration_has_intervals_where_speakers_are_known(tmp_path, calibrated):
    limits = read_json(tmp_path / "m.intervals.json")["op"]
    assert limits.keys() == {name for name in calibrated if name.endswith("_bit")}
    for name, own in limits.items():
        assert own["value"] == calibrated[name] and own["ci_low"] < own["ci_high"], name
    assert np.load(tmp_path / "m.bootstrap.npz")["op/cece_linear_bit"].shape == (40,)


@pytest.mark.parametrize("command", ["assess_verification", "assess_zebra"])
def test_a_table_has_intervals_where_speakers_are_known(tmp_path, calibrated, assessed, command):
    known = flags(speakers=tmp_path / "speakers.tsv", bootstrap=40, label="a_b")
    words = flags(scores=tmp_path / "run0.tsv", table=tmp_path / "t.tex")
    assessed(command, *words, *known)
    text = (tmp_path / "t.tex").read_text()
    assert text.count(r"\begin{table*}") == 1 and r"a\_b & " in text
    assert r"{\scriptsize [" in text
    assessed(command, *words)
    assert r"{\scriptsize [" not in (tmp_path / "t.tex").read_text()


def test_the_picture_of_calibration_shows_its_intervals(tmp_path, calibrated):
    files = {"curves": tmp_path / "c.tsv", "metrics": tmp_path / "m.json"}
    succeeds("plot", "calibration", *flags(**files, figures=tmp_path / "p.svg"))
    limits = read_json(tmp_path / "m.intervals.json")["op"]["cllr_linear_bit"]
    value, low, high = (limits[name] for name in ("value", "ci_low", "ci_high"))
    assert f"{value:.3f} [{low:.3f}, {high:.3f}]]" in (tmp_path / "p.svg").read_text()


def test_two_speakers_are_too_few_for_intervals_and_the_command_says_so(tmp_path):
    lines = ["enrolment trial label score", "a a1 target 6", "a b1 nontarget 9"]
    lines += ["b b1 target 6", "b a1 nontarget 9", ""]
    (tmp_path / "s.tsv").write_text("\n".join(lines).replace(" ", "\t"))
    (tmp_path / "speakers.tsv").write_text("id\tspeaker\na\ta\na1\ta\nb\tb\nb1\tb\n")
    files = flags(scores=tmp_path / "s.tsv", speakers=tmp_path / "speakers.tsv")
    files += flags(metrics=tmp_path / "m.json")
    for script in ("assess_verification", "assess_zebra"):
        done = here(script, *files, "--bootstrap", 40)
        assert done.returncode == 0 and "no intervals with 2 speakers" in done.stderr
        intervals = read_json(tmp_path / "m.intervals.json")
        assert {limits["ci_low"] for limits in intervals.values()} == {None}
    # Of what no speakers are known of there are no intervals, an earlier call's neither.
    succeeds("assess_verification", *files, "--bootstrap", 0)
    assert [*tmp_path.glob("m.*")] == [tmp_path / "m.json"]


def test_calibration_without_laplace_shows_the_infinite(scores, assessed, tmp_path):
    train, test = scores("run0.tsv", [2, 1], [0, 1]), scores("run1.tsv", [0, 3], [0, 1])
    outputs = flags(label="op", curves=tmp_path / "c.tsv", plot=tmp_path / "p.svg")
    words = ["--without-laplace", *outputs]
    metrics = assessed("assess_calibration", *words, train=train, test=test)[0]["op"]
    assert '"cece_isotonic_bit": "-inf"' in (tmp_path / "m.json").read_text()
    assert (metrics["cece_isotonic_bit"], metrics["cllr_isotonic_bit"]) == (-np.inf, np.inf)
    header, *rows = table(tmp_path / "c.tsv")
    assert header[:2] == ["label", "prior_log_odds"] and len(rows) == 201
    legend = "run 1, isotonic calibration of run 0 [\N{MINUS SIGN}inf; inf]"
    assert legend in (tmp_path / "p.svg").read_text()


def test_tags_table_and_picture_of_ones_own(scores, assessed, tmp_path):
    tags = tmp_path / "tags.yaml"
    little, much = "{from_log10: 0, meaning: hardly anything}", "{from_log10: 0.3, meaning: a lot}"
    tags.write_text(f"little: {little}\nmuch: {much}\n")
    paths = [scores("s_1.tsv", [3, 1], [0, 2]), scores("t.tsv", [1, 1], [1, 1])]
    files = flags(table=tmp_path / "t.md", plot=tmp_path / "p.svg", over="prior", tags=tags)
    written, said = assessed("assess_zebra", *files, scores=paths, label=["s_1", "t"])
    assert [values["tag"] for values in written.values()] == ["much", "little"]
    assert "s_1: tag much: a lot" in said
    assert "| little | much " in (tmp_path / "t.md").read_text()
    picture = (tmp_path / "p.svg").read_text()
    assert ">s_1 (0.361, 0.301, much)</text>" in picture
    assert r"<!-- prior $\pi$ -->" in picture
    written, _ = assessed("assess_calibration", train=paths[0], test=paths[1], tags=tags)
    assert (written["tag_train"], written["tag_test"]) == ("much", "little")


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("zebra", "--scores none.tsv", "none.tsv: not found"),
        ("zebra", "--scores word.tsv", "word.tsv:3: 'x' is not a number"),
        ("zebra", "--scores targets.tsv", "no nontarget trials"),
        ("verification", "--scores a.tsv b.tsv --label a", "1 label for 2 inputs"),
        ("verification", "--scores a.tsv b.tsv --label a a", "'a' occurs twice"),
        ("verification", "--scores a.tsv b.tsv --p-target 1", "p_target: 1.0 is not"),
        ("calibration", "--train a.tsv b.tsv --test a.tsv", "--train"),
        ("calibration", "--train infinite.tsv --test a.tsv", "infinite.tsv: linear calibration"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_place(scores, tmp_path, command, words, message):
    for name, target, nontarget in (
        ("word", [1, "x"], [0]),
        ("targets", [1], []),
        ("infinite", ["inf"], [0]),
        *((name, [1], [0]) for name in "ab"),
    ):
        scores(f"{name}.tsv", target, nontarget)
    said = refused(f"assess_{command}", *words.split(), "--metrics", "m.json", cwd=tmp_path)
    assert message in said
    assert said.startswith("error: ") and said.count("\n") == 1
    assert not (tmp_path / "m.json").exists()


def test_a_command_starts_without_what_it_does_not_need():
    code = "import sys; sys.path.insert(0, 'scripts'); import assess_zebra; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    heavy = {"torch", "matplotlib", "pandas", "numba", "yaml", "jinja2", "scipy.stats", "snakemake"}
    assert not heavy & set(loaded.split())


def test_scores_that_point_the_wrong_way_are_no_zero_evidence(tmp_path, assessed):
    draw, rows = np.random.default_rng(0), []
    for enrolled, tried in itertools.product(range(6), repeat=2):
        label = "target" if enrolled == tried else "nontarget"
        score = draw.normal() - 3 * (enrolled == tried)
        rows.append((f"e{enrolled}", f"u{tried}", label, score))
    write_table(tmp_path / "s.tsv", SCORES, rows)
    names = {f"{kind}{number}": str(number) for kind in "eu" for number in range(6)}
    write_speakers(tmp_path / "ids.tsv", names)
    _, said = assessed("assess_zebra", scores=tmp_path / "s.tsv", speakers=tmp_path / "ids.tsv")
    assert "point the wrong way" in said.splitlines()[-1] and "zero evidence" not in said
