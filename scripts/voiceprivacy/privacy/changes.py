"""Whether a system leaves more or less evidence than in another state of a run, speaker by speaker.

Of a system and a list, ``evidence.json`` keeps the evidence of all persons and without each of
them, and a digest of persons and recordings: enough for a paired jackknife, without any id. Both
states have the same, so that what they have in common falls out of the difference.

A difference counts if held-out evidence and in-sample evidence both show it: the limits are the
outer ones of both. Less held-out evidence alone may be harder to learn, or luck.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.privacy.verdict.evidence import Evidence, jackknife_error
from voiceprivacy.privacy.verdict.recognised import Recognised
from voiceprivacy.privacy.verdict.verdict import ONE

DIGITS = 6  # of percent
Kept = Mapping[str, Mapping[str, Any]]  # {CORPUS/TRIALS: {system: kept()}}


class Change(NamedTuple):
    """Evidence of one recording in percent, before and now; the difference has 95 % limits.

    ``right`` is how often the first guess among 20 persons is right, NaN where a state does not say
    so. Of several lists it is the one on which the system
    left most, both states together: neither of them has a say alone.
    """

    trial_list: str
    system: str
    evidence: tuple[float, float]
    right: tuple[float, float]
    difference: tuple[float, float, float]


def kept_of_lists(
    measured: Mapping[str, Mapping[tuple[str, str], Evidence]],
    recognised: Mapping[str, Mapping[str, Recognised]],
    speakers: Callable[[str], Mapping[str, str]],
) -> Kept:
    """What is kept of all systems.

    Parameters
    ----------
    measured : {system: {(measure, list): Evidence}}, as verdict_of gives them
    recognised : {system: {list: Recognised}}, as verdict_of gives them
    speakers : function of a list: {id of an enrolment or a recording: speaker}
    """
    lists: dict[str, dict[str, Any]] = {}
    for system, evidence in measured.items():
        for (measure, name), own in evidence.items():
            if measure == ONE:
                lists.setdefault(name, {})[system] = {
                    **kept(own, speakers(name)),
                    "right_percent": round(recognised[system][name].percent()[0], DIGITS),
                }
    return lists


def kept(evidence: Evidence, speakers: Mapping[str, str]) -> dict[str, Any]:
    """What is kept of a system on a list; persons are in the order of their names."""
    in_sample = evidence.estimates(evidence.in_sample)
    largest = in_sample[:, in_sample[0].argmax()]
    estimates = np.column_stack([evidence.estimates(evidence.held_out), largest]).round(DIGITS)
    names = [*sorted(evidence.persons), *sorted(map("\t".join, speakers.items()))]
    return {
        "speakers": sha256("\n".join(names).encode(errors="surrogateescape")),
        "percent": estimates[0].tolist(),
        "without_each": estimates[1:][np.argsort(evidence.persons)].tolist(),
    }


def changes(before: Kept, now: Kept) -> list[Change]:
    """Compare all systems that both states have, on persons and recordings that both have.

    Raises
    ------
    BadInput : there are none
    """
    most: dict[tuple[str, str], Change] = {}
    for name in sorted(before.keys() & now.keys()):
        for system in sorted(before[name].keys() & now[name].keys()):
            one, other = before[name][system], now[name][system]
            if one["speakers"] == other["speakers"]:
                change = _change(name, system, one, other)
                key = name.partition("/")[0], system
                most[key] = max(change, most.get(key, change), key=lambda own: sum(own.evidence))
    if not most:
        raise BadInput("no list has the same speakers and recordings, and enough of them")
    return [most[key] for key in sorted(most)]


def _change(name, system, before, now):
    values = np.subtract(now["percent"], before["percent"])
    without = np.subtract(now["without_each"], before["without_each"])
    margins = jackknife_error(np.vstack([values, without])) * stdtrit(len(without) - 1, 0.975)
    evidence = before["percent"][0], now["percent"][0]
    limits = float((values - margins).min()), float((values + margins).max())
    right = tuple(state.get("right_percent", math.nan) for state in (before, now))
    return Change(name, system, evidence, right, (float(values[0]), *limits))
