"""What a config asks for about ranks, histograms and words: who compares what, on which systems."""

import pytest
from support.plans import CORPORA, ECAPA, pictures_of, voices

from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.verdict import score_files, verdict_plan
from voiceprivacy.vocabulary import Attack

SAMPLING = {"observations": 6, "test": [1, 2], "template": 1}


def config():
    return {
        "corpora": {
            "ranks": voices(4, 6, protocol={"rank_sampling": SAMPLING}),
            "others": voices(4, 3, first=4, use="train"),
        },
        "anonymisers": {"b2": {"command": "python b2.py"}},
        "extractors": {
            "ecapa": ECAPA,
            "pitch": {"f0": {}},
            "sounds": {"units": {"corpus": "others"}},
            "words": {"style": {}},
        },
        "backends": {"cosine": {"type": "cosine"}, "js": {"type": "jensen_shannon"}},
        "semi_informed": False,
    }


def completed(**changes):
    return Plan(configuration.check(config() | changes))


def test_every_combination_of_lengths_is_a_gallery_of_one_gender_or_of_both():
    plan = completed()
    expected = {f"{one}_t{test}_d1": (one, test, 1) for one in "fm" for test in (1, 2)}
    assert plan.speech.galleries("ranks") == expected
    assert plan.speech.trial_lists("ranks") == [] == plan.speech.all_trial_lists()
    assert plan.speech.galleries("others") == {}
    corpora = config()["corpora"]
    corpora["ranks"]["gender"] = "mixed"
    galleries = completed(corpora=corpora).speech.galleries("ranks")
    assert list(galleries) == ["mixed_t1_d1", "mixed_t2_d1"]


def test_galleries_have_ranks_only_of_what_a_backend_compares():
    plan = completed()
    assert "results/metrics/ranks/ranks/f_t2_d1/b2/pitch/js.json" in plan.outputs.metrics()
    assert {path.split("/")[2] for path in plan.outputs.metrics()} == {"ranks"}
    figures = pictures_of(plan)
    assert "results/report/figures/rank_lengths/ranks/f/pitch/js.svg" in figures
    assert "results/report/figures/rank_speakers/ranks/m_t1_d1/ecapa/cosine.svg" in figures
    assert len(set(figures)) == len(figures)
    files = plan.outputs.used_files()
    assert not [path for path in files if "pitch" in path or "words" in path], "no model's file"
    assert "results/samples/ranks/m_t2_d1.tsv" in files
    everything = {"type": "cosine", "extractors": [*config()["extractors"]]}
    backends = {"everything": everything, "one": {"type": "cosine", "extractors": ["words"]}}
    compared = {"everything": set(), "one": set()}
    for attack in completed(backends=backends).attackers.rank_attacks():
        compared[attack.backend].add(attack.extractor)
    assert compared == {"everything": config()["extractors"].keys(), "one": {"words"}}


SOUNDS = ("extractors", "sounds", "units", "encoder")


def test_units_of_an_encoder_depend_on_its_files(tmp_path):
    sounds = {"units": {"corpus": "others", "encoder": str(tmp_path)}}
    extractors = {"sounds": sounds, "mfcc": {"units": {"corpus": "others"}}}
    entries = defaults.complete(config() | {"extractors": extractors})

    def named():
        return [path.path for path in Plan(entries).named if path.keys == SOUNDS]

    files = ["hyperparams.yaml", "latent_extractor.ckpt", "latent_encoder.ckpt"]
    assert named() == [str(tmp_path), *(f"{tmp_path}/{name}" for name in files)]
    for name in ("config.json", "pytorch_model.bin"):  # of the Hugging Face hub
        (tmp_path / name).touch()
    files = ["config.json", "preprocessor_config.json", "pytorch_model.bin"]
    assert named() == [str(tmp_path), *(f"{tmp_path}/{name}" for name in files)]
    plan = Plan(entries)
    assert plan.attackers.encoder("mfcc") is None
    assert plan.sources.file("extractors", "mfcc") == []
    assert plan.sources.file("extractors", "sounds") == ["results/sources/extractors/sounds.sha256"]
    with pytest.raises(BadInput, match="nowhere: not found"):
        completed(extractors={"sounds": {"units": {"corpus": "others", "encoder": "nowhere"}}})


