"""The commands of the report room, from metrics files to the page, as the workflow calls them."""

import json
import re

from support import verdicts
from support.calls import refused, succeeds

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report.contents import Contents, write_contents
from voiceprivacy.report.metrics import write_metrics
from voiceprivacy.report.verdict import NOT_GIVEN


def test_from_metrics_files_to_the_page_and_the_terminal(tmp_path, paths, folder):
    results = tmp_path / "results"
    report, provenance = results / "report", results / "provenance.json"
    metrics = ["--metrics", results / "metrics.tsv"]
    verdict = ["--verdict", results / "verdict.json"]
    write_contents(folder / "plan.json", Contents(metrics=[str(path) for path in paths]))
    succeeds("collect_metrics", "--folder", folder, "--plan", folder / "plan.json", *metrics)
    config = ["--config", json.dumps({"report": {"seed": 5}}), "--files", results / "metrics.tsv"]
    succeeds("write_provenance", *config, "--provenance", provenance)
    asked = [*metrics, "--provenance", provenance]
    asked += ["--page", report / "index.html", "--tables", report / "tables"]
    succeeds("write_report", *asked)
    written = {path.name for path in report.rglob("*.*")}
    tables = {"comparison.tex", "comparison.tsv", "numbers.tex"}
    assert written == {"index.html", "methods.bib", "methods.md", "methods.tex"} | tables
    assert NOT_GIVEN in (report / "index.html").read_text()
    shown = succeeds("show_metrics", *metrics, "--report", report / "index.html")
    assert NOT_GIVEN in shown and str(report / "index.html") in shown
    write_json(results / "verdict.json", verdicts.usual())
    succeeds("write_report", *asked, *verdict)
    succeeds("write_first_page", *verdict, "--page", report / "privacy.html")
    first = (report / "privacy.html").read_text()
    assert "not protected" in first and "not protected" in (report / "index.html").read_text()
    assert 'href="index.html"' in first and first.count("<section") == 1
    assert "gone: not found" in refused("show_metrics", *metrics, "--previous", results / "gone")
    shown = succeeds("show_metrics", *metrics, *verdict)
    assert "NOT PROTECTED" in shown and "minCllr" in shown and NOT_GIVEN not in shown
    brief = succeeds("show_metrics", *metrics, *verdict, "--brief")
    assert "NOT PROTECTED" in brief and "minCllr" not in brief
    # What the end of a run recommends shows all.
    [recommended] = re.findall(r"^Each attack .*: voiceprivacy (\w.*)", brief, re.MULTILINE)
    assert succeeds("main", *recommended.split(), cwd=tmp_path) == shown
    notes = ["words: no transcripts were given", "voice: no network"]
    noted = succeeds("show_metrics", *metrics, "--note", notes[0], "--note", notes[1])
    assert noted.splitlines()[-2:] == notes and notes[0] not in shown


def test_what_cannot_be_drawn_or_written_is_said(tmp_path, metrics):
    metrics_tsv, plan = tmp_path / "metrics.tsv", tmp_path / "plan.json"
    write_metrics(metrics_tsv, metrics)
    write_contents(plan, Contents())
    drawn = f"plot distinctiveness --metrics {metrics_tsv} --figures x.png --extractor e"
    for words, message in (
        (f"{drawn} --backend cos", "metrics.tsv: has no DeID and G_VD under e + cos"),
        (f"plot planned --plan {plan} --job demo/f", f"--job demo/f: {plan} has no figure"),
        (f"write_tables --metrics {metrics_tsv} --table ranks", "--table ranks: give --output"),
    ):
        assert message in refused(*words.split())
