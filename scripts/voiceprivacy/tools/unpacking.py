"""Speech that lies inside of one file, unpacked beside the config.

* A zip or tar: the sound and the tables in it.
* Tables of Hugging Face with the sound inside of them (parquet shards, arrow files of
  ``save_to_disk``): a file for each row, and a metadata.jsonl of its other columns. They are read
  by pyarrow, which need not be installed otherwise.

Conventions
-----------
* A file of a table is called by its row's id, else by the name that the row gives its sound, else
  by the number of the row: so original and protected tables of one data set meet.
"""

import contextlib
import json
import shutil
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import UNREADABLE
from voiceprivacy.inout.foreign import NO_UTF8
from voiceprivacy.inout.writing import remove_at_once, scratch_folder, whole_or_absent
from voiceprivacy.running.command import say
from voiceprivacy.tools.file_names import audio_files
from voiceprivacy.tools.intake import ID_COLUMNS, TABLES, as_id, value_of
from voiceprivacy.vocabulary import RECORDINGS

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
OF_ARCHIVES = (
    *RECORDINGS,
    ".csv",
    ".jsonl",
    ".tsv",
    ".txt",
    ".json",
)  # and files without an ending
SHARDS = (".parquet", ".arrow")
ROWS = 64  # that are in memory at a time
MOST_FILES = 1_000_000
SMALL_BYTES, SWELLING = 10**9, 50  # packed sound has a third of its size, or more
# The first bytes of a file, where its row does not name it. MP3 has several: it is the rest.
BEGINNINGS = {b"RIFF": ".wav", b"fLaC": ".flac", b"OggS": ".ogg"}
INSTALL = "pip install --no-deps -r envs/requirements-parquet.txt"


def is_archive(path: Path) -> bool:
    """Whether a path is a zip or tar, by its ending."""
    return path.name.lower().endswith(ARCHIVES) and path.is_file()


