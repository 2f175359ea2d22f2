"""The parts of a corpus (enrolment, trial, train): who belongs to them, and what is tried in them.

Conventions
-----------
A protocol is the module of that name in ``protocols``. It has the functions

* ``list_names(options)``: the names of its trial lists;
* ``split(source, options, utterances, findings)``: the ids that enrol, and those that are tried;
* ``list_trials(source, options, name, enrolment, trial, findings)``: one trial list;
* ``check_list(options, name, enrolment, trial, findings)``, where people write the lists.

The functions here of the same names call them. ``source`` is as listing.py has it, ``protocol`` is
{name: options}, as in the config.

Utterances may be left out of everything: those that the config names in ``exclude`` and, with
``on_bad_audio: exclude``, those whose audio is missing, broken, empty or not finite. An excluded
utterance enrols nobody, is tried by nobody, trains nothing and is given to no anonymiser. Every
condition and every trial list loses it alike. The split into enrolment and trial is made before,
so that all others stay what they are.

An anonymiser that fails on an utterance always stops the run: it has not protected it, and leaving
the hard ones out would flatter it. Who wants to go on without such an utterance names it in
``exclude``, and loses it for every system.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from voiceprivacy import seeds
from voiceprivacy.corpora.listing import (
    Findings,
    Listed,
    Protocol,
    Source,
    kind_of,
    list_utterances,
    protocol_of,
)
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.ids import MOST_BYTES
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.tables import read_rows, write_table
from voiceprivacy.inout.trial_lists import Trial

EXCLUDED = ["utterance", "why"]
FEW_SPEAKERS = 10

Parts = tuple[list[Listed], ...]
Enrolments = dict[str, list[str]]  # {enrolment: [utterance, ...]}


def list_part(
    source: Source, protocol: Protocol, part: str, *, excluded: Collection[str] = ()
) -> list[Listed]:
    """List the utterances of a part, ordered by id.

    Parameters
    ----------
    source : dict
    protocol : dict
        Not needed for the part train, which holds all utterances.
    part : str
        enrolment, trial or train
    excluded : collection of str
        Utterances that are left out.

    Raises
    ------
    BadInput : something is wrong with the corpus
    """
    findings = Findings()
    utterances = list_utterances(source, findings)
    if part == "train":
        (chosen,) = limited(source, utterances)
    else:
        # Split before limited: a smaller limit takes utterances away and moves none.
        whole = split(source, protocol, utterances, findings)
        enrolment, trial = limited(source, *whole)
        chosen = enrolment if part == "enrolment" else trial
    findings.refuse_errors()
    chosen = without(chosen, excluded)
    if not chosen:
        raise BadInput(f"the part {part} has no utterance")
    return chosen


def split(
    source: Source, protocol: Protocol, utterances: Sequence[Listed], findings: Findings
) -> Parts:
    """Choose the utterances that enrol and those that are tried.

    Returns
    -------
    list of Listed, list of Listed : enrolment and trial, in the order of ``utterances``; all of
        them, whatever the limit of the source is (see ``limited``)
    """
    module, options = protocol_of(protocol)
    enrolled, tried = module.split(source, options, utterances, findings)
    enrolment = [utterance for utterance in utterances if utterance.utterance in enrolled]
    trial = [utterance for utterance in utterances if utterance.utterance in tried]
    return enrolment, trial


def limited(source: Source, *parts: list[Listed]) -> Parts:
    """Restrict parts to the limit of their source: the same speakers in each, from the first."""
    limits = source.get("limit")
    if not limits:
        return parts
    first = next((part for part in parts if part), [])  # nobody enrols where nobody is attacked
    speakers = speakers_within(first, limits.get("speakers"))
    count = limits.get("utterances")
    return tuple(restrict(part, speakers=speakers, count=count) for part in parts)


def speakers_within(utterances: Iterable[Listed], count: int | None) -> set[str]:
    """Choose speakers in an order drawn from their ids, women and men taking turns.

    Parameters
    ----------
    utterances : list of Listed
    count : int or None
        None chooses all; a larger number keeps what a smaller one chose.
    """
    speakers_of: dict[str, set[str]] = {}
    for utterance in utterances:
        speakers_of.setdefault(utterance.gender, set()).add(utterance.speaker)
    turns = []  # the first woman, the first man, the second woman and so on
    for gender, speakers in speakers_of.items():
        drawn = sorted(speakers, key=_draw)
        turns += [(turn, gender, speaker) for turn, speaker in enumerate(drawn)]
    return {speaker for _, _, speaker in sorted(turns)[:count]}


def restrict(
    utterances: Sequence[Listed], *, speakers: Collection[str], count: int | None
) -> list[Listed]:
    """Keep the utterances of these speakers, at most ``count`` (None: all) of each.

    Which ones is drawn from their ids; they stay in the order of ``utterances``.
    """
    names_of: dict[str, list[str]] = {}
    for utterance in utterances:
        if utterance.speaker in speakers:
            names_of.setdefault(utterance.speaker, []).append(utterance.utterance)
    kept: set[str] = set()
    for names in names_of.values():  # drawn: the first ids may all be of one session
        kept.update(sorted(names, key=_draw)[:count])
    return [utterance for utterance in utterances if utterance.utterance in kept]


def _draw(name):
    return seeds.derive(0, "limit", name), name


def excludes(source: Source) -> bool:
    """Whether utterances of a source may be missing in its manifests."""
    return "exclude" in source or source.get("on_bad_audio") == "exclude"


def without(utterances: Iterable[Listed], excluded: Collection[str]) -> list[Listed]:
    """The utterances that are not excluded, in their order."""
    names = {*map(composed, excluded)}
    return [utterance for utterance in utterances if utterance.utterance not in names]


def read_excluded(path: Path | str) -> dict[str, str]:
    """Read what validate_corpus excluded: {utterance: why}."""
    return {row["utterance"]: row["why"] for _, row in read_rows(path, EXCLUDED)}


def write_excluded(path: Path | str, excluded: dict[str, str]) -> None:
    """Write {utterance: why}."""
    write_table(path, EXCLUDED, excluded.items())


def list_names(protocol: Protocol) -> list[str]:
    """Names of the trial lists of a protocol."""
    module, options = protocol_of(protocol)
    return list(module.list_names(options))


def check_list(
    protocol: Protocol,
    name: str,
    enrolment: Sequence[Any],
    trial: Sequence[Any],
    findings: Findings,
) -> None:
    """Check one list that people wrote against all enrolment and trial utterances."""
    module, options = _protocol_with(name, protocol)
    if hasattr(module, "check_list"):
        module.check_list(options, name, enrolment, trial, findings)


def _protocol_with(name: str, protocol: Protocol) -> tuple[ModuleType, Any]:
    """The module of a protocol that has a list of this name, and its options."""
    module, options = protocol_of(protocol)
    if name not in module.list_names(options):
        raise BadInput(f"there is no trial list '{name}' in {protocol}")
    return module, options


def list_trials(
    source: Source,
    protocol: Protocol,
    name: str,
    enrolment: Sequence[Any],
    trial: Sequence[Any],
    findings: Findings,
) -> tuple[Collection[Trial], Enrolments]:
    """Make or read one trial list.

    Parameters
    ----------
    source, protocol : dict
    name : str
        One of list_names.
    enrolment, trial : list of utterances (manifests.Utterance or Listed)
    findings : Findings
        Gets what is wrong or unusual.
    """
    module, options = _protocol_with(name, protocol)
    trials, enrolments = module.list_trials(source, options, name, enrolment, trial, findings)
    for label in ("target", "nontarget"):
        if not any(listed.label == label for listed in trials):
            findings.error(f"trial list {name}", "-", f"has no {label} trial")
    _note_speakers(name, enrolments, enrolment, findings)
    return trials, enrolments


def _note_speakers(name, enrolments, utterances, findings):
    """Note a list of few speakers, and one of women and men that is not meant to be mixed."""
    listed = f"trial list {name}"
    known = {utterance.utterance: utterance for utterance in utterances}
    models = [known[names[0]] for names in enrolments.values()]  # one utterance says who it is
    speakers = {model.speaker for model in models}
    if len(speakers) < FEW_SPEAKERS:
        few = counted(len(speakers), "speaker")
        message = f"has {few}: with fewer than {FEW_SPEAKERS} numbers are rough"
        findings.oddity(listed, "-", message)
    if {"f", "m"} <= {model.gender for model in models} and "mixed" not in name:
        higher = "DeID and identification rates are higher than in lists of one gender"
        findings.oddity(listed, "-", f"holds women and men: {higher}")


def speakers_of(
    trials: Iterable[Trial], enrolments: Enrolments, utterances: Iterable[Utterance]
) -> dict[str, str]:
    """Who speaks in the enrolments and trial utterances of a list: {id: speaker}.

    Raises
    ------
    BadInput : an id is an enrolment of one speaker and an utterance of another
    """
    speaker_of = {utterance.utterance: utterance.speaker for utterance in utterances}
    models = {enrolment: speaker_of[names[0]] for enrolment, names in enrolments.items()}
    tried = {trial.trial: speaker_of[trial.trial] for trial in trials}
    for name, speaker in models.items():
        if tried.get(name, speaker) != speaker:
            both = f"an enrolment of '{speaker}' and an utterance of '{tried[name]}'"
            raise BadInput(f"'{name}' is {both}: rename one")
    return models | tried


def positions_of(source: Source, part: str, listed: Sequence[Listed]) -> dict[str, int]:
    """Which utterance of its data directory each one is, from 0: {utterance: position}.

    What no such directory lists is counted in the part: another kind of corpus, and windows.
    """
    kind, options = kind_of(source)
    positions = {line.utterance: position for position, line in enumerate(listed)}
    if hasattr(kind, "positions_of_part"):
        positions |= kind.positions_of_part(options, part)
    return positions


def with_pseudo_speakers(utterances: Iterable[Utterance]) -> list[Utterance]:
    """The utterances, each with the speaker ``pseudo-<utterance>``; genders stay.

    So an attacker who trains on protected speech protects every utterance with a draw of its own.
    Where such an id is too long, it has a digest of the utterance's.
    """
    speakers = []
    for utterance in utterances:
        own = f"pseudo-{utterance.utterance}"
        if len(own.encode()) > MOST_BYTES:
            own = f"pseudo-{sha256(utterance.utterance.encode())}"
        speakers.append(utterance._replace(speaker=own))
    return speakers
