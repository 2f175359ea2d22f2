"""Names and numbers in sentences."""

MOST_NAMES = 6


def listed(names, last=" and "):
    """Names (list of str, not empty) in a sentence; of many the first, and how many more there are."""
    if len(names) > MOST_NAMES + 1:
        names, last = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"], " and "
    return f"{', '.join(names[:-1])}{last}{names[-1]}" if len(names) > 1 else names[0]
