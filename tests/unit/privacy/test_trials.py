"""Scored trials: who speaks, how they are numbered, and what is odd in their scores."""

from functools import partial

import numpy as np
import pytest
from support.speakers import arranged, sample_of, weigh

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.scored_trials import ScoredTrials, write_scores
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.jobs.plot import draw_scores
from voiceprivacy.privacy.scores.assessment import assess
from voiceprivacy.privacy.scores.samples import by_class, n_speakers, whole_sample
from voiceprivacy.privacy.scores.score_files import (
    ids_of,
    inferred_speakers,
    read_checked,
    read_score_file,
    trials_of_unknown,
)
from voiceprivacy.privacy.uncertainty.interval_files import Draws


def labelled(*trials):
    return ScoredTrials.of((Trial(*trial), 0.5) for trial in trials)


def write_list(path, target, nontarget):
    """Write scored trials of a0, a1, ... with b0, b1, ..."""
    labels = ["target"] * len(target) + ["nontarget"] * len(nontarget)
    scores = [*target, *nontarget]
    listed = [Trial(f"a{index}", f"b{index}", label) for index, label in enumerate(labels)]
    write_scores(path, listed, scores)


def test_ids_that_target_trials_join_are_one_speaker():
    joined = [("b", "u1"), ("a", "u1"), ("d", "u3"), ("b", "u4"), ("d", "u4")]
    scored = labelled(*((*pair, "target") for pair in joined), ("c", "u2", "nontarget"))
    of_a = dict.fromkeys(["a", "b", "d", "u1", "u3", "u4"], "a")
    assert inferred_speakers(scored) == of_a | {"c": "c", "u2": "u2"}


def test_labels_that_contradict_each_other_give_no_trials(tmp_path, capsys):
    scored = labelled(("a", "u1", "target"), ("a", "u1", "nontarget"), ("b", "u2", "target"))
    assert trials_of_unknown(tmp_path / "pp.tsv", scored) is None
    assert "pp.tsv: no curves of singling out" in capsys.readouterr().err
    scored = labelled(("a", "u1", "target"), ("b", "u1", "nontarget"), ("b", "u2", "target"))
    trials = trials_of_unknown(tmp_path / "pp.tsv", scored)
    assert trials.speakers.tolist() == ["a", "b"]
    assert n_speakers(trials) == 2


def test_ids_are_numbered_in_the_order_of_the_file_and_listed_in_that_of_scores():
    rows = [("u2", "u1", "target", 3), ("u3", "u2", "target", 1), ("u1", "u3", "nontarget", 2)]
    scored = ScoredTrials.of((Trial(*names), score) for *names, score in rows)
    assert [side.tolist() for side in ids_of(scored)] == [[1, 2, 0], [1, 2, 0]]
    # Where both sides are utterances: u2 is 0, u3 is 1, u1 is 2.
    assert [side.tolist() for side in ids_of(scored, alike=True)] == [[1, 2, 0], [0, 1, 2]]


@pytest.mark.parametrize(
    ("target", "nontarget", "warning"),
    [
        ([-2, -3], [1, 2], "0 % of the targets score above"),
        ([3, 0, 0, 0, 0, 0], [1, 1], "17 % of the targets score above"),
        ([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1], "0 % of the targets score above"),  # equal: half
        ([3, 2], [np.inf, 1, 2], "the score of nontarget 'a2 b2' is infinite on the wrong side"),
        ([-np.inf, 2], [1, 0], "the score of target 'a0 b0' is infinite on the wrong side"),
        ([-np.inf, 2, 4], [np.inf, 0, 1], "of nontarget 'a3 b3' and 1 more is infinite"),
        ([3, 0, 0, 0, 0], [1, 1], ""),  # one in five is above
        ([np.inf, 2], [-np.inf, 0], ""),
    ],
)
def test_scores_that_are_the_wrong_way_round_or_infinite_are_a_warning(
    target, nontarget, warning, capsys, tmp_path
):
    path = tmp_path / "s.tsv"
    write_list(path, target, nontarget)
    read_checked(path)
    said = capsys.readouterr().err
    assert said.count("\n") == bool(warning)
    assert said.startswith(f"warning: {path}: " * bool(warning)) and warning in said


