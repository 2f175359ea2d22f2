"""Measures of utility: what an entry asks for, and which tables a run makes."""

import importlib.util
from pathlib import Path

import pytest

from voiceprivacy.plan.defaults import complete
from voiceprivacy.plan.measures import wrong_measures
from voiceprivacy.plan.named_files import unusable
from voiceprivacy.plan.plan import Plan

CORPUS = {"synthetic": {"speakers": 4, "utterances": 4}}
IEMOCAP = {"iemocap": {"root": "IEMOCAP"}}
OTHERS = {"synthetic": {"speakers": 9, "first_speaker": 4}, "use": "train"}
B2 = {"b2": {"command": "anonymise"}}
NETWORK = {"net": {"package": "resemblyzer"}}
COSINE = {"cosine": {"type": "cosine"}}
ATTACKED = {"extractors": NETWORK, "backends": COSINE}


def planned_whole(**config):
    config = {"corpora": {"demo": dict(CORPUS)}, "anonymisers": B2, **ATTACKED} | config
    return Plan(complete(config))


def planned(**config):
    return planned_whole(**config).utility


def test_measures_and_clips_are_made_of_the_trial_part():
    utility = planned(utility={"wer": {"command": "python wer.py {corpus}", "better": "lower"}})
    folder = "results/utility/demo/trial"
    tables = utility.measures("demo")
    assert f"{folder}/original/wer.tsv" in tables and f"{folder}/b2/wer.tsv" in tables
    assert utility.options()["wer"] == {"better": "lower"}
    assert utility.call("wer", "demo") == {"command": "python wer.py demo"}
    assert utility.modules("wer") == utility.transcripts("wer", "demo") == []
    assert planned().clips() == ["results/report/listen/demo.json"]
    assert planned(report={"listen": 0}).clips() == []


def test_every_run_measures_pitch_and_quality_unless_it_says_no():
    without = Plan(complete({"corpora": {"demo": dict(CORPUS)}})).utility
    assert without.entries == {} and without.not_measured() == {}, "nothing is protected"
    tables = planned().measures("demo")
    assert "results/utility/demo/trial/b2/pitch_correlation.tsv" in tables
    assert "results/utility/demo/trial/original/pitch_correlation.tsv" not in tables
    for section in ("utility", "report"):
        assert "pitch_correlation" not in planned(**{section: {"pitch_correlation": False}}).entries
    assert "results/utility/demo/trial/original/quality.tsv" in tables
    assert planned().options()["quality"] == {"better": "higher", "utterances": 2, "sample": 10}
    assert planned().entries["quality"]["env"] == "torch"
    mine = planned(utility={"opinions": {"type": "quality", "utterances": 3}})
    assert "quality" not in mine.entries
    assert mine.options()["opinions"] == {"better": "higher", "utterances": 3}
    silent = planned(utility={"quality": False})
    assert not [path for path in silent.measures("demo") if path.endswith("/quality.tsv")]


@pytest.mark.parametrize("package", ["onnx", "onnxruntime", "speechmos", "pystoi"])
def test_quality_is_measured_where_its_packages_are(monkeypatch, package):
    find = importlib.util.find_spec
    spec = {package: None}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec.get(name, find(name)))
    assert "quality" not in planned().entries
    assert package in planned().not_measured()["quality"]
    for asked in ({"quality": {"type": "quality"}}, {"mos": {"type": "quality"}}):
        assert planned(utility=asked).entries.keys() >= asked.keys()  # as asked for
        assert planned(utility=asked).not_measured() == {}
    assert planned(utility={"quality": False}).not_measured() == {}


def test_what_compares_frames_is_undefined_of_speech_whose_lengths_are_free():
    free = {"free": {"command": "read out", "lengths": "free"}}
    utility = planned(anonymisers=B2 | free)
    undefined = {
        (measure, system): utility.call(measure, "demo", system).get("undefined")
        for measure in ("pitch_correlation", "quality", "words")
        for system in ("original", "b2", "free")
    }
    assert {key: value for key, value in undefined.items() if value} == {
        ("pitch_correlation", "free"): ["pitch_correlation"],
        ("quality", "free"): ["estoi"],
    }
    assert "pitch_correlation" in utility.together(), "one job still makes all tables"
    [(metrics, why)] = utility.not_measured().items()
    assert {*metrics.split(", ")} == {"pitch_correlation", "estoi"} and "free" in why