class Unpacking:
    """Gives folders of files as they are, and archives and tables as folders beside the config."""

    def __init__(self, config: Path) -> None:
        self.config, self.folder = config, config.with_name(f"{config.stem}.unpacked")
        self.folders: dict[Path, Path] = {}  # of what was unpacked: two may have one name

    def __call__(self, path: Path) -> Path:
        """The folder of a path."""
        if not is_packed(path):
            return path
        source = path.absolute()
        if source not in self.folders:
            name, taken = source.name.replace(".", "_"), set(self.folders.values())
            folder, number = self.folder / name, 1
            while folder in taken:
                number += 1
                folder = self.folder / f"{name}_{number}"
            say(f"unpacking {path} into {folder}")
            self.folders[source] = folder
            (unpacked if is_archive(path) else out_of_tables)(path, folder)
        return self.folders[source]

    def __enter__(self) -> "Unpacking":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Remove what was unpacked where no config names it."""
        if kind is None or self.config.exists():
            return
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # it is not there, or another call unpacked into it
            self.folder.rmdir()


def refuse_packed(path: Path) -> None:
    """Refuse what has no files yet whose names could be looked at."""
    if is_packed(path):
        raise BadInput(f"{path}: is an archive or a table: unpack it to look at it")


def is_packed(path: Path) -> bool:
    """Whether speech has to be unpacked before its files can be looked at."""
    return is_archive(path) or bool(shards_of(path))


def unpacked(path: Path, folder: Path) -> Path:
    """Unpack the sound and the tables of an archive into a folder that is made for it.

    Nothing else is written, and nothing outside of the folder.

    Raises
    ------
    BadInput : it is no such archive, has links or devices, names files elsewhere, unpacks to far
        more than sound can, or to more than the disk can hold
    """
    members: list[tuple[str, int, Any]] = []
    with _made_anew(folder) as scratch:
        try:
            if path.name.lower().endswith(".zip"):
                with zipfile.ZipFile(path) as zipped:
                    for one in zipped.infolist():  # Windows may have written anna\1.wav
                        members.append((one.filename.replace("\\", "/"), one.file_size, one))
                    _unpack(path, scratch, members, zipped.open)
            else:
                with tarfile.open(path) as tar:
                    members = [(one.name, one.size, one) for one in _files_of(path, tar)]
                    _unpack(path, scratch, members, tar.extractfile)
        except (tarfile.TarError, *UNREADABLE) as error:
            raise BadInput(f"{path}: cannot be unpacked ({error})") from None
    return folder


@contextlib.contextmanager
def _made_anew(folder: Path) -> Iterator[Path]:
    """Give an empty folder that replaces ``folder``, which an earlier config may name, at the end.

    Where the block fails, the earlier one stays.
    """
    with scratch_folder(folder) as scratch:
        yield scratch
        if folder.exists():
            remove_at_once(folder)
        scratch.replace(folder)


def _files_of(path, tar):
    """The files of a tar, which may hold folders beside them and nothing else."""
    files = []
    for member in tar:
        if not (member.isfile() or member.isdir()):
            raise BadInput(f"{path}: '{member.name}' is a link or a device: pack files only")
        files += [member] if member.isfile() else []
        _refuse_bomb(path, len(files), member.offset_data + member.size)
    return files


def _refuse_bomb(path, n_files, n_bytes):
    if n_files > MOST_FILES:
        raise BadInput(f"{path}: holds more than {MOST_FILES} files")
    if n_bytes > max(SMALL_BYTES, SWELLING * path.stat().st_size):
        raise BadInput(f"{path}: unpacks to {n_bytes / 1e9:.1f} GB: sound does not")


def _refuse_full(path, folder, needed):
    free = shutil.disk_usage(folder).free
    if needed > free // 2:
        raise BadInput(f"{path}: holds {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free")


def _unpack(path, folder, members, opened):
    """Write the members [(name, bytes, itself)] that speech consists of."""
    _refuse_bomb(path, len(members), sum(size for _, size, _ in members))
    wanted = []
    for name, size, member in members:
        parts = PurePosixPath(name).parts
        if PurePosixPath(name).is_absolute() or ".." in parts:
            raise BadInput(f"{path}: '{name}' would be written outside of its folder")
        if NO_UTF8.match(name):
            advice = "unpack it, rename its files (convmv), and name their folder"
            raise BadInput(f"{path}: '{name}' is a name that is not UTF-8: {advice}")
        is_hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts if part != ".")
        suffix = PurePosixPath(name).suffix.lower()
        if not (is_hidden or name.endswith("/")) and (suffix in OF_ARCHIVES or not suffix):
            wanted.append((folder.joinpath(*parts), size, member))
    for target, count in Counter(target for target, _, _ in wanted).items():
        if count > 1:
            raise BadInput(f"{path}: '{target.relative_to(folder)}' is in it twice: pack one")
    _refuse_full(path, folder, sum(size for _, size, _ in wanted))
    for target, size, member in wanted:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened(member) as source, open(target, "wb") as file:
            left = size
            while left > 0 and (block := source.read(min(left, 2**20))):
                file.write(block)
                left -= len(block)


# Sound inside of tables.


def shards_of(path: Path) -> list[Path]:
    """The tables that hold the speech of a path; none where it has files of sound."""
    if path.is_file():
        return [path] if path.suffix in SHARDS else []
    shards: list[Path] = []
    for ending in SHARDS:
        files = path.glob(f"**/*{ending}")
        shards += [file for file in files if not _is_hidden(file.relative_to(path))]
    has_table = (path / "wav.scp").exists() or any(path.glob(f"**/{TABLES[0]}"))
    if not shards or has_table or any(path.glob(f"**/{TABLES[1]}")):
        return []
    try:
        audio_files(path)
    except BadInput:  # there is none
        return sorted(shards)
    return []


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def out_of_tables(path: Path, folder: Path) -> Path:
    """Write the sound of tables as files, as it stands in them, into a folder made for it.

    Raises
    ------
    BadInput : pyarrow is not installed, a table cannot be read or has no sound, two rows have one
        name, or the disk cannot hold it
    """
    shards = shards_of(path)
    names: set[str] = set()
    with _made_anew(folder) as scratch:
        _refuse_full(path, scratch, sum(file.stat().st_size for file in shards))
        with open(scratch / TABLES[1], "w", encoding="utf-8") as metadata:
            for shard in shards:
                for row in _rows_of(shard):
                    line = _written(row, shard, scratch, names)
                    metadata.write(json.dumps(line, ensure_ascii=False) + "\n")
    return folder


def _written(row: dict[str, Any], shard: Path, folder: Path, names: set[str]) -> dict[str, Any]:
    """Write the sound of a row; what metadata.jsonl is to say of it."""
    sound = _sound_of(row, shard)
    given = PurePosixPath(str(sound.get("path") or "").replace("\\", "/"))
    name = as_id(value_of(row, ID_COLUMNS) or given.stem or f"{len(names):06d}")
    if name in names:
        raise BadInput(f"{shard}: '{name}' occurs twice: add a column id with names of their own")
    names.add(name)
    content = sound.get("bytes")
    if not content:
        raise BadInput(f"{shard}: '{name}' has no sound inside of the table, only the path {given}")
    ending = given.suffix.lower()
    if ending not in RECORDINGS:
        ending = BEGINNINGS.get(content[:4], ".mp3")
    (folder / f"{name}{ending}").write_bytes(content)
    others = {key: value for key, value in row.items() if isinstance(value, str | int)}
    # The file is called by the row's id already, as it can be written.
    kept = {key: value for key, value in others.items() if key.strip().lower() not in ID_COLUMNS}
    return {**kept, "file_name": f"{name}{ending}"}


def _sound_of(row: dict[str, Any], shard: Path) -> dict[str, Any]:
    """The sound of a row: Hugging Face's Audio is a struct of bytes and path."""
    sounds = {key: value for key, value in row.items() if _is_sound(value)}
    if "audio" in sounds:
        return sounds["audio"]
    if len(sounds) != 1:
        several = f"several columns of sound ({', '.join(sounds)}), none called audio"
        raise BadInput(f"{shard}: has {several if sounds else 'no column of sound'}")
    return next(iter(sounds.values()))


