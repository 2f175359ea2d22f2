"""A tiny attacker, a folder to run in, and a run that others must equal."""

import fcntl
import shutil

import pytest
from support.browser import Reader, browser
from support.runs import B2R, WITHOUT_MEASURES, finish, make_kaldi_directory, write_config


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """A SpeechBrain folder with a small x-vector of random weights."""
    from support import models, stand_ins  # torch: seconds

    stand_ins.name_no_file()
    return models.untrained_xvector(tmp_path_factory.mktemp("model"))


@pytest.fixture
def run_folder(tmp_path, model_folder):
    """A folder to run in: data/tiny and model lie there."""
    make_kaldi_directory(tmp_path / "data" / "tiny")
    (tmp_path / "model").symlink_to(model_folder)
    return tmp_path


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, model_folder, worker_id):
    """The folder of a finished run on one machine, which all workers of pytest share.

    A cluster, another workflow and a run that is killed must make the same numbers.
    """
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent
    folder = shared / "undisturbed"
    with open(shared / "undisturbed.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "finished").exists():
            shutil.rmtree(folder, ignore_errors=True)
            write_the_same(folder, model_folder)
            finish(folder)
            (folder / "finished").touch()
    return folder


@pytest.fixture
def same_folder(tmp_path, model_folder):
    """A folder to make that run again."""
    write_the_same(tmp_path, model_folder)
    return tmp_path


def write_the_same(folder, model_folder):
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model_folder, folder / "model")
    b2r = {"command": B2R, "shards": 2}
    write_config(folder, anonymisers={"b2r": b2r}, utility=WITHOUT_MEASURES)


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
