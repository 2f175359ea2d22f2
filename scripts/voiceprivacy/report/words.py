"""How the page, the terminal and the tables write attacks, names and numbers."""

from collections.abc import Sequence

from voiceprivacy.vocabulary import MINUS

MOST_NAMES = 6  # of a longer list, so many names are written out

ATTACKS = {
    "oo": "no protection",
    "op": "ignorant",
    "pp": "lazy-informed",
}
INFORMED = {
    "oo": "no protection",
    "op": "informed, OP",
    "pp": "semi-informed",
}
FOREIGN = {
    "oo": "no protection",
    "op": "given, OP",
    "pp": "given, PP",
}
ATTACKS_EXPLAINED = {
    "oo": "Original enrolment against original trial (OO): how well the attacker does when nothing"
    " is protected.",
    "op": "Original enrolment against protected trial (OP): the attacker does not know that the"
    " speech is protected.",
    "pp": "Protected enrolment against protected trial (PP): the attacker protects his own"
    " enrolment with the same anonymiser, but his models were trained on original speech.",
}
INFORMED_EXPLAINED = {
    "op": "Original enrolment against protected trial (OP) by an attacker whose models were trained"
    " on speech protected by this anonymiser.",
    "pp": "Protected enrolment against protected trial (PP) by an attacker whose models were"
    " trained on speech protected by this anonymiser, drawn per utterance: the attack by which the"
    " challenges rank.",
}
FOREIGN_EXPLAINED = {
    "op": "Original enrolment against protected trial (OP), with scores that somebody else made.",
    "pp": "Protected enrolment against protected trial (PP), with scores that somebody else made.",
}


def listed(names: Sequence[str], last: str = " and ") -> str:
    """Names (not empty) in a sentence; of many the first ones, and how many more there are."""
    if len(names) > MOST_NAMES + 1:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
        last = " and "
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])}{last}{names[-1]}"


def short(value: float) -> str:
    """A number of a legend or a paper: three digits, or the magnitude of a smaller one."""
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


def short_limits(limits: tuple[float, float] | None, digits: int = 3) -> str:
    """An interval (low, high) in a legend, after a space; empty where there is none."""
    if not limits:
        return ""
    low, high = limits
    return f" [{low:.{digits}f}, {high:.{digits}f}]".replace("-", MINUS)
