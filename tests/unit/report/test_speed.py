"""How long anonymisers take: seconds of their jobs, and the columns of the page."""

import json
from pathlib import Path

import pytest
from support.calls import succeeds
from support.utilities import measured

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import read_table, write_table
from voiceprivacy.plan import defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speed import protecting
from voiceprivacy.provenance.benchmarks import COLUMNS, processor_s
from voiceprivacy.report.utility_tables import read_speeds, utility_section
from voiceprivacy.utility.rows import Speed
from voiceprivacy.vocabulary import STREAMED

CONFIG = {
    "corpora": {"demo": {"synthetic": {"speakers": 4, "utterances": 4}}},
    "anonymisers": {
        "b2": {"command": "python b2.py", "shards": 2, "streaming": True},
        "b2r": {"command": "python b2r.py", "draws": 2},
        "nac": {"command": "python nac.py", "gpu": 1, "streaming": False},
        "team": {"audio": "submission"},
        "lost": {"command": "python lost.py"},
        "quick": {"command": "python quick.py"},
    },
}


def test_what_snakemake_did_not_look_at_is_like_what_it_saw():
    for lasted, cpu, whole in (
        ("3.2", "1.6", 1.6),
        ("15", "12", 12),
        ("30", "12", 24),  # seen for 15 s
        ("60", "40", 40 * 60 / 45),
        ("661.2", "518.32", 518.32 * 661.2 / 645),
        ("0.2", "NA", 0),
        ("0", "0", 0),
    ):
        assert processor_s({"s": lasted, "cpu_time": cpu}) == pytest.approx(whole)


@pytest.fixture
def speeds(tmp_path):
    spoken = [Utterance(f"u{number}", "s", "f", Path("u.wav"), number) for number in (4, 6)]
    write_manifest(tmp_path / "results/audio/demo/trial/original/manifest.tsv", spoken)
    for path, seconds, cpu in (
        ("shard/demo/trial/b2/0", "9", "2"),
        ("shard/demo/trial/b2/1", "9", "3"),
        ("part/demo/trial/b2", "9", "100"),  # of an earlier config
        ("part/demo/trial/b2r", "9", "1"),
        ("part/demo/trial/b2r_draw2", "9", "3"),
        ("part/demo/enrolment/b2r", "9", "100"),
        ("part/demo/trial/nac", "20", "900"),
        ("part/demo/trial/team", "9", "9"),
        ("part/demo/trial/quick", "0.2", "NA"),
    ):
        row = dict.fromkeys(COLUMNS, "1") | {"s": seconds, "cpu_time": cpu}
        write_table(tmp_path / f"results/benchmarks/anonymise_{path}.tsv", COLUMNS, [row.values()])
    return tmp_path / "speed.tsv"


def measured_rows(speeds):
    """What is measured now: {anonymiser: its line}."""
    anonymisers = [one._asdict() for one in protecting(Plan(defaults.complete(CONFIG)))]
    words = ["--anonymisers", json.dumps(anonymisers), "--results", "results", "--speeds", speeds]
    succeeds("measure_speed", *words, cwd=speeds.parent)
    return {row["anonymiser"]: row for row in read_table(speeds, list(Speed._fields))}


def test_a_line_of_every_anonymiser_has_the_seconds_of_its_own_jobs(speeds):
    rows = measured_rows(speeds)
    factors = {name: row["real_time_factor"] for name, row in rows.items()}
    assert factors == dict.fromkeys(rows, "undefined") | {
        "b2": "0.5",  # both shards
        "b2r": "0.2",  # 4 s for the ten of each draw
        "nac": "2.0",  # the seconds that pass on a GPU
    }
    assert rows.keys() == CONFIG["anonymisers"].keys()
    assert rows["b2r"]["speech_s"] == "20.0" and rows["nac"]["device"] == "gpu"
    streaming = {name: row["streaming"] for name, row in rows.items()}
    assert streaming == dict.fromkeys(rows, "-") | {"b2": "yes", "nac": "no"}


