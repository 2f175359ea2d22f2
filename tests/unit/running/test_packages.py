"""Anonymisers of installed packages: found by their name only, and their version told."""

import subprocess
import sys

import pytest
from support.installed import install

from voiceprivacy.errors import BadInput
from voiceprivacy.running import entry_points

LOUDER = "def louder(samples, sample_rate, **names):\n    return 2 * samples\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def test_a_name_leads_to_the_function_of_its_package_and_the_version_of_its_files(
    site, monkeypatch
):
    install(site, "loud", LOUDER, version="1.2", offers="louder = loud:louder")
    assert entry_points.load("louder")(3, 16000) == 6
    first = entry_points.version("louder")
    assert first.startswith("loud 1.2 (")
    other = site.parent / "other"
    install(other, "loud", LOUDER.replace("2", "3"), version="1.2", offers="louder = loud:louder")
    monkeypatch.syspath_prepend(other)
    assert entry_points.version("louder").startswith("loud 1.2 (")
    assert entry_points.version("louder") != first


@pytest.mark.parametrize("call", [entry_points.version, entry_points.load])
def test_a_name_that_nobody_or_two_offer_is_refused(site, call):
    install(site, "loud", LOUDER, offers="louder = loud:louder")
    with pytest.raises(BadInput, match=r"no installed package offers an anonymiser 'loudr'.*pip"):
        call("loudr")
    install(site, "noisy", LOUDER, offers="louder = noisy:louder")
    with pytest.raises(BadInput, match="'louder' is offered by loud and noisy"):
        call("louder")


def test_a_version_imports_nothing_and_what_is_no_function_is_refused(site):
    install(site, "broken", "raise RuntimeError('imported')", offers="broken = broken:f")
    assert entry_points.version("broken").startswith("broken 1.0")
    install(site, "constant", "louder = 3", offers="louder = constant:louder")
    with pytest.raises(BadInput, match="'louder' is no function"):
        entry_points.load("louder")


def test_a_package_that_pip_installed_has_a_version(tmp_path, site):
    source = tmp_path / "source"
    source.mkdir()
    (source / "pipped.py").write_text(LOUDER)
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "pipped"\nversion = "2.5"\n'
        f'[project.entry-points."{entry_points.GROUP}"]\npipped = "pipped:louder"\n'
        '[tool.setuptools]\npy-modules = ["pipped"]\n'
    )
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(source)], check=True)
    assert entry_points.version("pipped").startswith("pipped 2.5 (")
    assert entry_points.load("pipped")(2, 16000) == 4
