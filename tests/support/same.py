"""Whether two versions of the project compute the same: make same COMMIT=d8da0db9.

The demo, the excerpt (where VOICEPRIVACY_SPEECH and VOICEPRIVACY_ASV are set) and a tiny corpus
run in fresh folders, with the tree of COMMIT and with this one. Then metrics.tsv, every curve and
verdict.json are compared byte for byte, and the commands that Snakemake would call, whatever the
order of their flags. tests/same.json names what went with a promise:

    metrics    names of metric rows        files     patterns below results/
    commands   names of programs           options   flags of any program
"""

import argparse
import fnmatch
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
COMPARED = ("metrics.tsv", "verdict.json", "curves/**/*.tsv", "trials/**/*.tsv")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", required=True, help="the version to compare this tree with")
    parser.add_argument("--runs", nargs="+", default=[*RUNS], choices=RUNS)
    parser.add_argument("--folder", help="where the runs stay (default: they go at the end)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="same.") as scratch:
        folder = Path(arguments.folder or scratch)
        trees = {"before": unpack(arguments.commit, folder / "tree"), "now": ROOT}
        differences = [line for name in arguments.runs for line in compare(name, folder, trees)]
    print("\n".join(differences) or f"the same as {arguments.commit}: {', '.join(arguments.runs)}")
    sys.exit(1 if differences else 0)


def unpack(commit, folder):
    folder.mkdir(parents=True)
    command = ["git", "-C", str(ROOT), "archive", commit]
    archive = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def compare(name, folder, trees):
    """Run with both trees; yields what differs."""
    for version, tree in trees.items():
        own = folder / name / version
        own.mkdir(parents=True)
        arguments = RUNS[name](own, tree)
        call(tree, own, *arguments, "--dry-run", "--printshellcmds", output=own / "commands.txt")
        call(tree, own, "results/metrics.tsv", "results/verdict.json", *arguments)
    dropped = json.loads((ROOT / "tests" / "same.json").read_text())
    before, now = (folder / name / version for version in trees)
    for line in files_that_differ(before, now, dropped):
        yield f"{name}: {line}"
    old, new = (commands_of(folder, dropped) for folder in (before, now))
    for sign, commands in (("-", old - new), ("+", new - old)):
        for command in sorted(commands.elements()):
            yield f"{name}: {sign} {' '.join(command)}"


def demo(_folder, _tree):
    """The run of config/config.yaml."""
    return []


def excerpt(_folder, tree):
    return ["--configfile", str(tree / "config" / "excerpt.yaml")]


def tiny(folder, _tree):
    """A Kaldi directory with B2r in two runs and shards, a function, and a small x-vector."""
    import torch

    import voiceprivacy.attack  # noqa: F401  # before torchaudio
    from support.models import xvector
    from support.runs import B2R, REVERSED, make_kaldi_directory, write_config

    make_kaldi_directory(folder / "data" / "tiny")
    torch.manual_seed(0)
    xvector(folder / "model")
    systems = {
        "b2r": {"command": B2R, "runs": 2, "shards": 2},
        "mine": REVERSED,
    }
    path = write_config(folder, anonymisers=systems, report={"bootstrap": 100})
    return ["--configfile", str(path)]


RUNS = {"demo": demo, "tiny": tiny}
if {"VOICEPRIVACY_SPEECH", "VOICEPRIVACY_ASV"} <= os.environ.keys():
    RUNS["excerpt"] = excerpt


def call(tree, folder, *arguments, output=None):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(tree / "Snakefile")]
    command += ["--directory", str(folder), "--cores", "all", *arguments]
    finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if finished.returncode:
        sys.exit(f"{folder}: {finished.stdout[-3000:]}")
    if output:
        output.write_text(finished.stdout.replace(str(tree), ""))


def files_that_differ(before, now, dropped):
    """Yield each compared file that is missing, new or different."""
    names = set()
    for folder in (before, now):
        for pattern in COMPARED:
            paths = (folder / "results").glob(pattern)
            names |= {str(path.relative_to(folder / "results")) for path in paths}
    for name in sorted(names):
        if any(fnmatch.fnmatch(name, pattern) for pattern in dropped["files"]):
            continue
        texts = [read(folder / "results" / name) for folder in (before, now)]
        if name == "metrics.tsv":
            column = texts[0].splitlines()[0].split("\t").index("metric")
            rows = texts[0].splitlines(keepends=True)
            kept = (row for row in rows if row.split("\t")[column] not in dropped["metrics"])
            texts[0] = "".join(kept)
        if texts[0] != texts[1]:
            yield f"{name}: {first_difference(*texts)}"


def read(path):
    return path.read_text() if path.exists() else None


def first_difference(before, now):
    """In words: which line differs first."""
    if before is None or now is None:
        return "new" if before is None else "missing"
    pairs = zip(before.splitlines(), now.splitlines(), strict=False)
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            return f"line {number}: {old!r} is now {new!r}"
    return f"{before.count(chr(10))} lines are now {now.count(chr(10))}"


def commands_of(folder, dropped):
    """Count commands of a dry run, as a program's name and its sorted flags with their values."""
    text = (folder / "commands.txt").read_text().replace(str(folder), "")
    commands = Counter()
    for command in re.findall(r"^Shell command: (.*?)\n\n", text, re.MULTILINE | re.DOTALL):
        program, flags = flags_of(shlex.split(command))
        kept = [flag for flag in flags if flag.partition(" ")[0] not in dropped["options"]]
        if program not in dropped["commands"]:
            commands[program, *sorted(kept)] += 1
    return commands


def flags_of(words):
    """Return the program (a file or module, without folders) and its flags with their values."""
    words = words[: words.index(">")] if ">" in words else words
    if words[:2] == ["python", "-m"]:
        words = [words[0], *words[2:]]
    program = re.sub(r".*[./](\w+)(?:\.py)?$", r"\1", re.sub(r"\.py$", "", words[1]))
    flags = []
    for word in words[2:]:
        if word.startswith("--") or not flags:
            flags.append(word)
        else:
            flags[-1] += f" {word}"
    return program, flags


if __name__ == "__main__":
    main()
