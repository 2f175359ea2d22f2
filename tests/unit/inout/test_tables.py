"""The border: what is read is what was written; what is wrong is named with file and line."""

import os

import numpy as np
import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import enrolments, files, ids, manifests, scored_trials, trial_lists
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.score_tables import add_scores
from voiceprivacy.inout.scored_trials import ScoredTrials, read_scored_trials
from voiceprivacy.inout.trial_lists import Trial


def read_scores(path, *, key=None):
    """{label: scores}"""
    classes = read_scored_trials(path, key=key).classes
    return {label: scores.tolist() for label, scores in classes.items()}


def written(tmp_path, text, name="table.tsv"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def test_the_id_of_a_piece_leads_back_to_its_source():
    assert ids.piece_id("11-100-0000", 7) == "11-100-0000_seg007"
    for piece in ("11-100-0000_seg007", "11-100-0000_seg1007"):
        assert ids.source_of(piece) == "11-100-0000"
    assert ids.source_of("11-100_seg") == "11-100_seg"


@pytest.mark.parametrize("order", [[4, 2, 0, 1, 3], [1, 0, 2, 3, 4]])
def test_columns_may_be_in_any_order_below_a_header(tmp_path, order):
    def permuted(text, columns):
        lines = [line.split("\t") for line in text.splitlines()]
        return "".join("\t".join(line[index] for index in columns) + "\n" for line in lines)

    inside = Utterance("a-1", "a", "f", tmp_path / "wav" / "a-1.flac", 1.25)
    manifests.write_manifest(tmp_path / "manifest.tsv", [inside])
    written(tmp_path, permuted((tmp_path / "manifest.tsv").read_text(), order), "other.tsv")
    assert manifests.read_manifest(tmp_path / "other.tsv") == [inside]
    scored = [Trial("e", "t", "target"), Trial("e", "n", "nontarget")]
    scored_trials.write_scores(tmp_path / "scores.tsv", scored, [1.5, -2.0])
    of_scores = [index for index in order if index < 4]
    written(tmp_path, permuted((tmp_path / "scores.tsv").read_text(), of_scores), "s.tsv")
    expected = read_scored_trials(tmp_path / "scores.tsv").by_names()
    trials = written(tmp_path, "label\ttrial\tenrolment\ntarget\tt\te\nnontarget\tn\te\n")
    assert read_scored_trials(tmp_path / "s.tsv", key=trials).by_names() == expected
    wrong = written(tmp_path, "trial\tenrolment\tlabel\tscore\nt\te\tno\t1\n", "w.tsv")
    with pytest.raises(BadInput, match=r"w\.tsv:2: label 'no' is neither"):
        read_scored_trials(wrong)


@pytest.mark.parametrize("name", ["two\nlines", "a\ttab"])
def test_what_no_table_can_hold_is_refused_and_leaves_nothing(tmp_path, name):
    utterance = Utterance("a-1", "a", "f", tmp_path / ".." / name / "a.wav", 1.0)
    with pytest.raises(BadInput, match=r"m\.tsv: a tab or a line end"):
        manifests.write_manifest(tmp_path / "m.tsv", [utterance])
    assert list(tmp_path.iterdir()) == []


def test_an_utterance_with_two_transcripts_is_refused(tmp_path):
    path = written(tmp_path, "utterance\ttext\nu\tso it is\n")
    assert manifests.read_transcripts(path) == {"u": "so it is"}
    written(tmp_path, "utterance\ttext\nu\tso it is\nu\tno\n")
    with pytest.raises(BadInput, match=r"table\.tsv:3: utterance 'u' occurs twice"):
        manifests.read_transcripts(path)


def test_a_manifest_moves_with_the_speech_below_or_beside_it(tmp_path):
    part = tmp_path / "old" / "shards"
    own = Utterance("a-1", "a", "f", tmp_path / "old" / "wav" / "0" / "a-1.flac", 1.0)
    others = Utterance("b-1", "b", "f", tmp_path / "wav" / "b-1.flac", 1.0)
    manifests.write_manifest(part / "0.tsv", [own, others])
    manifests.write_manifest(tmp_path / "old" / "m.tsv", [own])
    assert "\t../wav/0/a-1.flac\t" in (part / "0.tsv").read_text()
    (tmp_path / "old").rename(tmp_path / "new")
    moved = manifests.read_manifest(tmp_path / "new" / "shards" / "0.tsv")
    assert moved == [own._replace(path=tmp_path / "new" / "wav" / "0" / "a-1.flac"), others]
    assert manifests.read_manifest(tmp_path / "new" / "m.tsv") == moved[:1]


def test_trials_enrolments_and_scores_in_full_precision_come_back_as_written(tmp_path):
    trials = [Trial("a", "a-1", "target"), Trial("b", "a-1", "nontarget")]
    enrolled = {"a": ["a-2", "a-3"], "b": ["b-1"]}
    trial_lists.write_trials(tmp_path / "t.tsv", trials)
    enrolments.write_enrolments(tmp_path / "e.tsv", enrolled)
    assert trial_lists.read_trials(tmp_path / "t.tsv") == trials
    assert enrolments.read_enrolments(tmp_path / "e.tsv") == enrolled
    labels = {"a": "target", "b": "nontarget", "c": "nontarget"}
    trials = [Trial(name, "a-1", label) for name, label in labels.items()]
    scored_trials.write_scores(tmp_path / "s.tsv", trials, np.array([1 / 3, -np.inf, 1e-300]))
    scores = {"target": [1 / 3], "nontarget": [-np.inf, 1e-300]}
    assert read_scores(tmp_path / "s.tsv") == scores


@pytest.mark.parametrize("score", ["1", "-0.25", "+3.5e-7"])
def test_kaldi_scores_without_a_key_are_told_from_a_broken_table(tmp_path, score):
    scores = written(tmp_path, f"a x {score}\n", "scores.txt")
    with pytest.raises(BadInput, match=r"scores.txt:1: .*Kaldi's kind, without labels"):
        read_scores(scores)
    with pytest.raises(BadInput, match=r"/trials.txt:1: expected the columns .*: 'a x target'$"):
        read_scores(written(tmp_path, "a x target\n", "trials.txt"))


def test_kaldi_scores_may_have_empty_lines_and_have_no_header(tmp_path):
    key = written(tmp_path, "a x target\na y nontarget\n", "key")
    scores = read_scores(written(tmp_path, "\na y 1\n\na x 2\n", "s"), key=key)
    assert scores == {"target": [2.0], "nontarget": [1.0]}
    for text in ("", "enrolment\ttrial\tscore\na\tx\t1\n"):
        with pytest.raises(BadInput, match="s:1: expected lines of enrolment trial score"):
            read_scores(written(tmp_path, text, "s"), key=key)


LISTED = [Trial("a", "x", "target"), Trial("a", "y", "nontarget"), Trial("b", "y", "target")]


def listed_scores(tmp_path, trials):
    """Scores of some trials, and the list of LISTED."""
    trial_lists.write_trials(tmp_path / "list.tsv", LISTED)
    scored_trials.write_scores(tmp_path / "op.tsv", trials, [float(n) for n in range(len(trials))])
    return tmp_path / "op.tsv", tmp_path / "list.tsv"


@pytest.mark.parametrize("trials", [LISTED, LISTED[::-1]])
def test_scores_of_a_list_are_read_in_any_order(tmp_path, trials):
    path, trial_list = listed_scores(tmp_path, trials)
    of_list = read_scored_trials(path, key=trial_list)
    assert of_list.by_names() == {trial[:2]: float(n) for n, trial in enumerate(trials)}
    assert {of_list.named(index) for index in range(3)} == {*LISTED}


@pytest.mark.parametrize(
    ("trials", "message"),
    [
        (LISTED[1:], r"op.tsv: no score for trial 'a x' of .*list.tsv:2"),
        ([*LISTED, Trial("b", "x", "nontarget")], r"op.tsv:5: trial 'b x' is not in .*list.tsv"),
        ([LISTED[0], Trial("a", "y", "target"), LISTED[2]], r"op.tsv:3: trial 'a y' is labelled"),
        ([*LISTED[1:], Trial("y", "b", "target")], r"op.tsv:4: trial 'y b' is not in .*list.tsv"),
    ],
)
def test_scores_of_other_trials_than_the_list_are_refused(tmp_path, trials, message):
    path, trial_list = listed_scores(tmp_path, trials)
    with pytest.raises(BadInput, match=message):
        read_scored_trials(path, key=trial_list)


def test_a_key_that_is_a_pipe_is_read_once(tmp_path):
    scores = written(tmp_path, "a x 1\nb y 2\n", "scores.txt")
    read_end, write_end = os.pipe()
    os.write(write_end, b"a x target\nb y nontarget\n")
    os.close(write_end)
    assert read_scores(scores, key=f"/dev/fd/{read_end}")["target"] == [1.0]
    os.close(read_end)


@pytest.mark.parametrize(
    "key",
    [
        "a x target\na y nontarget\nb y target\n",  # Kaldi
        "1 a x\n0 a y\n1 b y\n",  # VoxCeleb
        "a x tgt\na y imp\nb y tgt\n",  # VOiCES
        "a x 1\na y 0\nb y 1\n",
    ],
)
def test_keys_are_read_with_the_labels_and_in_the_order_of_others(tmp_path, key):
    path = written(tmp_path, key, "key.txt")
    assert trial_lists.read_trials(path) == LISTED
    scores = written(tmp_path, "a x 3\nb y 2\na y 1\n", "scores.txt")
    assert read_scores(scores, key=path)["target"] == [3, 2]
    scored_trials.write_scores(tmp_path / "s.tsv", LISTED, [3.0, 1.0, 2.0])
    assert read_scores(tmp_path / "s.tsv", key=path)["nontarget"] == [1]


def test_scores_without_a_header_are_those_of_others_and_ids_may_look_like_labels(tmp_path):
    scores = written(tmp_path, "a x 1 3\na y 0 1.5\nb y 1 2\n", "scores.txt")
    assert read_scores(scores)["target"] == [3, 2]
    trial_lists.write_trials(tmp_path / "list.tsv", LISTED)
    assert read_scores(scores, key=tmp_path / "list.tsv")["nontarget"] == [1.5]
    with pytest.raises(BadInput, match=r"b.txt:2: label '2' is neither"):
        read_scores(written(tmp_path, "a x 1 3\na y 2 1.5\n", "b.txt"))
    scores = written(tmp_path, "\na x 1 3\na y 0 1.5\nb y 1 2\n", "scores.txt")
    assert read_scores(scores, key=tmp_path / "list.tsv")["nontarget"] == [1.5]
    label_last = written(tmp_path, "a x 3 target\na y 1 nontarget\nb y 0 target\n", "scores.txt")
    assert read_scores(label_last)["target"] == [3, 0], "a score may look like a label"
    path = written(tmp_path, "1 0 target\n0 1 nontarget\n", "key.txt")
    assert trial_lists.read_trials(path) == [
        Trial("1", "0", "target"),
        Trial("0", "1", "nontarget"),
    ]


@pytest.mark.parametrize(
    ("trials", "enrolments", "said"),
    [
        ([("a", "a"), ("a", "b"), ("c", "c")], None, "2 trials compare a recording with itself"),
        ([("a", "a")], None, "1 trial compares a recording with itself, such as 'a a'"),
        ([("a", "x"), ("b", "x")], {"a": ["u", "x"], "b": ["v"]}, "such as 'a x'"),
        ([("a", "b")], None, None),
        ([("a", "a")], {"a": ["u"]}, None),
    ],
)
def test_trials_of_a_recording_with_itself_are_one_warning(trials, enrolments, said):
    scored = ScoredTrials.of((Trial(*pair, "target"), 0.5) for pair in trials)
    warning = scored_trials.warning_of_itself(scored, enrolments)
    assert (warning is None) == (said is None)
    assert not said or said in warning


@pytest.mark.parametrize("words", ["1 0", "True False", "tgt imp", "1.0 0.0", "Target Nontarget"])
def test_labels_have_the_same_words_below_a_header(tmp_path, words):
    target, nontarget = words.split()
    text = f"{HEADER}\na\tx\t{target}\t3\na\ty\t{nontarget}\t1\n"
    assert read_scores(written(tmp_path, text, "s.tsv")) == {"target": [3], "nontarget": [1]}


HEADER = "enrolment\ttrial\tlabel\tscore"
ROWS = [f"e{n % 3}\tt{n}\t{'target' if n % 4 else 'nontarget'}\t{np.sin(n)!s}" for n in range(40)]


@pytest.fixture(params=[1, 37, 100, 10**6])
def write(request, tmp_path, monkeypatch):
    """Write lines that are read in blocks of so many bytes."""
    monkeypatch.setattr(files, "BLOCK_OF_BYTES", request.param)

    def write(*lines, end="\n"):
        path = tmp_path / "s.tsv"
        path.write_bytes(end.join([*lines, ""]).encode())
        return path

    return write


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_give_what_the_whole_file_gives(write, end):
    scored = read_scored_trials(write(HEADER, *ROWS[:7], "", *ROWS[7:], end=end))
    fields = sorted((row.split("\t") for row in ROWS), key=lambda row: row[2] == "nontarget")
    assert scored.n_targets == [label for _, _, label, _ in fields].count("target")
    for index, (*trial, score) in enumerate(fields):
        assert scored.named(index) == tuple(trial)
        assert scored.scores[index] == float(score)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("e0\tt0\tnontarget\t1", "trial 'e0 t0' occurs twice"),
        ("e0\tx\ttarget", "expected 4 columns, found 3"),
        ("e0\tx\tno\t1", "label 'no' is neither"),
        ("e0\tx\ttarget\t1e999", "'1e999' is beyond double precision"),
        ("e0\tx\ttarget\t", "'' is not a number"),
        ("e0\tx \ttarget\t1", "'x ' has a space"),
        ("e0\tx\0\ttarget\t1", r"not text \(it holds a NUL byte"),
        ("e0\tx\ufeff\ttarget\t1", "a byte-order mark"),
    ],
)
def test_a_wrong_line_is_named_by_its_number_in_the_file(write, line, message):
    """There is an empty line before it."""
    with pytest.raises(BadInput, match=rf"s\.tsv:33: {message}"):
        read_scored_trials(write(HEADER, *ROWS[:20], "", *ROWS[20:30], line, *ROWS[30:]))


