"""Attackers who train on protected speech: an instance for every anonymiser, by hand."""

from itertools import product

import pytest
from support.plans import CORPORA, ECAPA, problems, voices

from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan, embedded
from voiceprivacy.plan.verdict import attack_lines, verdict_plan

LEARNING = {"corpus": "others", "speech": "anonymised"}
INFORMED = {
    "corpora": CORPORA,
    "anonymisers": {
        "b2r": {"command": "python b2r.py", "runs": 2},
        "team": {"command": "python team.py"},
    },
    "extractors": {
        "ecapa": ECAPA,
        "semi": {"train": LEARNING, "recipe": "ecapa_small", "start": "ecapa"},
        "later": {"train": LEARNING, "recipe": "ecapa_small", "start": "semi"},
    },
    "backends": {
        "cosine": {"type": "cosine"},
        "plda": {"type": "plda", "train": LEARNING, "extractors": ["ecapa", "semi"]},
    },
}
FEW = {
    "corpora": {"demo": voices(4, 4), "others": voices(4, 2, first=9, use="train")},
    "anonymisers": {"b2": {"command": "python b2.py"}},
}


def attackers_of(config=INFORMED, **sections):
    return Plan(configuration.check(config | sections)).attackers


def with_plda(**options):
    plda = INFORMED["backends"]["plda"] | options
    return attackers_of(backends=INFORMED["backends"] | {"plda": plda})


@pytest.fixture(scope="module")
def informed():
    return Plan(configuration.check(INFORMED))


def test_an_informed_attacker_is_trained_and_tried_on_one_anonymiser_of_those_named(informed):
    attackers = informed.attackers
    of_semi = ["semi_on_b2r", "semi_on_team", "later_on_b2r", "later_on_team"]
    assert list(attackers.extractors) == ["ecapa", *of_semi]
    assert list(attackers.backends) == ["cosine", "plda_on_b2r", "plda_on_team"]
    assert attackers.systems("semi_on_b2r", "cosine") == ["original", "b2r"]
    assert attackers.systems("ecapa", "plda_on_team") == ["original", "team"]
    assert attackers.systems("ecapa", "cosine") == ["original", "b2r", "team"]
    attackers = {(attack.extractor, attack.backend) for attack in informed.attackers.attacks()}
    assert ("semi_on_b2r", "plda_on_b2r") in attackers
    assert ("ecapa", "plda_on_team") in attackers
    assert ("semi_on_b2r", "plda_on_team") not in attackers
    assert ("later_on_b2r", "plda_on_b2r") not in attackers
    attackers = with_plda(train=LEARNING | {"anonymisers": ["team"]})
    assert list(attackers.backends) == ["cosine", "plda_on_team"]


def test_an_informed_attacker_learns_from_protected_and_where_wanted_unprotected_speech(informed):
    attackers, speech = informed.attackers, informed.speech
    manifest = attackers.training_manifest(attackers.extractors["semi_on_team"])
    assert manifest == "results/audio/others/train/team/manifest.tsv"
    embeddings = attackers.training_embeddings("plda_on_b2r", "semi_on_b2r")
    assert embeddings == ["results/embeddings/others/train/b2r/semi_on_b2r.npz"]
    for part, name in ((("others", "train"), "pseudo_manifest"), (("demo", "trial"), "manifest")):
        assert speech.anonymiser_manifest(*part).endswith(f"/{part[1]}/original/{name}.tsv")
    assert informed.attackers.original_embeddings("plda_on_team", "ecapa") is None
    expected = "results/embeddings/others/train/original/ecapa.npz"
    attackers = with_plda(unprotected=True)
    assert attackers.original_embeddings("plda_on_team", "ecapa") == expected
    attackers = with_plda(train={"corpus": "others", "speech": "original"})
    assert attackers.original_embeddings("plda", "ecapa") is None


