"""Which published numbers belong to a run: known by what is done and on what, by no name."""

import numpy as np
import pytest

from voiceprivacy.catalogue import METRICS
from voiceprivacy.catalogue.metric import RANK_LOSSES
from voiceprivacy.inout.tables import read_table
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.published import (
    SYSTEMS,
    beside,
    published_data,
    published_sets,
    published_system,
    read_published,
    tables_of,
    write_published,
)
from voiceprivacy.vocabulary import MCADAMS, MINUS, RESOURCES, SCRIPTS

SPEECHBRAIN = "eer_speechbrain_percent"  # by which rates of 2024 and 2026 are published
RANKS = ["feature", "n_templates", "metric", "value", "source"]
OPTIONS_2024 = "--alpha 0.5 0.9 --level utterance --variant vpc2024"
COMMAND = "python {scripts}/anonymise_mcadams.py --threads {threads}"


MCADAMS_OPTIONS = {
    "B2": ["", "--alpha 0.8", "--alpha 0.8 --level corpus", "--alpha 0.80 0.8 --level utterance"],
    "B2r": ["--alpha 0.7 0.9", "--level speaker --alpha 0.7 0.9", "--alp 0.7 0.9"],
    "B2_2022": ["--alpha 0.5 0.9"],
    "B2_2024": [OPTIONS_2024, f"{OPTIONS_2024} --draw vpc2024"],
    None: [
        "--alpha 0.5 0.9 --level utterance",
        "--alpha 0.7 0.9 --level corpus",
        "--alpha 0.5 0.9 --variant vpc2024",
        "--alpha 0.7 0.9 --level utterance --variant vpc2024",
        "--alpha 0.8 --level utterance --variant vpc2024",
        "--alpha 0.8 --variant vpc2024",
        "--alpha 0.5 0.9 --draw vpc2024",
        "--alpha 0.75",
        "--alp 0.75",  # the command takes it for --alpha, too
        "--alpha much",
    ],
}


@pytest.mark.parametrize("system", MCADAMS_OPTIONS)
def test_mcadams_is_known_by_its_options(system):
    for options in MCADAMS_OPTIONS[system]:
        assert published_system({"command": f"{COMMAND} {options}"}) == system, options


OF_2024 = {"alpha": [0.5, 0.9], "level": "utterance", "variant": "vpc2024"}


def test_a_system_is_known_by_its_program_or_because_the_config_says_so():
    command, function = {"command": COMMAND}, {"function": MCADAMS}
    of_corpus = {"alpha": 0.8, "level": "corpus"}
    assert published_system(command | {"options": {"alpha": [0.7, 0.9]}}) == "B2r"
    assert published_system(command | {"options": of_corpus}) == published_system(function) == "B2"
    assert published_system(function | {"options": OF_2024}) == "B2_2024"
    assert published_system(function | {"options": {"alpha": 0.7}}) is None
    assert published_system({"command": "python b2.py --alpha 0.8"}) is None
    assert published_system({"function": "anonymise_mcadams.py:anonymise"}) is None
    assert published_system({"audio": "exp/b1/{set}"}) is None
    assert published_system({"audio": "exp/b1/{set}", "published": "B1a"}) == "B1a"


def of_year(year, monkeypatch, **variables):
    for name, value in {"VPC_DATA": "/vpc/data", **variables}.items():
        monkeypatch.setenv(name, value)
    read = configuration.read(SCRIPTS.parent / "config" / f"{year}.yaml")
    return defaults.complete(configuration.expand(read))


@pytest.fixture
def config(monkeypatch):
    return of_year("vpc2020", monkeypatch)


CUT = [
    {"limit": {"speakers": 2}},
    {"segments": {"seconds": 3}},
    {"exclude": ["1272-128104-0000"]},  # an enrolment without it leaves as many trials
    {"on_bad_audio": "exclude"},
]


def test_the_twelve_sets_of_the_shipped_config_are_known_and_no_other_or_a_part_of_one(config):
    sets = [published_sets(corpus) for corpus in config["corpora"].values()]
    assert len({name for own in sets for name in own.values()}) == 12
    assert published_sets(config["corpora"]["vctk_test"])["m_common"] == "vctk_test_trials_m_common"
    corpus = config["corpora"]["libri_test"]
    given = {"given": {"libri_test_trials_f": "/vpc/data/mine"}}
    kaldi = corpus["kaldi"] | {"enrolment": "/vpc/data/libri_dev_enrolls"}
    for other in (*CUT, {"kaldi": kaldi}, {"protocol": given}):
        assert published_sets(corpus | other) == {}, other
    protocol = {"enrol_trial": {"lists": ["f"]}}
    assert published_sets({"synthetic": {"speakers": 3}, "protocol": protocol}) == {}


