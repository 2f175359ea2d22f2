"""What verdict.json says of planted leaks, from files of the attackers who learnt."""

import pytest

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.verdict.planted_files import control_of
from voiceprivacy.privacy.verdict.verdict import USUAL


@pytest.fixture
def attacker(tmp_path):
    """Write the files of an attacker who learnt from so many persons, and what each list shows."""

    def written(name, n_persons, *lows, p_value=0.5):
        held_out, planted_leak = tmp_path / f"{name}.held_out.json", tmp_path / f"{name}.json"
        lists = {str(number): [low + 3, low, low + 9] for number, low in enumerate(lows)}
        write_json(held_out, {"n_training_speakers": n_persons, "p_value": p_value})
        write_json(planted_leak, {"planted_percent": 30, "reason": "", "lists": lists})
        return {
            "attacker": name,
            "held_out": [str(held_out)],
            "trains_extractor": False,
            "planted_leak": str(planted_leak),
        }

    return written


@pytest.mark.parametrize(
    ("attackers", "best", "leak"),
    [
        ([("a", 100, 2.1, 8.0)], "a", "leak_learnt"),
        ([("a", 100, 1.9, 8.0)], "a", "leak_not_learnt"),  # on one list
        ([("a", 100, 1.0), ("b", 100, 5.0)], "b", "leak_learnt"),
        ([("a", 100, 1.0), ("b", 99, 5.0)], "a", "leak_not_learnt"),
        ([("a", 20, 5.0)], "a", "leak_learnt"),  # few_learnt_persons says the rest
        ([("a", 100)], "a", "leak_not_learnt"),  # nothing could be measured
    ],
)
def test_the_best_attacker_counts_on_their_worst_list(attacker, attackers, best, leak):
    control = control_of([attacker(*one) for one in attackers], USUAL)
    assert (control["attacker"], control["leak"]) == (best, leak)


def test_what_was_not_tried_or_measured_is_said(attacker):
    undefined = attacker("a", 100, 5.0, p_value="undefined")
    assert control_of([undefined], USUAL)["held_out_p_value"] is None
    tuned = undefined | {"trains_extractor": True, "planted_leak": None}
    control = control_of([tuned], USUAL)
    assert (control["leak"], control["trains_extractor"]) == ("not_tried", True)
