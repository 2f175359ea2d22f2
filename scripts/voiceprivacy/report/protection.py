"""Whether an anonymiser is shown to protect at all, and the words that say why not.

Conventions
-----------
* It is if its equal error rate is above that of unprotected speech, each under the strongest attack on it, and the two
  can be told apart: the interval of their difference on the same speakers leaves zero out, or, where that difference is
  not known (lists differ, say), their own intervals are disjoint.
"""

from voiceprivacy.catalogue import EER
from voiceprivacy.report.uncertainty import can_be_told_apart, interval_words, paired_difference
from voiceprivacy.report.words import listed

UNPROTECTED = "that of unprotected speech"


def protects(comparisons, system, original):
    """Whether a system is shown to protect, held against unprotected speech (None: nothing speaks against it)."""
    if not original:
        return True
    above = system.mean["eer_percent"] > original.mean["eer_percent"]
    return above and can_be_told_apart(comparisons, system, original)


def doubt(comparisons, system, original, *, highest):
    """Why the best protection is not shown to be one; ``highest`` if no other is shown to protect either."""
    found = paired_difference(comparisons, system, original)
    if found and not found.limits:
        return "there are too few speakers to tell"
    if found:
        whose = (
            f"the highest equal error rate, that of {system.anonymiser},"
            if highest
            else "its equal error rate"
        )
        return f"{whose} is {difference_words(found, f' above {UNPROTECTED}')}"
    whose = f"even the interval of {system.anonymiser}" if highest else "its interval"
    return f"{whose} overlaps with {UNPROTECTED}"


def difference_words(difference, what=""):
    """A Difference in points, with its interval; ``what`` stands between the two."""
    return f"{EER.text(difference.points)} points{what} ({interval_words(EER, difference.limits)})"


def doubts(comparisons, systems, original):
    """Sentences about those of some systems that are not shown to protect; empty if all are."""
    useless = [of for of in systems if not protects(comparisons, of, original)]
    paired = {of.anonymiser: paired_difference(comparisons, of, original) for of in useless}
    known = {
        who: difference_words(found) for who, found in paired.items() if found and found.limits
    }
    alone = [of for of in useless if not paired[of.anonymiser]]
    below = [
        of.anonymiser for of in alone if of.mean["eer_percent"] <= original.mean["eer_percent"]
    ]
    overlap = [of.anonymiser for of in alone if of.anonymiser not in below]
    reasons = []
    if known:
        differ = "their differences" if len(known) > 1 else "its difference"
        are = "are" if len(known) > 1 else "is"
        reasons.append(
            (list(known), f"{differ} from unprotected speech {are} {listed(list(known.values()))}")
        )
    if below:
        are = "their equal error rates are" if len(below) > 1 else "its equal error rate is"
        reasons.append((below, f"{are} no higher than {UNPROTECTED}"))
    if overlap:
        they = "their intervals overlap" if len(overlap) > 1 else "its interval overlaps"
        reasons.append((overlap, f"{they} with {UNPROTECTED}"))
    return " ".join(f"No protection is shown for {listed(names)}: {why}." for names, why in reasons)
