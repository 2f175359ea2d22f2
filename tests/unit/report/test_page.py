"""The page: one file that needs nothing else, with everything from data escaped."""

import re
import shutil
from pathlib import Path

import pytest
from support import utilities, verdicts
from support.pages import Page

from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.layout import Layout
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.contents import Contents, read_contents, write_contents
from voiceprivacy.report.described_corpora import Corpora, DescribedList, Finding, PartOfCorpus
from voiceprivacy.report.figures import Subject, figure
from voiceprivacy.report.listen import Clip, Example
from voiceprivacy.report.page import LARGE_SVG_BYTES, TEMPLATE, by_kind, show, write_page
from voiceprivacy.report.terminal import WIDTH, summary
from voiceprivacy.report.utility_tables import utility_section
from voiceprivacy.report.verdict import read_verdict
from voiceprivacy.vocabulary import DASH

PROVENANCE = {"version": "1.2.3", "packages": {}, "seeds": {"report.seed": 0}, "config": {}}
SVG = '<svg viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg"></svg>'
CONTENTS = {"svg": SVG, "png": "PNG", "pdf": "PDF"}
EVIL = "<script>alert('x')</script>"
SUBJECTS = (
    ("zebra", Subject("demo", "f", "", "xvector", "cosine")),
    ("similarity", Subject("demo", "m", "b2", "xvector", "cosine")),
    ("ranks", Subject("demo", "f", "", "xvector", "cosine")),
)


def text_of(page):
    return re.sub(r"\s+", " ", " ".join(Page(page).text))


def pictured(folder, kind, subject):
    """A figure that has pictures and no curves, as somebody may hand it on."""
    drawn = figure(kind, subject, systems=["original", "b2"])
    pictures = {ending: Path(path) for ending, path in drawn.pictures(Layout(folder)).items()}
    for ending, path in pictures.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CONTENTS[ending])
    return drawn, pictures


def shown(folder, kind, subject):
    drawn, pictures = pictured(folder, kind, subject)
    return show(drawn, pictures=pictures)


def render(folder, metrics, provenance=PROVENANCE, figures=SUBJECTS, template=TEMPLATE, **content):
    numbers = {"metrics": metrics, "systems": compare(metrics), "provenance": provenance}
    drawn = [shown(folder, *one) for one in figures]
    write_page(folder / "x.html", template=template, figures=drawn, **numbers, **content)
    return (folder / "x.html").read_text(encoding="utf-8")


def rows(page, table):
    """Rows of a table by what marks it: (attributes, content)."""
    table = page.partition(table)[2].partition("</table>")[0]
    matches = re.findall(r"<tr ([^>]*data-[^>]*)>(.*?)</tr>", table, re.DOTALL)
    return [(dict(re.findall(r'([\w-]+)="(.*?)"', named)), named + row) for named, row in matches]


def test_numbers_states_and_counts_are_those_of_the_facts(metrics, tmp_path):
    write_json(tmp_path / "verdict.json", verdicts.usual())
    verdict = read_verdict(tmp_path / "verdict.json")
    speech = [PartOfCorpus("demo", "trial", 5, 4, 1, 90, 1.2345)]
    lists = [DescribedList("demo", "f", 6, 2, 3, 45, 100, 400)]
    wer = utilities.measured("b2", "wer", 12.5, 9.0, 17.5, n_undefined=2)
    content = {"corpora": Corpora(speech, lists, {}), "utility": utility_section([wer])}
    page = render(tmp_path, metrics, verdict=verdict, **content)
    # Each number of an attack stands in the row and the column of its own.
    board, shown = page.partition('id="board"')[2].partition("</table>")[0], {}
    columns = list(dict.fromkeys(re.findall(r'popovertarget="column-(\w+)"', board)))
    for attributes, row in rows(page, 'id="board"'):
        key = [attributes[f"data-{name}"] for name in ("set", "system", "condition")]
        for name, text in zip(columns, re.findall(r'class="mean">(\S+?)[< ]', row), strict=True):
            shown[(*key, name)] = text
    facts = [one for one in metrics if one.metric in columns]
    assert len(facts) == 2 * 5 * 8
    for one in facts:
        text = METRICS[one.metric].text(float(one.value))
        assert shown[f"demo {one.trials}", one.anonymiser, one.condition, one.metric] == text
    assert shown["demo: mean of f, m", "b2r", "pp", "eer_percent"] == "9.8"
    # The tag stands at the worst case of a list, and not at a mean.
    tags = re.findall(r'class="mean">(\d\.\d\d) <span class="tag">(\w)', page)
    assert {*tags} == {("2.50", "C"), ("1.50", "B")}
    judged = {attributes["data-system"]: row for attributes, row in rows(page, 'class="verdict"')}
    states = {name: re.search(r'class="(\w+)"', row)[1] for name, row in judged.items()}
    known = verdicts.usual()["sets"]["demo"]["systems"]
    assert {name: states[name] for name in known} == {
        name: "control" if name == "noise" else one["state"] for name, one in known.items()
    }
    assert "60\u00a0%" in judged["b2"] and "[51, 72]" in judged["b2"]
    text = text_of(page)
    assert "demo trial 5 4 1 90 1.23" in text and "demo f 6 2 3 45 100 400" in text
    assert "b2 12.50 [9.00, 17.50] 2 undefined" in text


