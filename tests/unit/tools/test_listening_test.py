"""A listening test: balanced, the same for a seed, and pages that give nothing away."""

import base64
import io
import json
import re
from collections import Counter

import numpy as np
import pytest
import soundfile
from support import listening
from support.calls import call, flags, succeeds

from voiceprivacy.inout.files import BadInput
from voiceprivacy.tools.listening_page import levelled, noisy, write_test
from voiceprivacy.tools.listening_test import (
    N_CONTROLS,
    SIGNS,
    Deck,
    Wanted,
    check_sign,
    draw_test,
    name_of,
    read_speech,
)

SECRETS = re.compile(
    r"person\d|spoke\d|tiny|loud\b|muffled|original\b|(?<!event\.)target|nontarget|control\b|anchor|"
    r"hidden (original|reference)|"
    r"\bop\b|\bpp\b|\boo\b|results",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return listening.write_run(tmp_path_factory.mktemp("run") / "results")


def drawn(results, **how):
    wanted = Wanted(results, "tiny", **{"kind": "pairs", "number": 8} | how)
    return draw_test(wanted, read_speech(wanted))


def of_pairs(test, page=1):
    return [item for item in test.items if item.page == page and item.role == "pair"]


# Balance.


def test_every_system_and_condition_has_as_many_pairs_half_of_them_of_one_person(results):
    counts = Counter((item.system, item.condition, item.label) for item in of_pairs(drawn(results)))
    cells = [("original", "oo")]
    cells += [(system, condition) for system in ("loud", "muffled") for condition in ("op", "pp")]
    assert counts == {(*cell, label): 4 for cell in cells for label in ("target", "nontarget")}


def test_pairs_are_what_their_label_says_and_two_people_have_one_sex(results):
    genders = {f"person{k}": gender for k, gender in enumerate("ffffmmmm")}
    for item in of_pairs(drawn(results)):
        assert (item.enrolled == item.speaker) == (item.label == "target")
        assert genders[item.enrolled] == genders[item.speaker] == item.gender
        assert item.enrolment.startswith(f"enrolment{item.enrolled}spoke")
        assert item.trial.startswith(f"trial{item.speaker}spoke")


@pytest.mark.parametrize("seed", range(4))
def test_speakers_and_sexes_come_equally_often(results, seed):
    pairs = of_pairs(drawn(results, seed=seed))
    for label in ("target", "nontarget"):
        for field in ("speaker", "enrolled"):
            counts = Counter(getattr(item, field) for item in pairs if item.label == label)
            assert len(counts) == 8 and max(counts.values()) - min(counts.values()) <= 1
    sexes = Counter((item.system, item.condition, item.gender) for item in pairs)
    assert set(sexes.values()) == {4}


def test_nobody_hears_the_words_of_a_pair_twice_on_a_page_while_recordings_last(results):
    """8 speakers with 4 recordings: 32, of which one sets the volume."""
    test = drawn(results, number=4, conditions=("op",), pages=3)
    for page in (1, 2, 3):
        counts = Counter(item.trial for item in of_pairs(test, page))
        assert len(counts) == 12 and set(counts.values()) == {1}


def test_as_many_pages_as_cells_let_every_system_be_heard_with_every_pair(results):
    test = drawn(results, number=4, conditions=("op",), pages=3)
    pairs = {}
    for item in test.items:
        if item.role == "pair":
            pairs.setdefault(item.system, []).append((item.enrolment, item.trial, item.label))
    first, *others = (sorted(own) for own in pairs.values())
    assert len(set(first)) == 12 and all(own == first for own in others)
    with pytest.raises(BadInput, match="--pages 4: with 3 every cell has every pair"):
        drawn(results, number=4, conditions=("op",), pages=4)


def test_controls_are_one_recording_twice_or_a_woman_and_a_man(results):
    genders = {f"person{k}": gender for k, gender in enumerate("ffffmmmm")}
    for page in (1, 2):
        controls = [
            item
            for item in drawn(results, pages=2).items
            if item.page == page and item.role == "control"
        ]
        assert len(controls) == N_CONTROLS
        for item in controls:
            if item.label == "target":
                assert item.enrolment == item.trial
            else:
                assert genders[item.enrolled] != genders[item.speaker]
        assert Counter(item.label for item in controls) == {"target": 4, "nontarget": 4}


@pytest.mark.parametrize("kind", ["quality", "clarity"])
def test_each_screen_of_ratings_has_the_original_an_anchor_and_every_system(results, kind):
    test = drawn(results, kind=kind, number=6, pages=2)
    screens = {}
    for item in test.items:
        screens.setdefault((item.page, item.screen), []).append(item)
    assert Counter(page for page, _ in screens) == {1: 6, 2: 6}
    for items in screens.values():
        assert {item.system for item in items} == {"original", "loud", "muffled", "anchor"}
        assert len({item.trial for item in items}) == 1
    firsts = [items[0] for items in screens.values()]
    assert len({item.trial for item in firsts}) == 12
    assert Counter(item.gender for item in firsts) == {"f": 6, "m": 6}
    assert max(Counter(item.speaker for item in firsts).values()) <= 2


def test_a_deck_deals_every_card_before_any_again():
    deck = Deck("abcd", np.random.default_rng(0))
    for _ in range(5):
        assert {deck.deal() for _ in range(4)} == set("abcd")
    assert deck.deal(without="abc") == "d"


# People and speech that do not fit.


@pytest.mark.parametrize(
    ("genders", "note"),
    [("----", "the sex of speakers is not known"), ("fffm", "'person3' is left")],
)
def test_unknown_sexes_and_single_people_are_noted(tmp_path, genders, note):
    results = listening.write_run(tmp_path / "results", genders=genders)
    test = drawn(results)
    assert note in " ".join(test.notes)
    apart = [item for item in test.items if item.role == "control" and item.label == "nontarget"]
    assert {item.system for item in apart} == {"shifted"}


def test_two_people_of_two_sexes_make_no_pair(tmp_path):
    results = listening.write_run(tmp_path / "results", genders="fm")
    with pytest.raises(BadInput, match="too few speakers: a test of pairs needs two of one sex"):
        drawn(results)
    assert drawn(results, kind="quality").items  # which needs nobody to compare with


def test_short_recordings_and_those_that_a_system_lacks_are_left_out(tmp_path):
    results = listening.write_run(tmp_path / "results", utterances=3)
    manifest = results / "audio/tiny/trial/loud/manifest.tsv"
    lines = manifest.read_text().splitlines(keepends=True)
    lines[2] = lines[2].replace("\t1.2\n", "\t0.9\n")
    manifest.write_text("".join(lines[:1] + lines[2:]))
    test = drawn(results, number=24)
    assert "2 recordings left out: shorter than 1 s, or not protected by every system" in test.notes
    heard = {item.trial for item in test.items}
    assert not heard & {"trialperson0spoke0", "trialperson0spoke1"}
    assert len(test.key["utterances"]) == 24  # of the corpus, heard or not


def test_where_nothing_enrols_trials_are_the_references(tmp_path):
    results = listening.write_run(tmp_path / "results")
    (results / "audio/tiny/enrolment").rename(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="nothing enrols here, so nothing is pp: --conditions op"):
        drawn(results)
    for item in of_pairs(drawn(results, conditions=("op",))):
        assert item.enrolment != item.trial and item.enrolment.startswith("trialperson")


def test_second_runs_and_further_draws_are_heard_only_where_they_are_named(tmp_path):
    systems = ("b2", "b2_run1", "b2_draw2")
    results = listening.write_run(tmp_path / "results", systems=systems)
    heard = {item.system for item in of_pairs(drawn(results))}
    assert heard == {"original", "b2"}
    named = {item.system for item in of_pairs(drawn(results, systems=("b2_draw2",)))}
    assert named == {"original", "b2_draw2"}


def test_damaged_speech_is_refused(tmp_path):
    results = listening.write_run(tmp_path / "results")
    (results / "format").write_text("3\n")
    with pytest.raises(BadInput, match=r"checksums\.tsv is missing"):
        drawn(results)


def test_more_versions_than_one_can_compare_are_refused(tmp_path):
    systems = tuple(f"s{k}" for k in range(9))
    results = listening.write_run(tmp_path / "results", genders="ff", utterances=1, systems=systems)
    with pytest.raises(BadInput, match="9 anonymisers are too many beside each other"):
        drawn(results, kind="quality")
    assert drawn(results, kind="quality", systems=systems[:8]).items


# The page.


@pytest.fixture(scope="module")
def folder(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tests")
    for kind in ("pairs", "quality"):
        how = {"number": 4, "pages": 2, "introduction": ("I <b>agree</b> & listen.",)}
        write_test(Wanted(results, "tiny", kind, **how), folder / kind)
    return folder


def texts(folder):
    return [path.read_text() for path in sorted(folder.glob("hand_out/*.html"))]


def sounds_in(html):
    content = json.loads(re.search(r'id="data">(.+?)</script>', html)[1])
    for screen in content["screens"]:
        yield [screen["reference"], *(one["sound"] for one in screen["recordings"])]


@pytest.mark.parametrize("kind", ["pairs", "quality"])
def test_nothing_on_a_page_says_who_speaks_what_protected_it_or_what_is_right(folder, kind):
    for html in texts(folder / kind):
        shown = re.sub(r"base64,[A-Za-z0-9+/=]+", "", html)
        assert len(shown) < 40_000
        assert [match[0] for match in SECRETS.finditer(shown)] == []
        for match in re.findall(r"base64,([A-Za-z0-9+/=]+)", html):
            sound = base64.b64decode(match)
            assert sound.startswith(b"OggS")
            assert not re.search(rb"person\d|spoke\d|muffled|TITLE|ARTIST|COMMENT", sound)


@pytest.mark.parametrize("kind", ["pairs", "quality"])
def test_the_order_on_a_page_says_nothing(folder, kind):
    key = json.loads((folder / kind / "key.json").read_text())
    for html in texts(folder / kind):
        content = json.loads(re.search(r'id="data">(.+?)</script>', html)[1])
        firsts = []
        for screen in content["screens"]:
            codes = [one["code"] for one in screen["recordings"]]
            assert codes == sorted(codes)
            firsts.append(codes[0])
        assert firsts == sorted(firsts)
        known = [item["code"] for item in key["items"]]
        assert len(set(known)) == len(known) and set(firsts) <= set(known)


@pytest.mark.parametrize("kind", ["pairs", "quality"])
def test_one_recording_is_not_the_same_bytes_twice_on_a_screen(folder, kind):
    for html in texts(folder / kind):
        for sounds in sounds_in(html):
            assert len(set(sounds)) == len(sounds)


def test_sounds_are_short_and_at_one_level(folder):
    for html in texts(folder / "pairs"):
        for sounds in sounds_in(html):
            for sound in sounds:
                samples, rate = soundfile.read(
                    io.BytesIO(base64.b64decode(sound.partition(",")[2]))
                )
                assert 0.8 < len(samples) / rate < 1.3
                assert -30 < 20 * np.log10(samples.std()) < -24


def test_no_page_asks_a_network_and_only_its_own_script_may_run(folder):
    for html in texts(folder / "pairs"):
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)[1].split("; ")
        assert policy[:3] == ["default-src 'none'", "media-src data:", "img-src data:"]
        assert "unsafe" not in "".join(policy)
        assert re.findall(r"""(?:src|href)=["']?(?!data:|#)[^"'> ]+""", html) == []
        assert "I &lt;b&gt;agree&lt;/b&gt; &amp; listen." in html


def test_the_key_stays_with_whoever_made_the_test(folder):
    path = folder / "pairs" / "key.json"
    key = json.loads(path.read_text())
    assert key["warning"].startswith("KEEP THIS FILE")
    assert path.stat().st_mode & 0o077 == 0
    assert key["test"] == name_of(key) and name_of(key | {"rule": {"most_wrong": 8}}) != key["test"]
    lines = (folder / "pairs" / "listeners.tsv").read_text().splitlines()
    assert lines[1:] == [f"{code}\tpage_{page}.html" for code, page in key["listeners"].items()]
    assert len(lines) == 21 and Counter(key["listeners"].values()) == {1: 10, 2: 10}


def test_a_slip_or_a_swap_in_a_code_and_another_page_are_noticed():
    signs = "7kq2m"
    right = check_sign(signs, 1)
    for position in range(5):
        for sign in set(SIGNS) - {signs[position]}:
            assert check_sign(signs[:position] + sign + signs[position + 1 :], 1) != right
    for position in range(4):
        swapped = [*signs]
        swapped[position : position + 2] = swapped[position + 1], swapped[position]
        assert check_sign("".join(swapped), 1) != right
    assert check_sign(signs, 2) != right


def test_a_run_and_a_seed_give_one_test_and_another_run_another(results, tmp_path):
    how = {"number": 4, "listeners": 3}
    for name, seed in (("first", 0), ("again", 0), ("other", 1)):
        write_test(Wanted(results, "tiny", "pairs", seed=seed, **how), tmp_path / name)
    first, again, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.*") if path.is_file()}
        for name in ("first", "again", "other")
    )
    assert first == again and first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first)
    elsewhere = listening.write_run(tmp_path / "results", key="22")
    codes = [set(drawn(run, **how).key["listeners"]) for run in (results, elsewhere)]
    assert not codes[0] & codes[1], "whoever knows the seed alone can draw nothing again"


