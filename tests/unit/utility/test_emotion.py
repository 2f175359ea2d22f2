"""Emotions: tables of labels and predictions, classifiers, and what is wrong with them."""

import itertools

import numpy as np
import pytest
from support import listeners as tiny
from support.models import RATE
from support.sounds import recording
from support.trees import edit, iemocap

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.utility.kinds.emotion import (
    DEFINITIONS,
    LEFT_OUT,
    MERGED,
    measure,
    read_labels,
    read_predictions,
    recalls,
)
from voiceprivacy.vocabulary import EMOTIONS, UNDEFINED

TRUE = {"u1": "ang", "u2": "hap", "u3": "neu", "u4": "sad", "u5": "sad"}
FOLDS = {"u1": 1, "u2": 1, "u3": 2, "u4": 2, "u5": 2}


def table(path, labels, folds=None):
    rows = [(*row, folds[row[0]]) if folds else row for row in labels.items()]
    write_table(path, ["utterance", "label", *(["fold"] if folds else [])], rows)
    return path


def judged(tmp_path, heard, *, definition="vpc2026", true=TRUE, folds=None, heard_folds=None):
    definition = DEFINITIONS[definition]
    labels = read_labels(table(tmp_path / "true.tsv", true, folds), definition)
    path = table(tmp_path / "heard.tsv", heard, heard_folds)
    answers = {"true": labels, "heard": read_predictions(path, definition, labels)}
    columns = {}
    for line in recalls("uar", [*TRUE, "u6"], **answers, definition=definition):
        columns.setdefault(line.metric, {})[line.utterance] = line.value
    return columns


def test_an_utterance_counts_in_the_column_of_its_emotion(tmp_path):
    columns = judged(tmp_path, {**TRUE, "u5": "neutral"})
    assert sorted(columns) == [f"uar_{name}_percent" for name in EMOTIONS]
    others = dict.fromkeys(["u1", "u2", "u3", "u6"], UNDEFINED)
    assert columns["uar_sad_percent"] == others | {"u4": 100, "u5": 0}


def test_the_folds_of_2024_stand_beside_it(tmp_path):
    for where in ("folds", "heard_folds"):
        columns = judged(tmp_path, TRUE, definition="vpc2024", **{where: FOLDS})
        assert columns["uar_fold"] == {**FOLDS, "u6": UNDEFINED}
    with pytest.raises(BadInput, match=r"\.tsv:2: fold '1111"):
        judged(tmp_path, TRUE, folds={**FOLDS, "u1": "1" * 5000})
    with pytest.raises(BadInput, match="utterance 'u1' has no fold"):
        judged(tmp_path, TRUE, definition="vpc2024")


def test_what_emotion2vec_says_is_mapped_in_2026(tmp_path):
    taken_for = {"生气/angry": "angry", "disgusted": "angry", "fearful": "sad"}
    taken_for |= {"happiness": "happy"} | dict.fromkeys(["Surprised", "<unk>", "other"], "neutral")
    true = read_labels(table(tmp_path / "true.tsv", TRUE), DEFINITIONS["vpc2026"])
    for heard, emotion in taken_for.items():
        path = table(tmp_path / "heard.tsv", dict.fromkeys(TRUE, heard))
        predictions = read_predictions(path, DEFINITIONS["vpc2026"], true)
        assert set(predictions.emotions.values()) == {emotion}
    for heard in ("disgusted", "fearful"):
        with pytest.raises(BadInput, match=f"'{heard}' is not known"):
            judged(tmp_path, {**TRUE, "u4": heard}, definition="vpc2024", folds=FOLDS)


