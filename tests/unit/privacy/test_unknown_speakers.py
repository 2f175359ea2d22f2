"""Score files without a map of speakers: target trials say who speaks."""

from voiceprivacy.inout.scored_trials import ScoredTrials
from voiceprivacy.inout.tables import Trial
from voiceprivacy.privacy.scores.trials import inferred_speakers, trials_of_unknown


def labelled(*trials):
    return ScoredTrials.of((Trial(*trial), 0.5) for trial in trials)


def test_ids_that_target_trials_join_are_one_speaker():
    scored = labelled(("a", "u1", "target"), ("b", "u1", "target"), ("c", "u2", "nontarget"))
    assert inferred_speakers(scored) == {"a": "a", "b": "a", "u1": "a", "c": "c", "u2": "u2"}


def test_labels_that_contradict_each_other_give_no_trials(tmp_path, capsys):
    scored = labelled(("a", "u1", "target"), ("a", "u1", "nontarget"), ("b", "u2", "target"))
    assert trials_of_unknown(tmp_path / "pp.tsv", scored) is None
    assert (
        "pp.tsv: no curves of singling out and linkability without --speakers"
        in capsys.readouterr().err
    )
