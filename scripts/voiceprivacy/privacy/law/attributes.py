"""Which attribute of a corpus's speakers is recognised by their speech, system by system.

Conventions
-----------
* All speakers who are tried in a corpus are taken together: trial lists are of women or of men, of
  whom nothing about their sex could be recognised.
* The attacker learns from the enrolment and the trial utterances of other speakers, as in the
  condition: from original speech in oo and op, from protected speech in pp. Only trial utterances
  are recognised.
* Classes of the sex are f and m, those of the accent as the corpus writes them. Ages are divided at
  their median. A class of fewer than five speakers is left out with them.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import read_embeddings_of
from voiceprivacy.inout.enrolments import read_facts
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.inout.tables import number_in
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.law.inference import (
    FEWEST_OF_A_CLASS,
    Estimate,
    Recognised,
    Voices,
    estimate,
    folds_of,
    gain_over_guessing,
    recognise,
    recognised_utterances,
)
from voiceprivacy.privacy.rows import Inferred
from voiceprivacy.vocabulary import (
    ABSENT,
    ATTRIBUTES,
    CONDITIONS,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    UNDEFINED,
)

PERCENT = 100
LEAST_GAIN = 0.25  # that unprotected speech surely gives; shares of less were often wrong
TOO_LITTLE = "unprotected speech shows too little of it"
REPLICATES = 1000  # behind the limits of what unprotected speech tells
UNKNOWN = ("", "-", UNDEFINED)  # values of speakers of whom nothing is known


class Classes(NamedTuple):
    """Classes of speakers as {class: names}.

    ``left_out`` says which classes are too small, ``reason`` why nothing can be told; else empty.
    """

    speakers: dict[str, list[str]]
    left_out: str
    reason: str

    @property
    def sizes(self) -> str:
        """How many speakers each class has."""
        sizes = [f"{name} {len(speakers)}" for name, speakers in self.speakers.items()]
        return ", ".join(sizes) or ABSENT


class Corpus(NamedTuple):
    """The utterances of a corpus by part, and what is known of its speakers.

    ``known`` is {attribute: {speaker: value}} of those who are tried.
    """

    name: str
    utterances: dict[str, list[Utterance]]
    known: dict[str, dict[str, str]]


def read_corpus(name: str, *, audio: Path, facts: Path | None) -> Corpus:
    """Read the manifests of a corpus below the folder ``audio``, and what it says of speakers."""
    manifests = {
        part: read_manifest(audio / name / part / ORIGINAL / "manifest.tsv")
        for part in ("enrolment", "trial")
    }
    tried = manifests["trial"]
    known = {"sex": {utterance.speaker: utterance.gender for utterance in tried}}
    given = read_facts(facts) if facts else {}
    for attribute in ATTRIBUTES[1:]:
        values = given.get(attribute, {})
        known[attribute] = {speaker: values.get(speaker, "") for speaker in known["sex"]}
    return Corpus(name, manifests, known)


def classes_of(attribute: str, values: Mapping[str, str]) -> Classes | None:
    """Divide speakers into classes of at least five; None if nothing is known of anybody.

    Parameters
    ----------
    values : {speaker: value}; those in UNKNOWN are left out
    """
    known = {name: value for name, value in sorted(values.items()) if value not in UNKNOWN}
    if not known:
        return None
    if attribute == "age":
        known = _younger_and_older(known)
    groups: dict[str, list[str]] = {}
    for name, value in known.items():
        groups.setdefault(value, []).append(name)
    large = {name: own for name, own in sorted(groups.items()) if len(own) >= FEWEST_OF_A_CLASS}
    small = sorted(groups.keys() - large.keys())
    left_out = f"classes of fewer than {FEWEST_OF_A_CLASS} speakers: {', '.join(small)}"
    reason = ""
    if len(large) < 2:
        reason = f"fewer than two classes have {FEWEST_OF_A_CLASS} speakers"
    return Classes(large or groups, left_out if small and not reason else "", reason)


def _younger_and_older(ages):
    """Classes of ages by their median, which is among the younger."""
    years = {}
    for speaker, text in ages.items():
        if math.isfinite(age := number_in(text)):  # not "twenties": nothing to be compared
            years[speaker] = age
    if not years:
        return {}
    median = float(np.median(list(years.values())))
    names = (f"up to {median:g}", f"over {median:g}")
    return {speaker: names[age > median] for speaker, age in years.items()}


def inferred(
    corpus: Corpus,
    extractor: str,
    systems: Sequence[str],
    *,
    embeddings: Path,
    n_replicates: int,
    seed: int,
) -> list[Inferred]:
    """All that one extractor tells of the speakers of a corpus.

    Parameters
    ----------
    systems : ORIGINAL first
    embeddings : folder of CORPUS/PART/SYSTEM/EXTRACTOR.npz
    """
    divided = _classes_by_attribute(corpus)
    options = {"n_replicates": n_replicates, "seed": seed}
    lines = []
    unprotected: dict[str, Recognised] = {}
    original = _Speech(corpus, ORIGINAL, extractor, embeddings)
    for system in systems:
        is_protected = system != ORIGINAL
        speech = _Speech(corpus, system, extractor, embeddings) if is_protected else original
        for condition in PROTECTED_CONDITIONS if is_protected else ("oo",):
            train = original if CONDITIONS[condition].enrolment == ORIGINAL else speech
            for attribute, classes in divided.items():
                named = (corpus.name, system, extractor, condition, attribute)
                recognised = None
                if not classes.reason:
                    recognised = _recognised(
                        train, speech, classes, options | {"named": f"{system} {condition}"}
                    )
                    if not is_protected:
                        unprotected[attribute] = recognised
                count = speech.count(classes)
                lines.append(_line(named, classes, count, recognised, unprotected.get(attribute)))
    return lines


def _classes_by_attribute(corpus):
    """The classes of all attributes of which anything is known."""
    divided = {}
    for attribute in ATTRIBUTES:
        classes = classes_of(attribute, corpus.known[attribute])
        if classes:
            divided[attribute] = classes
    return divided


class _Speech:
    """The embeddings of both parts of a system, by speaker."""

    def __init__(self, corpus, system, extractor, folder):
        self.parts = {}
        for part, utterances in corpus.utterances.items():
            path = folder / corpus.name / part / system / f"{extractor}.npz"
            _, values = read_embeddings_of(path, [line.utterance for line in utterances])
            self.parts[part] = (values, [line.speaker for line in utterances])

    def count(self, classes):
        """How many trial utterances are of speakers in classes."""
        speakers = set().union(*classes.speakers.values())
        return sum(speaker in speakers for speaker in self.parts["trial"][1])

    def voices(self, parts, position):
        """Utterances of parts by the speakers whose ``position`` is known."""
        embeddings, numbers = [], []
        for part in parts:
            values, speakers = self.parts[part]
            kept = [row for row, speaker in enumerate(speakers) if speaker in position]
            embeddings.append(values[kept])
            numbers += [position[speakers[row]] for row in kept]
        return Voices(np.concatenate(embeddings), np.array(numbers))


def _recognised(train, tried, classes, options):
    names, labels, position = _numbered(classes)
    return recognise(
        train.voices(("enrolment", "trial"), position),
        tried.voices(("trial",), position),
        labels,
        names,
        **options,
    )


def _numbered(classes):
    """The speakers of all classes (S,), the number of the class of each, and {name: number}."""
    names, numbers = [], []
    for number, speakers in enumerate(classes.speakers.values()):
        names += speakers
        numbers += [number] * len(speakers)
    position = {name: number for number, name in enumerate(names)}
    return np.array(names), np.array(numbers), position


class Kept(NamedTuple):
    """Which trial utterances still sound as their speakers do.

    ``recognised`` is {system: {utterance: 1, 0, or shared between equals}}: without those of
    speakers of whom it is not known, and of classes that are too small. ``reason`` says why nothing
    is recognised; else it is empty.
    """

    recognised: dict[str, dict[str, float]]
    reason: str = ""


def class_kept(
    corpus: Corpus,
    attribute: str,
    extractor: str,
    systems: Sequence[str],
    *,
    embeddings: Path,
    seed: int,
    n_replicates: int = REPLICATES,
) -> Kept:
    """Which trial utterances still sound as their speakers do: of the same sex, say.

    Classes are told by what was learnt from original speech of other speakers, as in op. Where that
    hardly tells them of unprotected speech, a share says nothing of any system.
    """
    nothing: dict[str, dict[str, float]] = {system: {} for system in systems}
    classes = classes_of(attribute, corpus.known[attribute])
    if classes is None or classes.reason:
        return Kept(nothing, classes.reason if classes else "nothing is known of the speakers")
    names, labels, position = _numbered(classes)
    fold = folds_of(labels, names, seed=seed)
    original = _Speech(corpus, ORIGINAL, extractor, embeddings)
    train = original.voices(("enrolment", "trial"), position)
    options: dict[str, Any] = {"n_replicates": n_replicates, "seed": seed}
    unprotected = _recognised(original, original, classes, options)
    if not is_strong(unprotected, len(classes.speakers)):
        return Kept(nothing, TOO_LITTLE)
    trials = corpus._replace(utterances={"trial": corpus.utterances["trial"]})
    tried = [line.utterance for line in corpus.utterances["trial"] if line.speaker in position]
    of_systems: dict[str, dict[str, float]] = {}
    for system in systems:
        test = _Speech(trials, system, extractor, embeddings).voices(("trial",), position)
        recognised = recognised_utterances(train, test, labels[None], fold)[0]
        of_systems[system] = dict(zip(tried, recognised.tolist(), strict=True))
    return Kept(of_systems)


def _line(
    named: tuple[str, ...],
    classes: Classes,
    n_utterances: int,
    recognised: Recognised | None,
    unprotected: Recognised | None,
) -> Inferred:
    """One line of the table; ``named`` are the fields from corpus to attribute."""
    n_speakers = sum(map(len, classes.speakers.values()))
    sizes = [classes.sizes, n_speakers, n_utterances]
    unknown = [UNDEFINED, None, None]
    if recognised is None:
        nothing = [UNDEFINED, *unknown, UNDEFINED, *unknown, *unknown]
        return Inferred._make([*named, *sizes, *nothing, classes.reason])
    n_classes = len(classes.speakers)
    gain = Estimate._make(gain_over_guessing(limit, n_classes) for limit in recognised.recall)
    reasons = [classes.left_out]
    left: list[Any] = unknown
    if unprotected is None or not is_strong(unprotected, n_classes):
        reasons.append(f"{TOO_LITTLE} to say how much of it is left")
    else:
        degrees = n_speakers - n_classes
        left = _in_percent(left_of(recognised, unprotected, n_classes, n_degrees=degrees))
    recall, band = _in_percent(recognised.recall), PERCENT * recognised.band
    numbers: list[Any] = [PERCENT / n_classes, *recall, band, *_in_percent(gain), *left]
    reason = "; ".join(filter(None, reasons)) or ABSENT
    return Inferred._make([*named, *sizes, *numbers, reason])


def is_strong(unprotected: Recognised, n_classes: int) -> bool:
    """Whether so much is told from unprotected speech that a share of it says something."""
    recall = unprotected.recall
    surely = recall.value if np.isnan(recall.low) else recall.low
    is_enough = gain_over_guessing(surely, n_classes) >= LEAST_GAIN
    return bool(is_enough and recall.value > unprotected.band)


def left_of(
    recognised: Recognised, unprotected: Recognised, n_classes: int, *, n_degrees: int
) -> Estimate:
    """The gain in proportion to that of unprotected speech; both draw the same speakers."""
    gain = gain_over_guessing(recognised.recall.value, n_classes)
    before = gain_over_guessing(unprotected.recall.value, n_classes)
    drawn: Floats = gain_over_guessing(recognised.replicates, n_classes)
    drawn_before: Floats = gain_over_guessing(unprotected.replicates, n_classes)
    ratios = np.full(len(drawn), np.nan)
    np.divide(drawn, drawn_before, out=ratios, where=drawn_before > 0)
    return estimate(gain / before, ratios, n_degrees=n_degrees)


def _in_percent(number: Estimate) -> list[Any]:
    """A number and its limits, None where there are none."""
    return [None if np.isnan(limit) else float(PERCENT * limit) for limit in number]
