"""What the names of audio files tell: who speaks, and which protected file is whose.

Conventions
-----------
* A path is relative to its folder, with / between folders; its stem has no ending.
* A guess who speaks is plausible if it fits nearly all files, if there are two speakers or more,
  and if most of them have two utterances or more. The first plausible guess is taken, from the
  most to the least specific.
* Digits are said by all speakers: 0_01_7.wav and zero/01_7.wav are of speaker 01.
* Two files belong together if their paths without ending are the same, or the ends of these paths
  are, where /, -, _ and . are all alike and no other file on either side is called so:
  anna/001.flac and wav/anna_001.wav. A tail that all protected (or all original) files have, such
  as _anon, is left out where that finds more.
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
from voiceprivacy.corpora import parts
from voiceprivacy.corpora.checks import Examination
from voiceprivacy.corpora.kinds.folder import compile_pattern
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.foreign import walk
from voiceprivacy.inout.tables import Utterance
from voiceprivacy.plan.plan import Plan
from voiceprivacy.running import decoding

# Of two files of one name, the one whose ending stands first is taken.
ENDINGS = (
    *(".wav", ".flac", ".aiff", ".aif", ".w64", ".caf", ".au", ".sph"),
    *(".ogg", ".oga", ".opus", ".mp3"),
    *decoding.ENDINGS,
)


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
    paths = []
    for folder, _, names in walk(root):
        below = os.path.relpath(folder, root)
        for name in names:
            if name.lower().endswith(ENDINGS) and not name.startswith("."):
                paths.append(name if below == "." else f"{below}/{name}")
    if not paths:
        raise BadInput(f"{root}: there is no audio below it (.wav, .flac, .mp3, .m4a and the like)")
    return sorted(paths)


# Who speaks: a pattern for the corpus kind ``folder``.

NEARLY_ALL = 0.95
SPEAKER_NAME = re.compile(r"(id|spk|spkr|speaker|subj|subject|vp)[-_]?\d+|p\d{3}", re.IGNORECASE)
LIBRISPEECH_NAME = re.compile(r"\d+-\d+-\d+")
SEPARATOR = re.compile(r"[-_.]")
# What every speaker of some corpora says.
DIGIT_WORDS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero", "oh"}
DIGIT = re.compile(r"(?:digit|d|num|n)?[-_]?0?(\d)", re.IGNORECASE)
GENDERS = {"f", "m", "F", "M"}
NO_SPEAKERS = {  # names of folders that divide a corpus otherwise than by speaker
    *("train", "dev", "test", "eval", "enrolment", "enroll", "trial", "trials"),
    *("wav", "wavs", "flac", "audio", "data", "clean", "other", "original"),
    *("f", "m", "female", "male", "women", "men"),
    *(
        "de",
        "en",
        "es",
        "fr",
        "it",
        "ja",
        "ko",
        "nl",
        "pl",
        "pt",
        "ru",
        "tr",
        "zh",
        "ar",
        "cs",
        "sv",
    ),
    *("german", "english", "spanish", "french", "italian", "dutch", "polish", "chinese", "deutsch"),
}


def guess_pattern(paths: Sequence[str]) -> str:
    """The pattern of most of the paths, such as {speaker}/{session}/{utterance}.flac.

    Raises
    ------
    BadInput : no guess is plausible
    """
    ending = _most_common(PurePosixPath(path).suffix for path in paths)
    same_ending = [path for path in paths if path.endswith(ending)]
    depth = _most_common(path.count("/") for path in same_ending)
    usual = [path.removesuffix(ending) for path in same_ending if path.count("/") == depth]
    for guess in _guesses(usual):
        if _is_plausible(guess, usual):
            return guess + ending
    examples = " and ".join(dict.fromkeys([paths[0], paths[-1]]))
    raise BadInput(
        f"cannot tell the speaker from names such as {examples}: say it with --pattern, such as "
        "--pattern '{speaker}/{utterance}.wav' or --pattern '{speaker}_{utterance}.wav' "
        "(* is anything)"
    )


def _guesses(paths):
    """Patterns without ending, the most specific first."""
    split = [path.split("/") for path in paths]
    stems = [names[-1] for names in split]
    levels = list(zip(*split, strict=True))[:-1]  # the names of folders, level by level
    likely = list(_speaker_levels(levels, stems))
    words = [level for level in likely if {name.lower() for name in levels[level]} <= DIGIT_WORDS]
    for level in likely:
        if level not in words:
            yield _nested(levels, level)
    folders = "".join(f"{_constant_or_anything(names)}/" for names in levels)
    if all(map(LIBRISPEECH_NAME.fullmatch, stems)) and not _are_digits(_fields(stems)):
        yield folders + "{speaker}-{session}-{utterance}"
    if flat := _flat(stems):
        yield folders + flat
    for level in words:
        yield _nested(levels, level)


def _speaker_levels(levels, stems):
    """Which level of folders may be the speakers', the likeliest first."""
    for number, names in enumerate(levels):  # p225/p225_001.wav, 61/142285/61-142285-0000.flac
        pairs = zip(names, stems, strict=True)
        if _is_nearly_all(_begins_with(stem, name) for name, stem in pairs):
            yield number
    for number, names in enumerate(levels):  # id10270/5r0dWxy17C8/00001.wav
        if _are_called_speakers(names):
            yield number
    for number, names in enumerate(levels):
        if len(set(names)) > 1 and not {name.lower() for name in names} <= NO_SPEAKERS:
            yield number


