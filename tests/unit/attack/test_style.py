"""What is said and in which style: by hand, dictionaries of LIWC, hashed words, and an encoder."""

import shutil
import string

import numpy as np
import pytest
import torch
import transformers
from support import neural
from support.calls import flags, succeeds
from support.sounds import recording

from voiceprivacy.attack.extractors import style, words
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.manifests import Utterance, read_manifest, write_manifest
from voiceprivacy.inout.tables import write_table

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
    feature = style.feature("Uh, I saw the the lantern.", dictionary)
    shares = dict(zip(style.names(dictionary), feature, strict=True))
    assert shares["the"] == pytest.approx(2 / 6)
    assert shares["i"] == pytest.approx(1 / 6)
    for name in ("disfluencies", "long words", "sentence ends"):
        assert shares[name] == pytest.approx(1 / 6)
    assert shares["new words"] == pytest.approx(5 / 6)
    assert shares["other words"] == pytest.approx(3 / 6)
    assert sum(shares[word] for word in style.FUNCTION_WORDS) == pytest.approx(3 / 6)


@pytest.fixture
def read(tmp_path):
    def read(text):
        (tmp_path / "d.dic").write_text(text)
        return style.read_dictionary(tmp_path / "d.dic")

    return read


def test_a_dictionary_in_liwcs_format(read):
    dictionary = read(DICTIONARY)
    assert dictionary.categories == ("pronoun", "article", "verbs of seeing")
    shares = style.feature("I looked at THE lookout", dictionary)
    np.testing.assert_allclose(shares[:3], [1 / 5, 2 / 5, 2 / 5])
    assert shares[-1] == pytest.approx(1 / 5)


@pytest.mark.parametrize("apostrophe", ["'", "\N{RIGHT SINGLE QUOTATION MARK}"])
def test_either_apostrophe_is_one_in_a_dictionary_too(read, apostrophe):
    dictionary = read(f"%\n1\tnegation\n2\tsure\n%\ndon{apostrophe}t\t<can{apostrophe}t>2/1\n")
    assert style.feature("don't go", dictionary)[0] == 1 / 2
    assert style.feature("don't can't", dictionary)[1] == 1 / 2


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
def test_a_dictionary_that_is_none_is_refused(read, text, message):
    with pytest.raises(BadInput, match=message):
        read(text)


CONDITIONS = (
    "%\n1\tpronoun\n2\taffect\n3\tfiller\n4\ttime\n5\tcertainty\n%\n"
    "i\t1\nlike\t(01 4)2/3 4\nkind\t<of>5/2\nodd\t<thing>5\n"
)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("i like", {"pronoun": 1, "affect": 1, "time": 1}),
        ("was like", {"filler": 1, "time": 1}),
        # The second comes after a word of time.
        ("like like", {"filler": 1, "affect": 1, "time": 2}),
        ("kind of", {"certainty": 1}),
        ("kind", {"affect": 1}),
        ("kind off", {"affect": 1}),
        ("odd thing", {"certainty": 1}),
        ("odd", {}),
    ],
)
def test_conditions_on_neighbouring_words_by_hand(read, text, counts):
    dictionary = read(CONDITIONS)
    feature = style.feature(text, dictionary) * len(text.split())
    shares = dict(zip(dictionary.categories, feature, strict=False))
    assert {name: round(count) for name, count in shares.items() if count} == counts


def utterance(name):
    return Utterance(name, "s", "f", "x.wav", 1.0)


def test_terms_by_hand():
    said = "Don\N{RIGHT SINGLE QUOTATION MARK}t go!"
    assert words.terms(said, left_out={"don't"}) == ["go", "<go", "<go>", "go>"]
    assert words.terms("THE the", left_out={"the"}) == []
    assert words.terms("ox")[0] == "ox"


def test_rare_words_weigh_more():
    """Three transcripts: log(4 / (1 + n)) + 1."""
    weight = words.frequency_weight({"a": "the ship", "b": "the sea", "c": "the the land"})
    assert weight("the") == pytest.approx(1)
    assert weight("ship") == pytest.approx(np.log(2) + 1)
    assert weight("never") == pytest.approx(np.log(4) + 1)
    with pytest.raises(BadInput, match="has no transcript"):
        words.frequency_weight({})


def test_who_says_the_same_is_alike_and_who_says_other_things_is_not():
    one = words.hashed("the captain sailed his ship")
    assert np.linalg.norm(one) == pytest.approx(1)
    assert one @ words.hashed("His ship sailed the captain?") == pytest.approx(1)
    assert one @ words.hashed("a ship with two captains") > 0.3
    assert abs(one @ words.hashed("a cottage near the forest")) < 0.1


def test_function_words_count_with_weights_only_and_as_rarely_as_they_are():
    assert not words.hashed("it was not what they were").any()
    assert words.hashed("the ship") @ words.hashed("whose ship is it") == pytest.approx(1)
    weight = words.frequency_weight({str(number): "the and of" for number in range(50)})
    assert 0 < words.hashed("the ship", weight) @ words.hashed("the forest", weight) < 0.2


def made_up(letters, generator):
    return " ".join("".join(generator.choice(list(letters), size=6)) for _ in range(60))


