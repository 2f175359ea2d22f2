"""The parts of a plan alone: each is made of a few entries, without the other parts."""

from voiceprivacy.plan.attackers import Attackers, instances, training_corpora
from voiceprivacy.plan.given import Given
from voiceprivacy.plan.outputs import Averages, Outputs, replicates
from voiceprivacy.plan.sources import ScoreFile
from voiceprivacy.plan.speech import Gallery, Speech
from voiceprivacy.vocabulary import Attack, TrialList

DEMO = {"synthetic": {}, "use": "evaluation", "protocol": {"enrol_trial": {"lists": ["f", "m"]}}}
TRAIN = {"folder": {}, "use": "train"}
B2 = {"command": "b2", "runs": 2, "options": {}, "resample": False, "sandbox": False}
COSINE = {"type": "cosine"}
TEAM = {
    ScoreFile("demo", "f", "original", "oo"): "oo.tsv",
    ScoreFile("demo", "f", "b2", "op"): "op.tsv",
    ScoreFile("demo", "f", "b2_run1", "op"): "op1.tsv",
}


def demo(**parameters):
    return Speech({"demo": DEMO, "others": TRAIN}, {"b2": B2}, **parameters)


def ecapa(speech):
    extractors = instances({"ecapa": {"model": "m"}}, speech.anonymisers)
    return Attackers(extractors, instances({"cosine": COSINE}, speech.anonymisers), speech)


def test_speech_needs_two_sections():
    speech = demo()
    assert (speech.evaluated, speech.repeated) == (["demo"], ["b2"])
    assert speech.all_trial_lists() == [TrialList("demo", "f"), TrialList("demo", "m")]
    assert speech.kaldi_lists() == []
    assert speech.anonymiser_call("b2_run1", "demo", "trial")["command"] == "b2"


def test_scoring_a_system_takes_the_speech_of_its_conditions_only():
    speech = demo()
    repeated = ["op", "pp", "p0p1"]
    both = {"original": "original", "run0": "b2"}
    assert speech.spoken("enrolment", "b2", repeated) == both
    assert speech.spoken("trial", "b2", repeated) == {**both, "run1": "b2_run1"}
    assert speech.spoken("enrolment", "original", ["oo"]) == {"original": "original"}
    assert speech.spoken("enrolment", "b2_run1", ["op"]) == {"original": "original"}
    trial = {"original": "original", "run0": "b2_run1"}
    assert speech.spoken("trial", "b2_run1", ["op"]) == trial


def test_speech_reads_training_corpora_that_it_is_told():
    assert demo().manifests()[-1].startswith("results/audio/demo/trial/")
    manifests = demo(training=["others"]).manifests()
    assert manifests[-1] == "results/audio/others/train/original/manifest.tsv"


def test_a_gallery_says_what_it_holds():
    protocol = {"rank_sampling": {"lists": ["f"], "test": [1, 3], "template": 2}}
    speech = Speech({"a": DEMO | {"protocol": protocol}}, {})
    assert speech.galleries("a")["f_t3_d2"] == Gallery(gender="f", test=3, template=2)
    assert speech.all_galleries() == [TrialList("a", "f_t1_d2"), TrialList("a", "f_t3_d2")]


def test_an_entry_that_is_trained_on_protected_speech_is_one_for_each_anonymiser():
    semi = {"train": {"corpus": "others", "speech": "anonymised"}}
    named = instances({"semi": semi, "ecapa": {}}, ["b2", "b3"])
    assert list(named) == ["semi_on_b2", "semi_on_b3", "ecapa"]
    assert (named["semi_on_b3"]["on"], named["semi_on_b3"]["base"]) == ("b3", "semi")
    assert training_corpora(named, {"units": {"units": {"corpus": "more"}}}) == ["others", "more"]


def test_attackers_are_tried_on_the_lists_of_the_speech():
    attackers = ecapa(demo())
    assert attackers.attacks() == [Attack("demo", trials, "ecapa", "cosine") for trials in "fm"]
    assert attackers.systems("ecapa", "cosine") == ["original", "b2"]
    assert attackers.rank_attacks() == []


def test_given_scores_need_no_corpus():
    given = Given({"team": {}}, {"team": TEAM}, Speech({}, {}), n_replicates=10)
    (attack,) = given.attacks()
    assert given.systems(attack) == {"original": ["oo"], "b2": ["op"]}
    assert given.calibrated(attack) == ["b2"]
    assert given.speakers(attack) is None
    assert given.resampled() == [], "nobody says who speaks"


def test_given_scores_on_a_list_of_ours_have_intervals():
    given = Given({"team": {}}, {"team": TEAM}, demo(), n_replicates=10)
    assert given.speakers(given.attacks()[0]) == "results/trials/demo/f.speakers.tsv"
    assert given.resampled() == ["team"]
    assert len(given.intervals()) == 2 + 3
    assert Given({"team": {}}, {"team": TEAM}, demo()).resampled() == []


def test_lists_of_one_corpus_have_no_average_over_corpora():
    speech = demo()
    given = Given({}, {}, speech)
    averages = Averages({}, ecapa(speech), given)
    assert (averages.weights, averages.attacks()) == ({}, [])
    named = Averages({"both lists": {"demo": {"f": 1, "m": 3}}}, ecapa(speech), given)
    assert named.weights == {"both-lists": {("demo", "f"): 1, ("demo", "m"): 3}}
    assert named.attacks() == [Attack("over-corpora", "both-lists", "ecapa", "cosine")]


def test_outputs_are_paths_of_every_system_under_every_attack():
    speech = demo()
    attackers, given = ecapa(speech), Given({}, {}, speech)
    outputs = Outputs(
        speech,
        attackers,
        given,
        Averages({}, attackers, given),
        n_replicates=replicates(0, n_anonymisers=1),
    )
    assert len(outputs.metrics()) == 2 * (3 + 6)
    assert outputs.intervals() == outputs.comparisons() == []
    assert outputs.used_files()[0] == "results/trials/demo/f.tsv"


def test_pairs_of_anonymisers_take_replicates_unless_there_are_none():
    assert replicates(1000, n_anonymisers=2) == 1000
    assert replicates(1000, n_anonymisers=20) == 40 * 190
    assert replicates(0, n_anonymisers=20) == 0