def test_of_several_folds_that_of_the_label_counts(tmp_path):
    true = read_labels(table(tmp_path / "true.tsv", TRUE, FOLDS), DEFINITIONS["vpc2024"])
    path = tmp_path / "heard.tsv"
    pairs = itertools.product(TRUE, (1, 2))
    rows = [(name, "ang" if fold == FOLDS[name] else "sad", fold) for name, fold in pairs]
    write_table(path, ["utterance", "label", "fold"], rows)
    heard = read_predictions(path, DEFINITIONS["vpc2024"], true)
    assert set(heard.emotions.values()) == {"angry"} and len(heard.emotions) == 5
    without = read_labels(table(tmp_path / "true.tsv", TRUE), DEFINITIONS["vpc2024"])
    with pytest.raises(BadInput, match="utterance 'u1' occurs twice"):
        read_predictions(path, DEFINITIONS["vpc2024"], without)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"heard": {"u1": "ang"}}, "4 of 5 utterances with a label have no prediction"),
        ({"heard": {**TRUE, "u1": "bored"}}, r"heard.tsv:2: 'bored' is not known"),
        ({"true": {**TRUE, "u2": "xxx"}}, r"true.tsv:3: 'xxx' is none of"),
        ({"true": {"u1": "ang"}}, "true.tsv: no utterance is happy"),
        ({"true": {"u1.wav": "ang"}}, "true.tsv: has no label of these"),
        ({"folds": {**FOLDS, "u2": "five"}}, "fold 'five' is no number"),
    ],
)
def test_what_is_wrong_is_one_clear_line(tmp_path, wrong, words):
    with pytest.raises(BadInput, match=words):
        judged(tmp_path, **{"heard": TRUE} | wrong)
    (tmp_path / "bad.tsv").write_text("name\temotion\n")
    with pytest.raises(BadInput, match="expected the columns utterance label"):
        read_labels(tmp_path / "bad.tsv", DEFINITIONS["vpc2026"])


def test_the_classifier_of_each_fold_is_asked(tmp_path):
    noise = np.random.default_rng(0).normal(0, 0.1, (len(TRUE), RATE))
    speech = [recording(tmp_path, name, own) for name, own in zip(TRUE, noise, strict=True)]
    for fold in (1, 2):
        tiny.write_speechbrain_classifier(tmp_path / f"fold_{fold}", seed=fold)
    tiny.write_hub_classifier(tmp_path / "hub")
    labels = table(tmp_path / "true.tsv", TRUE, FOLDS)
    for model in ("fold_{fold}", "hub"):
        options = {"name": "uar", "labels": labels, "definition": "vpc2024"}
        measured = list(measure(speech, speech, **options, model=str(tmp_path / model)))
        assert [line.value for line in measured if line.metric == "uar_fold"] == [1, 1, 2, 2, 2]


def test_labels_and_folds_of_a_data_directory(tmp_path):
    folder = tmp_path / "IEMOCAP_dev"
    folder.mkdir()
    (folder / "utt2emo").write_text("".join(f"{name} {label}\n" for name, label in TRUE.items()))
    labels = read_labels(folder, DEFINITIONS["vpc2024"])
    assert labels.emotions["u1"] == "angry" and labels.folds == {}
    (folder / "utt2spk").write_text("".join(f"{name} s{FOLDS[name]}\n" for name in TRUE))
    (folder / "spk2fold").write_text("s1 1\ns2 2\n")
    assert read_labels(folder, DEFINITIONS["vpc2024"]).folds == FOLDS
    (folder / "spk2fold").write_text("s1 1\n\ns2\n")
    with pytest.raises(BadInput, match="spk2fold:3: expected 2 columns"):
        read_labels(folder, DEFINITIONS["vpc2024"])


def test_labels_of_iemocap_as_it_is_distributed(tmp_path):
    folder = tmp_path / "IEMOCAP_full_release"
    iemocap(folder)
    evaluations = folder / "Session1" / "dialog" / "EmoEvaluation"
    (evaluations / "Categorical").mkdir()
    (evaluations / "Categorical" / "x.txt").write_text("Ses01F_impro01_F000 :Neutral; ()\n")
    edit(evaluations / "Ses01F_impro01.txt", "M000\tang", "M000\tfru")
    labels = read_labels(folder, DEFINITIONS["vpc2024"])
    assert len(labels.emotions) == 2 * 2 * 5 - 1
    assert labels.emotions["Ses01F_impro01_M002"] == "happy"  # excited speech is happy
    assert labels.fold("Ses02F_impro01_F000") == 2
    apart = read_labels(folder, DEFINITIONS["vpc2026"], excited=LEFT_OUT)
    assert len(apart.emotions) == 2 * 2 * 4 - 1 and "Ses01F_impro01_M002" not in apart.emotions
    with pytest.raises(BadInput, match="has neither utt2emo nor Session"):
        read_labels(tmp_path, DEFINITIONS["vpc2024"])


@pytest.mark.parametrize(
    ("excited", "expected"), [(MERGED, {"a": "happy", "b": "sad"}), (LEFT_OUT, {"b": "sad"})]
)
@pytest.mark.parametrize("word", ["exc", "excited", "Excited"])
def test_excited_speech_of_a_table_is_happy_or_has_no_label(tmp_path, word, excited, expected):
    path = table(tmp_path / "true.tsv", {"a": word, "b": "sad"})
    assert read_labels(path, DEFINITIONS["vpc2024"], excited=excited).emotions == expected
