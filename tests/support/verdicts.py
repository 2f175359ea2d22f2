"""A made-up results/verdict.json, as the room privacy writes it."""

PP = {
    "extractor": "ecapa",
    "backend": "cosine",
    "condition": "pp",
    "reading": "ascending",
    "knowledge": "lazy-informed",
}
OO = PP | {"condition": "oo"}
OTHER = PP | {"backend": "plda", "condition": "op", "knowledge": "ignorant"}
NO_SEMI = "No attacker was trained on protected speech: expect less protection than this."
NO_LINKAGE = "Released files were not compared with each other (linkage)."
THRESHOLDS = {
    "nothing_percent": 1,
    "reduced_percent": 50,
    "weakest_attacker_bit": 0.35,
    "guessing_eer_percent": 45,
    "times_chance": 2,
}


def numbers(left=52.0, *, attack=PP, **changed):
    """The numbers of a system of which ``left`` percent of the evidence are left."""
    values = {
        "evidence_left_percent": [left, left / 2, left + 10],
        "eer_folded_percent": [26.4, 13.6, 39.6],
        "dece_bit": [0.35, 0.2, 0.5],
        "tpr_at_fpr_0.001_percent": "undefined",
        "tpr_at_fpr_0.01_percent": [16.0, 4.0, 30.0],
        "exposed_speakers_percent": [20.0, 5.0, 35.0],
    }
    by_number = {name: attack for name, value in values.items() if value != "undefined"}
    return {
        "attack": attack,
        "n_attacks": 2,
        **values,
        "attacks": by_number | {"eer_folded_percent": OTHER},
        "reasons": {"tpr_at_fpr_0.001_percent": "list too short: 90 nontarget trials show no rate"},
        "dece_band_bit": 0.04,
        "within_band": False,
    } | changed


def system(level="little_reduced", left=52.0, **changed):
    """A system with a level; None is that of a control."""
    fields = {"level": level, "silence": None, "draws": 1, "exposed_beyond_chance": True}
    fields |= {"exposed_speakers": ["anna"], "tried": ["ignorant", "lazy-informed"]}
    fields |= {"small_semi_informed": None, "eer_unprotected_percent": [8.6, 4.2, 12.9]}
    fields |= {"declared_only": [], "counted": ["ecapa/cosine (pp)", "ecapa/plda (op)"]}
    return fields | numbers(left) | changed


def silent(why="no attack can be trusted (constant scores)"):
    """A system of which nothing can be said, because every attack on it is refused."""
    unknown = ("evidence_left_percent", "dece_bit", "dece_band_bit")
    changed = dict.fromkeys(unknown, "undefined") | {"attack": None, "n_attacks": 0, "attacks": {}}
    fields = system("cannot_say", silence=why, exposed_beyond_chance=False, exposed_speakers=[])
    left_out = ("eer_folded_percent", "tpr_at_fpr_0.001_percent", "tpr_at_fpr_0.01_percent")
    for name in (*left_out, "exposed_speakers_percent"):
        del fields[name]
    return fields | changed | {"reasons": {}, "tried": [], "declared_only": [], "counted": []}


def set_of(systems, order, **changed):
    """One set: {name: system()} and the layers of the order, least evidence first."""
    return {
        "verdict": f"{NO_SEMI} With b2r, 52 % [26, 62] of the evidence is left.",
        "warnings": [NO_SEMI, NO_LINKAGE],
        "better": [],
        "order": order,
        "untrusted": {},
        "floors": {},
        "controls": [name for name, fields in systems.items() if fields["level"] is None],
        "unprotected": numbers(100.0, attack=OO),
        "effort": {
            "tried": ["ignorant", "lazy-informed"],
            "not_tried": ["semi-informed", "linkage", "fused"],
            "refused": [],
            "inferred": [],
            "eer_unprotected_percent": {"ecapa/cosine": [8.6, 4.2, 12.9]},
            "training": {"ecapa/plda": {"backend": {"corpus": "train", "speech": "original"}}},
            "heard": {},
            "untaught": {},
        },
        "systems": systems,
    } | changed


def utility(**changed):
    """Two systems that compete by words, a control, and unprotected speech."""
    systems = {
        "original": {"value": [37.2, 34.0, 40.0], "on_front": "undefined"},
        "b2": {"value": [62.4, 58.0, 66.0], "on_front": 0.91},
        "b2r": {"value": [67.6, 63.0, 72.0], "on_front": 1.0},
        "broken": {"value": [50.0, 45.0, 55.0], "on_front": "undefined"},
        "noise": {"value": [100.0, 100.0, 100.0], "on_front": "undefined"},
    }
    pair = {"system": "b2r", "of": "b2", "less_evidence_points": 38.0}
    pair |= {"difference": [5.2, 3.1, 7.4], "shown": "worse"}
    measure = {"better": "lower", "systems": systems, "front": ["b2r", "b2"], "instead": [pair]}
    return {
        "says": [
            "On the front of evidence and wer_percent: b2r.",
            "b2r instead of b2: 38 points less evidence for 3.1 to 7.4 points more wer_percent.",
        ],
        "measures": {"own_wer_percent": measure},
        "sweeps": {},
    } | changed


def verdict(sets):
    """The whole file."""
    return {"thresholds": dict(THRESHOLDS), "sets": sets}


def usual(name="demo"):
    """Two systems of which one is shown to leave less, a refused attack, and a control."""
    systems = {
        "b2": system("not_shown", 90.0),
        "b2r": system(),
        "broken": silent(),
        "noise": system(None, 0.0),
    }
    refused = {"ecapa/plda (pp) on broken": "constant scores"}
    better = [["b2r", "b2"]]
    judged = set_of(systems, [["b2r"], ["b2"]], better=better, untrusted=refused)
    judged["utility"] = utility()
    return verdict({name: judged})
