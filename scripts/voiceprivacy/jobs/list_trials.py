"""Make or read one trial list of a corpus, checked against its manifests."""

import argparse

from voiceprivacy.corpora import parts
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.corpora.release import release_pairs
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    read_manifest,
    write_enrolments,
    write_speakers,
    write_trials,
)
from voiceprivacy.running.command import add_json, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--source", required=True, help='JSON {"kind": options}, as in the config')
    add_json(parser, "--protocol", required=True, help='JSON {"protocol": options}, likewise')
    parser.add_argument("--trials", required=True, help="name of the list, such as f")
    parser.add_argument("--enrolment", required=True, help="manifest of the part enrolment")
    parser.add_argument("--trial", required=True, help="manifest of the part trial")
    parser.add_argument(
        "--output-trials", required=True, help="TSV to write: enrolment trial label"
    )
    parser.add_argument(
        "--output-enrolments", required=True, help="TSV to write: enrolment utterance"
    )
    parser.add_argument(
        "--output-speakers", help="TSV to write: id speaker, of enrolments and trials"
    )
    parser.add_argument(
        "--output-release", help="TSV to write: pairs of trial utterances, scored under rr"
    )
    parser.add_argument(
        "--recording",
        metavar="PATTERN",
        help="under rr, pairs of one recording are left out: the first group in an utterance's id",
    )
    arguments = parser.parse_args()

    enrolment, trial = read_manifest(arguments.enrolment), read_manifest(arguments.trial)
    trials, enrolments = list_trials(arguments, enrolment, trial)
    write_enrolments(arguments.output_enrolments, enrolments)
    write_trials(arguments.output_trials, trials)
    if arguments.output_speakers:
        speakers = parts.speakers_of(trials, enrolments, [*enrolment, *trial])
        write_speakers(arguments.output_speakers, speakers)
    if arguments.output_release:
        spoken_by = {utterance.utterance: utterance.speaker for utterance in trial}
        pairs = release_pairs(trials, speakers=spoken_by, recording=arguments.recording)
        write_trials(arguments.output_release, pairs)


def list_trials(
    arguments: argparse.Namespace, enrolment: list[Utterance], trial: list[Utterance]
) -> tuple[list[Trial], dict[str, list[str]]]:
    """The trials and enrolments of the list, if nothing is wrong with it."""
    source, protocol, name = arguments.source, arguments.protocol, arguments.trials
    findings = Findings()
    # Else the manifests lack utterances that a list may name, and validate_corpus has checked it.
    if not source.keys() & {"limit", "segments"} and not parts.excludes(source):
        parts.check_list(protocol, name, enrolment, trial, findings)
    listed = parts.list_trials(source, protocol, name, enrolment, trial, findings)
    findings.refuse_errors()  # oddities stand in the checks of the corpus
    return listed


if __name__ == "__main__":
    run(main)