def test_one_job_makes_the_shipped_measures_of_an_anonymiser_with_its_options():
    assert planned().together() == ["pitch_correlation", "quality", "words"]
    assert planned(utility={"words": False}).together() == ["pitch_correlation", "quality"]
    assert "wer" not in planned(utility={"wer": {"command": "python wer.py"}}).together()
    uar = {"definition": "vpc2026", "labels": "{corpus}.tsv"}
    uar |= {"predictions": "{resources}/{corpus}_{anonymiser}.tsv"}
    call = planned(utility={"uar": {"type": "emotion", **uar}}).call("uar", "demo", "b2")
    filled_in = {"labels": "demo.tsv", "predictions": "{resources}/demo_b2.tsv"}
    assert call["options"] == uar | filled_in | {"name": "uar"}
    network = {"model": "name/of", "revision": "0123456", "definition": "vpc2024"}
    options = planned(utility={"wer": network}).call("wer", "demo")["options"]
    assert options["model"] == "results/listeners/wer" and "device" not in options


@pytest.mark.parametrize(
    "config",
    [
        {"corpora": {"demo": dict(CORPUS), "other": {**CORPUS, "language": "de"}}},
        {
            "corpora": {"demo": dict(CORPUS), "other": dict(CORPUS)},
            "utility": {"words": {"type": "closed_text", "corpora": ["demo"]}},
        },
        {"utility": {"words": {"type": "closed_text", "env": "corpora"}}},
    ],
)
def test_a_measure_of_some_corpora_or_with_an_environment_of_its_own_has_its_own_job(config):
    """A job knows what it writes by its corpus and anonymiser alone."""
    utility = planned(**config)
    assert utility.together() == ["pitch_correlation", "quality"]
    assert "results/utility/demo/trial/b2/words.tsv" in utility.measures("demo")


# Words: where somebody knows what is said.


def of_corpus(corpus, **config):
    return Plan(complete({"corpora": {"mine": corpus}, "anonymisers": B2, **config})).utility


@pytest.fixture
def folders(tmp_path, in_tmp_path):
    """A function that makes folders of corpora of each kind, with transcripts or without."""

    def make(*, text):
        for name in ("libri/dev/11/100", "one", "other", "vctk/txt" if text else "vctk"):
            (tmp_path / name).mkdir(parents=True)
        if text:
            (tmp_path / "libri/dev/11/100/11-100.trans.txt").write_text("11-100-0000 SO IT IS\n")
            (tmp_path / "one/text").write_text("u1 so it is\n")

    return make


LIBRI = {"root": "libri", "subsets": ["dev"]}
FOLDER = {"root": ".", "pattern": "{speaker}/{utterance}.wav"}


@pytest.mark.parametrize(
    "corpus",
    [
        {"librispeech": LIBRI},
        {"vctk": {"root": "vctk"}},
        {"kaldi": "one"},
        {"kaldi": {"directory": "one"}},
        {"kaldi": {"enrolment": "other", "trial": ["other", "one"]}},
        {"folder": FOLDER},
    ],
)
@pytest.mark.parametrize("text", [True, False])
def test_words_are_measured_where_transcripts_are_and_elsewhere_it_is_said(folders, corpus, text):
    folders(text=text)
    if text and "folder" in corpus:
        corpus = {"folder": FOLDER | {"transcripts": "said.tsv"}}
    utility = of_corpus(corpus)
    tables = {f"results/utility/mine/trial/{name}/words.tsv" for name in ("original", "b2")}
    assert tables & {*utility.measures("mine")} == (tables if text else set())
    why = utility.left_out("mine").get("words", "")
    assert utility.not_measured().get("words", "") == why
    assert why.startswith("no transcripts were given (") if not text else why == ""


