"""Scores that are valid and mislead: no page, terminal or file may praise what hides nothing."""

import re

import numpy as np
import pytest
import yaml
from support import verdict_schema
from support.runs import snakemake

from voiceprivacy.inout.json_files import read_json

N_SPEAKERS, N_UTTERANCES = 40, 5
SPEAKERS = [f"s{number:02}" for number in range(N_SPEAKERS)]
LEAKING = set(SPEAKERS[::5])  # found in every utterance, whatever happens to the others


def trials():
    """(enrolled speaker, tried utterance, whether it is his), everybody against everybody."""
    enrolled = np.repeat(np.arange(N_SPEAKERS), N_SPEAKERS * N_UTTERANCES)
    tried = np.tile(np.repeat(np.arange(N_SPEAKERS), N_UTTERANCES), N_SPEAKERS)
    return enrolled, tried, enrolled == tried


def scores():
    """Scores (T,) of unprotected speech and of systems that are spoiled in one way each."""
    draw = np.random.default_rng(0)
    enrolled, _, target = trials()
    of_speakers = draw.normal(size=N_SPEAKERS)[enrolled] / 2

    def shifted(distance):
        return draw.normal(size=len(target)) + (distance + of_speakers) * target

    leaks = np.isin(enrolled, np.arange(0, N_SPEAKERS, 5))
    return {
        "original": shifted(4.4),
        "weak": shifted(3.1),
        "mirror": -shifted(2.9),
        "constant": np.ones(len(target)),
        "leaky": draw.normal(size=len(target)) + 6 * (target & leaks),
        "tails": draw.normal(size=len(target)) * np.where(target, 2.2, 1),
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run on these scores, as its terminal and its files are."""
    folder = tmp_path_factory.mktemp("verdict")
    enrolled, tried, target = trials()
    utterances = np.arange(len(target)) % N_UTTERANCES
    for system, values in scores().items():
        path = folder / "asv" / system / ("oo.tsv" if system == "original" else "pp.tsv")
        path.parent.mkdir(parents=True)
        lines = ["enrolment\ttrial\tlabel\tscore"]
        for one, other, number, is_target, score in zip(
            enrolled, tried, utterances, target, values, strict=True
        ):
            label = "target" if is_target else "nontarget"
            lines.append(f"{SPEAKERS[one]}\t{SPEAKERS[other]}-{number}\t{label}\t{score}")
        path.write_text("\n".join(lines) + "\n")
    config = {
        "attacks": {"asv": {"scores": "asv/{anonymiser}/{condition}.tsv"}},
        "report": {"bootstrap": 200},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    finished = snakemake(folder, "--cores", "2", "--configfile", folder / "config.yaml")
    assert finished.returncode == 0, finished.stderr
    return folder, finished.stdout + finished.stderr


@pytest.fixture(scope="module")
def judged(run):
    return read_json(run[0] / "results" / "verdict.json")["sets"]["scores"]


@pytest.fixture(scope="module")
def first_screen(run):
    """The text of the page before its sections."""
    page = (run[0] / "results" / "report" / "index.html").read_text(encoding="utf-8")
    header = page[page.index("<body") : page.index("</section>")]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", header))


def test_the_file_is_as_its_schema_says(run):
    assert verdict_schema.faults(read_json(run[0] / "results" / "verdict.json")) == []


def test_nobody_says_that_a_system_protects(run):
    folder, terminal = run
    texts = [terminal, (folder / "results" / "verdict.json").read_text()]
    page = (folder / "results" / "report" / "index.html").read_text(encoding="utf-8")
    texts.append(re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    for text in texts:
        assert not re.search(r"\bprotects\b|protect (best|equally)", text)


def test_negated_scores_are_read_the_other_way_round(judged):
    mirror = judged["systems"]["mirror"]
    assert judged["order"][0] != ["mirror"]
    assert mirror["attack"]["reading"] == "descending" and mirror["eer_folded_percent"][0] < 15
    assert mirror["level"] in ("little_reduced", "not_shown")


def test_a_collapsed_extractor_is_refused_on_the_first_screen(judged, first_screen):
    assert judged["systems"]["constant"]["level"] == "cannot_say"
    assert not any("constant" in layer for layer in judged["order"])
    assert "Not counted: asv/given (pp) on constant (constant scores)" in first_screen


def test_a_weak_system_is_at_most_little_reduced(judged):
    assert judged["systems"]["weak"]["level"] in ("little_reduced", "not_shown")
    assert "weak" in judged["order"][-1]


def test_speakers_who_are_always_found_are_named_although_most_are_hidden(judged, first_screen):
    leaky = judged["systems"]["leaky"]
    assert leaky["exposed_beyond_chance"] and leaky["exposed_speakers_percent"][0] > 10
    assert set(leaky["exposed_speakers"]) >= LEAKING
    named = len(leaky["exposed_speakers"])
    assert f"verdict.json names {named} of these speakers of leaky" in first_screen
    assert not any(speaker in first_screen for speaker in LEAKING)  # a page that may be mailed
    assert leaky["level"] != "none_left"


def test_targets_in_both_tails_are_found(judged):
    tails = judged["systems"]["tails"]
    assert tails["attack"]["reading"] == "far" and tails["eer_folded_percent"][0] < 45
    assert judged["order"][0] != ["tails"]


def test_the_page_says_what_was_not_tried(first_screen):
    assert "No attacker is declared as trained on protected speech" in first_screen
    assert "Not tried" in first_screen and "semi-informed" in first_screen
    assert "Released files were not compared with each other" in first_screen
