"""What pdflatex says of a paper that takes tables and numbers of a run."""

import re
import shutil
import subprocess

from support import needs

PDFLATEX = shutil.which("pdflatex")
needs_latex = needs.program("pdflatex")
PREAMBLE = r"""\documentclass[twocolumn]{article}
\usepackage[a4paper]{geometry}
\geometry{textwidth=170mm, textheight=240mm}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,graphicx}
\begin{document}
"""


def complaints(folder, body, *, times=1):
    """Compile a body in a folder; errors, boxes that are too wide or high, what is undefined."""
    text = f"{PREAMBLE}{body}\n\\end{{document}}\n"
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