def test_what_falls_together_is_noise_without_a_bias():
    """Texts of other letters have no term in common: their mean cosine is about 0."""
    generator = np.random.default_rng(0)
    early = np.stack([words.hashed(made_up("abcdefghijklm", generator)) for _ in range(20)])
    late = np.stack([words.hashed(made_up("nopqrstuvwxyz", generator)) for _ in range(20)])
    assert abs((early @ late.T).mean()) < 0.03


def test_rows_are_in_the_order_of_the_manifest():
    said = {"a": "ship", "b": "forest"}
    embeddings = words.embed([utterance("b"), utterance("a")], said, words.hashed)
    assert embeddings.ids.tolist() == ["b", "a"]
    np.testing.assert_allclose(embeddings.embeddings[1], words.hashed("ship"), atol=1e-7)
    assert embeddings.embeddings.dtype == np.float32
    with pytest.raises(BadInput, match="utterance 'c' has no transcript"):
        words.embed([utterance("c")], {}, words.hashed)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A tiny random BERT in the layout of the hub."""
    folder = tmp_path_factory.mktemp("encoder")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase]
    vocabulary += [f"##{letter}" for letter in string.ascii_lowercase]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(str(folder))
    torch.manual_seed(0)
    sizes = {"vocab_size": len(vocabulary), "hidden_size": 8, "intermediate_size": 16}
    sizes |= {"num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 12}
    transformers.BertModel(transformers.BertConfig(**sizes)).save_pretrained(str(folder))
    return folder


def test_a_sentence_is_the_mean_of_the_last_layer_over_its_tokens(encoder):
    network = transformers.BertModel.from_pretrained(str(encoder)).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(encoder))
    with torch.inference_mode():
        expected = network(**tokenizer("a ship", return_tensors="pt")).last_hidden_state[0]
    vector = words.sentence_encoder(encoder)
    np.testing.assert_allclose(vector("A SHIP"), expected.mean(dim=0), rtol=1e-5)
    assert vector("a ship").shape == (8,)
    np.testing.assert_array_equal(vector("a " * 400), vector("a " * 500))  # cut where it ends


def test_a_folder_that_is_no_encoder_is_refused(encoder, tmp_path):
    with pytest.raises(BadInput, match="not found"):
        words.sentence_encoder(tmp_path / "no")
    (tmp_path / "config.json").write_text('{"model_type": "of my own"}')
    with pytest.raises(BadInput, match="is not a text encoder of the hub"):
        words.sentence_encoder(tmp_path)
    shutil.copytree(encoder, tmp_path / "t5")
    sizes = {"vocab_size": 57, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
    transformers.T5Model(transformers.T5Config(**sizes)).save_pretrained(str(tmp_path / "t5"))
    with pytest.raises(BadInput, match=r"not a text encoder of the hub .*max_position"):
        words.sentence_encoder(tmp_path / "t5")


def test_the_command_embeds_words_plain_weighted_and_by_an_encoder(tones, encoder, tmp_path):
    names = [utterance.utterance for utterance in read_manifest(tones)]
    rows = [(name, f"the ship {chr(97 + number) * 4}") for number, name in enumerate(names)]
    write_table(tmp_path / "said.tsv", ["utterance", "text"], rows)
    write_table(tmp_path / "others.tsv", ["utterance", "text"], [("x", "the ship"), ("y", "a")])
    weight = words.frequency_weight({"x": "the ship", "y": "a"})
    for options, expected in (
        ({}, words.hashed(rows[1][1])),
        ({"training_transcripts": tmp_path / "others.tsv"}, words.hashed(rows[1][1], weight)),
        ({"encoder": encoder}, words.sentence_encoder(encoder)(rows[1][1])),
    ):
        given = {"manifest": tones, "transcripts": tmp_path / "said.tsv", **options}
        given["embeddings"] = tmp_path / "e.npz"
        succeeds("extract_features", "--words", *flags(**given))
        ids, embeddings = read_embeddings(tmp_path / "e.npz")
        assert ids.tolist() == names
        np.testing.assert_allclose(embeddings[1], expected, rtol=1e-4, atol=1e-6)


def test_a_recogniser_hears_the_words_and_nothing_in_silence(tmp_path, monkeypatch):
    neural.install_recogniser(monkeypatch)
    model = neural.write_recogniser(tmp_path / "model")
    noise = recording(tmp_path, "noise", np.random.default_rng(0).normal(0, 0.1, 16000))
    write_manifest(tmp_path / "said.tsv", [noise, recording(tmp_path, "silence", [0.0])])
    given = {"manifest": tmp_path / "said.tsv", "recogniser": model}
    succeeds("extract_features", *flags(**given, embeddings=tmp_path / "e.npz"))
    _, embeddings = read_embeddings(tmp_path / "e.npz")
    np.testing.assert_allclose(embeddings[0], words.hashed("one two"), atol=1e-6)
    assert not embeddings[1].any()


def test_words_keep_the_marks_of_their_letters_in_either_form():
    said = "नमस्ते, दुनिया! cafe\N{COMBINING ACUTE ACCENT} l'été"
    assert style.words_in(said) == ["नमस्ते", "दुनिया", "café", "l'été"]
