"""Tables of persons: which utterances enrol whom, who speaks, and what is known of speakers.

A mistake in one raises BadInput with the file, the line and the reason.
"""

from collections.abc import Iterable, Mapping

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.ids import refuse_hidden_spaces
from voiceprivacy.inout.tables import read_rows, write_table

ENROLMENTS = ["enrolment", "utterance"]
SPEAKERS = ["id", "speaker"]
FACTS = ["speaker", "attribute", "value"]


def read_enrolments(path: FilePath) -> dict[str, list[str]]:
    """Read which utterances enrol whom (TSV: enrolment utterance): {enrolment: utterances}."""
    enrolments: dict[str, list[str]] = {}
    for line, row in read_rows(path, ENROLMENTS):
        if not row["enrolment"] or not row["utterance"]:
            raise BadInput(f"{path}:{line}: an enrolment or an utterance is empty")
        refuse_hidden_spaces(row, path, line)
        utterances = enrolments.setdefault(row["enrolment"], [])
        if row["utterance"] in utterances:
            raise BadInput(
                f"{path}:{line}: utterance '{row['utterance']}' enrols '{row['enrolment']}' twice"
            )
        utterances.append(row["utterance"])
    return enrolments


def write_enrolments(path: FilePath, enrolments: Mapping[str, Iterable[str]]) -> None:
    """Write {enrolment: utterances}."""
    rows: list[tuple[str, str]] = []
    for enrolment, utterances in enrolments.items():
        rows += [(enrolment, utterance) for utterance in utterances]
    write_table(path, ENROLMENTS, rows)


def read_speakers(path: FilePath) -> dict[str, str]:
    """Read who speaks (TSV: id speaker; ids of enrolments and of trials) as {id: speaker}."""
    speaker_of: dict[str, str] = {}
    for line, row in read_rows(path, SPEAKERS):
        if not row["id"] or not row["speaker"]:
            raise BadInput(f"{path}:{line}: an id or a speaker is empty")
        refuse_hidden_spaces(row, path, line)
        if speaker_of.setdefault(row["id"], row["speaker"]) != row["speaker"]:
            raise BadInput(f"{path}:{line}: '{row['id']}' has two speakers")
    return speaker_of


def write_speakers(path: FilePath, speaker_of: Mapping[str, str]) -> None:
    """Write {id: speaker}."""
    write_table(path, SPEAKERS, speaker_of.items())


def read_facts(path: FilePath) -> dict[str, dict[str, str]]:
    """Read what a corpus says of its speakers, such as ages: {attribute: {speaker: value}}."""
    facts: dict[str, dict[str, str]] = {}
    for line, row in read_rows(path, FACTS):
        values = facts.setdefault(row["attribute"], {})
        if values.setdefault(row["speaker"], row["value"]) != row["value"]:
            known = f"another {row['attribute']} in another line"
            raise BadInput(f"{path}:{line}: speaker '{row['speaker']}' has {known}")
    return facts


def write_facts(path: FilePath, facts: Mapping[str, Mapping[str, str]]) -> None:
    """Write {attribute: {speaker: value}}."""
    rows: list[tuple[str, str, str]] = []
    for attribute, values in facts.items():
        rows += [(speaker, attribute, value) for speaker, value in sorted(values.items())]
    write_table(path, FACTS, rows)
