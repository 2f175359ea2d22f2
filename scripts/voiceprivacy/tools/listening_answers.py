"""The answers of a listening test: files of people, compared with the key before they are believed.

Conventions
-----------
* Answers are the work of strangers. A single wrong value refuses a file, and nothing of it is used
  but codes, ratings and what was listened with.
* Listeners are left out by the rule of the key alone, which was fixed before anybody listened.
* Ratings of pairs from 4 on say that one person speaks.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput, read_lines
from voiceprivacy.inout.json_files import parse_json
from voiceprivacy.inout.tables import LABELS, safe_id
from voiceprivacy.tools.listening_test import (
    ANCHOR,
    CONTROL,
    FORMAT,
    KINDS,
    PAIR,
    PAIRS,
    RATED,
    Item,
    name_of,
)
from voiceprivacy.vocabulary import ABSENT, CONDITIONS, ORIGINAL

MOST_BYTES = 5_000_000  # of a file of answers
MOST_NAMED = 5  # codes that an error names
RANGES = {PAIRS: (1, 6), "quality": (0, 100), "clarity": (0, 100)}
ONE_PERSON = 3.5  # ratings above it say that one person speaks
EQUIPMENT = ("headphones", "loudspeakers")

Ratings: TypeAlias = dict[str, int]  # {code: rating}


class Key(NamedTuple):
    """The key of a test. ``listeners`` are {code: page}, ``items`` {code: Item}."""

    test: str
    kind: str
    corpus: str
    rule: dict[str, int]
    listeners: dict[str, int]
    utterances: list[str]
    items: dict[str, Item]


class Listener(NamedTuple):
    """What a listener answered; ``wrong`` of the ``controls`` were, and whether he is left out."""

    code: str
    page: int
    equipment: str
    ratings: Ratings
    controls: int
    wrong: int
    left_out: bool


# Files of people.


def read_key(path: Path) -> Key:
    """Read a key.

    Raises
    ------
    BadInput : it is none, is damaged, or was changed after the test was made
    """
    content = foreign.mapping(parse_json("\n".join(read_lines(path)), str(path)), str(path))
    with foreign.not_ours(path):
        if content["format"] != FORMAT or content["kind"] not in KINDS:
            raise BadInput(f"{path}: is no key of a listening test of this version")
        if content["test"] != name_of(content):
            raise BadInput(
                f"{path}: was changed after the test was made: neither rule nor items may"
            )
        items = [Item(**row) for row in content["items"]]
        for item in items:
            _check_item(item, path)
        foreign.name(content["corpus"], f"{path}: corpus")
        utterances = [safe_id(name, path, 1) for name in content["utterances"]]
        return Key(
            content["test"],
            content["kind"],
            content["corpus"],
            {name: int(value) for name, value in content["rule"].items()},
            {str(code): int(page) for code, page in content["listeners"].items()},
            utterances,
            {item.code: item for item in items},
        )


def _check_item(item, path):
    """Names become paths, and ids stand in tables."""
    foreign.name(item.system, f"{path}: system")
    for name in (item.enrolment, item.trial, item.enrolled, item.speaker):
        safe_id(name, path, 1)
    if item.condition not in (ABSENT, *CONDITIONS) or item.label not in (ABSENT, *LABELS):
        raise BadInput(f"{path}: '{item.condition}' or '{item.label}' is no condition or label")
    if item.role not in (PAIR, RATED, CONTROL):
        raise BadInput(f"{path}: '{item.role}' is no role")


def read_listeners(key: Key, paths: Iterable[Path]) -> list[Listener]:
    """Read the answers of listeners, and apply the rule of the key.

    Raises
    ------
    BadInput : a file is no answer to this test, or is incomplete; two files are of one listener;
        everybody fails the controls
    """
    listeners: dict[str, Listener] = {}
    path_of: dict[str, Path] = {}
    for path in paths:
        listener = _read_answers(key, path)
        if listener.code in listeners:
            raise BadInput(
                f"{path}: is of listener {listener.code}, as is {path_of[listener.code]}:"
                " give one file of each listener"
            )
        listeners[listener.code], path_of[listener.code] = listener, path
    everybody = [listeners[code] for code in sorted(listeners)]
    if all(listener.left_out for listener in everybody):
        raise BadInput("every listener failed the controls: no answer is left")
    return everybody


def _read_answers(key, path):
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise BadInput(f"{path}: is larger than {MOST_BYTES / 1e6:.0f} MB: no answers are")
    content = foreign.mapping(parse_json("\n".join(read_lines(path)), str(path)), str(path))
    with foreign.not_ours(path):
        if content.get("format") != FORMAT or "test" not in content:
            raise BadInput(f"{path}: is no file of answers of this version")
        if content["test"] != key.test:
            raise BadInput(
                f"{path}: answers test '{content['test']}', and the key is of {key.test}"
            )
        code = foreign.line(content["listener"], f"{path}: listener", most=50)
        if code not in key.listeners:
            raise BadInput(f"{path}: no listener has the code '{code}'")
        page = key.listeners[code]
        if content["page"] != page:
            raise BadInput(f"{path}: listener {code} has page {page}, not '{content['page']}'")
        if content["equipment"] not in EQUIPMENT:
            raise BadInput(f"{path}: nobody listens with '{content['equipment']}'")
        ratings = _ratings(key, page, content["answers"], path)
        controls, wrong = _controls(key, ratings)
        left_out = wrong > key.rule["most_wrong"]
        return Listener(code, page, content["equipment"], ratings, controls, wrong, left_out)


def _ratings(key, page, answers, path):
    """The ratings of a file, each of which is asked for once."""
    if not isinstance(answers, list):
        raise BadInput(f"{path}: its answers are no list")
    lowest, highest = RANGES[key.kind]
    ratings: Ratings = {}
    for number, answer in enumerate(answers, start=1):
        where = f"{path}: answer {number}"
        code, rating = foreign.mapping(answer, where).get("code"), answer.get("rating")
        if not isinstance(code, str) or code not in key.items:
            raise BadInput(f"{where}: nothing in this test has the code '{code}'")
        if key.items[code].page != page:
            raise BadInput(f"{where}: '{code}' is of page {key.items[code].page}, not of {page}")
        if code in ratings:
            raise BadInput(f"{where}: '{code}' is answered twice")
        if type(rating) is not int or not lowest <= rating <= highest:
            raise BadInput(f"{where}: '{rating}' is no whole number from {lowest} to {highest}")
        ratings[code] = rating
    asked = [code for code, item in key.items.items() if item.page == page]
    missing = [code for code in asked if code not in ratings]
    if missing:
        named = ", ".join(missing[:MOST_NAMED])
        raise BadInput(f"{path}: {len(missing)} of {len(asked)} answers are missing ({named})")
    return ratings


def _controls(key, ratings):
    """How many controls there were, and how many of them were answered wrongly."""
    own = [key.items[code] for code in ratings]
    if key.kind == PAIRS:
        controls = [item for item in own if item.role == CONTROL]
        wrong = [
            item
            for item in controls
            if (ratings[item.code] > ONE_PERSON) != (item.label == "target")
        ]
        return len(controls), len(wrong)
    originals, anchors = (
        {item.screen: ratings[item.code] for item in own if item.system == system}
        for system in (ORIGINAL, ANCHOR)
    )
    least = key.rule["original_at_least"]
    wrong = [
        screen
        for screen, rating in originals.items()
        if rating < least or anchors[screen] >= rating
    ]
    return len(originals), len(wrong)
