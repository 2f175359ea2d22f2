"""The answer of a run on sampled galleries, which has similarity ranks and no trial lists.

Conventions
-----------
* The strongest attack on an anonymiser is the one whose ranks disclose most, over all attackers, conditions and
  galleries.
* An anonymiser is not shown to hide the speaker while its interval overlaps with that of unprotected speech.
"""

from voiceprivacy.report.answer import Answer
from voiceprivacy.report.uncertainty import metric_limits
from voiceprivacy.report.words import listed
from voiceprivacy.vocabulary import NO_BREAK, ORIGINAL

DISCLOSURE = "disclosure_bit"


def rank_answers(metrics):
    """Whose ranks disclose least under the strongest attack: {corpus: Answer}, from a list of Number."""
    strongest = {}
    for metric in metrics:
        if metric.metric == DISCLOSURE and metric.condition in ("oo", "op", "pp"):
            of_corpus = strongest.setdefault(metric.corpus, {})
            if metric.anonymiser not in of_corpus or float(metric.value) > float(
                of_corpus[metric.anonymiser].value
            ):
                of_corpus[metric.anonymiser] = metric
    return {corpus: _answer(of) for corpus, of in strongest.items()}


def _answer(strongest):
    original = strongest.pop(ORIGINAL, None)
    if not strongest:
        return Answer(
            "Nothing was protected.", f"The rank of the true speaker discloses {_bits(original)}."
        )
    best, *others = sorted(
        strongest.values(), key=lambda metric: (float(metric.value), metric.anonymiser)
    )
    attack = f"{best.condition.upper()}, {best.extractor} + {best.backend}, gallery {best.trials}"
    reasons = [
        f"Where most is found ({attack}), the rank of the true speaker discloses {_bits(best)}"
    ]
    reasons.append(f"; of unprotected speech {_bits(original)}." if original else ".")
    if others:
        texts = [f"{of.anonymiser} {float(of.value):.2f}{NO_BREAK}bit" for of in others]
        reasons.append(f" Next, each where most of it is found: {listed(texts)}.")
    return Answer(_verdict(best, original, several=bool(others)), "".join(reasons))


def _verdict(best, original, *, several):
    if original and float(best.value) >= float(original.value):
        return "No anonymiser hides the speaker from a ranking."
    if original and _overlap(best, original):
        return f"No anonymiser is shown to hide the speaker from a ranking, not even {best.anonymiser}."
    if several or not original:
        return f"Ranks disclose least of {best.anonymiser}."
    return f"Ranks disclose less of {best.anonymiser} than of unprotected speech."


def _overlap(one, other):
    limits = [metric_limits(metric) for metric in (one, other)]
    return None not in limits and limits[0][0] <= limits[1][1] and limits[1][0] <= limits[0][1]


def _bits(metric):
    limits = metric_limits(metric)
    interval = f" (95{NO_BREAK}% interval {limits[0]:.2f} to {limits[1]:.2f})" if limits else ""
    return f"{float(metric.value):.2f}{NO_BREAK}bit{interval}"
