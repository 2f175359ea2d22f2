"""Measures of others: what is accepted, and which clear line a broken one gets."""

import json
import shlex
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.calls import flags, here
from support.sounds import recording

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.utility import measures
from voiceprivacy.utility.measures import drawn, read_measured, run_measure
from voiceprivacy.utility.rows import Measured

HEADER = "utterance\tmetric\tvalue\n"


def table(tmp_path, text):
    path = tmp_path / "made.tsv"
    path.write_text(HEADER + text)
    return path


def test_values_come_by_metric_and_in_the_order_of_the_utterances(tmp_path):
    path = table(tmp_path, "b\twer\t0.5\na\twer\tundefined\na\tn_words\t0\nb\tn_words\t4\n")
    words, errors = [("a", "n_words", 0.0), ("b", "n_words", 4.0)], ("b", "wer", 0.5)
    assert read_measured(path, ["a", "b"]) == [*words, ("a", "wer", "undefined"), errors]


@pytest.mark.parametrize(
    "text, message",
    [
        ("a\twer\t1\n", "wer of 1 of 2 utterances is missing: b"),
        ("a\twer\t1\nb\twer\t1\nc\twer\t1\n", "wer of 'c', an utterance that is not in"),
        ("a\twer\t1\nb\twer\t1\na\twer\t2\n", "made.tsv:4: wer of utterance 'a' occurs twice"),
        ("a\twer\thallo\nb\twer\t1\n", "made.tsv:2: wer of utterance 'a' is 'hallo'"),
        ("a\tWER %\t1\nb\tWER %\t1\n", "made.tsv:2: metric 'WER %'"),
        ("", "holds no measures"),
    ],
)
def test_a_table_that_is_no_good_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(BadInput, match=message):
        read_measured(table(tmp_path, text), ["a", "b"])


SPOKEN = [Utterance(f"{s}_{n}", s, "f", Path(f"{s}{n}"), 1.0) for n in range(5) for s in "abc"]


def names_of(spoken, seed=0, **limits):
    return frozenset(line.utterance for line in drawn(spoken, limits, seed=seed))


def test_fewer_utterances_are_among_more_and_depend_on_names_and_the_seed_only():
    one, two, four = (names_of(SPOKEN, utterances=number) for number in (1, 2, 4))
    assert one < two < four and (len(one), len(two), len(four)) == (3, 6, 12)
    assert names_of(SPOKEN[::-1], utterances=2) == two
    moved = [line._replace(path=Path("other"), duration_s=9.0) for line in SPOKEN]
    assert names_of(moved, utterances=2) == two
    assert len({names_of(SPOKEN, seed, utterances=2) for seed in range(9)}) > 5


def test_a_sample_takes_one_utterance_of_each_speaker_before_a_second_of_anybody():
    many = [
        Utterance(f"{speaker}-{number}", speaker, gender, Path("x"), 1.0)
        for speaker, gender in (("a", "f"), ("b", "f"), ("c", "f"), ("d", "m"), ("e", "-"))
        for number in range(4)
    ]
    for sample in range(1, 13):
        chosen = drawn(many, {"sample": sample})
        counts = Counter(line.speaker for line in chosen)
        of_women = [counts[name] for name in "abc"]
        assert sum(of_women) == sample and max(of_women) - min(of_women) <= 1
        assert counts["d"] == counts["e"] == min(4, sample)
        assert set(chosen) <= set(drawn(many, {"sample": sample + 1}))
        moved = [line._replace(path=Path("other")) for line in many[::-1]]
        assert names_of(moved, sample=sample) == names_of(many, sample=sample)
    assert Counter(line.speaker for line in drawn(many, {"utterances": 2, "sample": 4}))["d"] == 2
    assert drawn(many, {"sample": 12}) == many
    first = {drawn(many[:12], {"sample": 1}, seed=seed)[0].speaker for seed in range(20)}
    assert first == {"a", "b", "c"}


def test_all_are_measured_without_a_number_and_where_there_are_no_more():
    for limits in ({}, {"utterances": 5}, {"utterances": 99}):
        assert drawn(SPOKEN, limits) == SPOKEN
    order = [line.utterance for line in drawn(SPOKEN, {"utterances": 2})]
    assert order == [line.utterance for line in SPOKEN if line.utterance in order]


def test_minutes_are_shared_by_all_speakers_and_there_is_always_one_utterance():
    """Utterances last a second: five seconds are one of each of three speakers, and two more."""
    five = drawn(SPOKEN, {"minutes": 5 / 60})
    assert len(five) == 5 and set(drawn(SPOKEN, {"utterances": 1})) < set(five)
    assert drawn(SPOKEN, {"minutes": 60}) == SPOKEN
    assert drawn(SPOKEN, {"utterances": 2, "minutes": 60}) == drawn(SPOKEN, {"utterances": 2})
    assert len(drawn(SPOKEN, {"minutes": 0.001})) == 1


def run(tmp_path, program, **changes):
    (tmp_path / "measure.py").write_text(program)
    command = f"{sys.executable} {shlex.quote(str(tmp_path / 'measure.py'))} {{threads}}"
    arguments = {"command": command, "threads": 2, "output": tmp_path / "out" / "wer.tsv"}
    for name in ("protected", "original"):
        arguments[name] = [recording(tmp_path / name, "a", np.ones(16))]
    return run_measure(**arguments | changes)


