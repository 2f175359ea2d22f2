"""The verdict from Records made by hand: what may mislead whoever decides by it."""

import numpy as np
import pytest
from scipy.special import ndtri
from support import verdicts

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED, RATES, READINGS
from voiceprivacy.privacy.verdict.findings import NUMBERS
from voiceprivacy.privacy.verdict.record import OF_GALLERIES, Record, write_records
from voiceprivacy.privacy.verdict.verdict import verdict
from voiceprivacy.vocabulary import UNDEFINED, HeldOut

N_REPLICATES, N_PERMUTATIONS = 200, 199
TPR = "tpr_at_fpr_0.01_percent"
SPREADS = {DECE: 0.02, EER: 2.0} | dict.fromkeys((*RATES[2:4], *OF_GALLERIES), 1.0)
CHANCE = dict.fromkeys(OF_GALLERIES, 5.0) | {TPR: 1.0, RATES[2]: 0.1, EXPOSED: 2.0}


def record(
    dece=0.0, *, reading="ascending", n_speakers=40, seed=0, n_replicates=N_REPLICATES, **changed
):
    """A Record of an attack that finds ``dece`` bit in one reading; ``changed`` has more fields.

    ``rates`` are other numbers in that reading.
    """
    draw = np.random.default_rng(seed)
    rates = {DECE: dece, EER: 50 - 65 * dece} | changed.pop("rates", {})
    row = READINGS.index(reading)
    values = np.zeros((len(READINGS), len(NUMBERS)))
    for column, name in enumerate(NUMBERS):
        values[:, column] = {DECE: 0.001, EER: 50.0}.get(name, CHANCE.get(name, 0))
        values[row, column] = rates.get(name, CHANCE.get(name))
    values[row ^ 1, NUMBERS.index(EER)] = 100 - values[row, NUMBERS.index(EER)]
    spreads = np.array([SPREADS.get(name, 2.0) for name in NUMBERS])
    noise = draw.normal(size=(len(READINGS), 1, n_replicates)) * spreads[:, None]
    null = np.abs(draw.normal(size=(len(READINGS), len(NUMBERS), N_PERMUTATIONS))) * 0.01
    fields = {
        "numbers": NUMBERS,
        "reasons": {},
        "n_speakers": n_speakers,
        "n_target": 10 * n_speakers,
        "n_nontarget": 400 * n_speakers,
        "n_exposable": n_speakers,
        "spread": 1.0,
        "exposed": {name: {} for name in READINGS},
    }
    null = null + (values[:, :, None] * (np.array(NUMBERS) == EXPOSED)[:, None])
    return Record(values, values[..., None] + noise, null, **fields | changed)


def shown(dece, **options):
    """A record with more speakers exposed than permuted ones."""
    made = record(dece, **options)
    column = NUMBERS.index(EXPOSED)
    made.values[0, column] = 30
    return made


class Run:
    """Files of evidence of one set, and the verdict on them."""

    def __init__(self, folder):
        self.folder = folder
        self.attacks = {}
        self.controls = []
        self.partly = []
        self.untaught = {}
        self.lists = ["all"]
        self.thresholds = dict(verdicts.THRESHOLDS)

    def attack(self, records, *, extractor="ecapa", backend="cosine", trained_on=None, **options):
        """Add {system: {condition: Record or [Record of each list]}} of an attacker."""
        for system, conditions in records.items():
            for position, trials in enumerate(self.lists):
                own = {
                    condition: one[position] if isinstance(one, list) else one
                    for condition, one in conditions.items()
                }
                path = self.folder / "c" / trials / system / extractor / f"{backend}.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_records(path, own)
        self.attacks[extractor, backend] = {
            "extractor": extractor,
            "backend": backend,
            "trained_on": trained_on,
            "declared": None,
            "training": {},
            "heard": [],
            "learnt": [],
            "is_held_out": True,
            "inferred": False,
            "of_voices": True,
            "feature": None,
            "systems": list(records),
        } | options
        return self

    def set(self):
        return self.sets()["c"]

    def sets(self, **others):
        lists = [["c", trials, 1.0] for trials in self.lists]
        options = {"lists": lists, "attacks": list(self.attacks.values()), "partly": self.partly}
        options["untaught"] = self.untaught
        plan = {
            "thresholds": self.thresholds,
            "controls": self.controls,
            "sets": {"c": options} | others,
        }
        judged = verdict(plan, self.folder)
        write_json(self.folder / "verdict.json", judged)  # no NaN
        return judged["sets"]


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def protected(**decibits):
    """Unprotected speech, and systems with D_ECE in bits under ``pp``."""
    systems = {"original": {"oo": record(0.6)}}
    for seed, (system, dece) in enumerate(decibits.items()):
        systems[system] = {"pp": record(dece, seed=seed + 1)}
    return systems


