"""What the verdict of a run is made of: scores, who speaks, and what attackers learnt from."""

import json

import pytest
from support import verdict_schema
from support.calls import succeeds
from support.heldout_lists import judge_at_once, score_table
from support.plans import ECAPA, voices

from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.enrolments import write_speakers
from voiceprivacy.inout.ids import hashed_speaker
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import FINDINGS, write_table
from voiceprivacy.inout.trial_lists import SCORES
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.verdict import attack_lines, other_files, score_files, verdict_plan
from voiceprivacy.privacy.verdict.run_scores import n_learnt, without_acquainted
from voiceprivacy.vocabulary import NARROW_BAND, SPEAKERS_LEARNT

pytestmark = pytest.mark.usefixtures("in_tmp_path")
OTHER_ECAPA = {"model": "speechbrain/other", "revision": "0123456789"}
COSINE = {"cosine": {"type": "cosine"}}
SMALL = "{resources}/ecapa_small"


def plan_of(config):
    return Plan(configuration.check(config))


def planned(config):
    return verdict_plan(plan_of(config))


def scores(folder, *files):
    """Empty score files; the plan reads none of them."""
    for file in files:
        write_table(folder / file, SCORES, [])
    return {"scores": f"{folder}/{{corpus}}/{{trials}}/{{anonymiser}}/{{condition}}.tsv"}


def corpora(*names):
    return {name: voices(4, 3, first=4 * number) for number, name in enumerate(names)}


def training_corpus():
    return {"others": voices(4, 3, first=40, use="train")}


def usual(**changed):
    return {
        "corpora": corpora("demo"),
        "anonymisers": {"b2r": {"command": "python b2r.py"}},
        "extractors": {"ecapa": ECAPA},
        "backends": COSINE,
    } | changed


# Scores.


def test_every_list_has_the_scores_that_somebody_made_and_who_speaks(tmp_path):
    judged_ones = ("f/b2/pp", "f/original/oo", "m/b2/op", "m/b2/pp", "m/original/oo")
    files = (f"demo/{name}.tsv" for name in (*judged_ones, "m/b2/p0p1"))
    given = scores(tmp_path / "asv", *files)
    for name in "fm":
        write_speakers(tmp_path / f"{name}.tsv", {})
    plan = plan_of({"attacks": {"asv": given | {"speakers": f"{tmp_path}/{{trials}}.tsv"}}})
    judged = verdict_plan(plan)["sets"]["demo"]
    assert judged["warnings"] == []
    attacked = {
        "f": {"original": ["oo"], "b2": ["pp"]},
        "m": {"original": ["oo"], "b2": ["op", "pp"]},
    }
    assert judged["lists"] == {
        name: {
            "speakers": [f"{tmp_path}/{name}.tsv"],
            "enrolments": [],
            "attackers": {"asv/given": systems},
            "of_text": {},
        }
        for name, systems in attacked.items()
    }
    assert sorted(score_files(plan)) == [
        "results/scores/demo/{}/{}/asv/given/{}.tsv".format(*name.split("/"))
        for name in judged_ones
    ]
    assert other_files(plan) == [f"{tmp_path}/f.tsv", f"{tmp_path}/m.tsv"]


def test_scores_of_unknown_speakers_are_not_judged_and_the_reader_is_warned(tmp_path):
    """Where their speakers are known, the same attack is judged."""
    partly = scores(tmp_path / "partly", "demo/f/b2r/pp.tsv", "demo/extra/b2r/pp.tsv")
    judged = planned(usual(attacks={"partly": partly}))["sets"]["demo"]
    assert "partly/given" in judged["lists"]["f"]["attackers"]
    assert {"code": "unknown_speakers", "attack": "partly/given"} in judged["warnings"]
    unknown = scores(tmp_path / "asv", "demo/f/original/oo.tsv", "demo/m/b2/pp.tsv")
    known = scores(tmp_path / "other", "demo/f/b2/pp.tsv")
    write_speakers(tmp_path / "speakers.tsv", {})
    attacks = {"asv": unknown, "other": known | {"speakers": f"{tmp_path}/speakers.tsv"}}
    judged = planned({"attacks": attacks})["sets"]["demo"]
    assert judged["lists"]["f"]["attackers"] == {"other/given": {"b2": ["pp"]}}
    assert judged["warnings"] == [{"code": "unknown_speakers", "attack": "asv/given"}]


