"""The leaderboard as a reader has it: on a phone, in the dark, by keyboard, without a network."""

import pytest
from support import repositories
from support.browser import needs_browser
from support.repositories import result, word_errors

from voiceprivacy.organise.site import write_site

pytestmark = needs_browser
PAGES = ["index.html", "protocols/libri.html", "systems/y.html", "attackers/wavlm.html"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    results = [
        result("x", eer=31.0, utility=[word_errors(4.0)]),
        result("x", "wavlm", eer=22.0, laboratory="Lab B"),
        result("y", eer=44.0, utility=[word_errors(9.5)]),
        result("y", "wavlm", eer=38.0, controls={"refused": "it finds nobody"}),
        result("a_name_that_is_as_long_as_people_like_to_call_their_systems", eer=25.0),
        result("z", eer=40.0, tier="A", utility=[word_errors(3.0)]),
        result("z", "wavlm", eer=35.0, protocol="vctk"),
    ]
    write_site(repositories.repository(folder, results), folder / "site")
    return folder / "site"


@pytest.fixture
def read(open_page, site):
    return lambda page="index.html", **how: open_page(site / page, **how)


def systems(page):
    return page.locator("#board tbody tr:not(.group) th a").all_inner_texts()


@pytest.mark.parametrize(
    ("page", "width", "dark"), [(PAGES[0], 1400, False), *((page, 390, True) for page in PAGES)]
)
def test_a_page_has_no_errors_no_network_and_fits(read, site, page, width, dark):
    reader = read(page, width=width, dark=dark)
    assert reader.errors == [] and reader.too_wide() == []
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
    assert all(url.startswith((site.as_uri(), "data:")) for url in reader.requests)
    ground = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")
    assert reader.serious_violations() == []


def test_the_table_sorts_by_key_and_what_is_apart_stays_apart(read):
    page = read().page
    assert systems(page)[-1] == "System Z", "a claim comes last, however good it is"
    button = page.locator("#board").get_by_role("button", name="EER")
    button.focus()
    page.keyboard.press("Enter")
    assert systems(page)[0] == "System Y" and systems(page)[-1] == "System Z"
    page.keyboard.press("Enter")
    assert systems(page)[0] == "System X" and systems(page)[-1] == "System Z"


def test_links_lead_from_the_board_to_a_system_and_back(read):
    page = read().page
    page.locator("#board").get_by_role("link", name="System Y").click()
    assert page.locator("h1").inner_text() == "System Y"
    assert page.get_by_text("not counted: it finds nobody").first.is_visible()
    page.get_by_role("link", name="Leaderboard").click()
    assert page.locator("h1").inner_text() == "Voice privacy leaderboard"


def test_points_that_count_are_filled_and_claims_are_hollow(read):
    page = read().page
    fill = "(all) => all.map((point) => getComputedStyle(point).fill)"
    counted = page.locator("#board .counts .mark").evaluate_all(fill)
    claimed = page.locator("#board .claim .mark").evaluate_all(fill)
    assert len(counted) == 4 and len(claimed) == 2 and counted[0] != claimed[0]
    assert page.get_by_role("img", name="Attack ladder: 4 systems").count() == 1
