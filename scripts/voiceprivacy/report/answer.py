"""What was run, and what similarity ranks say where there is no trial list, in sentences.

Conventions
-----------
* What trial lists say stands in the verdict (report/verdict.py).
* A run on sampled galleries has similarity ranks and no trial lists. There the strongest attack is
  the one whose ranks disclose most, over all attackers, conditions and galleries. An anonymiser is
  not shown to hide the speaker while its interval overlaps with that of unprotected speech.
"""

import datetime
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from voiceprivacy.inout.files import counted
from voiceprivacy.report.comparison import ATTACKS, System
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.releases import released_numbers
from voiceprivacy.report.sections import PartOfCorpus
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import Shown, metric_limits, shown_number
from voiceprivacy.report.verdict import Evaluated
from voiceprivacy.vocabulary import ABSENT, NO_BREAK, ORIGINAL, attacker_name

DISCLOSURE = "disclosure_bit"  # by which ranks are compared
MOST_NEXT = 2  # anonymisers that are named after the best one


class Answer(NamedTuple):
    """What ranks say in one sentence, the numbers that it comes from, and their limits."""

    verdict: str
    reasons: str
    limits: str

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(filter(None, self))


# What was run.


def averages_of(provenance: dict) -> dict[str, dict[str, dict[str, float]]]:
    """Averages over corpora that the config of a run names: {name: {corpus: {list: weight}}}."""
    return provenance.get("config", {}).get("report", {}).get("averages", {})


def what_was_run(
    systems: Sequence[System], numbers: Iterable[Number], controls: Collection[str] = ()
) -> str:
    """One sentence: anonymisers, ``controls``, which are none, corpora and attackers.

    Without trial lists it says what else decides.
    """
    if not systems and not any(number.metric == DISCLOSURE for number in numbers):
        return "No attack was run, so there is no privacy result."
    if not systems:
        return (
            "Sampled galleries only: there is no trial list to compare on, so similarity ranks"
            " decide."
        )
    protected = {system.anonymiser for system in systems} - {ORIGINAL}
    anonymisers, known = protected - {*controls}, protected & {*controls}
    corpora = {system.corpus for system in systems}
    attackers = {system.attacker for system in systems}
    kinds = [_count(anonymisers, "anonymiser")] if anonymisers else []
    kinds += [_count(known, "control")] if known else []
    speech = " and ".join(kinds) or "Original speech alone"
    return (
        f"{speech} on {_count(corpora, 'corpus', 'corpora')},"
        f" attacked by {_count(attackers, 'attacker')}."
    )


def evaluated(
    speech: Iterable[PartOfCorpus], provenance: Mapping[str, Any]
) -> dict[str, Evaluated]:
    """What is evaluated of each corpus: its trial part, by the tables and provenance of a run."""
    corpora = provenance.get("config", {}).get("corpora", {})
    sentences = {}
    for part in speech:
        if part.part != "trial":
            continue
        n_speakers = part.women + part.men + part.of_unknown_gender
        minutes = 60 * part.hours
        words = [
            f"{part.corpus}: {counted(n_speakers, 'speaker')}",
            counted(part.utterances, "recording"),
            f"{minutes:.0f} min" if minutes >= 1 else f"{60 * minutes:.0f} s",
        ]
        if "synthetic" in corpora.get(part.corpus, {}):
            words.append("synthetic demo speech (no real voices)")
        words += _release(part.corpus, provenance.get("outputs", {}))
        if created := provenance.get("created"):
            day = datetime.date.fromisoformat(created)
            words.append(f"{day.day} {day:%B %Y}")
        names = "" if part.names_show == ABSENT else part.names_show
        sentences[part.corpus] = Evaluated(f"{', '.join(words)}.", names)
    return sentences


