"""One part of a corpus (enrolment, trial or train): which utterances belong to it, and their audio."""

from pathlib import Path

from voiceprivacy.corpora import checks, listing, protocol, recordings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.vocabulary import PARTS


def list_part(source, chosen_protocol, part, *, excluded=()):
    """List the utterances of a part.

    Parameters
    ----------
    source : dict
        {kind: options}, with pipes, limit and segments beside the kind (see listing.py)
    chosen_protocol : dict {protocol: options}
        Not needed for the part train, which holds all utterances.
    part : str
        enrolment, trial or train
    excluded : collection of str
        Utterances that are left out.

    Returns
    -------
    list of listing.Listed : ordered by id

    Raises
    ------
    BadInput : something is wrong with the corpus
    """
    findings = listing.Findings()
    utterances = listing.list_utterances(source, findings)
    if part == "train":
        (utterances,) = protocol.limited(source, utterances)
    else:
        parts = protocol.split(source, chosen_protocol, utterances, findings)
        utterances = dict(zip(PARTS, protocol.limited(source, *parts), strict=False))[part]
    findings.refuse_errors()
    utterances = checks.without(utterances, excluded)
    if not utterances:
        raise BadInput(f"the part {part} has no utterance")
    return utterances


def provide_audio(source, utterances, *, audio_dir, sample_rate, threads):
    """Make the audio of utterances available, mono and at the corpus's rate, and cut it where the source says so.

    Parameters
    ----------
    source : dict
    utterances : list of listing.Listed
    audio_dir : path
        Where audio goes that has to be made, converted or cut, as 16-bit FLAC.

    Yields
    ------
    list of tables.Utterance : an utterance, or its pieces, in the order of ``utterances``
    """
    kind, _ = listing.kind_of(source, "provide_audio")
    whole = kind.provide_audio(
        utterances, audio_dir=Path(audio_dir), sample_rate=sample_rate, threads=threads
    )
    if "segments" in source:
        return recordings.cut(whole, source["segments"], audio_dir=audio_dir, threads=threads)
    return ([utterance] for utterance in whole)


# Pseudo-speakers: in training, an attacker protects every utterance with a draw of its own.


def with_pseudo_speakers(utterances):
    """The utterances (list of Utterance), each with the speaker ``pseudo-<utterance>``; genders stay."""
    return [of._replace(speaker=f"pseudo-{of.utterance}"[:200]) for of in utterances]
