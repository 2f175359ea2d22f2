"""é is one name, in one letter (NFC) or as e and an accent (NFD): in files and in every table."""

import unicodedata
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile
from support.trees import write_lines

from voiceprivacy.anonymise.plugins import find_audio
from voiceprivacy.corpora.listing import Findings, list_utterances, read_facts, read_transcripts
from voiceprivacy.corpora.parts import without
from voiceprivacy.inout import arrays, enrolments
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.scored_trials import read_scored_trials

FORMS = [*product(("NFC", "NFD"), repeat=2)]
NAMES = ("josé", "김민수")  # Hangul is taken apart, too
KNOWN = [f"{name}-1" for name in NAMES]
forms = pytest.mark.parametrize(("files", "table"), FORMS)


def spelled(form, text):
    return unicodedata.normalize(form, text)


@pytest.fixture
def recordings(tmp_path):
    """A function: recordings of NAMES in names of a form; returns {name: path}."""

    def make(form):
        paths = {}
        for name in NAMES:
            paths[name] = tmp_path / "o" / spelled(form, name) / spelled(form, f"{name}-1.wav")
            paths[name].parent.mkdir(parents=True)
            soundfile.write(paths[name], np.full(1600, 0.1), 16000)
        return paths

    return make


@forms
def test_tables_beside_a_folder(tmp_path, recordings, files, table):
    recordings(files)
    rows = {"speakers": ["speaker\tgender\tage"], "said": ["utterance\ttext"], "list": []}
    for name in NAMES:
        rows["speakers"].append(spelled(table, f"{name}\tf\t30"))
        rows["said"].append(spelled(table, f"{name}-1\tyes"))
        rows["list"].append(spelled(table, f"{name}-1"))
    for name, lines in rows.items():
        write_lines(tmp_path / name, lines)
    options = {"root": str(tmp_path / "o"), "pattern": "{speaker}/{utterance}.wav"}
    options |= {"speakers": str(tmp_path / "speakers"), "list": str(tmp_path / "list")}
    source = {"folder": options | {"transcripts": str(tmp_path / "said")}}
    findings = Findings()
    listed = list_utterances(source, findings)
    assert [one.utterance for one in listed] == sorted(KNOWN) and not findings
    assert {one.gender for one in listed} == {"f"}
    assert read_transcripts(source).keys() == {*KNOWN}
    assert read_facts(source)["age"].keys() == {*NAMES}
    assert without(listed, [spelled(table, name) for name in KNOWN]) == []


def test_two_files_of_one_name_are_an_error(tmp_path, recordings):
    for form in ("NFC", "NFD"):
        recordings(form)
    findings = Findings()
    options = {"root": str(tmp_path / "o"), "pattern": "{speaker}/{utterance}.wav"}
    list_utterances({"folder": options}, findings)
    assert len(findings.errors()) == len(NAMES) and "in two forms" in findings[0].what


@forms
def test_tables_of_a_data_directory(tmp_path, recordings, files, table):
    paths, folder = recordings(files), tmp_path / "data"
    folder.mkdir()
    write_lines(folder / "wav.scp", [spelled(files, f"{n}-1 ") + f"{paths[n]}" for n in NAMES])
    write_lines(folder / "utt2spk", [spelled(table, f"{n}-1 {n}") for n in NAMES])
    write_lines(folder / "spk2gender", [spelled(files, f"{n} m") for n in NAMES])
    findings = Findings()
    listed = list_utterances({"kaldi": str(folder)}, findings)
    assert [(one.utterance, one.gender) for one in listed] == [(n, "m") for n in sorted(KNOWN)]
    assert not findings.errors()


@forms
def test_scores_their_key_and_protected_files(tmp_path, recordings, files, table):
    paths = recordings(files)
    originals = [Utterance(name, name[:-2], "f", Path("x.wav"), 0.1) for name in KNOWN]
    assert find_audio([tmp_path / "o"], originals) == dict(zip(KNOWN, paths.values(), strict=True))
    one, other = KNOWN
    scores, key = tmp_path / "s.txt", tmp_path / "key.txt"
    write_lines(scores, [spelled(files, f"{one} {one} 1.5"), spelled(files, f"{one} {other} 0.5")])
    write_lines(key, [spelled(table, f"{one} {one} target"), spelled(table, f"{one} {other} imp")])
    assert read_scored_trials(scores, key=key).scores.tolist() == [1.5, 0.5]
    write_lines(tmp_path / "ids", ["id\tspeaker", *(spelled(table, f"{n}\tx") for n in KNOWN)])
    assert enrolments.read_speakers(tmp_path / "ids").keys() == {*KNOWN}
    written = arrays.Embeddings(np.array([spelled(table, n) for n in KNOWN]), np.eye(2))
    arrays.write_embeddings(tmp_path / "e.npz", written)
    assert arrays.read_embeddings_of(tmp_path / "e.npz", KNOWN).ids.tolist() == KNOWN
