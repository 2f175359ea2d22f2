"""Speech inside of one file: archives, and tables of Hugging Face with the sound inside of them."""

import io
import json
import os
import sys
import tarfile
import zipfile
from itertools import product

import numpy as np
import pytest
import soundfile
from support.calls import refused, succeeds
from support.given_speech import RATE, same, sound, taken, tree

from voiceprivacy.errors import BadInput
from voiceprivacy.tools import unpacking
from voiceprivacy.tools.new_run import examine

SPEAKERS = {"anna": 0, "bert": 1, "carl": 1, "dora": 0}
CLASSES = {"_type": "ClassLabel", "names": ["female", "male"]}
HEAD = {"info": {"features": {"gender": CLASSES, "speaker_id": {"_type": "Value"}}}}


def pack(root, path):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in root.rglob("*"):
                name = str(file.relative_to(root.parent))
                archive.write(file, name.replace("/", "\\") if "windows" in path.name else name)
    else:
        with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
            archive.add(root, "top")


def pack_one(path, content):
    (path.parent / "a").mkdir()
    (path.parent / "a" / "x.wav").write_bytes(content)
    pack(path.parent / "a", path)
    return path


@pytest.mark.parametrize("ending", ["zip", "tar.gz", "windows.zip"])
def test_archives_are_unpacked_beside_the_config(tmp_path, ending):
    names = ("anna b", "bert", "carl")
    root = tree(tmp_path / "speech" / "top", "{name}/{number}.wav", names=names)
    (root / ".hidden.wav").write_bytes(b"x")
    (root / "program.exe").write_bytes(b"x")
    speech, protected = (tmp_path / f"{name}.{ending}" for name in ("speech", "mine"))
    pack(root, speech)
    for file in root.rglob("[0-9].wav"):
        soundfile.write(file, soundfile.read(file)[0][::-1], RATE)
    pack(root, protected)
    others = tree(tmp_path / "others", "{name}/x{number}.wav", names=("dora", "emil"))
    pack(others, tmp_path / f"more.{ending}")
    (tmp_path / "work").mkdir()
    words = ["--original", speech, "--protected", f"mine={protected}", "--config", "my.yaml"]
    words += ["--train", tmp_path / f"more.{ending}"]
    assert "15 of 15 audio files" in succeeds("new_run", *words, cwd=tmp_path / "work")
    kept = {file.name for file in (tmp_path / "work/my.unpacked").rglob("*") if file.is_file()}
    assert kept == {f"{x}{number}.wav" for x, number in product(("", "x"), range(5))}


@pytest.mark.parametrize("name", ["../out.wav", "/tmp/out.wav"])
def test_links_and_an_archive_that_leaves_its_folder_are_refused(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(name, b"x")
    member, link = tarfile.TarInfo(name), tarfile.TarInfo("a/b.wav")
    member.size = 1
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    for file, packed in (("x.tar", member), ("link.tar", link)):
        with tarfile.open(tmp_path / file, "w") as archive:
            archive.addfile(packed, io.BytesIO(b"x"))
    with tarfile.open(tmp_path / "twice.tar", "w") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo("a.wav"))
    said = {"x.zip": "outside", "x.tar": "outside", "link.tar": "is a link", "twice.tar": "twice"}
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "earlier.wav").touch()  # which an earlier config names
    for file, words in said.items():
        with pytest.raises(BadInput, match=words):
            unpacking.unpacked(tmp_path / file, tmp_path / "to")
    assert not (tmp_path / "out.wav").exists()
    assert [path.name for path in (tmp_path / "to").rglob("*")] == ["earlier.wav"]


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(unpacking, "SMALL_BYTES", 10**6)
    whole = pack_one(tmp_path / f"x.{ending}", bytes(10**7))
    with pytest.raises(BadInput, match=r"unpacks to 0\.0 GB"):
        unpacking.unpacked(whole, tmp_path / "to")
    assert not list((tmp_path / "to").rglob("*"))


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
def test_a_damaged_archive_is_read_or_refused(tmp_path, ending):
    content = pack_one(tmp_path / f"x.{ending}", bytes(range(256)) * 4).read_bytes()
    damaged = tmp_path / f"damaged.{ending}"
    draw = np.random.default_rng(0)
    refused = 0
    for position in draw.integers(len(content), size=150):
        spoilt = bytearray(content)
        spoilt[position] ^= int(draw.integers(1, 256))
        damaged.write_bytes(bytes(spoilt) if position % 3 else content[:position])
        try:
            unpacking.unpacked(damaged, tmp_path / "unpacked")
        except BadInput as error:
            assert str(error).startswith(f"{damaged}: ")
            refused += 1
    assert refused > 20


