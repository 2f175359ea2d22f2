"""From a folder of speech and folders of protected versions of it to what a config needs.

``examine`` finds out who speaks, which protected file is whose, and what has to be left out.

Conventions
-----------
``left_out`` is {utterance: why} everywhere; what a function leaves out it adds there.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from voiceprivacy.corpora.listing import Findings, Listed, list_utterances
from voiceprivacy.corpora.recordings import inspect
from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import BadInput
from voiceprivacy.tools.file_names import (
    audio_files,
    guess_pattern,
    is_found_without_help,
    pair,
)

SAMPLE_RATE = 16000  # of the attacker that is shipped
# A protected file may differ by this much, as in the check after every anonymiser.
LENGTH_SHARE = 0.25
LENGTH_S = 0.25
ENROLMENT_UTTERANCES = 3
# Speakers are kept for training an attacker of the protected speech where both kinds are enough.
TO_TRAIN = 0.4
FEWEST_TO_SPLIT = 40
MOST_TO_TRAIN = 200
# Fewer utterances enrol where more than a tenth of the speakers would be lost otherwise, or where
# most of them would be tried once only: released files of one speaker are compared, too.
KEPT_SPEAKERS = 0.9
TRIED_TWICE = 0.5
# Of more utterances than this some of each speaker are taken: released files are compared pair by
# pair, so ten times as many cost a hundred times as much, and limits are over speakers.
ENOUGH_UTTERANCES = 1000
FEWEST_OF_EACH = 10
NO_FOLDERS: Mapping[str, str] = MappingProxyType({})


class Protected(NamedTuple):
    """What one anonymiser made.

    ``files``: {utterance: path} of the utterances that are used; ``n_found``: for how many there
    is a file at all; ``plain``: whether the run finds these files in ``folder`` by itself;
    ``sample_rates``: in Hz; ``again``: the same utterances of a second draw, if there is one.
    """

    folder: Path
    files: dict[str, Path]
    n_found: int
    plain: bool
    sample_rates: list[int]
    again: dict[str, Path]


class NewRun(NamedTuple):
    """What a folder of speech and its protected versions hold.

    ``listed``: all utterances that follow the pattern, of ``n_files`` audio files; ``utterances``:
    those that are evaluated; ``training``: those of other speakers, on whom an attacker is trained;
    ``left_out``: {utterance: why} for the others; ``seconds``: length of the originals that are
    evaluated; ``lists``: f and m, or mixed; ``protected``: {name: Protected}.
    """

    root: Path
    pattern: str
    speakers: Path | None
    n_files: int
    listed: list[Listed]
    utterances: list[Listed]
    training: list[Listed]
    left_out: dict[str, str]
    seconds: float
    lists: list[str]
    enrolment_utterances: int
    protected: dict[str, Protected]
    transcripts: Path | None = None


def examine(
    original: str | Path,
    protected: Mapping[str, str | Path],
    *,
    again: Mapping[str, str | Path] = NO_FOLDERS,
    pattern: str | None = None,
    speakers: str | Path | None = None,
    transcripts: str | Path | None = None,
    threads: int = 2,
) -> NewRun:
    """Find out who speaks, which protected file is whose, and what has to be left out.

    Parameters
    ----------
    original : path of a folder
    protected : dict {name: path of a folder}
    again : dict {name: path of a folder}
        A second, independent draw of some of them: what the attacker makes of his own speech.
    pattern : str, optional
        As in the corpus kind ``folder``; guessed without.
    speakers : path, optional
        TSV with the columns speaker and gender.
    transcripts : path, optional
        TSV with the columns utterance and text.
    threads : int
        Of reading headers.

    Raises
    ------
    BadInput : a folder without audio, names that tell no speaker, two files for one utterance,
        fewer than two speakers
    """
    root = Path(original).absolute()
    table = Path(speakers).absolute() if speakers else None
    said = Path(transcripts).absolute() if transcripts else None
    paths = audio_files(root)
    pattern = pattern or guess_pattern(paths)
    listed = _listed(root, pattern, {"speakers": table, "transcripts": said})
    folders = {name: Path(folder).absolute() for name, folder in protected.items()}
    seconds = {name: Path(folder).absolute() for name, folder in again.items()}

    # Each step takes what the one before has left.
    left_out: dict[str, str] = {}
    durations = _durations(listed, left_out, threads)
    pairs, rates = {}, {}
    for draw, name, folder in _draws(folders, seconds):
        pairs[draw, name] = pair(listed, root, folder)
        words = f"the second draw of {name}" if draw else name
        rates[draw, name] = _usable_rates(words, pairs[draw, name], durations, left_out, threads)
    usable = [utterance for utterance in listed if utterance.utterance not in left_out]
    usable = by_gender(usable, left_out, table=table)
    usable, enrolment_utterances = with_enough(usable, left_out)
    usable, lists = in_lists(usable, left_out)
    if len({utterance.speaker for utterance in usable}) < 2:
        raise BadInput(_too_few(root, pattern, len(listed), left_out))
    if max(Counter(utterance.speaker for utterance in usable).values()) < 3:
        raise BadInput(f"{root}: no speaker has three utterances: one enrols, and two are compared")
    evaluated, training = split_speakers(usable)

    return NewRun(
        root=root,
        pattern=pattern,
        speakers=table,
        n_files=len(paths),
        listed=listed,
        utterances=evaluated,
        training=training,
        left_out=left_out,
        seconds=sum(durations[utterance.utterance] for utterance in evaluated),
        lists=lists,
        enrolment_utterances=enrolment_utterances,
        protected={
            name: _protected(folder, usable, pairs[0, name], rates[0, name])
            if name not in seconds
            else _protected_twice(folder, usable, name, pairs, rates)
            for name, folder in folders.items()
        },
        transcripts=said,
    )


def _listed(root, pattern, tables):
    options = {"root": str(root), "pattern": pattern}
    options |= {key: str(table) for key, table in tables.items() if table}
    findings = Findings()
    listed = list_utterances({"folder": options}, findings)
    findings.refuse_errors()
    return listed


def _durations(listed, left_out, threads):
    """{utterance: seconds} of the originals that can be read; the others are left out."""
    durations = {}
    inspections = inspect([original.audio for original in listed], samples=False, threads=threads)
    for original, inspection in zip(listed, inspections, strict=True):
        if inspection.error:
            left_out[original.utterance] = f"{original.audio}: {inspection.error}"
        else:
            durations[original.utterance] = inspection.header.duration_s
    return durations


def _usable_rates(name, pairs, durations, left_out, threads):
    """{utterance: sample rate} of protected files; an utterance without a usable one is left out.

    ``left_out`` keeps the reason of the first anonymiser.
    """
    for utterance in durations.keys() - pairs.keys():
        left_out.setdefault(utterance, f"{name} has no protected version")
    pairs = {utterance: path for utterance, path in pairs.items() if utterance in durations}
    rates = {}
    inspections = inspect(pairs.values(), samples=False, threads=threads)
    for (utterance, path), inspection in zip(pairs.items(), inspections, strict=True):
        fault = inspection.error or _unlike(inspection.header, durations[utterance])
        if fault:
            left_out.setdefault(utterance, f"{path}: {fault}")
        else:
            rates[utterance] = inspection.header.sample_rate
    return rates


def _unlike(header, duration_s):
    """Why a protected file is not usable; None where it is."""
    if header.channels != 1:
        return f"has {header.channels} channels instead of one"
    if abs(header.duration_s - duration_s) > max(LENGTH_S, LENGTH_SHARE * duration_s):
        return f"lasts {header.duration_s:.2f} s, the original {duration_s:.2f} s"
    return None


def _protected(folder, usable, pairs, rates):
    files = {utterance.utterance: pairs[utterance.utterance] for utterance in usable}
    return Protected(
        folder=folder,
        files=files,
        n_found=len(pairs),
        plain=is_found_without_help(folder, usable, files),
        sample_rates=sorted({rates[utterance] for utterance in files}),
        again={},
    )


def _draws(folders, seconds):
    """(0 or 1, name, folder) of every draw."""
    for draw, of_draw in enumerate((folders, seconds)):
        for name, folder in of_draw.items():
            yield draw, name, folder


def _protected_twice(folder, usable, name, pairs, rates):
    """An anonymiser of which there are two draws: the users' and the attacker's."""
    first, again = (
        _protected(folder, usable, pairs[draw, name], rates[draw, name]) for draw in (0, 1)
    )
    if first.files == again.files:
        raise BadInput(f"{folder}: is both draws of {name}; a second draw is other speech")
    sample_rates = sorted({*first.sample_rates, *again.sample_rates})
    return first._replace(plain=False, sample_rates=sample_rates, again=again.files)


def _too_few(root, pattern, n_listed, left_out):
    examples = [f"'{utterance}': {why}" for utterance, why in list(left_out.items())[:3]]
    reasons = f" (left out: {'; '.join(examples)})" if examples else ""
    return (
        f"{root}: of {n_listed} utterances that look like {pattern} too few are left for two "
        f"speakers{reasons}; is the speaker read wrongly? --pattern says it"
    )


# Who can be evaluated: speakers with a gender, where genders are known, and enough utterances.


def by_gender(
    utterances: list[Listed], left_out: dict[str, str], *, table: Path | None = None
) -> list[Listed]:
    """Leave out speakers without a gender, where others have one.

    ``table`` is the path where genders were said to stand.

    Raises
    ------
    BadInput : there is a table, and it has none of the speakers
    """
    known = [utterance for utterance in utterances if utterance.gender != "-"]
    if table and utterances and not known:
        speaker = utterances[0].speaker
        raise BadInput(f"{table}: has none of the speakers, who are called such as '{speaker}'")
    if not known:
        return utterances
    for utterance in utterances:
        if utterance.gender == "-":
            left_out[utterance.utterance] = f"speaker '{utterance.speaker}' has no gender"
    return known


def with_enough(utterances: list[Listed], left_out: dict[str, str]) -> tuple[list[Listed], int]:
    """Leave out speakers who have too few utterances to enrol and to be tried.

    Returns
    -------
    list of Listed, int : and how many utterances enrol a speaker: three, or fewer where that would
        lose many speakers, or leave them one utterance to be tried with
    """
    counts = Counter(utterance.speaker for utterance in utterances)
    possible = sum(count > 1 for count in counts.values())  # one to enrol, one to be tried
    enrolled = ENROLMENT_UTTERANCES
    while enrolled > 1:
        n_kept = sum(count > enrolled for count in counts.values())
        n_twice = sum(count > enrolled + 1 for count in counts.values())
        if n_kept >= KEPT_SPEAKERS * possible and n_twice >= TRIED_TWICE * n_kept:
            break
        enrolled -= 1
    kept = []
    for utterance in utterances:
        count = counts[utterance.speaker]
        if count > enrolled:
            kept.append(utterance)
        else:
            left_out[utterance.utterance] = f"speaker '{utterance.speaker}' has only {count}"
    return kept, enrolled


def in_lists(utterances: list[Listed], left_out: dict[str, str]) -> tuple[list[Listed], list[str]]:
    """The trial lists of utterances: by gender where that is known, else one mixed list.

    A gender with one speaker only is left out.

    Returns
    -------
    list of Listed, list of str : and f, m, or mixed
    """
    lists = []
    for gender in ("f", "m"):
        speakers = {said.speaker for said in utterances if said.gender == gender}
        if len(speakers) > 1:  # one speaker alone has no nontarget trials
            lists.append(gender)
    if not lists:
        return utterances, ["mixed"]
    kept = []
    for utterance in utterances:
        if utterance.gender in lists:
            kept.append(utterance)
        else:
            why = f"speaker '{utterance.speaker}' is the only one of this gender"
            left_out[utterance.utterance] = why
    return kept, lists


def split_speakers(utterances: list[Listed]) -> tuple[list[Listed], list[Listed]]:
    """Keep speakers of each gender for training an attacker, where there are enough speakers.

    Returns
    -------
    list of Listed, list of Listed : who is evaluated, and who trains; nobody trains where speakers
        are few
    """
    speakers: dict[str, set[str]] = {}
    for utterance in utterances:
        speakers.setdefault(utterance.gender, set()).add(utterance.speaker)
    n_speakers = sum(map(len, speakers.values()))
    if n_speakers < FEWEST_TO_SPLIT:
        return utterances, []
    share = min(TO_TRAIN, MOST_TO_TRAIN / n_speakers)
    training: set[str] = set()
    for gender, names in sorted(speakers.items()):
        # At least two of each gender are left, who can be nontargets of each other.
        n_training = min(round(share * len(names)), len(names) - 2)
        shuffled = seeds.generator(0, "training speakers", gender).permutation(sorted(names))
        training.update(shuffled[: max(0, n_training)].tolist())
    evaluated = [utterance for utterance in utterances if utterance.speaker not in training]
    return evaluated, [utterance for utterance in utterances if utterance.speaker in training]


def limit_of(utterances: Collection[Listed]) -> int | None:
    """How many utterances of a speaker are enough, of each part; None where all are taken."""
    n_speakers = len({utterance.speaker for utterance in utterances})
    if len(utterances) <= ENOUGH_UTTERANCES:
        return None
    limit = max(FEWEST_OF_EACH, ENOUGH_UTTERANCES // n_speakers)
    most = max(Counter(utterance.speaker for utterance in utterances).values())
    return limit if limit < most else None
