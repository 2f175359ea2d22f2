"""What was run and which anonymiser protects best, in sentences made from the numbers.

Conventions
-----------
* Anonymisers are ranked by their strongest attack, the one with the lowest equal error rate.
* Two anonymisers, or one and unprotected speech, cannot be told apart if the paired comparison of the strongest attacks
  on them says so; where there is none (lists differ, say), if their intervals overlap.
"""

from typing import NamedTuple

from voiceprivacy.catalogue import EER
from voiceprivacy.report.comparison import strongest_attacks
from voiceprivacy.report.protection import difference_words, doubt, doubts, protects
from voiceprivacy.report.uncertainty import (
    NONE,
    can_be_told_apart,
    interval_words,
    paired_difference,
    within_zero_evidence,
)
from voiceprivacy.report.words import listed
from voiceprivacy.vocabulary import GIVEN, NO_BREAK, ORIGINAL


class Answer(NamedTuple):
    """A verdict of one sentence, and the numbers that it comes from."""

    verdict: str
    reasons: str

    @property
    def text(self):
        """All of it."""
        return f"{self.verdict} {self.reasons}".strip()


def what_was_run(systems):
    """One sentence: anonymisers, corpora, lists and attackers."""
    if not systems:
        return "Sampled galleries only: there is no trial list to compare on, so similarity ranks decide."
    anonymisers = _names(system.anonymiser for system in systems if system.anonymiser != ORIGINAL)
    corpora = _names(system.corpus for system in systems)
    attackers = _names(system.attacker for system in systems)
    what = _count(anonymisers, "anonymiser") if anonymisers else "Original speech alone"
    return f"{what} on {_count(corpora, 'corpus', 'corpora')}, attacked by {_count(attackers, 'attacker')}."


def how_many_trials(systems, metrics):
    """One sentence per corpus with the size of its trial lists."""
    sizes = {
        (metric.corpus, metric.trials, metric.metric): metric.value
        for metric in metrics
        if metric.metric in ("n_target", "n_nontarget")
    }
    sentences = []
    for corpus, trials in dict.fromkeys(
        (system.corpus, trials) for system in systems for trials in system.lists
    ):
        target, nontarget = (
            sizes.get((corpus, trials, "n_target")),
            sizes.get((corpus, trials, "n_nontarget")),
        )
        if target and nontarget:
            sentences.append(
                f"{corpus}, list {trials}: {target} target and {nontarget} nontarget trials."
            )
    return sentences


def answers(systems, comparisons=NONE, controls=(), averaged=None):
    """Which anonymiser protects best under its strongest attack; ``comparisons`` say how sure that is.

    Parameters
    ----------
    systems : list of System
    comparisons : Comparisons
    controls : anonymisers that do not compete (unless there are no others)
    averaged : {name: list of System} of averages over corpora

    Returns
    -------
    {name of an average, or corpus: Answer} : averages first
    """
    corpora = dict.fromkeys(system.corpus for system in systems)
    groups = (averaged or {}) | {
        corpus: [of for of in systems if of.corpus == corpus] for corpus in corpora
    }
    return {name: _answer(of, comparisons, controls) for name, of in groups.items()}


def zero_evidence(systems):
    """One sentence per corpus: which attacks found no more than zero evidence; none where no band is known."""
    strongest = set(map(id, strongest_attacks(systems).values()))
    sentences = {}
    for corpus in dict.fromkeys(system.corpus for system in systems):
        verdicts = [
            (system, trials, within_zero_evidence(values))
            for system in systems
            if system.corpus == corpus
            for trials, values in system.lists.items()
        ]
        within = [(system, trials) for system, trials, verdict in verdicts if verdict]
        if within:
            names = listed(
                [f"{of.anonymiser} ({of.attack}, {of.attacker}; {trials})" for of, trials in within]
            )
            more = (
                ""
                if any(id(of) in strongest for of, _ in within)
                else "; the strongest attacks found more"
            )
            sentences[corpus] = f"No more than zero evidence (D_ECE): {names}{more}."
        elif judged := [verdict for *_, verdict in verdicts if verdict is not None]:
            who = (
                "Every attack"
                if len(judged) == len(verdicts)
                else "Every attack that could be judged"
            )
            sentences[corpus] = f"{who} found more than zero evidence (D_ECE)."
    return sentences


