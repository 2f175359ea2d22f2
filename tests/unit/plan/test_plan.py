"""What a config asks for, checked on a small one by hand."""

from itertools import product

import pytest
from support.installed import install
from support.plans import CORPORA, ECAPA, pictures_of, voices

from voiceprivacy import seeds
from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.outputs import PICTURES, TABLES
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.scores_given import given_scores
from voiceprivacy.report.contents import contents_of
from voiceprivacy.vocabulary import Attack

CONFIG = {
    "corpora": CORPORA,
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
FORM = "{trials}/{anonymiser}/{condition}.tsv"


@pytest.fixture(autouse=True)
def submissions(tmp_path, in_tmp_path):
    """A working directory with the folders that CONFIG names."""
    for corpus, part in product(("demo", "other", "a"), ("enrolment", "trial")):
        (tmp_path / "submissions" / corpus / part / corpus).mkdir(parents=True)


def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def planned(**changes):
    return Plan(configuration.check(CONFIG | changes))


@pytest.fixture
def plan():
    return planned()


def test_what_speech_tells_of_people_is_one_job_for_each_network_unless_left_out(plan):
    """Whatever the back-ends, lists and systems: nobody compares embeddings there."""
    assert plan.outputs.inference() == {"ecapa": {"demo": {"ecapa": ["original", "b2r", "team"]}}}
    assert contents_of(plan).inference == ["results/metrics/inference/ecapa.tsv"]
    assert contents_of(planned(report={"inference": False})).inference == []


def test_extractors_of_one_entry_share_a_job_of_inference_and_histograms_have_none():
    train = {"corpus": "others", "speech": "anonymised"}
    semi = {"semi": {"train": train, "recipe": "xvector_small"}}
    extractors = {"ecapa": ECAPA, "pitch": {"f0": {}}} | semi
    backends = CONFIG["backends"] | {"shape": {"type": "jensen_shannon"}}
    anonymisers = {name: {"command": "python b2r.py"} for name in ("b2", "b2r")}
    plan = planned(extractors=extractors, backends=backends, anonymisers=anonymisers)
    on_each = {f"semi_on_{name}": ["original", name] for name in ("b2", "b2r")}
    on_all = {"ecapa": ["original", "b2", "b2r"]}
    assert plan.outputs.inference() == {"ecapa": {"demo": on_all}, "semi": {"demo": on_each}}


def test_a_second_run_is_a_system_of_its_own_that_serves_calibration(plan):
    assert plan.speech.protected == ["b2r", "team", "b2r_run1"]
    assert plan.attackers.systems("ecapa", "cosine") == ["original", "b2r", "team"]
    made = [*plan.outputs.metrics(), *pictures_of(plan)]
    of_b2r = [f"demo/{trials}/b2r/ecapa/{one}" for trials, one in product("fm", BACKENDS)]
    metrics = [f"results/metrics/calibration/{path}.json" for path in of_b2r]
    figures = [f"results/report/figures/calibration/{path}.svg" for path in of_b2r]
    assert [path for path in made if "/calibration/" in path] == [*metrics, *figures]


def test_every_attacker_is_tried_on_every_list_under_conditions_that_say_whose_speech(plan):
    attacks = [Attack("demo", trials, "ecapa", one) for trials, one in product("fm", BACKENDS)]
    assert plan.attackers.attacks() == attacks
    assert plan.speech.of_condition("oo", "original") == ("original", "original")
    assert plan.speech.of_condition("op", "b2r") == ("original", "b2r")
    assert plan.speech.of_condition("pp", "b2r") == ("b2r", "b2r")
    assert plan.speech.of_condition("p0p1", "b2r") == ("b2r", "b2r_run1")
    assert plan.speech.conditions("team") == ["op", "pp"]
    # Scoring a system takes the speech of its conditions only.
    spoken, original, second = plan.speech.spoken, {"original": "original"}, {"run1": "b2r_run1"}
    repeated, both = ["op", "pp", "p0p1"], original | {"run0": "b2r"}
    assert spoken("enrolment", "b2r", repeated) == both
    assert spoken("trial", "b2r", repeated) == both | second
    assert spoken("enrolment", "original", ["oo"]) == original
    assert spoken("enrolment", "b2r_run1", ["op"]) == original
    assert spoken("trial", "b2r_run1", ["op"]) == original | {"run0": "b2r_run1"}
    metrics = plan.outputs.metrics()
    assert len(metrics) == len(set(metrics)) == 4 * (3 + 6 + 5)
    assert "results/metrics/similarity/demo/f/original/ecapa/cosine.json" not in metrics
    assert "results/metrics/calibration/demo/f/b2r/ecapa/plda.json" in metrics


def test_speech_is_compared_where_a_run_has_it_and_none_is_protected_for_that(plan):
    compared = plan.speech.compared_manifests("demo")
    both = product(("original", "b2r", "team"), ("enrolment", "trial"))
    attacked = {(name, part) for name, part in both} | {("b2r_run1", "trial")}
    assert len(compared) == len(set(compared))
    assert set(compared) == {plan.speech.layout.speech("demo", part, one) for one, part in attacked}
    assert all("/original/" in path for path in compared[:2])


def test_only_the_users_speech_is_protected_with_the_runs_own_seed_unless_it_is_known(plan):
    parts = ("enrolment", "trial", "train")
    calls = product(("b2r", "b2r_run1"), parts)
    drawn = [plan.speech.anonymiser_seed(name, part) for name, part in calls]
    assert len(set(drawn)) == len(drawn)
    assert drawn[:2] == [seeds.derive(7, "enrolment"), 7]
    speech = planned(attacker_draw="same").speech
    assert {speech.anonymiser_seed("b2r", part) for part in parts} == {7}
    assert speech.anonymiser_seed("b2r_run1", "trial") != 7


def test_placeholders_are_filled_in_and_packages_of_ours_have_a_version(
    plan, tmp_path, monkeypatch
):
    call = plan.speech.anonymiser_call("team", "demo", "trial")
    assert call["audio"] == ["submissions/demo/trial/demo"]
    assert call["options"] == {} and not call["resample"] and not call["sandbox"]
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "mine", "", version="1.3", offers="mine = mine:change")
    packed = {"mine": {"package": "mine"}, "other": {"package": "there", "env": "speechbrain"}}
    speech = planned(anonymisers=packed).speech
    call = speech.anonymiser_call("mine", "demo", "trial")
    assert call["package"] == "mine"
    assert call["version"].startswith("mine 1.3 (")
    # What another environment holds is not known before it is made.
    assert "version" not in speech.anonymiser_call("other", "demo", "trial")


