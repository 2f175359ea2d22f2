"""Damages of a file: one byte changed, added or lost, or the end cut off; and who notices."""

import re

from voiceprivacy.inout import arrays, audio, checksums, json_files, tables


def damage(content, draw):
    """The content with one damage, as ``draw`` (random.Random) says."""
    kind = draw.choice(["flip", "flip", "change", "cut", "lose", "add"])
    position = draw.randrange(len(content)) if content else 0
    before, byte, after = (
        content[:position],
        content[position : position + 1],
        content[position + 1 :],
    )
    if kind == "flip":
        return before + bytes([byte[0] ^ 1 << draw.randrange(8)]) + after if byte else b"\0"
    if kind == "change":
        return before + draw.randbytes(1) + after
    if kind == "cut":
        return before
    if kind == "lose":
        return before + after
    return before + draw.randbytes(1) + byte + after


# What a run's files say to those who read them.

UNREAD = re.compile(
    r"(logs|benchmarks|sources)/|report/(?!listen/|tables/\S+\.tsv)|(\S+/)?\.\w+$|codes\.key|format"
)
LISTS = {
    ".speakers.tsv": tables.read_speakers,
    ".enrolments.tsv": tables.read_enrolments,
    ".tsv": tables.read_trials,
}


def files_read(results):
    """All files of a run that it reads itself, checksums among them, in the order of their names.

    Others are Snakemake's own, and what people read: the page, pictures and LaTeX.
    """
    files = sorted(path for path in results.rglob("*") if path.is_file())
    return [path for path in files if not UNREAD.match(str(path.relative_to(results)))]


def content_of(path, results):
    """What a file of a run, or the file that a checksum is of, says, as its readers read it."""
    if path.suffix == ".sha256":
        return content_of(path.with_suffix(""), results)
    if path.name.endswith("checksums.tsv"):
        manifest = path.with_name(path.name.replace("checksums.tsv", "tsv").lstrip("."))
        return _speech_of(manifest if manifest.exists() else path.with_name("manifest.tsv"))
    return _reader_of(path, results)(path)


def _reader_of(path, results):
    """The function that reads such a file."""
    folder = path.relative_to(results).parts[0]
    if (path.parent / f"{path.stem}.checksums.tsv").exists() or path.name == "manifest.tsv":
        return tables.read_manifest
    if folder == "trials":
        return next(read for ending, read in LISTS.items() if path.name.endswith(ending))
    if folder == "scores":
        return tables.read_scored_trials
    readers = {
        ".npz": _arrays,
        ".json": json_files.read_json,
        ".flac": lambda recording: audio.read(recording)[0].tobytes(),
        ".tsv": _rows,
    }
    return readers.get(path.suffix, checksums.read_checked)


def _rows(path):
    """The rows of a table whose columns are known."""
    if path not in COLUMNS_OF:
        COLUMNS_OF[path] = path.read_text().partition("\n")[0].split("\t")
    return list(tables.read_rows(path, COLUMNS_OF[path]))


COLUMNS_OF = {}  # of undamaged tables, which are read first


def _arrays(path):
    arrays_of = arrays.read_npz(path, [])
    return {name: (array.dtype.str, array.tobytes()) for name, array in arrays_of.items()}


def _speech_of(manifest):
    return [audio.read(utterance.path)[0].tobytes() for utterance in tables.read_manifest(manifest)]
