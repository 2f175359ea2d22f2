"""From a folder of speech and folders of protected versions of it to what a config needs: who, what, and what not."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.corpora.recordings import inspect
from voiceprivacy.inout.files import BadInput
from voiceprivacy.tools.file_names import (
    audio_files,
    guess_pattern,
    is_found_without_help,
    pair,
)

# Who can be evaluated: speakers with a gender (where genders are known) and with enough utterances.
#
# Conventions
# -----------
# ``left_out`` is {utterance: why} everywhere; what a function leaves out it adds there.

ENROLMENT_UTTERANCES = 3
KEPT_SPEAKERS = (
    0.9  # fewer utterances enrol where more than a tenth of the speakers would be lost otherwise
)


def by_gender(utterances, left_out, *, table=None):
    """Leave out speakers without a gender, where others have one.

    Parameters
    ----------
    utterances : list of Listed
    left_out : dict
    table : path, optional
        Where genders were said to stand.

    Returns
    -------
    list of Listed

    Raises
    ------
    BadInput : there is a table, and it has none of the speakers
    """
    known = [of for of in utterances if of.gender != "-"]
    if table and utterances and not known:
        raise BadInput(
            f"{table}: has none of the speakers, who are called such as '{utterances[0].speaker}'"
        )
    if not known:
        return utterances
    left_out |= {
        of.utterance: f"speaker '{of.speaker}' has no gender"
        for of in utterances
        if of.gender == "-"
    }
    return known


def with_enough(utterances, left_out):
    """Leave out speakers who have too few utterances to enrol and to be tried.

    Returns
    -------
    list of Listed, int : and how many utterances enrol a speaker: three, or fewer where that would lose many speakers
    """
    counts = Counter(of.speaker for of in utterances)
    possible = sum(count > 1 for count in counts.values())
    enrolled = ENROLMENT_UTTERANCES
    while (
        enrolled > 1
        and sum(count > enrolled for count in counts.values()) < KEPT_SPEAKERS * possible
    ):
        enrolled -= 1
    few = [of for of in utterances if counts[of.speaker] <= enrolled]
    left_out |= {
        of.utterance: f"speaker '{of.speaker}' has only {counts[of.speaker]}" for of in few
    }
    return [of for of in utterances if counts[of.speaker] > enrolled], enrolled


def in_lists(utterances, left_out):
    """The trial lists of utterances: by gender where that is known; a gender with one speaker only is left out.

    Returns
    -------
    list of Listed, list of str : and f, m, or mixed
    """
    speakers = {
        gender: {of.speaker for of in utterances if of.gender == gender} for gender in ("f", "m")
    }
    lists = [gender for gender, of in speakers.items() if len(of) > 1]
    if not lists:
        return utterances, ["mixed"]
    alone = [of for of in utterances if of.gender not in lists]
    left_out |= {
        of.utterance: f"speaker '{of.speaker}' is the only one of this gender" for of in alone
    }
    return [of for of in utterances if of.gender in lists], lists


SAMPLE_RATE = 16000  # of the attacker that is shipped
LENGTH_SHARE, LENGTH_S = (
    0.25,
    0.25,
)  # a protected file may differ by this much, as in the check after every anonymiser


class Protected(NamedTuple):
    """What one anonymiser made.

    ``files``: {utterance: path} of the utterances that are used; ``n_found``: of how many there is a file at all;
    ``plain``: whether the run finds these files in ``folder`` by itself; ``sample_rates``: in Hz.
    """

    folder: Path
    files: dict
    n_found: int
    plain: bool
    sample_rates: list


class NewRun(NamedTuple):
    """What was found.

    ``listed``: all utterances (Listed) that follow the pattern, of ``n_files`` audio files; ``utterances``: those that
    are used; ``left_out``: {utterance: why} for the others; ``seconds``: of the originals used; ``lists``: f and m,
    or mixed; ``protected``: {name: Protected}.
    """

    root: Path
    pattern: str
    speakers: Path | None
    n_files: int
    listed: list
    utterances: list
    left_out: dict
    seconds: float
    lists: list
    enrolment_utterances: int
    protected: dict


def examine(original, protected, *, pattern=None, speakers=None, threads=2):
    """Find out who speaks, which protected file belongs to which original, and what has to be left out.

    Parameters
    ----------
    original : path of a folder
    protected : dict {name: path of a folder}
    pattern : str, optional
        As in the corpus kind ``folder``; guessed without.
    speakers : path, optional
        TSV with the columns speaker and gender.
    threads : int
        Of reading headers.

    Returns
    -------
    NewRun

    Raises
    ------
    BadInput : a folder without audio, names that tell no speaker, two files for one utterance, fewer than two speakers
    """
    root, speakers = Path(original).absolute(), Path(speakers).absolute() if speakers else None
    paths = audio_files(root)
    pattern = pattern or guess_pattern(paths)
    listed = _listed(root, pattern, speakers)
    left_out = {}
    durations = _durations({of.utterance: of.audio for of in listed}, left_out, threads)
    found = {}
    for name, folder in protected.items():
        pairs = pair(listed, root, Path(folder).absolute())
        found[name] = pairs, _compare(name, pairs, durations, left_out, threads)
    usable = [of for of in listed if of.utterance not in left_out]
    usable = by_gender(usable, left_out, table=speakers)
    usable, enrolment_utterances = with_enough(usable, left_out)
    usable, lists = in_lists(usable, left_out)
    if len({of.speaker for of in usable}) < 2:
        raise BadInput(_too_few(root, pattern, len(listed), left_out))
    folders = {
        name: _protected(Path(protected[name]).absolute(), usable, *of)
        for name, of in found.items()
    }
    seconds = sum(durations[of.utterance] for of in usable)
    guessed = (root, pattern, speakers, len(paths), listed)
    return NewRun(*guessed, usable, left_out, seconds, lists, enrolment_utterances, folders)


def _listed(root, pattern, speakers):
    options = {"root": str(root), "pattern": pattern} | (
        {"speakers": str(speakers)} if speakers else {}
    )
    findings = Findings()
    listed = list_utterances({"folder": options}, findings)
    findings.refuse_errors()
    return listed


def _durations(paths, left_out, threads):
    """{utterance: seconds} of the originals that can be read; the others are left out."""
    durations = {}
    inspections = inspect(paths.values(), samples=False, threads=threads)
    for (utterance, path), found in zip(paths.items(), inspections, strict=True):
        if found.error:
            left_out[utterance] = f"{path}: {found.error}"
        else:
            durations[utterance] = found.header.duration_s
    return durations


def _compare(name, pairs, durations, left_out, threads):
    """Leave out utterances whose protected file is missing or unusable; {utterance: sample rate} of the others."""
    for utterance in durations.keys() - pairs.keys():
        left_out.setdefault(utterance, f"{name} has no protected version")
    pairs = {utterance: path for utterance, path in pairs.items() if utterance in durations}
    rates = {}
    inspections = inspect(pairs.values(), samples=False, threads=threads)
    for (utterance, path), found in zip(pairs.items(), inspections, strict=True):
        if what := found.error or _unlike(found.header, durations[utterance]):
            left_out.setdefault(utterance, f"{path}: {what}")
        else:
            rates[utterance] = found.header.sample_rate
    return rates


def _unlike(header, duration_s):
    if header.channels != 1:
        return f"has {header.channels} channels instead of one"
    if abs(header.duration_s - duration_s) > max(LENGTH_S, LENGTH_SHARE * duration_s):
        return f"lasts {header.duration_s:.2f} s, the original {duration_s:.2f} s"
    return None


def _protected(folder, usable, pairs, rates):
    files = {of.utterance: pairs[of.utterance] for of in usable}
    sample_rates = sorted({rates[utterance] for utterance in files})
    return Protected(
        folder, files, len(pairs), is_found_without_help(folder, usable, files), sample_rates
    )


def _too_few(root, pattern, n_listed, left_out):
    reasons = "; ".join(f"'{utterance}': {why}" for utterance, why in list(left_out.items())[:3])
    return (
        f"{root}: of {n_listed} utterances that look like {pattern} too few are left for two speakers"
        f"{f' (left out: {reasons})' if reasons else ''}; is the speaker read wrongly? --pattern says it"
    )
