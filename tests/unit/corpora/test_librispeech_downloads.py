"""Downloading LibriSpeech from a stand-in of its server here, which loses connections."""

import hashlib
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from support import calls
from support.trees import librispeech

from voiceprivacy.corpora.kinds import librispeech as downloads
from voiceprivacy.errors import BadInput


class Handler(BaseHTTPRequestHandler):
    """Serves one archive in ranges, at most ``limit`` bytes a connection; notes what is asked."""

    def do_GET(self):
        server = self.server
        server.asked.append(self.headers.get("Range"))
        if not self.path.endswith("/dev.tar.gz"):
            self.send_error(404)
            return
        start = int(self.headers["Range"][6:-1]) if server.ranges and "Range" in self.headers else 0
        if start >= len(server.content):
            self.send_error(416)
            return
        rest = server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: server.limit])

    def log_message(self, *_):
        """Nothing on the terminal."""


@pytest.fixture
def server(monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.limit, server.ranges, server.content = [], None, True, b""
    server.address = f"http://127.0.0.1:{server.server_port}/resources/12"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def archive(tmp_path, server):
    """The archive of a small subset as LibriSpeech packs it, with files that belong elsewhere."""
    librispeech(tmp_path / "LibriSpeech", women=["11"], men=[], chapters=1)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        tar.add(tmp_path / "LibriSpeech", "LibriSpeech")
        for name in ("LibriSpeech/other/x.flac", "README", "LibriSpeech"):
            tar.addfile(tarfile.TarInfo(name))
    server.content = content.getvalue()
    return downloads.Archive("dev", len(server.content), hashlib.md5(server.content).hexdigest())


def fetch(archive, server, root):
    downloads.fetch_subset(archive, root=root, address=server.address)


def below(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


UNPACKED = [".dev.lock", "SPEAKERS.TXT", *(f"dev/11/100/11-100-000{n}.flac" for n in range(3))]


def test_a_subset_is_downloaded_once_and_unpacked_and_nothing_else(tmp_path, server, archive):
    fetch(archive, server, tmp_path / "root")
    assert below(tmp_path / "root") == UNPACKED
    one = "dev/11/100/11-100-0001.flac"
    assert (tmp_path / "root" / one).read_bytes() == (tmp_path / "LibriSpeech" / one).read_bytes()
    (tmp_path / "root" / "SPEAKERS.TXT").write_text("mine")
    fetch(archive, server, tmp_path / "root")
    assert server.asked == [None]
    assert (tmp_path / "root" / "SPEAKERS.TXT").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("LibriSpeech/dev/../../escaped.txt", tarfile.REGTYPE),
        ("/tmp/escaped.txt", tarfile.REGTYPE),
        ("LibriSpeech/dev/11", tarfile.SYMTYPE),
        ("LibriSpeech/dev/hard.flac", tarfile.LNKTYPE),
        ("LibriSpeech/dev/pipe", tarfile.FIFOTYPE),
    ],
)
def test_an_archive_that_leads_elsewhere_is_refused(tmp_path, server, name, kind):
    content, member = io.BytesIO(), tarfile.TarInfo(name)
    member.type, member.linkname = kind, str(tmp_path)
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        tar.addfile(member)
        tar.addfile(tarfile.TarInfo("LibriSpeech/dev/11/escaped.txt"))
    server.content = content.getvalue()
    archive = downloads.Archive("dev", len(server.content), hashlib.md5(server.content).hexdigest())
    with pytest.raises(BadInput, match=f"'{name}' is a link"):
        fetch(archive, server, tmp_path / "root")
    assert below(tmp_path / "root") == [".dev.lock", "dev.tar.gz.part"]
    assert not list(tmp_path.rglob("escaped.txt"))


