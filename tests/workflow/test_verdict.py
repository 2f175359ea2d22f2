"""Scores that are valid and mislead: no page, terminal or file may praise what hides nothing."""

import re
import shutil
from itertools import product

import numpy as np
import pytest
import yaml
from support import verdict_schema
from support.calls import succeeds
from support.runs import finish

from voiceprivacy.inout.enrolments import write_speakers
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import SCORES

N_SPEAKERS, N_UTTERANCES = 40, 5
SPEAKERS = [f"s{number:02}" for number in range(N_SPEAKERS)]
LEAKING = SPEAKERS[::5]  # found in every utterance, whatever happens to the others


# Everybody against everybody.
ENROLLED, TRIED, UTTERANCE = np.indices((N_SPEAKERS, N_SPEAKERS, N_UTTERANCES)).reshape(3, -1)


def scores():
    """Scores (T,) of unprotected speech and of systems that are spoiled in one way each."""
    draw = np.random.default_rng(0)
    target = ENROLLED == TRIED
    of_speakers = draw.normal(size=N_SPEAKERS)[ENROLLED] / 2

    def shifted(distance):
        return draw.normal(size=len(target)) + (distance + of_speakers) * target

    return {
        "original": shifted(4.4),
        "weak": shifted(3.1),
        "mirror": -shifted(2.9),
        "constant": np.ones(len(target)),
        "leaky": draw.normal(size=len(target)) + 6 * (target & (ENROLLED % 5 == 0)),
    }


def write_scores(path, values):
    rows = []
    for one, other, number, score in zip(ENROLLED, TRIED, UTTERANCE, values, strict=True):
        label = "target" if one == other else "nontarget"
        rows.append((SPEAKERS[one], f"{SPEAKERS[other]}-{number}", label, score))
    write_table(path, SCORES, rows)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run on these scores, as its terminal and its files are."""
    folder = tmp_path_factory.mktemp("verdict")
    for system, values in scores().items():
        condition = "oo" if system == "original" else "pp"
        write_scores(folder / "asv" / system / f"{condition}.tsv", values)
    write_scores(folder / "unknown" / "weak" / "op.tsv", scores()["weak"])
    ids = {f"{one}-{number}": one for one, number in product(SPEAKERS, range(N_UTTERANCES))}
    write_speakers(folder / "speakers.tsv", ids | {one: one for one in SPEAKERS})
    known = {"scores": "asv/{anonymiser}/{condition}.tsv", "speakers": "speakers.tsv"}
    config = {
        "attacks": {"asv": known, "unknown": {"scores": "unknown/{anonymiser}/{condition}.tsv"}},
        "report": {"bootstrap": 200},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    finished = finish(folder)
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


def test_nobody_says_that_a_system_protects(run, judged):
    folder, terminal = run
    verdict = folder / "results" / "verdict.json"
    assert verdict_schema.faults(read_json(verdict)) == []
    page = (folder / "results" / "report" / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    for text in (terminal, verdict.read_text(), page):
        assert not re.search(r"\bprotects\b|protect (best|equally)", text)
    states = {name: facts["state"] for name, facts in judged["systems"].items()}
    assert states == {
        **dict.fromkeys(("constant", "leaky"), "unclear"),
        **dict.fromkeys(("mirror", "weak"), "open"),
    }
    assert not {"constant", "mirror", "weak"} & dict(judged["better"]).keys()


@pytest.mark.parametrize(
    "said",
    [
        r"on constant \(asv/given\)",  # the extractor has collapsed
        "weak[^:]*: the attacker finds who speaks",
        "Not tried .* an attacker trained on this speech",
        "unknown/given is not judged",  # no map of its speakers
    ],
)
def test_the_first_screen_says_what_misleads(first_screen, said):
    assert re.search(said, first_screen)


def test_speakers_who_are_always_found_are_counted_although_most_are_hidden(judged, first_screen):
    leaky = judged["systems"]["leaky"]
    assert "persons_exposed" in leaky["reasons"]
    exposed = leaky["exposed"]
    assert exposed["beyond_chance"] and exposed["persons"] >= len(LEAKING)
    assert f"{exposed['persons']} of {N_SPEAKERS}" in first_screen
    # Neither the page nor the file may name them: both may be mailed.
    assert exposed["named"] == []
    assert not any(speaker in first_screen for speaker in LEAKING)


def test_a_statement_is_computed_again_from_the_scores_alone(run, judged, tmp_path):
    """Elsewhere, without the files that the scores were copied from."""
    results = tmp_path / "moved" / "results"
    shutil.copytree(run[0] / "results", results)
    shutil.copy(run[0] / "speakers.tsv", results.parent)
    succeeds("statement", results, "--output", tmp_path)
    file = tmp_path / "statement.json"
    [own] = read_json(file)["sets"].values()
    assert own["systems"].keys() == judged["systems"].keys()
    for name, facts in own["systems"].items():
        limits = judged["systems"][name]["evidence_percent"]
        assert facts["at_most_percent"]["one_recording"] == (limits and pytest.approx(limits[2]))
        assert (facts["recordings"], facts["persons_tried"]) == (200, N_SPEAKERS)
        assert facts["persons"] == (0 if name == "constant" else N_SPEAKERS)
    succeeds("verify", file, results)
