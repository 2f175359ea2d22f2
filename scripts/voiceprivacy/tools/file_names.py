"""What the names of audio files tell: who speaks, and which protected file is whose.

Conventions
-----------
* A path is relative to its folder, with / between folders; its stem has no ending.
* A guess who speaks is plausible if it fits nearly all files, if there are two speakers or more,
  and if most of them have two utterances or more. It is taken where it is the only one. Names
  of public corpora, and names such as spk07, beat other guesses.
* Digits are said by all speakers: 0_01_7.wav and zero/01_7.wav are of speaker 01.
* Two files belong together if their paths without ending are the same, or the ends of these paths
  are, where /, -, _ and . are all alike and no other file on either side is called so:
  anna/001.flac and wav/anna_001.wav. A tail that all protected (or all original) files have, such
  as _anon, is left out where that finds more; so are words that all have anywhere, such as anon_.
* What else is in a protected file's path must not be another speaker: p226_001_p225.wav and
  p226/p225_001.wav may be of either. A voice that is named as the target (_to_p226) is no speaker.
"""

import os
import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from voiceprivacy.anonymise.plugins import find_audio
from voiceprivacy.corpora.listing import Listed
from voiceprivacy.corpora.rows import Cut
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import read_lines
from voiceprivacy.inout.foreign import files_below
from voiceprivacy.inout.ids import sexes_in
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.vocabulary import RECORDINGS


def audio_files(root: str | Path) -> list[str]:
    """Relative paths of all audio files below a folder, sorted.

    Links are followed; hidden files and folders are left out.

    Raises
    ------
    BadInput : there is no such folder, or no audio below it
    """
    if not os.path.exists(root):
        raise BadInput(f"{root}: not found")
    if not os.path.isdir(root):
        raise BadInput(f"{root}: is no folder")
    paths = sorted(files_below(root, RECORDINGS))
    if not paths:
        raise BadInput(f"{root}: there is no audio below it (.wav, .flac, .mp3, .m4a and the like)")
    return paths


# Who speaks: a pattern for the corpus kind ``folder``.

NEARLY_ALL = 0.95
MOST_NUMBERS = 3  # more of them are a code, of which any part may be the speaker
SPEAKER_NAME = re.compile(r"(id|spk|spkr|speaker|subj|subject|vp)[-_]?\d+", re.IGNORECASE)
VCTK_NAME = re.compile(r"p\d{3}", re.IGNORECASE)
SEPARATOR = re.compile(r"[-_. ]")
# What every speaker of some corpora says.
WORD = re.compile(
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|yes|no|up|down|left|right|on|off|stop|go",
    re.IGNORECASE,
)
DIGIT = re.compile(r"(?:digit|d|num|n)?[-_]?0?(\d)", re.IGNORECASE)
LETTERS = re.compile(r"[^\W\d]{2,}")
GENDERS = {"f", "m", "F", "M"}
# What divides a corpus otherwise than by speaker.
NO_SPEAKER = re.compile(
    f"{WORD.pattern}|train|dev|test|eval|enrolment|enroll|trials?|wavs?|flac|audio|data|clean|other"
    "|original|f|m|female|male|wom[ae]n|m[ae]n|girls?|boys?"
    "|de|en|es|fr|it|ja|ko|nl|pl|pt|ru|tr|zh|ar|cs|sv"
    "|german|english|spanish|french|italian|dutch|polish|chinese|deutsch"
    "|angry|anger|happy|happiness|joy|sad|sadness|neutral|calm|fear|fearful|disgust|disgusted"
    "|surprised?|bored|boredom|excited|frustrated|whisper|quiet|loud|noisy"
    "|kitchen|office|bedroom|bathroom|hall|street"
    "|(ses|sess|session|take|rep|room|mic|ch|channel|chapter|part|set|day|visit|batch|utt|dr|region"
    r"|call|conv|conversation|dialog|dialogue|meeting|impro|script|scene|noise|snr)[-_]?\d+",
    re.IGNORECASE,
)
# Public corpora: how their paths end, the pattern of that, and why there is none.
CORPORA = (
    ("TIMIT", r"dr\d/[fm]\w{4}/s[aix]\d+", "{speaker}/{utterance}", ""),
    ("RAVDESS", r"\d\d(-\d\d){6}", "*-*-*-*-*-{utterance}-{speaker}", ""),
    ("Speech Commands", r"[^/]+/[0-9a-f]+_nohash_\d+", "{speaker}_nohash_{utterance}", ""),
    ("LibriSpeech", r"\d+-\d+-0\d{3}", "{speaker}-{session}-{utterance}", ""),
    ("CREMA-D", r"\d{4}_[A-Z]{3}_[A-Z]{3}_[A-Z]{2}", "{speaker}_{utterance}", ""),
    (
        "IEMOCAP",
        r"Ses\d\d[FM]_\w+_[FMX]+\d+",
        None,
        "the session and the last letter say who speaks, which no pattern can; use the corpus kind"
        " `iemocap:` in a config (docs/guide/data.md)",
    ),
    (
        "Switchboard",
        r"sw_?\d{4,5}[^/]*",
        None,
        "a call has two speakers, and a speaker has several calls; say with --pattern what is a"
        " speaker, such as '{speaker}_{utterance}.wav' for each side of a call",
    ),
)
SURE, LIKELY, DOUBT = range(3)