def _is_sound(value: object) -> bool:
    return isinstance(value, dict) and {"bytes", "path"} <= value.keys()


def _rows_of(shard: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, with the names of its classes instead of their numbers."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise BadInput(f"{shard}: needs the package pyarrow: {INSTALL}") from None
    try:
        if shard.suffix == ".parquet":
            table = parquet.ParquetFile(shard)
            schema, batches = table.schema_arrow, table.iter_batches(batch_size=ROWS)
        else:
            batches = ipc.open_stream(pyarrow.memory_map(str(shard)))
            schema = batches.schema
        classes = _classes(schema.metadata or {})
        for batch in batches:
            for row in batch.to_pylist():
                yield {**row, **_named(row, classes)}
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, AttributeError) as error:
        raise BadInput(f"{shard}: cannot be read ({error})") from None


def _named(row: dict[str, Any], classes: dict[str, list[str]]) -> dict[str, str]:
    """The classes of a row; -1 is none."""
    numbers = {key: row[key] for key in classes.keys() & row.keys() if isinstance(row[key], int)}
    return {
        key: classes[key][number]
        for key, number in numbers.items()
        if 0 <= number < len(classes[key])
    }


def _classes(metadata: dict[bytes, bytes]) -> dict[str, list[str]]:
    """{column: names of its classes} by what Hugging Face writes into a table's head."""
    said = json.loads(metadata.get(b"huggingface", b"{}"))
    features = said.get("info", {}).get("features", {}) if isinstance(said, dict) else {}
    return {
        column: feature["names"]
        for column, feature in features.items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
    }


def pack(path: Path, contents: Mapping[str, Path]) -> None:
    """Write a tar.gz of files and folders: {name in it: path}. What links lead to is in it."""
    with (
        whole_or_absent(path) as temporary,
        tarfile.open(temporary, "w:gz", dereference=True) as archive,
    ):
        for name, source in contents.items():
            archive.add(source, name)
