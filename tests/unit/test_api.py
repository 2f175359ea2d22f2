"""The functions that one imports give the numbers of the commands, and refuse what these refuse."""

import os
import re
import subprocess
import textwrap

import numpy as np
import pandas as pd
import pytest
from support.calls import flags, succeeds

import voiceprivacy
from voiceprivacy import (
    api,
    calibration,
    plot,
    ranks,
    similarity,
    trial_scores,
    verdict,
    verification,
    zebra,
)
from voiceprivacy.attack.backends.procrustes import Alignment, write_alignment
from voiceprivacy.catalogue.shown import SHORT_EXPLAINED
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.vocabulary import DAGGER, SCRIPTS

N_SPEAKERS = 8


def trials(shift, *, seed=0, n_speakers=N_SPEAKERS):
    """A table of trials: three utterances of each speaker against all speakers."""
    draw = np.random.default_rng(seed)
    rows = []
    for enrolled, tried, utterance in np.ndindex(n_speakers, n_speakers, 3):
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
    words = flags(scores="scores.tsv", speakers="map.tsv", bootstrap=50, metrics="out.json")
    succeeds(f"assess_{family.__name__}", *words, cwd=files)
    said, limits = read_json(files / "out.json"), read_json(files / "out.intervals.json")
    table = pd.read_csv(files / "scores.tsv", sep="\t")
    names = pd.read_csv(files / "map.tsv", sep="\t")
    result = family(table, speakers=names, n_replicates=50)
    numbers = result._asdict()
    shared = said.keys() & numbers.keys()
    assert len(shared) > 5
    assert {name: numbers[name] for name in shared} == {name: said[name] for name in shared}
    assert result.intervals
    for name, interval in result.intervals.items():
        assert interval._asdict() == limits[name]


def test_arrays_dicts_and_frames_say_the_same():
    table = trials(1)
    target, nontarget = (table.score[table.label == name] for name in ("target", "nontarget"))
    expected = verification(target=target.tolist(), nontarget=nontarget)
    assert verification(table) == expected
    assert verification({name: table[name].to_numpy() for name in api.COLUMNS}) == expected
    shuffled = verification(table.sample(frac=1, random_state=1))
    assert shuffled[:-1] == pytest.approx(expected[:-1], rel=1e-12)  # of sums in another order
    assert expected.intervals == {}


@pytest.mark.parametrize(
    "spelled", [int, bool, lambda is_target: ["nontarget", "target"][is_target]]
)
def test_labels_are_words_numbers_or_true_and_false(spelled):
    table = trials(1)
    labels = [spelled(label == "target") for label in table.label]
    expected = verification(table)
    assert verification(table.assign(label=labels)) == expected
    assert verification(scores=table.score, labels=labels) == expected


def test_ids_that_pandas_changed_are_refused_with_the_way_to_read_them(tmp_path):
    table = trials(1)
    table["enrolment"] = ["0" + enrolment[1:] for enrolment in table.enrolment]
    names = {name.replace("e", "0"): speaker for name, speaker in speaker_map().items()}
    table.to_csv(tmp_path / "scores.tsv", sep="\t", index=False)
    with pytest.raises(BadInput, match=r"other zeros.*dtype="):
        zebra(pd.read_csv(tmp_path / "scores.tsv", sep="\t"), speakers=names)
    kept = pd.read_csv(tmp_path / "scores.tsv", sep="\t", dtype={"enrolment": str})
    assert zebra(kept, speakers=names, n_replicates=20).intervals
    table = trials(1)
    table["enrolment"] = table.enrolment.replace("e0", "NA")
    table.to_csv(tmp_path / "scores.tsv", sep="\t", index=False)
    with pytest.raises(BadInput, match=r"NaN is no id: .*keep_default_na=False"):
        verification(pd.read_csv(tmp_path / "scores.tsv", sep="\t"))


