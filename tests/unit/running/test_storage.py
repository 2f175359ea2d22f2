"""What jobs without a shared disk fetch and bring, with a folder as the store."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
import snakemake.api  # noqa: F401  # before snakemake.storage: they import each other
from snakemake.io import get_flag_value, is_flagged
from snakemake.path_modifier import PathModifier
from snakemake.pathvars import Pathvars
from snakemake_interface_storage_plugins.storage_object import StorageObjectBase
from snakemake_storage_plugin_fs import StorageProvider
from support import needs

from voiceprivacy.inout.files import BadInput
from voiceprivacy.running.storage import Store, refuse_what_no_job_sees, store_of

pytestmark = needs.program("rsync")


@pytest.fixture
def store(tmp_path, monkeypatch):
    """The store, in whose working directory the test is; Snakemake is as it was afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(StorageObjectBase, "local_path", StorageObjectBase.local_path)
    monkeypatch.setattr(PathModifier, "modify", PathModifier.modify)
    provider = StorageProvider(tmp_path / "scratch", logging.getLogger())
    store = Store(provider, f"{tmp_path}/store/")
    store.keep_paths()
    return store


def workflow_of(store=None, *, shared=(), basedir="."):
    """What is asked of Snakemake's workflow."""
    prefix = store.prefix.rstrip("/") if store else None
    return SimpleNamespace(
        basedir=str(Path(basedir).absolute()),
        storage_settings=SimpleNamespace(
            shared_fs_usage=shared,
            default_storage_prefix=prefix,
            default_storage_provider="fs" if store else None,
        ),
        storage_registry=SimpleNamespace(default_storage_provider=store and store.provider),
        pathvars=Pathvars.with_defaults(),
    )


def test_what_is_brought_is_fetched_and_what_is_missing_goes(store):
    brought, left = Path("results/sources/a.sha256"), Path("results/b")
    brought.parent.mkdir(parents=True)
    brought.write_text("1")
    left.write_text("2")
    store.put([str(brought)])
    assert Path("store/results/sources/a.sha256").read_text() == "1"
    brought.unlink()
    store.fetch([str(brought), str(left)])
    assert brought.read_text() == "1" and not left.exists()


def test_a_log_is_brought_by_the_name_that_snakemake_shows(store):
    Path("store/results/logs").mkdir(parents=True)
    Path("store/results/logs/a.log").write_text("why")
    path = store.bring(f"{store.prefix}results/logs/a.log (send to storage)")
    assert path == "results/logs/a.log" and Path(path).read_text() == "why"
    assert store.bring("results/logs/a.log") == "results/logs/a.log"


def test_stored_files_keep_their_paths_and_those_of_people_are_not_stored(store):
    modifier = PathModifier(None, None, workflow_of(store))
    stored = modifier.modify("results/metrics.tsv")
    assert stored == "results/metrics.tsv" and is_flagged(stored, "storage_object")
    assert get_flag_value(stored, "storage_object").query == f"{store.prefix}results/metrics.tsv"
    assert modifier.modify(stored) is stored
    assert not is_flagged(modifier.modify("/data/model.ckpt"), "storage_object")


def test_only_a_run_whose_jobs_share_no_files_has_a_store(store):
    assert store_of(workflow_of(store)) == store
    assert store_of(workflow_of(store, shared=["input-output"])) is None
    assert store_of(workflow_of()) is None


def test_a_run_whose_jobs_would_lack_something_is_refused(store):
    refuse_what_no_job_sees(workflow_of(store), ["/data/speech"])
    with pytest.raises(BadInput, match=r"data/speech: .*absolute"):
        refuse_what_no_job_sees(workflow_of(store), ["/data/a", "data/speech"])
    with pytest.raises(BadInput, match="checkout"):
        refuse_what_no_job_sees(workflow_of(store, basedir="elsewhere"), [])
    refuse_what_no_job_sees(workflow_of(store, basedir="elsewhere", shared=["sources"]), [])
