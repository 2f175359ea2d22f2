"""Attackers who train on protected speech; a model is made again only if somebody says so."""

import json
import os

import pytest
import yaml
from support import runs

PLAIN = "results/scores/tiny/all/original/plain/cosine/oo.tsv"
NOTHING = "Nothing to be done"
PLANTED = ("semi_on_b2/plda_on_b2", "plain/rotated_on_b2")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Scores of a plain and of an informed attacker on two anonymisers."""
    from support.models import small_recipe  # torch: seconds

    folder = tmp_path_factory.mktemp("attackers")
    runs.make_kaldi_directory(folder / "data" / "tiny")
    runs.make_kaldi_directory(folder / "data" / "train", prefix="t")
    small_recipe(folder / "recipe.yaml")
    training = {"corpus": "train", "speech": "anonymised"}
    runs.write_config(
        folder,
        corpora={"tiny": {"kaldi": "data/tiny"}, "train": {"kaldi": "data/train", "use": "train"}},
        anonymisers={"b2": {"command": runs.B2}, "b2r": {"command": runs.B2R}},
        extractors={
            "plain": {"train": {"corpus": "train"}, "recipe": "recipe.yaml"},
            "semi": {"train": training, "recipe": "recipe.yaml", "start": "plain"},
        },
        backends={
            "cosine": {"type": "cosine"},
            "plda": {
                "type": "plda",
                "train": training,
                "lda_dim": 2,
                "shrinkage": 0.1,
                "extractors": ["semi"],
            },
            "rotated": {"type": "procrustes", "train": training, "extractors": ["plain"]},
        },
        report={"bootstrap": 0},
    )
    attacks = [
        *(f"original/semi_on_{name}/cosine/oo" for name in ("b2", "b2r")),
        *(f"original/semi_on_{name}/plda_on_{name}/oo" for name in ("b2", "b2r")),
        *(f"b2/semi_on_b2/{backend}/pp" for backend in ("cosine", "plda_on_b2")),
        "original/plain/cosine/oo",
        *(f"b2/plain/{backend}/op" for backend in ("cosine", "rotated_on_b2")),
    ]
    leaks = [f"results/planted_leaks/tiny/{attacker}.json" for attacker in PLANTED]
    runs.finish(folder, *leaks, *(f"results/scores/tiny/all/{attack}.tsv" for attack in attacks))
    return folder


def test_every_training_utterance_is_protected_with_a_draw_of_its_own_and_learnt_under_its_speaker(
    run,
):
    train = run / "results" / "audio" / "train" / "train"
    pseudo, speakers, originals = (
        {row["utterance"]: row["speaker"] for row in runs.rows(train / f"{name}manifest.tsv")}
        for name in ("original/pseudo_", "b2r/", "original/")
    )
    assert len(set(pseudo.values())) == len(pseudo) == 25
    assert len({row["alpha"] for row in runs.rows(train / "b2r" / "manifest.alphas.tsv")}) == 25
    assert speakers == originals
    assert set(speakers.values()) == {"tanna", "tberta", "tclara", "tdavid", "temil"}


def test_a_rotation_is_learnt_from_both_kinds_of_training_speech(run):
    scores = {}
    for backend in ("cosine", "rotated_on_b2"):
        table = runs.rows(run / f"results/scores/tiny/all/b2/plain/{backend}/op.tsv")
        scores[backend] = [float(row["score"]) for row in table if row["label"] == "target"]
    log = run / "results/logs/train_backend/rotated_on_b2/plain.log"
    assert "from 25 utterances of 5 speakers" in log.read_text()
    assert scores["rotated_on_b2"] != scores["cosine"]


def test_a_leak_is_planted_for_back_ends_that_learn_from_protected_speech(run):
    plda, rotated = (
        json.loads((run / f"results/planted_leaks/tiny/{attacker}.json").read_text())
        for attacker in PLANTED
    )
    assert list(plda["lists"]) == ["all"] and not plda["reason"]
    assert rotated["lists"] == {} and "rotation" in rotated["reason"]


@pytest.mark.parametrize("backend", ["cosine", "plda_on_{}"])
def test_two_anonymisers_give_two_different_oo(run, backend):
    folder = run / "results" / "scores" / "tiny" / "all" / "original"
    one, other = (
        [
            row["score"]
            for row in runs.rows(folder / f"semi_on_{name}" / backend.format(name) / "oo.tsv")
        ]
        for name in ("b2", "b2r")
    )
    assert len(one) == len(other) and one != other


def test_a_trained_model_has_its_curve_and_leaves_no_checkpoints(run):
    models = run / "results" / "models"
    assert {path.name for path in models.iterdir()} == {"plain", "semi_on_b2", "semi_on_b2r"}
    assert len(runs.rows(models / "plain" / "training.tsv")) == 4


def again(run, config="config.yaml"):
    return runs.snakemake(run, PLAIN, "--cores", "2", "--configfile", run / config)


def planned(run, corpus, **options):
    """Jobs of each rule that scoring the plain attacker would run again, and corpora of each."""
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["corpora"][corpus] |= options
    (run / "other.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return runs.planned_jobs(run, PLAIN, by="corpus", config="other.yaml")


def test_other_evaluated_speech_trains_nothing_again(run):
    jobs = planned(run, "tiny", on_bad_audio="exclude")
    assert ("list_trials", "tiny") in jobs
    assert not {"train_extractor", "prepare_training_part"} & {rule for rule, _ in jobs}


def test_other_training_speech_asks_and_repeats_nothing_of_other_corpora(run):
    jobs = planned(run, "train", segments={"seconds": 0.5})
    assert {("validate_corpus", "train"), ("train_extractor", "")} <= jobs.keys()
    of_tiny = {rule for rule, corpus in jobs if corpus == "tiny"}
    assert not of_tiny & {"validate_corpus", "prepare_part", "list_trials", "anonymise_part"}
    assert again(run, config="other.yaml").returncode == 2


def test_an_edit_does_not_throw_a_model_away(run):
    before = runs.files_of(run)
    with runs.edited(run / "data" / "train" / "spk2gender", b"\n"):
        for _ in range(2):  # the refused run is forgotten
            refused = again(run)
            assert refused.returncode == 2
            (line,) = [line for line in refused.stderr.splitlines() if line.startswith("error: ")]
            assert "results/models/plain would be trained again" in line
            assert "results/sources/corpora/train.sha256" in line
            assert "--directory NEW" in line and "--remake" in line
            assert runs.files_of(run) == before
    assert NOTHING in again(run).stderr
    kept = {path: content for path, (_, content) in before.items()}
    assert {path: content for path, (_, content) in runs.files_of(run).items()} == kept


def test_a_training_that_is_asked_for_goes_on(run):
    """The last test: it makes the model again."""
    for path in (run / "data").rglob("*"):
        os.utime(path)
    assert NOTHING in again(run).stderr
    (run / "recipe.yaml").write_text((run / "recipe.yaml").read_text() + "\n# a note\n")
    words = ("--remake", PLAIN, "--cores", "2", "--configfile", "config.yaml")
    runs.succeeded(runs.voiceprivacy(run, "run", *words))
    assert NOTHING in again(run).stderr
