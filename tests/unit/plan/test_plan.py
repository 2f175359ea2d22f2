"""What a config asks for, checked on a small one by hand."""

from itertools import product

import pytest
from support.installed import install
from support.plans import ECAPA, pictures_of, voices

from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import contents_of
from voiceprivacy.vocabulary import Attack

CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 3}},
        "others": voices(4, 3, first=4, use="train"),
    },
    "anonymisers": {
        "b2r": {"command": "python b2r.py", "runs": 2},
        "team": {"audio": "submissions/{corpus}/{part}/{set}"},
    },
    "extractors": {"ecapa": ECAPA},
    "backends": {
        "cosine": {"type": "cosine"},
        "plda": {"type": "plda", "train": {"corpus": "others"}},
    },
    "semi_informed": False,  # what is added by default: tests/unit/plan/test_configuration.py
    "seed": 7,
}

BACKENDS = list(CONFIG["backends"])


@pytest.fixture(autouse=True)
def submissions(tmp_path, monkeypatch):
    """A working directory with the folders that CONFIG names."""
    monkeypatch.chdir(tmp_path)
    for corpus, part in product(("demo", "other", "a"), ("enrolment", "trial")):
        (tmp_path / "submissions" / corpus / part / corpus).mkdir(parents=True)


@pytest.fixture
def plan():
    return Plan(configuration.check(CONFIG))


def test_what_speech_tells_of_people_is_one_job_for_each_network(plan):
    """Whatever the back-ends, lists and systems: nobody compares embeddings there."""
    systems = ["original", "b2r", "team"]
    assert plan.outputs.inference() == {"ecapa": {"demo": {"ecapa": systems}}}
    assert contents_of(plan).inference == ["results/metrics/inference/ecapa.tsv"]


def test_inference_can_be_left_out():
    config = configuration.check(CONFIG | {"report": {"inference": False}})
    assert contents_of(Plan(config)).inference == []


def test_extractors_of_one_entry_share_a_job_of_inference_and_histograms_have_none():
    train = {"corpus": "others", "speech": "anonymised"}
    extractors = CONFIG["extractors"] | {
        "semi": {"train": train, "recipe": "xvector_small"},
        "pitch": {"f0": {}},
    }
    backends = CONFIG["backends"] | {"shape": {"type": "jensen_shannon"}}
    anonymisers = {name: {"command": "python b2r.py"} for name in ("b2", "b2r")}
    changed = {"extractors": extractors, "backends": backends, "anonymisers": anonymisers}
    plan = Plan(configuration.check(CONFIG | changed))
    on_each = {f"semi_on_{name}": ["original", name] for name in ("b2", "b2r")}
    assert plan.outputs.inference() == {
        "ecapa": {"demo": {"ecapa": ["original", "b2", "b2r"]}},
        "semi": {"demo": on_each},
    }


def test_a_second_run_is_a_system_of_its_own_but_not_compared(plan):
    assert plan.speech.protected == ["b2r", "team", "b2r_run1"]
    assert plan.attackers.systems("ecapa", "cosine") == ["original", "b2r", "team"]


def test_every_attacker_is_tried_on_every_list(plan):
    assert plan.attackers.attacks() == [
        Attack("demo", trials, "ecapa", backend)
        for trials in ("f", "m")
        for backend in ("cosine", "plda")
    ]


def test_conditions_say_whose_speech_is_on_which_side(plan):
    assert plan.speech.of_condition("oo", "original") == ("original", "original")
    assert plan.speech.of_condition("op", "b2r") == ("original", "b2r")
    assert plan.speech.of_condition("pp", "b2r") == ("b2r", "b2r")
    assert plan.speech.of_condition("p0p1", "b2r") == ("b2r", "b2r_run1")
    assert plan.speech.conditions("team") == ["op", "pp"]


def test_only_the_users_speech_is_protected_with_the_runs_own_seed(plan):
    drawn = [
        plan.speech.anonymiser_seed(name, part)
        for name in ("b2r", "b2r_run1")
        for part in ("enrolment", "trial", "train")
    ]
    assert drawn[1] == 7
    assert len(set(drawn)) == len(drawn)
    assert drawn[0] == seeds.derive(7, "enrolment")


