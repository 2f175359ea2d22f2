"""The commands assess_similarity and assess_ranks: what they write and print, and bad input."""

import itertools

import numpy as np
import pytest
from support.calls import flags, here, refused, succeeds

from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import SCORES
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.rows import ScoreMatrix


def assessed(command, folder, *words, **options):
    """The metrics that a command writes to m.json, and what it says."""
    said = succeeds(command, *words, *flags(**options), "--metrics", folder / "m.json")
    return read_json(folder / "m.json"), said


def voices(seed, *, spread, n_speakers=5, n_utterances=4):
    rng = np.random.default_rng(seed)
    speakers = np.repeat([f"s{index}" for index in range(n_speakers)], n_utterances)
    own = np.repeat(rng.standard_normal((n_speakers, 3)), n_utterances, axis=0)
    return speakers, own * spread + rng.standard_normal((len(speakers), 3))


def write(path, rows, columns, row_speakers, column_speakers):
    names = [f"{speaker}-{index}" for index, speaker in enumerate(row_speakers)]
    others = [f"{speaker}-{index}" for index, speaker in enumerate(column_speakers)]
    others = others if len(others) == len(names) else column_speakers.tolist()
    scores = -np.sum((rows[:, None] - columns) ** 2, axis=2)
    names, others = np.array(names), np.array(others)
    speakers = (row_speakers, column_speakers)
    write_matrix(path, ScoreMatrix(names, others, *speakers, scores, names, others))


@pytest.fixture
def folder(tmp_path):
    """OO, OP and PP of five speakers as pairs and as templates."""
    speakers, original = voices(1, spread=3)
    _, protected = voices(2, spread=2)
    for name, rows, columns in (
        ("oo", original, original),
        ("op", original, protected),
        ("pp", protected, protected),
    ):
        write(tmp_path / f"{name}.npz", rows, columns, speakers, speakers)
        templates = columns.reshape(5, 4, 3).mean(axis=1)
        write(tmp_path / f"templates_{name}.npz", rows, templates, speakers, speakers[::4])
    return tmp_path


def matrices(folder):
    return flags(**{name: folder / f"{name}.npz" for name in ("oo", "op", "pp")})


def table(path):
    header, *rows = path.read_text().splitlines()
    return header, [row.split("\t") for row in rows]


def test_assess_similarity_writes_metrics_curves_zoo_and_a_picture(folder):
    results = {"curves": folder / "c.tsv", "zoo": folder / "z.tsv", "plot": folder / "p.png"}
    metrics, output = assessed("assess_similarity", folder, *matrices(folder), **results)
    assert sorted(metrics) == ["deid_percent", "gvd_db", "oo", "op", "pp"]
    assert sorted(metrics["op"]) == ["ddiag", "ddiag_log_bit", "ddiag_signed"]
    assert metrics["deid_percent"] == pytest.approx(
        100 * (1 - metrics["op"]["ddiag"] / metrics["oo"]["ddiag"])
    )
    header, rows = table(folder / "c.tsv")
    assert header == "matrix\trow_speaker\tcolumn_speaker\tsimilarity"
    assert len(rows) == 3 * 5 * 5
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    assert "ddiag_signed" in output
    header, rows = table(folder / "z.tsv")
    assert header.split("\t")[:4] == ["label", "speaker", "n_target", "n_impostor"]
    assert [row[:4] for row in rows] == [
        [name, f"s{index}", "12", "64"]
        for name, index in itertools.product(("oo", "op", "pp"), range(5))
    ]


def test_assess_ranks_writes_speakers_examples_and_all_fits(folder):
    files = {"matrix": folder / "templates_op.npz", "speakers": folder / "s.tsv"}
    words = flags(**files, examples=folder / "e.tsv", label="op")
    metrics = assessed("assess_ranks", folder, *words, "--all-fits")[0]["op"]
    rows = table(folder / "s.tsv")[1]
    assert [row[:3] for row in rows] == [["op", f"s{index}", "4"] for index in range(5)]
    assert len({row[1] for row in table(folder / "e.tsv")[1]}) == 3
    names = "gallery_eer_percent kl_wms_bit speaker_max_disclosure_bit other_positive_percent"
    assert {*names.split()} <= metrics.keys()


