"""Getting model files from the network, and everything that goes wrong there.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import hashlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mace_tools.config import download
from mace_tools.config.download import fetch
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError

BODY = bytes(range(256)) * 5000
SHA = hashlib.sha256(BODY).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """/model gives BODY, /short breaks off, the rest is not there."""

    requests = 0

    def do_GET(self):  # noqa: N802 (the name is the library's)
        type(self).requests += 1
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
            return
        if self.path == "/slow-head":
            with contextlib.suppress(OSError):
                while True:  # one header that does not end
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(0.02)
        if self.path in ("/slow", "/endless"):
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(BODY[: 1 if self.path == "/slow" else 100_000])
                    time.sleep(0.02 if self.path == "/slow" else 0)
        if self.path not in ("/model", "/short"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY if self.path == "/model" else BODY[:1000])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """The address of a server, with an empty cache."""
    monkeypatch.setenv("MACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Handler.requests = 0
        threading.Thread(target=http.serve_forever, args=[0.01], daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def kept(tmp_path):
    return [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]


def test_a_file_is_fetched_once(server, tmp_path):
    for _ in range(2):
        assert fetch(f"{server}/model", SHA, Console()).read_bytes() == BODY
    assert Handler.requests == 1
    assert len(kept(tmp_path)) == 1


def test_a_damaged_cache_is_mended(server):
    fetch(f"{server}/model", SHA, Console()).write_bytes(b"damaged")
    assert fetch(f"{server}/model", SHA, Console()).read_bytes() == BODY
    assert Handler.requests == 2


@pytest.mark.parametrize("path, sha, message", [
    ("/model", "0" * 64, f"the file there has the checksum {SHA}, not {'0' * 64}"),
    ("/none", SHA, "the server answers 404"),
    ("/short", SHA, f"the connection ended after 1000 of {len(BODY)} bytes"),
])
def test_what_goes_wrong_is_reported_and_leaves_nothing(server, tmp_path, path, sha, message):
    with pytest.raises(MaceError, match=message):
        fetch(f"{server}{path}", sha, Console())
    assert kept(tmp_path) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/model", "http://no.such.host.invalid/x"])
def test_an_unreachable_server_is_reported(server, url):
    with pytest.raises(MaceError, match="cannot connect"):
        fetch(url, SHA, Console())


@pytest.mark.parametrize("url", ["http://", "http://[::1/x", "http://a b/"])
def test_an_address_that_is_none_is_reported(server, url):
    with pytest.raises(MaceError, match=r"http://"):
        fetch(url, SHA, Console())


def test_a_cache_that_cannot_be_written_is_reported(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MACE_CACHE", str(tmp_path / "file"))
    with pytest.raises(MaceError, match="cannot keep .*set MACE_CACHE"):
        fetch(f"{server}/model", SHA, Console())


@pytest.mark.parametrize("path, reason", [
    ("slow", r"only \d+ bytes came in \d+ seconds; download the file yourself"),
    ("slow-head", r"only 0 bytes came in"),
    ("endless", "more than 0 GB, and is not downloaded"),
    ("model", "more than 0 GB"),
    ("to/ftp://127.0.0.1/x", "leads to ftp://127.0.0.1/x, which is not followed"),
    ("to/file:///etc/passwd", "file:///etc/passwd' is not allowed"),
])
def test_a_server_that_does_not_end_or_leads_elsewhere(server, tmp_path, monkeypatch, path, reason):
    if path.startswith("slow"):
        monkeypatch.setattr(download, "SLOW_S", 0.2)
    monkeypatch.setattr(download, "MAX_BYTES", 1_000_000)
    with pytest.raises(MaceError, match=reason):
        fetch(f"{server}/{path}", SHA, Console())
    assert not kept(tmp_path)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "file:///etc/passwd", "data:,x"])
def test_other_schemes(tmp_path, monkeypatch, url):
    monkeypatch.setenv("MACE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(MaceError, match="only http:// and https://"):
        fetch(url, SHA, Console())