class _Guess(NamedTuple):
    """Who speaks in each path, and the pattern without ending, if one says so.

    A SURE guess beats others; a DOUBT is not taken, but speaks against another guess.
    """

    rank: int
    pattern: str | None
    speakers: Sequence[str]


def guess_pattern(paths: Sequence[str]) -> str:
    """The pattern of most of the paths, such as {speaker}/{session}/{utterance}.flac.

    Raises
    ------
    BadInput : no guess is plausible, or two are
    """
    ending = _most_common(PurePosixPath(path).suffix for path in paths)
    same_ending = [path for path in paths if path.endswith(ending)]
    depth = _most_common(path.count("/") for path in same_ending)
    usual = [path.removesuffix(ending) for path in same_ending if path.count("/") == depth]
    *levels, stems = zip(*(path.split("/") for path in usual), strict=True)
    if pattern := _pattern_of_corpus(usual, levels, stems):
        return pattern + ending
    guesses = [guess for guess in _guesses(levels, stems) if _is_plausible(guess.speakers)]
    first = min(guesses, key=lambda guess: guess.rank, default=None)
    if first is None or first.rank == DOUBT:
        examples = " and ".join(dict.fromkeys([paths[0], paths[-1]]))
        raise BadInput(
            f"cannot tell the speaker from names such as {examples}: say it with --pattern, such as"
            " --pattern '{speaker}/{utterance}.wav' or --pattern '{speaker}_{utterance}.wav' "
            "(* is anything), or with a metadata.csv in this folder (columns file_name and speaker)"
        )
    for other in guesses:
        is_weaker = first.rank == SURE < other.rank
        if not is_weaker and not _are_alike(first.speakers, other.speakers):
            readings = [
                f"'{one.speakers[0]}' ({one.pattern + ending if one.pattern else 'no pattern'})"
                for one in (first, other)
            ]
            raise BadInput(
                f"two guesses of who speaks are plausible: in {usual[0]}{ending} it is"
                f" {' or '.join(readings)}: say with --pattern which is right"
            )
    return f"{first.pattern}{ending}"


def _pattern_of_corpus(paths, levels, stems):
    """The pattern of paths as a public corpus has them; None for others."""
    for name, shape, pattern, why in CORPORA:
        expression = re.compile(rf"(.*/)?{shape}", re.IGNORECASE)
        if not _is_nearly_all(map(expression.fullmatch, paths)):
            continue
        if pattern is None:
            raise BadInput(f"names such as {paths[0]} are those of {name}: {why}")
        if not any(_begin(stems, names) for names in levels):
            above = levels[: len(levels) - pattern.count("/")]
            return "".join(f"{_constant_or_anything(names)}/" for names in above) + pattern
    return None


