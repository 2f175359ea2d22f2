"""The sets of a run that the verdict is made of."""

import pytest

from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.verdict import evidence_files, verdict_plan


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def planned(config):
    return verdict_plan(Plan(configuration.check(config)))


def scores(folder, *files):
    """Empty score files; the plan reads none of them."""
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("enrolment\ttrial\tlabel\tscore\n")
    return {"scores": f"{folder}/{{corpus}}/{{trials}}/{{anonymiser}}/{{condition}}.tsv"}


def test_what_is_on_some_lists_only_is_in_no_mean_and_is_told(tmp_path):
    given = scores(
        tmp_path / "asv",
        *("demo/f/original/oo.tsv", "demo/m/original/oo.tsv", "demo/f/b2/pp.tsv"),
        *("demo/m/b2/pp.tsv", "demo/m/b2/op.tsv", "demo/f/b3/pp.tsv"),
    )
    other = scores(tmp_path / "other", "demo/f/b2/pp.tsv")
    config = {"attacks": {"asv": given, "other": other}}
    own = planned(config)["sets"]["demo"]
    assert own["lists"] == [["demo", "f", 1.0], ["demo", "m", 1.0]]
    assert [(attack["extractor"], attack["systems"]) for attack in own["attacks"]] == [
        ("asv", ["b2", "original"])
    ]
    assert sorted(own["partly"]) == [
        ["asv", "given", "op", "b2"],
        ["asv", "given", "pp", "b3"],
        ["other", "given", "pp", "b2"],
    ]
    assert evidence_files(Plan(configuration.check(config))) == [
        f"results/evidence/demo/{trials}/{system}/asv/given.json"
        for trials in "fm"
        for system in ("b2", "original")
    ]


def test_speakers_that_are_known_from_labels_alone_are_told(tmp_path):
    given = scores(tmp_path / "asv", "demo/f/original/oo.tsv", "demo/f/b2/pp.tsv")
    [attack] = planned({"attacks": {"asv": given}})["sets"]["demo"]["attacks"]
    assert attack["inferred"]
    given["speakers"] = str(tmp_path / "speakers.tsv")
    (tmp_path / "speakers.tsv").write_text("id\tspeaker\n")
    [attack] = planned({"attacks": {"asv": given}})["sets"]["demo"]["attacks"]
    assert not attack["inferred"]


def corpora(*names):
    return {
        name: {"synthetic": {"speakers": 4, "utterances": 3, "first_speaker": 4 * number}}
        for number, name in enumerate(names)
    }


def test_an_average_with_the_name_of_a_corpus_is_another_set(tmp_path):
    """Else the corpus's lists would be added to the average."""
    config = {
        "corpora": corpora("demo", "other"),
        "anonymisers": {"b2r": {"command": "python b2r.py"}},
        "extractors": {"ecapa": {"model": "speechbrain/ecapa", "revision": "0123456789"}},
        "backends": {"cosine": {"type": "cosine"}},
        "report": {"averages": {"demo": {"other": {"f": 2}}}},
    }
    lists = {name: one["lists"] for name, one in planned(config)["sets"].items()}
    assert lists["average demo"] == [["other", "f", 2]]
    assert lists["demo"] == [["demo", "f", 1.0], ["demo", "m", 1.0]]
    assert list(lists) == ["average demo", "all lists", "demo", "other"]


def test_attackers_of_timing_are_told_from_those_of_voices(tmp_path):
    config = {
        "corpora": corpora("demo"),
        "anonymisers": {"b2r": {"command": "python b2r.py"}},
        "extractors": {
            "ecapa": {"model": "speechbrain/ecapa", "revision": "0123456789"},
            "pitch": {"f0": {}},
            "rhythm": {"style": {}},
        },
        "backends": {"cosine": {"type": "cosine"}, "histograms": {"type": "jensen_shannon"}},
    }
    attacks = planned(config)["sets"]["demo"]["attacks"]
    assert {attack["extractor"]: attack["of_voices"] for attack in attacks} == {
        "ecapa": True,
        "pitch": True,
        "rhythm": False,
    }


