"""Any tree of files: patterns, ids that are not unique, genders from a table."""

import os
import shutil

import pytest
from support.trees import folder, librispeech, listed, prepare_list, write_lines

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.kinds.folder import compile_pattern
from voiceprivacy.corpora.listing import Findings, list_utterances, read_facts
from voiceprivacy.errors import BadInput


def ids(source):
    return [utterance.utterance for utterance in listed(source)[0]]


def test_ids_that_are_not_unique_become_paths_joined_by_a_hyphen(tmp_path):
    """Joined paths that are not unique either are an error."""
    source = folder(tmp_path, ["id1/x/00001.wav", "id1/y/00001.wav", "id2/x/00002.wav"])
    assert ids(source) == ["id1-x-00001", "id1-y-00001", "id2-x-00002"]
    _, findings = listed(folder(tmp_path, ["a/b-c/1.wav", "a-b/c/1.wav"]))
    assert f"error {tmp_path}/a/b-c/1.wav: utterance 'a-b-c-1' is another file's id too" in findings


@pytest.mark.parametrize(
    ("pattern", "path", "utterance"),
    [
        ("{speaker}/{utterance}.wav", "anna/a.wav", "a"),
        ("{speaker}/{speaker}_{utterance}.wav", "anna/anna_a.wav", "a"),
        ("{gender}/{speaker}/*/{utterance}.wav", "female/anna/any/a.wav", "a"),
        ("{gender}/{speaker}/{utterance}.wav", "X/anna/a.wav", "a"),
        ("wav/{speaker}.{utterance}.wav", "wav/anna.a.wav", "a"),
        ("{speaker}-*-{utterance}.wav", "anna-x-1-a.wav", "1-a"),
        ("{speaker}/{utterance}.*", "anna/a.wav", "a"),
    ],
)
def test_patterns(tmp_path, pattern, path, utterance):
    (one,), findings = listed(folder(tmp_path, [path], pattern=pattern))
    assert one[:3] == (utterance, "anna", "f" if "female" in path else "-")
    assert findings == []


def test_two_persons_of_one_name_are_an_error(tmp_path):
    pattern = "{gender}/{speaker}/{utterance}.wav"
    source = folder(tmp_path, ["f/01/a.wav", "m/01/c.wav", "m/01/d.wav"], pattern=pattern)
    (error,) = listed(source)[1]
    said = f"error {tmp_path}/m/01/c.wav: speaker '01' is m here, and f in {tmp_path}/f/01/a.wav"
    assert error.startswith(said)


def test_a_table_of_speakers_that_contradicts_paths_or_itself_is_an_error(tmp_path):
    source = folder(tmp_path, ["f/01/a.wav"], pattern="{gender}/{speaker}/{utterance}.wav")
    write_lines(tmp_path / "sp.tsv", ["speaker\tgender\tage", "01\tm\t30", "01\tm\t40"])
    source["folder"]["speakers"] = str(tmp_path / "sp.tsv")
    of_age, of_gender = listed(source)[1]
    assert of_age.startswith(f"error {tmp_path}/sp.tsv:3: speaker '01' has another age")
    assert of_gender.startswith(f"error {tmp_path}/f/01/a.wav: speaker '01' is f here, and m in")


@pytest.mark.parametrize(
    ("pattern", "nearest"),
    [
        ("{speaker}-{utterance}.wav", "anna/bert_1.wav"),
        ("{speaker}/{utterance}.flac", "anna/bert_1.wav"),
        ("{speaker}/{speaker}_{utterance}.wav", "anna/bert_1.wav"),  # the same twice
        ("notes_{speaker}_{utterance}.txt", "notes.txt"),
    ],
)
def test_a_pattern_that_fits_no_file_is_the_only_error_and_names_the_nearest(
    tmp_path, pattern, nearest
):
    source = folder(tmp_path, ["anna/bert_1.wav"], pattern=pattern)
    if nearest == "notes.txt":
        (tmp_path / nearest).touch()
    [error] = checks.examine(source, {"enrol_trial": {}}, 16000).findings
    assert error.level == "error" and error.what.endswith(f"; the nearest is called {nearest}")


