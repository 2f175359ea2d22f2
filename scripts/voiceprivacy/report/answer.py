"""What was run and which anonymiser protects best, in sentences made from the numbers."""

from voiceprivacy.report.columns import COLUMNS
from voiceprivacy.report.comparison import strongest_attacks
from voiceprivacy.report.metrics import ORIGINAL
from voiceprivacy.report.uncertainty import NONE, can_be_told_apart

NO_BREAK = "\N{NO-BREAK SPACE}"
EER = next(column for column in COLUMNS if column.metric == "eer_percent")


def what_was_run(systems):
    """One sentence: anonymisers, corpora, lists and attackers."""
    if not systems:
        return "Sampled galleries only: there is no trial list to compare on, the similarity ranks are below."
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
    for corpus, trials in dict.fromkeys((system.corpus, trials) for system in systems for trials in system.lists):
        target, nontarget = sizes.get((corpus, trials, "n_target")), sizes.get((corpus, trials, "n_nontarget"))
        if target and nontarget:
            sentences.append(f"{corpus}, list {trials}: {target} target and {nontarget} nontarget trials.")
    return sentences


def answers(systems, comparisons=NONE, controls=()):
    """Which anonymiser protects best under its strongest attack: {corpus: sentences}; ``comparisons`` say how sure.

    ``controls`` are anonymisers that do not compete (unless there are no others).
    """
    competing = [system for system in systems if system.anonymiser not in controls]
    strongest = strongest_attacks(competing if {of.anonymiser for of in competing} - {ORIGINAL} else systems)
    return {
        corpus: _answer({who: system for (of, who), system in strongest.items() if of == corpus}, comparisons)
        for corpus in dict.fromkeys(system.corpus for system in systems)
    }


def _answer(strongest, comparisons):
    original = strongest.pop(ORIGINAL, None)
    unprotected = f"Unprotected speech gives {_eer(original, original.attacker)}." if original else ""
    if not strongest:
        return f"Nothing was protected. {unprotected}"
    ranking = sorted(strongest.values(), key=lambda system: (-system.mean["eer_percent"], system.anonymiser))
    best = ranking[0]
    protected = f"under its strongest attack ({best.attack}, {best.attacker}) the attacker's equal error rate is"
    if original and best.mean["eer_percent"] <= original.mean["eer_percent"]:
        return f"No anonymiser protects: even for {best.anonymiser}, {protected} {_eer(best)}. {unprotected}"
    equal = [system.anonymiser for system in ranking if system.mean["eer_percent"] == best.mean["eer_percent"]]
    alike = [system.anonymiser for system in ranking[1:] if not can_be_told_apart(comparisons, best, system)]
    if len(equal) == 1 and alike:
        who = f"{best.anonymiser} has the highest equal error rate, but cannot be told apart from {_listed(alike)}"
        head = f"{who}: {protected}"
    elif len(equal) > 1:
        head = f"{_listed(equal)} protect equally well: {protected}"
    elif len(ranking) > 1:
        head = f"{best.anonymiser} protects best: {protected}"
    else:
        head = f"{best.anonymiser} protects: {protected}"
    others = ", ".join(f"{system.anonymiser} {_percent(system)}" for system in ranking[len(equal) :])
    followed = f"Next, each under its own strongest attack: {others}. " if others else ""
    return f"{head} {_eer(best)}, where 50{NO_BREAK}% is guessing. {followed}{unprotected}".strip()


def _eer(system, *remarks):
    interval = system.intervals[system.mean_label].get("eer_percent")
    remarks = (
        [f"95{NO_BREAK}% interval {EER.text(interval[0])} to {EER.text(interval[1])}", *remarks]
        if interval
        else remarks
    )
    remarks = [system.mean_label, *remarks] if len(system.lists) > 1 else remarks
    return f"{_percent(system)} ({'; '.join(remarks)})" if remarks else _percent(system)


def _percent(system):
    return f"{EER.text(system.mean['eer_percent'])}{NO_BREAK}%"


def _names(names):
    return sorted(set(names))


def _count(names, singular, plural=None):
    word = singular if len(names) == 1 else plural or f"{singular}s"
    return f"{len(names)} {word} ({', '.join(names)})"


def _listed(names):
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