def _guesses(levels, stems):
    """What may be the speaker: levels of folders, then fields of the files' names."""
    n_levels, columns = len(levels), [*levels, *_fields(stems)]
    separators = ["/"] * n_levels + _separators(stems)
    varying = [number for number, names in enumerate(columns) if len(set(names)) > 1]
    inside = [number for number in varying if number >= n_levels]
    digits = [number for number in inside if _are_digits(columns[number:])]
    usable = [n for n in inside if n not in digits and _may_be_speakers(columns[n])]
    is_code = sum(_are_numbers(columns[number]) for number in inside) > MOST_NUMBERS
    # d1/A/d1_A_001: files that are called like a folder tell all that folders do.
    repeated = [names for names in levels if _begin(stems, names)]
    guesses = []
    for number in varying:
        names, is_folder = columns[number], number < n_levels
        is_told_again = repeated and is_folder and (names not in repeated or n_levels in digits)
        is_shared = any(_are_crossed(guess.speakers, names) for guess in guesses)
        pattern, rank = _pattern(columns, separators, number, n_levels), LIKELY
        if _are_called_speakers(names, is_first=not guesses):
            rank = SURE
        elif number in digits or is_told_again or not _may_be_speakers(names):
            continue
        elif not is_folder and number == inside[-1] and not digits:
            # The utterance, unless all folders have the same words: angry/kim1.wav, happy/kim1.wav
            letters = [name.rstrip("0123456789") for name in names]
            if not is_shared or not _is_nearly_all(map(LETTERS.fullmatch, letters)):
                continue
            pattern, names, rank = pattern if letters == names else None, letters, DOUBT
        elif not is_folder and _are_numbers(names) and not is_code:
            # Numbers behind others are of sessions and utterances.
            if number != usable[0] or (guesses and not is_shared):
                continue
            rank = DOUBT if guesses else LIKELY
        guesses.append(_Guess(rank if pattern else DOUBT, pattern, names))
    return guesses


def _may_be_speakers(names):
    """Whether most of the names can be those of speakers."""
    return 2 * sum(NO_SPEAKER.fullmatch(name) is not None for name in set(names)) <= len(set(names))


def _are_called_speakers(names, *, is_first):
    """Whether names are such as spk07; p225 is one only in front: p001 may be a prompt."""
    if is_first and _is_nearly_all(map(VCTK_NAME.fullmatch, names)):
        return True
    return _is_nearly_all(map(SPEAKER_NAME.fullmatch, names))


def _begin(stems, names):
    """Whether files are called like their folders: p225/p225_001.wav."""
    pairs = zip(stems, names, strict=True)
    called = (stem.startswith(name) and SEPARATOR.match(stem, len(name)) for stem, name in pairs)
    return len(set(names)) > 1 and _is_nearly_all(called)


def _are_numbers(names):
    return _is_nearly_all(map(str.isdigit, names))


def _are_alike(speakers, others):
    """Whether two guesses tell the same people apart, whatever they are called."""
    pairs = set(zip(speakers, others, strict=True))
    return len(pairs) == len(set(speakers)) == len(set(others))


def _are_crossed(names, others):
    """Whether most of the names stand beside most of the others."""
    pairs = set(zip(names, others, strict=True))
    return 2 * len(pairs) >= len(set(names)) * len(set(others))


def _pattern(columns, separators, speaker, n_levels):
    """The pattern whose speakers are this column; None where nothing is left for the utterance.

    What stands before it is a gender, a constant or anything; folders below it are sessions.
    """
    pieces = [_constant_or_anything(names) for names in columns[: max(speaker + 1, n_levels)]]
    pieces[speaker] = "{speaker}"
    if "*" in pieces[speaker:]:
        pieces[pieces.index("*", speaker)] = "{session}"
    for number, piece in enumerate(pieces[:speaker]):
        if piece == "*" and GENDERS.issuperset(columns[number]):
            pieces[number] = "{gender}"
            break
    before = "".join(map("".join, zip(pieces, separators, strict=False)))
    if len(pieces) <= len(separators):
        return before + "{utterance}"
    # The speaker comes last: what varies before are the utterances.
    return before.replace("*", "{utterance}", 1) + "{speaker}" if "*" in before else None


def _fields(stems):
    """What stands between separators, field by field, as far as nearly all names have the field."""
    separators = _separators(stems)
    columns = [SEPARATOR.split(stem) for stem in stems]
    n_fields = len(separators) + 1
    return [[(names + [""] * n_fields)[number] for names in columns] for number in range(n_fields)]


