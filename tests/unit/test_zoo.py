"""What tests/nightly/zoo.py makes of a run: a table whose numbers nobody types, and a picture."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from nightly import zoo
from support import verdicts

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json

MAKEFILE = Path(__file__).parents[2] / "Makefile"


@pytest.fixture
def verdict(tmp_path):
    content = verdicts.usual(zoo.CORPUS)
    fields = content["sets"][zoo.CORPUS]["utility"]
    fields["measures"] = dict.fromkeys(zoo.MEASURES, *fields["measures"].values())
    write_json(tmp_path / "verdict.json", content)
    return tmp_path / "verdict.json"


def test_a_row_has_what_the_verdict_and_the_speeds_say(verdict):
    table = zoo.table(verdict, {"b2": "0.002"}).splitlines()
    assert table[0].startswith("| name | evidence left [%] | strongest attack | wrong words [%] |")
    rows = {line.split(" | ")[0][2:]: line for line in table[2:]}
    words = "62 [58, 66] | 62.4 [58.0, 66.0] | 62.40 [58.00, 66.00]"
    assert rows["`b2`"] == f"| `b2` | 90 [45, 100] | cosine, PP | {words} | 500 |"
    assert rows["`original`"].startswith("| `original` | 100 |  | 37 [34, 40] |")
    assert rows["`broken`"].startswith("| `broken` | cannot say |  |")
    compared = [name for name in rows if name in ("`original`", "`b2`", "`b2r`", "`broken`")]
    assert compared == ["`original`", "`b2r`", "`b2`", "`broken`"], "the least evidence comes first"


def test_the_page_keeps_what_stands_around_the_table(tmp_path):
    page = f"before\n{zoo.BEGIN}old\n{zoo.END}after\n"
    changed = zoo.with_table(page, "| new |\n", tmp_path)
    assert changed == f"before\n{zoo.BEGIN}\n| new |\n\n{zoo.END}after\n"
    assert zoo.with_table(changed, "| new |\n", tmp_path) == changed
    with pytest.raises(BadInput, match="lacks the marks"):
        zoo.with_table("before", "", tmp_path)


def test_a_run_of_another_config_is_refused(tmp_path):
    write_json(tmp_path / "verdict.json", verdicts.usual())
    with pytest.raises(BadInput, match=r"is it of config/zoo\.yaml"):
        zoo.table(tmp_path / "verdict.json", {})


def test_make_asks_for_what_the_table_is_made_of():
    [wanted] = re.findall(r"config/zoo\.yaml \\\n\s+(.*)", MAKEFILE.read_text(encoding="utf-8"))
    assert wanted.split() == [f"results/{zoo.VERDICT}", f"results/{zoo.SPEEDS}"]


def test_the_picture_is_small_and_wide_enough_for_readme(verdict, tmp_path):
    zoo.draw(verdict, tmp_path / "zoo.png")
    assert (tmp_path / "zoo.png").stat().st_size < 150_000
    assert plt.imread(tmp_path / "zoo.png").shape[1] > 800
