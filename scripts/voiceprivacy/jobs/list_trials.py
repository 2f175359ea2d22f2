"""The job list_trials."""

from voiceprivacy.corpora import parts
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.corpora.release import release_pairs
from voiceprivacy.inout.enrolments import write_enrolments, write_speakers
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.trial_lists import write_trials
from voiceprivacy.running.adapter import run


def list_trials(
    *,
    source: dict,
    protocol: dict,
    trials: str,
    enrolment: str,
    trial: str,
    output_trials: str,
    output_enrolments: str,
    output_speakers: str,
    output_release: str | None = None,
    recording: str | None = None,
) -> None:
    """Make or read one trial list of a corpus, checked against its manifests.

    Parameters
    ----------
    source : JSON {"kind": options}, as in the config
    protocol : JSON {"protocol": options}, likewise
    trials : name of the list, such as f
    enrolment : manifest of the part enrolment
    trial : manifest of the part trial
    output_trials : TSV to write: enrolment trial label
    output_enrolments : TSV to write: enrolment utterance
    output_speakers : TSV to write: id speaker, of enrolments and trials
    output_release : TSV to write: pairs of trial utterances, scored under rr
    recording : PATTERN: under rr, pairs of one recording are left out: the first group in an
        utterance's id
    """
    enrolled, tried = read_manifest(enrolment), read_manifest(trial)
    findings = Findings()
    # Else the manifests lack utterances that a list may name, and validate_corpus has checked it.
    if not source.keys() & {"limit", "segments"} and not parts.excludes(source):
        parts.check_list(protocol, trials, enrolled, tried, findings)
    listed, enrolments = parts.list_trials(source, protocol, trials, enrolled, tried, findings)
    findings.refuse_errors()  # oddities stand in the checks of the corpus
    write_enrolments(output_enrolments, enrolments)
    write_trials(output_trials, listed)
    write_speakers(output_speakers, parts.speakers_of(listed, enrolments, [*enrolled, *tried]))
    if output_release:
        spoken_by = {utterance.utterance: utterance.speaker for utterance in tried}
        pairs = release_pairs(listed, speakers=spoken_by, recording=recording)
        write_trials(output_release, pairs)


if __name__ == "__main__":
    run(list_trials)
