"""Style of sentences: counts by hand, dictionaries in LIWC's format, and what is refused."""

import numpy as np
import pytest

from voiceprivacy.attack.extractors import style
from voiceprivacy.inout.files import BadInput

DICTIONARY = """%
1\tpronoun
2\tarticle
3\tverbs of seeing
%
i\t1
the\t2
look*\t3
lookout\t2 3
"""


def test_style_by_hand():
    """Six words: the twice, i once, uh; one sentence; five words; lantern is long."""
    dictionary = style.function_words()
    shares = dict(
        zip(
            style.names(dictionary),
            style.feature("Uh, I saw the the lantern.", dictionary),
            strict=True,
        )
    )
    assert shares["the"] == pytest.approx(2 / 6)
    assert shares["i"] == pytest.approx(1 / 6)
    assert (
        shares["disfluencies"]
        == shares["long words"]
        == shares["sentence ends"]
        == pytest.approx(1 / 6)
    )
    assert shares["new words"] == pytest.approx(5 / 6)
    assert shares["other words"] == pytest.approx(3 / 6)
    assert sum(shares[word] for word in style.FUNCTION_WORDS) == pytest.approx(3 / 6)


def test_a_dictionary_in_liwcs_format(tmp_path):
    (tmp_path / "d.dic").write_text(DICTIONARY)
    dictionary = style.read_dictionary(tmp_path / "d.dic")
    assert dictionary.categories == ("pronoun", "article", "verbs of seeing")
    shares = style.feature("I looked at THE lookout", dictionary)
    np.testing.assert_allclose(shares[:3], [1 / 5, 2 / 5, 2 / 5])
    assert shares[-1] == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i\t1\n", "between two lines of %"),
        ("%\none\tpronoun\n%\ni\t1\n", "d.dic:2: expected the number of a category"),
        ("%\n1\tpronoun\n%\ni\t7\n", "d.dic:4: 'i' has the unknown category 7"),
        ("%\n1\tpronoun\n%\ni\n", "d.dic:4: 'i' has no category"),
        ("%\n1\tverb\n%\nlike\t(02 134)1\n", "d.dic:4: 'like' has the unknown category 02"),
        ("%\n1\tverb\n%\nlike <of 1\n", "d.dic:4: not read: 'like <of 1'"),
        ("%\n1\tverb\n%\nkind of\t1\n", "phrases are not supported"),
        ("%\n1\tverb\n%\n(1) like\t1\n", "d.dic:4: not read"),
        ("%\n1\tpronoun\n%\n", "lists no word"),
    ],
)
def test_a_dictionary_that_is_none_is_refused(tmp_path, text, message):
    (tmp_path / "d.dic").write_text(text)
    with pytest.raises(BadInput, match=message):
        style.read_dictionary(tmp_path / "d.dic")


CONDITIONS = """%
1\tpronoun
2\taffect
3\tfiller
4\ttime
5\tcertainty
%
i\t1
like\t(01 4)2/3 4
kind\t<of>5/2
odd\t<thing>5
"""


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("i like", {"pronoun": 1, "affect": 1, "time": 1}),
        ("was like", {"filler": 1, "time": 1}),
        (
            "like like",
            {"filler": 1, "affect": 1, "time": 2},
        ),  # the second comes after a word of time
        ("kind of", {"certainty": 1}),
        ("kind", {"affect": 1}),
        ("kind off", {"affect": 1}),
        ("odd thing", {"certainty": 1}),
        ("odd", {}),
    ],
)
def test_conditions_on_neighbouring_words_by_hand(tmp_path, text, counts):
    (tmp_path / "d.dic").write_text(CONDITIONS)
    dictionary = style.read_dictionary(tmp_path / "d.dic")
    shares = dict(
        zip(
            dictionary.categories, style.feature(text, dictionary) * len(text.split()), strict=False
        )
    )
    assert {name: round(count) for name, count in shares.items() if count} == counts
