"""Attackers of what is said and when: who compares them, on which systems, and from which files."""

import pytest
from support.plans import CORPORA, ECAPA

from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.verdict import score_files, verdict_plan
from voiceprivacy.vocabulary import Attack

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
