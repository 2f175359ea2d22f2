"""What a config asks for, checked on a small one by hand."""

import pytest

from voiceprivacy import configuration, seeds
from voiceprivacy.plan import Attack, Plan

CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 3}},
        "others": {"synthetic": {"speakers": 4, "utterances": 3, "first_speaker": 4}, "use": "train"},
    },
    "anonymisers": {
        "b2r": {"command": "python b2r.py", "runs": 2},
        "team": {"audio": "submissions/{corpus}/{part}/{set}"},
    },
    "extractors": {"ecapa": {"model": "speechbrain/ecapa", "revision": "0123456789"}},
    "backends": {"cosine": {"type": "cosine"}, "plda": {"type": "plda", "train": {"corpus": "others"}}},
    "seed": 7,
}


@pytest.fixture
def plan():
    return Plan(configuration.check(CONFIG))


def test_a_second_run_is_a_system_of_its_own_but_not_compared(plan):
    assert plan.protected == ["b2r", "team", "b2r_run1"]
    assert plan.systems("ecapa", "cosine") == ["original", "b2r", "team"]


def test_every_attacker_is_tried_on_every_list(plan):
    assert plan.attacks() == [
        Attack("demo", trials, "ecapa", backend) for trials in ("f", "m") for backend in ("cosine", "plda")
    ]


def test_conditions_say_whose_speech_is_on_which_side(plan):
    assert plan.speech("oo", "original") == ("original", "original")
    assert plan.speech("op", "b2r") == ("original", "b2r")
    assert plan.speech("pp", "b2r") == ("b2r", "b2r")
    assert plan.speech("p0p1", "b2r") == ("b2r", "b2r_run1")
    assert plan.conditions("team") == ["op", "pp"]


def test_only_the_users_speech_is_protected_with_the_runs_own_seed(plan):
    drawn = [
        plan.anonymiser_seed(name, part) for name in ("b2r", "b2r_run1") for part in ("enrolment", "trial", "train")
    ]
    assert drawn[1] == 7
    assert len(set(drawn)) == len(drawn)
    assert drawn[0] == seeds.derive(7, "enrolment")


def test_an_attacker_who_holds_the_seed_draws_as_the_users(plan):
    same = Plan(configuration.check({**CONFIG, "attacker_draw": "same"}))
    assert {same.anonymiser_seed("b2r", part) for part in ("enrolment", "trial", "train")} == {7}
    assert same.anonymiser_seed("b2r_run1", "trial") != 7


def test_placeholders_of_an_audio_folder_are_filled_in(plan):
    call = plan.anonymiser_call("team", "demo", "trial")
    assert call == {"audio": ["submissions/demo/trial/demo"], "options": {}, "resample": False}


def test_original_is_assessed_once_under_each_attacker(plan):
    metrics = plan.metrics()
    assert len(metrics) == len(set(metrics)) == 4 * (3 + 5 + 4)
    assert "results/metrics/similarity/demo/f/original/ecapa/cosine.json" not in metrics
    assert "results/metrics/calibration/demo/f/b2r/ecapa/plda.json" in metrics


def test_only_trained_backends_have_a_file(plan):
    assert plan.backend_file("cosine", "ecapa") is None
    assert plan.backend_file("plda", "ecapa") == "results/backends/plda/ecapa.npz"


def test_the_set_is_the_kaldi_directory_where_a_part_has_one(tmp_path):
    for name in ("enrolls", "trials_f", "trials_m"):
        (tmp_path / name).mkdir()
    folders = {"enrolment": str(tmp_path / "enrolls"), "trial": [str(tmp_path / f"trials_{of}") for of in "fm"]}
    corpus = {"kaldi": folders, "protocol": {"given": {"f": str(tmp_path / "trials_f")}}}
    corpora = {"libri": corpus, "one": {"kaldi": str(tmp_path / "trials_m")}}
    plan = Plan(configuration.check({"corpora": corpora, "anonymisers": {"b3": {"audio": "data/{set}_sttts"}}}))
    assert plan.data_sets("libri", "enrolment") == ["enrolls"]
    assert plan.data_sets("one", "trial") == ["trials_m"]
    assert plan.anonymiser_call("b3", "libri", "trial")["audio"] == ["data/trials_f_sttts", "data/trials_m_sttts"]


def test_a_second_run_is_compared_with_the_first(plan):
    assert plan.first_run("b2r_run1") == "b2r"
    assert plan.first_run("b2r") is plan.first_run("team") is None