def test_the_set_is_the_kaldi_directory_where_a_part_has_one(tmp_path):
    for name in ("enrolls", "trials_f", "trials_m"):
        (tmp_path / name).mkdir()
    kaldi = {"enrolment": "enrolls", "trial": ["trials_f", "trials_m"]}
    libri = {"kaldi": kaldi, "protocol": {"given": {"f": "trials_f"}}}
    config = {
        "corpora": {"libri": libri, "one": {"kaldi": "trials_m"}},
        "anonymisers": {"b3": {"audio": "data/{set}_sttts"}},
        "extractors": {},  # nobody attacks, so no file is needed
    }
    speech = Plan(configuration.check(config)).speech
    assert speech.data_sets("libri", "enrolment") == ["enrolls"]
    assert speech.data_sets("one", "trial") == ["trials_m"]
    both = ["data/trials_f_sttts", "data/trials_m_sttts"]
    assert speech.anonymiser_call("b3", "libri", "trial")["audio"] == both


def test_extraction_is_a_model_with_switches_a_command_or_a_file():
    extractors = {
        "model": {"model": "{resources}/recipes", "vad": True, "device": "cuda"},
        "mine": {"command": "python mine.py"},
        "ready": {"embeddings": "e/{corpus}/{part}/{anonymiser}.npz"},
    }
    attackers = Plan(defaults.complete({**CONFIG, "extractors": extractors})).attackers
    words = {name: attackers.extraction(name, "demo", "trial", "b2r") for name in extractors}
    flag, folder, *switches = words["model"]
    assert flag == "--model" and folder.endswith("workflow/resources/recipes")
    assert switches == ["--device", "cuda", "--vad"]
    assert words["mine"] == ["--command", "python mine.py"]
    assert words["ready"] == ["--ready", "e/demo/trial/b2r.npz"]
    assert attackers.model_files("mine") == []


def test_given_scores_are_found_by_their_names_which_are_split_in_one_way(tmp_path):
    for name in ("original/oo", "b2/op", "b2/pp", "b2_run1/op", "other/xx"):
        touch(tmp_path / "demo" / "f" / f"{name}.tsv")
    attacks = {"team7": {"scores": f"{tmp_path}/{{corpus}}/{FORM}"}}
    given = Plan(configuration.check({"attacks": attacks})).given
    (attack,) = given.attacks()
    assert attack == Attack("demo", "f", "team7", "given")
    assert given.systems(attack) == {"b2": ["op", "pp"], "original": ["oo"]}
    assert given.calibrated(attack) == ["b2"]
    assert given.file("team7", "demo", "f", "b2", "op") == f"{tmp_path}/demo/f/b2/op.tsv"
    assert "results/metrics/calibration/demo/f/b2/team7/given.json" in given.metrics()
    assert len(given.metrics()) == 2 + 2 + 1
    touch(tmp_path / "libri_test_f_b2_op.tsv")
    with pytest.raises(BadInput, match="libri_test f b2 op or of libri test f_b2 op"):
        given_scores("{corpus}_{trials}_{anonymiser}_{condition}.tsv")


