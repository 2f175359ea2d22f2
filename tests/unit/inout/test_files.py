"""Files are whole or absent; arrays that cannot be what they say are refused."""

import errno
import io
import os
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from voiceprivacy.corpora.parts import with_pseudo_speakers
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import (
    arrays,
    files,
    foreign,
    json_files,
    packed,
    placeholders,
    typed_tables,
    writing,
)
from voiceprivacy.inout.manifests import Utterance, read_manifest, write_manifest
from voiceprivacy.privacy.matrices.matrix_files import read_matrix, write_matrix
from voiceprivacy.privacy.rows import ScoreMatrix

IDS, SPEAKERS = np.array(["u0", "u1", "u2"]), np.array(["a", "b", "c"])
MATRIX = {"rows": IDS, "columns": IDS, "row_speakers": SPEAKERS, "column_speakers": SPEAKERS}
MATRIX["scores"] = np.eye(3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "arrays.npz"


def write_zip(path, items, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, array in items:
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(f"{name}.npy", content.getvalue())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rows": IDS[[0, 0, 2]]}, "'u0' occurs twice among the rows"),
        ({"columns": IDS[[0, 2, 2]]}, "'u2' occurs twice among the columns"),
        ({"column_speakers": SPEAKERS[::-1]}, "'u0' has the speaker 'a' as a row, 'c' as a column"),
    ],
)
def test_the_axes_of_a_matrix_agree(path, change, reason):
    np.savez(path, **MATRIX | change)
    with pytest.raises(BadInput, match=reason):
        read_matrix(path)


def test_axes_may_be_in_another_order_or_name_other_things(path):
    np.savez(path, **MATRIX | {"columns": IDS[::-1], "column_speakers": SPEAKERS[::-1]})
    assert read_matrix(path).columns[0] == "u2"
    templates = {"columns": np.array(["u0", "b", "c"]), "column_speakers": SPEAKERS[::-1]}
    np.savez(path, **MATRIX | templates)
    assert read_matrix(path).column_speakers[0] == "c"


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_only_compressions_of_numpy_are_read(path, method):
    write_zip(path, MATRIX.items(), method)
    with pytest.raises(BadInput, match="compressed in another way"):
        read_matrix(path)
    write_zip(path, MATRIX.items(), zipfile.ZIP_DEFLATED)
    assert read_matrix(path).rows.tolist() == IDS.tolist()


def test_many_arrays_that_swell_together_are_refused_at_once(path, monkeypatch):
    monkeypatch.setattr(arrays, "SMALL_BYTES_OF_ALL", 2**20)
    write_zip(path, [(f"a{k}", np.zeros(2**15)) for k in range(8)], zipfile.ZIP_DEFLATED)
    with pytest.raises(BadInput, match="unpacks to 2098176 bytes"):
        arrays.read_npz(path, [])


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_and_embeddings_that_are_all_zero_are_refused(path):
    write_zip(path, [("a", np.zeros(2)), ("a", np.ones(2))])
    with pytest.raises(BadInput, match="two arrays have one name"):
        arrays.read_npz(path, ["a"])
    np.savez(path, ids=IDS, embeddings=np.zeros((3, 4)))
    with pytest.raises(BadInput, match="all embeddings are zero"):
        arrays.read_embeddings(path)


@pytest.mark.parametrize("byte", range(1, 61))
def test_a_directory_of_a_zip_that_is_damaged_gives_the_same_or_an_error(path, byte):
    np.savez(path, **MATRIX)
    content = bytearray(path.read_bytes())
    content[-byte] ^= 0xFF
    path.write_bytes(content)
    try:
        matrix = read_matrix(path)
    except BadInput as error:
        assert str(error).startswith(str(path))
    else:
        assert np.array_equal(matrix.scores, MATRIX["scores"])


def test_real_numbers_are_finite_and_neither_complex_nor_text():
    assert arrays.is_real(np.zeros(2), (2,))
    for wrong in ([0.0] * 3, [0.0, np.inf], [0j, 0j], [False, True], ["0", "1"]):
        assert not arrays.is_real(np.array(wrong), (2,))


def test_infinity_survives_json_and_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "m.json"
    numbers = {"op": {"a": np.float64("inf"), "b": -np.inf}, "n": np.int64(3)}
    json_files.write_json(path, numbers)
    with pytest.raises(ValueError, match="JSON"):
        json_files.write_json(path, {"a": float("nan")})
    assert json_files.read_json(path) == numbers
    assert [file.name for file in tmp_path.iterdir()] == ["m.json"]
    path.write_text('{\n "a": \n}')
    with pytest.raises(BadInput, match=r"m\.json:3: not JSON"):
        json_files.read_json(path)


