"""Speak with espeak-ng, or only spell: a program of its own that needs nothing but Python.

    python -I -S espeak.py LIBRARY DATA < jobs

It is started in an empty folder. ``jobs`` is one JSON object a line:
{"name": ..., "voice": text of a voice file, "words_per_minute": ..., "text": ...}.
Each writes NAME.wav (16-bit mono at espeak-ng's own rate) into the working directory. Instead,
{"name": ..., "language": an espeak-ng voice, "text": ...} writes the phonemes (IPA) into NAME.txt.

What espeak-ng says depends on what the same process has said before. So each utterance is spoken in
a fresh one: a fork of this process, which has loaded the library and never spoken itself.
"""

import ctypes
import json
import os
import sys
import wave  # noqa: TID251  # no module of ours can be imported here

# Constants of espeak-ng's speak_lib.h.
SYNCHRONOUS = 2  # AUDIO_OUTPUT_SYNCHRONOUS
DO_NOT_EXIT = 0x8000  # espeakINITIALIZE_DONT_EXIT
UTF8 = 1  # espeakCHARS_UTF8
IPA = 2  # espeakPHONEMES_IPA
RATE, VOLUME = 1, 2  # espeakRATE, espeakVOLUME
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def main() -> None:
    """Speak the jobs on standard input."""
    library = ctypes.CDLL(sys.argv[1])
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            work = spell if "language" in job else speak
            work(library, sys.argv[2], job)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(f"espeak-ng could not speak {job['name']}")


def speak(library: ctypes.CDLL, data: str, job: dict) -> None:
    """Speak one job with a library that has not been initialised yet.

    Raises
    ------
    SystemExit : espeak-ng refuses; says why
    """
    sample_rate = _start(library, data)
    pieces: list[bytes] = []

    def keep(samples, count, events):
        if samples and count:
            pieces.append(ctypes.string_at(samples, 2 * count))
        return 0

    callback = CALLBACK(keep)
    library.espeak_SetSynthCallback(callback)
    voice_file = f"{job['name']}.voice"  # espeak-ng takes at most 60 characters here
    with open(voice_file, "w", encoding="utf-8") as file:
        file.write(job["voice"])
    _succeed(library.espeak_ng_SetVoiceByFile(voice_file.encode()))
    _succeed(library.espeak_SetParameter(RATE, job["words_per_minute"], 0))
    _succeed(library.espeak_SetParameter(VOLUME, 40, 0))
    text = job["text"].encode() + b"\0"
    _succeed(library.espeak_Synth(text, ctypes.c_size_t(len(text)), 0, 0, 0, UTF8, None, None))
    _succeed(library.espeak_Synchronize())
    with wave.open(f"{job['name']}.wav", "wb") as recording:
        recording.setparams((1, 2, sample_rate, 0, "NONE", "not compressed"))
        recording.writeframes(b"".join(pieces))


def spell(library: ctypes.CDLL, data: str, job: dict) -> None:
    """Write the phonemes of one job, as ``speak`` its sound."""
    _start(library, data)
    _succeed(library.espeak_SetVoiceByName(job["language"].encode()))
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    text = ctypes.create_string_buffer(job["text"].encode())
    rest = ctypes.c_void_p(ctypes.addressof(text))
    clauses: list[bytes] = []
    while rest.value:  # it is moved behind each clause, and is none at the end
        clauses.append(library.espeak_TextToPhonemes(ctypes.byref(rest), UTF8, IPA))
    with open(f"{job['name']}.txt", "wb") as file:
        file.write(b" ".join(clauses))


def _start(library, data):
    sample_rate = library.espeak_Initialize(SYNCHRONOUS, 0, data.encode(), DO_NOT_EXIT)
    if sample_rate <= 0:
        sys.exit(f"espeak-ng does not start with the data of {data}")
    return sample_rate


def _succeed(status):
    if status != 0:
        sys.exit(f"espeak-ng returned {status:#x}")


if __name__ == "__main__":
    main()
