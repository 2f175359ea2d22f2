"""Whether a file of audio has all the bytes that its header announces.

libsndfile reads what is there and says nothing of what is missing. Each kind of file says its
length in its own way; a length that a stream's header could not know is not held against it.
FLAC and MP3 are not here: fewer samples come out of them than their headers announce.
"""

import io
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

STREAM = 0x7FFFF000  # the length in the header of a WAV that was written to a pipe is this or more
MOST_CHUNKS = 10_000  # before the samples: a file of zeros would have millions
LAST_PAGE = 4  # flag of an Ogg page
FIRST_PAGE = b"OggS\0\2"  # of a stream: version 0, and the flag of the first
HIDDEN = 4096  # bytes behind the samples that may be a rest: a tag, a sector
NIST_HEADER = 1024
UNCODED = (
    1,
    3,
    0xFFFE,
)  # tags of WAV: whole and floating-point numbers, and either described


KBITS = {  # of a second of an MP3, by its index from 1; of MPEG 1 and of the later ones
    True: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    False: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
RATES = (44100, 48000, 32000)  # of MPEG 1; half and a quarter of it in MPEG 2 and 2.5
LAYER_III = 1


def refuse_false_mp3(file: BinaryIO) -> None:
    """Refuse samples without a header that begin as an MP3 does, but go on otherwise.

    Its decoder prints 20 lines about them before it fails.

    Raises
    ------
    ValueError : no second frame begins where the first one ends
    """
    first = file.read(4)
    if len(first) < 4 or first[0] != 0xFF or first[1] < 0xE0:
        return
    file.seek(_bytes_of_frame(first))
    if file.read(2) != first[:2]:
        raise ValueError(f"no WAV, it begins with {first!r}: sox -t raw makes one of samples")


def _bytes_of_frame(head: bytes) -> int:
    """How long the frame of an MP3 is, by the first 4 bytes; 1 for none that is one."""
    version, kbits, rate = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    if head[1] >> 1 & 3 != LAYER_III or version == 1 or not 0 < kbits < 15 or rate == 3:
        return 1
    is_first = version == 3
    hertz = RATES[rate] // (1 if is_first else 2 if version == 2 else 4)
    bytes_per_kbit = 144_000 if is_first else 72_000
    return bytes_per_kbit * KBITS[is_first][kbits - 1] // hertz + (head[2] >> 1 & 1)


def missing_part(file: BinaryIO, kind: str) -> str | None:
    """What is missing at the end of a file.

    Parameters
    ----------
    file : opened for reading bytes, at its start
    kind : one of KINDS, libsndfile's name of the format

    Returns
    -------
    str or None : in words; None where nothing is

    Raises
    ------
    ValueError, struct.error, KeyError, IndexError : the file is not of this kind
    """
    if kind == "OGG":
        return _missing_page(file)
    if kind not in ANNOUNCED:
        return None
    announced = ANNOUNCED[kind](file)  # leaves the file where its samples begin
    start = file.tell()
    if announced is not None and kind in ("AIFF", "AU"):
        _refuse_hidden(file, start + announced, ">")
    missing = (announced or 0) - (file.seek(0, io.SEEK_END) - start)
    return f"{missing} bytes less than its header announces" if missing > 0 else None


def _chunks(
    file: BinaryIO, head: str, *, even: int = 1, of_head: int = 0
) -> Iterator[tuple[bytes, int]]:
    """Yield (name, bytes) of every chunk; the file stands behind its head then.

    Chunks start at multiples of ``even`` bytes; ``of_head`` bytes of a length are the head's own.
    """
    for _ in range(MOST_CHUNKS):
        content = file.read(struct.calcsize(head))
        if len(content) < struct.calcsize(head):
            return
        name, size = struct.unpack(head, content)
        start = file.tell()
        yield name, size
        if size < of_head:
            raise ValueError(f"a chunk of {size} bytes")
        file.seek(start - of_head + -(-size // even) * even)
    raise ValueError(f"more than {MOST_CHUNKS} chunks")


def _of_riff(file):
    """WAV: chunks with 32 bits of length, which RF64 replaces by the 64 bits of its first chunk."""
    head = file.read(12)
    order = ">" if head[:4] == b"RIFX" else "<"
    (of_file,) = struct.unpack(f"{order}I", head[4:8])
    of_data = 0
    for name, size in _chunks(file, f"{order}4sI", even=2):
        if name == b"ds64":
            (of_data,) = struct.unpack("<8xQ", file.read(16))
        if name == b"fmt ":
            _check_format(*struct.unpack(f"{order}HH8xHH", file.read(16)))
        if name == b"data" and not of_data and size >= STREAM:
            return of_file + 8 - file.tell() if 0 < of_file < STREAM else None
        if name == b"data":
            start, size = file.tell(), of_data or size
            if size:  # of none, others look for the end
                _refuse_hidden(file, start + size, order)
            file.seek(start)
            return size
    return None


def _refuse_hidden(file, behind, order):
    """Refuse a file that has more behind its samples than chunks: its header may state too little.

    Chunks begin at even bytes; some programs forget that.
    """
    hidden = min(_bytes_in_no_chunk(file, start, order) for start in {behind, behind + behind % 2})
    if hidden > HIDDEN:
        raise ValueError(
            f"{hidden} bytes behind the samples that its header states: if they are sound, mend it"
            " by sox --ignore-length OLD.wav NEW.wav, else by sox OLD.wav NEW.wav"
        )


def _bytes_in_no_chunk(file, behind, order):
    """How many bytes but zeros lie behind the last whole chunk from here on."""
    end = file.seek(0, io.SEEK_END)
    file.seek(behind)
    for name, size in _chunks(file, f"{order}4sI", even=2):
        start = file.tell()
        if not (name.isascii() and name.decode().isprintable() and start + size <= end):
            break
        behind = start + size + size % 2
    file.seek(min(behind, end))
    return len(file.read().strip(b"\0"))


def _check_format(tag, channels, block, bits):
    """Refuse a WAV whose samples have another size than its blocks."""
    if tag in UNCODED and (bits % 8 or block != channels * bits // 8):
        raise ValueError(f"{bits} bits for each of {channels} channels in blocks of {block} bytes")


def _of_chunk(file, *, first, head, wanted, most=2**62, **sizes):
    """The bytes of a chunk, where the first chunk begins; None where it states none.

    In Sony's W64 names have 16 bytes, and lengths count the head.
    """
    file.seek(first)
    stated = (size for name, size in _chunks(file, head, **sizes) if name == wanted)
    size = next(stated, -1) - sizes.get("of_head", 0)
    return size if 0 <= size < most else None


def _of_sun(file):
    """AU: where the samples begin, and their bytes."""
    order = ">" if file.read(4) == b".snd" else "<"
    start, size = struct.unpack(f"{order}II", file.read(8))
    file.seek(start)
    return size if size < STREAM else None


def _of_nist(file):
    """SPHERE: a header of text, 'sample_count -i 48000' and the like."""
    lines = file.read(NIST_HEADER).decode("latin-1").splitlines()
    fields = {words[0]: words[2] for words in map(str.split, lines) if len(words) == 3}
    file.seek(int(lines[1]))
    names = ("sample_count", "channel_count", "sample_n_bytes")
    samples, channels, width = (int(fields[name]) for name in names)
    return samples * channels * width


def _missing_page(file):
    """Ogg: there is one stream, its last page is whole, and says that it is the last."""
    pages = file.read()
    if pages.rfind(FIRST_PAGE) > 0:
        raise ValueError("several streams one after the other: join them by ffmpeg -i OLD NEW.wav")
    page = pages[pages.rfind(b"OggS") :]
    # Its head says how many bytes follow: those of a table, which holds the lengths of the rest.
    if len(page) < 27 or len(page) < 27 + page[26] + sum(page[27 : 27 + page[26]]):
        return "its last page is not whole"
    return None if page[5] & LAST_PAGE else "its last page is missing"


ANNOUNCED: dict[str, Callable[[BinaryIO], int | None]] = {
    "WAV": _of_riff,
    "WAVEX": _of_riff,
    "RF64": _of_riff,
    "W64": partial(_of_chunk, first=40, head="<4s12xQ", wanted=b"data", even=8, of_head=24),
    "AIFF": partial(_of_chunk, first=12, head=">4sI", wanted=b"SSND", most=STREAM, even=2),
    "CAF": partial(_of_chunk, first=8, head=">4sq", wanted=b"data"),
    "AU": _of_sun,
    "NIST": _of_nist,
}
KINDS = {*ANNOUNCED, "OGG", "FLAC", "MP3"}  # of others nobody could say whether they are whole