def test_scores_made_elsewhere_are_judged_with_those_of_the_run_on_its_lists(tmp_path):
    given = scores(tmp_path / "asv", "demo/f/original/oo.tsv", "demo/f/b2r/pp.tsv")
    lists = planned(usual(attacks={"asv": given}))["sets"]["demo"]["lists"]
    known = "results/trials/demo/{}.speakers.tsv"
    assert lists["f"]["attackers"].keys() == {"ecapa/cosine", "asv/given"}
    assert lists["m"]["attackers"].keys() == {"ecapa/cosine"}
    for trials, own in lists.items():
        assert own["speakers"] == [known.format(trials)]


def test_sets_are_corpora_and_conditions_are_those_of_attacks():
    """Calibration has a second run, which attacks nobody, and averages are not judged."""
    config = usual(
        corpora=corpora("demo", "other"),
        anonymisers={"b2r": {"command": "python b2r.py", "runs": 2}},
        report={"averages": {"both": {"demo": {"f": 1}, "other": {"f": 2}}}},
        verdict={"open_percent": 20},
    )
    plan = planned(config)
    assert list(plan["sets"]) == ["demo", "other"]
    assert plan["thresholds"]["open_percent"] == 20 and plan["thresholds"]["low_percent"] == 2
    for judged in plan["sets"].values():
        assert list(judged["lists"]) == ["f", "m"]
        assert judged["lists"]["f"]["attackers"] == {
            "ecapa/cosine": {"original": ["oo", "rr"], "b2r": ["op", "pp", "rr"]}
        }


OF_WORDS = {"cosine": {"type": "cosine", "extractors": ["said"]}}
TRAINED = {"plda": {"type": "plda", "train": {"corpus": "others", "speech": "anonymised"}}}


def informed(backends, **extractors):
    return usual(
        corpora=corpora("demo") | training_corpus(),
        extractors={"ecapa": ECAPA} | extractors,
        backends=backends,
    )


@pytest.mark.parametrize(
    ("config", "judging"),
    [
        (informed(COSINE | TRAINED), ["ecapa/cosine"]),
        (informed(TRAINED), ["ecapa/plda_on_b2r"]),
        (informed(TRAINED | OF_WORDS, said={"words": {}}), ["ecapa/plda_on_b2r"]),
        (usual(extractors={"ecapa": ECAPA, "said": {"words": {}}}), ["ecapa/cosine"]),
        (usual(extractors={"said": {"words": {}}}, anonymisers={}), []),
    ],
)
def test_unprotected_speech_is_judged_by_attackers_of_all_systems(config, judging):
    for own in planned(config)["sets"]["demo"]["lists"].values():
        original = [name for name, systems in own["attackers"].items() if "original" in systems]
        assert original == judging


# Known leaks.


@pytest.mark.parametrize(
    ("wanted", "leaks"),
    [
        ({}, {"leak_5": 5, "leak_20": 20}),
        ({"controls": True}, {"leak_5": 5, "leak_20": 20}),
        ({"controls": ["reversed", "leak_20"]}, {"leak_20": 20}),
        ({"controls": False}, {}),
        ({"controls": ["copy"]}, {}),
    ],
)
def test_known_leaks_are_tried_unless_others_are_named_and_need_scores_of_their_own(wanted, leaks):
    plan = plan_of(usual(report=wanted))
    assert verdict_plan(plan)["sets"]["demo"]["leaks"] == leaks
    of_b2r = "results/scores/demo/f/b2r/ecapa/cosine"
    needed = [path for path in score_files(plan) if path.startswith(of_b2r)]
    conditions = ["op", "pp", "rr", *(["po"] if leaks else [])]
    assert needed == [f"{of_b2r}/{name}.tsv" for name in conditions]


def test_of_an_attacker_of_one_system_unprotected_recordings_are_scored_too():
    files = score_files(plan_of(informed(COSINE | TRAINED)))
    of_list = "results/scores/demo/m"
    assert f"{of_list}/original/ecapa/plda_on_b2r/oo.tsv" in files
    assert f"{of_list}/original/ecapa/plda_on_b2r/po.tsv" not in files
    assert len(files) == len({*files})


# Several releases.