@pytest.mark.parametrize(
    ("file", "name", "template"),
    [
        ("f/B2/op.tsv", "B2", FORM),
        ("f/my-b2/op.tsv", "my-b2", FORM),
        ("f/b2/PP.tsv", "PP", FORM),
        ("demo_enrolls_my-b2-demo_trials_f_my-b2/scores", "my-b2", "."),
    ],
)
def test_given_scores_of_what_has_no_name_are_refused_and_not_left_out(
    file, name, template, tmp_path
):
    touch(tmp_path / "f" / "b2" / "op.tsv")
    touch(tmp_path / file)
    with pytest.raises(configuration.WrongConfig, match=rf"{file}: '{name}' is no name"):
        configuration.check({"attacks": {"team7": {"scores": template}}})


def test_limit_and_segments_belong_to_the_source_and_downloads_are_asked_for(plan):
    corpus = voices(4, 3, first=0, segments={"seconds": 1}, limit={"speakers": 2})
    options = {"root": "/no/where", "subsets": ["test-clean", "dev-clean"], "download": True}
    corpora = {"a": corpus, "libri": {"librispeech": options}}
    speech = Plan(configuration.check({"corpora": corpora})).speech
    assert speech.source("a") == corpus | {"pipes": False, "on_bad_audio": "stop"}
    tables = [f"results/downloads/libri/{subset}.tsv" for subset in options["subsets"]]
    assert speech.downloads("libri") == tables and plan.speech.downloads("demo") == []


def test_all_pairs_have_no_gallery_and_no_ranks():
    plan = planned(corpora=CORPORA | {"demo": voices(4, 3, protocol={"all_pairs": {}})})
    assert plan.speech.trial_lists("demo") == ["f", "m"]
    assert not any("/ranks/" in path for path in (*plan.outputs.metrics(), *pictures_of(plan)))
    assert any("/similarity/" in path for path in plan.outputs.metrics())


def test_every_number_of_an_attack_has_intervals_and_pictures_unless_switched_off(plan):
    intervals = [path.replace(".json", ".intervals.json") for path in plan.outputs.metrics()]
    assert plan.outputs.intervals() == intervals
    off = planned(report={"bootstrap": 0})
    assert (off.n_replicates, off.outputs.intervals(), off.outputs.comparisons()) == (0, [], [])
    assert off.outputs.compared_strongest() == {}
    files = plan.outputs.papers()
    svgs = [file for file in files if file.endswith(".svg") and "/demo/" in file]
    assert len(svgs) == 2 * len(BACKENDS) * len(PICTURES)
    assert "results/paper/det/demo/f/ecapa/cosine.pdf" in files
    tables = [file for file in files if file.endswith(".tex")]
    assert tables == [f"results/paper/tables/{table}.tex" for table in TABLES]


def test_anonymisers_are_compared_on_every_list_and_on_the_mean(plan):
    lists = product(("f", "m", "mean"), BACKENDS)
    expected = [f"results/comparisons/demo/{trials}/ecapa/{one}.tsv" for trials, one in lists]
    expected.append("results/comparisons/demo/mean/strongest.tsv")
    assert sorted(plan.outputs.comparisons()) == sorted(expected)
    mean = plan.outputs.compared_intervals(Attack("demo", "mean", "ecapa", "plda"))
    of_plda = [path for path in plan.outputs.intervals() if path.endswith("/plda.intervals.json")]
    assert sorted(mean) == sorted(of_plda)
    of_women = plan.outputs.compared_intervals(Attack("demo", "f", "ecapa", "plda"))
    assert len(of_women) == len(mean) / 2
    women = voices(4, 3, first=0, protocol={"enrol_trial": {"lists": ["f"]}})
    one = planned(corpora=CORPORA | {"demo": women})
    assert one.outputs.compared_lists("demo") == ["f"]


