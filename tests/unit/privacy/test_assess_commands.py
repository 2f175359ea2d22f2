"""The commands assess_verification, assess_zebra and assess_calibration as a person calls them."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.calls import flags, here, succeeds
from support.score_cases import DATA

ROOT = Path(__file__).parents[3]
KALDI = ["--scores", DATA / "zebra_cli" / "scores.txt", "--trials", DATA / "zebra_cli" / "key.txt"]


def fails_with(done, message):
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.fixture
def scores(tmp_path):
    def write(name, target, nontarget):
        lines = ["enrolment\ttrial\tlabel\tscore"]
        lines += [f"e\tt{index}\ttarget\t{score}" for index, score in enumerate(target)]
        lines += [f"e\tn{index}\tnontarget\t{score}" for index, score in enumerate(nontarget)]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_kaldi_scores_with_their_key(tmp_path):
    done = here("assess_zebra", *KALDI, "--metrics", tmp_path / "zebra.json")
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "zebra.json").read_text())
    assert (
        round(metrics["dece_bit"], 3),
        round(metrics["worst_case_log10"], 3),
        metrics["tag"],
    ) == (0.427, 1.74, "B")
    assert (metrics["n_target"], metrics["n_nontarget"]) == (40, 440)
    assert "one wrong in 10 to 100" in done.stdout


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


def test_verification_without_label_writes_flat_names_and_a_table(scores, tmp_path):
    path = scores("s.tsv", [3, 1], [0, 2])
    words = flags(scores=path, p_target=0.5, metrics=tmp_path / "m.json")
    done = here("assess_verification", *words)
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "m.json").read_text())
    assert (metrics["eer_percent"], metrics["min_dcf"]) == (50, 0.5)
    assert "eer_percent" in done.stdout
    assert done.stderr == ""


def test_many_ties_between_the_classes_are_warned_of(scores, tmp_path):
    words = flags(scores=scores("s.tsv", [1, 1], [1]), metrics=tmp_path / "m.json")
    done = here("assess_verification", *words)
    assert done.returncode == 0
    assert "100 % of the trials have a score that a trial of the other class has too" in done.stderr


def test_curves_hold_the_profile_of_every_label(scores, tmp_path):
    paths = [scores("op.tsv", [1], [0]), scores("pp.tsv", [1], [1])]
    files = ["--metrics", tmp_path / "m.json", "--curves", tmp_path / "c.tsv"]
    done = here("assess_zebra", "--scores", *paths, "--label", "op", "pp", *files)
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split("\t") for line in (tmp_path / "c.tsv").read_text().splitlines()]
    assert header == ["label", "prior_log_odds", "ece_bit", "ece_default_bit"]
    assert [row[0] for row in rows] == ["op"] * 201 + ["pp"] * 201
    numbers = np.array([row[1:] for row in rows], dtype=float).reshape(2, 201, 3)
    assert numbers[:, [0, -1], 0].tolist() == [[-10, 10], [-10, 10]]
    np.testing.assert_allclose(numbers[0, 100], [0, 0, 1])
    np.testing.assert_allclose(numbers[1, :, 1], numbers[1, :, 2])


def test_calibration_trained_on_one_run_and_tested_on_another(scores, tmp_path):
    train, test = scores("run0.tsv", [0, 1, 1, 1], [0, 0, 0, 1]), scores("run1.tsv", [0, 1], [0, 1])
    done = here(
        "assess_calibration", "--train", train, "--test", test, "--metrics", tmp_path / "m.json"
    )
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "m.json").read_text())
    ways = ("linear", "isotonic", "isotonic_interpolated")
    of_runs = ("cllr_{}_bit", "dece_{}_bit", "worst_case_{}_log10", "tag_{}")
    assert metrics.keys() == {
        *(f"{kind}_{way}_bit" for kind, way in itertools.product(("cece", "cllr"), ways)),
        *(name.format(run) for name, run in itertools.product(of_runs, ("train", "test"))),
    }
    assert all(metrics[f"cece_{way}_bit"] < 0 and metrics[f"cllr_{way}_bit"] > 1 for way in ways)


def test_calibration_has_intervals_where_speakers_are_known(tmp_path):
    draw = np.random.default_rng(0)
    paths = [tmp_path / "run0.tsv", tmp_path / "run1.tsv"]
    speakers = [f"s{index}" for index in range(6)]
    for path in paths:
        lines = ["enrolment\ttrial\tlabel\tscore"]
        for one, other, index in itertools.product(speakers, speakers, "01"):
            label = "target" if one == other else "nontarget"
            lines.append(f"{one}\t{other}-{index}\t{label}\t{draw.normal(one == other)}")
        path.write_text("\n".join(lines) + "\n")
    utterances = [f"{speaker}-{index}" for speaker, index in itertools.product(speakers, "01")]
    names = [*speakers, *utterances]
    (tmp_path / "speakers.tsv").write_text(
        "id\tspeaker\n" + "".join(f"{name}\t{name[:2]}\n" for name in names)
    )
    files = flags(train=paths[0], test=paths[1], speakers=tmp_path / "speakers.tsv")
    files += flags(metrics=tmp_path / "m.json", curves=tmp_path / "c.tsv")
    done = here("assess_calibration", *files, *flags(label="op", bootstrap=99))
    assert (done.returncode, done.stderr) == (0, "")
    limits = json.loads((tmp_path / "m.intervals.json").read_text())["op"]
    metrics = json.loads((tmp_path / "m.json").read_text())["op"]
    assert limits.keys() == {name for name in metrics if name.endswith("_bit")}
    for name, interval in limits.items():
        assert interval["value"] == metrics[name] and interval["ci_low"] < interval["ci_high"], name
    assert np.load(tmp_path / "m.bootstrap.npz")["op/cece_linear_bit"].shape == (99,)
    drawn = ["--metrics", tmp_path / "m.json", "--figures", tmp_path / "p.svg"]
    assert here("plot", "calibration", "--curves", tmp_path / "c.tsv", *drawn).returncode == 0
    low, high = (f"{limits['cllr_linear_bit'][limit]:.3f}" for limit in ("ci_low", "ci_high"))
    assert f"{metrics['cllr_linear_bit']:.3f} [{low}, {high}]]" in (tmp_path / "p.svg").read_text()


def test_two_speakers_are_too_few_for_intervals_and_the_command_says_so(tmp_path):
    lines = ["enrolment trial label score", "a a1 target 6", "a b1 nontarget 9"]
    lines += ["b b1 target 6", "b a1 nontarget 9", ""]
    (tmp_path / "s.tsv").write_text("\n".join(lines).replace(" ", "\t"))
    (tmp_path / "speakers.tsv").write_text("id\tspeaker\na\ta\na1\ta\nb\tb\nb1\tb\n")
    files = flags(scores=tmp_path / "s.tsv", speakers=tmp_path / "speakers.tsv")
    files += flags(metrics=tmp_path / "m.json")
    for script in ("assess_verification", "assess_zebra"):
        done = here(script, *files, "--bootstrap", 40)
        assert done.returncode == 0 and "no intervals with 2 speakers, it takes 3" in done.stderr
        intervals = json.loads((tmp_path / "m.intervals.json").read_text())
        assert {limits["ci_low"] for limits in intervals.values()} == {None}
    # Of what no speakers are known of there are no intervals, an earlier call's neither.
    assert here("assess_verification", *files, "--bootstrap", 0).returncode == 0
    assert [*tmp_path.glob("m.*")] == [tmp_path / "m.json"]


def test_calibration_of_kaldi_scores(tmp_path):
    path, key = DATA / "zebra_cli" / "scores.txt", DATA / "zebra_cli" / "key.txt"
    files = ["--train", path, "--test", path, "--train-trials", key, "--test-trials", key]
    done = here("assess_calibration", *files, "--label", "op", "--metrics", tmp_path / "m.json")
    assert done.returncode == 0, done.stderr
    assert 0 < json.loads((tmp_path / "m.json").read_text())["op"]["cece_linear_bit"] < 0.427


def test_calibration_without_laplace_shows_the_infinite(scores, tmp_path):
    train, test = scores("run0.tsv", [2, 1], [0, 1]), scores("run1.tsv", [0, 3], [0, 1])
    files = flags(train=train, test=test, label="op", metrics=tmp_path / "m.json")
    outputs = flags(curves=tmp_path / "c.tsv", plot=tmp_path / "p.svg")
    done = here("assess_calibration", *files, "--without-laplace", *outputs)
    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "m.json").read_text())["op"]
    assert (metrics["cece_isotonic_bit"], metrics["cllr_isotonic_bit"]) == ("-inf", "inf")
    header, *rows = [line.split("\t") for line in (tmp_path / "c.tsv").read_text().splitlines()]
    assert header[:2] == ["label", "prior_log_odds"]
    assert len(rows) == 201
    legend = "run 1, isotonic calibration of run 0 [\N{MINUS SIGN}inf; inf]"
    assert legend in (tmp_path / "p.svg").read_text()


def test_tags_table_and_picture_of_ones_own(scores, tmp_path):
    tags, metrics = tmp_path / "tags.yaml", tmp_path / "m.json"
    little, much = "{from_log10: 0, meaning: hardly anything}", "{from_log10: 0.3, meaning: a lot}"
    tags.write_text(f"little: {little}\nmuch: {much}\n")
    paths = [scores("s_1.tsv", [3, 1], [0, 2]), scores("t.tsv", [1, 1], [1, 1])]
    files = flags(table=tmp_path / "t.md", plot=tmp_path / "p.svg", over="prior", metrics=metrics)
    done = here("assess_zebra", "--scores", *paths, "--label", "s_1", "t", "--tags", tags, *files)
    assert done.returncode == 0, done.stderr
    written = json.loads(metrics.read_text())
    assert [values["tag"] for values in written.values()] == ["much", "little"]
    assert "s_1: tag much: a lot" in done.stdout
    assert "| little | much " in (tmp_path / "t.md").read_text()
    picture = (tmp_path / "p.svg").read_text()
    assert ">s_1 (0.361, 0.301, much)</text>" in picture
    assert r"<!-- prior $\pi$ -->" in picture
    words = flags(train=paths[0], test=paths[1], tags=tags, metrics=metrics)
    succeeds("assess_calibration", *words)
    written = json.loads(metrics.read_text())
    assert (written["tag_train"], written["tag_test"]) == ("much", "little")


def test_a_train_file_without_test_file_is_refused(scores, tmp_path):
    path = scores("s.tsv", [1], [0])
    words = flags(train=[path, path], test=path, metrics=tmp_path / "m.json")
    fails_with(here("assess_calibration", *words), "--train")


def test_bad_scores_are_one_line_with_the_place(scores, tmp_path):
    files = ["--metrics", tmp_path / "m.json"]
    fails_with(
        here("assess_zebra", "--scores", tmp_path / "none.tsv", *files), "none.tsv: not found"
    )
    path = scores("s.tsv", [1, "x"], [0])
    fails_with(here("assess_zebra", "--scores", path, *files), f"{path}:3: 'x' is not a number")
    fails_with(
        here("assess_zebra", "--scores", scores("t.tsv", [1], []), *files), "no nontarget trials"
    )
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "a"], "1 label for 2 inputs"),
        (["--label", "a", "a"], "'a' occurs twice"),
        (["--p-target", "1"], "p_target: 1.0 is not between 0 and 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(scores, tmp_path, arguments, message):
    paths = [scores("a.tsv", [1], [0]), scores("b.tsv", [1], [0])]
    files = ["--metrics", tmp_path / "m.json"]
    fails_with(here("assess_verification", "--scores", *paths, *arguments, *files), message)


def test_infinite_scores_cannot_train_the_linear_calibration(scores, tmp_path):
    train, test = scores("train.tsv", ["inf"], [0]), scores("test.tsv", [1], [0])
    done = here(
        "assess_calibration", "--train", train, "--test", test, "--metrics", tmp_path / "m.json"
    )
    fails_with(done, f"{train}: linear calibration cannot be trained on infinite scores")


def test_a_command_starts_without_what_it_does_not_need():
    code = "import sys; sys.path.insert(0, 'scripts'); import assess_zebra; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    heavy = {"torch", "matplotlib", "pandas", "numba", "yaml", "jinja2", "scipy.stats", "snakemake"}
    assert not heavy & set(loaded.split())


def test_scores_of_a_recording_with_itself_are_a_warning(tmp_path):
    path = tmp_path / "s.txt"
    path.write_text("a a 1 9\nb b 1 8\na c 1 2\na b 0 1\nb c 0 0\n")
    done = here("assess_zebra", "--scores", path, "--metrics", tmp_path / "m.json")
    assert done.returncode == 0
    assert f"warning: {path}: 2 trials compare a recording with itself, such as" in done.stderr