def _begins_with(stem, name):
    return stem.startswith((f"{name}-", f"{name}_", f"{name}."))


def _nested(levels, speaker):
    """The pattern whose speakers are folders at this level.

    Folders above it are a gender, a constant or anything, those below it sessions.
    """
    above = [_constant_or_anything(names) for names in levels[:speaker]]
    below = [_constant_or_anything(names) for names in levels[speaker + 1 :]]
    if "*" in below:
        below[below.index("*")] = "{session}"
    for level, names in enumerate(levels[:speaker]):
        if len(set(names)) > 1 and GENDERS.issuperset(names):
            above[level] = "{gender}"
            break
    return "/".join([*above, "{speaker}", *below, "{utterance}"])


def _flat(stems):
    """The pattern of names of which one field is the speaker; None where there is no such pattern.

    It is a field called like a speaker; else the first that is not the same in all names, and is
    no spoken digit.
    """
    fields, separators = _fields(stems), _separators(stems)
    varying = [number for number, names in enumerate(fields) if len(set(names)) > 1]
    called = [number for number in varying if _are_called_speakers(fields[number])]
    others = [number for number in varying if not _are_digits(fields[number:])]
    if others == varying:  # the last field is the utterance, unless a digit stands before it
        others = [number for number in others if number < len(separators)]
    if not called and not others:
        return None
    speaker = (called or others)[0]
    before = ""
    for number in range(speaker):
        before += _constant_or_anything(fields[number]) + separators[number]
    if speaker < len(separators):
        return f"{before}{{speaker}}{separators[speaker]}{{utterance}}"
    # The speaker comes last: what varies before him are the utterances.
    return f"{before}{{speaker}}".replace("*", "{utterance}", 1) if "*" in before else None


def _fields(stems):
    """What stands between separators, field by field, as far as nearly all names have the field."""
    separators = _separators(stems)
    columns = [SEPARATOR.split(stem) for stem in stems]
    n_fields = len(separators) + 1 if separators else 0
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


def _are_called_speakers(names):
    return _is_nearly_all(SPEAKER_NAME.fullmatch(name) for name in names)


def _are_digits(fields):
    """Whether the first of some fields is a spoken digit, and the speaker stands in the next one.

    A word such as seven is one. A number from 0 to 9 is one where every speaker says each of them:
    the next field has letters or more values, and stands beside most of the numbers.
    """
    said, *after = fields
    speakers = next((names for names in after if len(set(names)) > 1), None)
    if speakers is None:
        return False
    if {name.lower() for name in said} <= DIGIT_WORDS:
        return True
    numbers = {match and match[1] for match in map(DIGIT.fullmatch, said)}
    pairs = set(zip(said, speakers, strict=True))
    is_crossed = 2 * len(pairs) >= len(set(said)) * len(set(speakers))
    are_more = len(set(speakers)) > len(set(said)) or _is_nearly_all(map(str.isalpha, speakers))
    return None not in numbers and "0" in numbers and is_crossed and are_more


