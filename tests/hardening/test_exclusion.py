"""Utterances left out: of every part, list and condition alike, counted, never silently."""

import itertools
from pathlib import Path

import pytest
from support.calls import flags, succeeds
from support.spoilers import write
from support.trees import prepare_list

from voiceprivacy.corpora import checks
from voiceprivacy.inout import trial_lists
from voiceprivacy.inout.enrolments import read_enrolments
from voiceprivacy.inout.manifests import read_manifest

GIVEN = {"given": {"all": "data"}}
ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["mixed"]}}


def spoil(*names):
    for name in names:
        write("no audio")(Path("data", "wav", f"{name}.wav"))


def examine(protocol=GIVEN, **source):
    examined = checks.examine({"kaldi": "data", **source}, protocol, 16000)
    return examined, [str(error) for error in examined.findings.errors()]


def test_bad_audio_stops_by_default_or_is_named_and_counted(folder):
    spoil("anna-0", "carl-3")
    examined, errors = examine()
    bad = ["data/wav/anna-0.wav", "data/wav/carl-3.wav"]
    assert [error.partition(":")[0] for error in errors] == bad
    assert examined.excluded == {}
    examined, errors = examine(on_bad_audio="exclude")
    assert errors == []
    assert list(examined.excluded) == ["anna-0", "carl-3"]
    levels = [(finding.level, finding.file) for finding in examined.findings]
    assert levels[:2] == [("excluded", path) for path in bad]
    counted = "(1 of 8 of enrolment, 1 of 8 of trial)"
    assert any(counted in finding.what for finding in examined.findings)
    assert (examined.parts["enrolment"].utterances, examined.parts["trial"].utterances) == (7, 7)
    assert examined.lists == {"all": 28}


def test_every_part_and_list_loses_it_and_nothing_else_changes(folder):
    ids, trials, enrolments = make_lists(folder / "before", {"kaldi": "data"})
    of_carl = next(trial.trial for trial in trials if trial.trial.startswith("carl"))
    lost = {enrolments["anna"][0], of_carl}
    spoil(*lost)
    after = make_lists(folder / "after", {"kaldi": "data", "on_bad_audio": "exclude"})
    enrolments["anna"].pop(0)
    kept = [trial for trial in trials if trial.trial not in lost]
    assert after == (ids - lost, kept, enrolments)


def make_lists(out, source):
    """Run the three commands of the workflow: ids in both manifests, trials, enrolments."""
    excluded = out / "excluded.tsv"
    checked = {"source": source, "protocol": ENROL_TRIAL, "checks": out / "checks.tsv"}
    succeeds("validate_corpus", *flags(**checked, excluded=excluded))
    trials, enrolments = prepare_list(out, source, ENROL_TRIAL, "mixed", excluded=excluded)
    manifests = [out / f"{part}.tsv" for part in ("enrolment", "trial")]
    recordings = itertools.chain.from_iterable(map(read_manifest, manifests))
    ids = {recording.utterance for recording in recordings}
    return ids, trial_lists.read_trials(trials), read_enrolments(enrolments)


@pytest.mark.parametrize(
    ("names", "part"), [(("anna-0", "anna-1"), "enrolment"), (("anna-2", "anna-3"), "trial")]
)
def test_a_speaker_who_loses_all_utterances_of_a_part_is_an_error(folder, names, part):
    spoil(*names)
    _, errors = examine(on_bad_audio="exclude")
    lost = f"audio: speaker 'anna' loses all utterances of {part}"
    assert any(error.startswith(lost) for error in errors)


def test_utterances_and_whole_speakers_are_excluded_by_name(folder):
    assert examine(exclude=[f"anna-{number}" for number in range(4)])[1] == []
    spoil("anna-0")
    examined, errors = examine(exclude=["anna-0", "carl-0"])
    assert errors == []
    assert examined.excluded == dict.fromkeys(["anna-0", "carl-0"], "named in exclude")


def test_a_list_that_loses_all_targets_is_an_error(folder):
    trials = "anna anna-2 target\nanna berta-2 nontarget\nberta anna-3 nontarget\n"
    (folder / "data" / "trials").write_text(trials)
    spoil("anna-2")
    _, errors = examine(on_bad_audio="exclude")
    assert "trial list all: has no target trial" in errors


def test_a_training_corpus_is_read_whole_where_it_may_lose_utterances(folder):
    path = folder / "libri/dev/11/100/11-100-0000.flac"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + bytes(len(content) // 2))
    source = {"librispeech": {"root": "libri", "subsets": ["dev"]}, "on_bad_audio": "exclude"}
    examined = checks.examine(source, {}, 16000)
    assert list(examined.excluded) == ["11-100-0000"]
    assert examined.parts["train"].utterances == 3


def test_pieces_of_an_excluded_utterance_are_not_made(folder):
    spoil("anna-2")
    examined, errors = examine(segments={"seconds": 0.15}, on_bad_audio="exclude")
    assert errors == []
    assert examined.parts["trial"].utterances == 7 * 2
