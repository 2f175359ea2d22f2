"""What all commands share: how they start, how they say that their input is wrong, how they name and show results."""

import contextlib
import errno
import hashlib
import os
import signal
import sys
import threading
import traceback
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted, printable, whole_or_absent

DEBUG = "VOICEPRIVACY_DEBUG"
REFUSALS = "VOICEPRIVACY_REFUSALS"  # folder of a workflow's run: what a command refused once it refuses at once again


def run(main):
    """Call ``main`` and turn what goes wrong into one line on stderr and an exit code.

    2 is bad input, or a path that cannot be made, read or written; 1 is the run's own failure: a full disk, no memory,
    an error of the program; 130 is Ctrl-C, 143 a SIGTERM (Snakemake's, a cluster's), after which nothing half-made and
    no program of others is left. Every command takes --debug (or VOICEPRIVACY_DEBUG=1), which shows where.
    In a workflow's run bad input is not tried again: whatever ``retries`` says, the next attempt says the same at once.
    """
    if "--debug" in sys.argv[1:]:
        sys.argv.remove("--debug")
        os.environ[DEBUG] = "1"
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    refusal = _refusal(sys.argv)
    if refusal and refusal.exists():
        sys.exit(_refused(refusal.read_text(encoding="utf-8")))
    try:
        main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # whoever read our output (head, less) has enough
        sys.stdout = None
        sys.exit(1)
    except Exception as error:
        if os.environ.get(DEBUG):
            traceback.print_exc()
        status, line = _explained(error)
        if refusal and _is_final(error):
            with contextlib.suppress(OSError), whole_or_absent(refusal) as temporary:
                temporary.write_text(str(line), encoding="utf-8")
        sys.exit(_refused(line, status))


def _refusal(words):
    """Where it stands that this very command was refused before; nothing outside a workflow's run."""
    folder = os.environ.get(REFUSALS)
    return (
        Path(folder, hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]) if folder else None
    )


def _refused(line, status=2):
    print(f"error: {line}", file=sys.stderr)
    return status


def _is_final(error):
    """Whether trying again is of no use: so with bad input, but not with a program that was killed or lacked memory."""
    return type(error) is BadInput and "memory" not in str(error).lower()


def _explained(error):
    """Exit code and line for what a command raised."""
    if isinstance(error, BadInput):
        return 2, error
    if isinstance(error, MemoryError):
        return 1, f"out of memory ({error})" if str(error) else "out of memory"
    if isinstance(error, OSError) and error.strerror:
        ours_to_mend = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE)
        place = f"{error.filename}: " if error.filename is not None else ""
        return 1 if ours_to_mend or not place else 2, printable(f"{place}{error.strerror}")
    reason = " ".join(str(error).split())
    return (
        1,
        f"unexpected {type(error).__name__}: {printable(reason)} (a mistake of this program; --debug shows where)",
    )


def require_at_least(lowest, **arguments):
    """Refuse an argument (its name and number) that is too small."""
    for name, value in arguments.items():
        if value < lowest:
            raise BadInput(f"--{name.replace('_', '-')} {value}: must be at least {lowest}")


def label_inputs(paths, labels):
    """Name the inputs of --label (list, or None): {label: path}; without labels a path is its own label."""
    labels = paths if labels is None else labels
    if len(labels) != len(paths):
        raise BadInput(
            f"--label: {counted(len(labels), 'label')} for {counted(len(paths), 'input')}; give one each"
        )
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput(f"--label: '{label}' occurs twice; give every input a label of its own")
    return dict(zip(labels, paths, strict=True))


def flat_unless_labelled(metrics, labels):
    """{label: {name: value}}, but {name: value} for a single input that was given no label."""
    return next(iter(metrics.values())) if labels is None and len(metrics) == 1 else metrics


def print_metrics(metrics):
    """Print {label: {name: value}} as a table, one column a label; - where a label has no such value."""
    names = dict.fromkeys(name for of in metrics.values() for name in of)
    rows = [
        ["", *metrics],
        *([name, *(_text(of.get(name, "-")) for of in metrics.values())] for name in names),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        numbers = (f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        print(f"{row[0]:<{widths[0]}}  {'  '.join(numbers)}".rstrip())


def _text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
