"""How much must be loaded to read one thing: modules and syntax nodes, through imports.

    python tests/support/reach.py            prints tests/reach.json and what is measured now
    python tests/support/reach.py --write    writes what is measured now into tests/reach.json

What a module imports counts with all that this imports, in functions too. Numbers are medians, over
the metric modules below and over all jobs. ``files that name a kind`` are those of scripts,
workflow and Snakefile that have its name as a word, results and speech that are shipped left out.
"""

import argparse
import ast
import json
import re
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "reach.json"
PACKAGE = "voiceprivacy"
METRIC_MODULES = (
    *("scores.verification", "scores.zebra", "scores.calibration", "scores.profiles"),
    *("matrices.ranks", "matrices.betabinomial", "matrices.similarity"),
    *("uncertainty.bootstrap", "uncertainty.null", "law.criteria"),
    *("verdict.evidence", "verdict.verdict"),
)
CORPORA = ("librispeech", "vctk", "kaldi", "folder", "synthetic", "iemocap")
MEASURES = ("closed_text", "emotion", "pitch_correlation", "quality", "recogniser", "words_kept")


def read_house():
    """{module: (nodes, modules of ours that it imports)}"""
    paths = {}
    for path in sorted((ROOT / "scripts").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT / "scripts").with_suffix("").parts)
        paths[name.removesuffix(".__init__")] = path
    house = {}
    for name, path in paths.items():
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        imported = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    module = f"{node.module}.{alias.name}"
                    imported.add(module if module in paths else node.module)
        house[name] = len(nodes), imported & paths.keys()
    return house


def reached(house, name):
    """The modules that are loaded with one, itself among them."""
    seen, new = set(), {name}
    while new:
        seen |= new
        new = set().union(*(house[module][1] for module in new)) - seen
    return seen


def measure():
    """{ruler: number}; tests/reach.json keeps it."""
    house = read_house()
    groups = {
        "metric module": [f"{PACKAGE}.privacy.{name}" for name in METRIC_MODULES],
        "job": [name for name in house if name.startswith(f"{PACKAGE}.jobs.")],
    }
    numbers = {}
    for group, names in groups.items():
        loaded = [reached(house, name) for name in names]
        numbers[f"modules that a {group} loads"] = median(map(len, loaded))
        nodes = [sum(house[module][0] for module in modules) for modules in loaded]
        numbers[f"nodes that a {group} loads"] = median(nodes)
    folders = [path for folder in ("scripts", "workflow") for path in (ROOT / folder).rglob("*")]
    shipped = ROOT / "workflow" / "resources"
    ours = [path for path in folders if shipped not in path.parents and path.suffix != ".pyc"]
    files = [path for path in ours if path.is_file()]
    texts = [path.read_bytes() for path in (*files, ROOT / "Snakefile")]
    for kind, names in {"corpus": CORPORA, "measure": MEASURES}.items():
        patterns = [re.compile(rb"\b%b\b" % name.encode()) for name in names]
        named = [sum(bool(one.search(text)) for text in texts) for one in patterns]
        numbers[f"files that name a kind of {kind}"] = median(named)
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep what is measured now")
    arguments = parser.parse_args()
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    now = measure()
    for ruler, number in now.items():
        print(f"{ruler:40} {kept.get(ruler, '-'):>10} > {number:,}")
    if arguments.write:
        FILE.write_text(json.dumps(now, indent=2) + "\n")


if __name__ == "__main__":
    main()
