"""What a config asks for about ranks: sampled galleries, histograms, who compares what."""

import pytest
from support.plans import ECAPA, pictures_of, voices

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan

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


def test_a_backend_may_name_what_it_compares():
    everything = {"type": "cosine", "extractors": [*config()["extractors"]]}
    backends = {"everything": everything, "one": {"type": "cosine", "extractors": ["words"]}}
    compared = {"everything": set(), "one": set()}
    for attack in completed(backends=backends).attackers.rank_attacks():
        compared[attack.backend].add(attack.extractor)
    assert compared == {"everything": config()["extractors"].keys(), "one": {"words"}}


def test_galleries_have_ranks_and_no_other_metric():
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