def test_a_rotation_is_trained_on_the_same_utterances_protected_and_original():
    rotated = {"rotated": {"type": "procrustes", "train": LEARNING}}
    attackers = attackers_of(extractors={"ecapa": ECAPA}, backends=rotated)
    folder = "results/embeddings/others/train"
    backends = ["rotated_on_b2r", "rotated_on_team"]
    assert list(attackers.backends) == backends
    for backend, system in zip(backends, ("b2r", "team"), strict=True):
        assert attackers.training_embeddings(backend, "ecapa") == [f"{folder}/{system}/ecapa.npz"]
        assert attackers.original_embeddings(backend, "ecapa") == f"{folder}/original/ecapa.npz"
        assert attackers.systems("ecapa", backend) == ["original", system]


OF_OTHERS = {  # what each learns from, and what it is tried on besides unprotected speech
    "mix_without_b2r": (["original", "team", "nac"], ["b2r", "b2r_draw2", "b2r_draw3"]),
    "mix_without_team": (["original", "b2r", "nac"], ["team"]),
    "mix_without_nac": (["original", "b2r", "team"], ["nac"]),
}
ALL = ["b2r", "team", "nac", "noise", "b2r_draw2", "b2r_draw3"]


@pytest.mark.parametrize(
    ("train", "expected"),
    [
        ({"speech": ["original", "others"]}, OF_OTHERS),
        (
            {"speech": ["others", "team"], "anonymisers": ["team"]},
            {"mix_without_team": (["b2r", "nac"], ["team"])},
        ),
        ({"speech": ["nac", "noise"]}, {"mix": (["nac", "noise"], ALL)}),
    ],
)
def test_who_learns_from_other_systems_is_not_semi_informed(train, expected):
    noise = {"command": "x", "control": True}
    sections = with_draws(nac={"command": "x"}, noise=noise) | {"semi_informed": False}
    backends = {"mix": {"type": "plda", "train": {"corpus": "others"} | train}}
    sections |= {"extractors": {"ecapa": ECAPA}, "backends": backends}
    plan = Plan(configuration.check(sections))
    attackers, folder = plan.attackers, "results/embeddings/others/train"
    assert list(attackers.backends) == list(expected)
    learnt = set()
    for backend, (heard, tried) in expected.items():
        files = [f"{folder}/{system}/ecapa.npz" for system in heard]
        assert attackers.training_embeddings(backend, "ecapa") == files
        assert attackers.systems("ecapa", backend) == ["original", *tried]
        assert attackers.learnt("ecapa", backend) == []
        learnt |= {*heard}
    of_training = [system for _, part, system in embedded(plan, "ecapa") if part == "train"]
    assert {*of_training} == learnt
    assert {name for name in ALL if attackers.learnt_corpora(name)} == learnt - {"original"}
    assert attackers.fewest_utterances() == {"others": 1}
    assert verdict_plan(plan)["sets"]["demo"]["not_tried"][0] == "semi_informed"
    assert all("not semi-informed" in line for line in attack_lines(plan))


@pytest.mark.parametrize(
    ("name", "start"),
    [("semi_on_b2r", "ecapa"), ("later_on_team", "semi_on_team"), ("ecapa", None)],
)
def test_training_starts_from_an_extractor_its_own_instance_or_a_folder(informed, name, start):
    assert informed.attackers.start(name) == (start and f"results/models/{start}")
    assert informed.attackers.start_extractor(name) == start


# Draws.


def with_draws(**further):
    anonymisers = {**INFORMED["anonymisers"], **further}
    anonymisers["b2r"] = {**anonymisers["b2r"], "draws": 3}
    return {**INFORMED, "anonymisers": anonymisers}


def test_further_draws_have_seeds_and_names_of_their_own_and_all_are_attacked(informed):
    config = configuration.check(with_draws())
    assert config == defaults.complete(config)  # completed once more, it stays
    speech = Plan(config).speech
    draws = ["b2r", "b2r_draw2", "b2r_draw3"]
    assert speech.anonymisers.keys() == {*draws, "team"}
    assert speech.repeated == ["b2r"]
    drawn = product((*draws, "b2r_run1"), ("enrolment", "trial"))
    assert len({tuple(speech.names_of_seed(name, part)) for name, part in drawn}) == 8
    [problem] = problems(with_draws(b2r_draw2={"command": "python other.py"}))
    assert problem.endswith("is the name of a draw of b2r: take another name")
    attackers = attackers_of(with_draws())
    assert attackers.extractors.keys() == informed.attackers.extractors.keys()
    draws = ["original", "b2r", "b2r_draw2", "b2r_draw3"]
    assert attackers.systems("semi_on_b2r", "cosine") == draws
    assert attackers.systems("semi_on_team", "cosine") == ["original", "team"]


