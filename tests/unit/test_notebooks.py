"""The notebooks of the documentation run: their code cells in order, in one process."""

import json
import re
from pathlib import Path

import matplotlib
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_in_order(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        assert not cell.get("outputs"), "a notebook is committed without outputs"
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["judged"].states == {"mine": "open"}
    assert re.search("^mine +NOT PROTECTED", capsys.readouterr().out, re.MULTILINE)
    assert {made.name for made in tmp_path.iterdir()} == {"zebra.pdf", "det.pdf"}
