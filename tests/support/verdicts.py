"""A made-up results/verdict.json, as the room privacy writes it."""

LIMITS = [52.0, 41.0, 66.0]


def system(state="open", percent=52.0, **changed):
    """The facts of a system that leaves so much evidence; its limits are 11 less and 14 more."""
    limits = [percent, percent - 11, min(percent + 14, 100.0)]
    return {
        "state": state,
        "by": ["one_recording"] if state == "open" else [],
        "worst_list": "demo/f",
        "evidence_percent": limits,
        "tested_percent": [percent, percent - 13, min(percent + 17, 100.0)],
        "evidence_all_recordings_percent": limits,
        "linkage_percent": None,
        "right_of_20_percent": [60.0, 51.0, 72.0],
        "less_than_unprotected_points": [20.0, 11.0, 29.0],
        "recordings": 4,
        "exposed": {"persons": 3, "of": 17, "not_tested": 55, "beyond_chance": True, "named": []},
        "missing": {"persons": 0, "trials": 0},
        "reasons": [] if state == "open" else ["no_linkage", "upper_limit_one_recording"],
        "next": [] if state == "open" else [{"code": "more_persons", "persons": 80}],
    } | changed


def not_measured():
    """The facts of a system of which no list can be measured."""
    unknown = [name for name, value in system().items() if isinstance(value, list | dict)]
    facts = system("unclear", **dict.fromkeys(unknown), recordings=None, worst_list=None)
    missing = {"persons": 0, "trials": 0}
    return facts | {
        "by": [],
        "missing": missing,
        "reasons": ["few_persons"],
        "next": [{"code": "few_persons"}],
    }


def set_of(systems, **changed):
    """One set: {name: system()}."""
    return {
        "systems": systems,
        "unprotected": system("open", 86.0, less_than_unprotected_points=None),
        "unprotected_at_least_percent": 75.0,
        "controls": [],
        "better": [],
        "attacks": [
            {"attacker": "ecapa/cosine", "condition": condition} for condition in ("oo", "op", "pp")
        ],
        "not_tried": ["condition_rr", "semi_informed"],
        "warnings": [],
    } | changed


def verdict(sets):
    return {"format": 1, "sets": sets}


def usual(name="demo"):
    """Two systems of which one is shown to leave less, one that nobody could measure, a control."""
    systems = {
        "b2": system("open", 80.0),
        "b2r": system("unclear", 12.0),
        "broken": not_measured(),
        "noise": system("unclear", 0.0),
    }
    warning = {"code": "failing_attack", "system": "broken", "attack": "ecapa/plda"}
    judged = set_of(systems, better=[["b2r", "b2"]], controls=["noise"], warnings=[warning])
    return verdict({name: judged})