def test_what_learnt_is_judged_on_speakers_held_out(informed):
    learnt = informed.attackers.learnt
    assert learnt("ecapa", "cosine") == []
    of_network = "results/models/semi_on_b2r/held_out.json"
    assert learnt("semi_on_b2r", "cosine") == [of_network]
    folder = "results/backends/plda_on_b2r"
    assert learnt("ecapa", "plda_on_b2r") == [f"{folder}/ecapa.held_out.json"]
    both = [of_network, f"{folder}/semi_on_b2r.held_out.json"]
    assert learnt("semi_on_b2r", "plda_on_b2r") == both


def test_an_encoder_is_fetched_read_from_a_folder_or_that_of_the_start(tmp_path):
    wavlm = {"model": "microsoft/wavlm-large", "revision": "c1423ed"}
    train = {"train": LEARNING, "recipe": "ecapa_ssl"}
    for name in ("config.json", "preprocessor_config.json", "pytorch_model.bin"):
        (tmp_path / name).touch()
    extractors = {
        "hub": {**train, "encoder": wavlm},
        "mine": {**train, "encoder": str(tmp_path)},
        "tuned": {**train, "start": "hub"},
    }
    config = {**INFORMED, "backends": {"cosine": {"type": "cosine"}}}
    plan = Plan(configuration.check({**config, "extractors": extractors}))
    assert plan.attackers.fetched_encoders() == {"hub": wavlm}
    folders = {name: plan.attackers.training_encoder(f"{name}_on_team") for name in extractors}
    assert folders == {"hub": "results/encoders/hub", "mine": str(tmp_path), "tuned": None}
    named = [path.path for path in plan.named if path.keys == ("extractors", "mine", "encoder")]
    assert named[0] == str(tmp_path) and f"{tmp_path}/pytorch_model.bin" in named
    (tmp_path / "config.json").unlink()
    for encoder, words in (
        (str(tmp_path), r"config\.json: not found"),
        ("nowhere", "nowhere: not found"),
        ({**wavlm, "revision": "main"}, "encoder"),
    ):
        with pytest.raises(BadInput, match=words):
            configuration.check(config | {"extractors": {"mine": {**train, "encoder": encoder}}})


@pytest.mark.parametrize(
    ("backends", "fewest"),
    [
        ({"mine": {"type": "plda", "train": {"corpus": "others"}}}, {"others": 2}),
        ({"cosine": {"type": "cosine"}}, {"others": 1}),  # the one by default, of both kinds
        ({"turned": {"type": "procrustes", "train": LEARNING}}, {}),
    ],
)
def test_how_many_utterances_an_attacker_learns_from(backends, fewest):
    extractors = {"ecapa": {"command": "python e.py"}}
    default = "cosine" in backends
    few = attackers_of(FEW, extractors=extractors, backends=backends, semi_informed=default)
    assert few.fewest_utterances() == fewest


@pytest.mark.parametrize(
    ("plda", "least"),
    [
        ({}, [2, 128]),
        ({"lda_dim": 30}, [31, 128]),
        ({"lda_dim": 30, "shrinkage": 0.1}, [31, 0]),
        ({"unprotected": True}, [2, 64]),  # each utterance is learnt from twice
        ({"train": {"corpus": "others", "speech": ["original", "b2"]}}, [2, 64]),
        ({"extractors": ["mine"]}, [2, 0]),
    ],
)
def test_how_much_speech_plda_learns_from(plda, least):
    extractors = {"model": {"model": "{resources}/ecapa_small"}, "mine": {"command": "python e.py"}}
    backends = {"mine": {"type": "plda", "train": LEARNING, **plda}, "cosine": {"type": "cosine"}}
    attackers = attackers_of(FEW, extractors=extractors, backends=backends)
    assert attackers.least_speech() == {"others": least}