def line(anonymiser, condition, metric, value, extractor="x", trials="f"):
    limits = ("20.0", "30.0") if metric.startswith("eer_") else ("0.2", "0.3")
    attack = ("libri_test", trials, anonymiser, extractor, "plda", condition)
    return Number(*attack, metric, value, *limits)


COUNTS = [line("b2", "op", "n_target", "548"), line("b2", "op", "n_nontarget", "11196")]


def test_own_and_published_numbers_stand_beside_each_other(config, tmp_path):
    own = [
        line("b2", "op", "eer_percent", "25.5"),
        line("b2r", "op", "dece_bit", "0.2"),
        line("original", "oo", "eer_percent", "5.0"),
        line("original", "oo", SPEECHBRAIN, "5.1"),
    ]
    rows = beside([*COUNTS, *own], config)
    assert sorted((row.system, row.metric, row.published) for row in rows) == [
        ("B2", "eer_percent", "26.09"),
        ("B2r", "dece_bit", "0.236"),
        # The attackers of 2022, by Kaldi's definition, and of 2024.
        ("unprotected", "eer_percent", "7.664"),
        ("unprotected", SPEECHBRAIN, "8.761"),
    ]
    [of_b2] = [row for row in rows if row.system == "B2"]
    assert of_b2[5:12] == ("op", "eer_percent", "25.5", "20.0", "30.0", "26.09", "original")
    write_published(tmp_path / "published.tsv", rows)
    assert read_published(tmp_path / "published.tsv") == rows
    # Where another number is shown than the definition's, both stand there.
    own = line("b2", "op", "eer_percent", "35.5")._replace(unbiased=28.0)
    write_published(tmp_path / "published.tsv", beside([*COUNTS, own], config))
    (table,) = tables_of(read_published(tmp_path / "published.tsv"))
    assert table.rows[0][2] == [("28.0", "[20.0, 30.0]", "35.5", "26.1")]


def test_a_set_with_other_trials_is_not_the_published_one_and_attackers_have_their_like(config):
    own = [line("b2", "op", "eer_percent", "25.5")]
    assert beside([line("b2", "op", "n_target", "547"), COUNTS[1], *own], config) == []
    assert beside(own, config) == []
    config["anonymisers"]["mine"] = {"command": f"{COMMAND} --alpha 0.5 0.9"}
    own = [line("mine", "op", "eer_percent", "9", extractor=name) for name in ("x", "x_on_mine")]
    rows = beside([*COUNTS, *own], config)
    published = {row.extractor: (row.attacker, row.published) for row in rows}
    assert published == {"x": ("original", "38.32"), "x_on_mine": ("protected", "8.759")}


def test_the_page_shows_set_attack_own_and_published(config):
    lost = line("b2", "pp", "gvd_db", "-inf")._replace(ci_low="-inf", ci_high="0.5")
    own = line("b2", "op", "eer_percent", "25.5")
    (table,) = tables_of(beside([*COUNTS, own, lost], config))
    assert (table.anonymiser, table.own_attacker, table.attacker) == ("b2", "x + plda", "original")
    assert table.columns == ["EER, %", "G_VD, dB"]
    cells = [("25.5", "[20.0, 30.0]", "", "26.1"), None]
    assert table.rows[0] == ("libri_test_trials_f", "op", cells)
    gain = table.rows[1][2][1]
    assert (gain.own, gain.published) == (f"{MINUS}∞", f"{MINUS}1.45")
    config["corpora"]["louder"] = config["corpora"]["libri_test"]
    louder = [one._replace(corpus="louder") for one in (*COUNTS, own._replace(value="30"))]
    (table,) = tables_of(beside([*COUNTS, own, *louder], config))
    shown = {name.rpartition(" ")[2]: cells[0].own for name, _, cells in table.rows}
    assert shown == {"(libri_test)": "25.5", "(louder)": "30.0"}
    del config["corpora"]["louder"]
    same = "/vpc/data/libri_test_trials_f"  # under another name, and only to measure words in
    config["corpora"]["of_words"] = {"kaldi": same, "use": "utility"}
    (table,) = tables_of(beside([*COUNTS, own], config))
    assert table.rows[0][0] == "libri_test_trials_f"
    config["corpora"]["libri_test"]["protocol"]["given"]["again"] = same
    again = [one._replace(trials="again") for one in (*COUNTS, own._replace(value="30"))]
    (table,) = tables_of(beside([*COUNTS, own, *again], config))
    shown = {name.partition(" ")[2]: cells[0].own for name, _, cells in table.rows}
    assert shown == {"(libri_test, f)": "25.5", "(libri_test, again)": "30.0"}