def given(run, records, **options):
    return run.attack(records, extractor="asv", backend="given", **options)


# Silence: the reason is the true one.


def silence_of(judged, system="b2"):
    assert judged["systems"][system]["level"] == "cannot_say"
    assert not any(system in layer for layer in judged["order"])
    return judged["systems"][system]["silence"]


def test_without_intervals_the_reason_is_no_number_of_speakers(run):
    run.attack(
        {
            "original": {"oo": record(0.6, n_replicates=0)},
            "b2": {"pp": record(0.3, n_replicates=0)},
        }
    )
    assert silence_of(run.set()) == "there are no intervals (report: bootstrap)"


def test_an_attacker_that_finds_nobody_in_unprotected_speech_is_no_lack_of_speakers(run):
    run.attack({"original": {"oo": record()}, "b2": {"pp": record(0.3)}})
    assert silence_of(run.set()) == (
        "no attack on unprotected speech can be trusted (it finds nobody in unprotected speech)"
    )


def test_weak_attackers_are_told(run):
    run.attack({"original": {"oo": record(0.2)}, "b2": {"pp": record(0.1)}})
    assert silence_of(run.set()).startswith("the attackers are too weak: on unprotected speech")


def test_unprotected_speech_that_was_not_attacked_is_told(run):
    run.attack({"b2": {"pp": record(0.3)}})
    assert silence_of(run.set()) == "unprotected speech was not attacked"


@pytest.mark.parametrize("n_speakers", [1, 2])
def test_few_speakers_are_told(run, n_speakers):
    few = {"n_speakers": n_speakers}
    run.attack({"original": {"oo": record(0.6, **few)}, "b2": {"pp": record(0.3, **few)}})
    assert "too few speakers" in silence_of(run.set())


def test_four_speakers_are_too_few_for_permutations(run):
    """Not "it finds nobody in unprotected speech": it may find everybody."""
    few = [record(dece, n_speakers=4) for dece in (0.6, 0.3)]
    few = [one._replace(null=one.null[..., :9]) for one in few]
    run.attack({"original": {"oo": few[0]}, "b2": {"pp": few[1]}})
    judged = run.set()
    assert "too few speakers: 4 speakers" in silence_of(judged)
    assert judged["untrusted"] == {"ecapa/cosine": "too few speakers: 4 speakers"}


def test_permutations_without_trials_are_told(run):
    empty = [record(dece) for dece in (0.6, 0.3)]
    for one in empty:
        one.null[:] = np.nan
    run.attack({"original": {"oo": empty[0]}, "b2": {"pp": empty[1]}})
    assert "do not allow to permute 40 speakers" in silence_of(run.set())


def test_some_permutations_without_trials_are_left_out(run):
    systems = protected(b2=0.3)
    systems["b2"]["pp"].null[..., ::10] = np.nan
    run.attack(systems)
    assert run.set()["systems"]["b2"]["level"] == "little_reduced"


def test_a_system_without_scores_that_can_be_used_is_not_left_out(run):
    """Labels of inferred speakers contradict each other, or only p0p1 was scored."""
    run.attack(protected(b2=0.3) | {"b3": {}})
    judged = run.set()
    assert "no attack on it has scores" in silence_of(judged, "b3")
    assert "Nothing can be said about b3" in judged["verdict"]


def test_a_short_attack_does_not_silence_a_long_one(run):
    run.attack(protected(b2=0.5))
    given(run, {"b2": {"pp": record(0.1, n_speakers=2)}})
    judged = run.set()
    assert judged["systems"]["b2"]["level"] in ("little_reduced", "not_shown")
    assert judged["untrusted"] == {"asv/given": "too few speakers: 2 speakers"}


def test_every_number_is_there_with_a_reason_where_every_attack_is_refused(run):
    run.attack(protected() | {"b2": {"pp": record(spread=0.0)}})
    fields = run.set()["systems"]["b2"]
    for name in ("evidence_left_percent", "eer_folded_percent", TPR, EXPOSED, *OF_GALLERIES):
        assert fields[name] == UNDEFINED and "constant scores" in fields["reasons"][name]


# Trust.


def test_who_finds_nobody_and_was_not_tried_on_unprotected_speech_is_refused(run):
    """Else noise from elsewhere, declared as semi-informed, would take a warning away."""
    run.attack(protected(b2=0.3))
    given(run, {"b2": {"pp": record(seed=9)}}, declared="semi-informed")
    judged = run.set()
    assert judged["untrusted"] == {
        "asv/given": "it finds nobody, and unprotected speech was not tried"
    }
    assert judged["effort"]["tried"] == ["lazy-informed"]
    assert judged["effort"]["refused"] == ["semi-informed"]
    assert "semi-informed" not in judged["effort"]["not_tried"]
    assert judged["verdict"].startswith("No attacker that was trained on protected speech can be")