def test_a_result_is_short_in_print_and_whole_in_a_frame_of_plain_numbers():
    result = zebra(trials(2), speakers=speaker_map(), n_replicates=40)
    short = r"Zebra\(dece_bit=0\.\d+ \[0?[.\d]+, [.\d]+\], .*n_nontarget=168\)"
    assert re.fullmatch(short, repr(result))
    frame = result.frame().set_index("metric")
    assert frame.value["dece_bit"] == result.dece_bit and type(result.dece_bit) is float
    assert frame.ci_low["dece_bit"] == result.intervals["dece_bit"].ci_low
    few_errors = zebra(trials(4), speakers=speaker_map(), n_replicates=40)
    assert DAGGER in repr(few_errors) and SHORT_EXPLAINED in few_errors._repr_html_()
    assert DAGGER not in repr(result) + result._repr_html_()
    assert "<td>dece_bit</td>" in result._repr_html_() and "ddcf" not in result._repr_html_()
    with pytest.warns(match="0 % of the targets score above .*, so negate distances"):
        verification(target=[1.0], nontarget=[2.0, 2.0])
    with pytest.warns(match="100 % of the trials have a score") as said:
        alone = verification(target=[1.0], nontarget=[1.0, 1.0])
    assert len(said) == 1  # equal scores are no distances
    assert np.isnan(alone.linkability_vpc) or alone.linkability_vpc == 0
    assert not [value for value in alone if isinstance(value, str)]


def embeddings(noise, *, seed):
    draw = np.random.default_rng(seed)
    return np.repeat(np.eye(N_SPEAKERS), 3, axis=0) + noise * draw.normal(size=(24, N_SPEAKERS))


def cosines(rows, columns):
    rows, columns = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (rows, columns))
    return rows @ columns.T


def test_scores_of_embeddings_are_cosines_in_the_order_of_the_trials(tmp_path):
    table = trials(0).drop(columns="score")
    enrolled = dict(zip(dict.fromkeys(table.enrolment), np.eye(N_SPEAKERS), strict=True))
    names = list(dict.fromkeys(table.trial))
    tried = dict(zip(names, embeddings(0.3, seed=1), strict=True))
    scored = trial_scores(table, enrolment=enrolled, trial=tried)
    for row in scored.sample(20, random_state=0).itertuples():
        cosine = cosines(enrolled[row.enrolment][None], tried[row.trial][None])
        assert row.score == pytest.approx(cosine.item(), abs=1e-12)
    columns = {name: table[name].tolist() for name in table}
    assert trial_scores(columns, enrolment=enrolled, trial=tried)["score"] == scored.score.tolist()
    turn, path = np.linalg.qr(embeddings(1, seed=2)[:8])[0], str(tmp_path / "procrustes.npz")
    write_alignment(path, Alignment(np.zeros(8), np.zeros(8), turn.T))
    turned = {name: vector @ turn for name, vector in tried.items()}
    speech = {"enrolment": enrolled, "trial": turned, "backend": path}
    back = trial_scores(columns, **speech, protected=["trial"])["score"]
    assert back == pytest.approx(scored.score.tolist(), abs=1e-12)
    with pytest.raises(BadInput, match="there is no trial"):
        trial_scores(table[:0], enrolment=enrolled, trial=tried)
    with pytest.raises(BadInput, match="has no embedding of 'u0-0'"):
        trial_scores(table, enrolment=enrolled, trial={"u1-0": np.ones(8)})
    with pytest.raises(BadInput, match="of one length"):
        trial_scores(table, enrolment=enrolled, trial={"u0-0": [1.0], "u0-1": [1.0, 2.0]})


def test_speech_that_hides_its_speakers_is_de_identified_and_voices_become_alike():
    speakers = np.repeat(np.arange(N_SPEAKERS), 3)
    clear, hidden = embeddings(0.1, seed=1), np.random.default_rng(2).normal(size=(24, 8))
    same = cosines(clear, clear)
    kept = similarity(oo=same, op=same, pp=same, speakers=speakers)
    assert (kept.deid_percent, kept.gvd_db) == (0, 0) and kept.matrices["oo"].shape == (8, 8)
    apart = {"op": cosines(clear, hidden), "pp": cosines(hidden, hidden)}
    noise = similarity(oo=same, **apart, speakers=speakers)
    assert noise.deid_percent > 60 and noise.gvd_db < -3