def test_draws_and_named_versions_are_released_together():
    config = usual(releases={"both": ["b2r", "team"]})
    config["anonymisers"] = {
        "b2r": {"command": "python b2r.py", "draws": 3},
        "team": {"command": "python team.py"},
    }
    draws = ("b2r", "b2r_draw2", "b2r_draw3")
    assert planned(config)["sets"]["demo"]["releases"] == {
        "b2r": dict.fromkeys(draws, "b2r"),
        "both": {"b2r": "b2r", "team": "team"},
    }
    config["releases"]["both"][1] = "taem"
    (problem,) = configuration.problems(config)
    assert str(problem) == "releases.both: there is no anonymiser 'taem': did you mean 'team'?"


# What is known beside scores.


def test_attackers_who_learnt_from_protected_speech_are_those_of_a_system_and_of_its_draws():
    config = informed(COSINE | TRAINED)
    config["anonymisers"] = {
        "b2r": {"command": "python b2r.py", "draws": 2},
        "team": {"command": "python team.py"},
        "noise": {"command": "python noise.py", "control": True},
    }
    plan = plan_of(config)
    judged = verdict_plan(plan)["sets"]["demo"]
    of_b2r, of_team = (
        f"results/backends/plda_on_{name}/ecapa.held_out.json" for name in ("b2r", "team")
    )
    assert judged["controls"] == ["noise"]
    learnt = judged["learnt"]
    assert learnt["b2r"] == learnt["b2r_draw2"] == [[of_b2r]] and learnt["team"] == [[of_team]]
    assert "original" not in learnt
    leaks = {
        name: [one["planted_leak"] for one in own]
        for name, own in judged["learnt_attackers"].items()
    }
    leak_of = "results/planted_leaks/demo/ecapa/plda_on_{}.json".format
    of_leak = {name: [leak_of(name)] for name in ("b2r", "team", "noise")}
    assert leaks == of_leak | {"b2r_draw2": of_leak["b2r"]}
    assert {*of_leak["b2r"], *of_leak["team"]} <= {*other_files(plan)}
    assert {of_b2r, of_team, "results/trials/demo/f.speakers.tsv"} <= {*other_files(plan)}


def libri(folder, subset):
    (folder / subset).mkdir()
    named = {"librispeech": {"root": str(folder), "subsets": [subset]}}
    return named | {"protocol": {"all_pairs": {}}}


@pytest.mark.parametrize("internal", [False, True])
def test_people_are_named_where_a_page_is_internal_and_made_up_voices_always(tmp_path, internal):
    real = libri(tmp_path, "test-other")
    config = usual(
        corpora=corpora("demo") | {"real": real, "voices": real | {"made_up": True}},
        report={"internal": internal},
    )
    shown = {name: judged["shows_names"] for name, judged in planned(config)["sets"].items()}
    assert shown == {"demo": True, "real": internal, "voices": True}


@pytest.mark.parametrize(
    ("extractors", "codes"),
    [
        ({"ecapa": ECAPA}, ["other_encoders", "what_is_said"]),
        ({"ecapa": ECAPA, "rhythm": {"style": {}}}, ["other_encoders", "what_is_said"]),
        ({"ecapa": ECAPA, "second": OTHER_ECAPA}, ["what_is_said"]),
        ({"ecapa": ECAPA, "said": {"words": {}}}, ["other_encoders"]),
        ({"ecapa": ECAPA, "second": OTHER_ECAPA, "said": {"words": {}}}, []),
    ],
)
def test_attackers_that_a_run_lacks_are_not_tried(extractors, codes):
    backends = COSINE | {"histograms": {"type": "jensen_shannon"}}
    config = usual(extractors=extractors, backends=backends)
    assert planned(config)["sets"]["demo"]["not_tried"] == ["semi_informed", *codes]


@pytest.mark.parametrize(
    ("knowledge", "codes"), [("lazy-informed", ["semi_informed"]), ("semi-informed", [])]
)
def test_scores_that_are_declared_semi_informed_are_tried(tmp_path, knowledge, codes):
    given = scores(tmp_path / "asv", "demo/f/b2r/pp.tsv") | {"knowledge": knowledge}
    sets = planned(usual(corpora=corpora("demo", "other"), attacks={"asv": given}))["sets"]
    lacked = ["other_encoders", "what_is_said"]
    assert sets["demo"]["not_tried"] == [*codes, *lacked]
    assert sets["other"]["not_tried"] == ["semi_informed", *lacked]


# Warnings.


