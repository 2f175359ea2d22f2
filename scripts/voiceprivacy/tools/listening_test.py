"""A listening test of a finished run: who and what is heard, drawn and balanced, and its key.

Listeners either judge pairs (is it the same person?), an attack by human ears. Or they rate how
good all versions of an utterance sound beside the original.

Conventions
-----------
* Everything is drawn from a seed that is keyed with the run's own secret (results/codes.key). The
  same run and seed give the same test; nobody without the run can draw it again.
* An item is what is judged. On the page it is a code; what it stands for is in the key alone.
* A pair is a recording that enrols (the reference) and one that is tried. Its cell is a system
  under a condition. oo is the cell of the original: how well can people do at all?
* Half of the pairs of each cell are of one speaker. The others are of two speakers of one sex.
  Nobody speaks a second time before all spoke once, and no recording is heard again before all of
  its speaker's were.
* There is a set of pairs for each cell, and from page to page the cells pass their sets on. So all
  cells can have the same pairs, and yet no listener hears the same words both as they were spoken
  and protected, as long as there are enough recordings.
* The rule by which listeners are left out is a part of the key, and the test is named by a digest
  of its key. Answers hold that name: the rule cannot be changed after they came.

References
----------
ITU-R BS.1534-3, Method for the subjective assessment of intermediate quality level (MUSHRA).
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import LABELS, Utterance, read_manifest
from voiceprivacy.report.mailed import secret_seed
from voiceprivacy.vocabulary import ABSENT, FURTHER_DRAW, ORIGINAL, SECOND_RUN

FORMAT = 1  # of keys and answers
WARNING = "KEEP THIS FILE. It says what listeners hear: none of them may read it."
PAIRS = "pairs"  # the other kinds of tests rate
KINDS = (PAIRS, "quality", "clarity")
SIGNS = "23456789abcdefghjkmnpqrstuvwxyz"  # 31, none of which looks like another
CODE_LENGTH = 6
SHORTEST_S = 1.0  # a shorter recording says little of who speaks
MOST_RATED = 10  # recordings beside each other; BS.1534-3 has at most 12

PAIR, RATED, CONTROL = "pair", "rated", "control"  # roles of items
ANCHOR = "anchor"  # the system of noisy speech, which nobody should call good
SHIFTED = "shifted"  # the system of speech that is made another voice by force

# Half of the controls of pairs are one recording twice, half are two voices far apart. Whoever
# guesses passes with a probability of 9 / 256.
N_CONTROLS, MOST_WRONG = 8, 1
# BS.1534-3, 4.1.2: the hidden original may be below 90 on at most 15 % of the screens.
ORIGINAL_AT_LEAST, MOST_WRONG_SHARE = 90, 0.15


class Wanted(NamedTuple):
    """A test that somebody wants.

    ``systems`` are anonymisers (all of the run if empty). ``number`` is of the pairs of a cell, or
    of the screens of a page; ``introduction`` are the paragraphs of the first screen.
    """

    results: Path
    corpus: str
    kind: str
    systems: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ("op", "pp")
    number: int = 12
    pages: int = 1
    listeners: int = 20
    seconds: float = 5.0
    seed: int = 0
    introduction: tuple[str, ...] = ()


class Item(NamedTuple):
    """One thing that is judged: what a code stands for. ``-`` where a field does not apply.

    ``enrolment`` and ``trial`` are ids of utterances, ``enrolled`` and ``speaker`` who speaks.
    """

    code: str
    page: int
    screen: int
    role: str
    system: str
    condition: str
    label: str
    enrolment: str
    trial: str
    enrolled: str
    speaker: str
    gender: str


class Speech(NamedTuple):
    """Recordings that all systems have: {system: {utterance: Utterance}} by part.

    ``enrolment`` is empty where nothing enrols; then trial recordings are the references.
    ``listed`` are the ids of all trial recordings.
    """

    systems: tuple[str, ...]
    enrolment: dict[str, dict[str, Utterance]]
    trial: dict[str, dict[str, Utterance]]
    listed: list[str]
    notes: list[str]


class Drawn(NamedTuple):
    """A test: its items, the key as JSON values, a recording to set the volume with, and notes."""

    items: list[Item]
    key: dict[str, Any]
    volume: str
    notes: list[str]


def draw_test(wanted: Wanted, speech: Speech) -> Drawn:
    """Draw the items of all pages and the codes of listeners.

    Raises
    ------
    BadInput : too few people, or more pages than the test can use
    """
    draw = seeds.generator(secret_seed(wanted.results, wanted.seed), "listening", wanted.kind)
    people = People(speech, draw, in_pairs=wanted.kind == PAIRS)
    volume = people.recording()
    drawing = draw_pairs if wanted.kind == PAIRS else draw_screens
    items = list(drawing(wanted, speech, people))
    codes: dict[str, None] = {}
    while len(codes) < len(items):
        codes[_signs(draw, CODE_LENGTH)] = None
    items = [item._replace(code=code) for item, code in zip(items, codes, strict=True)]
    rule: dict[str, int] = {"most_wrong": MOST_WRONG}
    if wanted.kind != PAIRS:
        most_wrong = int(MOST_WRONG_SHARE * wanted.number)
        rule = {"most_wrong": most_wrong, "original_at_least": ORIGINAL_AT_LEAST}
    key = {
        "warning": WARNING,
        "format": FORMAT,
        "kind": wanted.kind,
        "corpus": wanted.corpus,
        "rule": rule,
        "listeners": _listeners(wanted, draw),
        "utterances": speech.listed,
        "items": [item._asdict() for item in items],
    }
    notes = [*speech.notes, *people.notes]
    return Drawn(items, key | {"test": name_of(key)}, volume, notes)


def name_of(key: Mapping[str, Any]) -> str:
    """The name of a test: a digest of all that its key says."""
    content = {name: value for name, value in key.items() if name != "test"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def check_sign(signs: str, page: int) -> str:
    """The last sign of a listener's code, by which a page notices slips and other pages' codes."""
    total = page
    for k, sign in enumerate(signs, start=1):
        total += k * SIGNS.index(sign)  # 31 is a prime: neither a slip nor a swap is overlooked
    return SIGNS[total % len(SIGNS)]


def _listeners(wanted, draw):
    """Codes of listeners, who are dealt to the pages in turn: {code: page}."""
    pages: dict[str, int] = {}
    while len(pages) < wanted.listeners:
        page = 1 + len(pages) % wanted.pages
        signs = _signs(draw, CODE_LENGTH - 1)
        pages[signs + check_sign(signs, page)] = page
    return pages


def _signs(draw, length):
    return "".join(SIGNS[number] for number in draw.integers(len(SIGNS), size=length))


# The speech of a run.


def read_speech(wanted: Wanted) -> Speech:
    """Read the manifests of a run, and keep what every system has and is long enough.

    Raises
    ------
    BadInput : a manifest is missing or damaged; there is nothing to compare
    """
    folder = wanted.results / "audio" / wanted.corpus
    systems = wanted.systems or _systems_in(folder / "trial")
    everybody = (ORIGINAL, *systems)
    trial = {name: _read(folder / "trial" / name) for name in everybody}
    if not systems:
        raise BadInput(f"{folder}: no anonymiser has protected speech here")
    if wanted.kind != PAIRS and len(systems) > MOST_RATED - 2:
        most = f"--systems names {MOST_RATED - 2} at most"
        raise BadInput(f"{len(systems)} anonymisers are too many beside each other: {most}")
    enrolment: dict[str, dict[str, Utterance]] = {}
    if wanted.kind == PAIRS:
        if (folder / "enrolment" / ORIGINAL).is_dir():
            names = everybody if "pp" in wanted.conditions else (ORIGINAL,)
            enrolment = {name: _read(folder / "enrolment" / name) for name in names}
        elif "pp" in wanted.conditions:
            raise BadInput(f"{folder}: nothing enrols here, so nothing is pp: --conditions op")
    notes: list[str] = []
    listed = sorted(trial[ORIGINAL])
    trial = _shared(trial, notes)
    return Speech(tuple(systems), _shared(enrolment, notes), trial, listed, notes)


def _systems_in(folder):
    """Anonymisers of a run, without their second runs and further draws."""
    again = re.compile(rf".+({SECOND_RUN}|{FURTHER_DRAW}\d+)")
    names = sorted(path.parent.name for path in folder.glob("*/manifest.tsv"))
    return tuple(name for name in names if name != ORIGINAL and not again.fullmatch(name))


def _read(folder):
    return {line.utterance: line for line in read_manifest(folder / "manifest.tsv")}


def _shared(versions, notes):
    """What all systems have of {system: {utterance: Utterance}}; what is left out is noted."""
    every, left_out = set(), set()
    for lines in versions.values():
        every |= lines.keys()
    for lines in versions.values():
        long = {name for name, line in lines.items() if line.duration_s >= SHORTEST_S}
        left_out |= every - long
    if left_out:
        reason = f"shorter than {SHORTEST_S:g} s, or not protected by every system"
        notes.append(f"{counted(len(left_out), 'recording')} left out: {reason}")
    kept = {}
    for system, lines in versions.items():
        kept[system] = {name: line for name, line in lines.items() if name not in left_out}
    return kept


# Whose turn it is.


class Deck:
    """Cards that are dealt so that none comes again before all others came."""

    def __init__(self, cards: Iterable[str], draw: np.random.Generator) -> None:
        self.draw = draw
        self.dealt = dict.fromkeys(sorted(set(cards)), 0)
        self.order = {card: draw.random() for card in self.dealt}

    def deal(self, *, without: Collection[str] = ()) -> str:
        """The card that was dealt least often; chance decides among equals."""
        allowed = [card for card in self.dealt if card not in without]
        dealt = min(allowed, key=lambda card: (self.dealt[card], self.order[card]))
        self.dealt[dealt] += 1
        self.order[dealt] = self.draw.random()
        return dealt


class People:
    """Who can be heard, by sex, and what they said.

    Raises
    ------
    BadInput : nobody can be heard, or no two people of one sex could make a pair
    """

    def __init__(self, speech: Speech, draw: np.random.Generator, *, in_pairs: bool) -> None:
        self.draw = draw
        self.tried = _decks(speech.trial, draw)
        self.enrolled = _decks(speech.enrolment, draw) if speech.enrolment else self.tried
        self.genders = {line.speaker: line.gender for line in speech.trial[ORIGINAL].values()}
        self.notes: list[str] = []
        self.groups = self._groups(speech, in_pairs)
        if not self.groups:
            two = "a test of pairs needs two of one sex, with two recordings"
            raise BadInput(f"too few speakers: {two if in_pairs else 'nobody speaks long enough'}")
        if in_pairs and ABSENT in self.groups:
            self.notes.append(
                "the sex of speakers is not known: a woman and a man are told apart easily,"
                " which makes listeners look better than they are"
            )
        self.decks: dict[tuple[str, str], Deck] = {}

    def _groups(self, speech, in_pairs):
        """Speakers by sex: {gender: names}."""
        # A trial recording is no reference of itself.
        fewest = 2 if in_pairs and not speech.enrolment else 1
        groups: dict[str, list[str]] = {}
        for name, recordings in self.tried.items():
            if len(recordings.dealt) >= fewest and (not in_pairs or name in self.enrolled):
                groups.setdefault(self.genders[name], []).append(name)
        for gender, names in list(groups.items()):
            if in_pairs and len(names) < 2:
                self.notes.append(f"'{names[0]}' is left out: nobody else has the sex {gender}")
                del groups[gender]
        return dict(sorted(groups.items()))

    def gender(self, k: int) -> str:
        """Sexes take turns."""
        return [*self.groups][k % len(self.groups)]

    def turn(self, role: str, gender: str, *, without: Collection[str] = ()) -> str:
        """Whose turn it is in a role: everyone of this sex comes before anyone comes again."""
        if (role, gender) not in self.decks:
            self.decks[role, gender] = Deck(self.groups[gender], self.draw)
        return self.decks[role, gender].deal(without=without)

    def recording(self) -> str:
        """A trial recording of somebody."""
        return self.tried[self.turn("volume", self.gender(0))].deal()

    def pair(self, label: str, gender: str) -> dict[str, str]:
        """The fields of an item that say who and what a pair is of."""
        tried = enrolled = self.turn(f"tried {label}", gender)
        if label == "nontarget":
            enrolled = self.turn("enrolled nontarget", gender, without={tried})
        return self._fields(label, enrolled, tried)

    def control(self, k: int) -> dict[str, str]:
        """The fields of the k-th control: one recording twice, or two voices far apart."""
        gender, other = self.gender(k // 2), self.gender(k // 2 + 1)
        tried = self.turn(CONTROL, gender)
        if k % 2:
            return {"system": ORIGINAL, **self._fields("target", tried, tried, is_twice=True)}
        enrolled = self.turn(CONTROL, other, without={tried})
        # Without a woman and a man, the voice of one of two speakers is moved far away.
        system = ORIGINAL if {gender, other} == {"f", "m"} else SHIFTED
        return {"system": system, **self._fields("nontarget", enrolled, tried)}

    def _fields(self, label, enrolled, tried, *, is_twice=False):
        trial = self.tried[tried].deal()
        return {
            "label": label,
            "enrolment": trial if is_twice else self.enrolled[enrolled].deal(without={trial}),
            "trial": trial,
            "enrolled": enrolled,
            "speaker": tried,
            "gender": self.genders[tried],
        }


def _decks(versions, draw):
    """A deck of the recordings of each speaker: {speaker: Deck}."""
    names: dict[str, list[str]] = {}
    for line in versions[ORIGINAL].values():
        names.setdefault(line.speaker, []).append(line.utterance)
    return {speaker: Deck(names[speaker], draw) for speaker in sorted(names)}


# What is judged.


def cells_of(wanted: Wanted, systems: Iterable[str]) -> list[tuple[str, str]]:
    """The cells of a test of pairs: (system, condition)."""
    cells = [(ORIGINAL, "oo")]
    for system in systems:
        cells += [(system, condition) for condition in wanted.conditions]
    return cells


def draw_pairs(wanted: Wanted, speech: Speech, people: People) -> Iterator[Item]:
    """Draw the pairs of every cell, and the controls, page by page; items have no codes yet."""
    cells = cells_of(wanted, speech.systems)
    if wanted.pages > len(cells):
        raise BadInput(f"--pages {wanted.pages}: with {len(cells)} every cell has every pair")
    sets = []
    for first in range(len(cells)):
        pairs = []
        for label in LABELS:
            genders = [people.gender(first + k) for k in range(wanted.number // 2)]
            pairs += [people.pair(label, gender) for gender in genders]
        sets.append(pairs)
    screen = 0
    for page in range(1, wanted.pages + 1):
        for position, (system, condition) in enumerate(cells):
            for pair in sets[(position + page) % len(sets)]:
                screen += 1
                yield Item("", page, screen, PAIR, system, condition, **pair)
        for k in range(N_CONTROLS):
            screen += 1
            yield Item("", page, screen, CONTROL, condition="oo", **people.control(k))


def draw_screens(wanted: Wanted, speech: Speech, people: People) -> Iterator[Item]:
    """Draw utterances whose versions are rated beside each other; items have no codes yet."""
    roles = dict.fromkeys((ORIGINAL, *speech.systems), RATED) | {ANCHOR: CONTROL}
    for k in range(wanted.pages * wanted.number):
        gender = people.gender(k)
        speaker = people.turn(RATED, gender)
        utterance = people.tried[speaker].deal()
        said = (utterance, utterance, speaker, speaker, gender)
        for system, role in roles.items():
            yield Item("", 1 + k // wanted.number, k + 1, role, system, ABSENT, ABSENT, *said)