def test_scores_that_moved_since_the_calibration_disclose_less():
    table = trials(3)
    same, moved = calibration(train=table, test=table), table.assign(score=table.score + 4)
    assert calibration(train=table, test=moved).cece_linear_bit < same.cece_linear_bit - 0.3
    assert same.metrics["cece_linear_bit"] == same.cece_linear_bit


def test_results_and_scores_are_drawn(tmp_path):
    table, speakers = trials(2), np.repeat(np.arange(N_SPEAKERS), 3)
    same = cosines(embeddings(0.2, seed=1), embeddings(0.2, seed=1))
    ranked = ranks(same[:, ::3], test_speakers=speakers, template_speakers=np.arange(N_SPEAKERS))
    alike = similarity(oo=same, op=same, pp=same, speakers=speakers)
    for result in (zebra(table), calibration(train=table, test=table), ranked, alike):
        plot(result).savefig(tmp_path / "one.svg")
    plot({"mine": zebra(table), "other": zebra(trials(1))}).savefig(tmp_path / "both.svg")
    plot(table, picture="det").savefig(tmp_path / "det.svg")
    assert "mine" in (tmp_path / "both.svg").read_text()
    assert "false alarms" in (tmp_path / "det.svg").read_text()


def test_ids_of_digits_are_the_same_as_numbers_and_as_text():
    rows = [(10, 20, "target", 1.0), (10, 21, "nontarget", 0.0)]
    rows += [(11, 20, "nontarget", 0.0), (11, 21, "target", 1.0)]
    table = pd.DataFrame(rows, columns=api.COLUMNS)
    numbers = pd.Series({10: 1, 11: 2, 20: 1, 21: 2})
    names = {str(name): str(speaker) for name, speaker in numbers.items()}
    one, other = (zebra(table, speakers=own, n_replicates=20) for own in (numbers, names))
    assert one.intervals == other.intervals != {}


def test_a_frame_of_speakers_has_two_columns_and_one_speaker_for_an_id():
    frame = pd.DataFrame(speaker_map().items(), columns=["id", "speaker"])
    intervals = zebra(trials(1), speakers=speaker_map(), n_replicates=20).intervals
    assert zebra(trials(1), speakers=frame, n_replicates=20).intervals == intervals != {}
    with pytest.raises(BadInput, match="speakers: expected a table with the columns"):
        zebra(trials(1), speakers=frame.set_index("id"))
    twice = pd.concat([frame, frame.head(1).assign(speaker="s9")])
    with pytest.raises(BadInput, match="'e0' has two speakers, s0 and s9"):
        zebra(trials(1), speakers=twice)


def test_a_verdict_tells_a_copy_from_noise():
    copy, noise = trials(6, n_speakers=5), trials(0, seed=2, n_speakers=5)
    judged = verdict({"copy_of_it": {"pp": copy}, "random": {"pp": noise}}, speaker_map())
    assert judged.better == [("random", "copy_of_it")]
    assert judged.states == {"copy_of_it": "open", "random": "unclear"}
    percent = {name: one["evidence_percent"][0] for name, one in judged.facts["systems"].items()}
    assert percent["copy_of_it"] > 60 > 10 > percent["random"]


def test_a_verdict_takes_original_speech_and_scores_of_either_direction():
    attacks = {"original": {"oo": trials(6)}, "copy_of_it": {"op": trials(6), "pp": trials(6)}}
    judged = verdict(attacks, speaker_map())
    assert "no protection shown" in judged.text
    flipped = {
        name: {key: table.assign(score=-table.score) for key, table in tables.items()}
        for name, tables in attacks.items()
    }
    assert verdict(flipped, speaker_map()).facts == judged.facts
    with pytest.warns(match="1 trial compares a recording with itself, such as 'u0-0 u0-0'"):
        verdict({"mine": {"pp": trials(6).replace("e0", "u0-0").head(60)}}, speaker_map())


