"""The site of the documentation: it is built strictly, asks no network, and has every page."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.browser import CHROMIUM, browser, needs_browser
from support.calls import help_of

import voiceprivacy
from voiceprivacy import config_schema
from voiceprivacy.catalogue import METRICS
from voiceprivacy.tools.commands import COMMANDS
from voiceprivacy.vocabulary import SCRIPTS

ROOT = SCRIPTS.parent
MKDOCS = Path(sys.prefix) / "docs" / "bin" / "mkdocs"  # make .venv/installed-docs
RESOURCES = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
PICTURE = re.compile(r"!\[[^]]*\]\(([^)]+)\)")
RESULTS = ".md-search-result__item > .md-search-result__link"
SEARCHED = {  # words: a page among the first three that are found
    "PLDA": ("guide/config.html", "guide/attackers.html"),
    "SLURM": ("guide/cluster.html",),
    "my scores are negated": ("guide/scores.html", "tutorials/scores.html"),
    "D_ECE": ("metrics/zebra.html", "glossary.html"),
}


class Tags(HTMLParser):
    """What a page asks a browser to fetch, and its links."""

    def __init__(self, page):
        super().__init__()
        self.fetched, self.links = [], []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag in RESOURCES and values.get("rel") != "canonical":
            self.fetched.append(values.get(RESOURCES[tag]) or "")
        if tag == "a":
            self.links.append(values.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as ``make docs`` builds it, in another folder."""
    folder = tmp_path_factory.mktemp("site")
    command = [MKDOCS, "build", "--strict", "--site-dir", folder]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_no_page_fetches_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        elsewhere = [url for url in Tags(page).fetched if re.match(r"(\w+:)?//", url)]
        assert elsewhere == [], page
    for style in site.rglob("*.css"):
        urls = re.findall(r"(?:url\(|@import )[\"']?(\w+:[^)\"']*)", style.read_text())
        assert [url for url in urls if not url.startswith("data:")] == [], style


def test_every_page_of_the_repository_is_a_page_of_the_site(site):
    names = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    expected = {str(name.with_suffix(".html")) for name in names} - {"README.html"}
    expected |= {"index.html", "pages.html", "SECURITY.html", "CONTRIBUTING.html"}
    assert sorted(expected - {str(page.relative_to(site)) for page in site.rglob("*.html")}) == []


def test_the_reference_has_every_command_option_key_and_metric(site):
    commands, keys, metrics = (
        html.unescape(re.sub(r"<[^>]+>", "", (site / f"reference/{name}.html").read_text()))
        for name in ("commands", "config_keys", "metrics")
    )
    for name, command in COMMANDS.items():
        section = commands.partition(f"voiceprivacy {name}\u00b6")[2].partition("\u00b6")[0]
        assert command.what[1:] in section
        if command.job not in ("run", "plot"):  # of which each kind, or Snakemake, has its own
            options = re.findall(r"^  (--[\w-]+)", help_of(command.job), re.MULTILINE)
            assert {*options} <= {*re.findall(r"--[\w-]+", section)}, name
    assert all(f"{section}\u00b6" in keys for section in config_schema.schema()["properties"])
    assert "NAME.librispeech.download" in keys and "learnt_persons" in keys
    assert all(metric.meaning in metrics for metric in METRICS.values())


def test_formulas_and_docstrings_are_written_out(site):
    for page in site.rglob("*.html"):
        assert "arithmatex" not in page.read_text(encoding="utf-8"), page
    assert "<math" in (site / "metrics/zebra.html").read_text(encoding="utf-8")
    api = (site / "api.html").read_text(encoding="utf-8")
    for name in voiceprivacy.__all__:
        assert f'id="voiceprivacy.api.{name}"' in api
    assert "api:" not in re.sub(r"<[^>]+>", "", api)


def test_the_gallery_has_every_picture_with_its_command():
    page = ROOT / "docs/gallery.md"
    sections = page.read_text(encoding="utf-8").split("\n## ")[1:]
    shown = set()
    for section in sections:
        (picture,) = PICTURE.findall(section)
        shown.add((page.parent / picture).resolve())
        assert re.search(r"^    (voiceprivacy|make) ", section, re.MULTILINE), section[:40]
    assert shown == {path.resolve() for path in (ROOT / "docs").rglob("*.png")}


def links(page):
    names = {url.partition("#")[0] for url in Tags(page).links if ":" not in url}
    paths = {(page.parent / name).resolve() for name in names if name.endswith(".html")}
    return {path for path in paths if path.exists()}


def test_two_clicks_from_the_front_page_are_enough(site):
    first = links(site / "index.html")
    reached = first.union(*map(links, first))
    for words, targets in SEARCHED.items():
        assert any((site / target).resolve() in reached for target in targets), words


@needs_browser
@pytest.mark.long
def test_the_search_answers_from_the_file_system(site):
    assert CHROMIUM
    with browser() as chromium:
        window = {"width": 1400, "height": 900}
        page = chromium.new_context(offline=True, viewport=window).new_page()
        page.set_default_timeout(180_000)
        errors = []
        page.on("requestfailed", lambda request: errors.append(request.url))
        for words, targets in SEARCHED.items():
            page.goto((site / "index.html").as_uri())
            page.click(".md-search__input")
            page.keyboard.type(words)
            page.wait_for_selector(RESULTS, state="attached")
            urls = page.eval_on_selector_all(RESULTS, "all => all.map(a => a.href)")
            assert any(target in url for target in targets for url in urls[:3]), (words, urls)
        assert errors == []