def test_infinite_scores_and_other_spellings_are_numbers(write):
    lines = ["a\tx\ttarget\tinf", "a\ty\tnontarget\t-inf", "b\tx\tnontarget\t1E5"]
    assert read_scored_trials(write(HEADER, *lines)).scores.tolist() == [np.inf, -np.inf, 1e5]
    lines = ["a\tx\ttarget\t+1.5", "a\ty\tnontarget\t-0.5"]
    assert read_scored_trials(write(HEADER, *lines)).scores.tolist() == [1.5, -0.5]


@pytest.mark.parametrize("form", ["{}", "{}.0", "{:b}"])
def test_two_columns_that_may_be_labels_are_not_guessed(write, form):
    """Scores that are decisions, and the label behind them, as WeSpeaker has it."""
    lines = [f"e{n} u{n} {form.format(n % 2)} {n % 3 // 2}" for n in range(6)]
    with pytest.raises(BadInput, match=r"s\.tsv:1: columns 3 and 4 may both be labels"):
        read_scored_trials(write(*lines))
    scores = [line.replace(" 0 ", " 0.25 ").replace(" 0.0 ", " 0.25 ") for line in lines]
    assert read_scored_trials(write(*scores)).n_targets == 2


def test_texts_in_quotes_are_read_where_the_header_is_in_quotes(tmp_path):
    """R's write.table and pandas' QUOTE_ALL quote; a quote of a text is its own elsewhere."""
    path = tmp_path / "said.tsv"
    path.write_text('"utterance"\t"text"\n"u1"\t"so ""he"" said"\n')
    assert manifests.read_transcripts(path) == {"u1": 'so "he" said'}
    path.write_text('utterance\ttext\nu1\t"no"\n')
    assert manifests.read_transcripts(path) == {"u1": '"no"'}
    for wrong in ("u2\nb", "x" * 200_000):
        path.write_text(f'"utterance"\t"text"\n"u1"\t"a"\n"u2"\t"{wrong}"\n')
        with pytest.raises(BadInput, match=r"said\.tsv:3: "):
            manifests.read_transcripts(path)