def test_files_beside_the_pattern_are_one_oddity(tmp_path):
    source = folder(tmp_path, ["anna/s/a.wav", "lost.wav", "anna/s/.hidden.wav", "anna/s/b.WAV"])
    (tmp_path / "anna" / "s" / "a.txt").write_text("words")
    _, (oddity,) = listed(source)
    assert oddity.startswith(f"oddity {tmp_path}: 2 files do not look like")
    assert oddity.endswith("such as lost.wav")


def test_only_the_utterances_of_a_list_are_taken_and_one_that_is_not_there_is_an_error(tmp_path):
    source = folder(tmp_path, ["anna/s1/a.wav", "anna/s1/b.wav", "bert/s1/c.wav"])
    write_lines(tmp_path / "utterances.txt", ["c", "a"])
    source["folder"]["list"] = str(tmp_path / "utterances.txt")
    assert ids(source) == ["a", "c"]
    write_lines(tmp_path / "utterances.txt", ["c", "", "d"])
    assert listed(source)[1] == [f"error {tmp_path}/utterances.txt:3: there is no utterance 'd'"]


def test_a_pattern_that_is_none_is_named():
    with pytest.raises(BadInput, match=r"has no {utterance}"):
        compile_pattern("{speaker}/a.wav")
    with pytest.raises(BadInput, match=r"{x} is none of {speaker}"):
        compile_pattern("{speaker}/{utterance}{x}.wav")


def test_ages_and_accents_are_read_where_the_table_has_such_columns(tmp_path):
    source = folder(tmp_path, ["anna/s/a.wav"], genders={"anna": "f"})
    table = tmp_path / "speakers.tsv"
    assert read_facts(source) == {"age": {}, "accent": {}}
    lines = ["Age\tspeaker\tgender\taccent", "30\tanna\tf\tWelsh", "31\tbert\tm", "\tcarl\tm\t"]
    write_lines(table, lines)
    assert read_facts(source) == {"age": {"anna": "30", "bert": "31"}, "accent": {"anna": "Welsh"}}
    del source["folder"]["speakers"]
    assert read_facts(source) == {"age": {}, "accent": {}}


def test_names_that_are_not_utf8_are_refused_and_printed_as_bytes(tmp_path):
    source = folder(tmp_path, ["anna/s1/a.wav", "anna/s1/b.wav"])
    (tmp_path / os.fsdecode(b"notes f\xfcr.txt")).write_text("no speech, so of any name")
    assert ids(source) == ["a", "b"]
    for odd in (b"mod\x85", b"jos\xe9"):
        os.makedirs(os.path.join(os.fsencode(tmp_path), odd, b"s"))
        shutil.copy(tmp_path / "anna/s1/a.wav", os.path.join(tmp_path, os.fsdecode(odd), "s/c.wav"))
    with pytest.raises(BadInput) as refused:
        listed(source)
    said = f"{tmp_path}/jos\\xe9: its name is not UTF-8 (and 1 other)"
    assert str(refused.value).startswith(said)


def test_a_tree_gives_the_same_parts_and_lists_whatever_kind_it_is_read_as(tmp_path):
    libri = librispeech(tmp_path / "libri")
    utterances = list_utterances(libri, Findings())
    genders = {one.speaker: {"f": "Female", "m": "male"}[one.gender] for one in utterances}
    write_lines(tmp_path / "wav.scp", [f"{one.utterance} {one.audio}" for one in utterances])
    write_lines(tmp_path / "utt2spk", [f"{one.utterance} {one.speaker}" for one in utterances])
    write_lines(tmp_path / "spk2gender", map(" ".join, genders.items()))
    quoted = [f'"{speaker}"\t"{gender}"' for speaker, gender in genders.items()]
    write_lines(tmp_path / "genders", ['"speaker"\t"gender"', *quoted])  # as R writes it
    pattern = "dev/{speaker}/{session}/{utterance}.flac"
    tree = {"root": str(tmp_path / "libri"), "pattern": pattern, "speakers": f"{tmp_path}/genders"}
    protocol = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["f", "m"]}}
    made = []
    for kind, source in enumerate((libri, {"folder": tree}, {"kaldi": str(tmp_path)})):
        out = tmp_path / f"out{kind}"
        paths = prepare_list(out, source, protocol, "f")
        paths += (out / "enrolment.tsv", out / "trial.tsv")
        made.append([path.read_text() for path in paths])
    assert made[0] == made[1] == made[2]
    assert made[0][0].count("\ttarget\n") == 2 * 3, "two women, tried from their other chapter"