def test_an_attacker_who_holds_the_seed_draws_as_the_users(plan):
    same = Plan(configuration.check({**CONFIG, "attacker_draw": "same"}))
    assert {
        same.speech.anonymiser_seed("b2r", part) for part in ("enrolment", "trial", "train")
    } == {7}
    assert same.speech.anonymiser_seed("b2r_run1", "trial") != 7


def test_placeholders_of_an_audio_folder_are_filled_in(plan):
    call = plan.speech.anonymiser_call("team", "demo", "trial")
    assert call == {
        "audio": ["submissions/demo/trial/demo"],
        "options": {},
        "resample": False,
        "sandbox": False,
    }


def test_a_package_in_our_own_environment_is_called_with_its_version(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "mine", "", version="1.3", offers="mine = mine:change")
    packed = {"mine": {"package": "mine"}, "other": {"package": "there", "env": "speechbrain"}}
    planned = Plan(configuration.check({**CONFIG, "anonymisers": packed}))
    call = planned.speech.anonymiser_call("mine", "demo", "trial")
    assert call["package"] == "mine"
    assert call["version"].startswith("mine 1.3 (")
    # What another environment holds is not known before it is made.
    assert "version" not in planned.speech.anonymiser_call("other", "demo", "trial")


def test_original_is_assessed_once_under_each_attacker(plan):
    metrics = plan.outputs.metrics()
    assert len(metrics) == len(set(metrics)) == 4 * (3 + 6 + 5)
    assert "results/metrics/similarity/demo/f/original/ecapa/cosine.json" not in metrics
    assert "results/metrics/calibration/demo/f/b2r/ecapa/plda.json" in metrics


def test_the_set_is_the_kaldi_directory_where_a_part_has_one(tmp_path):
    for name in ("enrolls", "trials_f", "trials_m"):
        (tmp_path / name).mkdir()
    folders = {
        "enrolment": str(tmp_path / "enrolls"),
        "trial": [str(tmp_path / f"trials_{gender}") for gender in "fm"],
    }
    corpus = {"kaldi": folders, "protocol": {"given": {"f": str(tmp_path / "trials_f")}}}
    corpora = {"libri": corpus, "one": {"kaldi": str(tmp_path / "trials_m")}}
    plan = Plan(
        configuration.check(
            {
                "corpora": corpora,
                "anonymisers": {"b3": {"audio": "data/{set}_sttts"}},
                "extractors": {},  # nobody attacks, so no file is needed
            }
        )
    )
    assert plan.speech.data_sets("libri", "enrolment") == ["enrolls"]
    assert plan.speech.data_sets("one", "trial") == ["trials_m"]
    assert plan.speech.anonymiser_call("b3", "libri", "trial")["audio"] == [
        "data/trials_f_sttts",
        "data/trials_m_sttts",
    ]


def test_a_second_run_is_compared_with_the_first(plan):
    assert plan.speech.first_run("b2r_run1") == "b2r"
    assert plan.speech.first_run("b2r") is plan.speech.first_run("team") is None


def test_extraction_is_a_model_with_switches_a_command_or_a_file():
    extractors = {
        "model": {"model": "{resources}/recipes", "vad": True, "device": "cuda"},
        "mine": {"command": "python mine.py"},
        "ready": {"embeddings": "e/{corpus}/{part}/{anonymiser}.npz"},
    }
    plan = Plan(defaults.complete({**CONFIG, "extractors": extractors}))
    arguments = plan.attackers.extraction("model", "demo", "trial", "b2r")
    assert arguments[0] == "--model"
    assert arguments[1].endswith("workflow/resources/recipes")
    assert arguments[2:] == ["--device", "cuda", "--vad"]
    assert plan.attackers.extraction("mine", "demo", "trial", "b2r") == [
        "--command",
        "python mine.py",
    ]
    assert plan.attackers.extraction("ready", "demo", "trial", "b2r") == [
        "--ready",
        "e/demo/trial/b2r.npz",
    ]
    assert plan.attackers.model_files("mine") == []


