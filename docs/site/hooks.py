"""What MkDocs asks of us: the site's pages are the files of the repository, at their paths there.

So a link that works on a git host works here, and MkDocs checks it. ``mkdocs.yml`` names this file.
"""

import html
import re
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

START, INDEX = "README.md", "docs/README.md"
OURS = ["docs/site/site.css", "docs/site/iframe-worker/shim.js"]  # that mkdocs.yml names
LINK = re.compile(r"\]\(([^)#:\s]+)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
OF_API = re.compile(r"<!-- api: (\S+) -->")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Instead of the files of docs/: all that links from the README reach, wherever it lies."""
    root = Path(config.config_file_path).parent
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


def on_page_markdown(markdown: str, **_) -> str:
    """``<!-- api: NAME -->`` stands where mkdocstrings writes what the docstring of NAME says."""
    return OF_API.sub(r"::: \1", markdown)


def on_page_content(content: str, **_) -> str:
    """Formulas as MathML, which browsers draw without a script."""
    return FORMULA.sub(_mathml, content)


def _mathml(match: re.Match[str]) -> str:
    tag, latex = match.groups()
    return convert(html.unescape(latex), display="block" if tag == "div" else "inline")