# Attackers of what is said and when: who compares them, on which systems, and from which files.

CONFIG = {
    "corpora": CORPORA,
    "anonymisers": {"b2": {"command": "python b2.py"}, "b3": {"command": "python b3.py"}},
    "extractors": {
        "ecapa": ECAPA,
        "said": {"words": {"corpus": "others"}},
        "plain": {"words": {}},
        "heard": {"words": {"recogniser": "base"}},
        "when": {"timing": {}},
    },
    "backends": {
        "cosine": {"type": "cosine"},
        "js": {"type": "jensen_shannon"},
        "plda": {"type": "plda", "train": {"corpus": "others", "speech": "anonymised"}},
    },
}


@pytest.fixture(scope="module")
def plan():
    return Plan(configuration.check(CONFIG))


def test_words_of_transcripts_are_tried_once_and_heard_ones_and_durations_on_every_system(plan):
    assert plan.attackers.systems("said", "cosine") == ["original"]
    assert plan.attackers.systems("heard", "cosine") == ["original", "b2", "b3"]
    assert plan.attackers.systems("when", "js") == ["original", "b2", "b3"]
    numbers = [path for path in plan.outputs.metrics() if "/said/" in path]
    intervals = plan.outputs.compared_intervals(Attack("demo", "f", "said", "cosine"))
    assert numbers and intervals
    assert all("/original/said/cosine" in path for path in (*numbers, *intervals))
    pictures = [layout for layout in plan.outputs.layouts() if layout.startswith("features/")]
    assert pictures == ["features/demo/when"], "only histograms have a picture of their mean"


def test_the_verdict_judges_what_is_said_apart_from_the_voice(plan):
    (judged,) = verdict_plan(plan)["sets"].values()
    assert judged["not_tried"] == ["other_encoders"], "words are tried, and one encoder"
    files = score_files(plan)
    for trials, own in judged["lists"].items():
        of_text = {name: [*systems] for name, systems in own["of_text"].items()}
        once, all_systems = ["original"], ["original", "b2", "b3"]
        assert of_text == {"said/cosine": once, "plain/cosine": once, "heard/cosine": all_systems}
        assert [*own["attackers"]["when/js"]] == [*own["attackers"]["ecapa/cosine"]] == all_systems
        of_b2 = f"results/scores/demo/{trials}/b2/heard/cosine"
        needed = [path for path in files if path.startswith(of_b2)]
        assert needed == [f"{of_b2}/{name}.tsv" for name in ("op", "pp", "rr")], "no known leaks"


def test_a_recogniser_needs_no_transcripts_and_a_folder_of_it_is_a_source(tmp_path):
    def heard_by(recogniser):
        return {"extractors": {"heard": {"words": {"recogniser": recogniser}}}}

    voiced = {"folder": {"root": str(tmp_path), "pattern": "{speaker}/{utterance}.wav"}}
    untold = CONFIG | {"corpora": CORPORA | {"demo": voiced}} | heard_by("base")
    assert not [one for one in configuration.problems(untold) if "transcripts" in one]
    with pytest.raises(configuration.BadInput, match=r"model\.bin: not found"):
        configuration.check(CONFIG | heard_by(str(tmp_path)))


def test_an_encoder_of_sentences_is_a_source(tmp_path):
    for name in ("config.json", "tokenizer.json", "pytorch_model.bin"):
        (tmp_path / name).touch()
    extractors = {"said": {"words": {"encoder": str(tmp_path)}}}
    plan = Plan(configuration.check(CONFIG | {"extractors": extractors}))
    assert plan.attackers.encoder("said") == str(tmp_path)
    named = {path.path for path in plan.named if path.keys[:2] == ("extractors", "said")}
    assert {str(tmp_path), f"{tmp_path}/tokenizer.json", f"{tmp_path}/pytorch_model.bin"} <= named
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(configuration.BadInput, match=r"tokenizer.json: not found"):
        configuration.check(CONFIG | {"extractors": extractors})
