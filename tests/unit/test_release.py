"""What a release says of itself: one version, title and list of authors; and what is installed."""

import json
import re
import tomllib

import yaml

from voiceprivacy.inout.files import SCRIPTS


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
