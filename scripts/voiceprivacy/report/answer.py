"""What was run, and what similarity ranks say where there is no trial list, in sentences.

Conventions
-----------
* What trial lists say stands in the verdict (report/verdict.py).
* A run on sampled galleries has similarity ranks and no trial lists. There the strongest attack is
  the one whose ranks disclose most, over all attackers, conditions and galleries.
"""

import datetime
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from voiceprivacy import corpus_kinds
from voiceprivacy.errors import counted
from voiceprivacy.inout import foreign
from voiceprivacy.report.comparison import ATTACKS, System
from voiceprivacy.report.described_corpora import PartOfCorpus
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.releases import released_numbers
from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import shown_number
from voiceprivacy.report.verdict import Evaluated
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, SOURCES

DISCLOSURE = "disclosure_bit"  # by which ranks are compared
DISCLOSED = (
    "What the rank of the true speaker discloses where most is found, in bits (95 % limits), the"
    " least first"
)
OVERLAP = "Where limits overlap, no difference is shown."


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
    config = provenance.get("config", {})
    corpora = config.get("corpora", {})
    sentences = {}
    for part in speech:
        if part.part != "trial":
            continue
        n_speakers = part.women + part.men + part.of_unknown_gender
        minutes = 60 * part.hours
        options = corpora.get(part.corpus, {})
        others = f" ({options['left_out']} more left out)" if "left_out" in options else ""
        words = [
            f"{part.corpus}: {counted(n_speakers, 'speaker')}",
            counted(part.utterances, "recording") + others,
            f"{minutes:.0f} min" if minutes >= 1 else f"{60 * minutes:.0f} s",
        ]
        if corpus_kinds.is_made_up(options):
            words.append("synthetic demo speech (no real voices)")
        words += _release(part.corpus, provenance)
        if created := provenance.get("created"):
            day = datetime.date.fromisoformat(created)
            words.append(f"evaluated on {day.day} {day:%B %Y}{by_whom(config)}")
        names = "" if part.names_show == ABSENT else part.names_show
        sentences[part.corpus] = Evaluated(f"{', '.join(words)}.", names)
    return sentences


def by_whom(config: Mapping[str, Any]) -> str:
    """Who evaluated, as the config says it; else empty."""
    who = config.get("report", {}).get("by")
    return f" by {foreign.line(who, 'report.by')}" if who else ""


def _release(corpus, provenance):
    """The beginning of a hash over all protected recordings, as sha256sum lists them.

    Recordings that were there before the run have one for their folder.
    """
    outputs = provenance.get("outputs", {})
    paths = [PurePath(path) for path in outputs if path.startswith(f"audio/{corpus}/trial/")]
    sound = [path for path in paths if "wav" in path.parts[4:] and path.parts[3] != ORIGINAL]
    lines = [f"{outputs[str(path)]}  {path}\n" for path in sorted(sound)]
    for name, options in provenance.get("config", {}).get("anonymisers", {}).items():
        source = f"{SOURCES}anonymisers/{name}.sha256"
        if "audio" in options and source in provenance.get("sha256", {}):
            lines.append(f"{provenance['sha256'][source]}  {source}\n")
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    return [f"SHA-256 of the protected recordings {digest[:8]}..."] if lines else []


def ready_made_note(systems: Iterable[System], provenance: dict) -> str:
    """What an attacker may hold of speech that was protected before the run; else empty."""
    entries = provenance.get("config", {}).get("anonymisers", {})
    attacked = {system.anonymiser for system in systems if system.condition == "pp"}
    names = [name for name, options in entries.items() if name in attacked and "audio" in options]
    if not names:
        return ""
    return (
        f"Speech of {listed(names)} was protected before this run. If a person has one new voice in"
        " all recordings, the attacker's samples have that voice, too, which makes the attack"
        " stronger."
    )


def _count(names: Collection[str], singular: str, plural: str | None = None) -> str:
    return f"{counted(len(names), singular, plural)} ({listed(sorted(names), ', ')})"


# The answer of similarity ranks.


def rank_answers(numbers: Iterable[Number]) -> dict[str, str]:
    """What ranks disclose of each system where most of it is found: {corpus: sentences}."""
    disclosures = [number for number in numbers if number.metric == DISCLOSURE]
    strongest: dict[str, dict[str, Number]] = {}
    for number in released_numbers(disclosures):
        if number.condition not in ATTACKS:
            continue
        of_corpus = strongest.setdefault(number.corpus, {})
        first = of_corpus.setdefault(number.anonymiser, number)
        if float(number.value) > float(first.value):
            of_corpus[number.anonymiser] = number
    return {corpus: _rank_answer(of_corpus.values()) for corpus, of_corpus in strongest.items()}


def _rank_answer(strongest: Iterable[Number]) -> str:
    least_first = sorted(strongest, key=lambda number: (float(number.value), number.anonymiser))
    texts = [
        f"{number.anonymiser} {shown_number(number).text('{:.2f}'.format)}"
        for number in least_first
    ]
    return f"{DISCLOSED}: {', '.join(texts)}. {OVERLAP}"