def test_it_is_told_whether_the_scores_of_several_attackers_were_fused(run):
    run.attack(protected(b2=0.3))
    assert "fused" in run.set()["effort"]["not_tried"]
    fusion = {"original": {"oo": record(0.6)}, "b2": {"pp": record(0.3, seed=8)}}
    run.attack(fusion, extractor="fused", backend="both")
    assert run.set()["effort"]["tried"] == ["lazy-informed", "fused"]


def test_errors_on_unprotected_speech_are_those_of_the_attackers_that_were_tried(run):
    run.attack({"original": {"oo": record(0.5)}, "b2": {"pp": record(0.3, seed=8)}})
    strong = {"original": {"oo": record(0.65, seed=3)}, "b3": {"pp": record(0.4, seed=9)}}
    run.attack(strong, extractor="strong", trained_on="b3")
    judged = run.set()
    spared, attacked = (judged["systems"][name]["eer_unprotected_percent"] for name in ("b2", "b3"))
    assert spared == judged["effort"]["eer_unprotected_percent"]["ecapa/cosine"]
    assert attacked == judged["effort"]["eer_unprotected_percent"]["strong/cosine"]
    assert f"{spared[0]:.1f} % unprotected" in judged["verdict"]
    assert spared[0] > attacked[0]


def test_a_declaration_of_others_is_no_attack_of_ours(run):
    run.attack(protected(b2=0.3))
    own = {"original": {"oo": record(0.6)}, "b2": {"pp": record(0.3, seed=8)}}
    given(run, own, declared="semi-informed")
    fields = run.set()["systems"]["b2"]
    assert fields["tried"] == ["lazy-informed", "semi-informed"]
    assert fields["declared_only"] == ["semi-informed"]
    run.attack(own, extractor="ecapa_on_b2", trained_on="b2")
    assert run.set()["systems"]["b2"]["declared_only"] == []


def test_a_finding_without_unprotected_speech_counts(run):
    run.attack(protected(b2=0.1))
    given(run, {"b2": {"pp": record(0.5, seed=9)}})
    judged = run.set()
    assert judged["untrusted"] == {}
    assert judged["systems"]["b2"]["attack"]["extractor"] == "asv"


def test_an_attacker_that_finds_somebody_in_protected_speech_only_is_not_called_refused(run):
    run.attack(protected(b2=0.1))
    trained = {"original": {"oo": record(seed=5)}, "b2": {"pp": record(0.4, seed=6)}}
    run.attack(trained, extractor="ecapa_on_b2", trained_on="b2")
    judged = run.set()
    assert list(judged["untrusted"]) == ["ecapa_on_b2/cosine (oo) on unprotected speech"]
    assert judged["systems"]["b2"]["attack"]["knowledge"] == "semi-informed"
    assert "expect less protection" not in judged["verdict"]


# Attackers that were trained on protected speech are judged on such speech.


def learnt(run, *, eer=4.0, p_value=0.0005, n_training_speakers=200, reason=""):
    """Options of an attacker of protected speech, whose file of held-out speakers is written."""
    fields = HeldOut(n_training_speakers, 25, 250, eer, p_value, reason)
    path = run.folder / f"held_out_{eer}_{n_training_speakers}.json"
    write_json(path, fields._asdict())
    return {"extractor": "semi_on_b2", "trained_on": "b2", "learnt": [str(path)]}


def semi(oo, pp):
    return {"original": {"oo": record(oo, seed=21)}, "b2": {"pp": record(pp, seed=22)}}


def test_who_works_on_protected_speech_counts_although_it_finds_nobody_in_unprotected(run):
    run.attack(protected(b2=0.01)).attack(semi(0.0, 0.0), **learnt(run))
    judged = run.set()
    assert judged["untrusted"] == {}
    assert "semi-informed" in judged["systems"]["b2"]["tried"]
    assert "expect less protection" not in judged["verdict"]


def test_who_learnt_nothing_is_refused_and_stands_there_with_the_reason(run):
    run.attack(protected(b2=0.3)).attack(semi(0.0, 0.0), **learnt(run, eer=48.0, p_value=0.4))
    judged = run.set()
    assert judged["untrusted"] == {
        "semi_on_b2/cosine": "it finds nobody in unprotected speech, nor in 25 training speakers"
        " held out under its protection (EER 48.0 %)"
    }
    assert judged["systems"]["b2"]["tried"] == ["lazy-informed"]
    assert judged["verdict"].startswith("No attacker that was trained on protected speech can be")