def test_an_encoder_that_learnt_from_the_recordings_is_told_where_it_is_tried_on_them(tmp_path):
    tried = {"new": libri(tmp_path, "test-other"), "old": libri(tmp_path, "train-other-500")}
    config = {"corpora": tried, "extractors": {"resemblyzer": {"package": "resemblyzer"}}}
    sets = planned(config | {"backends": COSINE})["sets"]
    heard = {"code": "heard", "attack": "resemblyzer/cosine"}
    heard |= {"speech": ["LibriSpeech train-other-500"]}
    assert (sets["new"]["warnings"], sets["old"]["warnings"]) == ([], [heard])


@pytest.mark.parametrize(
    ("extractors", "is_known"),
    [
        ({"small": {"model": SMALL}, "semi": {"start": "small"}}, True),
        ({"semi": {"start": SMALL}}, True),
        ({"semi": {"start": "first"}, "first": {"start": SMALL}}, True),
        ({"semi": {}}, False),
    ],
)
def test_a_tuned_model_has_heard_what_its_start_learnt_from(tmp_path, extractors, is_known):
    training = {"train": {"corpus": "others", "speech": "anonymised"}, "recipe": "ecapa_small"}
    for name, options in extractors.items():
        extractors = extractors | {name: ({} if "model" in options else training) | options}
    tried = {"libri": libri(tmp_path, "train-clean-100")}
    config = usual(corpora=tried | training_corpus(), extractors=extractors)
    warnings = planned(config)["sets"]["libri"]["warnings"]
    heard = {one["attack"]: one["speech"] for one in warnings if one["code"] == "heard"}
    expected = ["LibriSpeech train-clean-100"] if is_known else None
    assert heard.get("semi_on_b2r/cosine") == expected


HISTOGRAMS = {"js": {"type": "jensen_shannon"}}
OWN = {"train": {"corpus": "others", "speech": "anonymised", "anonymisers": ["b2r"]}}


@pytest.mark.parametrize(
    ("extractors", "backends", "wide"),
    [
        ({"small": {"model": SMALL}}, COSINE, ["b2", "b2r"]),
        ({"small": {"model": SMALL}, "pitch": {"f0": {}}}, COSINE | HISTOGRAMS, ["b2", "b2r"]),
        ({"r": {"package": "resemblyzer"}}, {"semi": {"type": "plda"} | OWN}, ["b2r"]),
        ({"small": {"model": SMALL}, "own": {"recipe": "ecapa_small"} | OWN}, COSINE, ["b2"]),
        ({"small": {"model": SMALL}, "theirs": {"command": "true"}}, COSINE, []),
    ],
)
def test_an_encoder_that_learnt_from_wide_bands_alone_makes_no_narrow_one_low(
    tmp_path, extractors, backends, wide
):
    anonymisers = {name: {"command": "true"} for name in ("b2", "b2r")}
    tried = {"libri": libri(tmp_path, "test-clean")} | corpora("made_up")
    config = usual(corpora=tried | training_corpus(), extractors=extractors)
    plan = plan_of(config | {"anonymisers": anonymisers, "backends": backends})
    judged = verdict_plan(plan)["sets"]
    assert judged["libri"]["only_wide_band"] == judged["made_up"]["only_wide_band"] == wide
    assert judged["libri"]["checks"] == ["results/checks/libri.tsv"]
    assert not judged["made_up"]["checks"], "synthetic speech has any band"
    assert "results/checks/libri.tsv" in other_files(plan)


def test_a_back_end_that_was_trained_elsewhere_is_a_file_of_each_extractor():
    extractors = {"r": {"package": "resemblyzer"}, "c": {"package": "campplus"}}
    ready = {"type": "plda", "model": "{extractor}.npz", "extractors": ["r"]}
    backends = COSINE | {"conversions": ready}
    write_npz("r.npz", {})
    plan = plan_of(usual(extractors=extractors, backends=backends))
    ready = verdict_plan(plan)["sets"]["demo"]["ready"]
    assert ready == {"r/conversions": "r.npz"}
    assert other_files(plan)[-1] == "results/sources/backends/conversions/r.sha256"
    assert plan.attackers.systems("r", "conversions") == ["original", "b2r"]
    assert not plan.attackers.trained()