def _answer(systems, comparisons, controls):
    competing = [system for system in systems if system.anonymiser not in controls]
    if {system.anonymiser for system in competing} <= {ORIGINAL}:
        competing = systems
    strongest = {who: system for (_, who), system in strongest_attacks(competing).items()}
    original = strongest.pop(ORIGINAL, None)
    if not strongest:
        unprotected = f"Its equal error rate is {_eer(original)} under {_attack(original)}."
        return Answer("Nothing was protected.", unprotected)
    ranking = sorted(
        strongest.values(), key=lambda system: (-system.mean["eer_percent"], system.anonymiser)
    )
    best = ranking[0]
    reasons = [
        f"Against {best.anonymiser} the strongest attack is {_attack(best)}, with an equal error rate of {_eer(best)}.",
        _scale(best, original, comparisons),
        _others(
            [of for of in ranking if of.mean["eer_percent"] != best.mean["eer_percent"]],
            original,
            comparisons,
        ),
    ]
    return Answer(_verdict(ranking, original, comparisons), " ".join(filter(None, reasons)))


def _verdict(ranking, original, comparisons):
    best, others = ranking[0], ranking[1:]
    if original and best.mean["eer_percent"] <= original.mean["eer_percent"]:
        return "No anonymiser protects."
    if not protects(comparisons, best, original):
        shown = [of.anonymiser for of in others if protects(comparisons, of, original)]
        why = doubt(comparisons, best, original, highest=bool(others) and not shown)
        if shown:
            highest = f"{best.anonymiser}, with the highest equal error rate"
            return f"Protection is shown for {listed(shown)}, but not for {highest}: {why}."
        who = "No anonymiser is" if others else f"{best.anonymiser} is not"
        return f"{who} shown to protect: {why}."
    equal = [
        system.anonymiser
        for system in ranking
        if system.mean["eer_percent"] == best.mean["eer_percent"]
    ]
    alike = [
        system.anonymiser for system in others if not can_be_told_apart(comparisons, best, system)
    ]
    if len(equal) > 1:
        return f"{listed(equal)} protect equally well."
    if alike:
        return f"{best.anonymiser} has the highest equal error rate, but cannot be told apart from {listed(alike)}."
    return f"{best.anonymiser} protects best." if others else f"{best.anonymiser} protects."


def _scale(best, original, comparisons):
    """What the number is to be held against."""
    guessing = f"50{NO_BREAK}% is guessing"
    if not original:
        return f"{guessing}."
    of = "" if original.attacker == best.attacker else f" with {original.attacker}"
    more = paired_difference(comparisons, best, original)
    apart = (
        more and more.limits and protects(comparisons, best, original)
    )  # else the verdict says it
    limits = f"; the difference is {difference_words(more)}" if apart else ""
    return f"{guessing}; unprotected speech gives {_eer(original)}{of}{limits}."


def _others(others, original, comparisons):
    """The next ones, each under its own strongest attack, and which of them are not shown to protect at all."""
    if not others:
        return ""
    texts = [f"{system.anonymiser} {_percent(system)}" for system in others]
    followed = f"Next, each under its own strongest attack: {listed(texts)}."
    return f"{followed} {doubts(comparisons, others, original)}".strip()


def _attack(system):
    if system.backend == GIVEN:
        return f"that of the scores of {system.extractor} ({system.condition.upper()})"
    return f"{system.attack} ({system.attacker})"


def _eer(system):
    interval = system.intervals[system.mean_label].get("eer_percent")
    remarks = [system.mean_label] if len(system.lists) > 1 else []
    if interval:
        remarks.append(interval_words(EER, interval))
    return f"{_percent(system)} ({'; '.join(remarks)})" if remarks else _percent(system)


def _percent(system):
    return f"{EER.text(system.mean['eer_percent'])}{NO_BREAK}%"


def _names(names):
    return sorted(set(names))


def _count(names, singular, plural=None):
    word = singular if len(names) == 1 else plural or f"{singular}s"
    return f"{len(names)} {word} ({listed(names, ', ')})"