def test_two_archives_of_one_name_are_not_taken_for_each_other(tmp_path):
    for folder, sign in (("before", 1), ("after", -1)):
        (tmp_path / folder).mkdir()
        with zipfile.ZipFile(tmp_path / folder / "speech.zip", "w") as archive:
            for name, number in product(("anna", "bert", "carl"), range(5)):
                archive.writestr(f"{name}/{number}.wav", wav(f"{name}{number}", sign))
    unpack = unpacking.Unpacking(tmp_path / "my.yaml")
    made = unpack(tmp_path / "after" / "speech.zip")
    heard = taken(tmp_path, examine(unpack(tmp_path / "before" / "speech.zip"), {"mine": made}))
    assert len(heard) == 15 and all(same(one, -other) for one, other in heard.values())
    assert unpack(tmp_path / "after" / "speech.zip") == made


# Sound inside of tables, where pyarrow is installed, which is optional.


def wav(text, sign=1, rate=RATE):
    file = io.BytesIO()
    soundfile.write(file, sign * sound(text, rate=rate), rate, format="WAV")
    return file.getvalue()


@pytest.fixture
def write_table():
    """What writes a table: (path, rows, head)."""
    pytest.importorskip("pyarrow", reason="pyarrow: not installed (make test-long installs it)")
    import pyarrow
    from pyarrow import ipc, parquet

    def write(path, rows, head=HEAD):
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pyarrow.Table.from_pylist(rows)
        if head:
            table = table.replace_schema_metadata({"huggingface": json.dumps(head)})
        if path.suffix == ".parquet":
            parquet.write_table(table, path, row_group_size=3)
            return
        with ipc.new_stream(path, table.schema) as file:
            file.write_table(table)

    return write


def rows_of(sign=1, *, named="path", rate=RATE):
    rows = []
    for (name, gender), number in product(SPEAKERS.items(), range(5)):
        text = f"{name}_{number}"
        path = {"path": f"{text}.wav", "id": "0.wav", "number": None}[named]
        row = {"audio": {"bytes": wav(text, sign, rate), "path": path}, "speaker_id": name}
        row |= {"id": text} if named == "id" else {}
        rows.append(row | {"gender": gender, "transcription": f"say {number}"})
    return rows


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("named", ["path", "id", "number"])
def test_shards_are_read_with_speakers_and_texts(tmp_path, write_table, ending, named):
    rows = rows_of(named=named, rate=48000)
    write_table(tmp_path / "here" / "data" / f"train-00000-of-00002.{ending}", rows[:7])
    write_table(tmp_path / "here" / "data" / f"train-00001-of-00002.{ending}", rows[7:])
    write_table(tmp_path / "made" / "data" / f"train.{ending}", rows_of(-1, named=named, rate=8000))
    unpack = unpacking.Unpacking(tmp_path / "my.yaml")
    run = examine(unpack(tmp_path / "here" / "data"), {"mine": unpack(tmp_path / "made" / "data")})
    assert run.left_out == {} and run.lists == ["f", "m"] and len(run.utterances) == 20
    sexes = {name: "fm"[gender] for name, gender in SPEAKERS.items()}
    assert {one.speaker: one.gender for one in run.utterances} == sexes
    assert len(taken(tmp_path, run)) == 20
    assert "say 3" in (tmp_path / "my.data" / "text").read_text()
    texts = [f"{name}_{number}" for name, number in product(SPEAKERS, range(5))]
    for one in run.utterances:
        original, _ = soundfile.read(one.audio)
        protected, _ = soundfile.read(run.protected["mine"].files[one.utterance])
        text = texts[int(one.utterance)] if named == "number" else one.utterance
        assert same(original, sound(text, rate=48000))
        assert same(protected, -sound(text, rate=8000))


