"""Sound of files that libsndfile does not read (m4a, videos), by the ffmpeg that is installed.

What is in such a file was written by somebody else. So ffmpeg runs in a box where one can be made.
It may open files only, and nothing but containers of sound and film: no playlists, which name other
files or addresses, and no streams. The first track of sound is taken, as it is, to 16 bits.
"""

import contextlib
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import refuse_endless
from voiceprivacy.running import boxes, handed_over, programs
from voiceprivacy.vocabulary import OF_FFMPEG

# ffmpeg's names of the containers that it may look into.
CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,asf,amr,aac,avi"
# How such files begin, whatever their endings: MP4, Matroska, WMA, AMR, AAC and AVI; and others.
ENCODED = re.compile(
    rb".{4}ftyp|\x1aE\xdf\xa3|0&\xb2u\x8ef\xcf\x11|#!AMR|\xff[\xf0\xf1\xf8\xf9]|RIFF.{4}AVI ",
    re.DOTALL,
)
READ_WITHOUT = re.compile(
    rb"(RIFF|RF64|RIFX).{4}WAVE|fLaC|OggS|FORM|\.snd|caff|NIST|\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]",
    re.DOTALL,
)
# What ffmpeg says of a file that ends too early or has a hole; it writes the rest, and succeeds.
LOST = re.compile("partial file|ended prematurely|Invalid data|corrupt|exhausted|too small", re.I)
PLAYLISTS = (b"#EXTM3U", b"ffconcat", b"[playlist]", b"<?xml", b"<MPD", b"#!")
LIMIT_MINUTES, MEMORY_MB = 10, 2000
MOST_BYTES = 4 * 2**30  # the longest WAV
INSTALL = "install it (Debian, Ubuntu: apt-get install ffmpeg; conda install -c conda-forge ffmpeg)"


def is_encoded(path: object) -> bool:
    """Whether ffmpeg has to decode a file: by how it begins, or by its ending where that is new."""
    if not isinstance(path, Path):
        return False
    start = b""
    if os.path.isfile(path):  # False, too, of what no file can be called
        with contextlib.suppress(OSError), open(path, "rb") as file:  # who reads it says why
            start = file.read(16)
    is_known = path.suffix.lower() in OF_FFMPEG and not READ_WITHOUT.match(start)
    return is_known or ENCODED.match(start) is not None


@contextlib.contextmanager
def decoded(path: Path) -> Iterator[Path]:
    """A temporary WAV of a file's first track of sound, at its own rate and with its channels.

    Raises
    ------
    BadInput : there is no ffmpeg, the file is a playlist, or holds no sound that can be read; the
        message names the file
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise BadInput(f"{path}: needs ffmpeg, which is not installed: {INSTALL}")
    refuse_endless(path)
    _refuse_playlist(path)
    with tempfile.TemporaryDirectory() as folder:
        sound, said = Path(folder, "sound.wav"), Path(folder, "said")
        status = _run(_words(program, path.absolute(), sound), Path(folder), path.absolute(), said)
        handed_over.take_back(Path(folder), f"{path}: ffmpeg")
        # Its addresses in memory differ in each run.
        words = re.sub(" @ 0x[0-9a-f]+", "", said.read_text(errors="replace")).split()
        reason = " ".join(words)[-300:]
        if status is None:
            raise BadInput(f"{path}: ffmpeg has not read it within {LIMIT_MINUTES} minutes")
        if status != 0 or not sound.exists():
            raise BadInput(f"{path}: ffmpeg finds no sound that it can read ({reason or status})")
        if LOST.search(reason):
            raise BadInput(f"{path}: truncated or damaged, as ffmpeg says ({reason})")
        try:
            yield sound
        except BadInput as error:
            raise BadInput(str(error).replace(str(sound), str(path))) from None


@functools.cache
def version() -> str | None:
    """The version of ffmpeg, such as 5.1.9; None where there is none."""
    program = shutil.which("ffmpeg")
    if program is None:
        return None
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    words = told.stdout.split()
    return words[2] if words[:2] == ["ffmpeg", "version"] else None


def _refuse_playlist(path: Path) -> None:
    try:
        with open(path, "rb") as file:
            start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    if start.startswith(PLAYLISTS):
        raise BadInput(f"{path}: is a list of other files, no sound: name those")
    if not start:
        raise BadInput(f"{path}: is empty")


def _words(program: str, path: Path, sound: Path) -> list[str]:
    """ffmpeg's command: nothing that is not named here is opened, read or written."""
    given = ["-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1"]
    given += ["-protocol_whitelist", "file", "-format_whitelist", CONTAINERS, "-i", f"file:{path}"]
    made = ["-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1"]
    made += ["-c:a", "pcm_s16le", "-f", "wav", "-fs", str(MOST_BYTES), "-y", str(sound)]
    return [program, *given, *made]


def _run(words: list[str], folder: Path, path: Path, said: Path) -> int | None:
    """Run ffmpeg, in a box where one can be made: its exit status, or None if it ran too long."""
    limit_s = 60 * LIMIT_MINUTES
    with open(said, "wb") as errors:
        environment = None
        if boxes.why_not() is None:
            box = boxes.Box(folder, [path], memory_mb=MEMORY_MB)
            words, environment = boxes.start(words, box, minutes=LIMIT_MINUTES, variables={})
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            env=environment,
            start_new_session=True,
        )
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            programs.end_group(process)