def _separators(stems):
    """The separators that nearly all names have, from the first on."""
    split = [SEPARATOR.findall(stem) for stem in stems]
    separators = []
    while True:
        number = len(separators)
        there = [names[number] for names in split if len(names) > number]
        if len(there) < NEARLY_ALL * len(stems):
            return separators
        separators.append(_most_common(there))


def _are_digits(fields):
    """Whether the first of some fields is a spoken digit, and the speaker stands in the next one.

    A word such as seven is one. A number from 0 to 9 is one where every speaker says each of them:
    the next field has letters or more values, and stands beside most of the numbers.
    """
    said, *after = fields
    speakers = next((names for names in after if len(set(names)) > 1), None)
    if speakers is None:
        return False
    if all(map(WORD.fullmatch, said)):
        return True
    numbers = {match and match[1] for match in map(DIGIT.fullmatch, said)}
    are_more = len(set(speakers)) > len(set(said)) or _is_nearly_all(map(str.isalpha, speakers))
    return None not in numbers and "0" in numbers and _are_crossed(said, speakers) and are_more


def _is_plausible(speakers):
    """Whether nearly all paths have a speaker, and most speakers two utterances or more."""
    counts = Counter(filter(None, speakers))
    if counts.total() < NEARLY_ALL * len(speakers) or len(counts) < 2:
        return False
    return statistics.median(counts.values()) >= 2


def _constant_or_anything(names):
    """What a level of folders is in a pattern: its name where there is only one, else anything."""
    return names[0] if len(set(names)) == 1 else "*"


def _is_nearly_all(answers):
    truths = list(map(bool, answers))
    return sum(truths) >= NEARLY_ALL * len(truths)


