"""One job for all scores or matrices of a system writes what the separate commands write."""

import itertools
import re

import numpy as np
import pytest
from support.calls import flags, refused, succeeds

from voiceprivacy.inout.enrolments import write_speakers
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import read_rows, write_table
from voiceprivacy.inout.trial_lists import SCORES
from voiceprivacy.privacy.rows import LawPoint

FAMILIES = ("verification", "zebra")


@pytest.fixture
def scores(tmp_path):
    """Score files of six speakers under oo, op and pp; paths by condition."""
    random = np.random.default_rng(3)
    speakers = [f"s{index}" for index in range(6)]
    trials = [(name, f"{name}_{index}") for name, index in itertools.product(speakers, range(3))]
    names = {name: name for name in speakers} | {trial: name for name, trial in trials}
    write_speakers(tmp_path / "speakers.tsv", names)
    paths = {}
    for condition, distance in (("oo", 3), ("op", 1), ("pp", 0.5)):
        rows = []
        for enrolment in speakers:
            for speaker, trial in trials:
                same = speaker == enrolment
                score = round(float(random.normal(distance * same)), 1)  # with ties
                rows.append((enrolment, trial, "target" if same else "nontarget", score))
        paths[condition] = tmp_path / f"{condition}.tsv"
        write_table(paths[condition], SCORES, rows)
    return paths


def written(folder, family):
    """Content of a metrics file and its siblings."""
    endings = (".json", ".intervals.json", ".bootstrap.npz")
    return [(folder / f"{family}{ending}").read_bytes() for ending in endings]


@pytest.mark.parametrize("conditions", [["oo"], ["op", "pp"]])
def test_both_families_are_those_of_the_separate_commands(scores, tmp_path, conditions):
    together, apart = tmp_path / "together", tmp_path / "apart"
    words = ["--scores", *(scores[name] for name in conditions), "--label", *conditions]
    words += flags(bootstrap=10, seed=2, speakers=tmp_path / "speakers.tsv")
    files = {family: together / f"{family}.json" for family in FAMILIES}
    succeeds("assess_scores", *words, *flags(**files, curves=together / "curves.tsv"))
    for family in FAMILIES:
        succeeds(f"assess_{family}", *words, "--metrics", apart / f"{family}.json")
        assert written(together, family) == written(apart, family)
    assert read_json(files["verification"])[conditions[0]]["min_dcf"] != 0.5
    words += flags(bootstrap=0)
    options = flags(**files, curves=together / "curves.tsv", p_target=0.5)
    succeeds("assess_scores", *words, *options)
    own = flags(metrics=apart / "verification.json", p_target=0.5)
    succeeds("assess_verification", *words, *own)
    assert read_json(files["verification"]) == read_json(apart / "verification.json")
    succeeds("assess_zebra", *words, *flags(metrics=apart / "z.json", curves=apart / "c.tsv"))
    assert (together / "curves.tsv").read_bytes() == (apart / "c.tsv").read_bytes()


def test_curves_of_the_law_are_of_all_attacks_and_need_no_map_of_speakers(scores, tmp_path):
    """Without a map, speakers are those that target trials join: the values stay the same."""
    files = {family: tmp_path / f"{family}.json" for family in FAMILIES}
    files |= {"curves": tmp_path / "curves.tsv", "law": tmp_path / "law.tsv"}
    words = ["--scores", scores["op"], scores["pp"], "--label", "op", "pp"]
    points, named = [], {"bootstrap": 20, "seed": 2, "speakers": tmp_path / "speakers.tsv"}
    for extra in ({"bootstrap": 0}, named):
        succeeds("assess_scores", *words, *flags(**files, **extra))
        rows = [row for _, row in read_rows(files["law"], ["label", *LawPoint._fields])]
        points.append({tuple(row.values())[:5]: row for row in rows})
    unknown, known = points
    assert {label for label, *_ in unknown} == {"op", "pp"}
    linked = [key for key in unknown if key[2] == "linkability" and key[4] == "1"]
    assert {n_speakers for *_, n_speakers, _ in linked} == {"2", "5"}
    for key in linked:
        assert float(known[key]["value"]) == pytest.approx(float(unknown[key]["value"]))
    assert {row["ci_low"] for row in unknown.values()} == {"-"}
    assert {row["ci_low"] for row in known.values()} != {"-"}


def test_without_speakers_there_are_numbers_and_no_intervals(scores, tmp_path):
    files = {family: tmp_path / f"{family}.json" for family in FAMILIES}
    words = ["--scores", scores["op"], "--label", "op"]
    succeeds("assess_scores", *words, *flags(**files, curves=tmp_path / "curves.tsv"))
    assert all(path.exists() for path in files.values())
    assert not list(tmp_path.glob("*.intervals.json")) and not list(tmp_path.glob("*.npz"))


@pytest.mark.parametrize(("label", "option"), [("rr", "release"), ("op", "trials")])
def test_scores_of_every_condition_are_compared_with_their_list(scores, tmp_path, label, option):
    rows = [list(row.values()) for _, row in read_rows(scores["op"], SCORES)]
    write_table(tmp_path / "list.tsv", SCORES[:3], [row[:3] for row in rows])
    path = tmp_path / f"{label}.tsv"
    files = {family: tmp_path / f"{family}.json" for family in (*FAMILIES, "curves")}
    words = flags(scores=path, label=label, bootstrap=0, **files)
    words += flags(**{option: tmp_path / "list.tsv"})
    write_table(path, SCORES, rows)
    succeeds("assess_scores", *words)
    write_table(path, SCORES, rows[:-1])
    reason = rf"{label}\.tsv: no score for trial 's5 s5_2' of \S+list.tsv:109"
    assert re.search(reason, refused("assess_scores", *words))
