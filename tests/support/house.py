"""How large the house is: syntax nodes, lines, modules and functions of each part.

    python tests/support/house.py            prints tests/house.json and what is measured now
    python tests/support/house.py --write    writes what is measured now into tests/house.json

Nodes (``ast.walk``) measure Python, so that nothing is gained by shorter docstrings or denser
lines. Snakemake's rules are no Python; their lines count.
"""

import argparse
import ast
import json
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "house.json"
ELSEWHERE = ("docs", "envs", "workflow")


def part_of(path):
    """The part that a file of the tree belongs to: a room of the package, jobs, rules, tests."""
    parts = path.relative_to(ROOT).parts
    if path.suffix == ".smk" or path.name == "Snakefile":
        return "rules"
    if parts[0] == "tests":
        return "tests"
    if parts[0] in ELSEWHERE:
        return "rest"
    if len(parts) == 2:  # two lines for a checkout
        return "jobs"
    return parts[2] if len(parts) > 3 else "vocabulary, api"


def parts():
    """Return {part: [file of Python or of rules, ...]} of the tree."""
    folders = [ROOT / name for name in ("scripts", "tests", *ELSEWHERE)]
    python = [path for folder in folders for path in folder.rglob("*.py")]
    files = defaultdict(list)
    for path in sorted([ROOT / "Snakefile", *python, *ROOT.glob("workflow/rules/*.smk")]):
        files[part_of(path)].append(path)
    return dict(sorted(files.items()))


def measure(part):
    """Return {nodes, lines, modules, functions} of a part."""
    texts = [path.read_text(encoding="utf-8") for path in parts()[part]]
    sizes = {"nodes": 0, "lines": sum(text.count("\n") for text in texts), "modules": len(texts)}
    if part == "rules":
        sizes["functions"] = sum(len(re.findall(r"^def ", text, re.MULTILINE)) for text in texts)
    else:
        nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        sizes["nodes"] = len(nodes)
        sizes["functions"] = sum(isinstance(node, functions) for node in nodes)
    return sizes


def show(before, now):
    """A table: each number as it was and as it is, with a total of Python outside tests."""
    columns = ("nodes", "lines", "modules", "functions")
    print(f"{'':16}" + "".join(f"{column:>20}" for column in columns))
    for sizes in (before, now):
        others = [size for part, size in sizes.items() if part != "tests"]
        total = {column: sum(size[column] for size in others) for column in columns}
        sizes["without tests"] = total
    for part in [*sorted({*before, *now} - {"without tests"}), "without tests"]:
        texts = []
        for column in columns:
            was, size = (sizes.get(part, {}).get(column, 0) for sizes in (before, now))
            texts.append(f"{was:,} > {size:,}" if was != size else f"{size:,}")
        print(f"{part:16}" + "".join(f"{text:>20}" for text in texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep what is measured now")
    arguments = parser.parse_args()
    before = json.loads(FILE.read_text()) if FILE.exists() else {}
    now = {part: measure(part) for part in parts()}
    show(dict(before), dict(now))
    if arguments.write:
        rows = ",\n".join(f"  {json.dumps(part)}: {json.dumps(now[part])}" for part in now)
        FILE.write_text(f"{{\n{rows}\n}}\n")


if __name__ == "__main__":
    main()
