"""The verdict in words: what may be said of a set, and nothing that may not.

Conventions
-----------
* No sentence says that an anonymiser protects. Sentences say how much is left, under which attack,
  and what was not tried.
* Of two systems only what is shown is said. Differences in points are never said.
* The equal error rate that a sentence names is folded, and that of the strongest attack.
* A sentence has three numbers at most and no interval. The table of the verdict has those.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from voiceprivacy.inout.files import counted
from voiceprivacy.privacy.verdict.levels import (
    CANNOT_SAY,
    LITTLE_REDUCED,
    NONE_FOUND,
    NONE_LEFT,
    NOT_SHOWN,
    REDUCED,
    Thresholds,
)
from voiceprivacy.vocabulary import (
    FUSED,
    GIVEN,
    SEMI_INFORMED,
    TRAINED_ON,
    UNDEFINED,
    attacker_name,
)

MOST_NAMES = 12  # of speakers in a sentence; the file has all
MOST_SYSTEMS = 5  # with a sentence of their own; the table has all
READ = {  # how the strongest attack reads scores, where it is not the usual way
    "descending": ", which takes low scores for the same speaker,",
    "near": ", which takes scores near the median for the same speaker,",
    "far": ", which takes extreme scores for the same speaker,",
    "by list": ", which reads the scores of each list in their own direction,",
}
FLOOR = "What is said and when"  # of several features
FLOORS = {
    "words": "What is said",
    "style": "What is said",
    "timing": "When something is said",
}
IDENTIFIED = "identification_of_20_percent"
FOUND = "tpr_at_fpr_0.01_percent"
WHOLE_SCALE = 95  # limits that are so far apart, in percent, tell nothing
MOST_UNEVEN = 4  # sentences on attacks that not all systems met; the file has all
EXPECT_LESS = "expect less protection than this."
NO_SEMI = f"No attacker was trained on protected speech: {EXPECT_LESS}"
NO_SEMI_DECLARED = f"No attacker is declared as trained on protected speech: {EXPECT_LESS}"
SEMI_DECLARED = "That attackers were trained on protected speech is declared and not checked."
NO_SEMI_TRUSTED = f"No attacker that was trained on protected speech can be trusted: {EXPECT_LESS}"
FEW_SEMI = f"No attacker was trained on enough protected speech: {EXPECT_LESS}"
NO_LINKAGE = "Released files were not compared with each other (linkage)."
NO_LINKAGE_TRUSTED = (
    "Released files were compared with each other (linkage), but no such attack can be trusted."
)
NOTHING_PROTECTED = "Nothing was protected."
NO_COMMON_LIST = "No list is common; see corpus by corpus."
ONE_DRAW = "This is one draw of each anonymiser: another draw may give other numbers."


def sentences(judgement: Mapping[str, Any], thresholds: Thresholds) -> list[str]:
    """What is said of one set of verdict.json, the most important first."""
    systems = judgement["systems"]
    if not systems:
        if judgement["untrusted"]:
            return ["Nothing can be said: no attack was tried on every list."]
        return [NOTHING_PROTECTED]
    if systems.keys() <= set(judgement["controls"]):
        return ["Only controls were attacked, whose effect is known."]
    judged = list(chain.from_iterable(judgement["order"]))
    silent = [
        system
        for system in systems
        if systems[system]["level"] == CANNOT_SAY and system not in judgement["controls"]
    ]
    said = []
    if judged:
        said += _without_semi(judgement)
    for system in judged[:MOST_SYSTEMS]:
        said += recognised_sentences(system, systems[system])
        said += [level_sentence(system, judgement, thresholds), errors_sentence(system, judgement)]
    if len(judged) > MOST_SYSTEMS:
        said.append(f"{counted(len(judged) - MOST_SYSTEMS, 'further system')}: see the table.")
    for system in judged[:MOST_SYSTEMS]:
        if systems[system]["exposed_beyond_chance"] and _hides_most(systems[system]):
            said += exposed_sentences(system, systems[system])
    said += floor_sentences(judgement["floors"])
    said += comparisons(judgement)
    for system in silent:
        said += silent_sentences(system, systems[system])
    return said


def warnings(judgement: Mapping[str, Any]) -> list[str]:
    """What a reader must know before he decides by a set of verdict.json."""
    systems = _competing(judgement)
    if not any(numbers["counted"] for numbers in systems.values()):
        return []
    told = _without_semi(judgement)
    declared, is_all = _declared(systems)
    if declared:
        told.append(
            f"{'All scores were made elsewhere. ' if is_all else ''}What the attackers of"
            f" {listed(declared)} knew is not checked."
        )
    if judgement["effort"]["inferred"]:
        told.append(
            f"Who speaks in the trials of {listed(judgement['effort']['inferred'])} was inferred"
            " from their labels, which can make intervals too narrow."
        )
    for attacker, subsets in judgement["effort"]["heard"].items():
        who = attacker_name(*attacker.split("/"))
        told.append(
            f"{who} learnt from speakers of {listed(subsets)}, on whom it is tried here:"
            " of strangers it finds less."
        )
    unlinked = [name for name, numbers in systems.items() if "linkage" not in numbers["tried"]]
    if len(unlinked) == len(systems):
        is_refused = "linkage" in judgement["effort"]["refused"]
        told.append(NO_LINKAGE_TRUSTED if is_refused else NO_LINKAGE)
    elif unlinked:
        told.append(f"No comparison of released files (linkage) counts for {_some(unlinked)}.")
    told += _uneven_effort(judgement, systems)
    if not is_all:
        told += _draws(systems)
    return told


def _draws(systems):
    """Of how many draws the numbers are."""
    several = [name for name, numbers in systems.items() if numbers["draws"] > 1]
    if not several:
        return [ONE_DRAW]
    told = [
        f"Limits of {name} are of one release, as {systems[name]['draws']} draws of it differ."
        for name in several
    ]
    single = [name for name in systems if name not in several]
    if single:
        told.append(f"Of {_some(single)} there is one draw: another may give other numbers.")
    return told


def _competing(judgement):
    """The systems that are no controls; those that no attack counts on only if there are no
    others."""
    systems = {
        name: numbers
        for name, numbers in judgement["systems"].items()
        if name not in judgement["controls"]
    }
    return {name: numbers for name, numbers in systems.items() if numbers["counted"]} or systems


def _without_semi(judgement):
    """Of which systems no attacker learnt from enough protected speech, and what was tried."""
    systems = _competing(judgement)
    small = {
        name: numbers["small_semi_informed"]
        for name, numbers in systems.items()
        if numbers["small_semi_informed"]
    }
    untried = [name for name, numbers in systems.items() if "semi-informed" not in numbers["tried"]]
    spared = [name for name in systems if name in untried or name in small]
    if not spared:
        declared = ["semi-informed" in numbers["declared_only"] for numbers in systems.values()]
        return [SEMI_DECLARED] if any(declared) else []
    if len(spared) < len(systems):
        enough = "enough " if small else ""
        told = f"No attacker was trained on {enough}speech of {_some(spared)}: {EXPECT_LESS}"
    elif small:
        told = FEW_SEMI
    elif "semi-informed" in judgement["effort"]["refused"]:
        told = NO_SEMI_TRUSTED
    else:
        told = NO_SEMI_DECLARED if _declared(systems)[1] else NO_SEMI
    return [told, *_untaught(judgement, untried), *_small_attacks(small, systems)]


def _untaught(judgement, systems):
    """For want of what nobody could learn from a system."""
    reasons = judgement["effort"]["untaught"]
    told = []
    for why in dict.fromkeys(reasons.values()):
        names = [name for name in systems if reasons.get(name) == why]
        if names:
            told.append(f"There is no protected training speech of {_some(names)} ({why}).")
    return told


def _small_attacks(small, systems):
    """Which semi-informed attacks are small ones, and why."""
    told = []
    for why in dict.fromkeys(small.values()):
        names = [name for name in small if small[name] == why]
        on = "" if len(names) == len(systems) else f" on {_some(names)}"
        told.append(f"A small semi-informed attack was tried{on} ({why}).")
    return told


def _uneven_effort(judgement, systems):
    """Which attacks count on some systems only, of those that any attack counts on.

    Attackers of whom the same is to be said share a sentence.
    """
    counted = {name: _by_attacker(own["counted"]) for name, own in systems.items()}
    attackers = sorted(set(chain.from_iterable(counted.values())))
    refused = _refused_attackers(judgement["untrusted"])
    shared: dict[tuple[str, str, str], list[str]] = {}
    for attacker in attackers:
        conditions = {name: own.get(attacker, set()) for name, own in counted.items()}
        for verbs in _spared(conditions, refused.get(attacker, set())):
            shared.setdefault(verbs, []).append(_attack_words(attacker))
    told = [
        f"{listed(who)} {several if len(who) > 1 else one} {on}."
        for (one, several, on), who in shared.items()
    ]
    if len(told) > MOST_UNEVEN:
        told[MOST_UNEVEN - 1 :] = ["the file verdict.json has more that differs."]
    return [f"Systems were not attacked alike: {told[0]}", *map(_capital, told[1:])] if told else []


def _spared(conditions, refused):
    """What is to be said of an attacker who does not count alike on all systems.

    Parameters
    ----------
    conditions : {system: conditions under which he counts}
    refused : systems on which he was tried and does not count, or not under every condition

    Yields
    ------
    verb of one attack, verb of several, on which systems
    """
    every = set().union(*conditions.values())
    untried = [name for name, own in conditions.items() if not own and name not in refused]
    tried = [name for name in conditions if name not in untried]
    if untried and len(tried) <= len(untried):
        yield "was tried on", "were tried on", f"{_some(tried)} only"
    elif untried:
        yield "was not tried on", "were not tried on", _some(untried)
    unfit = [name for name in tried if not conditions[name]]
    if unfit:
        yield "does not count on", "do not count on", f"{_some(unfit)}, for the reason given"
    parts: dict[tuple[str, ...], list[str]] = {}
    for name in tried:
        if conditions[name] and conditions[name] != every:
            parts.setdefault(tuple(sorted(conditions[name])), []).append(name)
    for part, names in parts.items():
        under = listed([condition.upper() for condition in part])
        yield "counts on", "count on", f"{_some(names)} under {under} only"


def _by_attacker(attacks):
    """{EXTRACTOR/BACKEND: conditions} of attacks in the words of the file."""
    by_attacker: dict[str, set[str]] = {}
    for attack in attacks:
        attacker, _, condition = attack.rpartition(" ")
        by_attacker.setdefault(attacker, set()).add(condition.strip("()"))
    return by_attacker


def _refused_attackers(untrusted):
    """{EXTRACTOR/BACKEND: systems on which an attack of his is refused}.

    Attackers that were trained on one system each are one, as among those that count.
    """
    refused: dict[str, set[str]] = {}
    for words in untrusted:
        attack, _, system = words.partition(" on ")
        fields = [name.partition(TRAINED_ON) for name in attack.partition(" ")[0].split("/")]
        attacker = "/".join(base for base, _, _ in fields)
        trained_on = {one for _, _, one in fields if one}
        refused.setdefault(attacker, set()).update([system] if system else trained_on)
    return refused


def _attack_words(attacker):
    """The attack of EXTRACTOR/BACKEND in a sentence."""
    extractor, _, backend = attacker.partition("/")
    if backend == GIVEN:
        return f"the attack by scores of {extractor}"
    if extractor == FUSED:
        return f"the fused attack {backend}"
    if backend == SEMI_INFORMED:
        return f"the semi-informed attack of {extractor}"
    return f"the attack of {attacker_name(extractor, backend)}"


def _capital(sentence):
    return f"{sentence[:1].upper()}{sentence[1:]}"


def recognised_sentences(system: str, numbers: Mapping[str, Any]) -> list[str]:
    """How many utterances an attacker recognises: what everybody understands; none if unknown.

    Of many speakers it is how often the true one is the likeliest of 20, although scores are not
    comparable between utterances; else how many target trials are found at 1 % false alarms.
    """
    among = numbers.get(IDENTIFIED, UNDEFINED)
    if among != UNDEFINED:
        left = numbers["evidence_left_percent"]
        is_more = left != UNDEFINED and among[1] > max(10, left[2])
        beyond = ", more than its evidence tells" if is_more else ""
        where = f" among 20 speakers{beyond}; guessing gives 5 %"
        return _recognised(system, among, 5, where)
    return _recognised(system, numbers.get(FOUND, UNDEFINED), 1, " at 1 % false alarms")


def _recognised(system, limits, guessing, where):
    if limits == UNDEFINED or limits[2] - limits[1] >= WHOLE_SCALE:
        return []
    still, luck = ("", ": that can be luck") if limits[1] <= guessing else (" still", "")
    return [f"With {system}, {_whole(limits)} of utterances are{still} recognised{where}{luck}."]


def level_sentence(system: str, judgement: Mapping[str, Any], thresholds: Thresholds) -> str:
    """How much evidence is left of a system."""
    numbers = judgement["systems"][system]
    left = numbers["evidence_left_percent"]
    nothing, reduced = thresholds.nothing_percent, thresholds.reduced_percent
    part = "half of it is gone" if reduced == 50 else f"less than {reduced:g} % is left"
    gone = "more than half is gone" if reduced == 50 else part
    said = {
        NONE_LEFT: (
            f"less than {nothing:g} % of the evidence is left, and no other number says more"
        ),
        NONE_FOUND: (
            "no more evidence was found than permuted speakers give,"
            f" and up to {_at_most(left)} % of it cannot be excluded"
        ),
        REDUCED: f"{_left(left)} of the evidence is left; it is shown that {gone}",
        LITTLE_REDUCED: f"{_left(left)} of the evidence is left; it is not shown that {part}",
        NOT_SHOWN: f"{_left(left)} of the evidence is left; it is not shown that any is gone",
    }
    return f"With {system}, {said[numbers['level']]}."


def errors_sentence(system: str, judgement: Mapping[str, Any]) -> str:
    """The equal error rate of the strongest attack, beside that on unprotected speech."""
    numbers = judgement["systems"][system]
    n_attacks = numbers["n_attacks"]
    who = f"the strongest of {n_attacks} attacks" if n_attacks > 1 else "the only attack"
    if n_attacks == 1 and any(name.endswith(f" on {system}") for name in judgement["untrusted"]):
        who = "the only attack that counts"
    if numbers["level"] not in (NONE_FOUND, NONE_LEFT):
        by_errors = numbers["attacks"].get("eer_folded_percent", numbers["attack"])
        who += READ.get(by_errors["reading"], "")
    # By the attackers that count here.
    unprotected, errors = numbers["eer_unprotected_percent"], numbers["eer_folded_percent"]
    return (
        f"With {system}, {who} makes {_errors(errors)},"
        f" {_rate(unprotected)} unprotected; whoever guesses errs half of the time."
    )


def _hides_most(numbers):
    """Whether it is news that single speakers are found: most evidence or most speakers are not."""
    share = numbers["exposed_speakers_percent"]
    is_reduced = numbers["level"] in (REDUCED, NONE_FOUND, NONE_LEFT)
    return share != UNDEFINED and (is_reduced or share[0] < 50)


def silent_sentences(system: str, numbers: Mapping[str, Any]) -> list[str]:
    """Why nothing can be said of a system, and what was found nevertheless."""
    said = [f"Nothing can be said about {system}: {numbers['silence']}."]
    errors = numbers.get("eer_folded_percent", UNDEFINED)
    if errors != UNDEFINED and errors[2] < 50:
        said.append(
            f"But with {system}, an attack makes only {_errors(errors)}, where guessing makes half."
        )
    return said


def floor_sentences(floors: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What an attacker finds who hears no voice, of each feature by its strongest attacker."""
    strongest: dict[str, tuple[str, Any]] = {}
    for attacker, floor in floors.items():
        subject = FLOORS.get(floor["feature"], FLOOR)
        errors = floor["eer_folded_percent"]
        if subject not in strongest or errors[0] < strongest[subject][1][0]:
            strongest[subject] = attacker, errors
    return [
        f"{subject} alone gives {_errors(errors)} ({attacker}): no change of the voice"
        " removes that."
        for subject, (attacker, errors) in strongest.items()
    ]


