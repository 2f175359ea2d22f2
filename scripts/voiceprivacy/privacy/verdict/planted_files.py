"""Whether attackers found the leak that was planted in a system's speech, from files of a run."""

from collections.abc import Iterable
from typing import Any, TypedDict

from voiceprivacy.inout.json_files import of_type, read_json
from voiceprivacy.plan.rows import LearntAttacker
from voiceprivacy.privacy.verdict.verdict import LEAK_LEARNT, LEAK_NOT_LEARNT, Thresholds

NOTHING_PLANTED = {
    "leak": "not_tried",
    "attacker": None,
    "planted_percent": None,
    "evidence_percent": None,
    "held_out_p_value": None,
}


class PlantedLeak(TypedDict):
    """What a back-end finds of a planted leak: {list: [value, lower limit, upper limit]}.

    ``reason`` says why nothing was planted, and is empty otherwise.
    """

    planted_percent: float
    reason: str
    lists: dict[str, list[float]]


class HeldOut(TypedDict):
    """What a file says of an attacker who learnt."""

    n_training_speakers: int
    p_value: float | str


def control_of(attackers: Iterable[LearntAttacker], thresholds: Thresholds) -> dict[str, Any]:
    """What verdict.json says of the attackers of a system who learnt: ``control``.

    It is of the one who learnt from enough persons and has the largest lower limit, on the list
    where it is smallest. Where extractors alone learnt, nothing is planted.
    """
    attackers = list(attackers)
    tried = [_tried(one, file, thresholds) for one in attackers if (file := one["planted_leak"])]
    best = max(tried, key=lambda one: one["order"], default=NOTHING_PLANTED)
    trains_extractor = any(one["trains_extractor"] for one in attackers)
    facts = {name: best[name] for name in NOTHING_PLANTED}
    return facts | {"trains_extractor": trains_extractor}


def _tried(attacker: LearntAttacker, file: str, thresholds: Thresholds) -> dict[str, Any]:
    """The facts of one attacker, and their ``order``."""
    leak = of_type(read_json(file), PlantedLeak, file)
    parts: list[HeldOut] = [
        of_type(read_json(path), HeldOut, path) for path in attacker["held_out"]
    ]
    evidence = min(leak["lists"].values(), key=lambda limits: limits[1], default=None)
    low = evidence[1] if evidence else float("-inf")
    is_learnt = low > thresholds.low_percent
    has_enough = min(one["n_training_speakers"] for one in parts) >= thresholds.learnt_persons
    p_value = parts[-1]["p_value"]  # of the back-end
    return {
        "leak": LEAK_LEARNT if is_learnt else LEAK_NOT_LEARNT,
        "attacker": attacker["attacker"],
        "planted_percent": leak["planted_percent"],
        "evidence_percent": evidence,
        "held_out_p_value": None if isinstance(p_value, str) else p_value,
        "order": (has_enough, low),
    }