def _is_plausible(pattern, paths):
    matches = [match for match in map(compile_pattern(pattern).fullmatch, paths) if match]
    counts = Counter(match["speaker"] for match in matches)
    if len(matches) < NEARLY_ALL * len(paths) or len(counts) < 2:
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
TAIL = re.compile(r"[-_.][^-_.]*[A-Za-z].*$")


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
    BadInput : the folder is missing, holds no audio or none of the originals, or an utterance has
        several files
    """
    if (Path(folder) / "wav.scp").exists():  # it says which file is whose
        ids = {called.get(one.utterance, one.utterance): one.utterance for one in originals}
        own = [
            one._replace(utterance=called.get(one.utterance, one.utterance)) for one in originals
        ]
        paths = find_audio([folder], [_as_utterance(original) for original in own])
        pairs = {ids[name]: path for name, path in paths.items()}
    else:
        pairs = _pair_by_name(originals, root, folder, called)
    if not pairs:
        original, protected = originals[0].audio, audio_files(folder)[0]
        raise BadInput(
            f"{folder}: no protected file has the name of an original: "
            f"originals are called such as {original}, protected files such as {protected}"
        )
    return {utterance: Path(path).absolute() for utterance, path in pairs.items()}


def is_found_without_help(
    folder: str | Path, originals: Iterable[Listed], pairs: Mapping[str, Path]
) -> bool:
    """Whether an anonymiser ``audio: folder`` finds exactly these files by itself.

    ``pairs`` are {utterance id: path of the protected file}.
    """
    chosen = [_as_utterance(original) for original in originals if original.utterance in pairs]
    try:
        paths = find_audio([folder], chosen)
    except BadInput:
        return False
    return _real_paths(paths) == _real_paths(pairs)


def _real_paths(paths):
    return {utterance: os.path.realpath(path) for utterance, path in paths.items()}


def _as_utterance(listed):
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
    attempts = [
        _match(names, files),
        _match(names, _without_tail(files)),
        _match(names, _without_usual_tail(files, names)),
        _match(_without_tail(names), files),
    ]
    best = max(attempts, key=len)  # of equally good ones the first, which changes no name
    # What is left may be written with other capitals, or its accents in another way.
    rest = {key: _folded(name) for key, name in names.items() if key not in best}
    taken = set(best.values())
    left = {path: _folded(stem) for path, stem in files.items() if path not in taken}
    alike = [_match(rest, left), _match(rest, _without_usual_tail(left, rest))]
    best |= max(alike, key=len)
    if len(best) < len(names):
        _refuse_several(names, files, best, folder)
    return {utterance: Path(folder) / path for utterance, path in best.items()}


def loss_of(path: str) -> tuple[int, str]:
    """A key by which files that lost less come first."""
    return ENDINGS.index(PurePosixPath(path).suffix.lower()), path


def _folded(name):
    return unicodedata.normalize("NFC", name).casefold()


def _without_usual_tail(files, names):
    """Names of files without the tail that most of them have behind the name of an original."""
    known: set[str] = set()
    for name in names.values():
        known.update(_keys(name))
    tails: Counter[str] = Counter()
    for stem in files.values():
        last = stem.rpartition("/")[2]
        for start in BEFORE_TAIL.finditer(last):
            if ALIKE.sub("-", last[: start.start()]) in known:
                tails[last[start.start() :]] += 1
    if not tails:
        return files
    usual = _most_common(tails.elements())
    return {path: stem.removesuffix(usual) for path, stem in files.items()}


def _stem(path):
    return str(PurePosixPath(path).with_suffix(""))


def _without_tail(names):
    """Names without the tail that all of them have, if there is one."""
    # A tail is what the names have in common, read from the end.
    backwards = [name[::-1] for name in names.values()]
    common = os.path.commonprefix(backwards)[::-1]  # noqa: RUF071  by letters is wanted
    tail = TAIL.search(common)
    if not tail:
        return names
    return {key: name.removesuffix(tail.group()) for key, name in names.items()}


def _keys(name):
    """A path and its ends, folder by folder, the longest first, with all separators alike."""
    folders = name.split("/")
    ends = ("/".join(folders[first:]) for first in range(len(folders)))
    return list(dict.fromkeys(ALIKE.sub("-", end) for end in ends))


class _Owners(NamedTuple):
    """How many originals have a key, and which protected files have it."""

    n_originals: Counter
    files: dict

    def only_file(self, key):
        """The file of a key that one original and one file have; None else."""
        files = self.files.get(key, ())
        return files[0] if self.n_originals[key] == 1 and len(files) == 1 else None


def _owners(names, files):
    owners = _Owners(Counter(), {})
    for name in names.values():
        owners.n_originals.update(_keys(name))
    for file, name in files.items():
        for key in _keys(name):
            owners.files.setdefault(key, []).append(file)
    return owners


def _match(names, files):
    """{utterance: file} where an end of both paths is the same and nobody else's."""
    owners = _owners(names, files)
    pairs = {}
    for utterance, name in names.items():
        candidates = (owners.only_file(key) for key in _keys(name))
        if file := next(filter(None, candidates), None):
            pairs[utterance] = file
    return pairs


