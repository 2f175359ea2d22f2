"""A listening test in a browser, from the first screen to the saved file, which is read again."""

import json

import pytest
from support import listening
from support.browser import Reader, browser, needs_browser
from support.calls import flags, succeeds

pytestmark = needs_browser
# Sixteen times as fast: what is played is really played, and ends by itself.
HASTE = """const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () {
    this.playbackRate = 16;
    return play.call(this);
};"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tests of both kinds of pages, of two systems."""
    folder = tmp_path_factory.mktemp("listening")
    results = listening.write_run(folder / "results", genders="ffmm", utterances=3)
    for kind, how in (("pairs", {"conditions": "op", "number": 2}), ("quality", {"number": 2})):
        output = folder / kind
        how = {"results": results, "corpus": "tiny", "kind": kind, "output": output, **how}
        succeeds("listening_test", "make", *flags(**how))
    return folder


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


def key_of(folder, kind):
    return json.loads((folder / kind / "key.json").read_text())


def opened(chromium, folder, kind, **how):
    reader = Reader(chromium, folder / kind / "hand_out/page_1.html", **how)
    reader.page.add_init_script(HASTE)
    reader.page.reload()
    return reader


def begin(page, listener):
    page.get_by_label("headphones").check()
    page.locator("#listener").fill(listener)
    page.get_by_role("button", name="Begin").click()


def listen_to_all(page):
    """Play every recording of the screen to its end."""
    for button in page.locator("#recordings .play").all():
        button.click()
        page.wait_for_function("(button) => button.matches('.heard')", arg=button.element_handle())


def saved(page, path):
    with page.expect_download() as download:
        page.get_by_role("link", name="Save my answers").click()
    download.value.save_as(path)
    assert page.get_by_text(f"Saved as {download.value.suggested_filename}.").is_visible()
    return json.loads(path.read_text())


def test_a_whole_test_of_pairs_is_taken_by_keyboard_and_read(chromium, folder, tmp_path):
    key = key_of(folder, "pairs")
    paths = []
    for listener in list(key["listeners"])[:2]:
        reader = opened(chromium, folder, "pairs")
        page = reader.page
        begin(page, listener)
        n_screens = 2 * 3 + 8
        for number in range(1, n_screens + 1):
            assert page.get_by_text(f"{number} of {n_screens}", exact=True).is_visible()
            for letter in "ab":
                page.keyboard.press(letter)
                played = page.locator("#recordings .play").nth("ab".index(letter))
                page.wait_for_function(
                    "(button) => button.matches('.heard')", arg=played.element_handle()
                )
            page.keyboard.press("5" if number % 2 else "2")
            page.keyboard.press("Enter")
        paths.append(tmp_path / f"{listener}.json")
        file = saved(page, paths[-1])
        assert {answer["code"] for answer in file["answers"]} == {
            item["code"] for item in key["items"]
        }
        assert [answer["rating"] for answer in file["answers"]] == [5, 2] * (n_screens // 2)
        assert all(answer["plays"] == 1 for answer in file["answers"])
        assert reader.errors == []
        urls = {url.partition(":")[0] for url in reader.requests}
        assert urls <= {"file", "data", "blob"}
        page.context.close()
    orders = [
        [answer["code"] for answer in json.loads(path.read_text())["answers"]] for path in paths
    ]
    assert orders[0] != orders[1], "every listener has an order of his own"
    # Whoever answers by turns fails the controls; so both are put right before they are read.
    labels = {item["code"]: item for item in key["items"]}
    for path in paths:
        file = json.loads(path.read_text())
        for answer in file["answers"]:
            if labels[answer["code"]]["role"] == "control":
                answer["rating"] = 6 if labels[answer["code"]]["label"] == "target" else 1
        path.write_text(json.dumps(file))
    how = {"key": folder / "pairs/key.json", "output": tmp_path / "out", "bootstrap": 20}
    said = succeeds("listening_test", "read", "--answers", *paths, *flags(**how))
    assert "muffled op error_percent" in said
    assert (tmp_path / "out/scores/tiny_heard/all/loud/op.tsv").exists()


def test_a_whole_test_of_ratings_is_taken_and_read(chromium, folder, tmp_path):
    key = key_of(folder, "quality")
    labels = {item["code"]: item for item in key["items"]}
    listener = next(iter(key["listeners"]))
    reader = opened(chromium, folder, "quality", width=390)
    page = reader.page
    begin(page, listener)
    for _ in range(2):
        listen_to_all(page)
        for slider in page.locator("input[type=range]").all():
            slider.focus()
            page.keyboard.press("End")
            page.keyboard.press("ArrowLeft")
        assert page.locator("output").all_inner_texts() == ["99"] * 4
        page.get_by_role("button", name="Next").click()
    file = saved(page, tmp_path / "answers.json")
    assert [answer["rating"] for answer in file["answers"]] == [99] * 8
    assert reader.errors == []
    page.context.close()
    # Who gives all the same fails: noise is not as good as the original.
    for answer in file["answers"]:
        if labels[answer["code"]]["system"] != "original":
            answer["rating"] = 20
    (tmp_path / "answers.json").write_text(json.dumps(file))
    how = {"key": folder / "quality/key.json", "answers": tmp_path / "answers.json"}
    said = succeeds("listening_test", "read", *flags(**how, output=tmp_path / "out", bootstrap=20))
    assert "original quality_points" in said


def test_nothing_is_passed_over(chromium, folder):
    reader = opened(chromium, folder, "pairs")
    page = reader.page
    listener = next(iter(key_of(folder, "pairs")["listeners"]))
    page.get_by_role("button", name="Begin").click()
    assert page.get_by_text("Please say what you listen with.").is_visible()
    begin(page, listener[:-1] + ("2" if listener[-1] != "2" else "3"))
    assert page.get_by_text("This is not a code for this page.").is_visible()
    begin(page, f" {listener[:3].upper()}-{listener[3:]} ")
    page.get_by_role("button", name="Next").click()
    assert page.get_by_text("Please listen to the end of: A, B.").is_visible()
    listen_to_all(page)
    page.get_by_role("button", name="Next").click()
    assert page.get_by_text("Please choose an answer.").is_visible()
    assert page.get_by_text("1 of 14", exact=True).is_visible()
    page.context.close()


def test_a_listener_who_comes_back_goes_on_where_he_stopped(chromium, folder):
    reader = opened(chromium, folder, "pairs")
    page = reader.page
    page.on("dialog", lambda dialog: dialog.accept())
    listener = list(key_of(folder, "pairs")["listeners"])[5]
    begin(page, listener)
    for _ in range(2):
        listen_to_all(page)
        page.keyboard.press("3")
        page.get_by_role("button", name="Next").click()
    page.reload()
    begin(page, listener)
    assert page.get_by_text("3 of 14", exact=True).is_visible()
    page.context.close()


@pytest.mark.parametrize("kind", ["pairs", "quality"])
@pytest.mark.parametrize(("width", "dark"), [(1400, False), (390, True)])
def test_every_screen_fits_and_axe_finds_no_serious_violation(chromium, folder, kind, width, dark):
    reader = opened(chromium, folder, kind, width=width, dark=dark)
    page = reader.page
    listener = next(iter(key_of(folder, kind)["listeners"]))
    for step in (lambda: None, lambda: begin(page, listener)):
        step()
        assert reader.serious_violations() == []
        assert reader.too_wide() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert reader.errors == []
    page.context.close()