def test_given_scores_are_found_by_their_names(tmp_path):
    names = ["original/oo", "b2/op", "b2/pp", "b2_run1/op", "other/xx", "Bad/op"]
    for name in names:
        path = tmp_path / "demo" / "f" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    template = f"{tmp_path}/{{corpus}}/{{trials}}/{{anonymiser}}/{{condition}}.tsv"
    plan = Plan(configuration.check({"attacks": {"team7": {"scores": template}}}))
    (attack,) = plan.given.attacks()
    assert attack == Attack("demo", "f", "team7", "given")
    assert plan.given.systems(attack) == {"b2": ["op", "pp"], "original": ["oo"]}
    assert plan.given.calibrated(attack) == ["b2"]
    assert plan.given.file("team7", "demo", "f", "b2", "op") == f"{tmp_path}/demo/f/b2/op.tsv"
    assert "results/metrics/calibration/demo/f/b2/team7/given.json" in plan.given.metrics()
    assert len(plan.given.metrics()) == 2 + 2 + 1


def test_limit_and_segments_belong_to_the_source(plan):
    corpus = {
        "synthetic": {"speakers": 4, "utterances": 3},
        "segments": {"seconds": 1},
        "limit": {"speakers": 2},
    }
    source = Plan(configuration.check({"corpora": {"a": corpus}})).speech.source("a")
    known = {"pipes": False, "on_bad_audio": "stop"}
    assert source == {
        **known,
        **corpus,
        "synthetic": {"speakers": 4, "utterances": 3, "first_speaker": 0},
    }


def test_subsets_are_downloaded_only_where_the_config_says_so():
    options = {"root": "/no/where", "subsets": ["test-clean", "dev-clean"], "download": True}
    plan = Plan(configuration.check({"corpora": {"a": {"librispeech": options}}}))
    assert plan.speech.downloads("a") == [
        f"results/downloads/a/{subset}.tsv" for subset in options["subsets"]
    ]
    assert Plan(configuration.check(CONFIG)).speech.downloads("demo") == []


def test_all_pairs_have_no_gallery_and_no_ranks():
    corpora = {"a": voices(4, 3, protocol={"all_pairs": {}})}
    plan = Plan(
        configuration.check(
            {**CONFIG, "corpora": corpora | {"others": CONFIG["corpora"]["others"]}}
        )
    )
    assert plan.speech.trial_lists("a") == ["f", "m"]
    assert not any("/ranks/" in path for path in (*plan.outputs.metrics(), *pictures_of(plan)))
    assert any("/similarity/" in path for path in plan.outputs.metrics())


def test_every_number_of_an_attack_has_intervals_unless_they_are_switched_off(plan):
    resampled = plan.outputs.metrics()
    assert plan.outputs.intervals() == [
        path.replace(".json", ".intervals.json") for path in resampled
    ]
    off = Plan(configuration.check({**CONFIG, "report": {"bootstrap": 0}}))
    assert (off.n_replicates, off.outputs.intervals(), off.outputs.comparisons()) == (0, [], [])


def test_anonymisers_are_compared_on_every_list_and_on_the_mean(plan):
    expected = {
        f"results/comparisons/demo/{trials}/ecapa/{backend}.tsv"
        for trials in ("f", "m", "mean")
        for backend in BACKENDS
    }
    expected.add("results/comparisons/demo/mean/strongest.tsv")
    assert set(plan.outputs.comparisons()) == expected and len(plan.outputs.comparisons()) == 7
    mean = plan.outputs.compared_intervals(Attack("demo", "mean", "ecapa", "plda"))
    assert sorted(mean) == sorted(
        path for path in plan.outputs.intervals() if path.endswith("/plda.intervals.json")
    )
    assert (
        len(plan.outputs.compared_intervals(Attack("demo", "f", "ecapa", "plda"))) == len(mean) / 2
    )
    one_list = {
        "demo": {**CONFIG["corpora"]["demo"], "protocol": {"enrol_trial": {"lists": ["f"]}}}
    }
    one = Plan(configuration.check({**CONFIG, "corpora": {**CONFIG["corpora"], **one_list}}))
    assert one.outputs.compared_lists("demo") == ["f"]


