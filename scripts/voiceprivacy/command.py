"""What all commands share: how they start, how they say that their input is wrong, how they name and show results."""

import sys

from voiceprivacy.files import BadInput


def run(main):
    """Call ``main``; bad input, or a path that cannot be made or written, is one line on stderr and exit code 2."""
    try:
        main()
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.filename is None:
            raise
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(2)


def require_at_least(lowest, **arguments):
    """Refuse an argument (its name and number) that is too small."""
    for name, value in arguments.items():
        if value < lowest:
            raise BadInput(f"--{name.replace('_', '-')} {value}: must be at least {lowest}")


def label_inputs(paths, labels):
    """Name the inputs of --label (list, or None): {label: path}; without labels a path is its own label."""
    labels = paths if labels is None else labels
    if len(labels) != len(paths):
        raise BadInput(f"--label: {len(labels)} labels for {len(paths)} inputs; give one each")
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput(f"--label: '{label}' occurs twice; give every input a label of its own")
    return dict(zip(labels, paths, strict=True))


def flat_unless_labelled(metrics, labels):
    """{label: {name: value}}, but {name: value} for a single input that was given no label."""
    return next(iter(metrics.values())) if labels is None and len(metrics) == 1 else metrics


def print_metrics(metrics):
    """Print {label: {name: value}} as a table, one column a label."""
    rows = [["", *metrics]]
    for name in next(iter(metrics.values())):
        rows.append([name, *(_text(of[name]) for of in metrics.values())])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        numbers = (f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        print(f"{row[0]:<{widths[0]}}  {'  '.join(numbers)}".rstrip())


def _text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
