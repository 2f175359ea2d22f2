"""The page: one file that needs nothing else, with everything from data escaped."""

import re
import shutil
from pathlib import Path

import pytest
from support.pages import Page

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.layout import Layout
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.contents import Contents, read_contents, write_contents
from voiceprivacy.report.figures import Subject, figure
from voiceprivacy.report.page import (
    LARGE_SVG_BYTES,
    by_kind,
    show,
    write_page,
)
from voiceprivacy.report.sections import Corpora, DescribedList, Finding, PartOfCorpus
from voiceprivacy.report.terminal import WIDTH, summary
from voiceprivacy.vocabulary import DASH

TEMPLATE = Path(__file__).parents[3] / "workflow" / "report" / "index.html.j2"
PROVENANCE = {
    "version": "1.2.3",
    "packages": {"numpy": "2.4"},
    "seeds": {"report.seed": 0},
    "config": {},
}
SVG = '<svg viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg"></svg>'
CONTENTS = {"svg": SVG, "png": "PNG", "pdf": "PDF"}
EVIL = "<script>alert('x')</script>"


def text_of(page):
    return re.sub(r"\s+", " ", " ".join(Page(page).text))


SUBJECTS = (
    ("zebra", Subject("demo", "f", "", "xvector", "cosine")),
    ("similarity", Subject("demo", "m", "b2", "xvector", "cosine")),
    ("ranks", Subject("demo", "f", "", "xvector", "cosine")),
)


@pytest.fixture
def pictured(tmp_path):
    """Figures that have pictures and no curves, as somebody may hand them on."""

    def pictured(kind, subject):
        drawn = figure(kind, subject, systems=["original", "b2"])
        pictures = {}
        for ending, path in drawn.pictures(Layout(tmp_path)).items():
            pictures[ending] = Path(path)
            pictures[ending].parent.mkdir(parents=True, exist_ok=True)
            pictures[ending].write_text(CONTENTS[ending])
        return drawn, pictures

    return pictured


@pytest.fixture
def figures(pictured):
    shown = []
    for kind, subject in SUBJECTS:
        drawn, pictures = pictured(kind, subject)
        shown.append(show(drawn, pictures=pictures))
    return shown


@pytest.fixture
def render(tmp_path, figures):
    def render(metrics, provenance=PROVENANCE, template=TEMPLATE, corpora=None):
        page, numbers = tmp_path / "index.html", {"metrics": metrics, "systems": compare(metrics)}
        content = {"figures": figures, "provenance": provenance, "corpora": corpora}
        write_page(page, template=template, **numbers, **content)
        return page.read_text(encoding="utf-8")

    return render


def test_the_page_asks_for_nothing_from_outside_and_its_own_links_have_targets(render, metrics):
    page = render(metrics)
    without_pictures = re.sub(r"base64,[A-Za-z0-9+/=]+", "", page)
    assert not re.search(r"https?:|\b//[a-z]|@import|url\((?!#)", without_pictures)
    assert all(value.startswith("data:") for value in Page(page).values("src"))
    links = Page(page).values("href")
    assert all(re.match(r"#|data:,", value) for value in links), "dead text in a mailed page"
    page = Page(render(metrics))
    targets = {f"#{value}" for value in page.values("id")}
    assert {link for link in page.values("href") if link.startswith("#")} <= targets


def test_a_figure_of_all_attackers_names_none(render, metrics, figures, pictured):
    drawn, pictures = pictured("exposed", Subject("demo", "f"))
    figures.append(show(drawn, pictures=pictures))
    headings = re.findall("<h3>.*?</h3>", render(metrics))
    assert "<h3>demo </h3>" in headings
    assert all(re.search(r"\(\S.* \+ \S.*\)", title) for title in headings if " + " in title)


def test_names_from_data_are_escaped_everywhere(render, metrics):
    renamed = []
    for one in metrics:
        names = {"anonymiser": one.anonymiser.replace("b2r", EVIL), "trials": one.trials + EVIL}
        renamed.append(one._replace(corpus=EVIL, extractor=EVIL, backend=EVIL, **names))
    provenance = {key: {EVIL: EVIL} for key in ("packages", "seeds", "sha256")}
    provenance |= {"version": EVIL, "config": {"speaker": EVIL}}
    page = render(renamed, provenance)
    assert Page(page).scripts == [None] and EVIL not in page
    assert text_of(page).count(EVIL) > 20


def test_the_corpora_are_a_section_of_their_own_and_escaped(render, metrics):
    speech = [PartOfCorpus(EVIL, "trial", "5", "4", "0", "90", "1.2345")]
    lists = [DescribedList(EVIL, "f", "5", "0", "0", "45", "100", "400")]
    findings = {EVIL: [Finding("oddity", "a.wav:3", EVIL)], "fine": []}
    page = render(metrics, corpora=Corpora(speech, lists, findings))
    text = text_of(page)
    assert f"{EVIL} trial 5 4 0 90 1.23" in text
    assert f"{EVIL} f 5 0 0 45 100 400" in text
    assert f"{EVIL} : 1 unusual thing" in text.replace(f"{EVIL}:", f"{EVIL} :")
    assert "a.wav:3" in text and "fine" not in text
    assert Page(page).scripts == [None]
    assert 'id="corpora"' not in render(metrics)