def _most_common(values):
    """The commonest value; of equally common ones the first in order."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


# Which protected file belongs to which original.

ALIKE = re.compile(r"[-_. /]+")
BEFORE_TAIL = re.compile(r"[-_. ]*[-_. (\[]")
TIME = re.compile(r"\d{4,}([-_.:T ]*\d+)*")
TO = {"to", "into", "as", "target", "tgt", "trg"}  # the voice that is named next is not the source
FROM = {"from", "by", "source", "src"}
NAME = re.compile(r"[^\W_]+")


def pair(
    originals: Sequence[Listed],
    root: Path,
    folder: str | Path,
    *,
    called: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Path]:
    """Find the protected files of originals.

    Parameters
    ----------
    originals : list of voiceprivacy.corpora.listing.Listed
    root : folder of the originals
    folder : folder of the protected files
    called : dict, optional
        {utterance id: what people call it}, of ids that were changed.

    Returns
    -------
    dict : utterance id -> absolute path of the protected file; utterances without one are left out

    Raises
    ------
    BadInput : the folder is missing, holds no audio or none of the originals, an utterance has
        several files, or names hold two speakers
    """
    table = Path(folder, "wav.scp")
    if table.exists():  # it says which file is whose
        own = {called.get(one.utterance, one.utterance): one for one in originals}
        wanted = [as_utterance(one._replace(utterance=name)) for name, one in own.items()]
        paths = find_audio([folder], wanted)
        pairs = {own[name].utterance: path for name, path in paths.items()}
    else:
        pairs = _pair_by_name(originals, root, folder, called)
    if not pairs:
        original = originals[0].audio
        listed = [*read_lines(table), "nothing"] if table.exists() else audio_files(folder)
        advice = (
            "to cut protected recordings like the originals, put their wav.scp and the segments "
            "of the originals into this folder"
            if isinstance(original, Cut)
            else "of two recordings of an utterance, --pattern '{speaker}/{utterance}_mic1.flac' "
            "names one"
        )
        raise BadInput(
            f"{folder}: no protected file has the name of an original, or of one alone: "
            f"originals are called such as {original}, protected files such as {listed[0]} "
            f"({advice})"
        )
    return {utterance: Path(path).absolute() for utterance, path in pairs.items()}


def is_found_without_help(
    folder: str | Path, originals: Iterable[Listed], pairs: Mapping[str, Path]
) -> bool:
    """Whether an anonymiser ``audio: folder`` finds exactly these files by itself.

    ``pairs`` are {utterance id: path of the protected file}.
    """
    chosen = [as_utterance(original) for original in originals if original.utterance in pairs]
    try:
        paths = find_audio([folder], chosen)
    except BadInput:
        return False
    return _real_paths(paths) == _real_paths(pairs)


def _real_paths(paths):
    return {utterance: os.path.realpath(path) for utterance, path in paths.items()}


def as_utterance(listed: Listed) -> Utterance:
    """An utterance as find_audio wants it; speech still to be made has no path but its id."""
    path = listed.audio if isinstance(listed.audio, Path) else Path(listed.utterance)
    return Utterance(listed.utterance, listed.speaker, listed.gender, path, duration_s=0.0)


def _pair_by_name(originals, root, folder, called):
    names = {}
    for original in originals:
        is_below = isinstance(original.audio, Path) and original.audio.is_relative_to(root)
        path = original.audio.relative_to(root).as_posix() if is_below else None
        name = called.get(original.utterance, original.utterance)
        names[original.utterance] = _stem(path) if path else name
    files = {}
    for path in sorted(audio_files(folder), key=loss_of):
        files.setdefault(_stem(path), path)  # of a.wav and a.mp3 the first
    files = {path: stem for stem, path in files.items()}
    speakers = {original.utterance: _words(original.speaker) for original in originals}
    spoken = set(" ".join(speakers.values()).split())
    best = {}
    # What is left may be written with other capitals, or its accents in another way.
    for spelling in (str, _folded):
        taken = {path for path, _ in best.values()}
        stems = {path: spelling(stem) for path, stem in files.items()}
        wanted = {key: spelling(name) for key, name in names.items()}
        stripped = _without_usual_tail(stems, wanted, spoken)
        attempts = [
            _match(wanted, stems),
            _match(wanted, stripped),
            _match(_without_usual_tail(wanted, stems, spoken), stems),
            _match(_without_shared_words(wanted, spoken), _without_shared_words(stems, spoken)),
        ]
        pairs = max(attempts, key=len)  # of equally good ones the first, which changes no name
        best = {key: own for key, own in pairs.items() if own[0] not in taken} | best
    _refuse_two_speakers(speakers, names, best, folder)
    if len(best) < len(names):
        _refuse_several(wanted, stripped, best, folder)
    return {utterance: Path(folder) / path for utterance, (path, _) in best.items()}


def loss_of(path: str) -> tuple[int, str]:
    """A key by which files that lost less come first."""
    return RECORDINGS.index(PurePosixPath(path).suffix.lower()), path


def _folded(name):
    return unicodedata.normalize("NFC", name).casefold()


def _without_usual_tail(files, names, spoken):
    """Names of files without the tail that most of them have behind the name of an original.

    Tails are alike where they differ in a time, or in words of speakers' names: _to_p226, _to_p227.
    """
    known = set().union(*map(_keys, names.values()))
    tails = {}  # {kind of tail: {file: its own}}
    for path, stem in files.items():
        for start in BEFORE_TAIL.finditer(stem, stem.rfind("/") + 1):
            if known.intersection(_keys(stem[: start.start()])):
                tail = stem[start.start() :]  # of several of a kind the last, which is the shortest
                kind = NAME.sub(lambda word: "" if _folded(word[0]) in spoken else word[0], tail)
                kind = ALIKE.sub("-", TIME.sub("", kind))
                tails.setdefault(kind, {})[path] = tail
    if not tails:
        return files
    most, usual = max(map(len, tails.values())), {}
    for own in tails.values():
        usual |= own if len(own) == most else {}  # of two that are as usual both: nobody knows
    return {path: stem.removesuffix(usual.get(path, "")) for path, stem in files.items()}


def _without_shared_words(names, spoken):
    """Names without the words that all have, such as anon_: no numbers, and no speakers' names."""
    shared = set.intersection(*(set(NAME.findall(name)) for name in names.values()))
    dropped = {word for word in shared if not (word.isdigit() or _folded(word) in spoken)}
    return {
        key: NAME.sub(lambda word: word[0] * (word[0] not in dropped), name).strip("-_. /")
        for key, name in names.items()
    }


