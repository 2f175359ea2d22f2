"""The functions that one imports give the numbers of the commands, and refuse what these refuse."""

import re
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

import voiceprivacy
from voiceprivacy import api, ranks, verdict, verification, zebra
from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.inout.json_files import read_json

N_SPEAKERS = 8


def trials(shift, *, seed=0):
    """A table of trials: three utterances of each speaker against all speakers."""
    draw = np.random.default_rng(seed)
    rows = []
    for enrolled in range(N_SPEAKERS):
        for tried in range(N_SPEAKERS):
            for utterance in range(3):
                label = "target" if enrolled == tried else "nontarget"
                score = draw.normal(shift * (enrolled == tried))
                rows.append((f"e{enrolled}", f"u{tried}-{utterance}", label, score))
    return pd.DataFrame(rows, columns=api.COLUMNS)


def speaker_map():
    ids = {f"e{speaker}": f"s{speaker}" for speaker in range(N_SPEAKERS)}
    for speaker in range(N_SPEAKERS):
        ids |= {f"u{speaker}-{utterance}": f"s{speaker}" for utterance in range(3)}
    return ids


@pytest.fixture
def files(tmp_path):
    trials(2).to_csv(tmp_path / "scores.tsv", sep="\t", index=False)
    names = pd.Series(speaker_map(), name="speaker")
    names.to_csv(tmp_path / "map.tsv", sep="\t", index_label="id")
    return tmp_path


@pytest.mark.parametrize("family", [verification, zebra])
def test_numbers_and_intervals_are_those_of_the_command(files, family):
    script = SCRIPTS / f"assess_{family.__name__}.py"
    words = ["--scores", "scores.tsv", "--speakers", "map.tsv", "--bootstrap", "50"]
    command = [sys.executable, script, *words, "--metrics", "out.json"]
    subprocess.run(command, cwd=files, check=True, capture_output=True)
    said, limits = read_json(files / "out.json"), read_json(files / "out.intervals.json")
    table = pd.read_csv(files / "scores.tsv", sep="\t")
    result = family(table, speakers=pd.Series(speaker_map()), n_replicates=50)
    numbers = result._asdict()
    assert {name: numbers[name] for name in said if name in numbers} == {
        name: value for name, value in said.items() if name in numbers
    }
    assert result.intervals
    for name, interval in result.intervals.items():
        assert interval._asdict() == limits[name]


def test_arrays_dicts_and_frames_say_the_same():
    table = trials(1)
    target = table.score[table.label == "target"]
    nontarget = table.score[table.label == "nontarget"]
    expected = verification(target=target.tolist(), nontarget=nontarget)
    assert verification(table) == expected
    assert verification({name: table[name].to_numpy() for name in api.COLUMNS}) == expected
    shuffled = verification(table.sample(frac=1, random_state=1))
    assert shuffled[:-1] == pytest.approx(expected[:-1], rel=1e-12)  # of sums in another order
    assert expected.intervals == {}


def test_ids_of_digits_are_the_same_as_numbers_and_as_text():
    ids = {"e0": 10, "e1": 11, "u0": 20, "u1": 21}
    rows = [
        (ids[f"e{one}"], ids[f"u{other}"], "target" if one == other else "nontarget", one - other)
        for one, other in ((0, 0), (0, 1), (1, 0), (1, 1))
    ]
    table = pd.DataFrame(rows, columns=api.COLUMNS)
    numbers = pd.Series({10: 1, 11: 2, 20: 1, 21: 2})
    names = {str(name): str(speaker) for name, speaker in numbers.items()}
    assert zebra(table, speakers=numbers).intervals == zebra(table, speakers=names).intervals != {}


def test_ranks_of_a_perfect_attacker_disclose_the_whole_identity():
    speakers = np.repeat(np.arange(16), 6)
    result = ranks(
        (speakers[:, None] == np.arange(16)) + 0.0,
        test_speakers=speakers,
        template_speakers=np.arange(16),
    )
    assert result.disclosure_bit == 4 and result.identification_rate_percent == 100
    assert result.p.tolist() == [1] + [0] * 15


def test_a_verdict_tells_a_copy_from_noise():
    original, noise = trials(6), trials(0, seed=1)
    attacks = {
        "original": {"oo": original},
        "copy_of_it": {"op": original, "pp": original},
        "random": {"op": noise, "pp": trials(0, seed=2)},
    }
    judged = verdict(attacks, speaker_map())
    assert judged.better == [("random", "copy_of_it")]
    assert judged.states == {"copy_of_it": "open", "random": "unclear"}
    assert "copy_of_it: no protection was found" in judged.text
    percent = {name: one["evidence_percent"][0] for name, one in judged.facts["systems"].items()}
    assert percent["copy_of_it"] > 60 > 10 > percent["random"]
    flipped = {}
    for name, tables in attacks.items():
        flipped[name] = {key: table.assign(score=-table.score) for key, table in tables.items()}
    assert verdict(flipped, speaker_map()).facts == judged.facts


WRONG = [
    ({"label": "same"}, "none of"),
    ({"score": np.nan}, "is no score"),
    ({"score": "high"}, "is no score"),
    ({"label": "target"}, "no nontarget trials"),
    ({"enrolment": "e0", "trial": "u0-0"}, "occurs twice"),
]


@pytest.mark.parametrize(("columns", "said"), WRONG)
def test_a_table_that_is_none_is_refused(columns, said):
    with pytest.raises(BadInput, match=said):
        zebra(trials(1).assign(**columns))


def test_what_does_not_go_together_is_refused():
    for wrong in ({}, {"target": [1.0]}, {"target": [[1.0]], "nontarget": [0.0]}):
        with pytest.raises(BadInput):
            verification(**wrong)
    for values in ([], [np.nan]):
        with pytest.raises(BadInput):
            verification(target=values, nontarget=[0.0])
    with pytest.raises(BadInput, match="no column score"):
        zebra(trials(1).drop(columns="score"))
    with pytest.raises(BadInput, match="labelled"):
        zebra(trials(1), speakers=speaker_map() | {"e0": "s1"})
    with pytest.raises(BadInput, match="shape"):
        ranks(np.eye(3), test_speakers=["a"], template_speakers=["a", "b"])
    with pytest.raises(BadInput, match="NaN"):
        ranks([[np.nan]], test_speakers=["a"], template_speakers=["a"])
    with pytest.raises(BadInput, match="a protected system"):
        verdict({"original": {"oo": trials(1)}}, speaker_map())
    with pytest.raises(BadInput, match="labelled"):
        verdict({"mine": {"op": trials(1)}}, speaker_map() | {"e0": "s1"})


def test_another_name_is_no_function():
    with pytest.raises(AttributeError, match="no attribute 'zebras'"):
        voiceprivacy.zebras  # noqa: B018


def test_the_examples_of_the_docs_run(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    page = (SCRIPTS.parent / "docs/api.md").read_text()
    names = {"oo": trials(6), "op": trials(0), "pp": trials(1), "scores": np.eye(3)[:, :2]}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(textwrap.dedent(block), names)
    said = capsys.readouterr().out
    assert "33.3" in said and "mine" in said
