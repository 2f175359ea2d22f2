"""The config: what is filled in, how its file is read, and what validate says of it."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.calls import here
from support.plans import problems, voices

from voiceprivacy.config_schema import schema
from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.running import programs

SYNTHETIC = {"synthetic": {"speakers": 20, "utterances": 4}}


def validate(*paths):
    return here("validate", "--config", *paths)


def test_several_configs_are_checked_as_one_and_mistakes_named_where_they_stand(tmp_path):
    """Each alone lacks what the other has; a later one wins."""
    one, other = tmp_path / "corpora.yaml", tmp_path / "more.yaml"
    one.write_text("corpora:\n  a: {synthetic: {speakers: 1}}\n")
    correct = "seed: 1\ncorpora:\n  a: {synthetic: {speakers: 20, utterances: 4}}\n"
    other.write_text(f"{correct}extractors:\n  x: {{modell: y}}\n")
    checked = validate(one, other)
    assert checked.returncode == 2
    assert f"{other}:5: " in checked.stdout and "modell" in checked.stdout
    assert f"{one}:" not in checked.stdout
    other.write_text(correct)
    assert validate(one, other).returncode == 0
    assert validate(other, one).returncode == 2
    one.write_text("corpora:\n")
    assert f"{one}:1: is empty" in validate(one).stdout


def test_defaults_are_filled_in_and_absent_or_empty_sections_are_allowed():
    config = {"corpora": {"demo": SYNTHETIC}}
    checked = configuration.check(config)
    assert config == {"corpora": {"demo": {"synthetic": {"speakers": 20, "utterances": 4}}}}
    assert checked["corpora"]["demo"]["synthetic"]["first_speaker"] == 0
    assert checked["anonymisers"] == {}
    assert configuration.check({}) == configuration.check({"corpora": None, "report": None})


def test_lists_are_per_gender_unless_the_corpus_is_mixed_or_one_kaldi_directory(tmp_path):
    def protocol(**keys):
        return configuration.check({"corpora": {"a": keys}})["corpora"]["a"]["protocol"]

    mixed = SYNTHETIC | {"gender": "mixed"}
    assert protocol(**SYNTHETIC)["enrol_trial"]["lists"] == ["f", "m"]
    assert protocol(**mixed)["enrol_trial"]["lists"] == ["mixed"]
    for lists, completed in (({}, ["mixed"]), ({"lists": ["f"]}, ["f"])):
        assert protocol(**mixed, protocol={"all_pairs": lists})["all_pairs"]["lists"] == completed
    for kaldi in (str(tmp_path), {"directory": str(tmp_path), "root": "/"}):
        assert protocol(kaldi=kaldi) == {"given": {"all": str(tmp_path)}}


def test_controls_are_added_once_and_ones_own_entry_may_be_one_but_not_take_its_name():
    def controlled(controls=True, **anonymisers):
        config = {"anonymisers": anonymisers, "report": {"controls": controls}}
        checked = configuration.check(config)
        assert configuration.check(checked) == checked
        return checked["anonymisers"]

    b2 = {"b2": {"command": "b2"}}
    added = controlled(**b2)
    assert list(added) == ["b2", "copy", "reversed", "noise"] and added["noise"]["runs"] == 1
    for wanted in (False, [], ["leak_5"]):
        assert controlled(wanted) == {}
    assert list(controlled(["leak_5", "noise", "reversed"])) == ["reversed", "noise"]
    reversed_speech = {"function": "{resources}/plugins/reversed.py:anonymise", "shards": 2}
    added = controlled(reversed=reversed_speech, **b2)
    assert list(added) == ["reversed", "b2", "copy", "noise"] and added["reversed"]["shards"] == 2
    config = {"anonymisers": {"noise": {"command": "noise"}}, "report": {"controls": True}}
    [problem] = problems(config)
    assert problem.startswith("anonymisers.noise: is the name of a control")


def test_the_entries_that_are_commented_out_are_correct_ones():
    text = (Path(__file__).parents[3] / "config" / "anonymisers.yaml").read_text()
    entries = yaml.safe_load("\n".join(re.findall(r"^# (\w+: \{.*\})$", text, re.MULTILINE)))
    assert len(entries) == 15
    assert problems({"anonymisers": entries}) == [
        f"anonymisers.{name}.env: {Path(f'my_envs/{name}.yaml').absolute()}: not found"
        for name in ("knn_vc", "nac")
    ]


def test_a_config_keeps_the_names_of_variables_and_the_plan_has_the_paths(tmp_path, monkeypatch):
    """What programs are handed keeps the names there, too: values can be secrets."""
    monkeypatch.setenv("SPEECH", str(tmp_path))
    monkeypatch.setenv("TOKEN", "s3cret")
    (tmp_path / "dev").mkdir()
    config = {
        "corpora": {"a": {"librispeech": {"root": "${SPEECH}", "subsets": ["dev"]}}},
        "anonymisers": {"x": {"command": "a --b ${TOKEN}", "options": {"c": ["${TOKEN}"]}}},
    }
    checked = configuration.check(config)
    assert checked["corpora"]["a"]["librispeech"]["root"] == "${SPEECH}"
    planned = Plan(checked)
    assert planned.config["corpora"]["a"]["librispeech"]["root"] == str(tmp_path)
    handed = planned.speech.anonymiser_call("x", "a", "trial")
    assert "s3cret" not in repr(planned.config) + repr(handed)
    assert str(tmp_path) in {named.path for named in planned.named}
    (tmp_path / "dev/run.py").write_text("")
    config["anonymisers"]["x"]["command"] = "python ${SPEECH}/dev/run.py"
    named = Plan(configuration.check(config)).named
    assert f"{tmp_path}/dev/run.py" in {one.path for one in named}
    assert programs.words_of("a --b ${TOKEN}", threads=1) == ["a", "--b", "s3cret"]
    assert configuration.expand(["x/${SPEECH}", 3, "$SPEECH"]) == [f"x/{tmp_path}", 3, "$SPEECH"]


def test_every_key_of_a_config_is_described():
    def undescribed(schema, parents=()):
        for name, described in schema.get("properties", {}).items():
            if isinstance(described, dict) and "if" not in parents:
                if "description" not in described and "$ref" not in described:
                    yield ".".join((*parents, name))
                yield from undescribed(described, (*parents, name))
        for key in ("additionalProperties", "items", "then", "if"):
            if isinstance(schema.get(key), dict):
                yield from undescribed(schema[key], (*parents, key))

    whole = schema()
    parts = (whole, *whole["$defs"].values())
    assert [key for part in parts for key in undescribed(part)] == []


def test_validate_prints_every_finding_of_the_config_and_of_the_corpora_that_can_be_read(tmp_path):
    corpora = {"a": {"synthetic": {"speakers": 4, "utterances": 2}}, "b": {"kaldi": "/no/where"}}
    config = {"corpora": corpora, "backends": {"c": {"tipe": "cosine"}}}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    finished = validate(tmp_path / "c.yaml")
    assert finished.returncode == 2
    assert "backends.c.tipe: 'tipe' is not a key here: did you mean 'type'?" in finished.stdout
    assert "speaker 's00003' has 2 utterances" in finished.stdout
    assert "/no/where: not found" in finished.stdout
    errors = finished.stdout.count("  error    ")
    assert f"\n{errors} errors, " in finished.stdout


def test_validate_reads_scores_of_others_embeddings_and_tables_that_are_made_already(tmp_path):
    emotion = {"type": "emotion", "definition": "vpc2024", "labels": f"{tmp_path}/true.tsv"}
    config = {
        "corpora": {"a": {"synthetic": {"speakers": 4, "utterances": 5}}},
        "extractors": {"ready": {"embeddings": f"{tmp_path}/{{part}}_{{anonymiser}}.npz"}},
        "attacks": {"theirs": {"scores": f"{tmp_path}/{{anonymiser}}_{{condition}}.tsv"}},
        "utility": {"heard": emotion | {"predictions": f"{tmp_path}/{{anonymiser}}_heard.tsv"}},
    }
    for name, label in (("true", "sad"), ("original_heard", "joy")):
        lines = [f"s0000{speaker}-0004\t{label}" for speaker in range(4)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["utterance\tlabel", *lines, ""]))
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    rows = "enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t1\na\tc\tnontarget\t"
    (tmp_path / "original_oo.tsv").write_text(f"{rows}0\n")
    (tmp_path / "b2_pp.tsv").write_text(f"{rows}nan\n")
    numbers = product(range(4), range(5))
    ids = np.array([f"s0000{speaker}-000{number}" for speaker, number in numbers])
    np.savez(tmp_path / "enrolment_original.npz", ids=ids, embeddings=np.eye(20))
    for n_utterances, n_dimensions, words in (
        (15, 20, "trial_original.npz: has no embedding of 's00003-"),
        (20, 19, "extractor ready: dimensions differ: "),
    ):
        there = {"ids": ids[:n_utterances], "embeddings": 1 + np.eye(n_utterances, n_dimensions)}
        np.savez(tmp_path / "trial_original.npz", **there)
        finished = validate(tmp_path / "c.yaml")
        assert finished.returncode == 2 and words in finished.stdout
        assert "b2_pp.tsv:3: 'nan' is not a number" in finished.stdout
        assert "original_heard.tsv:2: 'joy' is not known: expected" in finished.stdout
        assert "\n3 errors, " in finished.stdout


def test_validate_misses_predictions_of_a_corpus_that_is_measured_alone(tmp_path):
    files = {"labels": f"{tmp_path}/true.tsv", "predictions": f"{tmp_path}/{{anonymiser}}.tsv"}
    config = {
        "corpora": {"a": {"synthetic": {"speakers": 4, "utterances": 5}, "use": "utility"}},
        "utility": {"heard": {"type": "emotion", "definition": "vpc2024", **files}},
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    emotions = ("angry", "happy", "neutral", "sad")
    lines = [f"s0000{speaker}-0004\t{label}" for speaker, label in enumerate(emotions)]
    for name, labelled in (("true", lines), ("original", lines[1:])):
        (tmp_path / f"{name}.tsv").write_text("\n".join(["utterance\tlabel", *labelled, ""]))
    said = validate(tmp_path / "c.yaml").stdout
    assert "original.tsv: 1 of 4 utterances with a label have no prediction" in said


# The semi-informed attack by default.


def semi(**changed):
    """The back-end that a small config gets, or None."""
    config = {
        "corpora": {"demo": SYNTHETIC, "others": voices(8, 2, first=20, use="train")},
        "anonymisers": {"b2": {"command": "python b2.py"}, "b3": {"command": "python b3.py"}},
        "extractors": {"ecapa": {"model": "hub/ecapa", "revision": "0123456789"}},
        "backends": {"cosine": {"type": "cosine"}},
    }
    return configuration.check(config | changed)["backends"].get("semi")


def test_with_speech_to_train_on_an_attacker_learns_from_protected_speech():
    added = semi()
    assert added["train"]["corpus"] == "others" and added["train"]["speech"] == "anonymised"
    assert added["train"]["anonymisers"] == ["b2", "b3"]
    assert semi(report={"controls": True})["train"]["anonymisers"] == ["b2", "b3"]
    assert added["extractors"] == ["ecapa"] and added["unprotected"] is True
    assert added["length_norm"] == "kaldi"  # the schema's defaults are there too


@pytest.mark.parametrize(
    "changed",
    [
        {"semi_informed": False},
        {"corpora": {"demo": SYNTHETIC}},
        {"anonymisers": {}},
        {"anonymisers": {"team": {"audio": "team/{set}"}}},
        {"extractors": {"f0": {"f0": {}}}, "backends": {"js": {"type": "jensen_shannon"}}},
        {"extractors": {"ready": {"embeddings": "{corpus}/{part}/{anonymiser}.npz"}}},
    ],
)
def test_without_the_speech_for_it_or_the_wish_nobody_does(changed, tmp_path, in_tmp_path):
    for corpus, part in product(("demo", "others"), ("enrolment", "trial")):
        (tmp_path / "team" / corpus).mkdir(parents=True, exist_ok=True)
        (tmp_path / corpus / part).mkdir(parents=True)
        for name in ("original", "b2", "b3"):
            (tmp_path / corpus / part / f"{name}.npz").touch()
    assert semi(**changed) is None


def test_an_attacker_of_ones_own_that_does_so_stays_alone():
    train = {"train": {"corpus": "others", "speech": "anonymised"}}
    extractors = {"ecapa": {"command": "python e.py"}}
    assert semi(extractors=extractors) is not None
    assert semi(extractors=extractors | {"mine": train | {"recipe": "ecapa_small"}}) is None
    assert semi(backends={"mine": train | {"type": "plda"}}) is None


def test_a_submission_behind_a_variable_is_learnt_from_like_any(tmp_path, monkeypatch):
    monkeypatch.setenv("VPC_DATA", str(tmp_path))
    for corpus in ("demo", "others"):
        (tmp_path / f"{corpus}_mine").mkdir()
        (tmp_path / f"{corpus}_mine" / "a.wav").touch()
    added = semi(anonymisers={"mine": {"audio": "${VPC_DATA}/{set}_mine"}})
    assert added["train"]["anonymisers"] == ["mine"]


@pytest.mark.parametrize("name", ["a{b}", "}a", "{corpus}"])
def test_a_name_with_braces_is_refused_wherever_a_config_or_the_run_has_it(tmp_path, name):
    """Snakemake takes it for a wildcard; one that is not there is not found, as ever."""
    folder = tmp_path / name
    folder.mkdir()
    for file in ("mine.py", "env.yaml", "expected.tsv"):
        (folder / file).touch()
    braces = r"has \{ or \} in its name"
    for config, words in (
        ({"corpora": {"a": {"kaldi": f"{folder}"}}}, braces),
        ({"anonymisers": {"x": {"function": f"{folder}/mine.py:f"}}}, braces),
        ({"anonymisers": {"x": {"command": "true", "env": f"{folder}/env.yaml"}}}, braces),
        ({"expected": f"{folder}/expected.tsv"}, braces),
        ({"expected": f"{folder}/nowhere"}, "not found"),
    ):
        with pytest.raises(BadInput, match=words):
            configuration.check({"corpora": {"a": SYNTHETIC}} | config)
    with pytest.raises(BadInput, match=braces):
        configuration.refuse_braces(tmp_path, tmp_path / name / "x")
    configuration.refuse_braces(tmp_path)


def test_a_plan_of_2026_says_how_lists_are_read_before_a_run_too():
    """What validate looks at is the corpora that a run has."""
    given = {"f": "lists/f", "m": {"list": "m.txt", "cross_gender": 3}}
    kaldi = {"enrolment": "lists/enrolls", "trial": ["lists/f"]}
    config = {"corpora": {"a": {"kaldi": kaldi, "protocol": {"given": given}}}}
    [corpus] = configuration.usable_corpora({"plan": "june", **config}, []).values()
    whole = {"directory": "lists/f", "repeats": "last"}
    drawn = {"list": "m.txt", "cross_gender": 3, "repeats": "last"}
    assert corpus["protocol"]["given"] == {"f": whole, "m": drawn}
    for other in ({}, {"plan": "May"}):
        [corpus] = configuration.usable_corpora(other | config, []).values()
        assert corpus["protocol"]["given"] == given
