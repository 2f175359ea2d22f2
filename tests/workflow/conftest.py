"""A tiny network, a finished run to share, a folder to make it again, and a browser."""

import fcntl
import shutil

import pytest
from support.browser import Reader, browser
from support.runs import succeeded, voiceprivacy, write_tiny_run

from voiceprivacy.plan.earlier import SEED_FILE


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """A SpeechBrain folder with a tiny x-vector and no more settings than an attacker needs."""
    from support import models, stand_ins  # torch: seconds

    stand_ins.name_no_file()
    return models.xvector(tmp_path_factory.mktemp("models") / "xvector", until="classifier:")


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory, worker_id):
    """The folder of a finished run, which all workers of pytest share: to look at.

    What it said is in ``said``.
    """
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent
    folder = shared / "tiny"
    with open(shared / "tiny.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "said").exists():
            shutil.rmtree(folder, ignore_errors=True)
            write_tiny_run(folder)
            words = ("--configfile", "config.yaml", "--seed-file", "secret", "--printshellcmds")
            finished = succeeded(voiceprivacy(folder, "run", "--cores", "2", *words))
            (folder / "said").write_text(finished.stdout + finished.stderr)
    return folder


@pytest.fixture
def own_run(tmp_path, tiny_run):
    return shutil.copytree(tiny_run, tmp_path / "run", symlinks=True)


@pytest.fixture
def same_folder(tmp_path, monkeypatch):
    """A folder to make that run again: on a cluster, in another workflow, with kills."""
    write_tiny_run(tmp_path)
    monkeypatch.setenv(SEED_FILE, str(tmp_path / "secret"))
    return tmp_path


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture
def open_page(chromium):
    """A function that opens a page; all are closed afterwards."""
    readers = []

    def open_page(path, **how):
        readers.append(Reader(chromium, path, **how))
        return readers[-1]

    yield open_page
    for reader in readers:
        reader.page.context.close()
