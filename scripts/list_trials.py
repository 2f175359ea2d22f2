"""Make or read one trial list of a corpus, checked against its manifests."""

import argparse
import json

from voiceprivacy.corpora import protocol
from voiceprivacy.corpora.checks import excludes
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest, write_enrolments, write_speakers, write_trials
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--source", required=True, type=json.loads, help='JSON {"kind": options}, as in the config'
    )
    parser.add_argument(
        "--protocol",
        required=True,
        type=json.loads,
        help='JSON {"protocol": options}, as in the config',
    )
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
    arguments = parser.parse_args()

    findings = Findings()
    manifests = read_manifest(arguments.enrolment), read_manifest(arguments.trial)
    less = arguments.source.keys() & {"limit", "segments"} or excludes(arguments.source)
    if (
        not less
    ):  # else the manifests are not all that a list may name, and validate_corpus has checked it
        protocol.check_list(arguments.protocol, arguments.trials, *manifests, findings)
    trials, enrolments = protocol.list_trials(
        arguments.source, arguments.protocol, arguments.trials, *manifests, findings
    )
    findings.refuse_errors()
    write_enrolments(arguments.output_enrolments, enrolments)
    write_trials(arguments.output_trials, trials)
    if arguments.output_speakers:
        write_speakers(arguments.output_speakers, speakers_of(trials, enrolments, *manifests))


def speakers_of(trials, enrolments, *manifests):
    speaker_of = {utterance.utterance: utterance.speaker for of in manifests for utterance in of}
    models = {enrolment: speaker_of[utterances[0]] for enrolment, utterances in enrolments.items()}
    tried = {trial.trial: speaker_of[trial.trial] for trial in trials}
    for name in models.keys() & tried.keys():
        if models[name] != tried[name]:
            raise BadInput(
                f"'{name}' is an enrolment of '{models[name]}' and an utterance of '{tried[name]}': rename one"
            )
    return models | tried


if __name__ == "__main__":
    run(main)