def test_a_stream_that_was_tried_has_the_longest_latency_of_its_draws_and_shards(speeds, tmp_path):
    latencies = {"b2/wav/0": 25.5, "b2/wav/1": 31.25, "b2r_draw2/wav/0": 20, "nac/wav/0": 4000}
    for folder, latency_ms in latencies.items():
        path = tmp_path / "results/audio/demo/trial" / folder
        path.mkdir(parents=True)
        write_json(path / STREAMED, {"latency_ms": latency_ms})
    told = {
        name: row["streaming"] + row["latency_ms"] for name, row in measured_rows(speeds).items()
    }
    assert told == dict.fromkeys(told, "--") | {
        "b2": "yes31.25",
        "b2r": "yes20",  # nobody said so, and it is
        "nac": "no4000",
    }
    lines = [measured("b2", "wer"), measured("nac", "wer")]
    (table,) = utility_section(lines, speeds=read_speeds(speeds)).tables
    cells = {name: cells[1] for name, cells in table.rows}
    assert (cells["b2"].text, cells["b2"].interval) == ("yes", "31 ms")


def test_a_draw_whose_jobs_are_not_all_known_does_not_count(speeds, tmp_path):
    (tmp_path / "results/benchmarks/anonymise_part/demo/trial/b2r.tsv").unlink()
    (tmp_path / "results/benchmarks/anonymise_shard/demo/trial/b2/1.tsv").unlink()
    rows = measured_rows(speeds)
    assert rows["b2r"]["real_time_factor"] == "0.3"
    assert rows["b2"]["real_time_factor"] == "undefined"


def shown(section):
    (table,) = section.tables
    titles = [(column.title, column.group) for column in table.columns]
    return titles, {name: [cell and cell.text for cell in cells] for name, cells in table.rows}


def test_the_page_has_speed_before_measures_of_ones_own(speeds):
    lines = [measured("b2", "wer"), measured("nac", "wer")]
    lines += [measured("original", "pitch_correlation"), measured("team", "pitch_correlation")]
    measured_rows(speeds)
    section = utility_section(lines, speeds=read_speeds(speeds))
    titles, rows = shown(section)
    assert titles == [
        ("pitch correlation", "Pitch"),
        ("real-time factor", "Speed"),
        ("streaming", "Speed"),
        ("wer", "Measures of your own"),
    ]
    assert section.has_speed
    assert rows == {
        "original": ["0.50", None, None, None],
        "b2": [None, "0.5", "yes", "0.50"],
        "nac": [None, "2", "no", "0.50"],
        "team": ["0.50", None, None, None],
    }


def test_what_nobody_knows_is_no_column():
    one = Speed("demo", "b2", "cpu", 0.0, 0.0, "undefined", "-")
    elsewhere = one._replace(corpus="other", real_time_factor="0.5", streaming="no")
    for speeds, further in (
        ([one], []),
        ([one, elsewhere], []),
        ([one._replace(streaming="no")], ["streaming"]),
    ):
        section = utility_section([measured("b2", "pitch_correlation")], speeds=speeds)
        titles, rows = shown(section)
        assert [title for title, _ in titles] == ["pitch correlation", *further]
        assert not section.has_speed
    assert rows == {"b2": ["0.50", "no"]}


def test_a_factor_has_two_digits_and_says_what_is_a_gpu_s():
    texts = {0.00004: "under 0.001", 0.0123: "0.012", 1.26: "1.3", 9.97: "10", 123.4: "123"}
    for factor, text in texts.items():
        one = Speed("demo", "b2", "gpu", 1.0, 1.0, factor, "-")
        (table,) = utility_section([measured("b2", "pitch_correlation")], speeds=[one]).tables
        cell = table.rows[0][1][1]
        assert (cell.text, cell.interval) == (text, "GPU")


def test_a_table_that_no_run_writes_is_refused(tmp_path):
    broken = {"real_time_factor": "fast", "streaming": "<b>", "device": "tpu", "latency_ms": "soon"}
    for column, value in broken.items():
        one = Speed("demo", "b2", "gpu", 1.0, 1.0, 0.5, "-")._replace(**{column: value})
        write_table(tmp_path / "speed.tsv", Speed._fields, [one])
        with pytest.raises(BadInput, match=r"speed.tsv:2"):
            read_speeds(tmp_path / "speed.tsv")