def test_numbers_of_the_preset_of_2024_stand_beside_those_of_that_year(monkeypatch):
    config = of_year("vpc2024", monkeypatch)
    own = [
        line("b2", "pp", SPEECHBRAIN, "8", extractor="semi_on_b2"),
        line("b2", "pp", SPEECHBRAIN, "9", extractor="ecapa"),
        line("original", "oo", SPEECHBRAIN, "5"),
        line("original", "oo", SPEECHBRAIN, "7")._replace(backend="mix_without_b2"),
    ]
    config["backends"]["mix"] = {"type": "plda", "train": {"speech": ["original", "others"]}}
    rows = [row for row in beside([*COUNTS, *own], config) if "2024" in row.source]
    assert not [row for row in rows if row.backend.startswith("mix")]
    published = {(row.system, row.attacker): row.published for row in rows}
    unprotected = {("unprotected", "original"): "8.761"}
    assert published == {("B2_2024", "protected"): "7.483"} | unprotected


JUNES_SIZES = {"n_target": "997", "n_nontarget": "20653"}


@pytest.mark.parametrize(
    ("plan", "year", "corpus", "system", "expected"),
    [
        ("june", "vpc2026", "libri_test", "B2_2024", {"protected": "4.713", "original": "7.220"}),
        ("june", "vpc2026_track2", "test", "BM1", {"protected": "1.750", "original": "11.494"}),
        ("june", "vpc2026", "libri_test", "B3", {"protected": "16.850", "original": "23.176"}),
        ("september", "vpc2026", "libri_test", "B3", {"protected": "14.243", "original": "19.057"}),
        ("september", "vpc2026", "libri_test", "B2_2024", {}),
        ("september", "vpc2026_track2", "test", "BM1", {}),
        (None, "vpc2026", "libri_test", "B3", {}),
    ],
)
def test_rates_of_2026_stand_beside_a_run_by_their_own_plan(
    monkeypatch, plan, year, corpus, system, expected
):
    config = of_year(year, monkeypatch, VPC_LANGUAGE="de", VPC_TRAINING="train_german")
    assert config.pop("plan") == "september"
    config |= {"plan": plan} if plan else {}
    config["anonymisers"]["team"] = {"audio": "team/{set}", "published": system}
    name = "b2" if system == "B2_2024" else "team"
    own = []
    for extractor in ("ecapa_ssl", f"semi_on_{name}"):
        number = line(name, "pp", SPEECHBRAIN, "9", extractor=extractor, trials="mixed")
        own.append(number._replace(corpus=corpus))
    rows = beside(own, config)
    assert {row.attacker: row.published for row in rows} == expected
    assert {row.system for row in rows} <= {system}
    notes = {table.note.rpartition("plan of ")[2].split()[0] for table in tables_of(rows)}
    assert notes == ({plan.capitalize()} if expected else set())
    sizes = [line(name, "pp", kind, size, trials="mixed") for kind, size in JUNES_SIZES.items()]
    of_junes_size = [*own, *(one._replace(corpus=corpus) for one in sizes)]
    assert bool(beside(of_junes_size, config)) == bool(expected and plan == "june")
    own_list = {"directory": config["corpora"][corpus]["kaldi"]["trial"][0], "cross_gender": 0}
    for other in (own_list, {"list": "plan_2/trials_mixed"}):
        config["corpora"][corpus]["protocol"]["given"]["mixed"] = other
        assert beside(own, config) == [] and published_data(config["corpora"][corpus]) is None


def of_measure(name, value, *, corpus="libri_test", anonymiser="b2"):
    """A line of metrics.tsv of a measure of utility: a mean over all utterances."""
    return Number(corpus, "-", anonymiser, "-", "-", "-", f"{name}_percent", value, "8.0", "9.9")


