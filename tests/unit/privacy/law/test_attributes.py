"""Which classes speakers have, and what is written of a corpus."""

import numpy as np
import pytest
from support.calls import here
from support.measured import write_embedded

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, read_embeddings, write_embeddings
from voiceprivacy.inout.enrolments import read_facts, write_facts
from voiceprivacy.inout.tables import read_table
from voiceprivacy.privacy.law.attributes import class_kept, classes_of, read_corpus
from voiceprivacy.privacy.rows import Inferred


def many(**numbers):
    """{speaker: value}: so many speakers of each value."""
    return {f"{value}{i}": value for value, number in numbers.items() for i in range(number)}


def test_classes_of_fewer_than_five_speakers_are_left_out():
    classes = classes_of("accent", many(scottish=5, english=7, irish=4))
    assert {name: len(speakers) for name, speakers in classes.speakers.items()} == {
        "english": 7,
        "scottish": 5,
    }
    assert classes.left_out == "classes of fewer than 5 speakers: irish"
    assert not classes.reason


@pytest.mark.parametrize("values", [many(f=9), many(f=9, m=4), many(f=3, m=2)])
def test_a_single_class_tells_nothing(values):
    assert classes_of("sex", values).reason == "fewer than two classes have 5 speakers"


def test_who_has_no_value_is_left_out_and_nobody_s_value_is_no_attribute():
    assert classes_of("sex", dict.fromkeys("abcdefgh", "-")) is None
    values = many(f=5, m=5) | {"unknown": "-"}
    women, men = classes_of("sex", values).speakers.values()
    assert sorted([*women, *men]) == sorted(many(f=5, m=5))


def test_ages_are_divided_at_the_median():
    ages = {f"s{age}": str(age) for age in range(20, 31)} | {"s": "twenties"}
    classes = classes_of("age", ages)
    assert list(classes.speakers) == ["over 25", "up to 25"]
    assert classes.speakers["over 25"] == [f"s{age}" for age in range(26, 31)]
    assert len(classes.speakers["up to 25"]) == 6


def test_facts_are_written_and_read(tmp_path):
    facts = {"age": {"p1": "23", "p2": "31"}, "accent": {"p1": "Irish"}}
    write_facts(tmp_path / "facts.tsv", facts)
    assert read_facts(tmp_path / "facts.tsv") == facts
    with open(tmp_path / "facts.tsv", "a") as file:
        file.write("p1\tage\t24\n")
    with pytest.raises(BadInput, match=r"facts.tsv:5: speaker 'p1' has another age"):
        read_facts(tmp_path / "facts.tsv")


def write_run(folder, *, men=6, apart=8):
    """Speakers who differ by sex in original speech, and not at all in protected speech."""
    write_embedded(folder, {"f": 6, "m": men}, {"original": apart, "hidden": 0}, utterances=3)


def assess(folder, *arguments):
    """The output of the command, and its lines: {(anonymiser, condition, attribute): fields}."""
    said = here(
        "assess_inference",
        *("--plan", '{"few": {"net": ["original", "hidden"]}}'),
        *("--embeddings", folder / "embeddings", "--audio", folder / "audio"),
        *("--bootstrap", 100, "--inference", folder / "net.tsv", *arguments),
    )
    rows = read_table(folder / "net.tsv", list(Inferred._fields))
    return said.stdout, {
        (row["anonymiser"], row["condition"], row["attribute"]): row for row in rows
    }


def test_every_system_has_a_line_for_every_condition(tmp_path):
    write_run(tmp_path)
    said, lines = assess(tmp_path)
    assert "few original net oo sex: 100.0 %" in said
    assert list(lines) == [
        ("original", "oo", "sex"),
        ("hidden", "op", "sex"),
        ("hidden", "pp", "sex"),
    ]
    unprotected, hidden = lines["original", "oo", "sex"], lines["hidden", "pp", "sex"]
    assert (unprotected["classes"], unprotected["n_speakers"]) == ("f 6, m 6", "12")
    assert float(unprotected["n_utterances"]) == 36
    assert float(unprotected["gain_percent"]) == 100
    recall = float(hidden["recall_percent"])
    assert recall < 75
    assert float(hidden["gain_percent"]) == pytest.approx(2 * recall - 100)
    # Of the whole gain of unprotected speech so much is left.
    assert float(hidden["left_percent"]) == pytest.approx(2 * recall - 100)
    assert float(hidden["left_low"]) <= 2 * recall - 100 <= float(hidden["left_high"])
    _, lines = assess(tmp_path, "--bootstrap", 0)
    line = lines["hidden", "op", "sex"]
    assert {line[name] for name in ("recall_low", "gain_high", "left_low")} == {"-"}