def test_excluded_utterances_are_counted_in_plain_sight(render, metrics):
    findings = [
        Finding("excluded", "a.wav", "not found (utterance 'a')"),
        Finding("excluded", "b.wav", "has no samples (utterance 'b')"),
        Finding("oddity", "audio", "2 utterances are excluded"),
    ]
    text = text_of(render(metrics, corpora=Corpora([], [], {"mine": findings})))
    assert "mine: 2 utterances are excluded from all conditions, trial lists and anonym" in text
    assert "mine: 1 unusual thing and what is excluded" in text
    assert "has no samples (utterance 'b')" in text
    mailed = Corpora([], [], {"mine": findings[:2]}, are_shown=False)
    assert "mine: no unusual things besides." in text_of(render(metrics, corpora=mailed))


def test_the_row_says_which_attack_it_is_and_the_strongest_are_shown_first(render, metrics):
    text = text_of(render(metrics))
    assert "original no protection OO xvector + cosine demo: mean of f, m 1.5 " in text
    assert "b2r lazy-informed PP xvector + cosine demo: mean of f, m strongest attack 9.8 " in text
    assert "b2r lazy-informed PP xvector + cosine demo f strongest attack 9.2 " in text
    assert "b2r ignorant OP xvector + cosine demo: mean of f, m 25.5 " in text
    # The tag stands at the worst case of a list, and not at a mean.
    assert "2.50 C" in text and "1.50 B" in text
    assert "2.00 C" not in text and "2.00 B" not in text
    rows = re.findall(r"<tr data-set=[^>]* data-attack=[^>]*>", render(metrics))
    shown = [row for row in rows if "hidden" not in row]
    assert len(rows) == 3 * 5 and len(shown) == 3
    assert all("data-strongest" in row and 'data-set="demo: mean of f, m"' in row for row in shown)


def test_the_same_metrics_in_another_order_give_the_same_page(render, metrics):
    assert render(metrics) == render(metrics[::-1])


def test_without_a_caption_there_is_no_page(render, metrics, tmp_path):
    shutil.copy(TEMPLATE, tmp_path)
    with pytest.raises(BadInput, match=r"comparison\.rst: not found"):
        render(metrics, template=tmp_path / "index.html.j2")


def test_the_small_svg_is_shown_and_otherwise_the_png(pictured):
    drawn, pictures = pictured(*SUBJECTS[0])
    small = show(drawn, pictures=pictures)
    pictures["svg"].write_text(" " * (LARGE_SVG_BYTES + 1))
    large = show(drawn, pictures=pictures)
    assert small.svg and not small.source
    assert large.source == "data:image/png;base64,UE5H"


def test_figures_are_grouped_by_kind_and_place(figures):
    kinds = by_kind(figures)
    assert [kind for kind, _, _ in kinds] == ["zebra", "similarity", "ranks"]
    for _, _, groups in kinds:
        assert [attack for attack, _, _ in groups] == [("demo", "xvector", "cosine")]
    assert kinds[1][2][0][1][0].heading == "b2, demo, list m, xvector + cosine"


@pytest.mark.parametrize(
    ("drawn", "first", "further"),
    [
        (["b2r f", "b2r_draw2 f", "x_draw2 f"], ["b2r f", "x_draw2 f"], ["b2r_draw2 f"]),
        (["b2 m", "b2 f", "b2r f", "b2r m"], ["b2 f", "b2 m", "b2r f", "b2r m"], []),
    ],
    ids=["further draws stand apart", "lists of an anonymiser stand together"],
)
def test_figures_of_an_attack_have_an_order(pictured, drawn, first, further):
    shown = []
    for name, trials in map(str.split, drawn):
        subject = Subject("demo", trials, name, "x", "cosine")
        figure_drawn, pictures = pictured("similarity", subject)
        shown.append(show(figure_drawn, pictures=pictures))
    [(_, _, [(_, *groups)])] = by_kind(shown)
    names = [[f"{one.anonymiser} {one.trials}" for one in group] for group in groups]
    assert names == [first, further]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"backend": None}, "expected kind"),
        ({"folder": ".."}, "expected kind"),
        ({"kind": "violins"}, "KIND one of zebra"),
    ],
)
def test_a_figure_that_cannot_be_shown_is_named(tmp_path, change, message):
    drawn = figure(*SUBJECTS[0], systems=["original", "b2"])
    write_contents(tmp_path / "plan.json", Contents(figures=[drawn]))
    assert read_contents(tmp_path / "plan.json").figures == [drawn]
    plan = read_json(tmp_path / "plan.json")
    [fields] = plan["figures"]
    fields = {name: value for name, value in (fields | change).items() if value is not None}
    write_json(tmp_path / "plan.json", plan | {"figures": [fields]})
    with pytest.raises(BadInput, match=rf"plan.json: figure 0: .*{message}"):
        read_contents(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("ending", "message"), [("png", "cosine.png: not found"), ("pdf", "neither .svg nor .png")]
)
def test_a_picture_that_cannot_be_shown_is_named(tmp_path, ending, message):
    drawn = figure(*SUBJECTS[0], systems=["original", "b2"])
    pictures = {ending: drawn.pictures(Layout(tmp_path))[ending]}
    with pytest.raises(BadInput, match=message):
        show(drawn, pictures=pictures)


def test_the_terminal_table_fits_and_a_long_name_has_a_line_of_its_own(systems, metrics):
    lines = summary(systems)
    assert max(map(len, lines)) <= WIDTH
    [row] = [line for line in lines if "b2r" in line and "ignorant" in line and "bit" not in line]
    cells = f"b2r ignorant 25.5 1.25 0.50 0.250 2.00 50.0 {DASH} 1.50 1.25 40.0"
    assert row.split() == cells.split()
    name = "an_anonymiser_with_a_long_name"
    renamed = [one._replace(anonymiser=one.anonymiser.replace("b2r", name)) for one in metrics]
    lines = summary(compare(renamed))
    assert name in lines and max(map(len, lines)) <= WIDTH