WRITES = f"""
import sys
open(sys.argv[sys.argv.index("--output") + 1], "w").write({HEADER!r} + TEXT)
"""


READS = """
import csv, os, sys
assert [sys.argv[1], *sys.argv[2::2]] == ["2", "--manifest", "--original", "--output"]
(protected,) = csv.DictReader(open(sys.argv[3]), delimiter="\\t")
(original,) = csv.DictReader(open(sys.argv[5]), delimiter="\\t")
assert "protected" in protected["path"] and "original" in original["path"]
for line in (protected, original):
    assert os.path.isabs(line["path"]) and os.path.isfile(line["path"])
"""


def test_a_command_gets_both_manifests_with_absolute_paths_and_its_table_is_read(tmp_path):
    program = READS + WRITES.replace("TEXT", 'f"a\\targuments\\t{len(sys.argv)}\\n"')
    assert run(tmp_path, program) == [("a", "arguments", 8.0)]


@pytest.mark.parametrize(
    "program, message",
    [("raise SystemExit(3)", "ended with exit code 3"), ("", "wrote no --output")],
)
def test_a_broken_command_is_one_line_and_leaves_nothing(tmp_path, program, message):
    with pytest.raises(BadInput, match=message):
        run(tmp_path, program)
    assert not (tmp_path / "out" / "wer.tsv").exists()
    assert not list((tmp_path / "out").iterdir())


COUNTING = """
import sys
manifest, output = (sys.argv[sys.argv.index(name) + 1] for name in ("--manifest", "--output"))
ids = [line.split("\\t")[0] for line in open(manifest)][1:]
with open(output, "w") as file:
    file.write("utterance\\tmetric\\tvalue\\n")
    file.write("".join(f"{name}\\tNAME\\t{len(ids)}\\n" for name in ids))
"""


def several(folder, *asked):
    """What measure_utility says of several commands, of each (program, more), and its tables."""
    utterances = [Utterance(name, "s", "f", folder / f"{name}.wav", 1.0) for name in "ab"]
    write_manifest(folder / "manifest.tsv", utterances)
    of_each, outputs = [], []
    for number, (program, more) in enumerate(asked):
        (folder / f"m{number}.py").write_text(program.replace("NAME", f"m{number}"))
        of_each.append({"command": f"{sys.executable} {folder / f'm{number}.py'}", **more})
        outputs.append(folder / f"m{number}.tsv")
    manifests = flags(manifest=folder / "manifest.tsv", original=folder / "manifest.tsv")
    words = ["--measures", json.dumps(of_each), "--output", *outputs, *manifests]
    return here("measure_utility", *words), outputs


def test_several_commands_write_a_table_each_of_as_many_utterances_as_each_may_hear(tmp_path):
    one = {"utterances": 1, "seed": 0}
    finished, outputs = several(tmp_path, (COUNTING, {}), (COUNTING, one))
    assert finished.returncode == 0, finished.stderr
    of_two, of_one = (path.read_text().splitlines()[1:] for path in outputs)
    assert of_two == ["a\tm0\t2.0", "b\tm0\t2.0"]
    assert [line.split("\t")[1:] for line in of_one] == [["m1", "1.0"]]


def test_of_several_commands_the_one_that_failed_is_named(tmp_path):
    finished, outputs = several(tmp_path, (COUNTING, {}), ("raise SystemExit(3)", {}))
    assert finished.returncode == 2
    assert "m1.py' ended with exit code 3" in finished.stderr and "m0.py" not in finished.stderr
    assert not outputs[1].exists()


class Shipped:
    """A module of a measure: of each utterance its own number, and for one of them none."""

    WHY_UNDEFINED = "it has no number"

    @staticmethod
    def measure(original, protected, *, path):
        for line in protected:
            number = line.utterance[-1]
            yield Measured(line.utterance, "path_length", len(path))
            yield Measured(line.utterance, "number", "undefined" if number == "3" else int(number))


def test_a_shipped_measure_is_called_and_its_lines_come_by_metric(monkeypatch, capsys):
    monkeypatch.setattr(measures, "module_of", lambda kind, _: {"kind": Shipped}[kind])
    monkeypatch.setenv("NINE", "x" * 9)
    spoken = SPOKEN[::3]  # a_0 to a_4
    measured = measures.call_measure("kind", spoken, spoken, {"path": "${NINE}"})
    assert [line.metric for line in measured] == 5 * ["number"] + 5 * ["path_length"]
    assert [line.value for line in measured[:5]] == [0, 1, 2, "undefined", 4]
    assert all(isinstance(line.value, float) for line in measured[5:]) and measured[5].value == 9
    said = capsys.readouterr().out
    assert said == "number is undefined of 1 utterance, such as 'a_3': it has no number\n"
    path = {"path": ""}
    frames = measures.call_measure("kind", spoken, spoken, path, undefined=["path_length"])
    assert [line.value for line in frames] == [0, 1, 2, "undefined", 4, *5 * ["undefined"]]
    assert "path_length is undefined: " in capsys.readouterr().out


def test_what_a_shipped_measure_refuses_names_it(tmp_path):
    with pytest.raises(BadInput, match=r"^closed_text: .*none.tsv: "):
        options = {"transcripts": str(tmp_path / "none.tsv")}
        measures.call_measure("closed_text", SPOKEN, SPOKEN, options)