def test_ages_and_accents_are_told_where_they_are_known(tmp_path):
    write_run(tmp_path)
    age = {f"sf{i}": "30" for i in range(6)} | {f"sm{i}": "50" for i in range(6)}
    write_facts(tmp_path / "facts/few.speakers.tsv", {"age": age})
    _, lines = assess(tmp_path, "--facts", tmp_path / "facts")
    line = lines["original", "oo", "age"]
    assert (line["classes"], line["recall_percent"]) == ("over 40 6, up to 40 6", "100.0")


def test_too_few_speakers_and_too_little_to_tell_are_a_line_with_a_reason(tmp_path):
    write_run(tmp_path / "few", men=4)
    said, lines = assess(tmp_path / "few")
    assert "undefined, because fewer than two classes have 5 speakers" in said
    line = lines["hidden", "op", "sex"]
    fields = ("recall_percent", "gain_percent", "left_percent")
    assert {line[name] for name in fields} == {"undefined"}
    write_run(tmp_path / "little", apart=0)
    said, lines = assess(tmp_path / "little")
    assert "unprotected speech shows too little of it" in said
    line = lines["hidden", "pp", "sex"]
    assert (line["left_percent"], line["left_low"]) == ("undefined", "-")
    assert float(line["recall_percent"]) < 75


def kept(folder, *systems):
    """What utterances of systems keep of the sex, and why nothing is said."""
    corpus = read_corpus("few", audio=folder / "audio", facts=None)
    return class_kept(corpus, "sex", "net", systems, embeddings=folder / "embeddings", seed=0)


def test_a_missing_embedding_is_named(tmp_path):
    write_run(tmp_path)
    path = tmp_path / "embeddings/few/trial/hidden/net.npz"
    write_embeddings(path, Embeddings(np.array(["sf0-trial0"]), np.ones((1, 4), np.float32)))
    with pytest.raises(BadInput, match=r"hidden/net.npz: has no embedding of 'sf0-trial1'"):
        kept(tmp_path, "hidden")


def test_utterances_keep_the_sex_that_original_speech_teaches(tmp_path):
    """Of the hidden system half of the women sound like men, whatever the others do.

    Nothing of its other parts is read: else a run would embed what enrols only for this.
    """
    write_run(tmp_path)
    (tmp_path / "embeddings/few/enrolment/hidden/net.npz").unlink()
    path = tmp_path / "embeddings/few/trial/hidden/net.npz"
    ids, values = read_embeddings(tmp_path / "embeddings/few/trial/original/net.npz")
    moved = np.array([name.startswith(("sf0", "sf1", "sf2")) for name in ids])
    values[moved, 0] *= -1
    path.unlink()
    write_embeddings(path, Embeddings(ids, values))
    told, reason = kept(tmp_path, "original", "hidden")
    assert reason == "" and set(told["original"].values()) == {1.0}
    assert told["hidden"] == dict(zip(ids.tolist(), (~moved).astype(float).tolist(), strict=True))


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ({"apart": 0}, "unprotected speech shows too little of it"),  # 67 % are no 100
        ({"men": 4}, "fewer than two classes have 5 speakers"),
    ],
)
def test_where_unprotected_speech_tells_little_nothing_is_said_of_any_system(tmp_path, run, reason):
    write_run(tmp_path, **run)
    told = kept(tmp_path, "original", "hidden")
    assert told == ({"original": {}, "hidden": {}}, reason)
    corpus = read_corpus("few", audio=tmp_path / "audio", facts=None)
    unknown = corpus._replace(known={"sex": {}})
    told = class_kept(unknown, "sex", "net", ["hidden"], embeddings=tmp_path, seed=0)
    assert told.recognised == {"hidden": {}}
