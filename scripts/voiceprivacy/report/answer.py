"""What was run, which anonymiser protects best, and whether it protects at all, in sentences.

Conventions
-----------
* Anonymisers are ranked by their strongest attack, the one with the lowest equal error rate.
* An anonymiser is shown to protect if its equal error rate is above that of unprotected speech and
  the two can be told apart, each under the strongest attack on it.
* Two anonymisers, or one and unprotected speech, can be told apart if the interval of their
  difference on the same speakers leaves zero out. Where that difference is not known (lists differ,
  say), their own intervals must be disjoint.
* A run on sampled galleries has similarity ranks and no trial lists. There the strongest attack is
  the one whose ranks disclose most, over all attackers, conditions and galleries. An anonymiser is
  not shown to hide the speaker while its interval overlaps with that of unprotected speech.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from voiceprivacy.catalogue import EER
from voiceprivacy.report.comparison import ATTACKS, System, strongest_attacks
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import (
    NONE,
    Comparisons,
    Difference,
    can_be_told_apart,
    interval_words,
    metric_limits,
    paired_difference,
    within_zero_evidence,
)
from voiceprivacy.vocabulary import GIVEN, NO_BREAK, ORIGINAL

UNPROTECTED = "that of unprotected speech"
DISCLOSURE = "disclosure_bit"  # by which ranks are compared


class Answer(NamedTuple):
    """A verdict of one sentence, and the numbers that it comes from."""

    verdict: str
    reasons: str

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.verdict} {self.reasons}".strip()


# What was run.


def controls_of(provenance: dict) -> list[str]:
    """Names of the anonymisers that the config of a run calls controls."""
    anonymisers = provenance.get("config", {}).get("anonymisers", {})
    return [name for name, anonymiser in anonymisers.items() if anonymiser.get("control")]


def averages_of(provenance: dict) -> dict[str, dict[str, dict[str, float]]]:
    """Averages over corpora that the config of a run names: {name: {corpus: {list: weight}}}."""
    return provenance.get("config", {}).get("report", {}).get("averages", {})


def what_was_run(systems: Sequence[System]) -> str:
    """One sentence: anonymisers, corpora, lists and attackers."""
    if not systems:
        return (
            "Sampled galleries only: there is no trial list to compare on, so similarity ranks"
            " decide."
        )
    anonymisers = {system.anonymiser for system in systems} - {ORIGINAL}
    corpora = {system.corpus for system in systems}
    attackers = {system.attacker for system in systems}
    speech = _count(anonymisers, "anonymiser") if anonymisers else "Original speech alone"
    return (
        f"{speech} on {_count(corpora, 'corpus', 'corpora')},"
        f" attacked by {_count(attackers, 'attacker')}."
    )


def how_many_trials(systems: Iterable[System], numbers: Iterable[Number]) -> list[str]:
    """One sentence per trial list with its size."""
    sizes = {(number.corpus, number.trials, number.metric): number.value for number in numbers}
    lists: dict[tuple[str, str], None] = {}
    for system in systems:
        lists |= dict.fromkeys((system.corpus, trials) for trials in system.lists)
    sentences = []
    for corpus, trials in lists:
        target = sizes.get((corpus, trials, "n_target"))
        nontarget = sizes.get((corpus, trials, "n_nontarget"))
        if target and nontarget:
            sentences.append(
                f"{corpus}, list {trials}: {target} target and {nontarget} nontarget trials."
            )
    return sentences


def _count(names: Collection[str], singular: str, plural: str | None = None) -> str:
    word = singular if len(names) == 1 else plural or f"{singular}s"
    return f"{len(names)} {word} ({listed(sorted(names), ', ')})"


# Which anonymiser protects best.


def answers(
    systems: Sequence[System],
    comparisons: Comparisons = NONE,
    controls: Collection[str] = (),
    averaged: Mapping[str, Sequence[System]] | None = None,
) -> dict[str, Answer]:
    """Which anonymiser protects best under its strongest attack.

    Parameters
    ----------
    comparisons : say how sure that is
    controls : anonymisers that do not compete (unless there are no others)
    averaged : {name: systems} of averages over corpora

    Returns
    -------
    {name of an average, or corpus: Answer} : averages first
    """
    sets = dict(averaged or {})
    for corpus in dict.fromkeys(system.corpus for system in systems):
        sets[corpus] = [system for system in systems if system.corpus == corpus]
    return {name: _answer(of_set, comparisons, controls) for name, of_set in sets.items()}


def _answer(
    systems: Sequence[System], comparisons: Comparisons, controls: Collection[str]
) -> Answer:
    competing = [system for system in systems if system.anonymiser not in controls]
    if {system.anonymiser for system in competing} <= {ORIGINAL}:
        competing = list(systems)
    strongest = {
        anonymiser: system for (_, anonymiser), system in strongest_attacks(competing).items()
    }
    original = strongest.pop(ORIGINAL, None)
    if not strongest:
        assert original is not None  # somebody was attacked
        unprotected = f"Its equal error rate is {_eer(original)} under {_attack(original)}."
        return Answer("Nothing was protected.", unprotected)
    ranking = sorted(strongest.values(), key=lambda system: (-_eer_of(system), system.anonymiser))
    best = ranking[0]
    lower = [system for system in ranking if _eer_of(system) != _eer_of(best)]
    reasons = [
        f"Against {best.anonymiser} the strongest attack is {_attack(best)},"
        f" with an equal error rate of {_eer(best)}.",
        _scale(best, original, comparisons),
        _others(lower, original, comparisons),
    ]
    return Answer(_verdict(ranking, original, comparisons), " ".join(filter(None, reasons)))


def _verdict(ranking: Sequence[System], original: System | None, comparisons: Comparisons) -> str:
    best, *others = ranking
    if original and _eer_of(best) <= _eer_of(original):
        return "No anonymiser protects."
    if not protects(comparisons, best, original):
        return _doubtful_verdict(best, others, original, comparisons)
    equal = [system.anonymiser for system in ranking if _eer_of(system) == _eer_of(best)]
    alike = [
        system.anonymiser for system in others if not can_be_told_apart(comparisons, best, system)
    ]
    if len(equal) > 1:
        return f"{listed(equal)} protect equally well."
    if alike:
        return (
            f"{best.anonymiser} has the highest equal error rate,"
            f" but cannot be told apart from {listed(alike)}."
        )
    return f"{best.anonymiser} protects best." if others else f"{best.anonymiser} protects."


def _doubtful_verdict(
    best: System, others: Sequence[System], original: System | None, comparisons: Comparisons
) -> str:
    """The verdict where the highest equal error rate is not shown to protect."""
    shown = [system.anonymiser for system in others if protects(comparisons, system, original)]
    why = doubt(comparisons, best, original, highest=bool(others) and not shown)
    if shown:
        highest = f"{best.anonymiser}, with the highest equal error rate"
        return f"Protection is shown for {listed(shown)}, but not for {highest}: {why}."
    subject = "No anonymiser is" if others else f"{best.anonymiser} is not"
    return f"{subject} shown to protect: {why}."


def _scale(best: System, original: System | None, comparisons: Comparisons) -> str:
    """What the number is to be held against."""
    guessing = f"50{NO_BREAK}% is guessing"
    if not original:
        return f"{guessing}."
    attacker = "" if original.attacker == best.attacker else f" with {original.attacker}"
    difference = paired_difference(comparisons, best, original)
    limits = ""
    if difference and difference.limits and protects(comparisons, best, original):
        limits = f"; the difference is {difference_words(difference)}"  # else the verdict says it
    return f"{guessing}; unprotected speech gives {_eer(original)}{attacker}{limits}."


def _others(others: Sequence[System], original: System | None, comparisons: Comparisons) -> str:
    """The next ones, each under its own strongest attack, and those not shown to protect at all."""
    if not others:
        return ""
    texts = [f"{system.anonymiser} {_percent(system)}" for system in others]
    followed = f"Next, each under its own strongest attack: {listed(texts)}."
    return f"{followed} {doubts(comparisons, others, original)}".strip()


def _attack(system: System) -> str:
    if system.backend == GIVEN:
        return f"that of the scores of {system.extractor} ({system.condition.upper()})"
    return f"{system.attack} ({system.attacker})"


def _eer(system: System) -> str:
    interval = system.intervals[system.mean_label].get("eer_percent")
    remarks = [system.mean_label] if len(system.lists) > 1 else []
    if interval:
        remarks.append(interval_words(EER, interval))
    return f"{_percent(system)} ({'; '.join(remarks)})" if remarks else _percent(system)


def _percent(system: System) -> str:
    return f"{EER.text(_eer_of(system))}{NO_BREAK}%"


def _eer_of(system: System) -> float:
    return system.mean["eer_percent"]


# Whether an anonymiser protects at all.


def protects(comparisons: Comparisons, system: System, original: System | None) -> bool:
    """Whether a system is shown to protect, held against unprotected speech.

    Without unprotected speech (None) nothing speaks against it.
    """
    if not original:
        return True
    above = _eer_of(system) > _eer_of(original)
    return above and can_be_told_apart(comparisons, system, original)


def doubt(
    comparisons: Comparisons, system: System, original: System | None, *, highest: bool
) -> str:
    """Why the best protection is not shown to be one.

    Parameters
    ----------
    highest : whether there are others, and none of them is shown to protect either
    """
    difference = paired_difference(comparisons, system, original) if original else None
    if difference and not difference.limits:
        return "there are too few speakers to tell"
    if difference:
        subject = "its equal error rate"
        if highest:
            subject = f"the highest equal error rate, that of {system.anonymiser},"
        return f"{subject} is {difference_words(difference, f' above {UNPROTECTED}')}"
    subject = f"even the interval of {system.anonymiser}" if highest else "its interval"
    return f"{subject} overlaps with {UNPROTECTED}"


def difference_words(difference: Difference, between: str = "") -> str:
    """A Difference in points, with its interval; ``between`` stands between the two."""
    assert difference.limits is not None
    interval = interval_words(EER, difference.limits)
    return f"{EER.text(difference.points)} points{between} ({interval})"


def doubts(comparisons: Comparisons, systems: Iterable[System], original: System | None) -> str:
    """Sentences about systems that are not shown to protect; empty if all are."""
    differences = {}  # in words, of those whose difference from unprotected speech is known
    below, overlapping = [], []
    for system in systems:
        if not original or protects(comparisons, system, original):
            continue
        difference = paired_difference(comparisons, system, original)
        if difference and difference.limits:
            differences[system.anonymiser] = difference_words(difference)
        elif difference:
            continue  # too few speakers to tell
        elif _eer_of(system) <= _eer_of(original):
            below.append(system.anonymiser)
        else:
            overlapping.append(system.anonymiser)
    reasons = []
    if differences:
        differ = "their differences" if len(differences) > 1 else "its difference"
        are = "are" if len(differences) > 1 else "is"
        known = listed(list(differences.values()))
        reasons.append((list(differences), f"{differ} from unprotected speech {are} {known}"))
    if below:
        are = "their equal error rates are" if len(below) > 1 else "its equal error rate is"
        reasons.append((below, f"{are} no higher than {UNPROTECTED}"))
    if overlapping:
        overlap = "their intervals overlap" if len(overlapping) > 1 else "its interval overlaps"
        reasons.append((overlapping, f"{overlap} with {UNPROTECTED}"))
    sentences = [
        f"No protection is shown for {listed(anonymisers)}: {why}." for anonymisers, why in reasons
    ]
    return " ".join(sentences)


# Which attacks found nothing.


def zero_evidence(systems: Sequence[System]) -> dict[str, str]:
    """One sentence per corpus: which attacks found no more than zero evidence.

    A corpus of which no band is known has none.
    """
    strongest = strongest_attacks(systems).values()
    sentences = {}
    for corpus in dict.fromkeys(system.corpus for system in systems):
        attacks = []
        for system in systems:
            if system.corpus == corpus:
                attacks += [
                    (system, trials, within_zero_evidence(values))
                    for trials, values in system.lists.items()
                ]
        within = [(system, trials) for system, trials, verdict in attacks if verdict]
        judged = [verdict for _, _, verdict in attacks if verdict is not None]
        if within:
            names = listed([_named(system, trials) for system, trials in within])
            is_strongest = [any(system is other for other in strongest) for system, _ in within]
            more = "" if any(is_strongest) else "; the strongest attacks found more"
            sentences[corpus] = f"No more than zero evidence (D_ECE): {names}{more}."
        elif judged:
            every = "Every attack"
            if len(judged) < len(attacks):
                every += " that could be judged"
            sentences[corpus] = f"{every} found more than zero evidence (D_ECE)."
    return sentences


def _named(system: System, trials: str) -> str:
    return f"{system.anonymiser} ({system.attack}, {system.attacker}; {trials})"


# The answer of similarity ranks.


def rank_answers(numbers: Iterable[Number]) -> dict[str, Answer]:
    """Whose ranks disclose least under the strongest attack: {corpus: Answer}."""
    strongest: dict[str, dict[str, Number]] = {}
    for number in numbers:
        if number.metric != DISCLOSURE or number.condition not in ATTACKS:
            continue
        of_corpus = strongest.setdefault(number.corpus, {})
        first = of_corpus.setdefault(number.anonymiser, number)
        if float(number.value) > float(first.value):
            of_corpus[number.anonymiser] = number
    return {corpus: _rank_answer(of_corpus) for corpus, of_corpus in strongest.items()}


def _rank_answer(strongest: dict[str, Number]) -> Answer:
    original = strongest.pop(ORIGINAL, None)
    if not strongest:
        assert original is not None
        return Answer(
            "Nothing was protected.", f"The rank of the true speaker discloses {_bits(original)}."
        )
    best, *others = sorted(
        strongest.values(), key=lambda number: (float(number.value), number.anonymiser)
    )
    attack = f"{best.condition.upper()}, {best.extractor} + {best.backend}, gallery {best.trials}"
    reasons = (
        f"Where most is found ({attack}), the rank of the true speaker discloses {_bits(best)}"
    )
    reasons += f"; of unprotected speech {_bits(original)}." if original else "."
    if others:
        texts = [f"{number.anonymiser} {float(number.value):.2f}{NO_BREAK}bit" for number in others]
        reasons += f" Next, each where most of it is found: {listed(texts)}."
    return Answer(_rank_verdict(best, original, several=bool(others)), reasons)


def _rank_verdict(best: Number, original: Number | None, *, several: bool) -> str:
    if original and float(best.value) >= float(original.value):
        return "No anonymiser hides the speaker from a ranking."
    if original and _overlap(best, original):
        return (
            "No anonymiser is shown to hide the speaker from a ranking,"
            f" not even {best.anonymiser}."
        )
    if several or not original:
        return f"Ranks disclose least of {best.anonymiser}."
    return f"Ranks disclose less of {best.anonymiser} than of unprotected speech."


def _overlap(one: Number, other: Number) -> bool:
    limits, other_limits = metric_limits(one), metric_limits(other)
    if limits is None or other_limits is None:
        return False
    return limits[0] <= other_limits[1] and other_limits[0] <= limits[1]


def _bits(number: Number) -> str:
    limits = metric_limits(number)
    text = f"{float(number.value):.2f}{NO_BREAK}bit"
    if limits:
        text += f" (95{NO_BREAK}% interval {limits[0]:.2f} to {limits[1]:.2f})"
    return text