def test_perfect_protection_is_no_reason_to_refuse_whoever_works_on_unprotected_speech(run):
    run.attack(protected(b2=0.0)).attack(semi(0.6, 0.0), **learnt(run, eer=50.0, p_value=0.6))
    judged = run.set()
    assert judged["untrusted"] == {}
    assert "semi-informed" in judged["systems"]["b2"]["tried"]


def test_a_finding_counts_whatever_held_out_speakers_say(run):
    run.attack(protected(b2=0.1)).attack(semi(0.0, 0.5), **learnt(run, eer=50.0, p_value=0.9))
    judged = run.set()
    assert judged["systems"]["b2"]["attack"]["extractor"] == "semi_on_b2"


def test_speakers_whom_a_part_of_the_attacker_knows_do_not_judge_it(run):
    run.attack(protected(b2=0.3)).attack(semi(0.0, 0.0), **learnt(run), is_held_out=False)
    reason = run.set()["untrusted"]["semi_on_b2/cosine"]
    assert reason == "it finds nobody in unprotected speech"


def test_too_few_speakers_to_hold_some_out_show_nothing(run):
    unknown = learnt(run, eer="undefined", p_value="undefined", reason="3 speakers are too few")
    run.attack(protected(b2=0.3)).attack(semi(0.0, 0.0), **unknown)
    assert "(3 speakers are too few)" in run.set()["untrusted"]["semi_on_b2/cosine"]


def test_a_collapsed_attacker_of_protected_speech_is_refused_whatever_held_out_speakers_say(run):
    constant = {"original": {"oo": record(0.6)}, "b2": {"pp": record(spread=0.0)}}
    run.attack(protected(b2=0.3)).attack(constant, **learnt(run))
    assert list(run.set()["untrusted"].values()) == ["constant scores"]


@pytest.mark.parametrize("n_speakers", [10, 99])
def test_an_attacker_that_learnt_from_few_speakers_silences_no_warning(run, n_speakers):
    run.attack(protected(b2=0.1)).attack(
        semi(0.6, 0.4), **learnt(run, n_training_speakers=n_speakers)
    )
    judged = run.set()
    expected = [
        "No attacker was trained on enough protected speech: expect less protection than this.",
        f"A small semi-informed attack was tried ({n_speakers} training speakers).",
    ]
    assert judged["verdict"].startswith(" ".join(expected))
    assert judged["warnings"][:2] == expected
    assert judged["systems"]["b2"]["small_semi_informed"] == f"{n_speakers} training speakers"


def test_an_attacker_weaker_than_who_did_not_learn_is_a_small_one(run):
    run.attack(protected(b2=0.5)).attack(semi(0.6, 0.3), **learnt(run))
    judged = run.set()
    assert "was tried (weaker than the lazy-informed)." in judged["verdict"]
    run.attack(semi(0.6, 0.6), **learnt(run))
    assert "semi-informed" not in run.set()["verdict"]


def test_noise_makes_no_attack_weaker_where_nothing_is_found(run):
    run.attack(protected(b2=0.002)).attack(semi(0.6, 0.0), **learnt(run))
    assert run.set()["systems"]["b2"]["small_semi_informed"] is None


def test_one_of_two_systems_with_a_small_attack_is_named(run):
    run.attack(protected(b2=0.1, b3=0.1)).attack(semi(0.6, 0.4), **learnt(run))
    other = {"original": {"oo": record(0.6, seed=31)}, "b3": {"pp": record(0.4, seed=32)}}
    few = learnt(run, n_training_speakers=12) | {"extractor": "semi_on_b3", "trained_on": "b3"}
    judged = run.attack(other, **few).set()
    assert judged["verdict"].startswith("No attacker was trained on enough speech of b3: expect")
    assert "A small semi-informed attack was tried on b3 (12 training sp" in judged["verdict"]


def test_a_small_semi_informed_attack_is_none_for_none_left(run):
    with_all_attacks(run, 0.5, **learnt(run, n_training_speakers=50))
    assert run.set()["systems"]["b2"]["level"] == "none_found"


def test_a_set_without_a_common_list_is_not_called_unprotected(run):
    nothing = {"lists": [["c", "f", 1.0]], "attacks": [], "partly": [], "untaught": {}}
    alone = run.sets(average=nothing)
    assert {fields["verdict"] for fields in alone.values()} == {"Nothing was protected."}
    sets = run.attack(protected(b2=0.3)).sets(average=nothing)
    assert sets["average"]["verdict"] == "No list is common; see corpus by corpus."
    assert "b2" in sets["c"]["verdict"]


def test_a_collapse_on_one_list_of_two_does_not_halve_the_evidence(run):
    run.lists = ["f", "m"]
    broken = [record(seed=3, spread=0.0), record(0.5, seed=4)]
    run.attack(protected(b2=0.5) | {"b3": {"pp": broken}})
    judged = run.set()
    assert (
        silence_of(judged, "b3") == "there can be more than was found (constant scores on a list)"
    )
    assert judged["better"] == []
    assert judged["untrusted"] == {"ecapa/cosine (pp) on b3": "constant scores on a list"}