@pytest.mark.parametrize("address", ["http://www.openslr.org", "http://127.0.0.1.x.org"])
def test_archives_come_over_https_or_from_this_machine(tmp_path, address):
    archive = downloads.Archive("dev", 1, "0")
    with pytest.raises(BadInput, match="archives are fetched over https only"):
        downloads.fetch_subset(archive, root=tmp_path / "root", address=address)
    assert not (tmp_path / "root").exists()


def test_lost_connections_are_taken_up_where_they_broke_off(tmp_path, server, archive):
    server.limit = len(server.content) // 3
    fetch(archive, server, tmp_path / "root")
    assert below(tmp_path / "root") == UNPACKED
    assert server.asked[:3] == [None, f"bytes={server.limit}-", f"bytes={2 * server.limit}-"]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_second_call_resumes_what_a_killed_one_left_or_starts_over(
    tmp_path, server, archive, ranges
):
    server.ranges = ranges
    (tmp_path / "root").mkdir()
    left = server.content[:1000] if ranges else b"x" * 1000
    (tmp_path / "root" / "dev.tar.gz.part").write_bytes(left)
    fetch(archive, server, tmp_path / "root")
    assert server.asked == ["bytes=1000-"]
    assert below(tmp_path / "root") == UNPACKED


@pytest.mark.parametrize(
    ("changed", "said", "is_asked"),
    [
        ({"md5": "0000"}, "has the MD5 .*, published is 0000", True),
        ({"bytes": 10**6}, "has .* bytes, published are 1000000", True),
        ({"subset": "test"}, r"/test\.tar\.gz: 404", True),
        ({"bytes": 10**16}, "GB free; dev needs", False),  # no room
    ],
)
def test_what_is_not_as_published_is_refused(tmp_path, server, archive, changed, said, is_asked):
    with pytest.raises(BadInput, match=said):
        fetch(archive._replace(**changed), server, tmp_path / "root")
    assert {*below(tmp_path / "root")} <= {".dev.lock", ".test.lock"}, "nothing is left"
    assert bool(server.asked) == is_asked


def test_a_server_that_gives_nothing_is_named_with_what_is_there(tmp_path, server, archive):
    server.limit = 0
    with pytest.raises(BadInput, match=rf"broke off at 0 of {archive.bytes} bytes"):
        fetch(archive, server, tmp_path / "root")
    assert len(server.asked) == downloads.ATTEMPTS


def test_a_full_disk_is_named_with_what_to_do(tmp_path, server, archive):
    (tmp_path / "dev.tar.gz.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"name another folder as root.*dev\.tar\.gz\.part"):
        fetch(archive, server, tmp_path)
    assert len(server.asked) == 1


def test_only_published_subsets_can_be_downloaded(tmp_path, monkeypatch):
    assert downloads.published_archive("test-clean").md5 == "32fa31d27d2e1cad72775fee3f4849a9"
    with pytest.raises(BadInput, match=r"dev: is none of the subsets .*: dev-clean"):
        downloads.published_archive("dev")
    monkeypatch.setattr(downloads, "ARCHIVES", tmp_path / "archives.tsv")
    downloads.ARCHIVES.write_text("subset\tbytes\tmd5\ndev\tmany\t0\n")
    with pytest.raises(BadInput, match=r"archives\.tsv:2: 'many' is not a number"):
        downloads.published_archive("dev")


def test_the_command_shows_progress(tmp_path, server, archive, monkeypatch):
    listed = tmp_path / "archives.tsv"
    monkeypatch.setattr(downloads, "ARCHIVES", listed)
    listed.write_text(f"subset\tbytes\tmd5\ndev\t{archive.bytes}\t{archive.md5}\n")
    where = {"root": tmp_path / "root", "address": server.address, "done": tmp_path / "done.tsv"}
    finished = calls.here("fetch_subset", *calls.flags(kind="librispeech", subset="dev", **where))
    assert finished.returncode == 0, finished.stderr
    assert "dev.tar.gz.part" in finished.stderr
    assert (tmp_path / "done.tsv").read_text() == f"subset\tfolder\ndev\t{tmp_path}/root/dev\n"
