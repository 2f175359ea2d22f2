"""Which commit this code is: git says it of a checkout, and a file of what was built from one.

The build of a wheel runs this file by itself (envs/build.py), so it imports no package.
"""

import json
import subprocess
from pathlib import Path

BUILT = "commit.json"  # beside Snakefile, in wheels and source archives only
CLEAN, UNKNOWN = "clean", "unknown"
LIMIT_S = 60  # for one answer of a program


def state_of(tree: Path) -> dict[str, str]:
    """{git_commit, git_state} of a tree of this project: clean, or with uncommitted changes."""
    built = tree / BUILT
    if built.exists():
        return dict(json.loads(built.read_text(encoding="utf-8")))
    # A tree without a repository of its own may lie in somebody else's.
    commit = _git(tree, "rev-parse", "HEAD") if (tree / ".git").exists() else None
    # Files that git does not know are a person's own: configs, results.
    changes = _git(tree, "status", "--porcelain", "--untracked-files=no") if commit else None
    if commit is None or changes is None:
        return {"git_commit": UNKNOWN, "git_state": UNKNOWN}
    return {
        "git_commit": commit,
        "git_state": "with uncommitted changes" if changes else CLEAN,
    }


def _git(tree: Path, *arguments: str) -> str | None:
    return answer("git", "-C", str(tree), *arguments)


def answer(*command: str) -> str | None:
    """What a program says; None where it is not there, fails or hangs.

    nvidia-smi hangs where the graphics driver does.
    """
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip()