def exposed_sentences(system: str, numbers: Mapping[str, Any]) -> list[str]:
    """How many an attacker finds again and again, although most others may be hidden."""
    said = [
        f"With {system}, {_whole(numbers['exposed_speakers_percent'])} of the speakers are found in"
        " at least half of their utterances at 1 % false alarms, more than chance gives."
    ]
    named = numbers["exposed_speakers"]
    if named:
        # Not who: a page that is mailed has these sentences.
        said.append(f"The file verdict.json names {len(named)} of these speakers of {system}.")
    return said


def comparisons(judgement: Mapping[str, Any]) -> list[str]:
    """Which systems are shown to leave less evidence than which others."""
    worse_than: dict[str, list[str]] = {}
    for one, other in judgement["better"]:
        worse_than.setdefault(one, []).append(other)
    ordered = list(chain.from_iterable(judgement["order"]))
    said = [
        f"{system} leaves less evidence than {_some(worse_than[system])}."
        for system in ordered
        if system in worse_than
    ]
    if len(said) > MOST_SYSTEMS:
        more = counted(len(said) - MOST_SYSTEMS, "further system leaves", "further systems leave")
        said[MOST_SYSTEMS:] = [f"{more} less evidence than others: see the table."]
    if len(ordered) > 1 and not said:
        said.append(f"Of {_some(ordered)}, none is shown to leave less evidence than another.")
    return said


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _some(names):
    """Names in a sentence, of which the last ones of many are only counted."""
    more = len(names) - MOST_NAMES
    return listed([*names[:MOST_NAMES], f"{more} more"] if more > 0 else names)


