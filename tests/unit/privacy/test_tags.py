"""Tags of one's own: a YAML table is taken at its word, and every mistake in it is named."""

import numpy as np
import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.scores.tags import read_tags
from voiceprivacy.privacy.scores.zebra import TABLE_1, assess, describe, tag, tag_of

TABLE_1_AS_YAML = """
"0": {from_log10: 0, meaning: "50 : 50 (flat posterior)"}
A: {above_log10: 0, meaning: "more disclosure than 50 : 50"}
B: {from_log10: 1, meaning: one wrong in 10 to 100}
C: {from_log10: 2, meaning: one wrong in 100 to 10 000}
D: {from_log10: 4, meaning: one wrong in 10 000 to 100 000}
E: {from_log10: 5, meaning: one wrong in 100 000 to 1 000 000}
F: {from_log10: 6, meaning: one wrong in at least 1 000 000}
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "tags.yaml"
        path.write_text(text)
        return path

    return write


def test_table_1_can_be_written_as_yaml(written):
    assert read_tags(written(TABLE_1_AS_YAML)) == TABLE_1


@pytest.mark.parametrize(
    ("expected", "worst_cases_log10"),
    [("none", (0, 0.5, 1, 1 + 1e-15)), ("some", (1.001,)), ("much", (3 - 1e-15, 9))],
)
def test_a_tag_begins_at_or_above_its_number(written, expected, worst_cases_log10):
    starts = {"none": "from_log10: 0", "some": "above_log10: 1", "much": "from_log10: 3"}
    lines = (f"{name}: {{{start}, meaning: -}}" for name, start in starts.items())
    tags = read_tags(written("\n".join(lines)))
    assert {tag_of(value, tags).name for value in worst_cases_log10} == {expected}


def test_scores_have_the_tag_that_one_s_own_table_says(written):
    tags = read_tags(written("any: {from_log10: 0, meaning: -}"))
    scores = {"target": np.array([1.0, 2.0]), "nontarget": np.array([0.0, -1.0])}
    metrics, _ = assess(**scores, tags=tags)
    assert metrics["tag"] == metrics["tag_ceiling"] == tag(**scores, tags=tags) == "any"


def test_what_a_tag_means_and_which_tags_a_list_can_show():
    few, _ = assess(target=np.array([3.0, 1]), nontarget=np.array([0.0, 2]))
    assert describe(few).startswith("tag A: more disclosure than 50 : 50 (")
    assert describe(few).endswith("A at most)")
    uneven, _ = assess(target=np.zeros(5), nontarget=np.zeros(995))
    assert describe(uneven).endswith("C at most, and shows A even if all scores are equal)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected lines like"),
        ("a: [", "not YAML"),
        ("a: {from_log10: 1, meaning: x}", "does not begin with from_log10: 0"),
        ("a: {from_log10: 0}", "tag 'a' needs meaning"),
        ("a: {from_log10: 0, above_log10: 0, meaning: x}", "tag 'a' needs meaning"),
        ("a: {from_log10: 0, meaning: x, colour: red}", "tag 'a' needs meaning"),
        ("a: {from_log10: zero, meaning: x}", "from_log10 is 'zero', not a number"),
        ("a: {from_log10: 0, meaning: x}\nb: {from_log10: .inf, meaning: x}", "not a number"),
        ("a: {from_log10: 0, meaning: x}\nb: {from_log10: 0, meaning: x}", "'b' .* than 'a'"),
    ],
)
def test_a_mistake_is_named(written, text, message):
    path = written(text)
    with pytest.raises(BadInput, match=message) as error:
        read_tags(path)
    assert str(error.value).startswith(str(path))
