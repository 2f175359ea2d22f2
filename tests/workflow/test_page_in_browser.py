"""The page as a reader has it: without errors or network, sorted, switched, pointed at, printed."""

import re

import pytest
from support import made_up, verdicts
from support.browser import needs_browser
from support.pdf import squeezed, text_of_pdf

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.verdict import read_verdict

pytestmark = needs_browser
ROWS = "#board tbody tr:visible"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    made_up.write_results(folder)
    made_up.draw(folder)
    write_json(folder / "verdict.json", verdicts.usual("libri"))
    verdict = read_verdict(folder / "verdict.json", numbers=made_up.metrics())
    return made_up.render(folder, published=made_up.published(), verdict=verdict)


@pytest.fixture
def read(open_page, path):
    def read(at="#all", unfold="section > details", **how):
        reader = open_page(path, at=at, **how)
        if how.get("scripts", True):
            reader.unfold(unfold)
        return reader

    return read


def anonymisers(page):
    shown = page.locator(f"{ROWS} .anonymiser").all_inner_texts()
    return ["original" if name == "unprotected speech" else name for name in shown]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (380, True)])
def test_everything_is_drawn_without_errors_or_a_network_and_nothing_overflows(
    read, path, width, dark
):
    reader = read(width=width, dark=dark)
    reader.open_everything()
    assert reader.undrawn() == []
    assert reader.too_wide() == []
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
    assert reader.errors == reader.serious_violations() == []
    outside = {url for url in reader.requests if not url.startswith(("data:", "blob:"))}
    assert outside == {path.as_uri()}


def test_tables_fit_on_a_laptop(read):
    page = read().page
    width = "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)"
    for section in ("verdict", "leaderboard"):
        assert page.evaluate(f"{width}(document.querySelector('#{section} .scroll'))") <= 0


def test_the_verdict_stands_on_the_first_screen(read):
    page = read(at="").page
    height = page.viewport_size["height"]
    row = page.locator("#verdict .verdict tr", has_text="not protected")
    assert row.bounding_box()["y"] < height
    shown = " ".join(row.inner_text().split()).replace("\N{NO-BREAK SPACE}", " ")
    assert shown == "b2 NOT PROTECTED 60 % [51, 72] little better"
    for text in ("b2: the attacker", "b2r leaves less", "Failing attack on", "Evaluate about 80"):
        words = page.get_by_text(text).first
        assert words.is_visible() and words.bounding_box()["y"] < height
    states = page.locator("#verdict .state:visible")
    sign = "(all) => all.map((of) => getComputedStyle(of, '::before').content)"
    assert len({*states.evaluate_all(sign)}) == len({*states.all_inner_texts()}) == 3


def test_there_are_three_views_and_the_first_is_for_a_decision(read, path):
    page = read(at="").page
    shown = page.locator("main > section:visible")
    names = "(all) => all.map((of) => of.id)"
    assert shown.evaluate_all(names) == ["verdict"]
    page.get_by_role("button", name="Study", exact=True).press("Enter")
    assert {"leaderboard", "zebra"} <= {*shown.evaluate_all(names)}
    assert not page.locator("#provenance").is_visible() and page.url.endswith("#study")
    page.get_by_role("button", name="Everything", exact=True).click()
    assert shown.count() == page.locator("main > section").count()
    page.locator(".more").get_by_role("link", name="Decide").click()
    assert shown.evaluate_all(names) == ["verdict"]
    assert page.get_by_role("button", name="Decide", exact=True).get_attribute("aria-pressed")


def test_a_link_opens_what_it_points_to_and_one_section_is_open_at_a_time(read):
    page = read(at="#zebra", unfold="none").page
    page.locator("#zebra .chart svg").first.wait_for()
    details = "[...document.querySelectorAll('section > details[open]')]"
    opened = f"{details}.map((one) => one.parentElement.id)"
    assert page.evaluate(opened) == ["zebra"]
    page.get_by_text("Contents", exact=False).first.click()
    # The page may still scroll, so both may change between two looks at them.
    named = "document.querySelector('.contents [aria-current]')?.innerText"
    page.wait_for_function(f"{named} && {named} === document.querySelector('#here').innerText")
    page.locator(".contents").get_by_role("link", name="Provenance").click()
    assert page.evaluate(opened) == ["provenance"] and page.locator("#provenance h2").is_visible()
    assert page.locator(".contents[open]").count() == 0
    page.get_by_text("Contents", exact=False).first.click()
    page.keyboard.press("Escape")
    assert page.locator(".contents[open]").count() == 0
    page.evaluate("location.hash = '#published-1'")
    page.locator("#published-1").wait_for()
    assert page.evaluate(opened) == ["published"], "also where it points into a section"


