"""The commands of the report room, from metrics files to the page, as the workflow calls them."""

import itertools
import json
import re

import pytest
from support import verdicts
from support.calls import flags, here, succeeds

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.contents import Contents, write_contents
from voiceprivacy.report.curves import PROFILES
from voiceprivacy.report.metrics import write_metrics
from voiceprivacy.report.verdict import NOT_GIVEN


def collect_metrics(folder, paths, metrics):
    plan = folder / "plan.json"
    write_contents(plan, Contents(metrics=[str(path) for path in paths]))
    succeeds("collect_metrics", *flags(folder=folder, plan=plan, metrics=metrics))


def test_from_metrics_files_to_the_page(tmp_path, paths, folder):
    metrics, provenance = tmp_path / "metrics.tsv", tmp_path / "provenance.json"
    report = tmp_path / "report"
    collect_metrics(folder, paths, metrics)
    config = json.dumps({"report": {"seed": 5}})
    succeeds("write_provenance", "--config", config, "--files", metrics, "--provenance", provenance)
    outputs = ["--page", report / "index.html", "--tables", report / "tables"]
    succeeds("write_report", "--metrics", metrics, "--provenance", provenance, *outputs)
    tables = {"comparison.tex", "comparison.tsv", "numbers.tex"}
    methods = {"methods.bib", "methods.md", "methods.tex"}
    written = {path.name for path in report.rglob("*.*")}
    assert written == {"index.html"} | tables | methods
    shown = succeeds("show_metrics", "--metrics", metrics, "--report", report / "index.html")
    assert NOT_GIVEN in shown and str(report / "index.html") in shown
    assert NOT_GIVEN in (report / "index.html").read_text()
    write_json(tmp_path / "verdict.json", verdicts.usual())
    verdict = ["--verdict", tmp_path / "verdict.json"]
    succeeds("write_report", "--metrics", metrics, "--provenance", provenance, *outputs, *verdict)
    assert "not protected" in (report / "index.html").read_text()
    succeeds("write_first_page", *verdict, "--page", report / "privacy.html")
    first = (report / "privacy.html").read_text()
    assert "not protected" in first and 'href="index.html"' in first
    assert "attacked by" not in first and "<section" in first
    shown = succeeds("show_metrics", "--metrics", metrics, *verdict)
    assert "NOT PROTECTED" in shown and "an attacker trained on protected speech" in shown
    assert "minCllr" in shown and "95 % from" not in shown
    brief = succeeds("show_metrics", "--metrics", metrics, *verdict, "--brief")
    assert "NOT PROTECTED" in brief and "minCllr" not in brief and "voiceprivacy show" in brief
    notes = ["words: no transcripts were given", "voice: no network"]
    noted = succeeds("show_metrics", "--metrics", metrics, "--note", notes[0], "--note", notes[1])
    assert noted.splitlines()[-2:] == notes and notes[0] not in shown


def test_what_the_end_of_a_run_recommends_answers_with_the_verdict(tmp_path, paths, folder):
    results = tmp_path / "results"
    collect_metrics(folder, paths, results / "metrics.tsv")
    verdict = results / "verdict.json"
    write_json(verdict, verdicts.usual())
    named = ["--metrics", results / "metrics.tsv", "--verdict", verdict]
    brief = succeeds("show_metrics", *named, "--brief")
    [recommended] = re.findall(r"^Each attack .*: voiceprivacy (\w.*)", brief, re.MULTILINE)
    said = succeeds("main", *recommended.split(), cwd=tmp_path)
    assert "NOT PROTECTED" in said and NOT_GIVEN not in said
    assert said == succeeds("show_metrics", *named)


@pytest.mark.parametrize(
    ("name", "columns", "numbers"),
    [
        ("zebra", PROFILES, [(-1.0, 0.4, 0.8), (1.0, 0.4, 0.8)]),
        ("ranks", ["rank", "p", "gamma"], [(1, 0.75, 0.7), (2, 0.25, 0.3)]),
    ],
)
def test_curves_of_all_systems_become_one_picture(tmp_path, paths, folder, name, columns, numbers):
    curves, metrics = [], []
    for anonymiser, labels in (("original", ["oo"]), ("b2", ["op", "pp"])):
        curves.append(tmp_path / f"{anonymiser}.tsv")
        metrics.append(folder / name / "demo/f" / anonymiser / "xvector/cosine.json")
        rows = [(label, *row) for label, row in itertools.product(labels, numbers)]
        write_table(curves[-1], ["label", *columns], rows)
    systems = ["--anonymisers", "original", "b2", "--curves", *curves, "--metrics", *metrics]
    succeeds("plot", name, *systems, "--figures", tmp_path / "figure.svg")
    assert ">b2 OP" in (tmp_path / "figure.svg").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("plot speakers --speakers x --figures x.png --colour blau", "--colour: invalid"),
        (
            "plot distinctiveness --metrics {metrics} --figures x.png --extractor e --backend cos",
            "metrics.tsv: has no DeID and G_VD under e + cos",
        ),
        ("plot planned --plan {plan} --job demo/f", "--job demo/f: {plan} has no figure"),
        ("write_tables --metrics {metrics} --table ranks", "--table ranks: give --output"),
    ],
)
def test_what_cannot_be_drawn_or_written_is_said(tmp_path, metrics, words, message):
    write_metrics(tmp_path / "metrics.tsv", metrics)
    write_contents(tmp_path / "plan.json", Contents())
    files = {"metrics": tmp_path / "metrics.tsv", "plan": tmp_path / "plan.json"}
    done = here(*words.format(**files).split())
    assert done.returncode == 2 and message.format(**files) in done.stderr