def _release(corpus, outputs):
    """The beginning of a hash over all protected recordings, as sha256sum lists them."""
    paths = [PurePath(path) for path in outputs if path.startswith(f"audio/{corpus}/trial/")]
    sound = [path for path in paths if "wav" in path.parts[4:] and path.parts[3] != ORIGINAL]
    listed = "".join(f"{outputs[str(path)]}  {path}\n" for path in sorted(sound))
    digest = hashlib.sha256(listed.encode()).hexdigest()
    return [f"release {digest[:8]}"] if sound else []


def ready_made_note(systems: Iterable[System], provenance: dict) -> str:
    """What an attacker may hold of speech that was protected before the run; else empty."""
    entries = provenance.get("config", {}).get("anonymisers", {})
    attacked = {system.anonymiser for system in systems if system.condition == "pp"}
    names = [name for name, options in entries.items() if name in attacked and "audio" in options]
    if not names:
        return ""
    return (
        f"Speech of {listed(names)} was there already. In PP the attacker enrols with more of it:"
        " where a speaker has one pseudonym in all of it, they hold that pseudonym."
    )


def _count(names: Collection[str], singular: str, plural: str | None = None) -> str:
    word = singular if len(names) == 1 else plural or f"{singular}s"
    return f"{len(names)} {word} ({listed(sorted(names), ', ')})"


# The answer of similarity ranks.


def rank_answers(numbers: Iterable[Number]) -> dict[str, Answer]:
    """Whose ranks disclose least under the strongest attack: {corpus: Answer}."""
    disclosures = [number for number in numbers if number.metric == DISCLOSURE]
    strongest: dict[str, dict[str, Number]] = {}
    for number in released_numbers(disclosures):
        if number.condition not in ATTACKS:
            continue
        of_corpus = strongest.setdefault(number.corpus, {})
        first = of_corpus.setdefault(number.anonymiser, number)
        if float(number.value) > float(first.value):
            of_corpus[number.anonymiser] = number
    return {corpus: _rank_answer(of_corpus) for corpus, of_corpus in strongest.items()}


def _rank_answer(strongest: dict[str, Number]) -> Answer:
    shown = {name: shown_number(number) for name, number in strongest.items()}
    original = strongest.pop(ORIGINAL, None)
    if not strongest:
        told = f"The rank of the true speaker discloses {_bits(shown[ORIGINAL])}."
        return Answer("Nothing was protected.", told, _limits_line(shown))
    best, *others = sorted(
        strongest.values(), key=lambda number: (float(number.value), number.anonymiser)
    )
    who = attacker_name(best.extractor, best.backend)
    attack = f"{best.condition.upper()}, {who}, gallery {best.trials}"
    bits = _bits(shown[best.anonymiser])
    reasons = f"Where most is found ({attack}), the rank of the true speaker discloses {bits}"
    reasons += f"; of unprotected speech {_bits(shown[ORIGINAL])}." if original else "."
    named, unnamed = others[:MOST_NEXT], others[MOST_NEXT:]
    if named:
        texts = [f"{one.anonymiser} {_bits(shown[one.anonymiser])}" for one in named]
        reasons += f" Next, each where most of it is found: {listed(texts)}."
    if unnamed:
        reasons += f" {counted(len(unnamed), 'other')} disclosed no less."
    verdict = _rank_verdict(best, original, several=bool(others))
    of_named = [original] if original else []
    of_named += [best, *named]
    limits = _limits_line({one.anonymiser: shown[one.anonymiser] for one in of_named})
    return Answer(verdict, reasons, limits)


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


def _bits(number: Shown) -> str:
    return f"{number.value:.2f}{NO_BREAK}bit"


def _limits_line(shown: Mapping[str, Shown]) -> str:
    """The limits of all that have some, on a line of their own."""
    limits = [
        f"{name} {number.text('{:.2f}'.format)}" for name, number in shown.items() if number.limits
    ]
    return f"In bits, with 95{NO_BREAK}% limits: {', '.join(limits)}." if limits else ""