@pytest.fixture(scope="module")
def page_of_two(tmp_path_factory):
    """A page of two sets: the second alone decides on b2r, with as many columns as there are."""
    folder = tmp_path_factory.mktemp("two")
    limits = [86.0, 75.0, 97.0]
    said = {"original": {"state": "open", "right_of_20_percent": limits, "evidence_percent": None}}
    worse = {name: verdicts.system("open", linkage_percent=limits) for name in ("b2", "b2r")}
    content = verdicts.usual("libri")
    content["sets"]["vctk"] = verdicts.set_of(worse, of_text=said)
    made_up.write_results(folder)
    write_json(folder / "verdict.json", content)
    inferred = ("vctk", "-", "b2", "ecapa", "-", "op", "inferred_sex_percent", "97", "93", "98")
    numbers = [*made_up.metrics(), Number(*inferred)]
    verdict = read_verdict(folder / "verdict.json", numbers=numbers)
    return made_up.render(folder, verdict=verdict)


def test_every_set_is_in_the_answer_and_in_print(open_page, page_of_two):
    page = open_page(page_of_two).page
    signs = str.maketrans("", "", "?=\N{MULTIPLICATION X}\N{DOWNWARDS ARROW}")  # before states
    printed = text_of_pdf(page.pdf(prefer_css_page_size=True)).translate(signs)
    answer = page.locator("#verdict h2").first.inner_text()
    assert "b2 and b2r: no. broken: not proven" in answer
    shown = page.locator("#verdict")
    rows = shown.locator("tbody tr").all_inner_texts()
    reasons = shown.locator(".reasons p, .reasons li").all_inner_texts()
    assert len(rows) == 16 and len(reasons) > 12
    for text in (answer, *shown.locator("h3").all_inner_texts(), *rows, *reasons):
        assert squeezed(text).translate(signs) in printed


def test_no_table_of_the_verdict_is_cut_that_fits(open_page, page_of_two):
    page = open_page(page_of_two).page
    assert page.locator("#verdict .law thead th").count() == 4 + 6
    assert page.locator("#verdict .scroll[data-wide]").count() == 0
    assert open_page(page_of_two, width=390).too_wide() == []


def test_states_and_columns_are_explained_one_key_away(read, width=380):
    reader = read(at="#study", width=width)
    page = reader.page
    words = page.locator("#verdict").get_by_text("What the words mean")
    meaning = page.locator("#verdict dd", has_text="Chance: 5 %")
    assert not meaning.is_visible()
    words.focus()
    page.keyboard.press("Enter")
    assert meaning.is_visible()
    box = meaning.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert reader.serious_violations() == []
    page.locator("#board").get_by_role("button", name="What is EER?").click()
    assert "Equal error rate" in page.locator("#board [popover]:popover-open").inner_text()
    assert anonymisers(page) == ["b2r", "b2", "original"], "an explanation sorts nothing"


def test_the_first_view_is_printed_on_two_pages_with_its_definitions(read):
    page = read(at="", unfold="none").page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) == 2
    page.emulate_media(media="print")
    assert page.locator("#verdict dd", has_text="Chance: 5 %").bounding_box()["height"] > 5


def test_a_table_that_is_cut_says_that_it_scrolls(read):
    page = read(at="", width=390).page
    page.locator("#verdict .scroll[data-wide]").wait_for()
    assert read(at="").page.locator("#verdict .scroll[data-wide]").count() == 0


def test_the_leaderboard_sorts_by_click_and_by_key_and_what_is_missing_comes_last(read):
    page = read().page
    assert anonymisers(page) == ["b2r", "b2", "original"]
    title = page.locator("#board").get_by_role("columnheader", name=re.compile("^EER"))
    assert title.get_attribute("aria-sort") is None, "no order is a verdict"
    button = title.get_by_role("button").first
    button.click()
    assert title.get_attribute("aria-sort") == "descending"
    assert anonymisers(page) == ["b2r", "b2", "original"]
    button.press("Enter")
    assert title.get_attribute("aria-sort") == "ascending"
    assert anonymisers(page) == ["original", "b2", "b2r"]
    voices = page.locator(".voices")
    other = voices.get_by_role("columnheader", name=re.compile("^G_VD"))
    names = voices.locator("tbody tr:visible .anonymiser")
    assert names.all_inner_texts() == ["b2", "b2r"], "of this set alone"
    other.get_by_role("button").first.click()
    assert names.all_inner_texts() == ["b2r", "b2"], "what is undefined comes last"
    assert title.get_attribute("aria-sort") == "ascending", "each table by itself"
    zoo = page.locator("#zoo table").first
    page.locator("#zoo summary", has_text="As a table").first.click()
    zoo.get_by_role("button", name="condition").click()
    shown = zoo.locator("tbody td:nth-child(2)").all_inner_texts()
    assert shown == sorted(shown, reverse=True) != shown[::-1], "words are sorted, too"


