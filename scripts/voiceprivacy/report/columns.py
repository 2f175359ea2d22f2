"""How the page names the attacks, and how it writes small numbers."""

from voiceprivacy.vocabulary import MINUS

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
INFORMED_EXPLAINED = {
    "op": "Original enrolment against protected trial (OP) by an attacker whose models were trained on speech"
    " protected by this anonymiser.",
    "pp": "Protected enrolment against protected trial (PP) by an attacker whose models were trained on speech"
    " protected by this anonymiser, drawn per utterance: the attack by which the challenges rank.",
}
FOREIGN_EXPLAINED = {
    "op": "Original enrolment against protected trial (OP), with scores that somebody else made.",
    "pp": "Protected enrolment against protected trial (PP), with scores that somebody else made.",
}
ATTACKS_EXPLAINED = {
    "oo": "Original enrolment against original trial (OO): how well the attacker does when nothing is protected.",
    "op": "Original enrolment against protected trial (OP): the attacker does not know that the speech is protected.",
    "pp": "Protected enrolment against protected trial (PP): the attacker protects his own enrolment with the same"
    " anonymiser, but his models were trained on original speech.",
}


def short(value):
    """A number of a picture's legend or a paper's table: three digits, or the order of magnitude of a smaller one."""
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


def short_limits(limits, digits=3):
    """An interval (low, high) in a legend, after a space; empty where there is none."""
    return (
        f" [{limits[0]:.{digits}f}, {limits[1]:.{digits}f}]".replace("-", MINUS) if limits else ""
    )