@pytest.mark.parametrize(
    ("names", "learnt", "persons"),
    [
        (["103-1240-0000", "103-1241-0001-2", "p225_001"], ["103-9-0000"], 1),
        (["103-1240-0000"], ["1034-1240-0000"], 0),
        (["103-1240-00001", "103-12", "103"], ["103-1240-0000"], 0),  # no names of LibriSpeech
    ],
)
def test_who_learnt_from_speakers_of_a_list_has_no_part_in_its_verdict(
    tmp_path, names, learnt, persons
):
    write_speakers(tmp_path / "speakers.tsv", dict(zip(names, "abc", strict=False)))
    write_npz(tmp_path / "r.npz", {SPEAKERS_LEARNT: list(map(hashed_speaker, learnt))})
    attackers = {name: {"b2": ["op"]} for name in ("r/conversions", "r/cosine")}
    listed = {"speakers": [str(tmp_path / "speakers.tsv")], "attackers": attackers, "of_text": {}}
    ready = {"r/conversions": str(tmp_path / "r.npz")}
    remaining, acquainted = without_acquainted({"f": listed}, ready)
    expected = ["r/cosine"] if persons else ["r/conversions", "r/cosine"]
    assert list(remaining["f"]["attackers"]) == expected
    assert acquainted == ({"r/conversions": persons} if persons else {})


