"""One part of a corpus (enrolment, trial or train): which utterances belong to it, and their audio."""

from voiceprivacy.corpora import listing, protocol
from voiceprivacy.files import BadInput

PARTS = ["enrolment", "trial", "train"]


def list_part(source, chosen_protocol, part):
    """List the utterances of a part.

    Parameters
    ----------
    source : dict {kind: options}
    chosen_protocol : dict {protocol: options}
        Not needed for the part train, which holds all utterances.
    part : str
        enrolment, trial or train

    Returns
    -------
    list of listing.Listed : ordered by id

    Raises
    ------
    BadInput : something is wrong with the corpus
    """
    findings = listing.Findings()
    utterances = listing.list_utterances(source, findings)
    if part != "train":
        enrolment, trial = protocol.split(source, chosen_protocol, utterances, findings)
        utterances = {"enrolment": enrolment, "trial": trial}[part]
    findings.refuse_errors()
    if not utterances:
        raise BadInput(f"the part {part} has no utterance")
    return utterances


def provide_audio(source, utterances, *, audio_dir, sample_rate, threads):
    """Make the audio of utterances available, mono and at the corpus's rate.

    Parameters
    ----------
    source : dict {kind: options}
    utterances : list of listing.Listed
    audio_dir : path
        Where audio goes that has to be made or converted, as 16-bit FLAC.

    Yields
    ------
    tables.Utterance : in the order of ``utterances``
    """
    kind, _ = listing.kind_of(source, "provide_audio")
    return kind.provide_audio(utterances, audio_dir=audio_dir, sample_rate=sample_rate, threads=threads)