def test_scores_may_be_in_quotes_and_have_each_column_once(write, tmp_path):
    def quoted(text):
        return "\t".join(f'"{field}"' for field in text.split("\t"))

    plain = read_scored_trials(write(HEADER, *ROWS)).by_names()
    assert read_scored_trials(write(*map(quoted, (HEADER, *ROWS)))).by_names() == plain
    comma = [row.replace("\t", ",") for row in (HEADER, *ROWS)]
    path = write(*comma)
    key = tmp_path / "key.tsv"
    key.write_text("".join(f"{row.rpartition(',')[0]}\n" for row in comma))
    for given in (None, path, key):
        assert read_scored_trials(path, key=None if given is path else given).by_names() == plain
    comma[1] = f'"{comma[1].partition(",")[0]}",{comma[1].partition(",")[2]}'
    assert read_scored_trials(write(*comma)).by_names() == plain
    comma[2] += ",more"
    with pytest.raises(BadInput, match=r"s\.tsv:3: expected 4 columns, found 5"):
        read_scored_trials(write(*comma))
    long = f"system\tattacker\tcondition\tlist\t{HEADER}"
    rows = ["original\tx\too\tall\ta\tb\ttarget\t1", "original\tx\too\tall\ta\tc\ttarget\t2"]
    path, scores = write(*map(quoted, (long, *rows))), {}
    add_scores(path, {}, dict.fromkeys("abc", "s"), scores)
    assert scores == {"all": {"original": {("x", "oo"): {("a", "b"): 1, ("a", "c"): 2}}}}
    with pytest.raises(BadInput, match=r"s\.tsv:1: column 'score' occurs twice"):
        add_scores(write(f"{long}\tscore", f"{rows[0]}\t3"), {}, dict.fromkeys("ab", "s"), {})
