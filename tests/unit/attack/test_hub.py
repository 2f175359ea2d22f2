"""Fetching a model: whole or absent, pinned, and one clear line without a network."""

import pytest

from voiceprivacy.attack.extractors import hub
from voiceprivacy.attack.extractors.networks import model_folder
from voiceprivacy.inout.files import BadInput

COMMIT = "0f99f2d0ebe89ac095bcc5903c4dd8f72b367286"


@pytest.fixture
def no_network(monkeypatch):
    """A hub whose cache is empty and whose name cannot be resolved."""

    def not_cached(model, **wanted):
        raise hub.LocalEntryNotFoundError("not in the cache")

    def unreachable(self, model, *, revision, timeout):
        raise hub.HTTPError("Name or service\nnot known")

    monkeypatch.setattr(hub, "snapshot_download", not_cached)
    monkeypatch.setattr(hub.HfApi, "model_info", unreachable)


def test_without_a_network_one_line_says_so(no_network, tmp_path):
    with pytest.raises(
        BadInput,
        match=rf"^a/b at {COMMIT}: cannot be fetched \(Name or service not known\); .*copy$",
    ):
        hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_the_files_of_a_snapshot_are_copied(monkeypatch, tmp_path):
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()
    for name in (*hub.NEEDED, "classifier.ckpt", "README.md"):
        (snapshot / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(hub, "snapshot_download", lambda model, **wanted: str(snapshot))
    hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == sorted(
        [*hub.NEEDED, "classifier.ckpt"]
    )


def test_a_download_that_was_killed_is_finished_and_without_a_network_does_with_what_is_needed(
    monkeypatch, tmp_path
):
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()

    def download(model, local_files_only=False, **wanted):
        for name in [] if local_files_only else hub.FILES:
            (snapshot / name).touch()
        return str(snapshot)

    def unreachable(*of, **options):
        raise hub.HTTPError("no network")

    monkeypatch.setattr(hub, "snapshot_download", download)
    monkeypatch.setattr(hub.HfApi, "model_info", unreachable)
    (snapshot / "hyperparams.yaml").touch()
    with pytest.raises(BadInput, match="cannot be fetched"):
        hub.local_folder("a/b", revision=COMMIT)
    (snapshot / "embedding_model.ckpt").touch()
    assert hub.local_folder("a/b", revision=COMMIT) == snapshot
    assert not (snapshot / "classifier.ckpt").exists()
    monkeypatch.setattr(hub.HfApi, "model_info", lambda *of, **options: None)
    assert hub.local_folder("a/b", revision=COMMIT) == snapshot
    assert (snapshot / "classifier.ckpt").exists()


def test_a_repository_that_holds_no_speaker_model_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(hub, "snapshot_download", lambda model, **wanted: str(tmp_path))
    monkeypatch.setattr(hub.HfApi, "model_info", lambda *of, **options: None)
    with pytest.raises(BadInput, match=r"a/b: has no hyperparams\.yaml"):
        hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("revision", ["main", "v1.0", "", COMMIT.upper()])
def test_a_revision_that_can_move_is_refused(tmp_path, revision):
    with pytest.raises(BadInput, match="is not a commit"):
        hub.fetch("a/b", revision=revision, folder=tmp_path / "model")


def test_a_folder_is_a_folder(tmp_path):
    assert model_folder(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("model", ["/no/such/folder", "./no/folder", "nowhere"])
def test_a_missing_folder_is_not_looked_for_on_the_hub(model):
    with pytest.raises(BadInput, match=f"^{model}: not found$"):
        model_folder(model, revision=COMMIT)


def test_a_name_needs_a_revision():
    with pytest.raises(BadInput, match=r"speechbrain/x: not found; .* --revision"):
        model_folder("speechbrain/x")