def test_a_collapse_on_one_list_is_a_finding_beside_a_sound_attack(run):
    run.lists = ["f", "m"]
    broken = [record(seed=3, spread=0.0), record(0.6, seed=4)]
    run.attack({"original": {"oo": record(0.6)}, "b3": {"pp": broken}})
    run.attack({"original": {"oo": record(0.6)}, "b3": {"pp": record(0.1, seed=7)}}, backend="plda")
    judged = run.set()
    assert judged["systems"]["b3"]["attack"]["backend"] == "cosine"
    assert judged["systems"]["b3"]["level"] == "little_reduced"


def test_scores_that_are_nearly_all_equal_give_no_level_alone(run):
    """An extractor that sees one voice in 95 of 100 trials finds little whatever is there."""
    systems = protected(b2=0.3)
    systems["b3"] = {"pp": record(0.05, seed=9, tied=0.95)}
    run.attack(systems)
    judged = run.set()
    assert "(95 % of its scores are equal)" in silence_of(judged, "b3")
    assert judged["better"] == []
    run.attack({"original": {"oo": record(0.6)}, "b3": {"pp": record(0.2, seed=7)}}, backend="plda")
    assert run.set()["systems"]["b3"]["level"] == "reduced"


def test_a_finding_is_told_although_nothing_can_be_said(run):
    """Attackers that are weak on unprotected speech find nearly everybody in protected speech."""
    run.attack({"original": {"oo": record(0.3)}, "b2": {"pp": record(0.7, seed=1)}})
    judged = run.set()
    assert "too weak" in silence_of(judged)
    assert "But with b2, an attack makes only" in judged["verdict"]


def test_scores_that_are_turned_round_on_one_list_hide_nothing(run):
    run.lists = ["f", "m"]
    half = [record(0.4, seed=3), record(0.4, seed=4, reading="descending")]
    both = [record(0.4, seed=5), record(0.4, seed=6)]
    run.attack({"original": {"oo": record(0.6)}, "half": {"pp": half}, "both": {"pp": both}})
    judged = run.set()
    assert judged["better"] == [] and judged["order"] == [["both", "half"]]
    assert judged["systems"]["half"]["attack"]["reading"] == "by list"
    assert judged["systems"]["both"]["attack"]["reading"] == "ascending"
    left = [judged["systems"][name]["evidence_left_percent"][0] for name in ("half", "both")]
    assert left == pytest.approx([66, 66], abs=3)
    assert "which reads the scores of each list in their own direction," in judged["verdict"]


def test_evidence_is_held_against_the_attackers_that_were_tried_on_the_system(run):
    """The strongest saw nothing of b3, or was not tried on it: that hides no evidence."""
    run.attack(protected(b2=0.3) | {"b3": {"pp": record(spread=0.0)}})
    weaker = {
        "original": {"oo": record(0.4, seed=5)},
        "b2": {"pp": record(0.2, seed=6)},
        "b3": {"pp": record(0.2, seed=7)},
        "b4": {"pp": record(0.2, seed=8)},
    }
    run.attack(weaker, backend="plda")
    judged = run.set()
    left = {name: one["evidence_left_percent"][0] for name, one in judged["systems"].items()}
    assert left == pytest.approx({"b2": 50, "b3": 50, "b4": 50}, abs=3)
    assert judged["better"] == []


def test_unprotected_speech_has_no_luck_of_the_strongest_of_many(run):
    """Eight equal attackers, of which the luckiest finds 0.03 bit more; one finds all in b2."""
    luck = SPREADS[DECE] * ndtri((np.arange(8) + 0.5) / 8)
    for position, more in enumerate(luck):
        records = {
            "original": {"oo": record(0.45 + more, seed=position)},
            "b2": {"pp": record(0.45 if position == 0 else 0.1, seed=20 + position)},
        }
        run.attack(records, extractor=f"attacker{position}")
    b2 = run.set()["systems"]["b2"]
    assert 100 * 0.45 / (0.45 + luck.max()) < 94
    assert b2["evidence_left_percent"][0] == pytest.approx(100, abs=2)
    assert b2["level"] == "not_shown"


