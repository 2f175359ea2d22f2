"""Files are whole or absent; JSON keeps infinity, not NaN; arrays that are read are checked."""

from pathlib import Path

import numpy as np
import pytest

from voiceprivacy.inout import arrays, files, json_files
from voiceprivacy.inout.files import BadInput


def matrix(**changes):
    names = {
        "rows": ["a-1", "b-1"],
        "columns": ["a-1"],
        "row_speakers": ["a", "b"],
        "column_speakers": ["a"],
    }
    names |= {"scores": [[1.0], [2.0]], "row_sources": ["a-1", "b-1"], "column_sources": ["a-1"]}
    return arrays.ScoreMatrix(
        **{name: np.array(value) for name, value in (names | changes).items()}
    )


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "metrics.json"
    json_files.write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="JSON"):
        json_files.write_json(path, {"a": float("nan")})
    assert json_files.read_json(path) == {"a": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["metrics.json"]


def test_infinity_survives_json(tmp_path):
    json_files.write_json(
        tmp_path / "m.json", {"op": {"a": np.float64("inf"), "b": -np.inf}, "n": np.int64(3)}
    )
    assert json_files.read_json(tmp_path / "m.json") == {"op": {"a": np.inf, "b": -np.inf}, "n": 3}


def test_broken_json_is_named_with_its_line(tmp_path):
    (tmp_path / "m.json").write_text('{\n "a": \n}')
    with pytest.raises(BadInput, match=r"m\.json:3: not JSON"):
        json_files.read_json(tmp_path / "m.json")


def test_a_matrix_comes_back_as_written_and_sources_default_to_the_ids(tmp_path):
    arrays.write_matrix(tmp_path / "m.npz", matrix())
    np.savez(
        tmp_path / "bare.npz",
        **{k: v for k, v in matrix()._asdict().items() if not k.endswith("sources")},
    )
    for name in ("m.npz", "bare.npz"):
        read = arrays.read_matrix(tmp_path / name)
        for array, written in zip(read, matrix(), strict=True):
            assert (array == written).all()


@pytest.mark.parametrize(
    ("said", "line"), [("a.tsv:3: what", "a.tsv:3: what"), ("what", "a.tsv: what")]
)
def test_a_file_is_named_once(said, line):
    with pytest.raises(BadInput) as error, files.naming("a.tsv"):
        raise BadInput(said)
    assert str(error.value) == line


def test_paths_start_from_the_first_folder_that_has_one(tmp_path, monkeypatch):
    directory = tmp_path / "data" / "mine"
    (tmp_path / "wav").mkdir()
    directory.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "data")
    assert files.base_of(directory, ["wav/a.wav"]) == ""
    for folder in (tmp_path, directory, Path()):  # each comes before those that have it already
        (folder / "wav").mkdir(exist_ok=True)
        (folder / "wav" / "a.wav").touch()
        base = str(folder) if folder != Path() else ""
        assert files.base_of(directory, ["/elsewhere/a.wav", "b.wav", "wav/a.wav"]) == base


def test_only_paths_behind_variables_are_told_apart(tmp_path, monkeypatch):
    """A path that changes must be noticed; a secret that changes repeats nothing."""
    command = {"command": "python ${CODE}/run.py --token ${TOKEN}", "more": [1, "${CODE}"]}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    digests = []
    for code, token in (("a", "1"), ("a", "2"), ("b", "2"), ("c", "2")):
        monkeypatch.setenv("CODE", str(tmp_path / code))
        monkeypatch.setenv("TOKEN", token)
        digests.append(files.paths_behind(command))
    assert digests[0] == digests[1] != digests[2] and digests[3] == ""
    assert files.variables_in(command) == ["CODE", "TOKEN"]
    assert files.paths_behind("no variables") == ""
