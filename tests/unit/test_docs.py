"""The documentation names what exists, its README is short, and so are its sentences."""

import doctest
import importlib
import re
from itertools import product

import numpy as np
import pytest
import yaml
from support.calls import help_of
from support.pages import as_jobs

from voiceprivacy.catalogue import METRICS
from voiceprivacy.layout import HERE
from voiceprivacy.privacy.matrices import ranks, similarity
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.scores import samples, verification, zebra
from voiceprivacy.privacy.uncertainty import normalised, null, paired
from voiceprivacy.report.figures import ANONYMISER, ATTACKER, KINDS, TWO_RUNS, Subject, figure
from voiceprivacy.report.measured import OF_ATTRIBUTES
from voiceprivacy.utility import word_counts
from voiceprivacy.utility.kinds import pitch_correlation, quality, voice
from voiceprivacy.vocabulary import (
    ATTRIBUTES,
    GALLERY_SECONDS,
    SCRIPTS,
    WHISPER,
    WORDS_KEPT,
)

ROOT = SCRIPTS.parent
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted(path.relative_to(SCRIPTS) for path in SCRIPTS.glob("voiceprivacy/**/*.py"))
WITH_EXAMPLES = [path for path in MODULES if ">>>" in (SCRIPTS / path).read_text(encoding="utf-8")]
METRIC_PAGES = sorted((ROOT / "docs/metrics").glob("*.md"))
COMMAND = re.compile(r"python -m voiceprivacy\.jobs\.(\w+)((?:[^\n]*\\\n)*[^\n]*)")
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]+))?\)")  # page, heading
RESULT = re.compile(r"results/[\w/.{}*+-]+")
LARGEST_PICTURE = 100_000  # bytes
LONGEST_README = 900  # words, commands and tables included
LONGEST_SENTENCE = 25  # words
WORDS = ("closed_text", WHISPER, WORDS_KEPT)


def text(pages):
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def written_metrics():
    """Every name that a metrics file can hold."""
    draw = np.random.default_rng(0)
    scores = {"target": draw.normal(1, 1, 20), "nontarget": draw.normal(0, 1, 40)}
    enrolled, tried = np.indices((4, 4)).reshape(2, -1)
    values, abcd = np.arange(16.0), np.array(list("abcd"))
    arranged = samples.SpeakerTrials(abcd, values, enrolled == tried, enrolled, tried)
    ids, speakers = np.arange(6).astype(str), np.repeat(abcd[:3], 2)
    pairs = ScoreMatrix(ids, ids, speakers, speakers, draw.normal(size=(6, 6)), ids, ids)
    templates = (ids[:3], speakers, abcd[:3], draw.normal(size=(6, 3)), ids, ids[:3] + "e")
    templates = ScoreMatrix(ids, *templates)
    matrices = dict.fromkeys(("oo", "op", "pp"), similarity.similarities(similarity.compare(pairs)))
    of_similarity = similarity.assess(**matrices).metrics
    of_ranks = ranks.assess(templates)
    bits = dict.fromkeys(("oo", "op", "pp"), 0.5)
    return {
        *verification.assess(**scores),
        *zebra.assess(**scores)[0],
        *null.assess(arranged, n_replicates=5, seed=0),
        *zebra.assess_calibration(train=scores, test=scores)[0],
        *normalised.normalise(dece_bit=bits, cllr_min_bit=bits),
        *(name for name in of_similarity if name not in matrices),
        *of_similarity["oo"],
        *of_ranks.metrics,
        *ranks.goodness_of_fits(of_ranks.p),
        *GALLERY_SECONDS,
        *ranks.summary(ranks.by_speaker(templates)[0]),
        "mean_disclosure_bias_bit",  # with five utterances a rank
        "gallery_eer_percent",
        *(f"inferred_{name}_{ending}" for name, ending in product(ATTRIBUTES, OF_ATTRIBUTES)),
        pitch_correlation.METRIC,
        *("wer_percent", "uar_percent"),  # of entries that are called so
        *quality.POLYNOMIALS,
        *(quality.ESTOI, voice.CONSISTENCY, voice.SEX_KEPT),
        *(f"{measure}_{ending}" for measure, ending in product(WORDS, word_counts.METRICS)),
    }


def test_every_metric_has_a_row_in_the_catalogue_and_is_explained_and_what_is_compared_is_named():
    assert sorted(METRICS.keys() ^ written_metrics()) == []
    explained = set(re.findall(r"`(\w+)`", text(METRIC_PAGES)))
    assert sorted(METRICS.keys() - explained) == []
    page = (ROOT / "docs/metrics/comparison.md").read_text(encoding="utf-8")
    for name in (*paired.MORE_IS_BETTER, *paired.Pair._fields):
        assert f"`{name}`" in page, name


def test_what_a_page_lists_as_a_metric_exists():
    """First cells of the tables of names in metrics.tsv."""
    rows = re.findall(r"\| name in `metrics\.tsv` .*\n\|[-|]+\n((?:\|.*\n)+)", text(METRIC_PAGES))
    cells = [line.split("|")[1] for row in rows for line in row.splitlines()]
    listed = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert len(listed) > 60
    assert sorted(listed - METRICS.keys()) == []


@pytest.mark.parametrize(
    "script", sorted(set(COMMAND.findall(as_jobs(text(PAGES))))), ids=lambda match: match[0]
)
def test_commands_have_the_flags_that_the_docs_give_them(script):
    name, arguments = script
    kind = re.match(r"[a-z_]*", arguments.strip()).group() if name == "plot" else ""
    known = set(re.findall(r"--[\w-]+", help_of(name, *filter(None, [kind]))))
    assert set(re.findall(r"(?<=\s)--[\w-]+", arguments)) <= known


