"""Fetching a model: whole or absent, pinned, and one clear line without a network."""

from unittest.mock import Mock

import huggingface_hub
import pytest
from huggingface_hub.errors import HTTPError, LocalEntryNotFoundError

from voiceprivacy.errors import BadInput
from voiceprivacy.models import hub

COMMIT = "0f99f2d0ebe89ac095bcc5903c4dd8f72b367286"


unreachable = Mock(side_effect=HTTPError("Name or service\nnot known"))


@pytest.fixture
def snapshot(tmp_path, monkeypatch):
    """The folder in which the hub's client keeps a model: empty; the hub can be reached."""
    folder = tmp_path / "snapshot"
    folder.mkdir()
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda model, **wanted: str(folder))
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *arguments, **options: None)
    return folder


def test_without_a_network_one_line_says_so(monkeypatch, tmp_path):
    not_cached = Mock(side_effect=LocalEntryNotFoundError("not in the cache"))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", not_cached)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", unreachable)
    with pytest.raises(BadInput, match=r"^a/b at .* \(Name or service not known\); .*copy$"):
        hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_the_files_of_a_snapshot_are_copied(snapshot, tmp_path):
    for name in (*hub.SPEAKER_MODEL.needed, "classifier.ckpt", "README.md"):
        (snapshot / name).write_text(name, encoding="utf-8")
    hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")
    copied = {path.name for path in (tmp_path / "model").iterdir()}
    assert copied == {*hub.SPEAKER_MODEL.needed, "classifier.ckpt"}


def test_a_killed_download_is_finished_or_what_is_there_will_do(snapshot, monkeypatch):
    def download(model, local_files_only=False, **wanted):
        for name in [] if local_files_only else hub.SPEAKER_MODEL.files:
            (snapshot / name).touch()
        return str(snapshot)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", unreachable)
    (snapshot / "hyperparams.yaml").touch()
    with pytest.raises(BadInput, match="cannot be fetched"):
        hub.model_folder("a/b", revision=COMMIT)
    (snapshot / "embedding_model.ckpt").touch()
    assert hub.model_folder("a/b", revision=COMMIT) == snapshot
    assert not (snapshot / "classifier.ckpt").exists()
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *arguments, **options: None)
    assert hub.model_folder("a/b", revision=COMMIT) == snapshot
    assert (snapshot / "classifier.ckpt").exists()


def test_a_full_cache_is_named_with_what_to_set(snapshot, monkeypatch, tmp_path):
    full = Mock(side_effect=[LocalEntryNotFoundError("not there"), OSError(28, "No space left")])
    monkeypatch.setattr(huggingface_hub, "snapshot_download", full)
    with pytest.raises(OSError, match="set HF_HOME"):
        hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")


def test_a_repository_that_holds_no_speaker_model_is_refused(snapshot, tmp_path):
    with pytest.raises(BadInput, match=r"a/b: has no hyperparams\.yaml"):
        hub.fetch("a/b", revision=COMMIT, folder=tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_folder_is_a_folder(tmp_path):
    assert hub.model_folder(str(tmp_path)) == tmp_path
    (tmp_path / "embedding_model.ckpt").touch()
    with pytest.raises(BadInput, match=r"model\.ckpt: is a file, expected the folder of a model"):
        hub.model_folder(tmp_path / "embedding_model.ckpt")


@pytest.mark.parametrize(
    ("model", "revision", "said"),
    [
        ("/no/such/folder", COMMIT, "^/no/such/folder: not found$"),
        ("./no/folder", COMMIT, "^./no/folder: not found$"),
        ("nowhere", COMMIT, "^nowhere: not found$"),
        ("speechbrain/x", None, "speechbrain/x: not found; .* --revision"),
        *(("a/b", name, "is not a commit") for name in ("main", "v1.0", "", COMMIT.upper())),
    ],
)
def test_what_is_no_folder_and_no_commit_of_the_hub_is_refused(model, revision, said):
    with pytest.raises(BadInput, match=said):
        hub.model_folder(model, revision=revision)


def test_an_encoder_needs_one_of_two_files_of_weights(snapshot, tmp_path):
    wanted = {"revision": COMMIT, "folder": tmp_path / "encoder", "wanted": hub.ENCODER}
    for name in (*hub.ENCODER.needed, "README.md"):
        (snapshot / name).write_text(name, encoding="utf-8")
    with pytest.raises(BadInput, match=r"has no model\.safetensors or pytorch_model\.bin"):
        hub.fetch("a/wavlm", **wanted)
    (snapshot / "pytorch_model.bin").write_text("weights", encoding="utf-8")
    hub.fetch("a/wavlm", **wanted)
    copied = {path.name for path in (tmp_path / "encoder").iterdir()}
    assert copied == {*hub.ENCODER.needed, "pytorch_model.bin"}