def test_sets_and_attacks_are_chosen(read):
    page = read().page
    sets, attacks = (
        page.get_by_role("combobox", name=re.compile(f"^{name}")) for name in ("Set", "Attack")
    )
    offered = sets.locator("option").all_inner_texts()
    assert offered[:3] == ["challenge", "all lists", "libri: mean of f, m"]
    weights = "weights: libri f 0.25, libri m 0.25, vctk f 0.5"
    assert page.locator("#leaderboard").get_by_text(weights).is_visible()
    sets.select_option("vctk f")
    attacks.select_option("every")
    assert len(anonymisers(page)) == 5
    attacks.select_option("ignorant")
    assert sorted(anonymisers(page)) == ["b2", "b2r", "original"]
    assert page.locator(f"{ROWS} .attack").all_inner_texts().count("ignorant") == 2


def test_a_system_is_hidden_and_shown_everywhere_by_key(read):
    reader = read()
    page = reader.page
    page.locator("#zebra .chart").first.scroll_into_view_if_needed()
    entries = page.locator("#zebra .chart svg").first.locator("text:visible")
    everything = ["b2r OP", "b2 OP", "b2r PP", "b2 PP", "original OO"]  # by what they disclose

    def drawn():
        texts = [text.rpartition(" (")[0] for text in entries.all_text_contents()]
        return [text for text in texts if text in everything]

    assert drawn() == everything
    page.get_by_text("Systems shown: all").click()
    box = page.get_by_role("checkbox", name="b2r", exact=True)
    box.press("Space")
    assert page.get_by_text("Systems shown: 2 of 3").is_visible()
    assert drawn() == ["b2 OP", "b2 PP", "original OO"]
    assert anonymisers(page) == ["b2", "original"]
    marks = page.locator("#zebra .chart svg").first.locator("[data-system=b2r]")
    assert marks.count() > 0 and not any(mark.is_visible() for mark in marks.all())
    names = "(all) => all.map((one) => one.dataset.system)"
    assert page.locator("#similarity figure:visible").evaluate_all(names) == ["b2", "b2"]
    page.get_by_role("button", name="none", exact=True).press("Enter")
    assert drawn() == [] and anonymisers(page) == []
    page.get_by_role("button", name="all", exact=True).press("Enter")
    assert drawn() == everything and anonymisers(page) == ["b2r", "b2", "original"]
    assert marks.first.is_visible() and reader.errors == []


def test_pointing_at_a_mark_says_its_numbers_and_names_speakers_as_they_are_called(read):
    reader = read()
    tip = reader.page.locator(".tip")
    chart = reader.page.locator("#zoo .chart").first
    chart.scroll_into_view_if_needed()
    words = made_up.SPEAKERS[2]
    chart.locator(f"[data-words*='{words}'] use").first.hover()
    assert words in tip.inner_text() and tip.is_visible()
    assert tip.locator("b, script").count() == 0
    reader.page.locator("#zoo h2").hover()
    assert not tip.is_visible()


def test_dark_and_light_are_switched_with_the_charts(read):
    page = read(dark=True).page
    background = "getComputedStyle(document.body).backgroundColor"
    text = "getComputedStyle(document.querySelector('#zebra .chart text')).fill"
    colours = f"[{background}, {text}]"
    dark = page.evaluate(colours)
    page.get_by_role("button", name="Light colours").click()
    light = page.evaluate(colours)
    assert dark[0] == light[0].replace("255, 255, 255", "20, 24, 28") and dark[1] != light[1]
    assert page.get_by_role("button", name="Dark colours").is_visible()


def test_without_scripts_all_rows_and_pictures_are_there(read):
    page = read(scripts=False).page
    assert page.locator(ROWS).count() == page.locator("#board tbody tr").count() > 20
    page.locator("#zebra > details > summary").click()
    assert page.locator("#zebra .chart svg").first.is_visible()
    assert page.locator(".controls:visible, select:visible").count() == 0
    assert page.locator("#provenance, #leaderboard, #verdict").first.is_visible()


def test_print_is_light_and_no_wider_than_the_paper(read):
    page = read(dark=True).page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1020, "height": 700})
    charts = "[...document.querySelectorAll('.chart')].filter((of) => of.checkVisibility())"
    cut = f"{charts}.filter((of) => of.scrollWidth > of.clientWidth + 1).length"
    assert page.evaluate(f"{charts}.length") > 10 and page.evaluate(cut) == 0
    widths = "[...document.querySelectorAll('table')].map((one) => one.offsetWidth)"
    assert page.evaluate(f"Math.max(...{widths})") <= 1020
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 28)"
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