def test_scores_of_a_recording_with_itself_are_a_warning(tmp_path, capsys):
    path = tmp_path / "s.txt"
    path.write_text("a a 1 9\nb b 1 8\na c 1 2\na b 0 1\nb c 0 0\n")
    read_checked(path)
    said = capsys.readouterr().err
    assert f"warning: {path}: 2 trials compare a recording with itself, such as" in said


@pytest.mark.parametrize("factor", [1e200, -1e200, 1e-200])
def test_scores_beyond_what_can_be_counted_with_are_refused(tmp_path, factor):
    """By the commands of people, by the one that a run calls, and by pictures of scores."""
    scores = factor * np.arange(1, 10)
    write_list(tmp_path / "s.tsv", scores[:3], scores[3:])
    assess_as_a_run = partial(assess, "op", draws=Draws(0, 0))
    picture = partial(draw_scores, picture="det", label=None, trials=None)
    for read in (read_score_file, assess_as_a_run, lambda path: picture(scores=[path])):
        with pytest.raises(BadInput, match=r"s.tsv: its scores lie between"):
            read(tmp_path / "s.tsv")


@pytest.mark.parametrize(
    "scores", [(1e150, 0.0), (1e-150, 0.0), (7.0, 7.0), (np.inf, -np.inf), (0.0, 1.0)]
)
def test_the_largest_the_smallest_equal_and_infinite_scores_are_read(tmp_path, scores, capsys):
    write_list(tmp_path / "s.tsv", scores[:1], scores[1:])
    read = read_score_file(tmp_path / "s.tsv")
    assert [float(own[0]) for own in read.scores.values()] == list(scores)
    assert read.trials is None
    said = capsys.readouterr().err
    assert (f"warning: {tmp_path / 's.tsv'}: " in said) == (scores[0] < scores[1])


def test_a_file_of_kaldi_is_read_with_its_key_and_the_speakers_of_a_map(tmp_path):
    for name, lines in {
        "scores.txt": ["a u2 1", "a u1 3"],
        "key.txt": ["a u1 target", "a u2 nontarget"],
        "speakers.tsv": ["id\tspeaker", "a\tanna", "u1\tanna", "u2\tbert"],
    }.items():
        (tmp_path / name).write_text("\n".join([*lines, ""]))
    options = {"key": tmp_path / "key.txt", "speaker_map": tmp_path / "speakers.tsv"}
    read = read_score_file(tmp_path / "scores.txt", **options)
    assert (read.scores["target"].tolist(), read.scores["nontarget"].tolist()) == ([3], [1])
    assert read.trials.speakers.tolist() == ["anna", "bert"]
    columns = [column.tolist() for column in read.trials[1:]]
    assert columns == [[1, 3], [False, True], [0, 0], [1, 0]]
    (tmp_path / "speakers.tsv").write_text("id\tspeaker\na\tanna\nu1\tcarl\nu2\tbert\n")
    with pytest.raises(BadInput, match=r"scores.txt: trial 'a u1' is labelled target, but"):
        read_score_file(tmp_path / "scores.txt", **options)


def test_a_class_without_trials_has_no_sample():
    trials = arranged(1, n_speakers=3)
    assert weigh(trials, trials.target.astype(int)) is None
    assert weigh(trials, (~trials.target).astype(int)) is None
    speakers, *columns = trials
    targets = type(trials)(speakers, *(column[trials.target] for column in columns))
    with pytest.raises(ValueError, match="all trials are targets, or all are nontargets"):
        whole_sample(by_class(targets))


def test_the_single_scores_of_some_ties_are_those_that_are_drawn():
    """Groups: -2 and -1 of nontargets, 0 of both, 1 to 3 of targets; the target 2 is not drawn."""
    counts = {"target_counts": [1, 1, 0, 1, 2], "nontarget_counts": [2, 1, 1]}
    sample = sample_of([0, 1, 2, 3, 3], [0, -1, -2], **counts, every_score=False)
    assert sample.ties.scores.tolist() == [-2, 0, 1]
    for limits, expected in {
        (0, 0): [[-2, -1], [0, 0], [1, 1]],
        (0, 1): [[-2, -1, 0], [0, 0, 1], [1, 1, 2]],
        (1, 2): [[0, 1, 3], [1, 1, 3], [2, 0, 0]],
    }.items():
        assert [column.tolist() for column in sample.single(*limits)] == expected