def test_what_a_known_encoder_learnt_from_is_told_and_whether_it_is_tried_on_it(tmp_path):
    subsets = ("test-other", "train-other-500")
    for subset in subsets:
        (tmp_path / subset).mkdir()
    corpora = {
        subset.replace("-", "_"): {
            "librispeech": {"root": str(tmp_path), "subsets": [subset]},
            "protocol": {"all_pairs": {}},
        }
        for subset in subsets
    }
    config = {"corpora": corpora, "extractors": {"resemblyzer": {"package": "resemblyzer"}}}
    sets = planned(config | {"backends": {"cosine": {"type": "cosine"}}})["sets"]
    for name, heard in (
        ("test_other", []),
        ("train_other_500", ["LibriSpeech train-other-500"]),
        ("all lists", ["LibriSpeech train-other-500"]),
    ):
        [attack] = sets[name]["attacks"]
        assert attack["heard"] == heard
        learnt = "LibriSpeech train-other-500, VoxCeleb 1, VoxCeleb 2"
        assert attack["training"] == {"extractor": {"corpus": learnt, "speech": "original"}}


def test_an_attacker_learns_from_a_submission_that_holds_protected_training_speech(tmp_path):
    config = {
        "corpora": corpora("demo", "others"),
        "anonymisers": {
            "team": {"audio": "team/{set}"},
            "parts": {"audio": "parts/{corpus}_{part}"},
            "lacking": {"audio": "lacking/{set}"},
            "hollow": {"audio": "hollow/{set}"},
            "flat": {"audio": "flat"},
            "b2": {"command": "python b2.py"},
        },
    }
    config["corpora"]["others"]["use"] = "train"
    there = ("team/demo", "team/others", "lacking/demo", "hollow/demo", "hollow/others", "flat")
    for folder in (*there, "parts/demo_enrolment", "parts/demo_trial", "parts/others_train"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("team/others", "parts/others_train", "flat"):
        (tmp_path / folder / "1.wav").touch()
    completed = configuration.check(config)
    assert completed["backends"]["semi"]["train"]["anonymisers"] == ["team", "parts", "b2"]
    attacks = verdict_plan(Plan(completed))["sets"]["demo"]["attacks"]
    learnt = {attack["backend"]: attack["training"].get("backend") for attack in attacks}
    assert learnt["semi_on_team"] == {"corpus": "others", "speech": "team and original"}
    untaught = verdict_plan(Plan(completed))["sets"]["demo"]["untaught"]
    assert untaught == {
        "lacking": "nothing is in lacking/others",
        "hollow": "nothing is in hollow/others",
        "flat": "its entry names one folder for all speech",
    }
    del config["anonymisers"]["b2"], config["anonymisers"]["team"], config["anonymisers"]["parts"]
    without = configuration.check(config)
    assert "semi" not in without["backends"]
    assert verdict_plan(Plan(without))["sets"]["demo"]["untaught"] == untaught
    for unasked in ({"semi_informed": False}, {"corpora": corpora("demo")}):
        assert planned(config | unasked)["sets"]["demo"]["untaught"] == {}


@pytest.mark.parametrize(
    "extractors",
    [
        {"ecapa_small": {"model": "{resources}/ecapa_small"}, "semi": {"start": "ecapa_small"}},
        {"semi": {"start": "{resources}/ecapa_small"}},
        {"semi": {"start": "first"}, "first": {"start": "{resources}/ecapa_small"}},
        {"semi": {"start": "semi"}},
        {"semi": {}},
    ],
)
def test_a_tuned_model_has_heard_what_its_start_learnt_from(tmp_path, extractors):
    (tmp_path / "train-clean-100").mkdir()
    training = {"train": {"corpus": "others", "speech": "anonymised"}, "recipe": "ecapa_small"}
    extractors = {
        name: options if "model" in options else training | options
        for name, options in extractors.items()
    }
    config = {
        "corpora": {
            "libri": {
                "librispeech": {"root": str(tmp_path), "subsets": ["train-clean-100"]},
                "protocol": {"all_pairs": {}},
            },
            "others": corpora("others")["others"] | {"use": "train"},
        },
        "anonymisers": {"b2": {"command": "python b2.py"}},
        "extractors": extractors,
        "backends": {"cosine": {"type": "cosine"}},
    }
    heard = {one["extractor"]: one["heard"] for one in planned(config)["sets"]["libri"]["attacks"]}
    is_known = any("resources" in str(options) for options in extractors.values())
    assert heard["semi_on_b2"] == (["LibriSpeech train-clean-100"] if is_known else [])
