"""Files whose header does not state how long they are, read from their first sample to their last.

libsndfile ends where a header says. Recorders and pipes write files whose header says nothing: a
FLAC of unknown length, a WAV of no bytes, an MP3 without the frame named Xing, Info or VBRI. Of
such an MP3 libsndfile guesses the end from the size of the file, and loses speech. It reads an MP3
that comes out of a pipe to the end.
"""

import contextlib
import io
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager

import soundfile

UNKNOWN_LENGTH = 2**62  # samples or more, as libsndfile says it of a FLAC that came out of a pipe
HEADERS = (b"Xing", b"Info", b"VBRI")
HEADER_WITHIN = 200  # bytes from the first frame's start
ID3_HEAD = 10
DELAY = 5000  # samples of silence, at most, that encoders add and headers let readers leave out
MOST_ENDS = 4  # what looks like the last frame's beginning may be amid the last but one
BLOCK = 2**16


def opened(
    content: bytes, file: soundfile.SoundFile
) -> AbstractContextManager[tuple[soundfile.SoundFile, int | None]]:
    """Open a file so that it is read whole.

    Parameters
    ----------
    content : of the file
    file : as libsndfile opened it

    Returns
    -------
    context manager of (SoundFile, int or None) : a file to read, and how many samples its header
        states; None where it states none, or fewer than there are
    """
    if "MPEG" in file.subtype:  # the samples of a WAV may be an MP3, too
        start = 0 if file.format == "MP3" else content.index(b"data") + 8
        return _opened_mp3(content[start:])
    if file.frames >= UNKNOWN_LENGTH:
        return _forwards(content)
    if file.format in ("WAV", "WAVEX", "RF64") and file.frames == 0 and _is_unfinished(content):
        start = content.index(b"data") + 4
        return _from_pipe(b"RIFF" + content[4:start] + b"\xff\xff\xff\xff" + content[start + 4 :])
    return contextlib.nullcontext((file, file.frames))


def _is_unfinished(wav: bytes) -> bool:
    """Whether the first size in a WAV's header is not that of the file: it was never filled in."""
    size = wav[20:28] if wav.startswith(b"RF64") else wav[4:8]
    return int.from_bytes(size, "little") + 8 < len(wav)


class _Forwards(soundfile.SoundFile):
    """A file in which soundfile does not seek: libsndfile finds no end that it does not know."""

    def seekable(self) -> bool:
        return False


@contextlib.contextmanager
def _forwards(content: bytes) -> Iterator[tuple[soundfile.SoundFile, None]]:
    with _Forwards(io.BytesIO(content)) as file:
        yield file, None


@contextlib.contextmanager
def _opened_mp3(content: bytes) -> Iterator[tuple[soundfile.SoundFile, int | None]]:
    content = content[_end_of_tags(content) :]
    start = content[:HEADER_WITHIN]
    header = next((name for name in HEADERS if name in start), b"")
    # Of its header a frame of silence is made.
    frames, count = _whole_frames(content.replace(header, bytes(len(header)), 1))
    if header:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            if count - file.frames <= DELAY:
                yield file, file.frames
                return
    with _from_pipe(frames) as opened_file:
        yield opened_file


def _whole_frames(mp3: bytes) -> tuple[bytes, int]:
    """An MP3 without the half of a frame at its end, which libsndfile refuses, and its samples."""
    for _ in range(MOST_ENDS):
        with contextlib.suppress(soundfile.LibsndfileError):
            return mp3, _count(mp3)
        mp3 = mp3[: mp3.rfind(mp3[:2])]  # all frames begin alike
    return mp3, _count(mp3)


def _end_of_tags(content: bytes) -> int:
    """Where the tags of ID3 end that stand before the first frame."""
    start = 0
    while content[start : start + 3] == b"ID3":
        size = 0
        for byte in content[start + 6 : start + ID3_HEAD]:
            size = 128 * size + byte
        start += ID3_HEAD + size
    return start


def _count(content: bytes) -> int:
    count = 0
    with _from_pipe(content) as (file, _):
        while n_read := len(file.read(BLOCK, dtype="int16")):
            count += n_read
    return count


@contextlib.contextmanager
def _from_pipe(content: bytes) -> Iterator[tuple[soundfile.SoundFile, None]]:
    receiver, sender = os.pipe()

    def send() -> None:
        with contextlib.suppress(BrokenPipeError), os.fdopen(sender, "wb") as pipe:
            pipe.write(content)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        with soundfile.SoundFile(receiver, closefd=False) as file:
            yield file, None
    finally:
        os.close(receiver)
        thread.join()