def test_unprotected_speech_has_one_name_in_tables_boxes_and_players(metrics, tmp_path):
    clips = [Clip(name, "data:,", "data:,") for name in ("original", "b2")]
    write_json(tmp_path / "verdict.json", verdicts.usual())
    page = render(
        tmp_path,
        metrics,
        verdict=read_verdict(tmp_path / "verdict.json"),
        utility=utility_section([utilities.measured("original", "wer", 12.5)]),
        listen=[Example("demo", "f", "u1", "s1", "f", False, clips)],
    )
    assert re.findall(r">\s*original\s*<", page) == []
    assert len(re.findall(r">\s*unprotected speech\s*<", page)) > 5
    assert "u1, unprotected speech" in page


def test_the_strongest_attacks_are_marked_and_shown_first(metrics, tmp_path):
    page = render(tmp_path, metrics)
    board = rows(page, 'id="board"')
    assert len(board) == 3 * 5 and 'id="corpora"' not in page
    shown = [(attributes, row) for attributes, row in board if " hidden" not in row]
    conditions = {one["data-system"]: one["data-condition"] for one, _ in shown}
    assert conditions == {"original": "oo", "b2": "pp", "b2r": "pp"} and len(shown) == 3
    assert {one["data-set"] for one, _ in shown} == {"demo: mean of f, m"}
    marked = [one["data-condition"] for one, row in board if "strongest-mark" in row]
    assert marked == ["pp"] * 6


def test_the_page_asks_for_nothing_from_outside_and_its_own_links_have_targets(metrics, tmp_path):
    page = render(tmp_path, metrics)
    without_pictures = re.sub(r"base64,[A-Za-z0-9+/=]+", "", page)
    assert not re.search(r"https?:|\b//[a-z]|@import|url\((?!#)", without_pictures)
    assert all(value.startswith("data:") for value in Page(page).values("src"))
    page = Page(page)
    links = page.values("href")
    assert all(re.match(r"#|data:,", value) for value in links), "dead text in a mailed page"
    targets = {f"#{value}" for value in page.values("id")}
    assert {link for link in links if link.startswith("#")} <= targets


def test_a_figure_of_all_attackers_names_none(metrics, tmp_path):
    page = render(tmp_path, metrics, figures=[*SUBJECTS, ("exposed", Subject("demo", "f"))])
    headings = re.findall("<h3>.*?</h3>", page)
    assert "<h3>demo </h3>" in headings
    assert all(re.search(r"\(\S.* \+ \S.*\)", title) for title in headings if " + " in title)


def test_names_from_data_are_escaped_everywhere(metrics, tmp_path):
    renamed = []
    for one in metrics:
        names = {"anonymiser": one.anonymiser.replace("b2r", EVIL), "trials": one.trials + EVIL}
        renamed.append(one._replace(corpus=EVIL, extractor=EVIL, backend=EVIL, **names))
    provenance = {key: {EVIL: EVIL} for key in ("packages", "seeds", "sha256")}
    provenance |= {"version": EVIL, "config": {"speaker": EVIL}}
    speech = [PartOfCorpus(EVIL, EVIL, "5", "4", "0", "90", "1.2345")]
    lists = [DescribedList(EVIL, EVIL, "5", "0", "0", "45", "100", "400")]
    findings = {EVIL: [Finding("oddity", EVIL, EVIL)], "faultless": []}
    page = render(tmp_path, renamed, provenance, corpora=Corpora(speech, lists, findings))
    assert Page(page).scripts == [None] and EVIL not in page
    assert text_of(page).count(EVIL) > 25 and "faultless" not in text_of(page)


