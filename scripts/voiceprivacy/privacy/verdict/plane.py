"""Privacy against utility: which systems are on the front, and what one pays for less evidence.

Conventions
-----------
* Privacy is evidence left under the strongest attack, as in the table of the verdict. Utility is a
  mean over all utterances; of several corpora it is averaged with the weights of their lists.
* A system is on the front if no other is at least as good in both and better in one. Only systems
  compete of which something can be said, and no controls.
* ``on_front`` is the share of joint replicates in which a system is on it: replicate b drew the
  same speakers for evidence and utility of all systems. Few speakers make replicates too narrow, so
  they are stretched as Student's t is wider than the normal distribution. The attack is the one
  that was chosen, and its luck is taken off, as in the table.
* That a system is on the front is said if it is in 99.57 % of the replicates. One that another
  beats in both by a hair would be in 97.5 % of them far too often: of two independent shares that
  are uniform, the product is below 0.0043 with probability 0.025. That it is not is said from 2.5 %
  downwards.
* Who leaves less evidence is decided by the verdict's own pairs. What that costs is the paired
  difference of utility, corrected after Holm for all those pairs. Where one corpus shows that a
  system is better, and another that it is worse, a mean over corpora is no price: this is said.
* Several draws of an anonymiser are one release (see ``draws``).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from voiceprivacy.catalogue import METRICS, is_headline, utility_preference
from voiceprivacy.inout.arrays import read_npz
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.uncertainty.bootstrap import FEWEST_SPEAKERS, interval
from voiceprivacy.privacy.uncertainty.interval_files import REPLICATES, Estimate
from voiceprivacy.privacy.uncertainty.paired import average, difference, holm
from voiceprivacy.privacy.verdict.draws import further_draw
from voiceprivacy.privacy.verdict.findings import Judged
from voiceprivacy.privacy.verdict.sentences import listed
from voiceprivacy.privacy.verdict.strongest import ONE_SIDED, strongest
from voiceprivacy.vocabulary import ABSENT, UNDEFINED, UtilityMean, draws_of

SURELY_ON, SURELY_OFF = 1 - 0.0043, ONE_SIDED  # of the joint replicates
BOTH_SIDES = 2 * ONE_SIDED  # corrected p-value of a difference that is shown
EVIDENCE = "evidence_left_percent"
MOST_PRICES = 3  # in sentences; the file has all
BETTER, WORSE, NOT_SHOWN = "better", "worse", "not_shown"  # in utility
DISAGREE = "corpora_disagree"


class Measure(NamedTuple):
    """A measure of utility of all systems of a set; ``better`` is higher or lower.

    ``by_corpus`` are the systems of each corpus, where ``systems`` are means over several.
    """

    metric: str
    better: str
    systems: Mapping[str, Estimate]
    by_corpus: Sequence[Mapping[str, Estimate]] = ()


def read_measures(weights: Mapping[str, float], folder: Path) -> list[Measure]:
    """Measures that say which way is better, each the mean over corpora, in order of preference.

    Parameters
    ----------
    weights : {corpus: weight}
        A measure or a system that one of them lacks is left out.
    folder : path
        Of CORPUS.tsv and CORPUS.bootstrap.npz
    """
    per_corpus = [_read_corpus(folder / f"{corpus}.tsv") for corpus in weights]
    if not per_corpus:
        return []
    measures = []
    for (metric, better), systems in per_corpus[0].items():
        others = [measured.get((metric, better), {}) for measured in per_corpus]
        of_all = {
            system: average([own[system] for own in others], list(weights.values()))
            for system in systems
            if all(system in own for own in others)
        }
        if of_all:
            by_corpus = [_releases({name: own[name] for name in of_all}) for own in others]
            several = by_corpus if len(others) > 1 else ()
            measures.append(Measure(metric, better, _releases(of_all), several))
    return sorted(measures, key=lambda measure: utility_preference(measure.metric))


def _read_corpus(path):
    """{(metric, better): {anonymiser: Estimate}} of all utterances of a corpus."""
    with_replicates = []
    for line, row in read_rows(path, list(UtilityMean._fields)):
        if row["trials"] == ABSENT and row["better"] != ABSENT and is_headline(row["metric"]):
            value = row["value"]
            value = value if value == UNDEFINED else number(value, path, line)
            with_replicates.append((row, value, int(number(row["n_speakers"], path, line))))
    names = [f"{row['metric']}/{row['anonymiser']}" for row, _, _ in with_replicates]
    replicates = read_npz(path.with_suffix(REPLICATES), names) if names else {}
    measured: dict[tuple[str, str], dict[str, Estimate]] = {}
    for name, (row, value, n_speakers) in zip(names, with_replicates, strict=True):
        systems = measured.setdefault((row["metric"], row["better"]), {})
        systems[row["anonymiser"]] = Estimate(value, replicates[name], n_speakers)
    return measured


def _releases(systems):
    """Systems of which each anonymiser stands once, whatever it draws."""
    releases = {}
    for system, draws in draws_of(systems).items():
        own = [systems[draw] for draw in draws]
        releases[system] = own[0] if len(own) == 1 else _one_release(own)
    return releases


def _one_release(draws: Sequence[Estimate]) -> Estimate:
    of_all = average(draws)
    if isinstance(of_all.value, str):
        return of_all
    values = [float(draw.value) for draw in draws]
    replicates = of_all.replicates.copy()
    is_defined = ~np.isnan(replicates)
    if of_all.n_speakers >= FEWEST_SPEAKERS and is_defined.any():
        further = further_draw(replicates[is_defined], values, of_all.n_speakers)
        replicates[is_defined] = further
    return of_all._replace(replicates=replicates)


def against_utility(
    judgement: Mapping[str, Any], systems: Mapping[str, Judged], measures: Sequence[Measure]
) -> dict[str, Any]:
    """The part ``utility`` of a set of verdict.json.

    Parameters
    ----------
    judgement : the set of verdict.json
    systems : what attacks found of all its systems
    measures : in order of preference; the sentences are about the first one
    """
    order = list(chain.from_iterable(judgement["order"]))
    order.sort(key=lambda system: judgement["systems"][system][EVIDENCE])
    planes = {
        measure.metric: plane(measure, systems, competing=order, better=judgement["better"])
        for measure in measures
    }
    told = [said(metric, drawn, order) for metric, drawn in planes.items()]
    return {"says": told[0] if told else [], "measures": planes}


# The plane of one measure.


class Point(NamedTuple):
    """A competing system: what is estimated, and joint replicates (B,) of both, stretched."""

    evidence: float
    utility: float
    evidence_drawn: Floats
    utility_drawn: Floats


def plane(
    measure: Measure,
    systems: Mapping[str, Judged],
    *,
    competing: Collection[str],
    better: Iterable[tuple[str, str]],
) -> dict[str, Any]:
    """One measure as in verdict.json.

    Parameters
    ----------
    measure : Measure
    systems : what attacks found of all systems of the set
    competing : systems that may be on the front
    better : pairs of systems, the first of which is shown to leave less evidence
    """
    points = {}
    for system in competing:
        point = _point(systems[system], measure.systems.get(system))
        if point is not None:
            points[system] = point
    more_is_better = measure.better == "higher"
    shares = dict(zip(points, _shares(list(points.values()), more_is_better), strict=True))
    pairs = [(one, other) for one, other in better if one in points and other in points]
    return {
        "better": measure.better,
        "systems": {
            system: {
                "value": _limits(measure.systems[system]),
                "on_front": shares.get(system, UNDEFINED),
            }
            for system in systems
            if system in measure.systems
        },
        "front": _front(points, more_is_better),
        "instead": _instead(pairs, points, measure),
    }


def _point(judged: Judged, utility: Estimate | None) -> Point | None:
    worst, attacks = judged.numbers[EVIDENCE], judged.findings.evidence
    chosen = strongest(attacks)
    if worst is None or chosen is None or utility is None or isinstance(utility.value, str):
        return None
    attack = attacks[chosen.attack]
    n_speakers = min(attack.n_speakers, utility.n_speakers)
    if n_speakers < FEWEST_SPEAKERS:
        return None
    wider = stdtrit(n_speakers - 1, 1 - ONE_SIDED) / ndtri(1 - ONE_SIDED)
    return Point(
        worst.value,
        utility.value,
        worst.value + wider * (attack.replicates - attack.value),
        utility.value + wider * (utility.replicates - utility.value),
    )


def _shares(points: Sequence[Point], more_is_better: bool) -> list[float | str]:
    """Of each system, the share of joint replicates in which it is on the front; "undefined"
    without any."""
    if not points:
        return []
    # Evidence has at most 1000 replicates, and they are the first ones of utility.
    n_joint = min(min(len(one.evidence_drawn), len(one.utility_drawn)) for one in points)
    evidence = np.stack([one.evidence_drawn[:n_joint] for one in points])
    loss = np.stack([one.utility_drawn[:n_joint] for one in points])
    loss = -loss if more_is_better else loss
    is_defined = ~(np.isnan(loss) | np.isnan(evidence)).any(axis=0)
    if not is_defined.any():
        return [UNDEFINED] * len(points)
    on_front = _is_on_front(evidence[:, is_defined], loss[:, is_defined])
    return [float(share) for share in on_front.mean(axis=1)]


def _is_on_front(evidence: Floats, loss: Floats) -> Any:
    """Of S systems in B replicates (S, B), less of both is better: whether none dominates it."""
    as_good = (evidence[:, None] <= evidence[None]) & (loss[:, None] <= loss[None])
    better = (evidence[:, None] < evidence[None]) | (loss[:, None] < loss[None])
    return ~(as_good & better).any(axis=0)


def _front(points: Mapping[str, Point], more_is_better: bool) -> list[str]:
    """Systems on the front by their values, least evidence first."""
    if not points:
        return []
    evidence = np.array([[one.evidence] for one in points.values()])
    loss = np.array([[-one.utility if more_is_better else one.utility] for one in points.values()])
    on_front = _is_on_front(evidence, loss)[:, 0]
    names = [system for system, is_on in zip(points, on_front, strict=True) if is_on]
    return sorted(names, key=lambda system: (points[system].evidence, system))


def _limits(utility: Estimate) -> Any:
    """[value, lower, upper] of a utility; "undefined" without limits."""
    limits = interval(utility.value, utility.replicates, n_speakers=utility.n_speakers)
    if isinstance(utility.value, str) or isinstance(limits.ci_low, str):
        return UNDEFINED
    return [float(limits.value), float(limits.ci_low), float(limits.ci_high)]


def _instead(pairs, points, measure):
    """What each pair that is shown to differ in evidence differs by, in evidence and utility."""
    more_is_better = measure.better == "higher"
    differences = [
        difference(measure.systems[one], measure.systems[other], more_is_better=more_is_better)
        for one, other in pairs
    ]
    corrected = holm([each["p_value"] for each in differences])
    rows = []
    for (one, other), each, p_holm in zip(pairs, differences, corrected, strict=True):
        less = points[other].evidence - points[one].evidence
        rows.append(
            {
                "system": one,
                "of": other,
                # The pair was decided by attacks on both: values of other attacks may say else.
                "less_evidence_points": less if less > 0 else UNDEFINED,
                "difference": [each["difference"], each["ci_low"], each["ci_high"]],
                "shown": _shown(each, p_holm, corpora=_verdicts_of_corpora(one, other, measure)),
            }
        )
    return rows


def _verdicts_of_corpora(one, other, measure):
    """What each of several corpora says of a pair, as BETTER, WORSE or NOT_SHOWN."""
    verdicts = set()
    for systems in measure.by_corpus:
        more_is_better = measure.better == "higher"
        compared = difference(systems[one], systems[other], more_is_better=more_is_better)
        verdicts.add(_shown(compared, compared["p_value"]))
    return verdicts


def _shown(compared, p_holm, *, corpora=frozenset()):
    if {BETTER, WORSE} <= corpora:
        return DISAGREE
    is_shown = p_holm <= BOTH_SIDES and compared["verdict"].endswith("is better")
    if not is_shown:
        return NOT_SHOWN
    return BETTER if compared["verdict"].startswith("A") else WORSE


# The same in words.


def said(metric: str, drawn: Mapping[str, Any], order: Sequence[str]) -> list[str]:
    """Sentences about one measure, of a plane of verdict.json.

    Parameters
    ----------
    metric : str
    drawn : what ``plane`` made
    order : the systems of which something can be said, least evidence first
    """
    title = METRICS[metric].title if metric in METRICS else metric
    systems = drawn["systems"]
    shares = {
        system: systems[system]["on_front"]
        for system in order
        if system in systems and systems[system]["on_front"] != UNDEFINED
    }
    missing = [system for system in order if system not in shares]
    told = []
    if len(shares) > 1:
        told += _front_said(shares, title)
        told += _paid(drawn["instead"], shares, metric, title)
    if missing and shares:
        told.append(f"Of {listed(missing)}, the {title} is not known.")
    return told


def _front_said(shares, title):
    """Who is on the front, of whom that cannot be said, and who is not."""
    surely = [system for system, share in shares.items() if share >= SURELY_ON]
    unsure = [system for system, share in shares.items() if SURELY_OFF < share < SURELY_ON]
    beaten = [system for system in shares if system not in surely + unsure]
    front = f"the front of evidence and {title}"
    told = []
    if surely:
        told.append(f"On {front}: {listed(surely)}.")
        front = "it"
    if unsure:
        told.append(f"Whether {_or(unsure)} is on {front} cannot be said.")
        front = "it"
    if beaten:
        told.append(f"Not on {front}: {listed(beaten)}.")
    return told


def _paid(instead, shares, metric, title):
    """What one pays for less evidence, from each system to the next one that may be on the front.

    Only of pairs that are shown to differ in evidence.
    """
    may_be = [system for system, share in shares.items() if share > SURELY_OFF]
    told = []
    for row in instead:
        if row["system"] in may_be and row["of"] in may_be:
            first, second = may_be.index(row["system"]), may_be.index(row["of"])
            told.append((second - first, first, _paid_of_pair(row, metric, title)))
    if not told and len(may_be) > 1:
        return [f"Of {listed(may_be)}, none is shown to leave less evidence: no price can be told."]
    return [sentence for _, _, sentence in sorted(told)[:MOST_PRICES]]


def _paid_of_pair(row, metric, title):
    less = row["less_evidence_points"]
    opening = f"{row['system']} instead of {row['of']}: "
    opening += "less evidence" if less == UNDEFINED else f"{_amount(less)} points less evidence"
    if row["shown"] == DISAGREE:
        return f"{opening}; corpora disagree about its price in {title}."
    if row["shown"] == NOT_SHOWN:
        return f"{opening}; a difference in {title} is not shown."
    low, high = sorted(abs(limit) for limit in row["difference"][1:])
    is_more = row["difference"][0] > 0
    points = "points " if metric.endswith("_percent") else ""
    change = f"{_amount(low)} to {_amount(high)} {points}{'more' if is_more else 'less'} {title}"
    return f"{opening} for {change}." if row["shown"] == WORSE else f"{opening} and {change}."


def _amount(value):
    """A difference with as many digits as it is sure of; never in powers of ten."""
    digits = 0 if value >= 9.5 else 1 if value >= 0.95 else 2 if value >= 0.095 else 3
    return f"{value:.{digits}f}"


def _or(names):
    return listed(names).replace(" and ", " or ")
