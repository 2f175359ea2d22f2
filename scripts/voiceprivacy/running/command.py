"""What all commands share: how they start, read options, and print what they found.

It also says what is wrong: one line on stderr, and an exit code.
"""

import argparse
import contextlib
import difflib
import errno
import os
import re
import shlex
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from voiceprivacy.errors import BadInput, counted, printable, shown
from voiceprivacy.inout.foreign import NO_UTF8
from voiceprivacy.inout.inputs import guarding_inputs
from voiceprivacy.inout.writing import FULL
from voiceprivacy.vocabulary import MOST_REPLICATES, NO_BREAK, SCRIPTS

DEBUG = "VOICEPRIVACY_DEBUG"
SEARCH_PATH = "PYTHONPATH"
# Exit codes.
OWN_FAILURE, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
INSTALL = (
    "install the wheel with the extra that this command needs, [plots], [exchange], [neural] or"
    " mostly [run]: pip install 'FILE.whl[run]' (docs/guide/install.md)"
)
# What libraries say, by errors of several kinds: torch of a GPU, torch of a CPU, C++.
NO_MEMORY = re.compile(r"out of memory|allocate memory|bad_alloc")
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)
# Errors of the disk or of the machine: the same command may succeed elsewhere, or later.
OF_THE_MACHINE = (*FULL, errno.EIO, errno.EMFILE)
NO_TEMPORARY = "No usable temporary directory found"  # says Python
ROOM = "set TMPDIR to a folder with room"


def run(main: Callable[[], object]) -> None:
    """Call ``main`` and turn what goes wrong into one line on stderr and an exit code.

    Whatever it reads, it cannot overwrite.

    2 is bad input, or a path that cannot be made, read or written. 1 is the run's own failure: a
    full disk, no memory, an error of the program. 130 is Ctrl-C, 143 a SIGTERM (Snakemake's, a
    cluster's), after which nothing half-made and no program of others is left.

    Every command takes --debug (or VOICEPRIVACY_DEBUG=1), which shows where something went wrong.
    """
    _hide_package()
    if "--debug" in sys.argv[1:]:
        sys.argv.remove("--debug")
        os.environ[DEBUG] = "1"
    argparse.ArgumentParser.error = _refuse_options  # type: ignore[assignment]
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        with guarding_inputs():
            main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output (head, less) has enough
        sys.stdout = None
        sys.exit(OWN_FAILURE)
    except Exception as error:
        if os.environ.get(DEBUG):
            traceback.print_exc()
        status, line = _explained(error)
        say(f"error: {line}", file=sys.stderr)
        sys.exit(status)


def showing_package() -> str:
    """What a shell runs before a job of a rule, so that Python finds this package.

    It comes before the command, because Snakemake takes PYTHONPATH away from conda environments.
    """
    package = shlex.quote(str(SCRIPTS))
    path = f"{package}${{{SEARCH_PATH}:+:${SEARCH_PATH}}}"
    return f"set -euo pipefail; export {SEARCH_PATH}={path}; "


def _hide_package() -> None:
    """Take the package out of PYTHONPATH: programs of others import their own modules."""
    paths = os.environ.get(SEARCH_PATH, "").split(os.pathsep)
    if str(SCRIPTS) in paths:
        os.environ[SEARCH_PATH] = os.pathsep.join(path for path in paths if path != str(SCRIPTS))