def test_persons_are_named_by_all_attacks_and_readings_together(run):
    """One attack may name whom several may not: p-values are corrected for their number."""
    exposed = {"ascending": {"anna": 0.02, "ben": 0.03}, "descending": {}, "near": {}, "far": {}}
    records = {"original": {"oo": record(0.6)}, "b2": {"pp": shown(0.3, exposed=exposed)}}
    run.attack(records)
    assert run.set()["systems"]["b2"]["exposed_speakers"] == ["anna", "ben"]
    other = {"original": {"oo": record(0.6)}, "b2": {"pp": record(0.0, seed=7)}}
    run.attack(other, extractor="other")
    assert run.set()["systems"]["b2"]["exposed_speakers"] == ["anna"]
    run.attack(other, extractor="third")
    assert run.set()["systems"]["b2"]["exposed_speakers"] == []


def test_persons_are_named_by_all_lists_together(run):
    """Speakers of two lists: each list has half of the risk."""
    run.lists = ["f", "m"]
    nobody = {name: {} for name in READINGS}
    of_women = nobody | {"ascending": {"anna": 0.02, "berta": 0.03}}
    records = [shown(0.3, exposed=of_women), shown(0.3, exposed=nobody, seed=5)]
    run.attack({"original": {"oo": record(0.6)}, "b2": {"pp": records}})
    assert run.set()["systems"]["b2"]["exposed_speakers"] == ["anna"]


def test_who_was_spared_all_but_a_weak_attacker_is_not_judged(run):
    run.attack(protected(b2=0.3))
    run.attack(
        {"original": {"oo": record(0.2)}, "b3": {"pp": record(0.01, seed=9)}}, backend="plda"
    )
    assert "too weak" in silence_of(run.set(), "b3")


def test_linkage_without_that_of_unprotected_speech_is_held_against_the_rest(run):
    systems = protected(b2=0.3)
    systems["b2"]["rr"] = record(seed=8)
    run.attack(systems)
    judged = run.set()
    assert judged["untrusted"] == {} and "linkage" in judged["effort"]["tried"]


# Exposed speakers and short lists.


def test_as_many_exposed_speakers_as_permuted_ones_are_no_more_than_these(run):
    """1 of 24: its single precision in the file is below 4.1666..."""
    systems = protected(b2=0.3)
    column = NUMBERS.index(EXPOSED)
    systems["b2"]["pp"].values[:, column] = 100 / 24
    systems["b2"]["pp"].null[:, column] = 100 / 24
    run.attack(systems)
    assert not run.set()["systems"]["b2"]["exposed_beyond_chance"]


def test_a_short_list_does_not_hide_whom_another_attack_exposes(run):
    systems = protected()
    systems["b2"] = {"pp": shown(0.1), "op": record(0.1, seed=4)}
    systems["b2"]["op"].values[:, NUMBERS.index(EXPOSED)] = np.nan
    run.attack(systems)
    fields = run.set()["systems"]["b2"]
    assert fields["exposed_beyond_chance"] and fields[EXPOSED][0] == pytest.approx(30, abs=5)


def test_who_exposes_speakers_has_found_evidence(run):
    """D_ECE of few speakers of many is within its band."""
    systems = protected()
    systems["b2"] = {"pp": shown(0.005)}
    run.attack(systems)
    judged = run.set()
    assert judged["systems"]["b2"]["within_band"]
    assert judged["systems"]["b2"]["level"] == "reduced"
    assert "no more evidence was found" not in judged["verdict"]


def test_who_errs_less_than_guessing_has_found_evidence_in_spite_of_a_wide_band(run):
    """Permuted speakers of a list with few nontargets for each enrolment have few targets."""
    systems = protected(b2=0.2)
    systems["b2"]["pp"].null[:, NUMBERS.index(DECE)] *= 50
    run.attack(systems)
    judged = run.set()
    assert judged["systems"]["b2"]["within_band"]
    assert judged["systems"]["b2"]["level"] == "reduced"


def test_who_identifies_utterances_has_found_evidence(run):
    """An offset for each utterance hides it from all thresholds, and from no search."""
    offset = record(0.005, rates={"identification_of_20_percent": 80.0})
    known = record(0.6, rates={"identification_of_20_percent": 98.0})
    run.attack({"original": {"oo": known}, "b2": {"pp": offset}})
    judged = run.set()
    assert judged["systems"]["b2"]["level"] == "little_reduced"
    assert (
        "80 % of utterances are still recognised among 20 speakers, more than" in judged["verdict"]
    )


def test_a_rate_that_is_unknown_where_an_attack_finds_most_is_not_that_of_another_reading(run):
    """Descending scores show that they find nobody: that is no 1 % of found targets."""
    systems = protected(b2=0.3)
    systems["b2"]["pp"].values[0, NUMBERS.index(TPR)] = np.nan
    run.attack(systems)
    fields = run.set()["systems"]["b2"]
    assert fields[TPR] == UNDEFINED and fields["reasons"][TPR] == "the list is too short for it"