def test_anonymisers_are_compared_on_averages_over_corpora():
    other = voices(4, 3, first=8, protocol={"all_pairs": {}})
    averages = {"challenge": {"demo": {"f": 0.25, "m": 0.25}, "other": {"f": 0.5}}}
    of_two = CORPORA | {"other": other}
    plan = planned(corpora=of_two, report={"averages": averages})
    comparisons = {*plan.outputs.comparisons()}
    folders = [f"results/comparisons/over-corpora/{name}" for name in ("challenge", "all-lists")]
    means = [f"results/comparisons/{corpus}/mean" for corpus in ("demo", "other")]
    strongest = {f"{folder}/strongest.tsv" for folder in (*folders, *means)}
    assert {path for path in comparisons if path.endswith("strongest.tsv")} == strongest
    expected = {f"{folder}/ecapa/{one}.tsv" for folder, one in product(folders, BACKENDS)}
    assert {path for path in comparisons if "over-corpora" in path} - strongest == expected
    weights = {("demo", "f"): 0.25, ("demo", "m"): 0.25, ("other", "f"): 0.5}
    assert plan.averages.weights["challenge"] == weights
    average = Attack("over-corpora", "challenge", "ecapa", "plda")
    of_average = plan.outputs.compared_intervals(average)
    assert {tuple(path.split("/")[3:5]) for path in of_average} == weights.keys()
    assert all("/plda." in path for path in of_average)
    assert {*of_average} <= {*plan.outputs.intervals()}
    one = {"averages": {"both_lists": {"demo": {"f": 1, "m": 3}}}}
    weights = {"both_lists": {("demo", "f"): 1, ("demo", "m"): 3}}
    assert planned(report=one).averages.weights == weights
    assert planned().averages.weights == {}, "of one corpus there is none over corpora"
    wrong = {"averages": {"Over corpora": averages["challenge"]}}
    with pytest.raises(BadInput, match="Over corpora"):
        planned(corpora=of_two, report=wrong)


def test_the_strongest_attacks_are_compared_by_all_attackers_with_all_lists(tmp_path):
    """Scores of a team on one list are another mean; those on both are compared."""
    for team, lists in (("team7", "fm"), ("team8", "f")):
        for trials, system in product(lists, ("original/oo", "b2/pp")):
            touch(tmp_path / team / "demo" / trials / f"{system}.tsv")
    entries = {team: {"scores": f"{team}/{{corpus}}/{FORM}"} for team in ("team7", "team8")}
    outputs = Plan({**configuration.check(CONFIG), "attacks": entries}).outputs
    [(trial_list, attacks)] = outputs.compared_strongest().items()
    assert trial_list == ("demo", "mean")
    own = {("ecapa", backend) for backend in BACKENDS}
    assert {attack[2:] for attack in attacks} == {*own, ("team7", "given")}
    paths = outputs.strongest_intervals(*trial_list)
    assert {path.split("/")[2] for path in paths} == {"verification"}
    assert {path.split("/")[4] for path in paths} == {"f", "m"}
    assert not any("team8" in path for path in paths)


def test_given_scores_are_averaged_over_the_corpora_that_they_have(tmp_path):
    for name in ("a/original/oo", "a/b1/pp", "a/b2/pp", "b/original/oo", "b/b1/pp", "speakers"):
        touch(tmp_path / f"{name}.tsv")
    scores = "{corpus}/{anonymiser}/{condition}.tsv"
    attacks = {"team7": {"scores": scores, "speakers": "speakers.tsv"}}
    averages = {"mine": {"a": {"all": 1}, "b": {"all": 3}}}
    plan = Plan(configuration.check({"attacks": attacks, "report": {"averages": averages}}))
    lists = [("a", "all"), ("b", "all"), ("over-corpora", "all-lists"), ("over-corpora", "mine")]
    assert sorted(plan.outputs.compared_strongest()) == lists
    average, _ = plan.averages.attacks()
    assert average == Attack("over-corpora", "mine", "team7", "given")
    paths = plan.outputs.compared_intervals(average)
    assert {path.split("/")[5] for path in paths} == {"original", "b1"}, "b2 was not tried on b"
    assert {tuple(path.split("/")[3:5]) for path in paths} == {("a", "all"), ("b", "all")}


def test_the_mean_of_given_scores_is_of_systems_on_all_lists(tmp_path):
    for name in ("f/b1", "f/b2", "m/b2", "m/b3", "speakers"):
        touch(tmp_path / f"demo/{name}/op.tsv")
    theirs = {"scores": f"{{corpus}}/{FORM}", "speakers": "demo/speakers/op.tsv"}
    for mean in ({"b2"}, set()):
        given = Plan(configuration.check({"attacks": {"theirs": theirs}})).given
        of_mean = Attack("demo", "mean", "theirs", "given")
        assert {path.split("/")[-3] for path in given.compared_intervals(of_mean)} == mean
        assert (of_mean in given.compared()) == bool(mean)
        (tmp_path / "demo/f/b2/op.tsv").unlink(missing_ok=True)


def test_many_anonymisers_take_more_replicates_than_the_config_says(tmp_path):
    anonymisers = {f"a{number}": {"command": "a"} for number in range(9)}
    assert planned(anonymisers=anonymisers).n_replicates == 40 * 36
    assert planned(report={"bootstrap": 60}).n_replicates == 60
    for name in ("original/oo", "a0_run1/op", *(f"a{number}/op" for number in range(9))):
        touch(tmp_path / f"{name}.tsv")
    attacks = {"team7": {"scores": "{anonymiser}/{condition}.tsv"}}
    assert Plan(configuration.check({"attacks": attacks})).n_replicates == 40 * 36