def test_an_attacker_learns_from_a_submission_that_holds_protected_training_speech(tmp_path):
    whole = {"team": "team/{set}", "parts": "parts/{corpus}_{part}"}
    lacking = {"lacking": "lacking/{set}", "hollow": "hollow/{set}", "flat": "flat"}
    anonymisers = {name: {"audio": path} for name, path in (whole | lacking).items()}
    anonymisers |= {"b2": {"command": "true"}, "copy": {"command": "true", "control": True}}
    there = ("team/demo", "team/others", "lacking/demo", "hollow/demo", "hollow/others", "flat")
    for folder in (*there, "parts/demo_enrolment", "parts/demo_trial", "parts/others_train"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("team/others", "parts/others_train", "flat"):
        (tmp_path / folder / "1.wav").touch()
    config = usual(corpora=corpora("demo") | training_corpus(), anonymisers=anonymisers)
    completed = configuration.check(config)
    assert completed["backends"]["semi"]["train"]["anonymisers"] == [*whole, "b2"]
    judged = verdict_plan(Plan(completed))["sets"]["demo"]
    assert {*whole, "b2"} <= judged["learnt"].keys()
    assert not lacking.keys() & judged["learnt"].keys()
    untaught = [{"code": "no_training_speech", "system": name} for name in lacking]
    assert judged["warnings"] == untaught
    plain, never = "ecapa + cosine", "not semi-informed, because"
    learns = [
        f"attacks on {name}: {plain}, ecapa + semi-informed ({name})" for name in (*whole, "b2")
    ]
    reasons = {
        "lacking": "nothing is in lacking/others",
        "hollow": "nothing is in hollow/others",
        "flat": "its entry names one folder for all speech",
        "copy": "it is a control",
    }
    assert sorted(attack_lines(Plan(completed))) == sorted(
        [*learns, *(f"attacks on {name}: {plain}; {never} {why}" for name, why in reasons.items())]
    )
    config["anonymisers"] = {name: anonymisers[name] for name in lacking}
    without = configuration.check(config)
    assert "semi" not in without["backends"]
    assert verdict_plan(Plan(without))["sets"]["demo"]["warnings"] == untaught
    for unasked in ({"semi_informed": False}, {"corpora": corpora("demo")}):
        assert planned(config | unasked)["sets"]["demo"]["warnings"] == []
    assert "no corpus has 'use: train'" in attack_lines(plan_of(config | unasked))[0]
    ranked = corpora("demo")
    ranked["demo"]["protocol"] = {"rank_sampling": {"observations": 3}}
    assert attack_lines(plan_of(config | {"corpora": ranked}))[0].startswith(
        "attacks on lacking: ecapa + "
    )


# The command that judges them.


@pytest.mark.parametrize(
    ("attackers", "n_persons"),
    [([[120]], 120), ([[40], [120]], 120), ([[120, 6]], 6), ([[120, 6], [40, 50]], 40)],
)
def test_who_learnt_from_most_counts_and_of_its_parts_the_fewest(tmp_path, attackers, n_persons):
    files = [
        [learnt_from(tmp_path / f"{row}-{column}.json", n) for column, n in enumerate(parts)]
        for row, parts in enumerate(attackers)
    ]
    assert n_learnt(files) == n_persons


def learnt_from(path, n_persons):
    write_json(path, {"n_training_speakers": n_persons})
    return str(path)


def write_scores(folder):
    """Score files of unprotected speech and of two systems, of six persons; and who speaks.

    The voice says nothing, the words say everything.
    """
    table = score_table({"any ecapa/plda pp": 0, "any said/cosine pp": 9}, 6, 2)
    write_speakers(folder / "f.tsv", table.speaker_of)
    attacked = {"original": ["oo"], "b2": ["pp"], "b3": ["pp"]}
    for (attacker, _), scores in table.scores["all"]["any"].items():
        rows = []
        for (one, other), score in scores.items():
            is_target = table.speaker_of[one] == table.speaker_of[other]
            rows.append([one, other, "target" if is_target else "nontarget", score])
        for system, (condition,) in attacked.items():
            path = folder / "scores" / "demo" / "f" / system / attacker / f"{condition}.tsv"
            write_table(path, SCORES, rows)
    return {
        "speakers": [f"{folder}/f.tsv"],
        "enrolments": [],
        "attackers": {"ecapa/plda": attacked},
        "of_text": {"said/cosine": {"original": ["oo"], "b2": ["pp"]}},
    }


def test_facts_of_the_plan_stand_in_the_verdict_beside_those_of_the_scores(tmp_path, monkeypatch):
    judge_at_once(monkeypatch)
    warning = {"code": "no_training_speech", "system": "b3"}
    checks, said = str(tmp_path / "checks.tsv"), "4 of 4 recordings"
    write_table(checks, FINDINGS, [("oddity", NARROW_BAND, "-", said, said)])
    judged = {"lists": {"f": write_scores(tmp_path)}, "controls": ["b3"], "shows_names": False}
    judged |= {"learnt": {"b2": [[learnt_from(tmp_path / "learnt.json", 7)]]}}
    tuned = {"attacker": "a/b", "held_out": [], "trains_extractor": True, "planted_leak": None}
    judged |= {"learnt_attackers": {"b2": [tuned]}}
    judged |= {"not_tried": ["what_is_said"], "warnings": [warning], "leaks": {}}
    judged |= {"checks": [checks], "only_wide_band": ["b2"], "ready": {}, "mixed": ["f"]}
    judged["releases"] = {"both": {"b2": "b2", "b3": "b3"}}
    plan = {"thresholds": {"learnt_persons": 7}, "sets": {"demo": judged}}
    verdict, evidence = tmp_path / "verdict.json", tmp_path / "evidence.json"
    words = ["--plan", json.dumps(plan), "--scores", tmp_path / "scores"]
    succeeds("write_verdict", *words, "--verdict", verdict, "--evidence", evidence)
    kept = read_json(evidence)["demo/f"]
    assert kept.keys() == {"original", "b2", "b3"} and kept["b2"] == kept["b3"]
    assert len(kept["b2"]["without_each"]) == 6
    content = read_json(verdict)
    assert verdict_schema.faults(content) == []
    demo = content["sets"]["demo"]
    assert demo["not_tried"] == ["condition_op", "condition_rr", "what_is_said"]
    assert demo["warnings"] == [warning, {"code": NARROW_BAND}] and demo["controls"] == ["b3"]
    assert [one["systems"] for one in demo["releases"]["both"]] == [["b2"], ["b2", "b3"]]
    assert demo["of_text"].keys() == {"original", "b2"}
    for said in demo["of_text"].values():
        assert said["state"] == "open" and said["right_of_20_percent"][0] > 90
    assert {one["state"] for one in demo["systems"].values()} == {"unclear"}
    reasons = {name: facts["reasons"] for name, facts in demo["systems"].items()}
    assert "few_learnt_persons" in reasons["b3"] and "few_learnt_persons" not in reasons["b2"]
    assert demo["systems"]["b2"]["control"]["leak"] == "not_tried"
    assert demo["systems"]["b3"]["control"] is None
    assert NARROW_BAND in reasons["b2"] and NARROW_BAND not in reasons["b3"]


# Which attacks each system gets, in words.


@pytest.mark.parametrize(("n_systems", "last"), [(30, "19 more systems"), (12, "s11")])
def test_there_are_at_most_12_lines(n_systems, last):
    anonymisers = {f"s{number}": {"command": "true"} for number in range(n_systems)}
    lines = attack_lines(Plan(defaults.complete(usual(anonymisers=anonymisers))))
    assert len(lines) == 12 and lines[-1].partition(":")[0] == f"attacks on {last}"
