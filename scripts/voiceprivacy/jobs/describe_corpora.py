"""The job describe_corpora."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.layout import Spoken
from voiceprivacy.report.described_corpora import (
    DescribedList,
    PartOfCorpus,
    describe_list,
    describe_speech,
)
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def describe_corpora(
    *,
    manifests: list[Path],
    trials: Sequence[Path] = (),
    speech: str,
    lists: str,
) -> None:
    """Describe corpora in two tables: speech by part, trials by list.

    Parameters
    ----------
    manifests : CORPUS/PART/original/manifest.tsv, all of one folder
    trials : CORPUS/TRIALS.tsv, enrolments beside them
    speech : TSV to write: corpus part women men of_unknown_gender utterances hours
        names_show
    lists : TSV to write: corpus trials women men of_unknown_gender trial_utterances target
        nontarget
    """
    folder = Spoken.of(manifests[0]).folder
    parts = [describe_speech(path) for path in manifests]
    described_lists = [
        describe_list(path, folder / path.parent.name / "enrolment" / "original" / "manifest.tsv")
        for path in trials
    ]
    write_typed(speech, PartOfCorpus, parts)
    write_typed(lists, DescribedList, described_lists)
    for part in parts:
        n_speakers = part.women + part.men + part.of_unknown_gender
        speakers = counted(n_speakers, "speaker")
        say(f"{part.corpus:<20}{part.part:<12}{speakers:>15}{part.hours:>9.2f} h")
    for row in described_lists:
        counts = f"{row.target:>9} target{row.nontarget:>11} nontarget trials"
        say(f"{row.corpus:<20}{row.trials:<12}{counts}")


if __name__ == "__main__":
    run(describe_corpora)