def test_excluded_utterances_are_counted_and_named_where_people_are(metrics, tmp_path):
    findings = [
        Finding("excluded", "a.wav", "not found (utterance 'a')"),
        Finding("excluded", "b.wav", "has no samples (utterance 'b')"),
        Finding("oddity", "audio", "2 utterances are excluded"),
    ]
    text = text_of(render(tmp_path, metrics, corpora=Corpora([], [], {"mine": findings})))
    assert "mine: 2 utterances are excluded from all" in text and "mine: 1 unusual" in text
    assert "has no samples (utterance 'b')" in text
    mailed = Corpora([], [], {"mine": findings[:2]}, are_shown=False)
    assert "mine: no unusual" in text_of(render(tmp_path, metrics, corpora=mailed))


def test_without_a_caption_there_is_no_page(metrics, tmp_path):
    template = shutil.copy(TEMPLATE, tmp_path)
    with pytest.raises(BadInput, match=r"comparison\.rst: not found"):
        render(tmp_path, metrics, template=Path(template))


def test_the_small_svg_is_shown_and_otherwise_the_png(tmp_path):
    drawn, pictures = pictured(tmp_path, *SUBJECTS[0])
    small = show(drawn, pictures=pictures)
    pictures["svg"].write_text(" " * (LARGE_SVG_BYTES + 1))
    large = show(drawn, pictures=pictures)
    assert small.svg and not small.source
    assert large.source == "data:image/png;base64,UE5H"


def test_figures_are_grouped_by_kind_and_place_in_the_order_of_systems_further_draws_apart(
    tmp_path,
):
    kinds = by_kind([shown(tmp_path, *one) for one in SUBJECTS])
    assert [kind for kind, _, _ in kinds] == ["zebra", "similarity", "ranks"]
    for _, _, groups in kinds:
        assert [attack for attack, _, _ in groups] == [("demo", "xvector", "cosine")]
    assert kinds[1][2][0][1][0].heading == "b2, demo, list m, xvector + cosine"
    for drawn, first, further in (
        (["b2r f", "b2r_draw2 f", "x_draw2 f"], ["b2r f", "x_draw2 f"], ["b2r_draw2 f"]),
        (["b2 m", "b2 f", "b2r f", "b2r m"], ["b2 f", "b2 m", "b2r f", "b2r m"], []),
    ):
        subjects = [Subject("demo", one.split()[1], one.split()[0], "x", "cos") for one in drawn]
        [(_, _, [(_, *groups)])] = by_kind([shown(tmp_path, "similarity", one) for one in subjects])
        names = [[f"{one.anonymiser} {one.trials}" for one in group] for group in groups]
        assert names == [first, further]


def test_a_figure_that_cannot_be_shown_is_named(tmp_path):
    drawn, path = figure(*SUBJECTS[0], systems=["original", "b2"]), tmp_path / "plan.json"
    write_contents(path, Contents(figures=[drawn]))
    assert read_contents(path).figures == [drawn]
    plan = read_json(path)
    [fields] = plan["figures"]
    without = {name: value for name, value in fields.items() if name != "backend"}
    for broken in (without, fields | {"folder": ".."}, fields | {"kind": "violins"}):
        write_json(path, plan | {"figures": [broken]})
        with pytest.raises(
            BadInput, match=r"plan.json: figures?:? 0: .*(is missing|is none of|KIND one of)"
        ):
            read_contents(path)
    for ending, message in (("png", "cosine.png: not found"), ("pdf", "neither .svg nor .png")):
        with pytest.raises(BadInput, match=message):
            show(drawn, pictures={ending: drawn.pictures(Layout(tmp_path))[ending]})


def test_the_terminal_table_fits_and_a_long_name_has_a_line_of_its_own(systems, metrics):
    lines = summary(systems)
    [row] = [line for line in lines if "b2r" in line and "ignorant" in line and "bit" not in line]
    cells = f"b2r ignorant 25.5 1.25 0.50 0.250 2.00 50.0 {DASH} 1.50 1.25 40.0"
    assert row.split() == cells.split()
    name = "an_anonymiser_with_a_long_name"
    renamed = [one._replace(anonymiser=one.anonymiser.replace("b2r", name)) for one in metrics]
    long = summary(compare(renamed))
    assert name in long and max(map(len, lines + long)) <= WIDTH