@pytest.fixture
def of_2024(monkeypatch):
    """The preset of 2024 with the challenge's word errors."""
    config = of_year("vpc2024", monkeypatch)
    config["utility"]["words"] = {"type": "recogniser", "definition": "vpc2024", "model": "m"}
    return config


TRIALS_F = "d/libri_test_trials_f"
MEN = [
    line("b2", "op", "n_target", "449", trials="m"),
    line("b2", "op", "n_nontarget", "9457", trials="m"),
]


def test_word_errors_beside_published_ones_of_the_same_definition_and_trials(of_2024, tmp_path):
    own = [
        of_measure("words", "8.9"),
        of_measure("words", "2.0", anonymiser="original"),
        of_measure("words", "2.0")._replace(trials="f"),  # published are both lists together
        of_measure("closed_text_wer", "30.0"),
    ]
    rows = beside([*COUNTS, *MEN, *own], of_2024)
    published = {(row.system, row.value, row.published) for row in rows}
    of_b2 = {("B2_2024", "8.9", percent) for percent in ("9.954", "9.959")}
    assert published == of_b2 | {("unprotected", "2.0", one) for one in ("1.844", "1.846")}
    path = tmp_path / "published.tsv"
    write_published(path, rows)
    table = tables_of(read_published(path))[0]
    assert (table.system, table.own_attacker) == (SYSTEMS["B2_2024"], "words")
    assert "vpc2024" in table.note and "asr-wav2vec2-librispeech" in table.note
    assert table.rows == [("libri_test", "-", [("8.9", "[8.0, 9.9]", "", "10.0")])]
    fewer = [MEN[0]._replace(value="448"), MEN[1]]
    assert beside([*COUNTS, *fewer, of_measure("words", "8.9")], of_2024) == []


@pytest.mark.parametrize(
    ("section", "other"),
    [
        ("utility", {"definition": "vpc2026"}),
        ("utility", {"type": "closed_text"}),
        ("utility", {"utterances": 5}),
        ("utility", {"sample": 100}),
        ("utility", {"command": "python wer.py", "type": None}),
        *(("corpora", cut) for cut in CUT),
        ("corpora", {"kaldi": {"enrolment": "d/libri_test_enrolls", "trial": [TRIALS_F]}}),
        ("corpora", {"folder": {"root": "libri_test"}, "kaldi": None}),
    ],
)
def test_word_errors_of_another_definition_or_of_a_part_stand_alone(of_2024, section, other):
    own = [*COUNTS, *MEN, of_measure("words", "8.9")]
    assert beside(own, of_2024) != []
    of_2024[section]["words" if section == "utility" else "libri_test"] |= other
    assert beside(own, of_2024) == []


def test_recalls_of_the_challenges_data_stand_beside_theirs(of_2024):
    corpus = {"kaldi": "/vpc/data/IEMOCAP_test", "use": "utility"}
    of_2024["corpora"] = {"iemo": corpus}
    of_2024["utility"] = {"uar": {"type": "emotion", "definition": "vpc2024", "labels": "x"}}
    number = of_measure("uar", "60", corpus="iemo")
    assert {row.published for row in beside([number], of_2024)} == {"53.4914"}
    of_2024["utility"]["uar"]["excited"] = "none"
    assert beside([number], of_2024) == [], "without excited speech it is another recall"
    assert published_data({"kaldi": {"directory": "x/emodata_track2_dev"}}) == "emodata_dev"
    assert published_data({"iemocap": {"root": "IEMOCAP_test"}}) is None


def test_published_ranks_agree_with_each_other_up_to_their_digits():
    """Most is disclosed at rank 1: log2 (N p_1). Table III has the likelihood's fit as the best."""
    rows = list(read_table(RESOURCES / "published" / "ranks.tsv", RANKS))
    assert {row["metric"] for row in rows} <= METRICS.keys()
    numbers = {(row["feature"], row["metric"]): float(row["value"]) for row in rows}
    for feature, n_templates in {(row["feature"], int(row["n_templates"])) for row in rows}:
        for kind in ("", "model_"):
            share = numbers[feature, f"{kind}identification_rate_percent"] / 100
            most = numbers[feature, f"{kind}max_disclosure_bit"]
            assert most == pytest.approx(np.log2(n_templates * share), abs=0.03)
        losses = {loss: numbers[feature, f"kl_{loss}_bit"] for loss in RANK_LOSSES}
        assert min(losses, key=losses.get) == ("cll" if feature == "phone" else "ll")
