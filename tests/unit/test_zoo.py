"""What tests/nightly/zoo.py makes of a run: a table whose numbers nobody types, and a picture."""

import re

import numpy as np
import pytest
from nightly import conversions, zoo
from support import trees, utilities, verdicts

from voiceprivacy.attack.backends.recipes import read_recipe
from voiceprivacy.corpora import parts
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, read_npz, write_embeddings
from voiceprivacy.inout.ids import hashed_speaker
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import MANIFEST
from voiceprivacy.inout.tables import write_table
from voiceprivacy.plan.attackers import PACKAGE_DIMENSIONS
from voiceprivacy.report.utility_tables import Speed
from voiceprivacy.report.verdict_words import SHIPPED
from voiceprivacy.vocabulary import DASH, RESOURCES, SCRIPTS, SPEAKERS_LEARNT


@pytest.fixture
def results(tmp_path):
    write_json(tmp_path / zoo.VERDICT, verdicts.usual(zoo.CORPUS))
    rows = []
    for metric in zoo.MEASURES:
        rows += utilities.means(zoo.CORPUS, metric, utilities.WORDS_PERCENT)
    utilities.write(tmp_path / zoo.UTILITY, rows)
    speed = Speed(zoo.CORPUS, "b2", "cpu", 1.0, 1.0, 0.002, "-")
    write_table(tmp_path / zoo.SPEEDS, Speed._fields, [speed])
    return tmp_path


def test_what_pages_say_of_shipped_anonymisers_is_in_the_table():
    table = (SCRIPTS.parent / "docs" / "internals" / "measured.md").read_text(encoding="utf-8")
    for name, percent in SHIPPED.items():
        assert re.search(rf"^\| `{name}` \| [a-z ]+ \| {percent} \[", table, re.MULTILINE)


def test_a_row_has_what_the_files_of_the_run_say(results):
    table = zoo.table(results).splitlines()
    rows = {line.split(" | ")[0][2:]: line for line in table[2:]}
    words = "62 [58, 66] | 62.4 [58.4, 66.4] | 62.40 [58.40, 66.40]"
    assert rows["`b2`"] == f"| `b2` | not protected | 60 [51, 72] | 80 [69, 94] | {words} | 500 |"
    assert rows["`original`"].startswith("| `original` |  | 60 [51, 72] | 86 [75, 100] | 37 [33, ")
    assert rows["`broken`"].startswith(f"| `broken` | inconclusive | {DASH} | {DASH} | 50 ")
    assert list(rows) == [f"`{name}`" for name in ("original", "noise", "b2r", "b2", "broken")]


def test_the_page_keeps_what_stands_around_the_table(tmp_path):
    page = f"before\n{zoo.BEGIN}old\n{zoo.END}after\n"
    changed = zoo.with_table(page, "| new |\n", tmp_path)
    assert changed == f"before\n{zoo.BEGIN}\n| new |\n\n{zoo.END}after\n"
    assert zoo.with_table(changed, "| new |\n", tmp_path) == changed
    with pytest.raises(BadInput, match="lacks the marks"):
        zoo.with_table("before", "", tmp_path)


def test_a_run_of_another_config_is_refused(results):
    write_json(results / zoo.VERDICT, verdicts.usual())
    with pytest.raises(BadInput, match=r"is it of config/zoo\.yaml"):
        zoo.table(results)


def test_each_speaker_is_attacked_or_learnt_from_in_pieces_of_one_recording(tmp_path, monkeypatch):
    trees.librispeech(tmp_path / "speech", chapters=1, utterances=1, subset=zoo.SUBSET)
    monkeypatch.setattr(zoo, "LEARNT_OF_A_SEX", 1)
    monkeypatch.setattr(zoo, "LEAST_S", 0.03)  # recordings have 0.1 s
    zoo.write_pieces(tmp_path / "speech", tmp_path)
    speakers = {}
    for name in ("learnt", "attacked"):
        protocol = {"enrol_trial": {"enrolment_utterances": 1, "lists": ["mixed"]}}
        source = {"kaldi": str(tmp_path / name)}
        listed = [parts.list_part(source, protocol, part) for part in ("enrolment", "trial")]
        assert [len(own) for own in listed] == [2, 4], "three pieces of two speakers"
        speakers[name] = {one.speaker for one in listed[0]}
    assert speakers == {"learnt": {"11", "12"}, "attacked": {"13", "14"}}
    segments = (tmp_path / "learnt" / "segments").read_text().splitlines()
    ends = [line.split()[2:] for line in segments]
    assert ends[:3] == [["0.000", "0.033"], ["0.033", "0.067"], ["0.067", "0.100"]]


def test_a_back_end_learns_from_all_parts_and_systems_and_says_from_whom(tmp_path):
    draw = np.random.default_rng(0)
    for number, part in enumerate(conversions.PARTS):
        names = [f"{speaker}-1-{number:04d}" for speaker in range(20 * number, 20 * number + 20)]
        rows = [(name, name.partition("-")[0], "f", f"{name}.wav", 4.0) for name in names]
        write_table(tmp_path / "audio" / part / "original" / "manifest.tsv", MANIFEST, rows)
        for system in ("b2", "original"):
            own = Embeddings(names, draw.normal(size=(20, 3)))
            for extractor in conversions.EXTRACTORS:
                path = tmp_path / "embeddings" / part / system / f"{extractor}.npz"
                write_embeddings(path, own)
    systems, recipe, utterances = conversions.learnt(tmp_path, "campplus")
    assert systems == ["original", "b2"] and len(utterances) == 60
    conversions.write(tmp_path / "made.npz", recipe, utterances)
    kept = read_recipe(tmp_path / "made.npz")
    assert np.allclose(kept.plda.within, recipe.plda.within, rtol=1e-6)
    known = {*read_npz(tmp_path / "made.npz", [SPEAKERS_LEARNT])[SPEAKERS_LEARNT]}
    assert known == {hashed_speaker(f"{speaker}-5-0001") for speaker in range(60)}


@pytest.mark.parametrize("extractor", conversions.EXTRACTORS)
def test_the_back_ends_that_are_shipped_fit_their_extractors(extractor):
    path = RESOURCES / "conversions" / f"{extractor}.npz"
    assert read_recipe(path).dimensions == PACKAGE_DIMENSIONS[extractor]
    assert len({*read_npz(path, [SPEAKERS_LEARNT])[SPEAKERS_LEARNT]}) == 251
