"""Runs without a shared disk: what jobs read and make goes through a store of Snakemake's.

A job on another machine starts in a folder with our code alone. Snakemake fetches the inputs that
its rule declares from the store, and takes the outputs there. So such runs declare more than others
do: recordings, too, and what all jobs read. Their files have no checksums of ours: nothing says
that a job's folder holds results (see inout/checksums.py), and a store compares what it holds.

What a config names is not stored: it lies at the same path on every machine.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from snakemake.io import flag, is_flagged
from snakemake.path_modifier import PATH_MODIFIER_FLAG, PathModifier
from snakemake_interface_storage_plugins.storage_object import StorageObjectBase

from voiceprivacy.inout.files import BadInput

INPUT_OUTPUT, SOURCES = "input-output", "sources"  # of Snakemake's --shared-fs-usage
SENT = " (send to storage)"


class Store(NamedTuple):
    """The store of a run: Snakemake's default storage provider, and the prefix of its files."""

    provider: Any
    prefix: str

    def keep_paths(self) -> None:
        """Have copies lie where files lie on a shared disk: commands know results/ by its name.

        Snakemake's own place for them is .snakemake/storage, and a path that it need not change is
        not stored. What has an absolute path is a person's, and lies on every machine.
        """
        prefix, elsewhere, change = self.prefix, StorageObjectBase.local_path, PathModifier.modify

        def local_path(stored: Any) -> Path:
            is_ours = stored.query.startswith(prefix) and stored._overwrite_local_path is None
            return Path(stored.query.removeprefix(prefix)) if is_ours else elsewhere(stored)

        def modify(self: Any, path: Any, property: Any = None) -> Any:
            if os.path.isabs(path):
                return path
            changed = change(self, path, property)
            if changed is path and not is_flagged(path, PATH_MODIFIER_FLAG):
                changed = self.apply_default_storage(path)
            return path if changed is path else flag(changed, PATH_MODIFIER_FLAG)

        StorageObjectBase.local_path = local_path
        PathModifier.modify = modify
        _ask_again_for_folders(type(self.provider).get_storage_object_cls())

    def fetch(self, paths: Iterable[str]) -> None:
        """Bring files here; what the store does not have is removed."""
        for path in paths:
            stored = self.provider.object(f"{self.prefix}{path}")
            if stored.exists():
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                stored.retrieve_object()
            else:
                Path(path).unlink(missing_ok=True)

    def bring(self, told: str) -> str:
        """Fetch a file by the name that Snakemake has for it on the screen; its path."""
        path = told.removeprefix(self.prefix).removesuffix(SENT)
        self.fetch([path])
        return path

    def put(self, paths: Iterable[str]) -> None:
        """Bring files there."""
        for path in paths:
            self.provider.object(f"{self.prefix}{path}").store_object()


def _ask_again_for_folders(stored_class: Any) -> None:
    """Have the plug-in for S3 (0.3.6) forget that a folder was missing: a job makes it later."""
    is_dir = getattr(stored_class, "is_dir", None)
    if is_dir is None:
        return

    def is_dir_now(stored: Any) -> bool:
        stored._is_dir = stored._is_dir or None
        return bool(is_dir(stored))

    stored_class.is_dir = is_dir_now


def store_of(workflow: Any) -> Store | None:
    """The store of a run whose jobs share no disk; None where they do, or where nothing is said."""
    provider = workflow.storage_registry.default_storage_provider
    if INPUT_OUTPUT in _shared(workflow) or provider is None:
        return None
    prefix = workflow.storage_settings.default_storage_prefix or ""
    return Store(provider, prefix if not prefix or prefix.endswith("/") else f"{prefix}/")


def refuse_what_no_job_sees(workflow: Any, paths: Iterable[str]) -> None:
    """Refuse a run whose jobs would lack our code, or what its config names.

    Parameters
    ----------
    paths : what the config names

    Raises
    ------
    BadInput : the working directory is no checkout of ours; a path is relative
    """
    if SOURCES not in _shared(workflow) and Path(workflow.basedir) != Path.cwd():
        raise BadInput(
            f"{Path.cwd()}: without a shared disk, run in a checkout of voiceprivacy's repository:"
            " jobs get what git lists there"
        )
    for path in paths:
        if not os.path.isabs(path):
            raise BadInput(
                f"{path}: without a shared disk, name it by an absolute path, which is the same on"
                " every machine"
            )


def _shared(workflow):
    return {str(usage) for usage in workflow.storage_settings.shared_fs_usage}
