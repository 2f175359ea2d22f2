"""Line coverage of each room: the table of docs/internals/quality.md, printed by make coverage."""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PACKAGE = "scripts/voiceprivacy/"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "coverage.json")
        words = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", path]
        subprocess.run(words, check=True)
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
    statements, covered = Counter(), Counter()
    for name, measured in files.items():
        room, _, module = name.removeprefix(PACKAGE).partition("/")
        for part in (room if module else "vocabulary, api", "all"):
            statements[part] += measured["summary"]["num_statements"]
            covered[part] += measured["summary"]["covered_lines"]
    print("| room | statements | covered, % |\n|---|---|---|")
    for part in sorted(statements, key=lambda part: (part == "all", part)):
        print(f"| {part} | {statements[part]:,} | {100 * covered[part] / statements[part]:.1f} |")


if __name__ == "__main__":
    main()