def test_a_matrix_comes_back_as_written_and_sources_default_to_the_ids(tmp_path):
    matrix = ScoreMatrix(**MATRIX, row_sources=IDS, column_sources=IDS)
    write_matrix(tmp_path / "m", matrix)  # whatever it is called
    np.savez(tmp_path / "bare.npz", **MATRIX)
    for name in ("m", "bare.npz"):
        for array, expected in zip(read_matrix(tmp_path / name), matrix, strict=True):
            assert (array == expected).all()


def test_a_file_is_named_once():
    for said, line in (("a.tsv:3: what", "a.tsv:3: what"), ("what", "a.tsv: what")):
        with pytest.raises(BadInput, match=f"^{line}$"), files.naming("a.tsv"):
            raise BadInput(said)


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
    for name in "ab":
        (tmp_path / name).mkdir()
    digests = []
    for code, token in (("a", "1"), ("a", "2"), ("b", "2"), ("c", "2")):
        monkeypatch.setenv("CODE", str(tmp_path / code))
        monkeypatch.setenv("TOKEN", token)
        digests.append(placeholders.paths_behind(command))
    assert digests[0] == digests[1] != digests[2] and digests[3] == ""
    assert placeholders.variables_in(command) == ["CODE", "TOKEN"]
    assert placeholders.paths_behind("no variables") == ""


def test_a_named_pipe_is_no_packed_table(tmp_path):
    os.mkfifo(tmp_path / "trials.gz")
    with pytest.raises(BadInput, match="is a pipe or a device"):
        packed.unpacked(tmp_path / "trials.gz")


@pytest.mark.parametrize("name", ["{}/pipe", "/dev/stdout", "/dev/fd/1", "{}/link"])
def test_no_device_or_pipe_is_replaced_by_a_file(tmp_path, monkeypatch, name):
    """--output /dev/null as root, as in containers, left the machine without it."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    path = Path(name.format(tmp_path))
    for method in ("replace", "unlink"):
        monkeypatch.setattr(Path, method, lambda *_, **options: pytest.fail("lost"))
    with pytest.raises(BadInput, match="is a pipe or a device"), writing.whole_or_absent(path):
        pass
    with pytest.raises(BadInput, match="is a pipe or a device"):
        writing.remove_earlier(path)


@pytest.mark.parametrize("name", ["m.json", "漢" * 80 + ".json", "a (1).UUID.json"])
def test_a_name_that_a_disk_takes_is_written_and_its_leftovers_are_removed(tmp_path, name):
    with writing.whole_or_absent(tmp_path / name) as temporary:
        temporary.write_text("x")
    assert (tmp_path / name).read_text() == "x"
    writing._temporary(tmp_path / name).touch()
    writing.remove_earlier(tmp_path / name)
    assert [path for path in tmp_path.iterdir() if path.name != name] == []


def test_a_folder_behind_a_link_is_replaced_where_it_lies(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    for text in "ab":
        with writing.whole_folder_or_absent(tmp_path / "link") as folder:
            (folder / "file").write_text(text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "disk" / "file").read_text() == text


def test_a_folder_that_cannot_be_read_is_not_passed_over(tmp_path, monkeypatch):
    """A speaker's files were left out without a word; lost+found of a disk is nobody's."""
    listed, locked = os.scandir, {str(tmp_path / "b"), str(tmp_path / "lost+found")}

    def scandir(path):
        if str(path) in locked:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return listed(path)

    for name in ("a", "b", "lost+found"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "u.wav").touch()
    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(BadInput, match=f"^{tmp_path}/b: cannot be read"):
        list(foreign.files_below(tmp_path))
    locked.discard(str(tmp_path / "b"))
    assert list(foreign.files_below(tmp_path)) == ["a/u.wav"]


class Counted(NamedTuple):
    number: int | str


def test_more_digits_than_a_number_has_are_a_word(tmp_path):
    texts = ("7", "-", "1" * 5000, "\u0663")
    typed_tables.write_typed(tmp_path / "t.tsv", Counted, [(text,) for text in texts])
    read = [row.number for row in typed_tables.read_typed(Counted, tmp_path / "t.tsv")]
    assert read == [7, *texts[1:]]


@pytest.mark.parametrize("letter", "aé")
def test_each_pseudo_speaker_has_an_id_of_its_own_that_can_be_read(tmp_path, letter):
    names = [letter * (199 // len(letter.encode())) + digit for digit in "01"]
    listed = [Utterance(name, "s", "f", tmp_path / "a.wav", 1.0) for name in [*names, "u"]]
    write_manifest(tmp_path / "m.tsv", with_pseudo_speakers(listed))
    *long, short = [line.speaker for line in read_manifest(tmp_path / "m.tsv")]
    assert len({*long}) == 2 and short == "pseudo-u"