def test_subsets_to_download_will_have_transcripts_and_a_subset_without_any_has_none(folders):
    folders(text=True)
    two = LIBRI | {"subsets": ["dev", "test-clean"]}
    assert "words" in of_corpus({"librispeech": two}).left_out("mine")
    downloaded = {"librispeech": two | {"download": True}}
    assert of_corpus(downloaded).left_out("mine") == {}
    Path("libri/test-clean").mkdir()
    assert "words" in of_corpus(downloaded).left_out("mine")


def test_words_are_left_out_of_pieces_other_languages_and_corpora_without_transcripts():
    assert "pieces" in of_corpus({**CORPUS, "segments": {"seconds": 2}}).left_out("mine")["words"]
    utility = planned(corpora={"demo": dict(CORPUS), "other": {**CORPUS, "language": "de"}})
    assert "results/utility/other/trial/b2/words.tsv" not in utility.measures("other")
    assert utility.left_out("demo") == {}
    why = utility.left_out("other")["words"]
    assert why.startswith("the language is de")
    assert utility.not_measured() == {"words": f"other: {why}"}


def test_words_are_the_runs_own_where_it_has_some_or_of_models_of_the_hub():
    assert "words" not in planned(utility={"words": False}).entries
    mine = planned(utility={"words": {"command": "python mine.py"}})
    assert mine.call("words", "demo") == {"command": "python mine.py"}
    assert mine.left_out("demo") == {}
    other_name = planned(utility={"heard": {"type": "closed_text", "utterances": 3}})
    assert "words" not in other_name.entries
    options = {"transcripts": "results/audio/demo/trial/original/transcripts.tsv"}
    assert other_name.call("heard", "demo") == {"type": "closed_text", "options": options}
    weighted = {"better": "lower", "weight": "closed_text_words"}
    assert other_name.options()["heard"] == weighted | {"utterances": 3}
    model = {"model": "Systran/faster-whisper", "revision": "ebe41f7"}
    entries = {"words": {"type": "whisper", **model}, "kept": {"type": "words_kept", **model}}
    speech = {"mine": {"folder": {"root": "speech", "pattern": "{speaker}/{utterance}.wav"}}}
    utility = planned(corpora=speech, utility=entries)
    assert list(utility.left_out("mine")) == ["words"]
    assert utility.kind_of_model("kept") == "whisper" and not utility.has_folder("kept")
    assert utility.call("kept", "mine")["options"]["model"] == "results/listeners/kept"


def test_whisper_hears_ten_minutes_of_every_system_in_the_language_of_the_corpus():
    entries = {"words": {"type": "whisper", "model": "base"}}
    entries["kept"] = {"type": "words_kept", "model": "mine", "minutes": "all"}
    utility = planned(corpora={"demo": {**CORPUS, "language": "de"}}, utility=entries)
    transcripts = "results/audio/demo/trial/original/transcripts.tsv"
    options = {"model": "base", "spoken": "de", "transcripts": transcripts}
    assert utility.call("words", "demo") == {"type": "whisper", "options": options}
    assert utility.call("kept", "demo")["options"] == {"model": "mine", "spoken": "de"}
    weighted = {"better": "lower", "weight": "whisper_words"}
    assert utility.options()["words"] == weighted | {"minutes": 10}
    assert utility.options()["kept"] == {"better": "lower", "weight": "words_kept_words"}
    assert utility.entries["words"]["env"] == "neural" and not utility.left_out("demo")
    assert [name for name in entries if utility.has_folder(name)] == ["kept"]


def test_a_folder_without_a_model_is_named_before_the_run(tmp_path):
    utility = {"kept": {"type": "words_kept", "model": str(tmp_path)}}
    plan = Plan(complete({"corpora": {"demo": dict(CORPUS)}, "utility": utility}))
    assert [path.path for path in unusable(plan.named)] == [f"{tmp_path}/hyperparams.yaml"]
    (tmp_path / "config.json").touch()
    assert not unusable(Plan(plan.config).named)