def test_a_test_is_never_written_over_another(results, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(BadInput, match="is there already; answers may need its key"):
        write_test(Wanted(results, "tiny", "pairs"), tmp_path / "out")


# Sounds.


@pytest.mark.parametrize("gain", [1e-3, 1, 30])
def test_level_is_that_of_active_speech_and_no_peak_is_cut_off(gain):
    draw = np.random.default_rng(0)
    speech = np.concatenate([np.zeros(8000), gain * draw.normal(0, 0.1, 16000), np.zeros(8000)])
    level = levelled(speech, 16000)[8400:23600]
    assert 20 * np.log10(level.std()) == pytest.approx(-26, abs=0.2)
    click = np.zeros(16000)
    click[8000] = gain
    assert np.abs(levelled(click, 16000)).max() <= 0.99 + 1e-9


def test_silence_stays_silence():
    assert not levelled(np.zeros(16000), 16000).any()
    assert levelled(np.ones(10), 16000).shape == (10,)


def test_the_anchor_is_speech_and_noise_5_db_below_it_and_the_same_every_time():
    speech = np.random.default_rng(1).normal(0, 0.1, 160000)
    noise = noisy(speech, "u") - speech
    assert 20 * np.log10(speech.std() / noise.std()) == pytest.approx(5, abs=0.2)
    assert np.array_equal(noisy(speech, "u"), noisy(speech, "u"))
    assert not noisy(np.zeros(10), "u").any(), "where nobody speaks, nothing is heard"


# The command.


def test_the_command_says_where_the_key_is_and_for_whom_the_pages_are(results, tmp_path):
    path = tmp_path / "consent.txt"
    path.write_text("I take part.\n\nI may stop.\n")
    said = succeeds(
        "listening_test",
        "make",
        *flags(results=results, corpus="tiny", kind="pairs", number=4, output=tmp_path / "out"),
        *flags(introduction=path, conditions="op", systems="loud"),
    )
    assert "the key STAYS WITH YOU" in said and "1 page of 16 screens" in said
    assert "<p>I take part.</p>\n<p>I may stop.</p>" in texts(tmp_path / "out")[0]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"number": 5}, "--number 5: half of the pairs are of one person: even"),
        ({"number": 0}, "--number 0: must be at least 2"),
        ({"seconds": 0.5}, "--seconds 0.5: must be at least 1"),
        ({"corpus": "none"}, "none/trial/original/manifest.tsv: not found"),
        ({"systems": "none"}, "none/manifest.tsv: not found"),
        ({"listeners": 0}, "--listeners 0: must be at least 1"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(results, tmp_path, how, reason):
    wanted = {"results": results, "corpus": "tiny", "kind": "pairs", "output": tmp_path / "out"}
    done = call("listening_test", "make", *flags(**wanted | how))
    assert done.returncode == 2
    assert reason in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