def test_a_table_may_be_named_itself_and_sound_of_flac_is_kept(tmp_path, write_table):
    rows = rows_of(named="number")
    for row in rows:
        file, (samples, rate) = io.BytesIO(), soundfile.read(io.BytesIO(row["audio"]["bytes"]))
        soundfile.write(file, samples, rate, format="FLAC")
        row["audio"]["bytes"] = file.getvalue()
    write_table(tmp_path / "speech.parquet", rows)
    folder = unpacking.Unpacking(tmp_path / "my.yaml")(tmp_path / "speech.parquet")
    assert sorted(file.name for file in folder.iterdir())[0] == "000000.flac"
    assert len(examine(folder, {"mine": folder}).utterances) == 20


def test_names_that_lead_elsewhere_stay_in_the_folder(tmp_path, write_table):
    rows = [{"audio": {"bytes": b"RIFF", "path": "../../out.wav"}, "speaker": "a"}]
    rows.append({"audio": {"bytes": b"fLaC", "path": "C:\\x\\o u;t.WAV"}, "speaker": "a"})
    write_table(tmp_path / "x.parquet", rows, None)
    folder = unpacking.out_of_tables(tmp_path / "x.parquet", tmp_path / "to" / "this")
    assert {file.name for file in folder.iterdir()} == {"out.wav", "o_u_t.wav", "metadata.jsonl"}
    assert {file.name for file in tmp_path.iterdir()} == {"x.parquet", "to"}


SOUND = {"bytes": b"RIFF", "path": "a.wav"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"speaker": "a"}], "no column of sound"),
        ([{"one": SOUND, "two": SOUND}], r"several columns of sound \(one, two\)"),
        ([{"audio": {"bytes": None, "path": "a.wav"}}], "only the path a.wav"),
        ([{"audio": SOUND}, {"audio": SOUND}], "'a' occurs twice"),
        (None, "cannot be read"),
    ],
)
def test_rows_that_cannot_be_and_what_is_no_table_are_refused(tmp_path, write_table, rows, said):
    if rows:
        write_table(tmp_path / "x.parquet", rows, None)
    else:
        (tmp_path / "x.parquet").write_bytes(b"PAR1 no table")
    with pytest.raises(BadInput, match=f"x.parquet: .*{said}"):
        unpacking.out_of_tables(tmp_path / "x.parquet", tmp_path / "to")


def test_without_pyarrow_it_is_said_how_to_install_it_and_files_beside_tables_are_read(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "train.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match="pyarrow: pip install"):
        unpacking.Unpacking(tmp_path / "my.yaml")(tmp_path)
    root = tree(tmp_path / "speech", "{name}/{number}.wav", names=("anna", "bert"))
    (root / "index.parquet").write_bytes(b"PAR1")
    assert unpacking.Unpacking(tmp_path / "my.yaml")(root) == root


def test_a_tar_with_names_that_are_not_utf8_is_refused_and_nothing_is_left(tmp_path):
    root = tree(tmp_path / "top", "{name}/{number}.wav", names=("anna", "bert", "carl"))
    (root / "anna").rename(root / os.fsdecode(b"jos\xe9"))
    pack(root, tmp_path / "a.tar")
    words = ("--original", "a.tar", "--protected", f"mine={root}", "--config", "my.yaml")
    said = refused("new_run", *words, cwd=tmp_path)
    assert "jos\\xe9/" in said and "a name that is not UTF-8" in said
    assert not list(tmp_path.glob("my*"))