def test_a_matrix_whose_protected_recordings_have_other_ids_gets_a_warning(folder):
    """A recording's pair with itself is left out by its id: under two ids it counts."""
    matrix = dict(np.load(folder / "op.npz"))
    for name in ("columns", "column_sources"):
        matrix[name] = np.char.add(matrix[name], ".anon")
    assert here("assess_similarity", *matrices(folder)).stderr == ""
    np.savez(folder / "op.npz", **matrix)
    done = here("assess_similarity", *matrices(folder))
    assert "op.npz: rows and columns share no recording" in done.stderr


def test_definition_and_pairs_change_the_numbers(folder):
    percents = set()
    for definition in ("geometric", "sigmoid_mean"):
        for pairs in ("all", "upper"):
            choice = {"definition": definition, "pairs": pairs}
            metrics, _ = assessed("assess_similarity", folder, *matrices(folder), **choice)
            percents.add(metrics["deid_percent"])
    assert len(percents) == 4


def test_of_a_whole_system_the_definitions_are_those_of_the_separate_commands(folder):
    utterances = [Utterance(name, name, "f", folder / "x.wav", 1.0) for name in ("s0", "s1")]
    write_manifest(folder / "m.tsv", utterances)
    trials = [("s0", "s0", "target", 1.0), ("s0", "s1", "nontarget", 0.0)]
    write_table(folder / "scores.tsv", SCORES, trials)
    files = ("similarity", "cells", "zoo", "speakers", "ranks")
    words = flags(manifest=folder / "m.tsv", **{name: folder / f"{name}.out" for name in files})
    words += ["--pairs", *matrices(folder)[1::2], "--scores", *[folder / "scores.tsv"] * 3]
    templates = flags(label="op", bootstrap=20)
    words += ["--templates", folder / "templates_op.npz", *templates]
    succeeds(
        "assess_matrices", *words, *flags(definition="sigmoid_mean", compared="upper", fit="cll")
    )
    options = flags(definition="sigmoid_mean", pairs="upper", bootstrap=20)
    said = [
        succeeds("assess_similarity", *matrices(folder), *options, *file)
        for file in ([], ["--metrics", folder / "s.json"])
    ]
    assert said[0] == said[1] and said[0].count("[") > 6, "intervals"
    assert (folder / "similarity.out").read_bytes() == (folder / "s.json").read_bytes()
    both = {"matrix": folder / "templates_op.npz", "fit": "cll", "speakers": folder / "r.tsv"}
    numbers = assessed("assess_ranks", folder, *templates, "--all-fits", **both)[0]["op"]
    assert (folder / "ranks.out").read_bytes() == (folder / "m.json").read_bytes()
    assert numbers["kl_bit"] == numbers["kl_cll_bit"] != numbers["kl_ll_bit"]


def test_a_fit_that_hangs_on_one_speaker_has_no_interval(folder):
    """cll: without the only speaker whose utterance has rank 1 there is nothing to fit."""
    scores = np.array([[3.0, 2, 1], [3, 2, 1], [3, 2, 1]])
    names = np.array(["a", "b", "c"])
    rows = np.array(["a1", "b1", "c1"])
    write_matrix(folder / "x.npz", ScoreMatrix(rows, names, names, names, scores, rows, names))
    assessed("assess_ranks", folder, matrix=folder / "x.npz", fit="cll", bootstrap=20)
    intervals = read_json(folder / "m.intervals.json")
    assert intervals["mean_disclosure_bit"]["n_replicates"] > 0
    assert intervals["model_mean_disclosure_bit"]["n_replicates"] == 0


def test_assess_ranks_takes_the_seconds_of_a_gallery_and_nothing_else(folder):
    words = flags(matrix=folder / "templates_op.npz", seconds=folder / "s.json")
    (folder / "s.json").write_text('{"mean_test_s": 6.5, "mean_template_s": 13.0}')
    metrics, output = assessed("assess_ranks", folder, *words)
    assert (metrics["mean_test_s"], metrics["mean_template_s"]) == (6.5, 13.0)
    assert "mean_template_s" in output
    for wrong in ('{"mean_test_s": 6.5}', '{"mean_test_s": "x", "mean_template_s": 1.0}', "[1]"):
        (folder / "s.json").write_text(wrong)
        assert "s.json: expected the numbers" in refused("assess_ranks", *words)


