"""Speech as people have it, under names that a run can use.

What is read where it lies:

* a tree of audio files, of any endings, whose names tell the speaker (``file_names``);
* a Kaldi data directory (wav.scp, utt2spk, perhaps segments, text, spk2gender), such as those of
  the challenges, of VoicePAT and of the SA-toolkit;
* a folder with metadata.csv or metadata.jsonl, as Hugging Face's ``audiofolder`` has it.

A zip, a tar and sound inside of tables are unpacked first (``unpacking``).

Conventions
-----------
* An id is a name that may be a file name and an argument. Another name is changed: its accents are
  written in one way (NFC), and what an id cannot hold becomes _. A table keeps both.
* Of two files of one name (a.wav and a.mp3) the one that lost least is taken.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from voiceprivacy.corpora.kinds import folder as tree
from voiceprivacy.corpora.kinds import kaldi
from voiceprivacy.corpora.listing import Findings, Listed, list_utterances, read_transcripts
from voiceprivacy.corpora.rows import Pipe, whole
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import read_lines, rows_of_csv
from voiceprivacy.inout.ids import GENDERS, UNSAFE
from voiceprivacy.inout.json_files import parse_json
from voiceprivacy.running import decoding
from voiceprivacy.tools.file_names import audio_files, guess_pattern, loss_of
from voiceprivacy.vocabulary import RECORDINGS

LONGEST_NAME = 120  # bytes of an id that was changed
COMMON_VOICE, CLIPS = "validated.tsv", "clips"  # its table, and the folder beside it of its files
TABLES = ("metadata.csv", "metadata.jsonl", COMMON_VOICE)
# What people call the columns of such tables.
FILE_COLUMNS = ("file_name", "path")
SPEAKER_COLUMNS = ("speaker", "speaker_id", "spk_id", "spk", "client_id", "talker")
TEXT_COLUMNS = ("text", "transcription", "transcript", "sentence", "normalized_text")
ID_COLUMNS = ("utterance", "utterance_id", "id", "segment_id")

_OF_NO_UTTERANCE = "{}: has no utterance of these, such as '{}'"


class Intake(NamedTuple):
    """What a folder of speech holds.

    ``looks_like``: the pattern, or what kind of folder it is; ``n_files``: how many audio files or
    lines of a table; ``names``: {id of an utterance: what people call it}; ``speakers``: the same;
    ``texts``: {id: what is said}; ``is_plain``: the corpus kind ``folder`` reads the same by itself
    """

    root: Path
    looks_like: str
    n_files: int
    listed: list[Listed]
    names: dict[str, str]
    speakers: dict[str, str]
    texts: dict[str, str]
    is_plain: bool


class _Item(NamedTuple):
    """One utterance as people name it."""

    name: str
    speaker: str
    gender: str
    session: str
    audio: Any
    text: str | None = None


def read(
    root: Path, *, pattern: str | None, speakers: Path | None, transcripts: Path | None
) -> Intake:
    """Read a folder of original speech of any kind.

    Parameters
    ----------
    root : absolute path
    pattern : str, optional
        Of a tree; guessed without.
    speakers, transcripts : path, optional
        TSVs with the columns speaker and gender, and utterance and text.

    Raises
    ------
    BadInput : there is no such folder, or nobody can tell the speakers
    """
    if pattern is None and (root / "wav.scp").exists():
        items = list(_of_directory(root))
        return _named(root, "a Kaldi data directory", items, speakers, transcripts)
    tables: list[Path] = []
    for name in TABLES:
        tables += sorted([*root.glob(name), *root.glob(f"*/{name}")])
    if pattern is None and tables:
        rows: list[_Item] = []
        for path in tables:
            rows += _of_table(root, path)
        intake = _named(root, f"a folder with {tables[0].name}", rows, speakers, transcripts)
        named = {row.audio for row in rows}
        n_others = sum(root / path not in named for path in audio_files(root))
        return intake._replace(n_files=len(rows) + n_others)
    paths = audio_files(root)
    foreign.refuse_no_utf8(root, (f"{root}/{path}" for path in paths))
    pattern = pattern or guess_pattern(paths)
    items, is_plain = _of_tree(root, pattern, paths)
    if not items:
        raise BadInput(f"{root}: no file below it looks like {pattern}")
    if is_plain:
        listed, texts = _as_folder(root, pattern, speakers, transcripts)
        return Intake(root, pattern, len(paths), listed, {}, {}, texts, True)
    intake = _named(root, pattern, items, speakers, transcripts)
    return intake._replace(n_files=len(paths))


def _as_folder(
    root: Path, pattern: str, speakers: Path | None, transcripts: Path | None
) -> tuple[list[Listed], dict[str, str]]:
    options = {"root": str(root), "pattern": pattern}
    tables = {"speakers": speakers, "transcripts": transcripts}
    options |= {key: str(table) for key, table in tables.items() if table}
    findings = Findings()
    listed = list_utterances({"folder": options}, findings)
    findings.refuse_errors()
    said = read_transcripts({"folder": options}) if transcripts else {}
    if transcripts and not any(one.utterance in said for one in listed):
        raise BadInput(_OF_NO_UTTERANCE.format(transcripts, listed[0].utterance))
    return listed, said


# A tree of files.


def _of_tree(root: Path, pattern: str, paths: list[str]) -> tuple[list[_Item], bool]:
    """The utterances of a tree, and whether their names and endings are good as they are."""
    ending = PurePosixPath(pattern).suffix
    stem = pattern.removesuffix(ending) if ending.lower() in RECORDINGS else pattern
    tree.compile_pattern(pattern)  # what is wrong is said of all of it
    expression = tree.compile_pattern(stem)
    best: dict[str, str] = {}
    for path in sorted(paths, key=loss_of):
        best.setdefault(path if stem == pattern else str(PurePosixPath(path).with_suffix("")), path)
    with foreign.matching(pattern, len(best)):
        matches = [
            (match, best[name]) for name in sorted(best) if (match := expression.fullmatch(name))
        ]
    repeated = len({match["utterance"] for match, _ in matches}) < len(matches)
    items = []
    for match, path in matches:
        fields = match.groupdict()
        name = str(PurePosixPath(path).with_suffix("")).replace("/", "-")
        items.append(
            _Item(
                name if repeated else fields["utterance"],
                fields["speaker"],
                GENDERS.get((fields.get("gender") or "").lower(), "-"),
                fields.get("session") or "",
                root / path,
            )
        )
    is_plain = all(
        str(item.audio).endswith(ending)
        and not decoding.is_encoded(item.audio)
        and as_id(item.name) == item.name
        and as_id(item.speaker) == item.speaker
        for item in items
    )
    return items, is_plain


# Tables and directories.


def _of_directory(root: Path) -> Iterator[_Item]:
    findings = Findings()
    listed = kaldi.list_utterances(str(root), findings)
    findings.refuse_errors()
    texts = kaldi.read_transcripts(str(root)) if (root / "text").exists() else {}
    for one in listed:
        if isinstance(whole(one.audio), Pipe):
            raise BadInput(
                f"{root}/wav.scp: '{one.utterance}' is a command, which is run only where a config"
                " allows it: name the directory in a config with pipes: true (docs/guide/data.md)"
            )
        text = texts.get(one.utterance)
        yield _Item(one.utterance, one.speaker, one.gender, one.session, one.audio, text)


def _of_table(root: Path, path: Path) -> Iterator[_Item]:
    """The lines of a table; their files are below its folder."""
    for line, row in _rows(path):
        file = value_of(row, FILE_COLUMNS)
        if file is None:
            columns = " or ".join(FILE_COLUMNS)
            raise BadInput(f"{path}:{line}: has no {columns} (or use --pattern on names of files)")
        if path.name == COMMON_VOICE:
            file = f"{CLIPS}/{file}"
        inside = PurePosixPath(file)
        if inside.is_absolute() or ".." in inside.parts or not inside.name:
            raise BadInput(f"{path}:{line}: '{file}' is not below the folder of the table")
        speaker = value_of(row, SPEAKER_COLUMNS)
        if speaker is None:
            raise BadInput(f"{path}:{line}: has no speaker ({', '.join(SPEAKER_COLUMNS)})")
        below = (path.parent / file).relative_to(root).with_suffix("").as_posix()
        name = value_of(row, ID_COLUMNS) or below
        gender = GENDERS.get((value_of(row, ("gender", "sex")) or "").lower(), "-")
        text = value_of(row, TEXT_COLUMNS)
        yield _Item(name.replace("/", "-"), speaker, gender, "", path.parent / file, text)


def _rows(path):
    if path.suffix != ".jsonl":
        yield from rows_of_csv(path, quoted=path.name != COMMON_VOICE)
        return
    for line, text in enumerate(read_lines(path), start=1):
        if not text.strip():
            continue
        row = parse_json(text, f"{path}:{line}")
        yield line, row if isinstance(row, dict) else {}


def value_of(row: Mapping[str, Any], columns: tuple[str, ...]) -> str | None:
    """The value of the first of some columns that a row has; numbers count, too."""
    values = {str(key).strip().lower(): value for key, value in row.items()}
    for column in columns:
        if isinstance(values.get(column), str | int) and str(values[column]).strip():
            return str(values[column]).strip()
    return None


# Names.


def as_id(name: str) -> str:
    """A name as an id: itself, or one like it that can be a file name.

    >>> as_id("anna-001"), as_id("Anna B (2)"), as_id("-x"), as_id("?")
    ('anna-001', 'Anna_B_2', 'x', '_')
    """
    text = unicodedata.normalize("NFC", name)
    if UNSAFE.search(text) or re.search(r"[()\[\]{}<>|;&$`'\"*?!#]", text):
        text = re.sub(r"[\s/\\()\[\]{}<>|;&$`'\"*?!#\x00-\x1f\x7f-\x9f\ud800-\udfff]+", "_", text)
        text = text.lstrip("-._").rstrip("_") or "_"
    if len(text.encode()) > LONGEST_NAME:
        text = text.encode()[:LONGEST_NAME].decode(errors="ignore")
    return text


def why_not_listed(path: object) -> str | None:
    """Why a path cannot stand in a wav.scp; None where it can."""
    text = str(path)
    if text != text.strip() or text.endswith("|") or not text.isprintable():
        return "its name ends with a space or |, or holds what cannot be printed: rename it"
    return None


def ids_of(names: list[str]) -> dict[str, str]:
    """{name: id} of names; of two names that become one id, the second one gets a number."""
    ids: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for name in sorted(set(names), key=lambda name: (as_id(name) != name, name)):
        wanted = as_id(name)
        taken[wanted] += 1
        ids[name] = wanted if taken[wanted] == 1 else f"{wanted}_{taken[wanted]}"
        taken[ids[name]] += ids[name] != wanted
    return ids


def _named(
    root: Path,
    looks_like: str,
    items: list[_Item],
    speakers: Path | None,
    transcripts: Path | None,
) -> Intake:
    """Utterances under ids; people's tables speak of them by their names."""
    if not items:
        raise BadInput(f"{root}: holds no utterance")
    counts = Counter(item.name for item in items)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise BadInput(f"{root}: utterance '{twice}' occurs twice")
    findings = Findings()
    genders = _genders(speakers, findings)
    texts = tree.read_transcripts({"transcripts": str(transcripts)}) if transcripts else {}
    findings.refuse_errors()
    utterance_ids = ids_of([item.name for item in items])
    # Accents are written in two ways; a person is one.
    speaker_ids = ids_of([unicodedata.normalize("NFC", item.speaker) for item in items])
    listed, said = [], {}
    for item in items:
        name, speaker = utterance_ids[item.name], unicodedata.normalize("NFC", item.speaker)
        gender = genders.get(speaker, item.gender)
        own = (name, speaker_ids[speaker], gender, item.session, item.audio, str(item.audio), "-")
        listed.append(Listed(*own))
        text = texts.get(foreign.composed(item.name), texts.get(name, item.text))
        if text is not None:
            said[name] = " ".join(text.split())
    if texts and not said:
        raise BadInput(_OF_NO_UTTERANCE.format(transcripts, items[0].name))
    return Intake(
        root=root,
        looks_like=looks_like,
        n_files=len(items),
        listed=sorted(listed, key=lambda one: one.utterance),
        names={utterance_ids[item.name]: item.name for item in items},
        speakers={number: name for name, number in speaker_ids.items()},
        texts=said,
        is_plain=False,
    )


def _genders(path, findings):
    """{speaker: f or m} of a table."""
    genders = tree.read_genders(str(path), findings) if path else {}
    return {unicodedata.normalize("NFC", name): gender for name, gender in genders.items()}
