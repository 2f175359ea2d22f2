"""What MkDocs asks of us: the site's pages are the files of the repository, at their paths there.

So a link that works on a git host works here, and MkDocs checks it. ``mkdocs.yml`` names this file.
"""

import ast
import html
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

START, INDEX = "README.md", "docs/README.md"
OURS = ["docs/site/site.css", "docs/site/iframe-worker/shim.js"]  # that mkdocs.yml names
LINK = re.compile(r"\]\(([^)#:\s]+)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
OF_API = re.compile(r"<!-- api: (\S+) -->")
ROOT = Path(__file__).parents[2]
DEFINITIONS = ROOT / "docs" / "metrics"
WHOLE_SCHEMA = "reference/config.schema.json"
MARKUP = {ord(mark): f"&#{ord(mark)};" for mark in "{}*_[]`"}
OPTION = re.compile(r"^(\w+) : (.+(?:\n {4}.+)*)", re.MULTILINE)  # of a job's docstring


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Instead of the files of docs/: all that links from the README reach, wherever it lies."""
    root = Path(config.config_file_path).parent
    sys.path.append(str(root / "scripts"))  # MkDocs sets the path back after it has read this file
    shown = [File(path, str(root), config.site_dir, False) for path in [*reached(root), *OURS]]
    for file in shown:
        file.dest_uri = address(file.src_uri)
    return Files([*(file for file in files if file.src_dir != config.docs_dir), *shown])


def reached(root: Path) -> list[str]:
    """Paths below ``root`` of the README, of what it links to, and so on."""
    paths = [START]
    for path in paths:  # it grows
        if path.endswith(".md"):
            page = root / path
            text = CODE.sub("", page.read_text(encoding="utf-8"))
            linked = [(page.parent / link).resolve() for link in LINK.findall(text)]
            below = [target.relative_to(root).as_posix() for target in linked if target.is_file()]
            paths += [target for target in dict.fromkeys(below) if target not in paths]
    return paths


def address(path: str) -> str:
    """Where a file of the repository stands in the site.

    >>> address("docs/metrics/eer.md"), address("README.md"), address("docs/README.md")
    ('metrics/eer.html', 'index.html', 'pages.html')
    """
    fixed = {START: "index.html", INDEX: "pages.html"}
    return fixed.get(path, re.sub(r"\.md$", ".html", path.removeprefix("docs/")))


def on_page_markdown(markdown: str, page: Page, **_) -> str:
    """``<!-- api: NAME -->`` stands where mkdocstrings writes what the docstring of NAME says,
    ``<!-- generated: NAME -->`` where one of the functions below writes."""
    generated = {"commands": commands, "config_keys": config_keys, "metrics": metrics}
    for name, lines in generated.items():
        mark = f"<!-- generated: {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, "\n".join(lines()))
            page.meta["search"] = {"boost": 0.5}  # a page that explains a word comes before
    return OF_API.sub(r"::: \1", markdown)


def commands() -> Iterator[str]:
    """Every command with its options, from the signatures and docstrings of the jobs."""
    from voiceprivacy.tools.commands import COMMANDS

    for name, command in COMMANDS.items():
        path = ROOT / "scripts" / "voiceprivacy" / "jobs" / f"{command.job}.py"
        functions = [
            node
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef)
        ]
        (job,) = [function for function in functions if function.name == command.job]
        by_place = {argument.arg for argument in job.args.args}
        yield f"\n## voiceprivacy {name}\n\n{command.what[0].upper()}{command.what[1:]}.\n"
        for option, meaning in OPTION.findall(ast.get_docstring(job) or ""):
            flag = option.upper() if option in by_place else f"--{option.replace('_', '-')}"
            yield _line(f"`{flag}`", meaning)


def config_keys() -> Iterator[str]:
    """Every key of a config with its default, from the schema."""
    from voiceprivacy import config_schema

    schema = config_schema.schema()
    for section, described in schema["properties"].items():
        yield f"\n## {section}\n\n{_plain(described['description'])}\n"
        yield from _keys(described, "", schema["$defs"])


def on_post_build(config: MkDocsConfig) -> None:
    """Write the schema whole, with the keys of all kinds, for editors and other programs."""
    from voiceprivacy import config_schema

    text = json.dumps(config_schema.schema(), indent=1)
    Path(config.site_dir, WHOLE_SCHEMA).write_text(text, encoding="utf-8")


def _keys(described: dict[str, Any], prefix: str, shared: dict[str, Any]) -> Iterator[str]:
    """What may stand below a key; NAME is any name."""
    below = dict(described.get("properties", {})) | {"NAME": described.get("additionalProperties")}
    for name, one in below.items():
        if not isinstance(one, dict) or one.get("x-written"):  # for programs of ours
            continue
        if "description" in one:
            default = f", default `{json.dumps(one['default'])}`" if "default" in one else ""
            words = f" One of {', '.join(map(str, one['enum']))}." if "enum" in one else ""
            yield _line(f"`{prefix}{name}`{default}", one["description"] + words)
        yield from _keys(one, f"{prefix}{name}.", shared)
    inner = [described.get(key) for key in ("then", "else", "items")]
    if "$ref" in described:
        inner.append(shared[described["$ref"].rpartition("/")[2]])
    for one in inner:
        if isinstance(one, dict):
            yield from _keys(one, prefix, shared)


def metrics() -> Iterator[str]:
    """Every metric of metrics.tsv, from the catalogue."""
    from voiceprivacy.catalogue import METRICS

    paths = [path for path in DEFINITIONS.glob("*.md") if path.stem != "intervals"]
    for metric in METRICS.values():
        row = re.compile(rf"^\|[^|]*`{metric.name}`", re.MULTILINE)
        [page] = [path.name for path in paths if row.search(path.read_text(encoding="utf-8"))]
        better = "" if metric.better == "neither" else f"{metric.better} is better"
        known = filter(None, (metric.title, metric.unit, better))
        name = f"[`{metric.name}`](../metrics/{page})"
        yield _line(f"{name} ({', '.join(known)})", metric.meaning)


def _line(name: str, meaning: str) -> str:
    return f"* {name}: {_plain(meaning)}"


def _plain(text: str) -> str:
    """Text in one line, in which nothing is markup."""
    return html.escape(" ".join(text.split()), quote=False).translate(MARKUP)


def on_page_content(content: str, **_) -> str:
    """Formulas as MathML, which browsers draw without a script."""
    return FORMULA.sub(_mathml, content)


def _mathml(match: re.Match[str]) -> str:
    tag, latex = match.groups()
    return convert(html.unescape(latex), display="block" if tag == "div" else "inline")