def _declared(systems):
    """The names of attacks made elsewhere that count, and whether all that count were."""
    given, is_all = set(), True
    for numbers in systems.values():
        for attack in numbers["counted"]:
            extractor, _, rest = attack.partition("/")
            if rest.startswith(f"{GIVEN} "):
                given.add(extractor)
            else:
                is_all = False
    return sorted(given), bool(given) and is_all


def _rate(limits):
    return "an unknown share" if limits == UNDEFINED else f"{limits[0]:.1f} %"


def _errors(limits):
    return "an unknown share of errors" if limits == UNDEFINED else f"{_rate(limits)} errors"


def _whole(limits):
    """Percent without digits behind the point; with one where the upper limit is small."""
    return f"{limits[0]:.{_digits(limits[2])}f} %"


def _left(limits):
    """Evidence left. Few speakers can show little of it and allow much: that is not "0 %"."""
    value, low, high = limits
    if value < 0.5 and high >= 9.5:
        return f"between {low:.0f} and {_at_most(limits)} %"
    return _whole(limits)


def _at_most(limits):
    """The upper limit, rounded upwards: what is excluded must not be said to be less."""
    digits = _digits(limits[2])
    return f"{math.ceil(limits[2] * 10**digits) / 10**digits:.{digits}f}"


def _digits(percent):
    return int(percent < 9.5)