def _words(text):
    """The fields of a name or path in small letters, with a space between them."""
    return " ".join(NAME.findall(_folded(text)))


def _refuse_two_speakers(speakers, names, pairs, folder):
    """Say so where a protected file's path holds another speaker beside its original's name.

    A number or a letter counts where that speaker has an utterance of this name, too. What all
    files have does not say who speaks.
    """
    everyone, paired = set(speakers.values()) - {""}, {speakers[utterance] for utterance in pairs}
    known = set(map(_words, set().union(*map(_keys, names.values()))))
    rests = {name: _speakers_beside(*pair, everyone) for name, pair in pairs.items()}
    common = set(everyone) if paired == everyone else set()
    for utterance, rest in rests.items():
        common &= {speakers[utterance], *(speaker for speaker, _ in rest)}
    for utterance, rest in rests.items():
        own, (path, key) = speakers[utterance], pairs[utterance]
        for other, before in rest:
            is_common = other in common and before not in FROM
            if other in (own, *own.split()) or before in TO or is_common:
                continue
            is_name = not re.fullmatch(r".|[\d ]+", other)
            if is_name or re.sub(rf"\b{re.escape(own)}\b", other, _words(key)) in known:
                raise BadInput(
                    f"{folder}: names hold two speakers, such as {path} ({own} and {other}): which"
                    " one spoke? Say it in a wav.scp in this folder (lines: utterance path), or"
                    " give the files the names of their originals"
                )


def _speakers_beside(path, key, everyone):
    """[(speaker, the word before)] of what a path holds beside the name of an original."""
    before, _, after = f" {_words(_stem(path))} ".rpartition(f" {_words(key)} ")
    words, beside = ["", *before.split(), "", *after.split()], []
    # A name may have no letter and no digit, such as a smiley.
    lengths = range(1, 2 + max((speaker.count(" ") for speaker in everyone), default=-1))
    for start, length in product(range(1, len(words)), lengths):
        speaker = " ".join(words[start : start + length])
        if speaker in everyone:
            beside.append((speaker, words[start - 1]))
    return beside


def _stem(path):
    return str(PurePosixPath(path).with_suffix(""))


def _keys(name):
    """A path and its ends, folder by folder, the longest first, with all separators alike."""
    folders = name.split("/")
    ends = ("/".join(folders[first:]) for first in range(len(folders)))
    return list(dict.fromkeys(ALIKE.sub("-", end) for end in ends))


def _owners(names, files):
    """{key: protected files that have it}, of keys that one original has."""
    n_originals = Counter()
    owners = {}
    for name in names.values():
        n_originals.update(_keys(name))
    for file, name in files.items():
        for key in _keys(name):
            owners.setdefault(key, []).append(file)
    return {key: several for key, several in owners.items() if n_originals[key] == 1}


def _match(names, files):
    """{utterance: (file, end)} where an end of both paths is the same and nobody else's."""
    owners = _owners(names, files)
    pairs = {}
    for utterance, name in names.items():
        key = next((key for key in _keys(name) if len(owners.get(key, ())) == 1), None)
        if key:
            pairs[utterance] = (owners[key][0], key)
    return pairs


def _refuse_several(names, files, pairs, folder):
    """Say so where an utterance has no pair because several files are called like it."""
    owners = _owners(names, files)
    for utterance in sorted(names.keys() - pairs.keys()):
        for key in _keys(names[utterance]):
            if len(several := owners.get(key, ())) > 1:
                raise BadInput(
                    f"{folder}: utterance '{utterance}' has several files: "
                    f"{' and '.join(several[:2])}; keep one of them"
                )


def sexes_by_name(listed: Iterable[Listed]) -> dict[str, str]:
    """{speaker: f or m}, where the names of all speakers or files seem to show it; else nothing."""
    sexes: dict[str, str] = {}
    for one in listed:
        letters = sexes_in(f"{one.speaker}_{PurePosixPath(str(one.audio)).stem}")
        if len(letters) != 1 or sexes.setdefault(one.speaker, *letters) not in letters:
            return {}
    return sexes if len(set(sexes.values())) == 2 else {}