def test_voices_are_measured_of_embeddings_of_attackers_of_all_anonymisers():
    utility = planned()
    folder = "results/utility/demo/trial"
    tables = [path for path in utility.measures("demo") if path.endswith("/voice.tsv")]
    assert tables == [f"{folder}/original/voice.tsv", f"{folder}/b2/voice.tsv"]
    assert utility.embedded_by == {"demo": "net"} and utility.of_embeddings() == ["voice"]
    assert utility.options()["voice"] == {}  # the catalogue says it of each metric
    assert utility.not_measured() == {}
    # He is tried on his own anonymiser, and the others would have no table.
    trained = {"train": {"corpus": "others", "speech": "anonymised"}, "recipe": "ecapa_vpc2024"}
    config = {
        "corpora": {"demo": dict(CORPUS), "others": OTHERS},
        "anonymisers": B2 | {"b3": {"command": "other"}},
        "extractors": {"tuned": trained},
    }
    assert planned(**config).embedded_by == {}
    config["extractors"] |= NETWORK
    assert planned(**config).embedded_by == {"demo": "net"}


@pytest.mark.parametrize(
    "config",
    [
        {"extractors": {}, "backends": {}},  # nothing is attacked
        {"extractors": {"tune": {"f0": True}}, "backends": {"js": {"type": "jensen_shannon"}}},
        {"utility": {"voice": False}},
        {"utility": {"voice": {"command": "mine"}}},
    ],
)
def test_no_voices_are_measured_without_embeddings_or_where_the_config_says_no(config):
    utility = planned(**config)
    assert "demo" not in utility.embedded_by or utility.of_embeddings() == []
    own = config.get("utility", {}).get("voice")
    assert list(utility.not_measured()) == (["voice"] if own is None else [])
    tables = utility.measures("demo")
    assert tables and any(path.endswith("/voice.tsv") for path in tables) == bool(own)


@pytest.mark.parametrize(
    "spoken", [IEMOCAP, {"kaldi": "IEMOCAP_dev", "use": "utility"}, {**CORPUS, "use": "utility"}]
)
def test_a_corpus_for_utility_is_protected_and_measured_and_not_attacked(spoken):
    plan = planned_whole(corpora={"demo": dict(CORPUS), "emotions": spoken})
    assert plan.config["corpora"]["emotions"]["use"] == "utility"
    assert plan.speech.protocol("emotions") == {"no_trials": {}}
    assert {trials.corpus for trials in plan.speech.all_trial_lists()} == {"demo"}
    assert {attack.corpus for attack in plan.attackers.attacks()} == {"demo"}
    parts = [path for path in plan.speech.manifests() if "/emotions/" in path]
    assert parts == ["results/audio/emotions/trial/original/manifest.tsv"]
    utility = plan.utility
    names = {tuple(path.split("/")[4:]) for path in utility.measures("emotions")}
    assert {("original", "quality.tsv"), ("b2", "quality.tsv")} < names
    assert "voice.tsv" not in {name for _, name in names} and "voice" not in utility.not_measured()
    assert "results/metrics/utility/emotions.tsv" in utility.tables()
    assert not [path for path in utility.clips() if "emotions" in path]


def test_iemocap_with_a_protocol_is_attacked():
    for evaluated in ({"protocol": {"enrol_trial": {}}}, {"use": "evaluation"}):
        plan = planned_whole(corpora={"emotions": IEMOCAP | evaluated})
        assert [trials.trials for trials in plan.speech.all_trial_lists()] == ["f", "m"]


def test_a_measure_may_be_of_a_corpus_for_utility_and_of_none_for_training():
    corpora = {"emotions": {**CORPUS, "use": "utility"}, "others": OTHERS}
    utility = {"uar": {"command": "uar", "corpora": ["emotions", "others", "no"]}}
    config = complete({"corpora": corpora, "anonymisers": B2, "utility": utility})
    wrong = [problem for _, problem in wrong_measures(config)]
    assert len(wrong) == 2 and "'others'" in wrong[0] and "'no'" in wrong[1]