def _refuse_several(names, files, pairs, folder):
    """Say so where an utterance has no pair because several files are called like it."""
    owners = _owners(names, files)
    for utterance in sorted(names.keys() - pairs.keys()):
        for key in _keys(names[utterance]):
            several = owners.files.get(key, ())
            if owners.n_originals[key] == 1 and len(several) > 1:
                raise BadInput(
                    f"{folder}: utterance '{utterance}' has several files: "
                    f"{' and '.join(several[:2])}; keep one of them"
                )


# Speech that a config says is anonymised already: all of it should be there before a long run.

SHOWN = 10  # utterances that a finding names


def findings_of(config: dict, examined: Mapping[str, Examination]) -> Findings:
    """Look for every utterance in the folders of the config's ``audio`` anonymisers.

    Nothing is looked for of a corpus that is cut into segments: what its pieces are called is
    known when it is cut.

    Parameters
    ----------
    config : dict, completed and without problems
    examined : dict {corpus: checks.Examination}
        Corpora with errors are left out.

    Returns
    -------
    Findings : an error for each anonymiser and part of a corpus that lacks utterances
    """
    findings, plan = Findings(), Plan(config)
    anonymisers = [name for name, options in plan.speech.anonymisers.items() if "audio" in options]
    if not anonymisers:
        return findings
    for corpus, part in _heard_parts(plan):
        examination, source = examined[corpus], plan.speech.source(corpus)
        if not examination.parts or examination.findings.errors() or "segments" in source:
            continue
        protocol = plan.speech.protocol(corpus)
        listed = parts.list_part(source, protocol, part, excluded=examination.excluded)
        utterances = [_as_utterance(utterance) for utterance in listed]
        for name in anonymisers:
            if part != "train" or corpus in _learnt_corpora(plan, name):
                folders = plan.speech.anonymiser_call(name, corpus, part)["audio"]
                _look_for(utterances, name, folders, findings)
    return findings


def _heard_parts(plan):
    """(corpus, part) of all speech that attackers try or learn from."""
    attacked = dict.fromkeys(attack.corpus for attack in plan.attackers.attacks())
    evaluated = product(attacked, ("enrolment", "trial"))
    return [*evaluated, *((corpus, "train") for corpus in plan.speech.training)]


def _learnt_corpora(plan, anonymiser):
    """Corpora of which attackers learn what an anonymiser makes."""
    learners = (*plan.attackers.extractors.values(), *plan.attackers.backends.values())
    return {options["train"]["corpus"] for options in learners if options["on"] == anonymiser}


def _look_for(utterances, anonymiser, folders, findings):
    try:
        paths = find_audio(folders, utterances)
    except BadInput as error:
        findings.error(f"anonymiser {anonymiser}", "-", str(error))
        return
    names = [utterance.utterance for utterance in utterances]
    missing = [name for name in names if name not in paths]
    if missing:
        shown = [*missing[:SHOWN], "..."] if len(missing) > SHOWN else missing
        share = f"{len(missing)} of {counted(len(utterances), 'utterance')} missing"
        findings.error(
            " ".join(folders), "-", f"{share}: {', '.join(shown)} (anonymiser '{anonymiser}')"
        )