def test_files_of_a_run_are_made_by_a_rule():
    rules = text((ROOT / "workflow/rules").glob("*.smk"))
    # The rules of privacy name the folders of a system once.
    rules = rules.replace("{SYSTEM}", "{corpus}/{trials}/{anonymiser}/{extractor}/{backend}")
    made = [re.sub(r"\{+\w+\}+", "*", path).rstrip("/") for path in RESULT.findall(rules)]
    for kind, row in KINDS.items():
        corpus = "" if row.per == ATTACKER else "*"
        anonymiser = "*" if row.per in (ANONYMISER, TWO_RUNS) else ""
        made += figure(kind, Subject(corpus, corpus, anonymiser, "*", "*")).pictures(HERE).values()
    made += [path.rpartition("/")[0] for path in made]  # a page may name the folder of a system
    patterns = [re.compile(re.escape(path).replace(r"\*", "[^/]+")) for path in dict.fromkeys(made)]
    for path in sorted(set(RESULT.findall(text(METRIC_PAGES)))):
        if not re.search(r"[A-Z]{4}", path):  # FAMILY, CORPUS: any
            name = path.replace("*", "any")
            fits = any(pattern.fullmatch(name) for pattern in patterns)
            assert fits or any(one.startswith(path) for one in made), path


def test_the_config_folder_lists_every_section():
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
    page = (ROOT / "config/README.md").read_text()
    assert [name for name in schema["properties"] if f"| `{name}` | " not in page] == []


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_to_a_page_and_its_heading_the_index_has_all_and_pictures_are_small():
    index = ROOT / "docs/README.md"
    linked = {(index.parent / link).resolve() for link, _ in LINK.findall(text([index]))}
    assert sorted(set(PAGES) - {index} - linked) == []
    for page in PAGES:
        for link, anchor in LINK.findall(page.read_text(encoding="utf-8")):
            target = page.parent / link if link else page
            assert target.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(target), f"{page}: {link}#{anchor}"
    for picture in (ROOT / "docs/metrics").glob("*.png"):
        assert picture.stat().st_size < LARGEST_PICTURE, picture
        assert picture.name in text(METRIC_PAGES), picture


def test_files_of_the_repository_that_a_page_names_exist():
    ours = r"`((?:tests|scripts|workflow|docs|config|envs)/[\w./*-]+)`"
    named = set(re.findall(ours, text([*PAGES, ROOT / "CONTRIBUTING.md"])))
    assert len(named) > 60
    made_up = re.compile(r"[A-Z]{4}")  # NAME: any
    there = [path for path in named if made_up.search(path) or [*ROOT.glob(path.rstrip("/"))]]
    assert sorted(named - {*there}) == []


def test_the_supply_chain_names_what_is_shipped_and_what_is_installed():
    page = text([ROOT / "docs/internals/supply_chain.md"])
    binaries = [*(ROOT / "workflow").rglob("*.npz"), *(ROOT / "workflow").rglob("*.ckpt")]
    assert len(binaries) > 2
    for path in binaries:
        own = path.relative_to(ROOT)
        assert f"`{own}`" in page or f"`{own.parent}`" in page, own
    tables = page.partition("## Fetched")[2].partition("## Locked")[0]
    for requirements in (ROOT / "envs").glob("*.in"):
        if requirements.stem not in ("requirements-test", "requirements-quality"):
            packages = re.findall(r"^([\w-]+)==", text([requirements]), re.MULTILINE)
            assert [name for name in packages if name not in tables] == [], requirements.name


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_examples_of_docstrings_are_true(path):
    name = ".".join(path.with_suffix("").parts)
    assert not doctest.testmod(importlib.import_module(name)).failed


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= LONGEST_README


def paragraphs(page):
    """Paragraphs and list items of a Markdown text, without code, tables, headings and pictures."""
    lines = []
    page = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    for block in re.split(r"\n\s*\n", page):
        if not block.startswith("    "):
            lines += ["", *block.splitlines()]
    prose = [line for line in lines if not re.match(r"\s*([#|]|!\[)", line)]
    items = re.sub(r"^\s*([-*]|\d+\.) ", "\n", "\n".join(prose), flags=re.MULTILINE)
    return [" ".join(text.split()) for text in re.split(r"\n\s*\n", items) if text.strip()]


def sentences(page):
    """Sentences of a Markdown text; code and formulas count as one word, links as their text."""
    for text in paragraphs(page):
        text = re.sub(r"`[^`]*`", "code", text)
        text = re.sub(r"\$\$.*?\$\$", "", text)
        text = re.sub(r"\$[^$]*\$", "x", text)
        text = re.sub(r"\]\([^)]*\)", "]", text)
        text = re.sub(r"\b(al|Eqs?)\.", r"\1", text.replace("*", ""))
        yield from re.split(r"(?<=[.!?])[)\"]*\s+", text)


def test_sentences_are_found():
    prose = "# A title\n\nOne `a. b` two\nthree. [Four](x.md) et al. 2022!\n\n"
    page = prose + "    code\n\n```sh\nmore\n\ncode. Yes\n```\n\n* five\n* $a b$\n\n| a | table |\n"
    assert list(sentences(page)) == ["One code two three.", "[Four] et al 2022!", "five", "x"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_sentences_are_short(page):
    texts = sentences(page.read_text(encoding="utf-8"))
    assert [text for text in texts if len(text.split()) > LONGEST_SENTENCE] == []