def test_anonymisers_are_compared_on_averages_over_corpora():
    other = voices(4, 3, first=8, protocol={"all_pairs": {}})
    averages = {"challenge": {"demo": {"f": 0.25, "m": 0.25}, "other": {"f": 0.5}}}
    of_two = {
        **CONFIG,
        "corpora": {**CONFIG["corpora"], "other": other},
        "report": {"averages": averages},
    }
    plan = Plan(configuration.check(of_two))
    expected = {
        f"results/comparisons/over-corpora/{average}/ecapa/{backend}.tsv"
        for average in ("challenge", "all-lists")
        for backend in BACKENDS
    }
    strongest = {path for path in plan.outputs.comparisons() if path.endswith("strongest.tsv")}
    assert strongest == {
        "results/comparisons/demo/mean/strongest.tsv",
        "results/comparisons/other/mean/strongest.tsv",
        "results/comparisons/over-corpora/challenge/strongest.tsv",
        "results/comparisons/over-corpora/all-lists/strongest.tsv",
    }
    assert {
        path for path in plan.outputs.comparisons() if "over-corpora" in path
    } - strongest == expected
    assert plan.averages.weights["challenge"] == {
        ("demo", "f"): 0.25,
        ("demo", "m"): 0.25,
        ("other", "f"): 0.5,
    }
    of_average = plan.outputs.compared_intervals(
        Attack("over-corpora", "challenge", "ecapa", "plda")
    )
    trial_lists = {tuple(path.split("/")[3:5]) for path in of_average}
    assert trial_lists == set(plan.averages.weights["challenge"]) and all(
        "/plda." in path for path in of_average
    )
    assert set(of_average) <= set(plan.outputs.intervals())
    with pytest.raises(BadInput, match="Over corpora"):
        configuration.check(
            {**of_two, "report": {"averages": {"Over corpora": averages["challenge"]}}}
        )


def test_the_strongest_attacks_are_compared_by_all_attackers_with_all_lists(tmp_path):
    """Scores of another team on one of the two lists are another mean, those on both are "
    "compared."""
    for team, lists in (("team7", "fm"), ("team8", "f")):
        for system, trials in product(("original", "b2"), lists):
            path = (
                tmp_path
                / team
                / "demo"
                / trials
                / system
                / ("oo.tsv" if system == "original" else "pp.tsv")
            )
            path.parent.mkdir(parents=True)
            path.write_text("")
    entries = {
        team: {
            "scores": f"{tmp_path}/{team}/{{corpus}}/{{trials}}/{{anonymiser}}/{{condition}}.tsv"
        }
        for team in ("team7", "team8")
    }
    plan = Plan({**configuration.check(CONFIG), "attacks": entries})
    [(trial_list, attacks)] = plan.outputs.compared_strongest().items()
    assert trial_list == ("demo", "mean")
    assert {attack[2:] for attack in attacks} == {
        *(("ecapa", backend) for backend in BACKENDS),
        ("team7", "given"),
    }
    paths = plan.outputs.strongest_intervals(*trial_list)
    assert {path.split("/")[2] for path in paths} == {"verification"}
    assert {path.split("/")[4] for path in paths} == {"f", "m"} and not any(
        "team8" in path for path in paths
    )
    assert (
        Plan(
            configuration.check({**CONFIG, "report": {"bootstrap": 0}})
        ).outputs.compared_strongest()
        == {}
    )


def test_given_scores_are_averaged_over_the_corpora_that_they_have(tmp_path):
    for corpus, systems in (("a", ("original", "b1", "b2")), ("b", ("original", "b1"))):
        for system in systems:
            path = tmp_path / corpus / system / ("oo.tsv" if system == "original" else "pp.tsv")
            path.parent.mkdir(parents=True)
            path.write_text("")
    attack = {
        "scores": f"{tmp_path}/{{corpus}}/{{anonymiser}}/{{condition}}.tsv",
        "speakers": "speakers.tsv",
    }
    plan = Plan({**configuration.check(CONFIG), "corpora": {}, "attacks": {"team7": attack}})
    assert plan.outputs.compared_strongest().keys() == {
        ("a", "all"),
        ("b", "all"),
        ("over-corpora", "all-lists"),
    }
    [average] = plan.averages.attacks()
    assert average == Attack("over-corpora", "all-lists", "team7", "given")
    paths = plan.outputs.compared_intervals(average)
    assert {path.split("/")[5] for path in paths} == {"original", "b1"}, "b2 was not tried on b"
    assert {tuple(path.split("/")[3:5]) for path in paths} == {("a", "all"), ("b", "all")}


def test_many_anonymisers_take_more_replicates_than_the_config_says():
    anonymisers = {f"a{number}": {"command": "a"} for number in range(9)}
    plan = Plan(configuration.check({**CONFIG, "anonymisers": anonymisers}))
    assert plan.n_replicates == 40 * 36
    assert Plan(configuration.check({**CONFIG, "report": {"bootstrap": 60}})).n_replicates == 60
