"""What a release says of itself: one version, title and list of authors; and what is installed."""

import json
import re
import shlex
import subprocess
import tomllib
from importlib.metadata import distributions

import pytest
import yaml

from voiceprivacy.vocabulary import SCRIPTS


def test_the_files_of_a_release_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    archive = json.loads((ROOT / ".zenodo.json").read_text())
    newest = re.search(r"^## (\S+)( \(unreleased)?", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert newest[1] == project["version"] == citation["version"]
    assert ("date-released" in citation) == (newest[2] is None), "a release has a date"
    assert project["license"] == citation["license"] == archive["license"]
    assert (
        archive["title"] == citation["title"] and archive["description"] == project["description"]
    )
    assert project["authors"] == citation["authors"] == archive["creators"]
    assert project["keywords"] == citation["keywords"] == archive["keywords"]


ROOT = SCRIPTS.parent
PROGRAM = ROOT / ".venv" / "bin" / "cyclonedx-py"


@pytest.mark.nightly
@pytest.mark.skipif(not PROGRAM.exists(), reason="cyclonedx-py is not installed: make audit")
def test_the_list_of_make_audit_names_every_package_with_its_version(tmp_path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [recipe] = re.findall(r"^audit:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    [command] = re.findall(r"\$\(BIN\)/cyclonedx-py ([^&;|]*?) &&", recipe)
    words = shlex.split(command)
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
