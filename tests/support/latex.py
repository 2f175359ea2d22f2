"""What pdflatex says of a paper that takes tables, pictures and numbers of a run."""

import re
import shutil
import subprocess

from support import needs

PDFLATEX = shutil.which("pdflatex")
needs_latex = needs.program("pdflatex")
PREAMBLE = r"""\documentclass{article}
\usepackage[a4paper]{geometry}
\geometry{textwidth=%s, textheight=240mm}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\usepackage{pgfplots}
\pgfplotsset{compat=1.18}
\begin{document}
"""
ARTICLE, COLUMN, PAGE = "345pt", "3.4in", "7.1in"  # widths of text


def complaints(folder, body, *, width=ARTICLE, times=1):
    """Compile a body in a folder; errors, boxes that are too wide or high, what is undefined."""
    text = f"{PREAMBLE % width}{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    command = [PDFLATEX or "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for _ in range(times):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
        if times > 1 and (folder / "methods.bib").exists():
            subprocess.run(["bibtex", "paper"], cwd=folder, capture_output=True, check=True)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert (folder / "paper.pdf").stat().st_size > 1000
    return re.findall(r"^(?:Overfull .*|LaTeX Warning: .* undefined.*)$", log, flags=re.MULTILINE)