def test_a_rate_that_is_unknown_in_another_reading_stays(run):
    systems = protected()
    systems["b2"] = {"pp": record(0.3, rates={TPR: 20.0})}
    systems["b2"]["pp"].values[2, NUMBERS.index(TPR)] = np.nan
    run.attack(systems)
    assert run.set()["systems"]["b2"][TPR][0] == pytest.approx(20, abs=1)


# Levels of attack.


MANY = 10_000  # target trials, which none_left takes


def hidden(seed):
    """A Record of noise that finds less than guessing in every number, which is very sure."""
    rates = {EER: 50.0, TPR: 0.5, "identification_of_20_percent": 4.0}
    made = record(-0.03, seed=seed, rates=rates, n_target=MANY)
    values = made.values[..., None]
    return made._replace(replicates=values + (made.replicates - values) / 50)


def with_all_attacks(run, semi_oo, *, backend="cosine", **options):
    run.attack(
        {
            "original": {
                "oo": record(0.6, n_target=MANY),
                "rr": record(0.6, seed=3, n_target=MANY),
            },
            "b2": {"pp": hidden(1), "rr": hidden(2)},
        }
    )
    original = record(semi_oo, seed=4, n_target=MANY)
    trained = {"original": {"oo": original}, "b2": {"pp": hidden(5)}}
    named = {"extractor": "semi_on_b2", "trained_on": "b2", "backend": backend}
    return run.attack(trained, **named | options)


def test_nothing_is_left_after_all_attacks(run):
    assert with_all_attacks(run, 0.5).set()["systems"]["b2"]["level"] == "none_left"


def test_a_feeble_semi_informed_attacker_is_none_for_none_left(run):
    """It finds somebody in unprotected speech, but hardly."""
    judged = with_all_attacks(run, 0.1).set()
    assert "semi-informed" in judged["effort"]["tried"]
    assert judged["systems"]["b2"]["level"] == "none_found"


def test_given_scores_alone_never_give_none_left(run):
    with_all_attacks(run, 0.5, backend="given")
    assert run.set()["systems"]["b2"]["level"] == "none_found"


def test_none_left_asks_for_every_attack_what_it_finds_at_one_percent(run):
    with_all_attacks(run, 0.5)
    short = hidden(6)
    short.values[:, NUMBERS.index(TPR)] = np.nan
    original = record(0.6, n_target=MANY)
    run.attack({"original": {"oo": original}, "b2": {"op": short}}, backend="plda")
    assert run.set()["systems"]["b2"]["level"] == "none_found"


def test_whoever_leaves_out_trials_has_no_level(run):
    """Those who are found easily, say: the rest would seem to be hidden."""
    full, picked = record(0.5, seed=1), record(0.1, seed=2, n_target=100)
    run.attack({"original": {"oo": record(0.6)}, "full": {"pp": full}, "picked": {"pp": picked}})
    judged = run.set()
    assert judged["systems"]["full"]["level"] != "cannot_say"
    assert judged["systems"]["picked"]["level"] == "cannot_say"
    assert "tried on 100 target trials, unprotected speech on 400" in judged["verdict"]
    assert judged["better"] == [] and judged["order"] == [["full"]]


def test_an_attack_on_a_control_is_no_effort(run):
    run.controls = ["copy"]
    run.attack(protected(b2=0.3, copy=0.6))
    trained = {"original": {"oo": record(0.6)}, "copy": {"pp": record(0.6)}}
    run.attack(trained, extractor="ecapa_on_copy", trained_on="copy")
    judged = run.set()
    assert "semi-informed" in judged["effort"]["not_tried"]
    assert judged["verdict"].startswith("No attacker was trained on protected speech")


def test_what_is_on_one_list_only_is_told(run):
    run.partly = [("asv", "given", "pp", "b4")]
    run.attack(protected(b2=0.3))
    judged = run.set()
    assert judged["untrusted"] == {"asv/given (pp) on b4": "not tried on every list"}
    assert "Nothing can be said about b4" in judged["verdict"]


# Controls.


def test_noise_that_attackers_of_timing_hear_is_no_alarm(run):
    run.controls = ["noise"]
    run.attack(protected(noise=0.4), of_voices=False)
    assert not [told for told in run.set()["warnings"] if "Control" in told]
    run.attack(protected(noise=0.4))
    assert [told for told in run.set()["warnings"] if "Control noise: 24 % errors" in told]


def test_a_copy_that_is_found_less_than_unprotected_speech_is_an_alarm(run):
    run.controls = ["copy"]
    run.attack(protected(copy=0.3))
    assert "Control copy: 50 % of the evidence is left where 100 is" in run.set()["warnings"][0]
    run.attack({"original": {"oo": record(0.6)}, "copy": {"pp": record(0.6)}})
    assert not [told for told in run.set()["warnings"] if "Control" in told]


# Floors: what is said, and when.