def _refuse_options(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """Refuse wrong options in one line; argparse would print all of the usage before it."""
    unknown = re.fullmatch(r"unrecognized arguments: (--[\w-]+).*", message)
    if unknown:
        known = [option for option in parser._option_string_actions if option.startswith("--")]
        close = difflib.get_close_matches(unknown[1], known, n=1)
        message += f": did you mean {close[0]}?" if close else ""
    for path in sys.argv[1:]:
        if path.startswith("-") and os.path.exists(path):
            message += f": write the file as ./{path}"
    say(f"error: {parser.prog}: {message} (--help says more)", file=sys.stderr)
    sys.exit(BAD_INPUT)


def _is_ours(module: str | None) -> bool:
    return module is None or module.partition(".")[0] == __package__.partition(".")[0]


def out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory is full: Python's, or torch's of a GPU or of a CPU."""
    return isinstance(error, MemoryError) or bool(NO_MEMORY.search(str(error)))


def _explained(error: Exception) -> tuple[int, str]:
    """Exit code and line for what a command raised."""
    reason = printable(" ".join(str(error).split()))
    if isinstance(error, BadInput):
        return BAD_INPUT, str(error)
    if out_of_memory(error):
        return OWN_FAILURE, f"out of memory ({reason})" if reason else "out of memory"
    if isinstance(error, OSError) and error.strerror:
        return _explained_by_system(error)
    if isinstance(error, ModuleNotFoundError) and not _is_ours(error.name):
        missing = f"this command needs the Python package {error.name}, which is not installed"
        return BAD_INPUT, f"{missing}: {INSTALL}"
    if isinstance(error, UnicodeEncodeError) and NO_UTF8.match(error.object):
        before, after = error.object[: error.start], error.object[error.start :]
        line = before.rpartition("\n")[2] + after.partition("\n")[0]
        return BAD_INPUT, f"{line.strip()}: holds a name that is not UTF-8: rename it (convmv)"
    mistake = "a mistake of this program; --debug shows where"
    return OWN_FAILURE, f"unexpected {type(error).__name__}: {reason} ({mistake})"


def _explained_by_system(error: OSError) -> tuple[int, str]:
    """Exit code and line for an error of a file, a folder or the disk, with what to set."""
    if str(error.strerror).startswith(NO_TEMPORARY):
        tried = str(error.strerror).removeprefix(NO_TEMPORARY)
        return BAD_INPUT, printable(f"no folder for temporary files can be written{tried}: {ROOM}")
    working, temporary = _folder(os.getcwd), _folder(tempfile.gettempdir)
    if error.filename is None:
        where = f" ({working}, or {temporary}: {ROOM})" if error.errno in FULL else ""
        return OWN_FAILURE, printable(f"{error.strerror}{where}")
    path = Path(str(error.filename))
    is_temporary = path.is_relative_to(temporary) and not path.is_relative_to(working)
    remedy = f": {ROOM}" if is_temporary and error.errno in (*FULL, *UNWRITABLE) else ""
    line = printable(f"{error.filename}: {error.strerror}{remedy}")
    return OWN_FAILURE if error.errno in OF_THE_MACHINE else BAD_INPUT, line


def _folder(where: Callable[[], str]) -> str:
    """Where a folder is; a place where nothing lies if it is gone, or cannot be written."""
    with contextlib.suppress(OSError):
        return where()
    return os.devnull


# Options.


def require_at_least(lowest: float, **arguments: float) -> None:
    """Refuse an argument (its name and number) that is too small."""
    for name, value in arguments.items():
        if value < lowest:
            raise BadInput(f"--{name.replace('_', '-')} {value}: must be at least {lowest}")


def require_replicates(bootstrap: int) -> None:
    """Refuse a number of replicates that no config can have."""
    require_at_least(0, bootstrap=bootstrap)
    if bootstrap > MOST_REPLICATES:
        raise BadInput(f"--bootstrap {bootstrap}: must be at most {MOST_REPLICATES}")


def require_as_many(**arguments: Sequence[object]) -> None:
    """Refuse arguments that belong together one by one, and are not equally many."""
    counts = {f"--{name.replace('_', '-')}": len(values) for name, values in arguments.items()}
    if len({*counts.values()}) > 1:
        given = ", ".join(f"{flag}: {count}" for flag, count in counts.items())
        raise BadInput(f"{given}; give one for each")


def require_one(**arguments: object) -> None:
    """Refuse a call that gives none of these arguments, or several."""
    if sum(map(bool, arguments.values())) != 1:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in arguments)
        raise BadInput(f"give one of {flags}")


def label_inputs(paths: Sequence[str], labels: Sequence[str] | None) -> dict[str, str]:
    """Name the inputs of --label: {label: path}; without labels a path is its own label."""
    labels = paths if labels is None else labels
    if len(labels) != len(paths):
        raise BadInput(
            f"--label: {counted(len(labels), 'label')} for {counted(len(paths), 'input')};"
            " give one each"
        )
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput(f"--label: '{label}' occurs twice; give every input a label of its own")
    return dict(zip(labels, paths, strict=True))


# Results.


def say(*lines: object, file: TextIO | None = None, flush: bool = False) -> None:
    """Print lines, each as errors.shown has it: the only way to a screen or a log.

    A foreign name can end no line, turn no writing round and steer no terminal. So nothing in it
    can look like a line of ours.
    """
    stream = file or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"  # some terminals know ASCII only
    for line in lines:
        plain = shown(str(line).replace(NO_BREAK, " "))
        text = plain.encode(encoding, "backslashreplace").decode(encoding)
        print(text, file=stream, flush=flush)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of texts: the first column to the left, the others to the right."""
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for first, *others in rows:
        cells = [f"{text:>{width}}" for text, width in zip(others, widths[1:], strict=True)]
        say("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
