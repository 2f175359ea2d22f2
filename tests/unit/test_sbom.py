"""The list of what is installed (SBOM) that make audit writes, in CycloneDX."""

import json
import re
import shlex
import subprocess
from importlib.metadata import distributions

import pytest

from voiceprivacy.inout.files import SCRIPTS

ROOT = SCRIPTS.parent
PROGRAM = ROOT / ".venv" / "bin" / "cyclonedx-py"


def command_of_make():
    """The command of make audit that writes the list."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [recipe] = re.findall(r"^audit:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    [words] = re.findall(r"\$\(BIN\)/(cyclonedx-py [^&;|]*?) &&", recipe)
    return shlex.split(words)


@pytest.mark.nightly
@pytest.mark.skipif(not PROGRAM.exists(), reason="cyclonedx-py is not installed: make audit")
def test_it_names_every_package_with_its_version(tmp_path):
    _, *words = command_of_make()
    written = {"sbom.json": str(tmp_path / "sbom.json"), ".venv": str(ROOT / ".venv")}
    words = [written.get(word, word) for word in words]
    subprocess.run([PROGRAM, *words], check=True, capture_output=True, timeout=300)
    listed = json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))
    assert listed["bomFormat"] == "CycloneDX"
    packages = {(part["name"].lower(), part["version"]) for part in listed["components"]}
    site = [str(folder) for folder in (ROOT / ".venv" / "lib").glob("python3.*/site-packages")]
    installed = {(one.name.lower(), one.version) for one in distributions(path=site)}
    assert len(installed) > 20
    assert {name for name, _ in installed - packages} <= {"voiceprivacy"}