def test_assess_ranks_writes_labels_curves_and_a_picture(folder):
    files = [folder / f"templates_{name}.npz" for name in ("op", "pp")]
    words = flags(matrix=files, label=["op", "pp"], fit="ms")
    results = {"curves": folder / "c.tsv", "plot": folder / "p.svg"}
    metrics, output = assessed("assess_ranks", folder, *words, **results)
    assert list(metrics) == ["op", "pp"]
    header, rows = table(folder / "c.tsv")
    assert header == "label\trank\tp\tgamma"
    assert [row[:2] for row in rows] == [
        [label, str(rank)] for label, rank in itertools.product(("op", "pp"), range(1, 6))
    ]
    for column in (2, 3):
        assert sum(float(row[column]) for row in rows) == pytest.approx(2)
    assert "identification_rate_percent" in output
    assert "<svg" in (folder / "p.svg").read_text()


def test_assess_ranks_shows_galleries_of_different_size_beside_each_other(folder):
    """One has enough utterances a rank for a bias of the histogram, the other has not."""
    speakers, voice = voices(3, spread=3, n_speakers=2, n_utterances=10)
    templates = voice.reshape(2, 10, 3).mean(axis=1)
    write(folder / "small.npz", voice, templates, speakers, speakers[::10])
    files = [folder / "small.npz", folder / "templates_op.npz"]
    output = succeeds("assess_ranks", *flags(matrix=files, label=["small", "op"]))
    rows = {line.split()[0]: line.split()[1:] for line in output.splitlines()[1:]}
    assert rows["n_templates"] == ["2", "5"]
    assert rows["mean_disclosure_bias_bit"][1] == "-"


def test_the_headline_of_ranks_has_the_interval_of_what_it_shows(folder):
    """Twenty utterances are less than five a rank for five templates, and enough for four."""
    for n_templates, source in ((5, "model_mean_disclosure_bit"), (4, "mean_disclosure_bit")):
        speakers, original = voices(
            1, spread=1, n_speakers=n_templates, n_utterances=5 if n_templates == 4 else 4
        )
        templates = original.reshape(n_templates, -1, 3).mean(axis=1)
        write(folder / "few.npz", original, templates, speakers, np.unique(speakers))
        values, _ = assessed("assess_ranks", folder, matrix=folder / "few.npz", bootstrap=50)
        intervals = read_json(folder / "m.intervals.json")
        assert values["disclosure_bit"] == values[source]
        assert intervals["disclosure_bit"] == intervals[source]


SIMILARITY = "assess_similarity --op op.npz --pp pp.npz"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (f"{SIMILARITY} --oo flat.npz", "D_diag(OO) = 0"),
        (f"{SIMILARITY} --oo templates_oo.npz --pairs upper", "templates_oo.npz: pairs 'upper'"),
        (f"{SIMILARITY} --oo oo.npz --plot p.xyz", "p.xyz: cannot write"),
        ("assess_ranks --matrix stranger.npz", "stranger.npz: utterance 'zoe-0': its speaker"),
        ("assess_ranks --matrix pp.npz", "pp.npz: speaker 's0' has 4 templates"),
        ("assess_ranks --matrix last.npz --fit cll", "last.npz: the loss cll needs"),
    ],
)
def test_bad_input_is_refused_in_one_line(folder, words, message):
    speakers, original = voices(1, spread=3)
    write(folder / "flat.npz", 0 * original, 0 * original, speakers, speakers)
    write(folder / "stranger.npz", original[:1], original[::4], np.array(["zoe"]), speakers[::4])
    last = 0 * original[:1], np.array([[9.0, 0, 0], [0, 0, 0]])
    write(folder / "last.npz", *last, speakers[:1], speakers[:5:4])
    said = refused(*words.split(), "--metrics", "m.json", cwd=folder)
    assert message in said
    assert said.count("\n") == 1
    assert not (folder / "m.json").exists()
