"""Programs that some tests need beside Python and make, and what they are in Debian.

Where a program is missing its tests are skipped, for a reason that begins with its name.
conftest.py counts these reasons at the end of a run. Where VOICEPRIVACY_ALL_PROGRAMS is set, as
.ci/run sets it after installing them, a missing program fails the test.

    python tests/support/needs.py    prints Debian's packages of the programs that are missing
"""

import os
import shutil

import pytest

PROGRAMS = {  # name: (its commands, Debian's packages)
    "bubblewrap": (("bwrap", "prlimit", "setpriv"), "bubblewrap util-linux"),
    "chromium": (("chromium",), "chromium fonts-dejavu-core"),
    "ffmpeg": (("ffmpeg",), "ffmpeg"),
    "pdflatex": (("pdflatex",), "texlive-latex-recommended"),
    "slurm": (("munged", "slurmctld", "slurmd", "sbatch", "sinfo"), "slurm-wlm munge"),
}
DATA = {"VOICEPRIVACY_SPEECH": "a LibriSpeech folder", "VOICEPRIVACY_ASV": "a SpeechBrain folder"}


def program(name, why_not=None):
    """A mark: the test is skipped where the program is missing or, by ``why_not()``, unfit."""
    return pytest.mark.skipif(bool(reason := lacks(name, why_not)), reason=reason)


def program_or_skip(name, why_not=None):
    """Skip the running test where the program is missing or, by ``why_not()``, unfit."""
    if reason := lacks(name, why_not):
        pytest.skip(reason)


def data(*variables):
    """A mark: the test is skipped where a variable does not name its folder of data."""
    absent = [name for name in variables if name not in os.environ]
    reasons = ", ".join(f"{name}: {DATA[name]}, is not set" for name in absent)
    return pytest.mark.skipif(bool(absent), reason=reasons)


def lacks(name, why_not=None):
    """Why the tests of a program are skipped; nothing if they are not."""
    if "VOICEPRIVACY_ALL_PROGRAMS" in os.environ:
        return ""
    if is_missing(name):
        return f"{name}: not installed (Debian: apt-get install {PROGRAMS[name][1]})"
    reason = why_not() if why_not else None
    return f"{name}: {reason}" if reason else ""


def is_missing(name):
    return not all(map(shutil.which, PROGRAMS[name][0]))


if __name__ == "__main__":
    print(*[packages for name, (_, packages) in PROGRAMS.items() if is_missing(name)])