def test_what_is_said_alone_is_a_floor_that_is_told(run):
    run.attack(protected(b2=0.3))
    said = {"original": {"oo": record(0.2, seed=5)}}
    run.attack(said, extractor="said", of_voices=False, feature="words")
    run.attack(
        {"original": {"oo": record(0.05, seed=6)}, "b2": {"pp": record(0.05, seed=7)}},
        extractor="when",
        backend="js",
        of_voices=False,
        feature="timing",
    )
    judged = run.set()
    assert judged["floors"].keys() == {"said/cosine", "when/js"}
    assert judged["floors"]["said/cosine"]["feature"] == "words"
    assert judged["floors"]["said/cosine"]["eer_folded_percent"][0] == pytest.approx(37, abs=1)
    assert "What is said alone gives 37" in judged["verdict"]
    assert "errors (said/cosine): no change of the voice removes that." in judged["verdict"]
    assert "When something is said alone gives 4" in judged["verdict"]
    assert judged["systems"].keys() == {"b2"}


def test_an_attacker_without_a_voice_who_finds_nobody_is_not_refused(run):
    run.attack(protected(b2=0.3))
    nobody = {"original": {"oo": record(0.0, seed=5)}, "b2": {"pp": record(0.0, seed=6)}}
    run.attack(nobody, extractor="when", of_voices=False, feature="timing")
    judged = run.set()
    assert judged["untrusted"] == {}
    assert judged["floors"]["when/cosine"]["eer_folded_percent"][2] == 50
    run.attack(nobody, extractor="deaf")
    assert list(run.set()["untrusted"]) == ["deaf/cosine"]


def test_an_attacker_without_a_voice_is_no_effort_against_voices(run):
    """He compares released files and learnt from protected speech, and no warning goes away."""
    run.attack(protected(b2=0.3))
    warnings = run.set()["warnings"]
    with_linkage = {
        "original": {"oo": record(0.3, seed=5), "rr": record(0.3, seed=8)},
        "b2": {"pp": record(0.3, seed=6), "rr": record(0.3, seed=7)},
    }
    run.attack(with_linkage, extractor="when", trained_on="b2", of_voices=False, feature="timing")
    judged = run.set()
    assert judged["systems"]["b2"]["tried"] == ["lazy-informed"]
    assert judged["effort"]["tried"] == ["lazy-informed"]
    assert set(warnings) <= set(judged["warnings"])


def test_without_a_voice_attacked_nothing_is_said_of_it(run):
    run.attack(protected(b2=0.3), of_voices=False, feature="timing")
    assert silence_of(run.set()) == "what is said and when was attacked, and no voice"


# Numbers.


def test_more_evidence_than_in_unprotected_speech_is_told(run):
    run.attack({"original": {"oo": record(0.4)}, "worse": {"pp": record(0.6, seed=1)}})
    judged = run.set()
    assert judged["systems"]["worse"]["level"] == "not_shown"
    assert judged["systems"]["worse"]["evidence_left_percent"][1] > 100


def test_systems_that_are_the_original_are_at_a_hundred_percent(run):
    run.attack({"original": {"oo": record(0.6)}, "same": {"pp": record(0.6)}})
    left = run.set()["systems"]["same"]["evidence_left_percent"]
    assert left == pytest.approx([100, 100, 100])


def test_many_systems_are_judged(run):
    names = [f"s{number:02}" for number in range(25)]
    run.attack(protected(**dict.fromkeys(names, 0.3)))
    judged = run.set()
    assert judged["order"] == [names] and judged["better"] == []


# Draws.


def test_draws_are_one_system_whose_limits_are_of_one_release(run):
    run.attack(protected(b2=0.3, b2r=0.2, b2r_draw2=0.4, b2r_draw3=0.3))
    judged = run.set()
    assert list(judged["systems"]) == ["b2", "b2r"]
    fixed, drawn = judged["systems"]["b2"], judged["systems"]["b2r"]
    assert (fixed["draws"], drawn["draws"]) == (1, 3)
    value, low, high = drawn["dece_bit"]
    assert value == pytest.approx(0.3, abs=0.02)
    assert low < 0.1 and high > 0.5  # t with two degrees of freedom, times 0.12
    assert fixed["dece_bit"][2] < 0.4
    assert "Limits of b2r are of one release, as 3 draws of it differ." in judged["warnings"]
    assert "Of b2 there is one draw: another may give other numbers." in judged["warnings"]


def test_systems_whose_draws_differ_much_are_not_ordered(run):
    run.attack(protected(b2=0.5, b2r=0.1, b2r_draw2=0.3))
    assert run.set()["better"] == []
    run.attack(protected(b2=0.5, b2r=0.2, b2r_draw2=0.2))
    assert run.set()["better"] == [["b2r", "b2"]]