NO_TABLES = [
    ({"label": "same"}, "none of"),
    ({"score": np.nan}, "is no score"),
    ({"score": "high"}, "is no score"),
    ({"label": "target"}, "no nontarget trials"),
    ({"enrolment": "e0", "trial": "u0-0"}, "occurs twice"),
]
BOTH = {"target": [1.0], "nontarget": [0.0]}
NO_SCORES = [
    {},
    {"target": [1.0]},
    {"target": [[1.0]], "nontarget": [0.0]},
    {"target": [], "nontarget": [0.0]},
    {"target": [np.nan], "nontarget": [0.0]},
    BOTH | {"scores": [1.0], "labels": [1]},
    BOTH | {"speakers": {}},
    {"scores": [1.0, 2.0], "labels": [1]},
    {"scores": [1.0, 2.0], "labels": [1, 2]},
    {"trials": np.ones(3)},
]
FEW, OF_A = trials(1), {"test_speakers": ["a"], "template_speakers": ["a"]}
NAMED, MISNAMED = {"speakers": speaker_map()}, {"speakers": speaker_map() | {"e0": "s1"}}
OTHER_COLUMN = {"speakers": pd.DataFrame({"name": ["e0"], "speaker": ["s0"]})}
MINE = {"mine": {"op": FEW}}


@pytest.mark.parametrize(
    ("function", "given", "options", "said"),
    [
        *((zebra, [FEW.assign(**columns)], {}, said) for columns, said in NO_TABLES),
        *((verification, [], wrong, None) for wrong in NO_SCORES),
        (verification, [[1.0], [0.0]], {}, r"target=\.\.\."),
        (verification, [], BOTH | {"target": ["a"]}, "target: expected an array of numbers"),
        (verification, [], BOTH | {"p_target": None}, "p_target: None is not"),
        (verification, [], BOTH | {"p_target": 5}, "p_target: 5 is not"),
        (verification, [FEW], NAMED | {"n_replicates": -5}, "n_replicates: -5 is"),
        (zebra, [FEW.drop(columns="score")], {}, "no column score"),
        (zebra, [FEW], MISNAMED, "labelled"),
        (zebra, [FEW], OTHER_COLUMN, "the columns id and speaker"),
        (ranks, [np.eye(3)], OF_A | {"template_speakers": ["a", "b"]}, "shape"),
        (ranks, [[[np.nan]]], OF_A, "NaN"),
        (ranks, [[[1.0]]], OF_A | {"ties": "pesimistic"}, "ties='pesimistic'"),
        (plot, [MINE["mine"]], {}, "plot: expected"),
        (plot, [{"mine": verification(FEW)}], {}, "plot: expected"),
        (plot, [{}], {}, "plot: expected"),
        (plot, [MINE["mine"]], {"picture": "violin"}, "one of ece"),
        (verdict, [{"original": {"oo": FEW}}], NAMED, "a protected system"),
        (verdict, [MINE], MISNAMED, "labelled"),
        (verdict, [{"mine": {"OP": FEW}}], NAMED, "'OP': it has op, pp, rr"),
        (verdict, [MINE | {"other": {}}], NAMED, "'other' has no condition"),
        (verdict, [MINE, None], {}, "speakers: expected a table with"),
        (verdict, [MINE], NAMED | {"thresholds": {"open": 5.0}}, "thresholds='open'"),
        (verdict, [MINE], NAMED | {"thresholds": {"open_percent": np.nan}}, "open_percent is nan"),
    ],
)
def test_what_does_not_go_together_is_refused(function, given, options, said):
    with pytest.raises(BadInput, match=said):
        function(*given, **options)


def test_the_environment_of_make_imports_the_package_and_lists_its_functions(tmp_path):
    asked = "import voiceprivacy; print(*dir(voiceprivacy), voiceprivacy.__file__)"
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    python = SCRIPTS.parent / ".venv/bin/python"
    done = subprocess.run(
        [python, "-c", asked], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    *names, path = done.stdout.split()
    assert names == sorted(voiceprivacy.__all__)
    assert os.path.samefile(path, voiceprivacy.__file__)


def test_the_examples_of_the_docs_run(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    page = (SCRIPTS.parent / "docs/api.md").read_text()
    names = {"oo": trials(6), "op": trials(0), "pp": trials(1), "scores": np.eye(3)[:, :2]}
    draw = np.random.default_rng(0)
    names |= {"run0": trials(1), "run1": trials(1, seed=1)}
    names |= {name: draw.normal(size=(4, 4)) for name in ("original", "across", "protected")}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(textwrap.dedent(block), names)
    said = capsys.readouterr().out
    assert "33.3" in said and "mine" in said
