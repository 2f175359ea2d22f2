"""The strongest attacks compared in pairs: which they are, and from the files of a run."""

import pytest
from support.calls import flags, succeeds
from support.runs import rows
from support.systems import COMMON, number

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.uncertainty import paired
from voiceprivacy.privacy.uncertainty.multiple import holm
from voiceprivacy.privacy.uncertainty.paired import Attack

OO = Attack("original", "ecapa", "plda", "oo")
OO_COSINE = Attack("original", "ecapa", "cosine", "oo")
LAZY = Attack("b2", "ecapa", "plda", "pp")
SEMI = Attack("b2", "ecapa_semi_on_b2", "cosine", "pp")


def test_the_strongest_attack_has_the_lowest_rate_and_of_equal_ones_the_first_name():
    attacks = {OO: number(2), OO_COSINE: number(3), LAZY: number(9), SEMI: number(6)}
    assert paired.strongest_attacks(attacks) == {"original": OO, "b2": SEMI}
    attacks |= {OO_COSINE: number(2), LAZY: number(6)}
    assert paired.strongest_attacks(attacks) == {"original": OO_COSINE, "b2": LAZY}


def test_who_protects_and_who_protects_better_are_corrected_apart():
    anonymisers = {
        Attack(f"a{level}", "ecapa", "plda", "pp"): number(level, own=3, spread=0)
        for level in (14, 17, 20)
    }
    pairs = paired.compare_strongest({OO: number(10, own=3, spread=0), **anonymisers})
    named = [f"{pair.anonymiser_a} {pair.anonymiser_b}" for pair in pairs]
    assert named[:3] == ["a14 original", "a17 original", "a20 original"]
    assert named[3:] == ["a14 a17", "a14 a20", "a17 a20"]
    for family in (pairs[:3], pairs[3:]):
        assert [pair.p_holm for pair in family] == holm([pair.p_value for pair in family]).tolist()
    without = paired.compare_strongest(anonymisers)
    assert without == pairs[3:], "the original changes nothing between anonymisers"
    assert paired.compare_strongest({OO: number(10)}) == paired.compare_strongest({}) == []


def write_attack(folder, trials, attack, values):
    intervals = folder / f"verification/libri/{trials}/{'/'.join(attack[:3])}.intervals.json"
    limits, arrays = {}, {}
    for condition, value in values.items():
        limits[condition] = {"eer_percent": {"value": value, "n_speakers": 20}}
        arrays[f"{condition}/eer_percent"] = value + 5 * COMMON
    write_json(intervals, limits)
    write_npz(intervals.with_name(f"{attack.backend}.bootstrap.npz"), arrays)
    return intervals


@pytest.fixture
def paths(tmp_path):
    """Two lists; b2 is attacked by two attackers, of which one has no numbers of list m."""
    paths = []
    for trials, level in (("f", 0.0), ("m", 4.0)):
        paths.append(write_attack(tmp_path, trials, OO, {"oo": 2 + level}))
        values = {"oo": 1.0, "op": 30 + level, "pp": 10 + level, "p0p1": 0.0}
        paths.append(write_attack(tmp_path, trials, LAZY, values))
    return [*paths, write_attack(tmp_path, "f", SEMI, {"pp": 3.0})]


def test_attacks_are_read_on_all_lists_that_were_tried(paths, tmp_path):
    """The second run and the original under an anonymiser's name are no attacks on it."""
    values = {attack: own[0] for attack, own in paired.read_attacks(paths, folder=tmp_path).items()}
    assert values == {OO: 4, LAZY._replace(condition="op"): 32, LAZY: 12}
    weights = {("libri", "f"): 3, ("libri", "m"): 1}
    weighted = paired.read_attacks(paths, folder=tmp_path, weights=weights)
    assert weighted[LAZY][0] == 11 and weighted[LAZY][2] == 20
    alone = paired.read_attacks(paths, folder=tmp_path, weights={("libri", "f"): 1})
    assert paired.strongest_attacks(alone)["b2"] == SEMI
    with pytest.raises(BadInput, match=r"with a weight but no intervals: libri/F$"):
        paired.read_attacks(paths, folder=tmp_path, weights={("libri", "F"): 1})


def test_attacks_with_other_replicates_are_refused(paths, tmp_path):
    write_npz(paths[0].with_name("plda.bootstrap.npz"), {"oo/eer_percent": COMMON[:9]})
    with pytest.raises(BadInput, match="attacks differ in their numbers of replicates"):
        paired.read_attacks(paths, folder=tmp_path)
    write_npz(paths[0].with_name("plda.bootstrap.npz"), {"oo/cllr_bit": COMMON})
    with pytest.raises(BadInput, match="has no array 'oo/eer_percent'"):
        paired.read_attacks(paths, folder=tmp_path)


def test_the_command_writes_the_pairs_and_says_them(paths, tmp_path):
    written = {"strongest": tmp_path / "strongest.tsv", "weights": ["libri/f=1", "libri/m=1"]}
    said = succeeds("compare_anonymisers", *flags(folder=tmp_path, intervals=paths, **written))
    assert said == "eer_percent: A = b2, B = original: 8 [8, 8]: A is better\n"
    [row] = rows(tmp_path / "strongest.tsv")
    names = ("anonymiser_a", "condition_a", "condition_b")
    assert [row[name] for name in names] == ["b2", "pp", "oo"]
    assert (row["difference"], row["verdict"]) == ("8.0", "A is better")
